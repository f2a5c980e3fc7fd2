"""Keeps what loggers are told: one temporary file for each thread, in pieces of one build each.

Messages go in, from any thread; the bytes of a log come out, in which each build stands whole.
A process that is forked begins with no messages: its files would be those of the other.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any, Final
from weakref import WeakSet, finalize

from engine_layer_visualize.capturing.callbacks import Lines
from engine_layer_visualize.core.problems import Place, Problem

_CHUNK: Final = 1 << 18
_LISTING: Final = ("Engine Layer Information:", "Layers:")
# How the first messages of a build begin that tell it from the one before.
_BEGINS: Final = ("Original: ", "Adding network input: ", "Parsing node: ")


class _Piece:
    """A build's messages, from `start` in its thread's file. `order`: of its listing among the
    messages of all threads; without a listing, of its last message."""

    def __init__(self, start: int) -> None:
        self.start, self.order, self.listed = start, 0, False


class _Thread:
    def __init__(self) -> None:
        self.file: IO[bytes] = tempfile.TemporaryFile(buffering=_CHUNK)  # noqa: SIM115
        self.size = 0
        self.was_read = False
        self.pieces = [_Piece(0)]
        finalize(self, _close, self.file)


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # it writes what is left, and the disk may be full
        file.close()


class Messages:
    """All messages; `size` is their number of bytes. Memory is bounded by the buffers of files."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._threads: dict[int, _Thread] = {}
        self.begin()
        _ALL.add(self)

    def begin(self) -> None:
        """With no messages. What files have not written so far is dropped."""
        for thread in self._threads.values():
            thread.file.raw.close()  # type: ignore[attr-defined]
        self._threads.clear()
        self.size = 0
        self._count = 0
        # A collection may end a builder of this thread, which logs that.
        self._lock = threading.RLock()
        self._error: OSError | None = None

    def add(self, letter: str, text: str) -> None:
        """A message of this thread. Nothing is raised: TensorRT's callers could not catch it."""
        with self._lock:
            try:
                thread = self._of_this_thread()
                self._cut(thread, text)
                self._write(thread, self._lines.of(letter, text))
            except OSError as error:
                self.failed(error)

    def raw(self, data: bytes) -> None:
        """Bytes of a log that is written by others."""
        with self._lock:
            try:
                self._write(self._of_this_thread(), data)
            except OSError as error:
                self.failed(error)

    def failed(self, error: OSError) -> None:
        """A message could not be kept."""
        self._error = self._error or error

    def problems(self, file: str) -> tuple[Problem, ...]:
        """ELV108, where a message could not be kept."""
        if self._error is None:
            return ()
        reason = (self._error.strerror or str(self._error)).lower()
        message = f"not all messages could be kept in a temporary file: {reason}"
        return (Problem(Place(file), "ELV108", message),)

    def chunks(self) -> Iterator[bytes]:
        """The log: builds in the order of their listings."""
        with self._lock:
            found = []
            for thread in self._threads.values():
                ends = [*(piece.start for piece in thread.pieces[1:]), thread.size]
                found += [
                    (one.order, thread, one.start, end) for one, end in zip(thread.pieces, ends)
                ]
        for _, thread, start, end in sorted(found, key=lambda one: one[0]):
            while start < end and (data := self._read(thread, start, min(_CHUNK, end - start))):
                start += len(data)
                yield data

    def _read(self, thread: _Thread, start: int, size: int) -> bytes:
        """Nothing where the file was not written so far: its disk is full."""
        with self._lock:
            try:
                thread.file.flush()
            except OSError as error:
                self.failed(error)
            raw: Any = thread.file.raw  # type: ignore[attr-defined]
            thread.was_read = True
            raw.seek(start)
            return bytes(raw.read(size))

    def _of_this_thread(self) -> _Thread:
        """A builder's own threads, which Python has not started, log for the only one that it has;
        where there are several, each is a thread for itself."""
        ident = threading.get_ident()
        thread = self._threads.get(ident)
        if thread is None:
            # Whoever asks for its name, such as `logging`, makes a dummy of it.
            dummy = threading._DummyThread
            known = [one for one in threading.enumerate() if not isinstance(one, dummy)]
            ours = any(one.ident == ident for one in known)
            if not ours and len(self._threads) == 1:
                return next(iter(self._threads.values()))
            thread = self._threads[ident] = _Thread()
        return thread

    def _cut(self, thread: _Thread, text: str) -> None:
        """Begins a new piece where a new build begins; counts the message."""
        piece = thread.pieces[-1]
        if piece.listed and text.startswith(_BEGINS):
            piece = _Piece(thread.size)
            thread.pieces.append(piece)
        self._count += 1
        if not piece.listed:
            piece.order, piece.listed = self._count, text.startswith(_LISTING)

    def _write(self, thread: _Thread, data: bytes) -> None:
        if self._error is None:
            if thread.was_read:  # a seek flushes
                thread.file.seek(0, 2)
                thread.was_read = False
            thread.file.write(data)
            thread.size += len(data)
            self.size += len(data)


_ALL: Final[WeakSet[Messages]] = WeakSet()


def _forked() -> None:
    for one in _ALL:
        one.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
