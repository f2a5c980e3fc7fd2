"""Answers an assistant's questions about logs, over stdin and stdout, by the protocol MCP."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine_layer_visualize.commands import Report, flags
from engine_layer_visualize.commands.flags import READ
from engine_layer_visualize.core.problems import Place, Problem, ReadError

ABOUT: Final = (
    "Answers an assistant's questions about the logs in some folders: a server of the Model "
    "Context Protocol on stdin and stdout, which the assistant starts. It reads files of these "
    "folders alone, and writes none."
)
EXAMPLES: Final = ("logs", "logs /data/builds")
EXIT_CODES: Final = {
    0: "the assistant ended it",
    2: "wrong usage",
    3: "one of the folders is none",
    4: "the extra mcp is missing",
}


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which folders may be read."""

    folders: tuple[str, ...] = READ.flag(
        "the folders of logs, profiles and listings; nothing outside is read, not by a link either",
        "DIR",
        word=True,
        nargs="+",
        default=(),
    )


def run(options: Options, report: Report) -> None:
    """Serves until stdin ends. Raises ReadError (ELV401, ELV502)."""
    folders = Folders(options.folders)
    try:
        from engine_layer_visualize.commands import mcp_tools
    except ImportError:
        from engine_layer_visualize.io.processes import install_extra

        message = f"it needs the SDK of MCP, from 2.0: {install_extra('mcp')}"
        raise ReadError(Problem(Place("mcp"), "ELV502", message)) from None
    gc.enable()  # it may run for days
    mcp_tools.serve(folders)


class Folders:
    """Folders, in which alone files may be read.

    Raises:
        ReadError: ELV401, where one of them is no folder.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._given = [Path(os.path.realpath(folder)) for folder in folders]
        for given, folder in zip(folders, self._given):
            if not folder.is_dir():
                raise ReadError(Problem(Place(given), "ELV401", "this is no folder"))

    def file(self, path: str) -> str:
        """Returns the file that a path leads to, with all links followed.

        A path that is not absolute is looked for in each folder.

        Raises:
            ValueError: it leads out of the folders, or to no regular file. What stands outside is
                not told.
        """
        try:
            real = [Path(os.path.realpath(folder / path)) for folder in self._given]
            inside = [one for one in real if any(one.is_relative_to(own) for own in self._given)]
            if not inside:
                raise ValueError("this path leads out of the folders of this server")
            found = next((one for one in inside if one.is_file()), None)
        except OSError:  # such as a name that is too long
            found = None
        if found is None:
            raise ValueError("there is no such file in the folders of this server")
        return str(found)
