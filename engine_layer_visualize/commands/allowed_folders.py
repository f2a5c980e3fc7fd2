"""Tells which files `mcp` may read; needs no SDK."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.input_files import Identity, identity, only

_FOLDER: Final = getattr(os, "O_DIRECTORY", 0)
_FILE: Final = getattr(os, "O_NONBLOCK", 0)
_NO_LINK: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
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
                        return str(real), self._opened(folder, real, held)
            except (OSError, ValueError):  # such as a name that is too long, or has a NUL
                continue
        if is_inside:
            raise ValueError(_NONE)
        raise ValueError("this path leads out of the folders of this server")

    def _opened(self, folder: Path, file: Path, held: ExitStack) -> Identity:
        """Opens a file by each folder on the way, none of which may be a link by now."""
        parts = (str(folder), *file.relative_to(folder).parts)
        if os.open not in os.supports_dir_fd:  # Windows, where to make a link needs a right
            parts = (str(file),)
        at = None
        for number, part in enumerate(parts, 1):
            at = os.open(part, _NO_LINK | (_FOLDER if number < len(parts) else _FILE), dir_fd=at)
            held.callback(os.close, at)
        known = None if at is None else identity(at)
        if known is None or os.path.realpath(file) != str(file):
            raise ValueError(_NONE)
        return known

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
