"""Tells of a build that still runs what it does, for how long, and what took longest so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.core.text import shorten
from engine_layer_visualize.inputs.buildlog.build_context import INPUT, TIMING
from engine_layer_visualize.inputs.buildlog.build_end import LEFT_OUT, errors_in
from engine_layer_visualize.inputs.buildlog.build_steps import COSTS, PARSING, Steps, last
from engine_layer_visualize.inputs.buildlog.prefixes import MARKS
from engine_layer_visualize.inputs.buildlog.strategies import BUILDING
from engine_layer_visualize.inputs.buildlog.time_stamps import Clock
from engine_layer_visualize.io.source import decode, line_end, line_start
from engine_layer_visualize.trt.layer_names import OPTIMIZER_REFORMAT

_SECOND: Final = 1_000_000  # µs
# e.g. (all) [V] [TRT] Tactic: 0x1 Time: 0.25
_TACTIC: Final = lazy(rb"Tactic: \S{1,20} [Tt]ime:? [\d.]")
_FASTEST: Final = b"Fastest Tactic: "  # says once more what one of them took
_TRTEXEC: Final = b"&&&& RUNNING"
_FINISHED: Final = (b"&&&& PASSED", b"&&&& FAILED")
_OF_A_BUILD: Final = (INPUT, PARSING, COSTS, TIMING)
# `generated`: nothing says that more comes; `over`: trtexec says that it is done.
State = Literal["running", "generated", "over"]
Event = Literal["progress", "warning", "stall", "end"]
_SELECTED: Final = b"tactics selection completed in "
_WITHOUT_STAMP: Final = 8  # lines among which one has a stamp: trtexec's first and last have none
_STALLED: Final = 60.0  # seconds without a line
_NUMBER: Final = re.compile(rb"\w*\d\w*")
_MOST_KINDS: Final = 100  # of warnings that are told: a calibration has one for each tensor
_WORDS_OF_KIND: Final = 3  # its first words
_LONGEST_WARNING: Final = 400  # characters, as of an error


@dataclass(frozen=True, slots=True)
class Longest:
    """The layer that took longest to be timed so far.

    Attributes:
        layer: its name.
        seconds: what its timing took.
    """

    layer: str
    seconds: float


@dataclass(frozen=True, slots=True)
class BuilderPhase:
    """A phase of the build, by TensorRT's `IProgressMonitor`.

    Attributes:
        name: such as `Timing graph nodes`.
        done: steps that are done.
        steps: all of them.
    """

    name: str
    done: int
    steps: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a build is, at one moment: the values of a line of `watch --format jsonl`, and phases.

    Attributes:
        event: why it is told: progress; warning, which is in `message`; stall, where no line came
            for a minute; end, for the last time.
        phase: defining, parsing, calibrating, optimising, tuning, compiling, finishing, or
            generated; None where the log does not tell.
        layer: the layer that is timed, or the node that is parsed; None where none is named.
        k: layers that were timed before it; None where they do not fit.
        n: all, after the last pass of the optimiser; None as `k`.
        elapsed_s: seconds since the first line, by the log's own time stamps where it has them.
        left_s: always None: nothing that was tried foresees it (docs/watch.md).
        doing: such as `while timing conv_64, after 16 of 52 layers`; empty where unknown.
        attempt: the attempt to build the network, from 1; 0 before any.
        tactics: tactics that were timed.
        longest: the layer that took longest; None before one is done.
        errors: that the builder logged.
        warnings: the same.
        quiet_s: seconds since the last line came.
        state: running; generated, where an engine was made and nothing says that more comes; over,
            where trtexec says that it is done.
        message: a warning or an error of the builder: `error: 10: no implementation`; else None.
        phases: in which the builder is, the outermost first; empty where no `IProgressMonitor` of
            a `capture` tells them.
    """

    event: Event
    phase: str | None
    layer: str | None
    k: int | None
    n: int | None
    elapsed_s: float
    left_s: tuple[float, float] | None
    doing: str
    attempt: int
    tactics: int
    longest: Longest | None
    errors: int
    warnings: int
    quiet_s: float
    state: State
    message: str | None = None
    phases: tuple[BuilderPhase, ...] = ()


