"""Reads what is written into a pipe or a file, while it is written."""

from __future__ import annotations

import codecs
import errno
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple

from engine_layer_visualize.io.source import mark_of

_CHUNK: Final = 1 << 18  # bytes that are read at once
_PIECES: Final = 64  # of them that wait for who reads
_PAUSE: Final = 0.25  # seconds between two looks
_COMPARED: Final = 256  # bytes that stood before, by which a file that is written anew is known
# A builder may write each line by itself, thousands a second: they are gathered.
_SHORT: Final = 4096  # bytes; where fewer came, the pipe is nearly empty
_REST: Final = 0.01  # seconds until it is read again, which do not fill it
_LONGEST_LINE: Final = 16 << 20  # bytes; of a longer one what came is passed on

What = Literal["lines", "nothing", "began again"]


class News(NamedTuple):
    """What came in a moment: whole lines; nothing; or the file begins anew."""

    what: What
    data: bytes = b""


@contextmanager
def kept(path: str) -> Iterator[IO[bytes] | None]:
    """Yields a file for what comes of a pipe, which cannot be read again in the end."""
    if not _is_pipe(path):
        yield None
        return
    with (
        tempfile.TemporaryDirectory(prefix="elv-") as folder,
        Path(folder, "pipe.log").open("wb") as file,
    ):
        yield file


def lines(path: str) -> Iterator[News]:
    """Yields what is written, as it comes, in UTF-8; `nothing` a few times a second where none is.

    Args:
        path: A pipe, or `-` for stdin, at whose end it ends. A file is followed for ever: one that
            is not there yet is waited for; one that is replaced or cut is read from its start.

    Raises:
        OSError: The file cannot be read.
    """
    rest, decoder, begins = b"", None, True
    for news in _of_pipe(path) if _is_pipe(path) else _of_file(Path(path)):
        if news.what == "began again":
            rest, begins = b"", True
        if news.what != "lines":
            yield news
            continue
        data = news.data
        if begins:
            mark, encoding = mark_of(data)
            decoder = codecs.getincrementaldecoder(encoding)("replace") if mark else None
            data, begins = data[len(mark) :], False
        data = rest + (data if decoder is None else decoder.decode(data).encode("utf-8", "replace"))
        end = len(data) if len(data) > _LONGEST_LINE else data.rfind(b"\n") + 1
        rest = data[end:]
        if end:
            yield News("lines", data[:end])
    if rest:
        yield News("lines", rest)


def _is_pipe(path: str) -> bool:
    there = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    return path == "-" or there


def _of_pipe(path: str) -> Iterator[News]:
    """Reads it in a thread, as a pipe cannot be asked everywhere whether it has more."""
    if path == "-" and sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    pieces: queue.Queue[bytes | OSError] = queue.Queue(_PIECES)

    def read() -> None:
        try:
            number = sys.stdin.fileno() if path == "-" else os.open(path, os.O_RDONLY)
            while piece := os.read(number, _CHUNK):
                pieces.put(piece)
                if len(piece) < _SHORT:
                    time.sleep(_REST)
            pieces.put(b"")
        except OSError as error:
            pieces.put(error)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            piece = pieces.get(timeout=_PAUSE)
        except queue.Empty:
            yield News("nothing")
            continue
        if piece and pieces.empty():
            time.sleep(_PAUSE)
        came = [piece]
        while came[-1] and not isinstance(came[-1], OSError) and not pieces.empty():
            came.append(pieces.get())
        if data := b"".join(piece for piece in came if isinstance(piece, bytes)):
            yield News("lines", data)
        if isinstance(came[-1], OSError):
            raise came[-1]
        if not came[-1]:
            return


def _of_file(path: Path) -> Iterator[News]:
    while True:
        try:
            file = path.open("rb", buffering=0)
        except FileNotFoundError:
            yield News("nothing")
            time.sleep(_PAUSE)
            continue
        with file:
            opened, read, last = os.fstat(file.fileno()), 0, b""
            while not _is_other(path, opened):
                file.seek(read - len(last))
                came = file.read(_CHUNK)
                if not came.startswith(last):
                    break  # it was made shorter, and is perhaps longer again
                piece, last = came[len(last) :], came[-_COMPARED:]
                read += len(piece)
                if piece:
                    yield News("lines", piece)
                else:
                    yield News("nothing")
                    time.sleep(_PAUSE)
        yield News("began again")


def _is_other(path: Path, opened: os.stat_result) -> bool:
    """Whether another file has the name now."""
    try:
        now = path.stat()
    except FileNotFoundError:
        return False  # it may come back under its name
    return (now.st_ino, now.st_dev) != (opened.st_ino, opened.st_dev)
