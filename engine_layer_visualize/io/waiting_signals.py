"""Lets signals wait while something is done that must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ALL: Final = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def signals_wait(names: Sequence[str] = _ALL, *, twice_ends: bool = False) -> Iterator[list[int]]:
    """Calls Python's handlers of signals after the block, not within it.

    Args:
        names: the signals that wait.
        twice_ends: whether a second signal ends the process at once.

    Yields:
        The numbers of the signals that have come so far.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came  # handlers run in the main thread only
        return
    numbers = [getattr(signal, name, None) for name in names]
    handlers = {number: signal.getsignal(number) for number in numbers if number is not None}
    held = {number: handler for number, handler in handlers.items() if callable(handler)}

    def handle(number: int, _: FrameType | None) -> None:
        if came and twice_ends:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        came.append(number)

    for number in held:
        signal.signal(number, handle)
    try:
        yield came
    finally:
        for number, handler in held.items():
            if signal.getsignal(number) is handle:
                signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
