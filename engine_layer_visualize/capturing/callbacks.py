"""Objects that TensorRT calls while it builds and runs: an ILogger, an IProfiler.

The user's module and a function go in; the object hands on to the function what it is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

_FORWARDED: Final = "FEW"  # letters of severities that the user's own logger is told, too
_LETTERS: Final = "FEWIV"  # of the severities, by their numbers


def logger(trt: Any, write: Callable[[str, str], None], own: Any = None) -> Any:
    """An ILogger that gives `write` the severity's letter and the text of every message, whatever
    its severity. `own`: a logger that gets warnings and errors, too."""

    class Logger(trt.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.ILogger.__init__(self)  # the bindings refuse `super()`

        def log(self, severity: Any, text: str) -> None:
            letter = letter_of(severity)
            write(letter, text)
            if own is not None and letter in _FORWARDED:
                own.log(severity, text)

    return Logger()


def profiler(trt: Any, report: Callable[[str, float], None]) -> Any:
    """An IProfiler that gives `report` each layer's name and milliseconds, run after run."""

    class Profiler(trt.IProfiler):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProfiler.__init__(self)

        def report_layer_time(self, name: str, ms: float) -> None:
            report(name, ms)

    return Profiler()


def letter_of(severity: Any) -> str:
    """Of an `ILogger.Severity`, its name or its number: `VERBOSE` -> V."""
    if isinstance(severity, int) and not hasattr(severity, "name"):
        return _LETTERS[min(severity, len(_LETTERS) - 1)]
    name = str(getattr(severity, "name", severity)).rpartition(".")[2]
    return "F" if name == "INTERNAL_ERROR" else name[:1]


class Lines:
    """Messages as TensorRT's own Python logger prints them, with the time."""

    def __init__(self) -> None:
        self._second, self._clock = -1, ""

    def of(self, letter: str, text: str) -> bytes:
        """`[07/07/2026-06:12:18] [TRT] [V] Original: 17 layers`. A text of several lines has its
        prefix once."""
        now = int(time.time())
        if now != self._second:
            self._second, self._clock = now, time.strftime("[%m/%d/%Y-%H:%M:%S]")
        return f"{self._clock} [TRT] [{letter}] {text}\n".encode("utf-8", "backslashreplace")