class Follower:
    """Reads a log as it grows.

    `read` takes whole lines and when they came; `at` tells where the build is.
    """

    def __init__(self) -> None:
        self._kinds: set[bytes] = set()  # of warnings that were told
        self._begin()

    def _begin(self) -> None:
        self._steps = Steps()
        self._clock = Clock()
        self._began: float | None = None
        self._came: float | None = None  # the last line; before one, when it was asked for first
        self._now = 0.0  # seconds since the first line
        self._tactics = self._attempt = self._warnings = self._errors = 0
        self._timing = b"", 0.0  # the layer that is timed, since when
        self._longest: tuple[str, float] | None = None
        self._is_trtexec = False
        self._state: State = "running"

    def read(self, data: bytes, seconds: float) -> list[str]:
        """Takes in the next lines. Returns their errors, and the first warning of each kind.

        Args:
            data: Whole lines.
            seconds: When they came, by any clock.
        """
        told: list[str] = []
        begin = 0
        while (place := data.find(_TRTEXEC, begin + 1)) > 0:
            told += self._read(data[begin:place], seconds)
            begin = place
        return told + self._read(data[begin:], seconds)

    def _read(self, data: bytes, seconds: float) -> list[str]:
        """Takes in lines of which the first alone may begin a run of trtexec."""
        if self._state == "over" and data.startswith(_TRTEXEC):
            self._begin()
        if self._began is None:
            self._began = seconds
        self._came = seconds
        if self._clock.begins is None:
            for line in data.split(b"\n", _WITHOUT_STAMP)[:_WITHOUT_STAMP]:
                self._clock.read(line)
        begin = 0
        for place, name in sorted(_layers(data)):
            if name == self._timing[0]:
                continue
            self._tick(data, begin, place, seconds)
            begin = place
            self._end_layer()
            self._timing = name, self._now
        self._tick(data, begin, len(data), seconds)
        self._steps.read(data)
        self._tactics += len(_TACTIC.findall(data)) - data.count(_FASTEST)
        self._attempt += data.count(BUILDING)
        self._warnings += sum(map(data.count, MARKS[b"W"]))
        self._is_trtexec = self._is_trtexec or _TRTEXEC in data
        finished = last(data, _FINISHED)
        if finished >= 0:
            self._state = "over"
        if self._state == "over" and last(data, _OF_A_BUILD) > finished:  # of one more
            self._state, self._is_trtexec = "running", False
        if self._state != "over" and not self._is_trtexec:
            self._state = "generated" if self._steps.doing.phase == "generated" else "running"
        errors = errors_in(data)
        self._errors += len(errors)
        return [*self._new_warnings(data), *(f"error: {error}" for error in errors)]

    def _new_warnings(self, data: bytes) -> Iterator[str]:
        for mark in (*MARKS[b"W"], *MARKS[b"E"]):
            place = data.find(mark)
            while place >= 0 and len(self._kinds) < _MOST_KINDS:
                end = line_end(data, place)
                words = data[place + len(mark) : end].strip().removeprefix(b"[TRT] ")
                kind = b" ".join(_NUMBER.sub(b"", words).split()[:_WORDS_OF_KIND])
                is_left_out = any(left_out in words for left_out in LEFT_OUT)
                if kind not in self._kinds and (is_left_out or mark in MARKS[b"W"]):
                    self._kinds.add(kind)
                    yield f"warning: {shorten(decode(words), _LONGEST_WARNING)}"
                place = data.find(mark, end)

    def _tick(self, data: bytes, begin: int, end: int, seconds: float) -> None:
        """Sets the time by the last stamp before `end`, else by when the lines came."""
        places = [end]
        while places[-1] > begin and len(places) <= _WITHOUT_STAMP:
            places.append(line_start(data, places[-1] - 1))
        for place in places[:0:-1]:
            self._clock.read(data[place : line_end(data, place)])
        stamped = self._clock.begins is not None
        assert self._began is not None
        self._now = self._clock.now / _SECOND if stamped else seconds - self._began

    def _end_layer(self) -> None:
        name, began = self._timing
        took = self._now - began
        if name and (self._longest is None or took > self._longest[1]):
            self._longest = decode(name.strip()), took

    def at(self, seconds: float) -> Progress:
        """Returns where the build is. `seconds`: now, by the clock of `read`."""
        if self._came is None:
            self._came = seconds
        doing, longest, quiet = self._steps.doing, self._longest, round(seconds - self._came, 3)
        return Progress(
            "stall" if quiet >= _STALLED else "progress",
            doing.phase,
            doing.name or None,
            doing.done,
            doing.layers,
            round(self._now + quiet * (self._state == "running"), 3),
            None,
            doing.words,
            self._attempt,
            self._tactics,
            None if longest is None else Longest(*longest),
            self._errors,
            self._warnings,
            quiet,
            self._state,
        )


def _layers(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields where the timing of a layer begins, with its name; where one ends, with none."""
    for mark in (COSTS, TIMING, _SELECTED):
        place = data.find(mark)
        while place >= 0:
            end = line_end(data, place)
            words = data[place + len(mark) : end].strip()
            name = words.rpartition(b" (")[0] if mark == TIMING else words
            is_layer = mark != _SELECTED and not name.startswith(OPTIMIZER_REFORMAT.encode())
            if name or mark != COSTS:
                yield place, name if is_layer else b""
            place = data.find(mark, end)
