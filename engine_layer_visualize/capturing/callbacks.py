"""Makes objects that TensorRT calls: an ILogger, an IProfiler, an IProgressMonitor.

Each passes what TensorRT tells it to a function.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

_FORWARDED: Final = "FEW"  # letters of severities that the user's logger gets, too
_LETTERS: Final = "FEWIV"  # of the severities, by their numbers


def logger(trt: Any, write: Callable[[str, str], None], user_logger: Any = None) -> Any:
    """Makes an ILogger that takes messages of every severity.

    Args:
        trt: The user's module of TensorRT.
        write: Takes the severity's letter and the text of each message.
        user_logger: A logger that gets warnings and errors, too.
    """

    class Logger(trt.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.ILogger.__init__(self)  # the bindings refuse `super()`

        def log(self, severity: Any, text: str) -> None:
            letter = letter_of(severity)
            write(letter, text)
            if user_logger is not None and letter in _FORWARDED:
                user_logger.log(severity, text)

    return Logger()


def profiler(trt: Any, report: Callable[[str, float], None]) -> Any:
    """Makes an IProfiler that tells `report` each layer's name and milliseconds, run by run."""

    class Profiler(trt.IProfiler):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProfiler.__init__(self)

        def report_layer_time(self, name: str, ms: float) -> None:
            report(name, ms)

    return Profiler()


def progress_monitor(trt: Any, should_continue: Callable[[], bool]) -> Any:
    """Makes an IProgressMonitor that asks after each step whether the build goes on."""

    class ProgressMonitor(trt.IProgressMonitor):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProgressMonitor.__init__(self)

        def phase_start(self, name: str, parent: str | None, steps: int) -> None:
            pass

        def step_complete(self, name: str, step: int) -> bool:
            return should_continue()

        def phase_finish(self, name: str) -> None:
            pass

    return ProgressMonitor()


def letter_of(severity: Any) -> str:
    """Returns the letter of a severity that is given as enum, name or number.

    It is the first letter of the name, but F for `INTERNAL_ERROR`.
    """
    if isinstance(severity, int) and not hasattr(severity, "name"):
        return _LETTERS[min(severity, len(_LETTERS) - 1)]
    name = str(getattr(severity, "name", severity)).rpartition(".")[2]
    return "F" if name == "INTERNAL_ERROR" else name[:1]


class Lines:
    """Writes messages as TensorRT's own Python logger prints them, with the time."""

    def __init__(self) -> None:
        self._second, self._clock = -1, ""

    def of(self, letter: str, text: str) -> bytes:
        """Writes `[07/07/2026-06:12:18] [TRT] [V] Original: 17 layers`.

        A text of several lines has its prefix once.
        """
        now = int(time.time())
        if now != self._second:
            self._second, self._clock = now, time.strftime("[%m/%d/%Y-%H:%M:%S]")
        return f"{self._clock} [TRT] [{letter}] {text}\n".encode("utf-8", "backslashreplace")
