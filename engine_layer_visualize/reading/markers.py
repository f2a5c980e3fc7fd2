"""Finds what TensorRT writes around a listing or a table, and marked lines, in whole lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.io.source import Span, decode, line_end, line_start, line_words
from engine_layer_visualize.reading.grammars import terminal
from engine_layer_visualize.reading.hosts import COLOR


class Stretch:
    """The lines `data[begin:end]`."""

    __slots__ = ("_line", "_place", "begin", "data", "end", "line")

    def __init__(self, data: bytes, begin: int, end: int, line: int) -> None:
        self.data, self.begin, self.end = data, begin, end
        self.line = line  # the number of the first
        self._place, self._line = begin, line  # the place that was asked for last

    def __bool__(self) -> bool:
        return self.begin < self.end

    def number(self, place: int) -> int:
        """The number of the line of a place, counted from the nearest one that is known."""
        if place >= self._place:
            self._line += self.data.count(b"\n", self._place, place)
        elif self._place - place < place - self.begin:
            self._line -= self.data.count(b"\n", place, self._place)
        else:
            self._line = self.line + self.data.count(b"\n", self.begin, place)
        self._place = place
        return self._line

    def part(self, begin: int, end: int) -> Stretch:
        """The lines from one place to another."""
        return Stretch(self.data, begin, end, self.number(begin))

    def find(self, mark: bytes) -> int:
        """Where a mark stands first; -1 where it does not."""
        return self.data.find(mark, self.begin, self.end)

    def places(self, mark: bytes) -> Iterator[int]:
        """Where a mark stands first in each line that has it."""
        place = self.find(mark)
        while place >= 0:
            yield place
            place = self.data.find(mark, line_end(self.data, place), self.end)

    def marked(self, mark: bytes) -> Iterator[Line]:
        """Gives each line with a mark."""
        for place in self.places(mark):
            yield Line(self, place, mark)


class Line(NamedTuple):
    """A line with a mark, which stands at `place`. What is not asked for is not looked up."""

    stretch: Stretch
    place: int
    mark: bytes

    @property
    def before(self) -> bytes:
        """What stands before the mark."""
        return self.stretch.data[line_start(self.stretch.data, self.place) : self.place]

    @property
    def words(self) -> bytes:
        """What stands behind the mark."""
        data = self.stretch.data
        return line_words(data[self.place + len(self.mark) : line_end(data, self.place)])

    @property
    def text(self) -> bytes:
        """All of it."""
        return self.before + self.mark + self.words

    @property
    def alone(self) -> Stretch:
        """A stretch of this line."""
        data = self.stretch.data
        return self.stretch.part(line_start(data, self.place), line_end(data, self.place))

    @property
    def number(self) -> int:
        """The line's number."""
        return self.stretch.number(self.place)


# The patterns of a record are those of the grammars.
_RECORD_START: Final = terminal("classic.lark", "KIND").encode()
# Marks are searched, never anchored: any text of a host may stand before them. All those of
# listings begin with `Layer`, so one search finds them.
# e.g. (5-9) [V] [TRT] Engine Layer Information:
# e.g. (10) [V] [TRT] Layers:
MARK: Final = lazy(
    rb"Layer(?: Information:|s:(?:\x1b\[[0-9;]*m)*[ \t\r]*(?:\n|\Z)|Type: )|" + _RECORD_START
)

TABLE_MARK: Final = b"=== Profile ("
CLASSIC_HEADER: Final = b"Engine Layer Information:"
# e.g. (10) [07/07/2026-06:12:18] [TRT] [V] Layers:
DETAILED_HEADER: Final = lazy(rb"(.*?)(?<![^\s\]>:])Layers:(?:\x1b\[[0-9;]*m)*\s*$", re.DOTALL)

# e.g. (all) Layer(Reformat): a, Tactic: 0x3e8, x (Float[1,4]) -> y (Half[1,4])
CLASSIC_RECORD: Final = lazy(_RECORD_START)
# e.g. (5-8.2) Layer(NoOp): a, Tactic: -3, x[Float(1,4)] -> y[Float(1,4)]
# e.g. (8.4-) Layer(NoOp): a, Tactic: 0x0000000000000000, x (Float[4]) -> y (Float[4])
TACTIC: Final = lazy(terminal("classic.lark", "TACTIC").encode())
ARROW: Final = terminal("classic.lark", "TO").encode()
NAME: Final = terminal("detailed.lark", "NAME").encode()
# e.g. (8.2-) Name: a, LayerType: gemm, Inputs: [ { Name: x, Location: Device, Dimensions: [4],
TYPE: Final = lazy(terminal("detailed.lark", "TYPE").encode())

