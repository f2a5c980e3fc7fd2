"""Listens to TensorRT and to the programs that call it."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from shutil import rmtree
from typing import Any, Final
from weakref import finalize

from engine_layer_visualize.api.read import profiles_of
from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem

# Each passes what TensorRT tells it to a function.

_FORWARDED: Final = "FEW"  # letters of severities that the user's logger gets, too
_LETTERS: Final = "FEWIV"  # of the severities, by their numbers


def callbacks_logger(trt: Any, write: Callable[[str, str], None], user_logger: Any = None) -> Any:
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


def callbacks_profiler(trt: Any, report: Callable[[str, float], None]) -> Any:
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


# In `torch_tensorrt/logging.py`, as of 2.14.
_TORCH: Final = "torch_tensorrt [TensorRT Conversion Context]"
# A line of ONNX Runtime itself, or of TensorRT through it; the severity's letter. Warnings and
# errors are coloured, also in a file.
_ONNX_RUNTIME: Final = re.compile(rb"(?:\x1b\[[0-9;]*m)?[^\[\n]{0,64}\[([VIWEF]):onnxruntime:")
_HIDDEN: Final = (b"V", b"I")
_LINE: Final = 1 << 20  # bytes of a line that are read at once


@contextmanager
def torch_tensorrt(write: Callable[[str, str], None]) -> Iterator[None]:
    """Tells `write` what TensorRT tells Torch-TensorRT's logger: a severity's letter and a text.

    The program's own handlers get what they got before.
    """
    logger = logging.getLogger(_TORCH)
    level, effective = logger.level, logger.getEffectiveLevel()

    def passes(record: logging.LogRecord) -> bool:
        name = record.levelname
        letter = {"DEBUG": "V", "CRITICAL": "F"}.get(name, name[:1])
        write(letter, record.getMessage())
        return record.levelno >= effective

    logger.filters.insert(0, passes)  # before one that lets nothing pass: another capture's
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeFilter(passes)
        logger.setLevel(level)


@contextmanager
def hosts_onnxruntime(
    raw: Callable[[bytes], None], failed: Callable[[OSError], None]
) -> Iterator[None]:
    """Tells `raw`, at the end, what the process wrote to stderr.

    Warnings are then shown there as well. `failed` is told where the disk is full: who wrote
    cannot say so.
    """
    with tempfile.TemporaryFile() as file:
        _flush()
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            _flush()
            os.dup2(before, 2)
            file.seek(0)
            hidden = False
            while line := file.readline(_LINE):
                raw(line)
                if match := _ONNX_RUNTIME.match(line):
                    hidden = match[1] in _HIDDEN
                if not hidden:
                    with suppress(OSError):
                        os.write(before, line)
            os.close(before)
            try:
                os.write(file.fileno(), b"\n")
            except OSError as error:
                failed(error)


def _flush() -> None:
    if sys.stderr is not None:  # as where there is no console
        with suppress(OSError, ValueError):  # the program may have closed it
            sys.stderr.flush()


@contextmanager
def hosts_polygraphy(logger: Callable[[Any, Any], Any]) -> Iterator[None]:
    """Replaces Polygraphy's logger of TensorRT while the context is open.

    `logger` takes the module and Polygraphy's own logger, and gives the one that takes its place.
    """
    module: Any = import_module("polygraphy.backend.trt.util")
    before = module.TRT_LOGGER
    module.TRT_LOGGER = logger(module.trt, module.get_trt_logger())
    try:
        yield
    finally:
        module.TRT_LOGGER = before


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a process that it forks ends, too
        rmtree(folder, ignore_errors=True)


class Traces:
    """Finds the profiles that modules of Torch-TensorRT write into a folder."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def enable(self, model: Any, profiler: Callable[[Any], Any]) -> None:
        """Makes each TensorRT module of a model profile its layers.

        That is through a profiler, where it or its engine in Python takes one, else through files.

        Raises:
            TypeError: Where there is no such module.
        """
        modules = [part for part in model.modules() if hasattr(part, "enable_profiling")]
        if not modules:
            raise TypeError("no module of this model has `enable_profiling`: was it compiled?")
        for module in modules:
            if "profiler" in signature(module.enable_profiling).parameters:
                module.enable_profiling(profiler=profiler(sys.modules["tensorrt"]))
            elif hasattr(getattr(module, "engine", None), "context"):  # not that of C++
                module.engine.context.profiler = profiler(sys.modules["tensorrt"])
                module.enable_profiling()
            else:
                if self._folder is None:
                    self._folder = Path(tempfile.mkdtemp())
                    finalize(self, _remove, self._folder, os.getpid())
                module.enable_profiling(profiling_results_dir=str(self._folder))

    def files(self) -> list[tuple[Path, int]]:
        """Returns the profiles that are there by now, each with the time of its last change.

        Beside them lie traces of what Torch-TensorRT itself does.
        """
        if self._folder is None:
            return []
        paths = sorted(self._folder.glob("*_engine_exec*_profile.trace"))
        return [(path, path.stat().st_mtime_ns) for path in paths]

    def read(self) -> tuple[list[Profile], list[Problem]]:
        """Reads the profiles."""
        read = [profiles_of(path) for path, _ in self.files()]
        if self._folder is not None and not read:
            message = "no profile: no module of the model has written one; was it run?"
            return [], [Problem(Place("<profiler>"), "ELV201", message)]
        profiles = [profile for of_file, _ in read for profile in of_file]
        return profiles, [problem for _, problems in read for problem in problems]
