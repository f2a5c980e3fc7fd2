"""A log's lines, cut into blocks.

takes: a Source
gives: `Scan`: every listing and every printed profile table as lines, with the build's own facts
never: reads what a record says; it is the only room that knows headers and log prefixes
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from engine_layer_visualize.errors import Place, Problem
from engine_layer_visualize.kernels import Kernels
from engine_layer_visualize.source import Source, Span, decode

# Searched, never anchored: any text of a host may stand before them.
HEADER: Final = b"Engine Layer Information:"
_RECORD_MARK: Final = b"Layer("
_TABLE: Final = b"=== Profile ("
_INPUT: Final = b"Adding network input: "
_OUTPUT: Final = b" as output: "
_REFORMAT: Final = b"Adding reformat layer: "
_VERSION: Final = b"TensorRT v"
_LIBRARY: Final = b"libnvinfer"

RECORD: Final = re.compile(rb"Layer\(\w+\): ")
_TACTIC: Final = re.compile(rb", Tactic: (?:0x[0-9a-fA-F]+|-?\d+), ")
_INPUT_LINE: Final = re.compile(rb"Adding network input: (.*) with dtype: [^ ]+, dimensions: ")
_OUTPUT_LINE: Final = re.compile(rb"Marking .* as output: (.*)")
_BANNER: Final = re.compile(rb"\[TensorRT v(\d{4,6})\]")
_VERSION_LINE: Final = re.compile(rb"TensorRT version: (\d[\d.]*)")
_LIBRARY_NAME: Final = re.compile(rb"libnvinfer\w*\.so\.(\d+\.\d+\.\d+)")
_COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_FENCE: Final = re.compile(rb"[> \t]*(?:```|~~~)")
# A host's own words before a message, for lines whose header does not show where they end.
PREFIX: Final = re.compile(
    r"(?:.*?\[(?:\d\d/\d\d/\d{4}-)?\d\d:\d\d:\d\d\] )?(?:\[TRT\] +)?(?:\[[VIWEF]\] )?(?:\[TRT\] +)?"
)

_NUMBER: Final = rb"(?:\d[\d.]*|-?nan|-?inf)"
_ROW: Final = re.compile(
    rb".*\s%(n)s\s+%(n)s\s+%(n)s(?:\s+%(n)s)?\s*|\s*%(n)s\s+%(n)s\s+%(n)s\s+%(n)s\s.*"
    % {b"n": _NUMBER}
)
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")

# A listing has plainly stopped after so many lines in a row that are no records.
_STRAYS: Final = 16
_MOST_TAIL: Final = 64  # lines kept after a record, in case its name holds newlines
# The version stands at the start of a build; looking for it further on would cost a search of all.
_VERSION_WITHIN: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One record's lines: `text` from `Layer(` on; `tail`, lines after it that are no records.

    `line` and `column` (1-based) tell where the text starts.
    """

    line: int
    column: int
    text: bytes
    tail: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Reformat:
    """`Adding reformat layer: name (tensor) from … to …`; the formats are strides, as printed."""

    line: int
    name: str
    tensor: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Table:
    """A printed profile table: (line number, text without the host's prefix), header first."""

    line: int
    lines: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Names:
    """The inputs and outputs that one network definition names, in order."""

    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Facts:
    """What the log of one build says of it before the listing."""

    names: list[Names] = field(default_factory=list)
    reformats: dict[str, Reformat] = field(default_factory=dict)
    kernels: Kernels = field(default_factory=Kernels)
    version: str | None = None


@dataclass(slots=True)
class ListingBlock:
    """A listing as lines. `header`: its line; None where the records stand without one."""

    header: int | None
    facts: Facts
    records: list[Record] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    cut: bool = False  # the input ended inside the last record's line


@dataclass(slots=True)
class Scan:
    """All blocks of a log. `head`: its first bytes, `tail`: its last spans, to say what it is."""

    name: str
    listings: list[ListingBlock] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)  # before any listing
    empty_headers: list[Place] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    head: bytes = b""
    tail: tuple[Span, ...] = ()


def scan(source: Source) -> Scan:
    """Reads the source once. Raises ReadError where it cannot be opened."""
    scanner = _Scanner(source.name)
    for span in source.spans():
        scanner.feed(span)
    scanner.finish()
    scanner.scan.problems.extend(source.problems)
    return scanner.scan


_Opener: TypeAlias = Callable[[int, bytes], None]
_Taker: TypeAlias = Callable[[int, bytes], bool]