BINDINGS: Final = b"Bindings:"
IO: Final = b"I/O Tensors:"
METADATA: Final = b"Engine Metadata:"
# e.g. (10) Name: x, IOMode: Input, DataType: Float, Dimensions: [1,4], Location: Device,
IO_LINE: Final = lazy(rb" *Name: (.*), IOMode: (Input|Output), DataType: ", re.DOTALL)
# e.g. (10) ProfileInfo: [ { MinShape: [1,4], OptShape: [2,4], MaxShape: [8,4], Format:
SHAPES: Final = lazy(rb"\{ MinShape: \[([\d,]*)\], OptShape: \[([\d,]*)\], MaxShape: \[([\d,]*)\],")

# e.g. (a log in Markdown) > ```
# Not the head of a group in Buildkite's logs: `~~~ Running commands`.
FENCE: Final = lazy(rb"[> \t]*(?:```|~~~(?! [A-Z:][^\n{= ]* [^\n{=]*(?:\n|\Z)))")

INPUT: Final = b"Adding network input: "
TIMING: Final = b"Timing Runner: "
# e.g. (8-) [V] [TRT] Engine generation completed in 12.5 seconds.
GENERATED: Final = b"Engine generation completed in "
# How many layers there are after a pass of the optimiser: its name, or `Original`, and the number.
# e.g. (all) After vertical fusions: 12 layers
# e.g. (all) Original: 25 layers
PASS: Final = lazy(rb"(?:After ([\w -]{1,80}): |(Original): )(\d{1,9}) layers")
# e.g. (8.2-) Skipped printing memory information for 6 layers with 0 memory size
UNHELD: Final = lazy(rb"Skipped printing memory information for (\d{1,7}) layers with 0")
_FEW_BYTES: Final = 1 << 8
_WINDOW: Final = 1 << 12
_LONGEST_MARK: Final = 1 << 8
# What a person writes in the place of lines that he leaves out.
# e.g. (an article) ...more
LEFT_OUT: Final = lazy(rb"[\s>#/*([<-]{0,9}(?:\.\.\.|\xe2\x80\xa6)(?!\.)[^\n]{0,80}$")


def marks(data: bytes, begin: int, stop: int) -> Iterator[re.Match[bytes]]:
    """The marks in `data[begin:stop]`.

    Most of a log has no `L` for thousands of bytes: `find` of a letter runs at the memory's speed,
    ten times that of a pattern. Where letters stand close, the pattern is the faster one.
    """
    before = begin - _FEW_BYTES
    while (letter := data.find(b"L", begin, stop)) >= 0:
        if letter - before >= _FEW_BYTES:
            before, begin = letter, letter + 1
            if data.startswith(b"Layer", letter) and (match := MARK.match(data, letter)):
                yield match
                before = begin = match.end()
            continue
        window = min(letter + _WINDOW, stop)
        begin = before = window
        # A mark that begins in the window may end behind it.
        for match in MARK.finditer(data, letter, min(window + _LONGEST_MARK, stop)):
            if match.start() >= window:
                break
            yield match
            begin = max(begin, match.end())


def is_header(text: bytes) -> bool:
    """Whether the line begins a listing or a profile table."""
    if CLASSIC_HEADER in text or TABLE_MARK in text:
        return True
    return b"Layers:" in text and DETAILED_HEADER.match(text) is not None


def detailed_start(data: bytes, begin: int, end: int) -> int:
    """Where in a line a detailed record starts; -1 where there is none."""
    name = data.find(NAME, begin, end)
    return name if name >= 0 and TYPE.search(data, name, end) else -1


def ends_in_word(before: bytes) -> bool:
    """Whether the last character, colours apart, is a letter or a digit."""
    return COLOR.sub(b"", before)[-1:].isalnum()


def table_start(data: bytes, begin: int, stop: int) -> int:
    """Where a table's title stands that is no name's; `stop` where none does."""
    while (place := data.find(TABLE_MARK, begin, stop)) >= 0:
        begin = line_end(data, place)
        if detailed_start(data, line_start(data, place), begin) < 0:
            return place
    return stop


