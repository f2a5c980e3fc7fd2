"""Ctrl-C while TensorRT calls back into Python.

The bindings swallow what is raised in a logger or a profiler, or just before they call it, and then
do not call it; so it is raised when they have returned.
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

from engine_layer_visualize.capturing import callbacks

_LATER: Final = 0.01  # seconds
# Modules whose loggers are called; and this one, which may still be at work when it looks again.
_CALLED: Final = (callbacks.__name__, "torch_tensorrt.logging", __name__)
_METHODS: Final = ("log", "report_layer_time")  # of a program's own, which hand on to ours

_calls = 0  # so often TensorRT has called back in the main thread


def called() -> None:
    """TensorRT has called back."""
    global _calls
    if threading.get_ident() == threading.main_thread().ident:
        _calls += 1


@contextmanager
def postponed() -> Iterator[None]:
    """While it is open, what the program's handler of SIGINT raises is raised when TensorRT has not
    called back for a moment, at the latest at the end. In the main thread alone: no other has
    handlers."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    handler = before
    raised: BaseException | None = None
    seen: int | None = None
    again = False
    timer: threading.Timer | None = None

    def look_again() -> None:
        nonlocal again
        again = True
        _interrupt()

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal raised, seen, again, timer
        if not again:
            try:
                handler(number, frame)
            except BaseException as error:
                raised = error
        again = False
        if raised is None:
            return
        if seen == _calls and not _calls_back(frame):
            now, raised, seen = raised, None, None
            raise now
        seen = _calls
        timer = threading.Timer(_LATER, look_again)
        timer.daemon = True
        timer.start()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, handler)
        if timer is not None:
            timer.cancel()
        if raised is not None:
            raise raised


def _interrupt() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        interrupt_main()
    else:  # which also ends a system call
        signal.pthread_kill(main, signal.SIGINT)


def _calls_back(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name in _METHODS or frame.f_globals.get("__name__") in _CALLED:
            return True
        frame = frame.f_back
    return False
