"""Keeps what loggers and profilers are told, also by other programs' own loggers."""

import logging
import math
import os
import re
import sys
import tempfile
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, Final
from weakref import WeakSet, finalize

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import profiles_of
from engine_layer_visualize.assembly import profiles as profile_matching
from engine_layer_visualize.core.model import Profile, ProfileRow, Timing
from engine_layer_visualize.core.problems import Place, Problem, reason_of

# Each thread has a temporary file. A process that is forked begins with no messages: its files
# would be those of the other.

_CHUNK: Final = 1 << 18  # bytes that are written or read at once


class _Thread:
    """The messages of a thread."""

    def __init__(self) -> None:
        self.file: IO[bytes] = tempfile.TemporaryFile(buffering=_CHUNK)  # noqa: SIM115
        self.was_read = False
        finalize(self, _close, self.file)


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # it writes what is left, and the disk may be full
        file.close()


class Messages:
    """Keeps all messages. Memory is bounded by the buffers of files."""

    def __init__(self) -> None:
        self._threads: dict[int, _Thread] = {}
        self.begin()
        _ALL.add(self)

    def begin(self) -> None:
        """Begins with no messages. What files have not written so far is dropped."""
        for thread in self._threads.values():
            thread.file.raw.close()  # type: ignore[attr-defined]
        self._threads.clear()
        self.size = 0  # bytes of all messages
        self._last: _Thread | None = None  # of the message before
        # Reentrant: a collection may end a builder while a message is kept, and that logs, too.
        self._lock = threading.RLock()
        self._error: OSError | None = None

    def add(self, letter: str, text: str) -> None:
        """Keeps a message of this thread as TensorRT's own Python logger prints it.

        A text of several lines has its prefix once: `[07/07/2026-06:12:18] [TRT] [V] Original: …`.
        """
        line = f"{time.strftime('[%m/%d/%Y-%H:%M:%S]')} [TRT] [{letter}] {text}\n"
        self.raw(line.encode("utf-8", "backslashreplace"))

    def raw(self, data: bytes) -> None:
        """Keeps bytes of a log. Nothing is raised: TensorRT could not catch it."""
        with self._lock:
            try:
                thread = self._last = self._of_this_thread()
                if self._error is None:
                    if thread.was_read:  # a seek flushes
                        thread.file.seek(0, 2)
                        thread.was_read = False
                    thread.file.write(data)
                    self.size += len(data)
            except OSError as error:
                self.failed(error)

    def failed(self, error: OSError) -> None:
        """Notes that a message could not be kept."""
        self._error = self._error or error

    def problems(self, file: str) -> tuple[Problem, ...]:
        """Returns ELV108, where a message could not be kept."""
        if self._error is None:
            return ()
        why = reason_of(self._error)
        message = f"not all messages could be kept in a temporary file: {why}"
        return (Problem(Place(file), "ELV108", message),)

    def chunks(self) -> Iterator[bytes]:
        """Gives the log: what each thread logged, one after another."""
        with self._lock:
            threads = list(self._threads.values())
        for thread in threads:
            start = 0
            while data := self._read(thread, start):
                start += len(data)
                yield data

    def _read(self, thread: _Thread, start: int) -> bytes:
        """Reads a file; nothing where it was not written so far, as its disk is full."""
        with self._lock:
            try:
                thread.file.flush()
            except OSError as error:
                self.failed(error)
            raw: Any = thread.file.raw  # type: ignore[attr-defined]
            thread.was_read = True
            raw.seek(start)
            return bytes(raw.read(_CHUNK))

    def _of_this_thread(self) -> _Thread:
        """Returns where messages of the running thread are kept.

        A builder's own threads, which Python has not started, log for the thread that did so last.
        """
        ident = threading.get_ident()
        thread = self._threads.get(ident)
        if thread is None:
            # Whoever asks for its name, such as `logging`, makes a dummy of it.
            dummy = threading._DummyThread
            ours = (one for one in threading.enumerate() if not isinstance(one, dummy))
            if self._last is not None and all(one.ident != ident for one in ours):
                return self._last
            thread = self._threads[ident] = _Thread()
        return thread


_ALL: Final[WeakSet[Messages]] = WeakSet()


