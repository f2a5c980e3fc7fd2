"""A log's lines, cut into blocks.

takes: a Source
gives: `Scan`: every listing and every printed profile table as lines, with the build's own facts
never: reads what a record says; it is the only room that knows headers and log prefixes
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from engine_layer_visualize.errors import Place, Problem
from engine_layer_visualize.facts import TIMING, Facts
from engine_layer_visualize.lines import ListingBlock, Record, Table
from engine_layer_visualize.source import Source, Span, decode
from engine_layer_visualize.tables import MARK as TABLE_MARK
from engine_layer_visualize.tables import TableLines

# Marks are searched, never anchored: any text of a host may stand before them. All those of
# listings begin with `Layer`, so one search finds them.
_MARK: Final = re.compile(
    rb"Layer(?: Information:|\(\w+\): |s:(?:\x1b\[[0-9;]*m)*[ \t\r]*(?:\n|\Z)|Type: )"
)

_CLASSIC_HEADER: Final = b"Engine Layer Information:"
_DETAILED_HEADER: Final = re.compile(
    rb"(.*?)(?<![^\s\]>:])Layers:(?:\x1b\[[0-9;]*m)*\s*$", re.DOTALL
)
# A listing that the builder logs, and not one that is dumped of a finished engine.
_BUILDER: Final = re.compile(rb"\[V\]|\[TRT\]|VERBOSE|DEBUG|Torch-TensorRT")

_CLASSIC: Final = re.compile(rb"Layer\(\w+\): ")
_TACTIC: Final = re.compile(rb", Tactic: (?:0x[0-9a-fA-F]+|-?\d+), ")
_NAME: Final = b"Name: "
_TYPE: Final = re.compile(rb", LayerType: \w+, Inputs: \[")

_BINDINGS: Final = b"Bindings:"
_IO: Final = b"I/O Tensors:"
_METADATA: Final = b"Engine Metadata:"
_IO_LINE: Final = re.compile(rb" ?Name: (.*), IOMode: (Input|Output), DataType: ", re.DOTALL)

_COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_LONGEST_COLOUR: Final = 32
_FENCE: Final = re.compile(rb"[> \t]*(?:```|~~~)")
# A host's own words before a message, for lines whose header does not show where they end.
_PREFIX: Final = (
    r"(?:.*?\[(?:\d\d/\d\d/\d{4}-)?\d\d:\d\d:\d\d\] )?"
    r"(?:\[TRT\] +)?(?:\[[VIWEF]\] )?(?:\[TRT\] +)?"
)
PREFIX: Final = re.compile(_PREFIX)
_PREFIXED: Final = re.compile(rb"(?=.)" + _PREFIX.encode() + rb"(?<=\] )|&&&& ")
# A listing has plainly stopped after so many lines in a row that are no records.
_STRAYS: Final = 16
_MOST_NAME: Final = 1 << 13  # bytes; TensorRT cuts names at 4,095
_MOST_TAIL: Final = 64  # lines kept after a record, in case its name holds newlines


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


def scan(source: Source, spans: Iterable[Span] | None = None, *, tables: bool = False) -> Scan:
    """Reads the source once (`spans`: what it gives). Raises ReadError (ELV401).

    `tables`: also those printed before any listing, as in the log of a run without a build.
    """
    scanner = _Scanner(source.name, tables)
    for span in source.spans() if spans is None else spans:
        scanner.feed(span)
    scanner.finish()
    scanner.scan.problems.extend(source.problems)
    return scanner.scan


_Opener: TypeAlias = Callable[[int, bytes], None]
_Taker: TypeAlias = Callable[[int, bytes], bool]


class _Scanner:
    """Outside blocks it searches spans for marks; inside one it goes line by line."""

    def __init__(self, name: str, tables: bool) -> None:
        self.scan = Scan(name)
        # A table is printed after its engine's listing, and before another build.
        self._tables = tables
        self._facts = Facts()
        self._listing: ListingBlock | None = None
        self._glued = False  # its header follows a word: it is torn, or the end of a name
        self._section = b""  # of the lines below a detailed listing
        self._unended = b""  # the start of such a line
        self._strays: list[bytes] = []  # lines since the last record, blank ones too
        self._stray_count = 0  # those that are not blank
        self._stray_line = 0
        self._table: TableLines | None = None
        self._shift: int | None = None  # from a place in the span's buffer to one in the file
        self._ended = True  # the last line ended with a newline

    def feed(self, span: Span) -> None:
        data, at, stop, line = span.buffer, span.start, span.stop, span.line
        if len(self.scan.head) < 1 << 16:
            self.scan.head += data[at : min(stop, at + (1 << 16))]
        self.scan.tail = (*self.scan.tail[-2:], span)
        self._ended = data[stop - 1 : stop] == b"\n"
        self._shift = None if span.offset is None else span.offset - span.start
        while at < stop:
            if self._table is not None:
                at, line = self._in_block(data, at, stop, line, self._table_line)
            elif self._listing is not None:
                at, line = self._in_block(data, at, stop, line, self._listing_line)
            else:
                at, line = self._outside(data, at, stop, line)

    def finish(self) -> None:
        self._close_table()
        if self._listing is not None and not self._strays:
            self._listing.cut = not self._ended
        self._close_listing()
        version = self._facts.version
        for listing in reversed(self.scan.listings):  # a log that names it only afterwards
            listing.facts.version = version = listing.facts.version or version

    # ---- outside of blocks -------------------------------------------------------------------

    def _outside(self, data: bytes, at: int, stop: int, line: int) -> tuple[int, int]:
        """Searches from `at` to where a block starts, or to the end of the span."""
        start, open_block = self._next_block(data, at, stop)
        self._facts.take(data, at, start, line, None if self._shift is None else self._shift + at)
        if start == stop:
            return start, line
        line += data.count(b"\n", at, start)
        end = _line_end(data, start)
        open_block(line, data[_line_start(data, start) : end])
        return end, line + 1

    def _next_block(self, data: bytes, at: int, stop: int) -> tuple[int, _Opener]:
        if self._tables:
            table = data.find(TABLE_MARK, at, stop)
            if table >= 0:
                stop = table
            elif data.find(TIMING, at, stop) >= 0:
                self._tables = False
        ruled_out: dict[bytes, int] = {}  # a kind of mark, and to where it means nothing
        for match in _MARK.finditer(data, at, stop):
            start, kind = match.start(), match[0][:6]
            if ruled_out.get(kind, -1) > start:
                continue
            open_block = self._opener(data, start, kind)
            if open_block is not None:
                return start, open_block
            if kind != b"Layer ":
                ruled_out[kind] = _line_end(data, start)
        return stop, self._open_table

    def _opener(self, data: bytes, at: int, kind: bytes) -> _Opener | None:
        """What opens a block at this mark; None where it is only a word of the log."""
        start, end = _line_start(data, at), _line_end(data, at)
        if kind == b"Layer ":
            begin = at - len(b"Engine ")
            is_header = begin >= 0 and data.startswith(_CLASSIC_HEADER, begin)
            return self._open_classic if is_header else None
        if kind == b"Layers":
            return self._open_detailed
        if kind == b"LayerT":
            is_record = _detailed_start(data, start, end) >= 0
            return self._open_detailed_orphans if is_record else None
        tactic = _TACTIC.search(data, at, end)
        is_record = tactic is not None and data.find(b" ->", tactic.end() - 1, end) >= 0
        return self._open_classic_orphans if is_record else None

    def _open_classic(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(line, self._facts)
        self._glued = _ends_in_word(text[: text.index(_CLASSIC_HEADER)])
        if record := _CLASSIC.search(text):  # a lost newline
            self._add_record(line, record.start(), text)

    def _open_classic_orphans(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(None, self._facts)
        self._listing_line(line, text)

    def _open_detailed(self, line: int, text: bytes) -> None:
        before = text[: text.rindex(b"Layers:")]
        dump = not _BUILDER.search(before)
        self._glued = _ends_in_word(before)
        self._listing = ListingBlock(line, self._facts, "detailed", dump)

    def _open_detailed_orphans(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(None, self._facts, "detailed", dump=True)
        self._listing_line(line, text)

    def _open_table(self, line: int, text: bytes) -> None:
        self._table = TableLines(line, text)

    # ---- inside a block ----------------------------------------------------------------------

    def _in_block(
        self, data: bytes, at: int, stop: int, line: int, take: _Taker
    ) -> tuple[int, int]:
        while at < stop:
            end = _line_end(data, at)
            if not take(line, data[at:end]):
                return at, line  # this line is no longer of the block: look at it again
            at, line = end, line + 1
        return at, line

    def _listing_line(self, line: int, text: bytes) -> bool:
        assert self._listing is not None
        if self._section:
            return self._section_line(text)
        column = self._record_start(text)
        if column >= 0:
            self._add_record(line, column, text)
            return True
        if _is_header(text) or _FENCE.match(text):
            self._close_listing()
            return False
        blank = not text.strip()
        if self._listing.dialect == "detailed" and not blank:
            bare = _trimmed(text)
            if bare.endswith((_BINDINGS, _IO)) and (self._listing.records or self._strays):
                self._open_section(bare)
                return True
        if not blank and self._stray_count == _STRAYS and not self._may_be_bare_names():
            self._close_listing()
            return False
        self._stray_line = self._stray_line or line
        self._stray_count += not blank
        if not blank or len(self._strays) < _MOST_TAIL:
            self._strays.append(text)
        return True

    def _record_start(self, text: bytes) -> int:
        assert self._listing is not None
        if self._listing.dialect == "detailed":
            return _detailed_start(text, 0, len(text))
        record = _CLASSIC.search(text)
        return record.start() if record else -1

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

    def _may_be_bare_names(self) -> bool:
        """Whether this is a dump of an engine that keeps its layers' names alone."""
        listing = self._listing
        return (
            listing is not None
            and listing.dialect == "detailed"
            and listing.header is not None
            and not listing.records
            and not any(_PREFIXED.match(stray) for stray in self._strays)
        )

    def _open_section(self, bare: bytes) -> None:
        listing = self._listing
        assert listing is not None
        if not listing.records and self._may_be_bare_names():
            line = self._stray_line
            for number, stray in enumerate(self._strays):
                if stray.strip():
                    listing.bare_names.append(Record(line + number, 1, _trimmed(stray)))
        self._keep_strays()
        self._section = _IO if bare.endswith(_IO) else _BINDINGS

    def _section_line(self, text: bytes) -> bool:
        """The lines below a detailed listing: bindings, or inputs and outputs, then metadata."""
        listing = self._listing
        assert listing is not None
        bare = _trimmed(text)
        if bare == _METADATA:
            self._section = _METADATA
        elif bare.startswith(b" ") and self._section == _METADATA:
            pass
        elif self._section == _IO and (match := _IO_LINE.match(self._unended + bare)):
            listing.io.append((decode(match[1]), match[2].decode()))
            self._unended = b""
        elif self._may_go_on(bare):  # a name may hold newlines
            self._unended += bare + b"\n"
        elif not bare and (self._section == _IO or not listing.bindings):
            pass
        elif self._section == _BINDINGS and bare and not _ends_bindings(text):
            listing.bindings.append(decode(bare))
        else:
            self._close_listing()
            return False
        return True

    def _may_go_on(self, bare: bytes) -> bool:
        """Whether a line below a listing is a piece of an input's or output's."""
        if self._section != _IO or len(self._unended) > _MOST_NAME:
            return False
        return bool(self._unended) or bare.startswith(b" Name: ")

    def _close_listing(self) -> None:
        listing = self._listing
        if listing is None:
            return
        strays, line = b"".join(self._strays), self._stray_line
        self._keep_strays()
        self._listing, self._section, self._unended = None, b"", b""
        listing.facts.settle()
        if listing.records or listing.bare_names:
            if listing.dump and self.scan.listings:
                listing.facts = self.scan.listings[-1].facts  # of the engine that it shows
            else:
                self._facts = Facts(version=listing.facts.version)
            self.scan.listings.append(listing)
            self._tables = True
        elif not listing.dump and not self._glued:  # else it was no header, but words of the log
            self.scan.empty_headers.append(Place(self.scan.name, listing.header or 1))
        self._facts.read(strays, 0, len(strays), line)  # they may be the next build's

    def _table_line(self, line: int, text: bytes) -> bool:
        assert self._table is not None
        if self._table.take(line, text):
            return True
        self._close_table()
        return False

    def _close_table(self) -> None:
        if self._table is None:
            return
        tables = self.scan.listings[-1].tables if self.scan.listings else self.scan.tables
        tables.append(self._table.table())
        self._table = None


