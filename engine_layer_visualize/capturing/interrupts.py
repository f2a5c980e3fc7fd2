"""Ctrl-C while TensorRT calls back into Python.

The bindings swallow what a logger or a profiler raises; here it comes again, until they have
returned.
"""

from __future__ import annotations

import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from engine_layer_visualize.builders import callbacks

_LATER: Final = 0.05  # seconds


@contextmanager
def postponed() -> Iterator[None]:
    """While it is open, what the program's handler of SIGINT raises is raised outside of callbacks.
    In the main thread alone: no other has handlers."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    handler = before

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException:
            if not _calls_back(frame):
                raise
            again = threading.Timer(_LATER, _interrupt)
            again.daemon = True
            again.start()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, handler)


def _interrupt() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        interrupt_main()
    else:  # which also ends a system call
        signal.pthread_kill(main, signal.SIGINT)


def _calls_back(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") == callbacks.__name__:
            return True
        frame = frame.f_back
    return False
