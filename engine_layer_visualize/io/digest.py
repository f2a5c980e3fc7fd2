"""Computes the SHA-256 of a log, as `sha256sum` prints it.

A file is read for it only where somebody asks; a pipe, which can be read once, while it is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

_PIECE: Final = 1 << 20


class Digest:
    """The SHA-256 of a log as it lies on the disk, compressed or not. None: it is not known."""

    def __init__(self) -> None:
        self._hex: str | None = None
        self._running: Any = None
        self._file: tuple[Path, tuple[int, ...]] | None = None

    def __call__(self) -> str | None:
        """The hex digits of the log.

        None where a pipe was not read to its end, or where the file is another one by now.
        """
        if self._file is not None:
            path, read = self._file
            self._file = None
            self._hex = _of_file(path, read)
        return self._hex

    def later(self, path: Path, file: IO[bytes]) -> None:
        """The log is this file, which is open now."""
        self._file = path.absolute(), _state(file)

    def feed(self, data: bytes) -> None:
        """The next bytes of the log; none: these were all."""
        if self._file is not None:  # it will be read
            return
        if self._running is None:
            from hashlib import sha256  # slow to import

            self._running = sha256()
        self._running.update(data)
        if not data:
            self._hex, self._running = self._running.hexdigest(), None

    def passed(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Gives the chunks on, which are all of the log."""
        for chunk in filter(None, chunks):
            self.feed(chunk)
            yield chunk
        self.feed(b"")


def of_file(path: str | Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        return _hashed(file)


def _hashed(file: IO[bytes]) -> str:
    from hashlib import sha256  # slow to import

    digest = sha256()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _of_file(path: Path, read: tuple[int, ...]) -> str | None:
    try:
        with open(path, "rb", buffering=0) as file:
            digest = _hashed(file)
            return digest if _state(file) == read else None
    except OSError:
        return None


def _state(file: IO[bytes]) -> tuple[int, ...]:
    """What changes with the content."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
