"""Tells which files `mcp` may read; needs no SDK."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.input_files import Identity, kept_open, only

_NONE: Final = "there is no such file in the folders of this server"


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

    @contextmanager
    def files(self, *paths: str) -> Iterator[list[str]]:
        """Gives the files that paths lead to, with all links followed; no other can be opened.

        A path that is not absolute is looked for in each folder.

        Raises:
            ValueError: one leads out of the folders, or to no regular file. What stands outside is
                not told.
        """
        with ExitStack() as held:
            found = [self._found(path, held) for path in paths]
            with only(known for _, known in found):
                yield [path for path, _ in found]

    def _found(self, path: str, held: ExitStack) -> tuple[str, Identity]:
        """Opens a file and keeps it open: no other file is taken for it meanwhile."""
        is_inside = False
        for given in self._given:
            try:
                real = Path(os.path.realpath(given / path))
                for folder in self._given:
                    if real.is_relative_to(folder):
                        is_inside = True
                        return str(real), held.enter_context(kept_open(folder, real))
            except (OSError, ValueError):  # such as a name that is too long, or has a NUL
                continue
        if is_inside:
            raise ValueError(_NONE)
        raise ValueError("this path leads out of the folders of this server")

    def listed(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yields the regular files of the folders, with what the system knows of each."""
        for given in self._given:
            for folder, folders, names in os.walk(given):
                folders.sort()
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    with suppress(OSError):
                        if stat.S_ISREG((state := os.lstat(path)).st_mode):
                            yield path, state
