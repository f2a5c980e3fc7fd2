"""Reads when what happened while engines were built: stages, passes, the tuning of each layer.

Spans of a log pass through the reader unchanged; `timeline` is what their time stamps tell. Stamps
are mostly of whole seconds: a time is never later than the truth, and earlier by less than a
stamp's resolution. Moments with the same stamp follow each other by a microsecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from engine_layer_visualize.core.build_timeline import BuildTimeline, Moment, MomentKind
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.around_listing import GENERATED
from engine_layer_visualize.inputs.buildlog.build_context import INPUT
from engine_layer_visualize.inputs.buildlog.messages.trtexec_sections import (
    DURATIONS,
    LONGEST_PHASE,
    phase,
)
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.inputs.buildlog.time_stamps import LONGEST, STAMP, Clock
from engine_layer_visualize.inputs.buildlog.wrapping import unwrapped
from engine_layer_visualize.io.source import Span, decode, line_end, line_start

_MOST_MOMENTS: Final = 500_000  # moments
_LONGEST_NAME: Final = 500  # bytes of a name
_NEAR_END: Final = 1 << 16  # bytes in which the last stamp is looked for
_SECOND: Final = 1_000_000  # µs
_TUNING: Final = "autotuning"
_COSTS: Final = b"=== Computing "
_FORMATS: Final = b"*** Autotuning "
_RUNNER: Final = b"--- Timing "
_TIMED: Final = b"profiling completed in "
_PASSES: Final = (b"After ", b"Original: ")
# The stage that a line begins, or goes on with. Of two marks of a line the later one counts.
_STAGES: Final = {
    b"&&&& RUNNING ": "start",
    b"Start parsing network model": "network definition",
    b"Input filename: ": "network definition",
    b"Parsing node: ": "network definition",
    INPUT: "network definition",
    _COSTS: _TUNING,
    _FORMATS: _TUNING,
    _RUNNER: _TUNING,
    _TIMED: _TUNING,
    b"] got cached result: ": _TUNING,
    b"Total Activation Memory: ": "engine generation",
    b"Total Host Persistent Memory: ": "engine generation",
    b"selection completed in ": "engine generation",
    GENERATED: "engine generation",
    b"Engine Layer Information:": "layer listing",
    b"Engine built in ": "after the build",
    b"Loaded engine size: ": "after the build",
    b"Starting inference": "inference",
    b"=== Performance summary": "after the inference",
}
_NO_BUILD: Final = frozenset(
    ("start", "layer listing", "after the build", "inference", "after the inference")
)
# e.g. (all) After vertical fusions: 12 layers
# e.g. (all) Original: 25 layers
_PASS: Final = lazy(rb"(?:After ([\w -]{1,80})|(Original)): (\d{1,9}) layers\s*\Z")
# e.g. (8.6-) a + b (CaskConvolution) profiling completed in 0.1 seconds. Fastest Tactic: 0x0f
_SECONDS: Final = lazy(rb"profiling completed in (\d{1,9}(?:\.\d{1,12})?) s")


_ALL_MARKS: Final = tuple(dict.fromkeys((*_STAGES, *_PASSES, *(mark for mark, _ in DURATIONS))))


class _Line(NamedTuple):
    """A line with a mark, and what stands before and behind it."""

    line: int
    mark: bytes
    before: bytes
    words: bytes


class BuildClock:
    """Reads the spans of one log."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._moments: list[Moment] = []
        self._lost = 0
        self._next_line = 1  # spans that are read again do not count
        self._last = b""  # lines, the last ones that have a stamp among them
        self._stage = ""
        self._layer, self._is_named = "", False  # by `Computing costs for NAME`
        self._formats = ""
        self._began = 0  # the implementation that is timed

    def unwrapped(self, spans: Iterator[Span]) -> Iterator[Span]:
        """The lines without what was put around them, such as the stamps of docker."""
        return unwrapped(self._passing(spans))

    def _passing(self, spans: Iterator[Span]) -> Iterator[Span]:
        for span in spans:
            if span.line >= self._next_line:
                self._next_line = span.line + 1
                self._read(Stretch(span.buffer, span.start, span.stop, span.line))
            yield span

    @property
    def timeline(self) -> BuildTimeline | None:
        """After the last span. None where no line has a stamp."""
        clock, moments = self._clock, tuple(self._moments)
        backwards = clock.backwards
        for line in self._last.split(b"\n"):
            clock.read(line)
        clock.backwards = backwards  # lines that were read before are among these
        self._last = b""
        if clock.begins is None:
            return None
        clock.now = max([clock.now, *(moment.us + 1 for moment in moments[-1:])])
        tells = int(10 ** (6 - clock.digits))
        return BuildTimeline(clock.begins, clock.now, moments, tells, clock.backwards, self._lost)

    @property
    def of_a_build(self) -> BuildTimeline | None:
        """The timeline; None where all of it may be of a run that loaded an engine."""
        begun = any(
            moment.kind != "stage" or moment.name not in _NO_BUILD for moment in self._moments
        )
        return self.timeline if begun else None

    def _read(self, stretch: Stretch) -> None:
        data, start = stretch.data, stretch.begin
        if self._clock.begins is None:
            while stamp := STAMP.search(data, start, stretch.end):
                start = max(line_start(data, stamp.start()), stretch.begin)
                self._clock.read(data[start : min(stamp.end(), start + LONGEST)])
                if self._clock.begins is not None:
                    break
                start = line_end(data, stamp.end())
            else:
                return
            self._add("stage", "start", stretch.number(start))
            self._stage = "start"
        self._last = _last_stamped(data, stretch.begin, stretch.end) or self._last
        lines = [
            _Line(number, mark, before, words)
            for mark in _ALL_MARKS
            for words, before, number in stretch.marked(mark)
        ]
        for line in sorted(lines, key=attrgetter("line")):  # marks of a line stay in their order
            self._take(line)

    def _take(self, line: _Line) -> None:
        self._clock.read(line.before)
        if line.mark in _PASSES:
            if match := _PASS.match(line.mark + line.words):
                self._enter("graph optimisation", line.line)
                name = (match[1] or match[2]).decode()
                self._add("pass", name, line.line, f"{int(match[3]):,} layers")
            return
        if line.mark in _STAGES:
            self._enter(_STAGES[line.mark], line.line)
        if line.mark == _COSTS:
            self._costs(line)
        elif line.mark == _FORMATS:
            self._formats = _name(line.words.rstrip(b" *").partition(b": ")[2])
        elif line.mark == _RUNNER:
            self._runner(line)
        elif line.mark == _TIMED and (match := _SECONDS.match(_TIMED + line.words)):
            self._clock.passed(self._began, int(float(match[1]) * _SECOND))
            self._add("timed", "", line.line)
        for mark, pattern in DURATIONS:
            if line.mark == mark:
                words = line.before[-LONGEST_PHASE:] + mark + line.words
                if known := phase(words, pattern, line.line):
                    took = int(known.seconds * _SECOND)
                    self._add("phase", known.name, line.line, took=took)

    def _enter(self, stage: str, line: int) -> None:
        if stage != self._stage:
            self._stage, self._layer, self._is_named = stage, "", False
            self._add("stage", stage, line)

    def _costs(self, line: _Line) -> None:
        """`Computing costs for NAME` (older versions: no name), `Computing reformatting costs`."""
        what, _, name = line.words.partition(b"costs for ")
        reformats = b"reformatting" in what
        self._layer = "reformatting costs" if reformats else _name(name)
        self._is_named = bool(self._layer)
        if self._is_named:
            self._add("layer", self._layer, line.line)

    def _runner(self, line: _Line) -> None:
        """`Runner: NAME (CaskConvolution[0x80000009])`; up to TensorRT 7 `NAME(15)`."""
        head = line.words.removeprefix(b"Runner: ").removesuffix(b")")
        name, _, runner = (_name(part) for part in head.rpartition(b"("))
        name, runner = (name.rstrip(), runner.partition("[")[0]) if name else (runner, "")
        if not self._is_named and name != self._layer:
            self._layer = name
            self._add("layer", name, line.line)
        self._add("runner", runner if name == self._layer else name, line.line, self._formats)
        self._began = self._clock.now

    def _add(
        self, kind: MomentKind, name: str, line: int, detail: str = "", took: int | None = None
    ) -> None:
        if self._moments and kind != "phase":  # viewers need an order of what begins and ends
            self._clock.now = max(self._clock.now, self._moments[-1].us + 1)
        if len(self._moments) < _MOST_MOMENTS:
            self._moments.append(Moment(self._clock.now, kind, name, line, detail, took))
        else:
            self._lost += 1


def _last_stamped(data: bytes, begin: int, end: int) -> bytes:
    """The last lines of which one has a stamp; empty where none has."""
    while begin < end:
        start = max(begin, line_start(data, max(begin, end - _NEAR_END)))
        if STAMP.search(data, start, end):
            return data[start:end]
        end = start
    return b""


def _name(words: bytes) -> str:
    return decode(words[:_LONGEST_NAME]).strip()
