"""Looks at what stands where an output is to be written, and refuses what may not be replaced.

Nothing but outputs of this program, and those of the same log, is replaced without `--force`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError

ELSEWHERE: Final = "--output names another place, --force replaces it"
NO_OUTPUT: Final = "this was there before, and is no output of this program"
OF_OTHERS: Final = "this was there before, and not of these logs"


class Refused(ReadError):
    """An output may not replace what stands there, so that nothing is written at all."""


def check(
    paths: Iterable[Path],
    force: bool,
    whose: Callable[[Path], str],
    hint: str = ELSEWHERE,
    folders: bool = True,
    *,
    read: Sequence[str] = (),
) -> None:
    """Refuses the first file that may not be replaced.

    Args:
        paths: The places of the outputs.
        force: Whether files of others are replaced, too.
        whose: Returns what a file is that is none of ours; "" where it may be replaced.
        hint: What to do instead.
        folders: Whether a folder in the way stops all; else writing says so.
        read: Files that are read, and so never replaced.

    Raises:
        Refused: With ELV505 or ELV501.
    """
    from engine_layer_visualize.io.atomic_file import cannot_write

    for path in paths:
        if is_read(path, read):
            raise refused(path, "this is a file that is read", "name another place for the output")
        if folders and path.is_dir() and not path.is_symlink():
            folder = IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            raise Refused(cannot_write(path, folder).problem)
        if said := _foreign(path, force, whose):
            raise refused(path, said, hint)


def is_read(path: Path, files: Iterable[str]) -> bool:
    """Returns whether what stands there is one of these files."""
    return path.exists() and any(os.path.exists(file) and path.samefile(file) for file in files)


def refused(path: Path, said: str, hint: str = ELSEWHERE) -> Refused:
    """Returns the error ELV505; `said` is what stands there."""
    return Refused(Problem(Place(str(path)), "ELV505", f"{said}; it is not replaced"), hint)


def _foreign(path: Path, force: bool, whose: Callable[[Path], str]) -> str:
    from engine_layer_visualize.io.atomic_file import cannot_write

    try:
        mode, size = (state := os.lstat(path)).st_mode, state.st_size
    except (OSError, ValueError):
        return ""  # nothing is there, or writing will say what is wrong
    is_link = stat.S_ISLNK(mode)
    try:
        behind = os.stat(path).st_mode
    except OSError:  # a link to nothing
        behind = stat.S_IFREG
    if not (stat.S_ISREG(behind) or stat.S_ISDIR(behind)):
        # Not with `--force` either: whoever may write everywhere would lose /dev/null.
        pipe = OSError(errno.EINVAL, "it is a pipe or a device")
        raise Refused(cannot_write(path, pipe).problem)
    if force or stat.S_ISDIR(mode):
        return ""
    if is_link:
        return f"this is a link to {os.readlink(path)}"
    return whose(path) if size else ""
