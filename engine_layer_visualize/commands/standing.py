"""What stands where an output is to be written: paths in; an error for what may not be replaced.

Nothing but outputs of this program, and those of the same log, is replaced without `--force`.
"""

from __future__ import annotations

import argparse
import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError

ELSEWHERE: Final = "--output_dir names another folder, --force replaces it"
NO_OUTPUT: Final = "this was there before, and is no output of this program"
OF_OTHERS: Final = "this was there before, and not of these logs"
_REPLACES: Final = (
    "replace what stands in the place of an output (default: replace only outputs of this program "
    "of the same log)"
)
_TAKES: Final = (
    "take a profile also if it has times for fewer than half of the layers, or for fewer than a "
    "table in the log"
)


def add_force(
    parser: argparse._ActionsContainer, *, outputs: bool = True, profiles: bool = False
) -> None:
    """Declares `--force`, of a command that writes outputs, reads profiles, or does both."""
    means = [_REPLACES] * outputs + [_TAKES] * profiles
    parser.add_argument("--force", action="store_true", help="; ".join(means))


class Refused(ReadError):
    """What stands there may not be replaced, so that nothing is written at all."""


def check(
    paths: Iterable[Path],
    force: bool,
    whose: Callable[[Path], str],
    hint: str = ELSEWHERE,
    folders: bool = True,
    *,
    read: Sequence[str] = (),
) -> None:
    """Raises Refused (ELV505, ELV501) at the first file that may not be replaced.

    `whose`: what a file is that is none of ours; empty where it may go. `folders`: one that is in
    the way stops all; else writing says so. `read`: files that stay, `force` or not.
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
    """Whether what stands there is one of these files."""
    return path.exists() and any(os.path.exists(file) and path.samefile(file) for file in files)


def refused(path: Path, said: str, hint: str = ELSEWHERE) -> Refused:
    """ELV505. `said`: what is there."""
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