def _forked() -> None:
    for messages in _ALL:
        messages.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


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
def onnxruntime(messages: Messages) -> Iterator[None]:
    """Keeps, at the end, what the process wrote to stderr; warnings are then shown there as well.

    Where the disk is full, that is noted: who wrote cannot say so.
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
                messages.raw(line)
                if match := _ONNX_RUNTIME.match(line):
                    hidden = match[1] in _HIDDEN
                if not hidden:
                    with suppress(OSError):
                        os.write(before, line)
            os.close(before)
            try:  # whether there was room
                os.write(file.fileno(), b"\n")
            except OSError as error:
                messages.failed(error)


def _flush() -> None:
    if sys.stderr is not None:  # as where there is no console
        with suppress(OSError, ValueError):  # the program may have closed it
            sys.stderr.flush()


@contextmanager
def polygraphy(logger: Callable[[Any, Any], Any]) -> Iterator[None]:
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


_HIGH: Final = 0.95
_PLACE: Final = Place("<profiler>")


class Times:
    """Keeps what one profiler is told: the times of each name, in order, in eight bytes each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[str, array[float]] = {}
        self.count = 0

    def report(self, name: str, ms: float) -> None:
        """Keeps the time of a layer in a run. Nothing is raised: TensorRT could not catch it."""
        with self._lock:
            if 0 <= ms < math.inf:
                self.count += 1
                self._times.setdefault(name, array("d")).append(ms)

    def profile(self, layers: Mapping[str, int]) -> Profile:
        """Makes the profile of an engine with so many layers of each name: they come in turn."""
        rows: list[ProfileRow] = []
        with self._lock:
            for name, times in self._times.items():
                copies = min(layers.get(name, 1), len(times))
                rows += (ProfileRow(name, _timing(times[at::copies])) for at in range(copies))
        return Profile(_PLACE, tuple(rows))

    def problems(self) -> list[Problem]:
        """Returns ELV201, where no layer's time came."""
        message = "no profile: the profiler was told no layer's time; is its context run?"
        return [] if self.count else [Problem(_PLACE, "ELV201", message)]


def _timing(times: Sequence[float]) -> Timing:
    """What the time of each run, in ms, says of a layer."""
    ordered, n, total = sorted(times), len(times), sum(times)
    return Timing(
        total / n,
        median_ms=(ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        total_ms=total,
        n=n,
        min_ms=ordered[0],
        max_ms=ordered[-1],
        p95_ms=ordered[math.ceil(_HIGH * n) - 1],
    )


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a process that it forks ends, too
        rmtree(folder, ignore_errors=True)


class Traces:
    """Finds the profiles that modules of Torch-TensorRT write into a folder."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def folder(self) -> str:
        """Returns the folder, which is there until the process ends."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp())
            finalize(self, _remove, self._folder, os.getpid())
        return str(self._folder)

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
            return [], [Problem(_PLACE, "ELV201", message)]
        profiles = [profile for of_file, _ in read for profile in of_file]
        return profiles, [problem for _, problems in read for problem in problems]


def timed(
    engines: Sequence[Engine], times: Sequence[Times], traces: Traces
) -> tuple[list[Engine], list[Problem]]:
    """Gives the times of each profiler, and of each trace, to the engine that they fit best.

    Returns the engines, and all problems; those of an engine's times are its own, too.
    """
    files, problems = traces.read()
    problems += [problem for told in times for problem in told.problems()]
    if not engines:
        return [], problems
    names = [Counter(layer.name for layer in engine.layers) for engine in engines]

    def fit(profiles: Sequence[Profile]) -> list[profile_matching.Score]:
        return [profile_matching.score(one.layers, file) for one, file in zip(engines, profiles)]

    each = [[told.profile(layers) for layers in names] for told in times if told.count]
    # Of several profilers those count that fit an engine.
    each = [profiles for profiles in each if any(fit(profiles))] or each
    each += [[file] * len(engines) for file in files if file.rows]
    scores = [fit(profiles) for profiles in each]
    best = [profiles[row.index(max(row))] for profiles, row in zip(each, scores)]
    paired, wrong = profile_matching.pair(scores, best, range(len(engines)))
    problems += wrong
    joined = []
    for number, engine in enumerate(engines):
        if number in paired:
            layers = list(engine.layers)
            layers, join, wrong = profile_matching.timed(layers, paired[number], None, force=True)
            problems += wrong
            both = (*engine.problems, *wrong)
            engine = engine._replace(layers=tuple(layers), profile=join, problems=both)
        elif any(row[number] for row in scores):
            message = (
                f"engine {number} has no times: another engine of the same names was given them; "
                "capture each build apart"
            )
            problems.append(Problem(_PLACE, "ELV205", message))
        joined.append(engine)
    return joined, problems