class _Scanner:
    """Outside blocks it searches spans for marks; inside one it goes line by line."""

    def __init__(self, name: str) -> None:
        self.scan = Scan(name)
        self._facts = Facts()
        self._listing: ListingBlock | None = None
        self._strays: list[bytes] = []  # lines since the last record, blank ones too
        self._stray_count = 0  # those that are not blank
        self._stray_line = 0
        self._table: list[tuple[int, str]] | None = None
        self._table_prefix = b""
        self._version_left = _VERSION_WITHIN
        self._ended = True  # the last line ended with a newline

    def feed(self, span: Span) -> None:
        data = span.data
        if len(self.scan.head) < 1 << 16:
            self.scan.head += data[: 1 << 16]
        self.scan.tail = (*self.scan.tail[-1:], span)
        self._ended = data.endswith(b"\n")
        at, line = 0, span.line
        while at < len(data):
            if self._table is not None:
                at, line = self._in_block(data, at, line, self._table_line)
            elif self._listing is not None:
                at, line = self._in_block(data, at, line, self._listing_line)
            else:
                at, line = self._outside(data, at, line)

    def finish(self) -> None:
        self._close_table()
        if self._listing is not None and not self._strays:
            self._listing.cut = not self._ended
        self._close_listing()

    # ---- outside of blocks -------------------------------------------------------------------

    def _outside(self, data: bytes, at: int, line: int) -> tuple[int, int]:
        """Searches from `at` to where a block starts, or to the end of the span."""
        start, open_block = self._next_block(data, at)
        self._read_facts(data, at, start, line)
        if start == len(data):
            return start, line
        line += data.count(b"\n", at, start)
        end = _line_end(data, start)
        open_block(line, data[data.rfind(b"\n", 0, start) + 1 : end])
        return end, line + 1

    def _next_block(self, data: bytes, at: int) -> tuple[int, _Opener]:
        found: list[tuple[int, _Opener]] = []
        header = data.find(HEADER, at)
        if header >= 0:
            found.append((header, self._open_listing))
        table = data.find(_TABLE, at, header if header >= 0 else len(data))
        if table >= 0:
            found.append((table, self._open_table))
        stop = min((position for position, _ in found), default=len(data))
        orphan = data.find(_RECORD_MARK, at, stop)
        while orphan >= 0:
            if _is_whole_record(data, orphan, _line_end(data, orphan)):
                found.append((orphan, self._open_orphans))
                break
            orphan = data.find(_RECORD_MARK, orphan + 1, stop)
        return min(found, default=(len(data), self._open_listing), key=lambda item: item[0])

    def _open_listing(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(line, self._facts)
        if record := RECORD.search(text):  # a lost newline
            self._add_record(line, record.start(), text)

    def _open_orphans(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(None, self._facts)
        self._listing_line(line, text)

    def _open_table(self, line: int, text: bytes) -> None:
        column = text.index(_TABLE)
        self._table = [(line, decode(text[column:]).rstrip())]
        self._table_prefix = text[:column]

    def _read_facts(self, data: bytes, at: int, end: int, line: int) -> None:
        facts = self._facts
        for position in _each(data, _INPUT, at, end):
            if match := _INPUT_LINE.match(data, position, _line_end(data, position)):
                # An input after outputs belongs to another network definition.
                if not facts.names or facts.names[-1].outputs:
                    facts.names.append(Names())
                facts.names[-1].inputs.append(decode(match[1]))
        for position in _each(data, _OUTPUT, at, end):
            start = data.rfind(b"\n", 0, position) + 1
            if match := _OUTPUT_LINE.search(data, start, _line_end(data, position)):
                if not facts.names:
                    facts.names.append(Names())
                facts.names[-1].outputs.append(decode(match[1].rstrip()))
        for position in _each(data, _REFORMAT, at, end):
            number = line + data.count(b"\n", at, position)
            text = decode(data[position + len(_REFORMAT) : _line_end(data, position)].rstrip())
            if reformat := _reformat(number, text):
                facts.reformats[reformat.name] = reformat
        facts.kernels.read(data, at, end)
        if self._version_left > 0:
            self._version_left -= end - at
            self._read_version(data, at, end)

    def _read_version(self, data: bytes, at: int, end: int) -> None:
        version = None
        if data.find(_VERSION, at, end) >= 0:
            if match := _BANNER.search(data, at, end) or _VERSION_LINE.search(data, at, end):
                version = _dotted(match[1].decode())
        elif self._facts.version is None and data.find(_LIBRARY, at, end) >= 0:
            if match := _LIBRARY_NAME.search(data, at, end):
                version = match[1].decode()
        if version is None:
            return
        self._facts.version = version
        for listing in self.scan.listings:  # a log that names it only afterwards
            listing.facts.version = listing.facts.version or version

    # ---- inside a block ----------------------------------------------------------------------

    def _in_block(self, data: bytes, at: int, line: int, take: _Taker) -> tuple[int, int]:
        while at < len(data):
            end = _line_end(data, at)
            if not take(line, data[at:end]):
                return at, line  # this line is no longer of the block: look at it again
            at, line = end, line + 1
        return at, line

    def _listing_line(self, line: int, text: bytes) -> bool:
        assert self._listing is not None
        if record := RECORD.search(text):
            self._add_record(line, record.start(), text)
            return True
        blank = not text.strip()
        if HEADER in text or _TABLE in text or _FENCE.match(text):
            self._close_listing()
            return False
        if not blank and self._stray_count == _STRAYS:
            self._close_listing()
            return False
        self._stray_line = self._stray_line or line
        self._stray_count += not blank
        if not blank or len(self._strays) < _MOST_TAIL:
            self._strays.append(text)
        return True

    def _add_record(self, line: int, column: int, text: bytes) -> None:
        assert self._listing is not None
        self._keep_strays()
        shown = decode(text[:column])
        self._listing.records.append(Record(line, len(shown) + 1, _trimmed(text[column:])))

    def _keep_strays(self) -> None:
        """Lines after a record may be the rest of it: a name can hold a newline."""
        assert self._listing is not None
        records = self._listing.records
        if records and self._stray_count:
            tail = tuple(_trimmed(stray) for stray in self._strays)
            records[-1] = replace(records[-1], tail=tail)
        self._strays, self._stray_count, self._stray_line = [], 0, 0

    def _close_listing(self) -> None:
        listing = self._listing
        if listing is None:
            return
        strays, line = b"".join(self._strays), self._stray_line
        self._keep_strays()
        self._listing = None
        if listing.records:
            self.scan.listings.append(listing)
            self._facts = Facts(version=listing.facts.version)
            self._version_left = _VERSION_WITHIN
        else:
            self.scan.empty_headers.append(Place(self.scan.name, listing.header or 1))
        self._read_facts(strays, 0, len(strays), line)  # they may be the next build's

    def _table_line(self, line: int, text: bytes) -> bool:
        assert self._table is not None
        row = self._without_prefix(text)
        is_header = len(self._table) == 1 and b"Layer" in row
        if is_header or _ROW.fullmatch(row):
            self._table.append((line, decode(row)))
            return True
        self._close_table()
        return False

    def _without_prefix(self, text: bytes) -> bytes:
        """A row without what the host put before the table's first line (a later time, perhaps)."""
        text, prefix = text.rstrip(), self._table_prefix
        if text[: len(prefix)].translate(_DIGITS) == prefix.translate(_DIGITS):
            return text[len(prefix) :]
        return text

    def _close_table(self) -> None:
        if self._table is None:
            return
        table = Table(self._table[0][0], tuple(self._table))
        self._table = None
        tables = self.scan.listings[-1].tables if self.scan.listings else self.scan.tables
        tables.append(table)


def _is_whole_record(data: bytes, at: int, end: int) -> bool:
    """Whether `data[at:end]` reads like a record; prose about one does not."""
    if not RECORD.match(data, at, end):
        return False
    tactic = _TACTIC.search(data, at, end)
    return tactic is not None and data.find(b" ->", tactic.end() - 1, end) >= 0


def _reformat(line: int, text: str) -> Reformat | None:
    """Reads `NAME (TENSOR) from FORMAT to FORMAT`; None where it is something else."""
    rest, _, target = text.rpartition(" to ")
    rest, found, source = rest.rpartition(") from ")
    if not found:
        return None
    # Names hold brackets too: the tensor is the shortest balanced end.
    depth = 1
    for at in range(len(rest) - 1, 0, -1):
        depth += (rest[at] == ")") - (rest[at] == "(")
        if depth == 0 and rest[at - 1] == " ":
            return Reformat(line, rest[: at - 1], rest[at + 1 :], source, target)
    return None


def _line_end(data: bytes, at: int) -> int:
    """Where the line of `at` ends, its newline included."""
    return data.find(b"\n", at) + 1 or len(data)


def _each(data: bytes, mark: bytes, at: int, end: int) -> Iterator[int]:
    while (at := data.find(mark, at, end)) >= 0:
        yield at
        at += len(mark)


def _trimmed(text: bytes) -> bytes:
    """Without the newline, blanks at the end and a colour that was switched off there."""
    text = text.rstrip(b"\r\n")
    if text.endswith((b"m", b"K")) and b"\x1b" in text:
        cut = text.rfind(b"\x1b")
        if _COLOUR.fullmatch(text, cut):
            return _trimmed(text[:cut])
    return text.rstrip(b" \t\r")


def _dotted(digits: str) -> str:
    """`8203` or `v8203` -> 8.2.3; `101600` -> 10.16.0; dotted text as it is."""
    if "." in digits:
        return digits
    number = int(digits)
    if number >= 10000:
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}"