def _is_header(text: bytes) -> bool:
    return (
        _CLASSIC_HEADER in text
        or TABLE_MARK in text
        or (b"Layers:" in text and _DETAILED_HEADER.match(text) is not None)
    )


def _ends_in_word(before: bytes) -> bool:
    return _COLOUR.sub(b"", before)[-1:].isalnum()


def _ends_bindings(text: bytes) -> bool:
    """Names are printed raw; but a line that another message starts is none."""
    return (
        _is_header(text)
        or _FENCE.match(text) is not None
        or _PREFIXED.match(text) is not None
        or _trimmed(text) in (_BINDINGS, _IO)
    )


def _detailed_start(data: bytes, at: int, end: int) -> int:
    """Where in a line a detailed record starts; -1 where there is none."""
    name = data.find(_NAME, at, end)
    if name < 0 or not _TYPE.search(data, name, end):
        return -1
    return name


def _line_start(data: bytes, at: int) -> int:
    return data.rfind(b"\n", 0, at) + 1


def _line_end(data: bytes, at: int) -> int:
    """Where the line of `at` ends, its newline included."""
    return data.find(b"\n", at) + 1 or len(data)


def _trimmed(text: bytes) -> bytes:
    """Without the newline, blanks at the end and colours that are switched off there."""
    end = len(text)
    while True:
        while end and text[end - 1] in b" \t\r\n":
            end -= 1
        if not end or text[end - 1] not in b"mK":
            return text[:end]
        cut = text.rfind(b"\x1b", max(0, end - _LONGEST_COLOUR), end)
        if cut < 0 or not _COLOUR.fullmatch(text, cut, end):
            return text[:end]
        end = cut
