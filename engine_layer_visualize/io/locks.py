"""Keeps two runs from writing into one folder at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

_PAUSE: Final = 0.1  # seconds


@contextmanager
def alone(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Holds the lock of a file, which is made. The system gives it back with the process' end.

    Args:
        path: the file.
        wait: is called once where another process holds it, before that is waited for.

    Raises:
        OSError: the file cannot be made.
    """
    with open(path, "ab") as file:
        if not _locked(file):
            wait()
            while not _locked(file):
                time.sleep(_PAUSE)
        yield


def _locked(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
