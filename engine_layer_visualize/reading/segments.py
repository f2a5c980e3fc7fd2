"""Splits a log into builds and runs of trtexec, and a build into its attempts.

Each build or run is a `Segment`: its lines count for no other. Lines of an attempt count for it
alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

from engine_layer_visualize.core.limits import ATTEMPTS, SEGMENTS, lazy
from engine_layer_visualize.core.problems import Severity
from engine_layer_visualize.io.source import decode, line_end, line_start
from engine_layer_visualize.reading.build_context import STRATEGY, Strategy, strategy_of
from engine_layer_visualize.reading.builder import Attempt, messages
from engine_layer_visualize.reading.markers import GENERATED, INPUT, Line, Stretch
from engine_layer_visualize.reading.onnx_parser import Definition
from engine_layer_visualize.reading.trtexec import TrtexecSections, quantity

# Where kernels begin to be timed.
_TIMING: Final = (b"--- Timing Runner: ", b"=== Computing ", b"*** Autotuning ")
# Where something begins: a run of trtexec, a network's definition, a build.
_RUN: Final = b"&&&& "
_OPTIONS: Final = b" Options ==="
_FIRST: Final = frozenset(("Model", "Build"))
_LOADED: Final = b" timing cache entries"
_BUILD: Final = b"Original: "
_BUILDER: Final = b"Init builder kernel library: "
# The last are the parser's files, which its warnings and errors name.
_PARSING: Final = (
    *(b"Parsing node: ", b"Input filename: "),
    *(b"ModelImporter.cpp:", b"OpImporters.cpp:", b"onnx2trt_utils.cpp:", b"importerUtils.cpp:"),
)
# What a build says before it lists layers: behind a listing it is of another one, which a logger
# of fewer messages saw.
_BUILDING: Final = (
    b" Q/DQ layers but the hardware does not accelerate ",
    b": Skipping tactic 0x",
    b"Could not find any implementation for node ",
)
_OTHERS: Final = (*_BUILDING, _RUN, _OPTIONS, _LOADED, _BUILDER, _BUILD, GENERATED, STRATEGY)
# e.g. (all) Original: 25 layers
_ORIGINAL: Final = lazy(rb"Original: \d{1,9} layers")


class Segment:
    """All that was read of one build, or of one run of trtexec."""

    def __init__(self, first_line: int = 0) -> None:
        self.trtexec = TrtexecSections()
        self.definition = Definition()
        self.first_line = first_line
        self.last_line = 0
        self.common = Attempt()  # what counts for all attempts: before the first, after the listing
        self.attempts: list[Attempt] = []  # what counts for one attempt to build
        self.runs: list[Segment] = []  # those that loaded this build's engine
        self.layers: Collection[bytes] = ()  # names that its listing has
        self.behind: Segment | None = None  # of the listing behind which timings began it

    def holds(self, line: int) -> bool:
        """Whether a line of the log is in it."""
        return self.first_line <= line <= self.last_line

    @property
    def current(self) -> Attempt:
        """The attempt that is going on; before the first, what counts for all."""
        return self.attempts[-1] if self.attempts else self.common

    @property
    def begun(self) -> bool:
        """Whether anything of a build was read."""
        return bool(self.common) or any(self.attempts)

    @property
    def completed(self) -> bool:
        """Whether the attempt that is going on gave an engine."""
        return self.current.seconds is not None

    @property
    def loads(self) -> str | None:
        """The file of the engine that a run loaded; None of a build."""
        return self.trtexec.option("Load engine", "Build") or None

    def count(self, severity: Severity) -> int:
        """How many warnings, or errors, stand in all of it."""
        return sum(attempt.severe.counts[severity] for attempt in (self.common, *self.attempts))

    def attempt(self, strategy: int | None = None) -> None:
        """Begins another attempt.

        What was built before the first attempt with a strategy was an attempt, too.
        """
        if not self.attempts and self.completed:
            self.attempts.append(self.common)
            self.common = Attempt(before=self.common)
        if len(self.attempts) < ATTEMPTS:
            self.attempts.append(Attempt(strategy, before=self.current))

    def judge(self, verdict: Strategy) -> None:
        """Takes in whether the engine of a strategy was kept; of those before it none is, then."""
        for attempt in reversed(self.attempts):
            if attempt.strategy == verdict.number:
                for other in self.attempts if verdict.kept else ():
                    other.kept = False
                attempt.kept, attempt.inference_ms = verdict.kept, verdict.inference_ms
                return


class Splitter:
    """Reads a log into `segments`, in the log's order."""

    def __init__(self) -> None:
        self._segment = Segment()
        self.segments = [self._segment]
        self._last: Segment | None = None  # of the last listing, as long as nothing new began
        self._timing = False
        self._since = 0  # the line where the timings began
        self._stretch = Stretch(b"", 0, 0, 0)  # the last one

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines outside of listings."""
        if not stretch:
            return
        self._stretch = stretch
        self._segment.first_line = self._segment.first_line or stretch.line
        begin, end = stretch.begin, stretch.end
        while begin < end:  # timings and what stands between them, in turn
            start = begin
            if self._timing:
                begin = self._segment.current.tuning.read(stretch.part(begin, end))
                self._warned(stretch.part(start, begin))
                if begin == end:
                    return
                self._end_timings(stretch.number(begin))
                # What ended the timings is no beginning of them.
                start = line_end(stretch.data, begin)
            places = [stretch.data.find(mark, start, end) for mark in _TIMING]
            first = min((place for place in places if place >= 0), default=end)
            stop = max(line_start(stretch.data, first), start) if first < end else end
            self._rest(stretch.part(begin, stop))
            if stop == end:
                return
            line, begin = stretch.number(stop), stop
            self._timing, self._since = True, line
            if self._last is not None or self._segment.loads:
                listed = self._last
                self._renew(line, same="network")
                self._segment.behind = listed
            elif self._segment.completed:  # an attempt of which no strategy is named
                self._segment.attempt()

    def listed(self, line: int, names: Collection[bytes] = (), dump: bool = False) -> Segment:
        """The segment of the listing at `line`, whose layers have these names.

        A dump shows the engine of the listing before it.
        """
        self._end_timings(line)
        self._segment.current.tuning.pause()
        self._segment.first_line = self._segment.first_line or line
        if dump and self._last is not None:
            return self._last
        if self._last is not None:  # two listings and nothing between
            self._renew(line, same="network")
        self._last = self._segment
        self._last.layers, self._last.behind = names, None
        return self._last

    def finish(self) -> None:
        """After the log's last line."""
        line = self._stretch.number(self._stretch.end)
        self._end_timings(line)
        self._segment.last_line = max(line - 1, self._segment.first_line)
        self._give_back()

    def _give_back(self) -> None:
        """Gives timings behind a listing that lead to no other listing to that one.

        They are of its layers where it has these, and where the log has no other times of them:
        an excerpt in another order.
        """
        late, segment = self._segment, self._segment.behind
        if segment is None or segment.attempts or segment.common.tuning or late.common.passes:
            return
        if any(name in segment.layers for name in late.common.tuning.trials):
            segment.common.tuning = late.common.tuning
            segment.common.timed += late.common.timed
            self.segments.remove(late)

    def _end_timings(self, line: int) -> None:
        """Notes that timings, if they were read, ended before `line`."""
        timed = self._segment.current.timed
        if self._timing and len(timed) < SEGMENTS:
            timed.append((self._since, line - 1))
        self._timing = False

    def _rest(self, stretch: Stretch) -> None:
        """Reads a stretch without timings; it is cut where something begins."""
        begin = stretch.begin
        for line in self._beginnings(stretch):
            start, begin = begin, max(line_start(stretch.data, line.place), begin)
            self._read_words(stretch.part(start, begin))
            self._begin(line)
        self._read_words(stretch.part(begin, stretch.end))

    def _read_words(self, stretch: Stretch) -> None:
        self._warned(stretch)
        segment, late = self._segment, self._last is not None
        segment.trtexec.read(stretch)
        segment.definition.read(stretch, late)
        if not late:
            segment.current.read(stretch)
        elif segment.common.peak is None:
            segment.common.read(stretch, late)

    def _warned(self, stretch: Stretch) -> None:
        """Takes in warnings and errors; behind a listing they count for all of the build."""
        segment = self._segment
        attempt = segment.current if self._last is None else segment.common
        for message in messages(stretch):
            attempt.severe.add(message)

    def _beginnings(self, stretch: Stretch) -> list[Line]:
        """All that may begin or end a build or a run, in order.

        Of a definition's many lines the first is enough, and that of each group of inputs.
        """
        others = (
            (place, mark)
            for mark in (INPUT, *_OTHERS)
            for place in stretch.places(mark)
            if mark is not _BUILD or _ORIGINAL.match(stretch.data, place, stretch.end)
        )
        found: list[Line] = []
        begin, before = stretch.begin, b""
        for place, mark in (*sorted(others), (stretch.end, b"")):
            found_at = ((stretch.data.find(one, begin, place), one) for one in _PARSING)
            parsing = min((one for one in found_at if one[0] >= 0), default=None)
            if parsing and before != INPUT:
                found.append(Line(stretch, *parsing))
            if parsing or (before, mark) != (INPUT, INPUT):
                found.append(Line(stretch, place, mark))
            begin, before = place, mark
        return found[:-1]

    def _begin(self, line: Line) -> None:
        segment, mark, number = self._segment, line.mark, line.number
        listed = self._last is not None
        used = segment.begun or listed or segment.loads is not None
        if mark == STRATEGY:
            if not listed and (strategy := strategy_of(line.text, number)):
                if strategy.begins:
                    segment.attempt(strategy.number)
                else:
                    segment.judge(strategy)
        elif mark == GENERATED:
            if not listed:
                segment.current.seconds = quantity(decode(line.words))
        elif mark == _RUN:
            if line.words.startswith(b"RUNNING"):
                self._renew(number)
                self._segment.trtexec.command = decode(line.words.partition(b" # ")[2].strip())
            elif line.words.startswith((b"PASSED", b"FAILED")):
                segment.trtexec.failed = line.words.startswith(b"FAILED")
                self._renew(number + 1)
        elif mark == _OPTIONS:
            sections = [span.what for span in segment.trtexec.spans]
            # A quotation may show others of the run's sections before its first.
            told = segment.begun or listed or not _FIRST.isdisjoint(sections)
            # Its first options are those of `Model`, or of `Build` without them.
            is_build = line.before.endswith(b"=== Build") and sections[-1:] != ["Model"]
            if told and (is_build or line.before.endswith(b"=== Model")):
                self._renew(number)
        elif mark in (_BUILDER, _BUILD):
            if listed or (used and mark == _BUILD):
                self._renew(number, same="network")
        elif mark in _BUILDING:
            if listed and messages(line.alone):
                self._renew(number)
        elif used and (mark != _LOADED or line.before.rstrip(b"0123456789").endswith(b"Loaded ")):
            # A run has ended that printed its summary. As: Loaded 14 timing cache entries
            self._renew(number, "" if segment.trtexec.performances else "run")
        elif mark == INPUT and self._is_another(decode(line.words)):
            self._renew(number, "run")

    def _is_another(self, words: str) -> bool:
        """Whether an input is of another network than the one that was defined.

        It is where that network has an input of this name, was built, or could not be parsed.
        """
        inputs = self._segment.definition.inputs
        name = words.rpartition(" with dtype: ")[0]
        built = any(one.definition is self._segment.definition for one in self.segments[-2:-1])
        return name in inputs or (bool(inputs) and (built or self._segment.count("error") > 0))

    def _renew(self, line: int, same: Literal["", "run", "network"] = "") -> None:
        """Begins a segment at `line`; what stands before belongs to the one before.

        `same`: it is another build of the same run, or in it of the same network.
        """
        before = self._segment
        before.last_line = max(line - 1, before.first_line)
        for attempt in (before.common, *before.attempts):
            attempt.tuning.end()
        self._give_back()
        same = "" if before.loads else same
        self._segment = Segment(line)
        if same:
            self._segment.trtexec = before.trtexec.of_same_run()
        if same == "network":
            self._segment.definition = before.definition
        self._last = None
        if len(self.segments) < SEGMENTS:
            self.segments.append(self._segment)
