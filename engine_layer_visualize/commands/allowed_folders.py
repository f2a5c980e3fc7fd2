"""Tells which files `mcp` may read; needs no SDK."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine_layer_visualize.core.problems import Place, Problem, ReadError


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
