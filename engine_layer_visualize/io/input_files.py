"""Opens the files that are read: any, or within `only` a few that were checked before."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, Final

Identity = tuple[int, int]  # device and inode: of no other file while it is open
_ALLOWED: Final[ContextVar[frozenset[Identity] | None]] = ContextVar("allowed", default=None)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # not at a FIFO


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
    if identity(descriptor) not in allowed:
        os.close(descriptor)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return open(descriptor, "rb")


def identity(descriptor: int) -> Identity | None:
    """Returns which file is open there; None where it is no regular one."""
    state = os.fstat(descriptor)
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None
