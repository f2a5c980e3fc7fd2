"""Opens the files that are read: any, or within `only` a few that were checked before."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, Final

from engine_layer_visualize.core.problems import MissingFileError, Place, Problem

Identity = tuple[int, int]  # device and inode: of no other file while it is open
_ALLOWED: Final[ContextVar[frozenset[Identity] | None]] = ContextVar("allowed", default=None)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # not at a FIFO
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = getattr(os, "O_DIRECTORY", 0)


def missing(files: Iterable[str]) -> list[MissingFileError]:
    """Returns an error for each file that is not there: then nothing is read at all."""
    message = "cannot be read: no such file or directory"
    return [
        MissingFileError(Problem(Place(file, 1), "ELV401", message))
        for file in dict.fromkeys(files)
        if file != "-" and not os.path.lexists(file)
    ]


@contextmanager
def only(files: Iterable[Identity]) -> Iterator[None]:
    """Lets this thread open no other files than these, whatever stands at a path meanwhile."""
    before = _ALLOWED.set(frozenset(files))
    try:
        yield
    finally:
        _ALLOWED.reset(before)


def open_input(path: str | Path) -> BinaryIO:
    """Opens a file to read bytes. Raises OSError; FileNotFoundError for one that is not allowed."""
    allowed = _ALLOWED.get()
    if allowed is None:
        return open(path, "rb")
    descriptor = os.open(path, os.O_RDONLY | _NO_WAIT)
    if _identity(descriptor) not in allowed:
        os.close(descriptor)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return open(descriptor, "rb")


@contextmanager
def kept_open(folder: Path, file: Path) -> Iterator[Identity]:
    """Keeps a file of a folder open, so that no other one can be taken for it meanwhile.

    It is opened by each folder on the way, none of which may be a link.

    Raises:
        OSError: it cannot be opened so, or is no regular file.
    """
    parts = (str(folder), *file.relative_to(folder).parts)
    if os.open not in os.supports_dir_fd:  # Windows, where to make a link needs a right
        parts = (str(file),)
    with ExitStack() as held:
        at = None
        for number, part in enumerate(parts, 1):
            kind = _NO_WAIT if number == len(parts) else _FOLDER
            at = os.open(part, os.O_RDONLY | _NO_LINK | kind, dir_fd=at)
            held.callback(os.close, at)
        known = None if at is None else _identity(at)
        if known is None or os.path.realpath(file) != str(file):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        yield known


def _identity(descriptor: int) -> Identity | None:
    """Returns which file is open there; None where it is no regular one."""
    state = os.fstat(descriptor)
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None
