"""A log's lines, cut into blocks.

takes: a Source
gives: `Scan`: every listing and every printed profile table as lines, with the build's own facts
never: reads what a record says
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.inputs.buildlog import markers
from engine_layer_visualize.inputs.buildlog.binding_lines import Tail
from engine_layer_visualize.inputs.buildlog.blocks import (
    ListingBlock,
    Record,
    Table,
    ended,
    trimmed,
)
from engine_layer_visualize.inputs.buildlog.build_context import TIMING, Facts
from engine_layer_visualize.inputs.buildlog.prefixes import is_inside, shape
from engine_layer_visualize.inputs.buildlog.profile_table_lines import TableLines
from engine_layer_visualize.inputs.buildlog.wrapping import margin, unwrapped
from engine_layer_visualize.io.source import Source, Span, decode, line_end, line_start

if TYPE_CHECKING:
    from engine_layer_visualize.inputs.buildlog.messages.build_segments import Account, Chronicle

# A listing has plainly stopped after so many lines in a row that are no records.
_STRAYS: Final = 16
_CRLF: Final = b"\r\n"
MAX_LAYERS: Final = 1_000_000
_MOST_NAMES: Final = 50_000  # of a dump of names; `Layers:` may be another program's word
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
    accounts: list[Account] = field(default_factory=list)  # where facts are asked for


def scan(
    source: Source,
    spans: Iterable[Span] | None = None,
    *,
    tables: bool = False,
    facts: bool = False,
    max_layers: int = MAX_LAYERS,
) -> Scan:
    """Reads the source once (`spans`: what it gives). Raises ReadError (ELV401).

    `tables`: also those printed before any listing, as in the log of a run without a build.
    `facts`: all that the log says of the layers, for which every line is looked at. `max_layers`:
    of all engines together; past them nothing is read.
    """
    scanner = _Scanner(source, tables, facts, max_layers)
    for span in unwrapped(source.spans()) if spans is None else spans:
        scanner.feed(span)
        if scanner.full:
            break
    scanner.finish()
    scanner.scan.problems.extend(source.problems)
    return scanner.scan


_Opener: TypeAlias = Callable[[int, bytes], None]
_Taker: TypeAlias = Callable[[int, bytes], bool]


class _Scanner:
    """Outside blocks it searches spans for markers.marks; inside one it goes line by line."""

    def __init__(self, source: Source, tables: bool, facts: bool, max_layers: int) -> None:
        self.full = False  # no further layer is wanted
        self._left = max_layers
        self.scan = Scan(source.name)
        self._source = source
        # A table is printed after its engine's listing, and before another build.
        self._tables = tables
        self._facts = Facts()
        self._chronicle: Chronicle | None = None
        if facts:
            from engine_layer_visualize.inputs.buildlog.messages.build_segments import Chronicle

            self._chronicle = Chronicle()
        self._listing: ListingBlock | None = None
        self._empty: list[tuple[int, bytes | None]] = []  # headers without records, and their host
        self._glued = False  # its header follows a word: it is torn, or the end of a name
        self._tail: Tail | None = None  # of a detailed listing
        self._opened = b""  # the line that opened a block
        self._host = b""  # what stands before a record on its line
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
        if self._chronicle is not None:
            self._chronicle.finish()
            self.scan.accounts = self._chronicle.accounts
        hosts = {listing.host for listing in self.scan.listings if listing.host}
        for line, stands in self._empty:  # behind a host's words and others: words of a message
            if not any(is_inside(stands, host) for host in hosts):
                self.scan.empty_headers.append(Place(self.scan.name, line))
        version = self._facts.version
        for listing in reversed(self.scan.listings):  # a log that names it only afterwards
            listing.facts.version = version = listing.facts.version or version

    # ---- outside of blocks -------------------------------------------------------------------

    def _outside(self, data: bytes, at: int, stop: int, line: int) -> tuple[int, int]:
        """Searches from `at` to where a block starts, or to the end of the span."""
        mark, open_block = self._next_block(data, at, stop)
        start = stop if mark == stop else line_start(data, mark)
        offset = None if self._shift is None else self._shift + at
        self._facts.read(data, at, start, line, offset)
        if self._chronicle is not None:
            self._chronicle.read(data, at, start, line)
        if mark == stop:
            return stop, line
        line += data.count(b"\n", at, start)
        end = line_end(data, mark)
        self._facts.look_back(self._source, line)
        self._opened = data[start:end]
        open_block(line, self._opened)
        return end, line + 1

    def _next_block(self, data: bytes, at: int, stop: int) -> tuple[int, _Opener]:
        if self._tables:
            table = markers.table_start(data, at, stop)
            self._tables = data.find(TIMING, at, table) < 0
            stop = table if self._tables else stop
        ruled_out: dict[bytes, int] = {}  # a kind of mark, and to where it means nothing
        for match in markers.marks(data, at, stop):
            start, kind = match.start(), match[0][:6]
            if ruled_out.get(kind, -1) > start:
                continue
            open_block = self._opener(data, start, kind)
            if open_block is not None:
                return start, open_block
            if kind != b"Layer ":
                ruled_out[kind] = line_end(data, start)
        return stop, self._open_table

    def _opener(self, data: bytes, at: int, kind: bytes) -> _Opener | None:
        """What opens a block at this mark; None where it is only a word of the log."""
        start, end = line_start(data, at), line_end(data, at)
        if markers.detailed_start(data, start, end) >= 0:  # it may stand in a name there
            return self._open_detailed_orphans
        if kind == b"Layer ":
            begin = at - len(b"Engine ")
            headed = begin >= 0 and data.startswith(markers.CLASSIC_HEADER, begin)
            return self._open_classic if headed else None
        if kind == b"Layers":
            return self._open_detailed
        if kind == b"LayerT":
            return None
        tactic = markers.TACTIC.search(data, at, end)
        is_record = tactic is not None and data.find(markers.ARROW, tactic.end() - 1, end) >= 0
        return self._open_classic_orphans if is_record else None

    def _open_classic(self, line: int, text: bytes) -> None:
        before = text[: text.index(markers.CLASSIC_HEADER)]
        self._glued = markers.ends_in_word(before)
        self._listing = ListingBlock(line, self._facts, "classic", *self._host_of(text, before))
        if record := markers.CLASSIC_RECORD.search(text):  # a lost newline
            self._add_record(line, record.start(), text)

    def _open_classic_orphans(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(None, self._facts, crlf=text.endswith(_CRLF))
        self._listing_line(line, text)

    def _open_detailed(self, line: int, text: bytes) -> None:
        before = text[: text.rindex(b"Layers:")]
        dump = not markers.BUILDER.search(before)
        self._glued = markers.ends_in_word(before)
        self._listing = ListingBlock(
            line, self._facts, "detailed", *self._host_of(text, before), dump
        )

    def _open_detailed_orphans(self, line: int, text: bytes) -> None:
        self._listing = ListingBlock(
            None, self._facts, "detailed", crlf=text.endswith(_CRLF), dump=True
        )
        self._listing_line(line, text)

    def _host_of(self, text: bytes, before: bytes) -> tuple[bytes | None, bool]:
        """What its host writes before a message (None: it was torn), and how it ends lines."""
        return None if self._glued else shape(before), text.endswith(_CRLF)

    def _open_table(self, line: int, text: bytes) -> None:
        self._table = TableLines(line, text)

    # ---- inside a block ----------------------------------------------------------------------

    def _in_block(
        self, data: bytes, at: int, stop: int, line: int, take: _Taker
    ) -> tuple[int, int]:
        while at < stop:
            end = line_end(data, at)
            if not take(line, data[at:end]):
                return at, line  # this line is no longer of the block: look at it again
            at, line = end, line + 1
        return at, line

    def _listing_line(self, line: int, text: bytes) -> bool:
        assert self._listing is not None
        if self._tail is not None:
            taken = self._tail.take(text)
            if not taken:
                self._close_listing()
            return taken
        column = self._record_start(text)
        if column >= 0:
            self._add_record(line, column, text)
            return True
        if self._ends_a_name(text):
            return True
        if (markers.is_header(text) and not self._is_rest(text)) or markers.FENCE.match(text):
            self._close_listing()
            return False
        blank = not text.strip()
        if self._listing.dialect == "detailed" and not blank:
            bare = trimmed(text)
            if bare.endswith((markers.BINDINGS, markers.IO)) and (
                self._listing.records or self._strays
            ):
                self._open_section(bare)
                return True
        if not blank and self._stray_count >= _STRAYS and not self._may_be_bare_names(text):
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
            return markers.detailed_start(text, 0, len(text))
        record = markers.CLASSIC_RECORD.search(text)
        return record.start() if record else -1

    def _add_record(self, line: int, column: int, text: bytes) -> None:
        assert self._listing is not None
        if self.full:
            return
        if not self._left:
            self.full = True
            message = "more layers than the limit (--max_layers): reading stopped here"
            self.scan.problems.append(Problem(Place(self.scan.name, line), "ELV112", message))
            return
        self._left -= 1
        self._keep_strays()
        self._host = text[:column]
        words = ended(text[column:], self._listing.crlf)
        shown = len(decode(self._host)) + margin(self.scan.tail[-1], line)
        self._listing.records.append(Record(line, shown + 1, words))

    def _ends_a_name(self, text: bytes) -> bool:
        """Whether it is the rest of a detailed record whose own name holds newlines."""
        if (
            self._listing is None
            or self._listing.dialect != "detailed"
            or not markers.TYPE.search(text)
        ):
            return False
        for back in range(len(self._strays) - 1, -1, -1):
            column = self._strays[back].find(markers.NAME)
            if column >= 0:
                whole, line = b"".join(self._strays[back:]) + text, self._stray_line + back
                whole = whole.replace(_CRLF, b"\n") if self._listing.crlf else whole
                self._strays = self._strays[:back]
                self._stray_count = sum(bool(stray.strip()) for stray in self._strays)
                self._add_record(line, column, whole)
                return True
        return False

    def _is_rest(self, text: bytes) -> bool:
        """Whether a header is only words in a name: after a newline in an unended record."""
        assert self._listing is not None
        records = self._listing.records
        if self._listing.dialect != "classic" or not records or self._stray_count:
            return False
        mark = next((m for m in (markers.CLASSIC_HEADER, b"Layers:") if m in text), b"")
        glued = bool(mark) and markers.ends_in_word(text[: text.index(mark)])
        return glued and not trimmed(records[-1].text).endswith((b")", b"]", b"->"))

    def _keep_strays(self) -> None:
        """Lines after a record may be the rest of it: a name can hold a newline."""
        assert self._listing is not None
        records = self._listing.records
        if records and self._stray_count:
            tail = tuple(ended(stray, self._listing.crlf) for stray in self._strays)
            records[-1] = replace(records[-1], tail=tail)
        self._strays, self._stray_count, self._stray_line = [], 0, 0

    def _may_be_bare_names(self, text: bytes = b"") -> bool:
        """Whether this is a dump of an engine that keeps its layers' names alone.

        These stand one a line right under the header, up to a blank line. `text`: one more.
        """
        listing = self._listing
        if listing is None or not listing.dump or listing.header is None or listing.records:
            return False
        if not text:
            return not any(markers.PREFIXED.match(stray) for stray in self._strays)
        ended = not self._strays[-1].strip()
        return not ended and not markers.PREFIXED.match(text) and self._stray_count < _MOST_NAMES

    def _open_section(self, bare: bytes) -> None:
        listing = self._listing
        assert listing is not None
        if not listing.records and self._may_be_bare_names():
            line = self._stray_line
            for number, stray in enumerate(self._strays):
                if stray.strip():
                    listing.bare_names.append(Record(line + number, 1, trimmed(stray)))
        self._keep_strays()
        self._tail = Tail(
            listing, markers.IO if bare.endswith(markers.IO) else markers.BINDINGS, self._host
        )

    def _close_listing(self) -> None:
        listing = self._listing
        if listing is None:
            return
        strays, line = b"".join(self._strays), self._stray_line
        self._keep_strays()
        self._listing = self._tail = None
        listing.facts.kernels.rest()
        if listing.records or listing.bare_names:
            first = (listing.records or listing.bare_names)[0].line
            if listing.dump and self.scan.listings:
                listing.facts = self.scan.listings[-1].facts  # of the engine that it shows
            else:
                self._facts = Facts(version=listing.facts.version)
            if self._chronicle is not None:
                listing.account = self._chronicle.listed(listing.header or first, listing.dump)
            self.scan.listings.append(listing)
            self._tables = True
        else:
            line = listing.header or 1
            strays = self._opened + strays  # no header, but words of the log, perhaps of use
            if not listing.dump and not self._glued:
                self._empty.append((line, listing.host))
        if self._chronicle is not None:
            self._chronicle.read(strays, 0, len(strays), line)
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