def timing_start(data: bytes, begin: int, stop: int) -> int:
    """Where the timing of a layer begins; `stop` where none does."""
    place = data.find(TIMING, begin, stop)
    return stop if place < 0 else place


# e.g. (8-) [I] Created output binding for y with dimensions 1x10
# e.g. (10.3) [I] Output binding for y with dimensions 1x10 is created.
# e.g. (10) [I] Output binding for y with dimensions 1x10 and type fp32 is created.
# A line that goes on otherwise is taken whole: each of its marks would be followed to its end.
BOUND: Final = lazy(
    rb"(?:Created |\b(?=[IO]))([Ii]n|[Oo]ut)put binding for "
    rb"(?:(.+) with dimensions ([-0-9x]*)|.*)"
)


def is_fenced(spans: Sequence[Span], end: int) -> bool:
    """Whether the line `end` stands behind a fence of Markdown that was opened and not closed.

    `spans`: the end of the log. If it does not begin at line 1, the answer is False.
    """
    if not spans or spans[0].line > 1:
        return False
    above = (span.data.split(b"\n")[: end - span.line] for span in spans if span.line < end)
    return sum(FENCE.match(line) is not None for lines in above for line in lines) % 2 == 1


def trtexec_bindings(data: bytes, begin: int, end: int) -> tuple[tuple[str, str], ...]:
    """The inputs and outputs that trtexec made buffers for: (name, Input or Output)."""
    if data.find(b"put binding for ", begin, end) < 0:  # far faster than the pattern
        return ()
    found = BOUND.finditer(data, begin, end)
    return tuple((decode(one[2]), f"{one[1].decode().capitalize()}put") for one in found if one[2])


def may_hold_a_build(spans: Iterable[Span]) -> bool:
    """Whether a network may be defined or optimised in these lines."""
    marks = (INPUT, b"Parsing node: ", b" layers")
    return any(mark in span.buffer for span in spans for mark in marks)


def lines_after(spans: Iterable[Span], line: int) -> Iterator[Span]:
    """The spans without all lines up to and with `line`."""
    for span in spans:
        left_out = max(0, line - span.line + 1)
        lines = span.data.split(b"\n", left_out)
        if len(lines) > left_out:
            yield Span(span.line + left_out, lines[-1], 0, len(lines[-1]))


# ---- lines that a mark tells: a table of marks and of the methods that take their lines in -------


_Told = TypeVar("_Told", bound="Told")
_Method = TypeVar("_Method", bound=Callable[[Any, Line], None])
_MARKS: Final[dict[Callable[[Any, Line], None], tuple[tuple[bytes, ...], bool]]] = {}


def line(*marks: bytes, late: bool = False) -> Callable[[_Method], _Method]:
    """Of a method that takes in each line with one of the marks; `late`: behind a listing, too."""

    def marked(method: _Method) -> _Method:
        _MARKS[method] = marks, late
        return method

    return marked


class Told:
    """What the lines of a log say, as attributes. Its methods that are a `line` fill them."""

    _table: ClassVar[tuple[tuple[bytes, Callable[[Any, Line], None], bool], ...]] = ()

    def __init_subclass__(cls) -> None:
        own = [(method, _MARKS[method]) for method in vars(cls).values() if method in _MARKS]
        cls._table = tuple((mark, method, late) for method, (marks, late) in own for mark in marks)

    def read(self, stretch: Stretch, late: bool = False) -> None:
        """Takes in the next lines, in their order. `late`: they stand behind a listing."""
        found = [
            (place, order)
            for order, (mark, _, of_late) in enumerate(self._table)
            if of_late or not late
            for place in stretch.places(mark)
        ]
        for place, order in sorted(found):
            mark, method, _ = self._table[order]
            method(self, Line(stretch, place, mark))

    def joined(self: _Told, after: _Told) -> _Told:
        """Both as one: dicts, lists and counts of both; of another value the later one."""
        both = type(self)()
        for name, new in vars(both).items():
            setattr(both, name, _joined(new, vars(self)[name], vars(after)[name]))
        return both


def _joined(new: Any, first: Any, after: Any) -> Any:
    """`new`: the value in a reader that has read nothing."""
    if isinstance(new, Told):
        return first.joined(after)
    if isinstance(new, (list, int, Counter)):
        return first + after
    return {**first, **after} if isinstance(new, dict) else after or first
