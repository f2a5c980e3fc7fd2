"""Cuts a log into blocks: its listings and its printed profile tables, as lines.

One block at a time is open:

    None          outside of blocks: markers are searched, and what else the log says is read
    ListingLines  from a listing's header, or a record without one, to where it has stopped
    TableLines    from `=== Profile (` to a line that is no row

From None a marker leads to one of the two. A line that a block does not take closes it, and is
looked at again from outside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.model import Dialect
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.io.source import Source, Span, decode, line_end, line_start
from engine_layer_visualize.reading import hosts, markers
from engine_layer_visualize.reading.blocks import Limit, ListingBlock, ListingLines, Table
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.wrapping import margin

if TYPE_CHECKING:
    from engine_layer_visualize.reading.segments import Segment, Splitter


_NUMBER: Final = rb"(?:\d[\d.]*|-?nan|-?inf)"
_CELLS: Final = rb".*\s%(n)s\s+%(n)s\s+%(n)s(?:\s+%(n)s)?\s*|\s*%(n)s\s+%(n)s\s+%(n)s\s+%(n)s\s.*"
# e.g. (8.2) conv_a  12.50  0.0125  1.5
# e.g. (9.2-)  12.50  0.0125  0.0124  1.5  conv_a
ROW: Final = limits.lazy(_CELLS % {b"n": _NUMBER})
# A number of it may be damaged.
# e.g. (8.2) conv_a  12.50  0.0125  1.5
_NEARLY: Final = limits.lazy(_CELLS % {b"n": rb"(?:\d\S*|-?nan|-?inf)"})
_MOST_STRAYS: Final = 16  # lines of other programs between two rows


class TableLines:
    """The lines of one table, as they come. `column`: where its first line begins."""

    def __init__(self, line: int, text: bytes, column: int) -> None:
        self._prefix = text[:column]
        self._headed = markers.TABLE_MARK not in text  # it begins with its column heads
        self._lines = [(line, decode(text[column:]).rstrip())]
        self._strays = 0
        self._ended = False  # the row of totals was taken
        self._torn = False  # the input ended inside the last row

    def take(self, line: int, text: bytes) -> bool:
        """Takes the line in; False where it is no longer of the table."""
        row = hosts.without_host(text.rstrip(), self._prefix)
        is_header = not self._headed and len(self._lines) == 1 and b"Layer" in row
        if not is_header and not _NEARLY.fullmatch(row):
            return self._is_stray(text)
        self._strays = 0
        self._torn = not text.endswith(b"\n")
        self._ended = row.lstrip().startswith(b"Total ") or row.endswith(b" Total")
        self._lines.append((line, decode(row)))
        return True

    def _is_stray(self, text: bytes) -> bool:
        """Whether a line is another program's: rows bear a host's words, and it bears none."""
        self._strays += 1
        foreign = bool(self._prefix) and not self._ended and hosts.OWN.search(text) is None
        return foreign and self._strays <= _MOST_STRAYS

    def table(self) -> Table:
        """The lines that were taken. A row that is torn may have the name of another layer."""
        lines = self._lines[:-1] if self._torn and not self._ended else self._lines
        return Table(lines[0][0], tuple(lines), not self._ended)


_TAIL: Final = 1 << 22  # bytes of a log's end that are kept, and the spans that are kept anyhow
_LEAST: Final = 3


# A header, a record without one, or the title of a table.
_Block: TypeAlias = Literal["classic", "detailed", "classic record", "detailed record", "table"]


def _block_at(data: bytes, place: int, mark: bytes) -> _Block | None:
    """What a mark of a listing opens; None where it is a part of a message."""
    start, end = line_start(data, place), line_end(data, place)
    if markers.detailed_start(data, start, end) >= 0:  # it may stand in a name there
        return "detailed record"
    if mark == b"Layer ":
        return "classic" if data.endswith(b"Engine ", start, place) else None
    if mark == b"Layers":
        return "detailed"
    if mark == b"LayerT":
        return None
    tactic = markers.TACTIC.search(data, place, end)
    is_record = tactic is not None and data.find(markers.ARROW, tactic.end() - 1, end) >= 0
    return "classic record" if is_record else None


def scan(source: Source, *, tables: bool = False, facts: bool = False) -> Scan:
    """Reads the source once. Raises ReadError (ELV401).

    `tables`: also those printed before any listing, as in the log of a run without a build.
    `facts`: all that the log says of the layers, for which every line is looked at.
    """
    scanned = Scan(source, tables, facts)
    for span in source.spans():
        scanned.feed(span)
        if scanned.limit.passed is not None:
            break
    scanned.finish()
    return scanned


class _Next:
    """Where something stands next in a span. It is looked for once, however many blocks there are.

    A table and a timing each have their own: one may be far behind many of the other.
    """

    def __init__(self, find: Callable[[bytes, int, int], int]) -> None:
        self._find = find  # `stop` where there is none
        self._data, self._stop, self._place = b"", 0, -1

    def after(self, data: bytes, begin: int, stop: int) -> int:
        """Its place from `begin` on; within a span, `begin` never falls."""
        if data is not self._data or stop != self._stop or self._place < begin:
            self._data, self._stop, self._place = data, stop, self._find(data, begin, stop)
        return self._place


class Scan:
    """All blocks of a log, whose spans come one by one. Once `limit` is passed, no more are needed.

    `head`: the log's first bytes, `tail`: its last spans, to say what it is.
    """

    def __init__(self, source: Source, tables: bool, facts: bool) -> None:
        self.name = source.name
        self.listings: list[ListingBlock] = []
        self.tables: list[Table] = []  # before any listing
        self.empty_headers: list[Place] = []
        self.problems: list[Problem] = []
        self.head = b""
        self.tail: deque[Span] = deque()
        self.segments: list[Segment] = []  # where facts are asked for
        self.limit = Limit(limits.LAYERS)
        self._source = source
        self._kept = 0  # bytes of the tail
        self._open: ListingLines | TableLines | None = None
        # A table is printed after its engine's listing, and before another build.
        self._table_may_come = tables
        self._table, self._timing = _Next(markers.table_start), _Next(markers.timing_start)
        self._context = BuildContext()
        self._splitter: Splitter | None = None
        if facts:
            from engine_layer_visualize.reading.segments import Splitter

            self._splitter = Splitter()
        self._above = b""  # the last line of the span before
        self._empty: list[tuple[int, bytes | None]] = []  # headers without records, and their host

    def feed(self, span: Span) -> None:
        """Takes in the next lines."""
        data, begin, stop, line = span.buffer, span.start, span.stop, span.line
        if len(self.head) < 1 << 16:
            self.head += data[begin : min(stop, begin + (1 << 16))]
        self.tail.append(span)
        self._kept += stop - begin
        while self._kept > _TAIL and len(self.tail) > _LEAST:
            dropped = self.tail.popleft()
            self._kept -= dropped.stop - dropped.start
        while begin < stop:
            walk = self._outside if self._open is None else self._inside
            begin, line = walk(data, begin, stop, line)
        self._above = data[line_start(data, stop - 1) : stop] if stop else b""

    def finish(self) -> None:
        """After the last span."""
        spans = self.tail
        end = spans[-1].data if spans else b""  # empty where a colour was all of the last line
        self._close(last=True, cut=bool(end) and not end.endswith(b"\n"))
        for last in self.listings[-1:]:
            last.fenced = last.last and markers.is_fenced(spans, last.first_line)
        if self._splitter is not None:
            self._splitter.finish()
            self.segments = self._splitter.segments
        if self.limit.passed is not None:
            message = f"more than {limits.LAYERS:,} layers: reading stopped here"
            self.problems.append(Problem(Place(self.name, self.limit.passed), "ELV112", message))
        self.problems += self._source.problems
        known = {listing.host for listing in self.listings if listing.host}
        for line, stands in self._empty:  # behind a host's words and others: words of a message
            if not any(hosts.is_inside(stands, host) for host in known):
                self.empty_headers.append(Place(self.name, line))
        version = self._context.version
        for listing in reversed(self.listings):  # a log that names it only afterwards
            listing.context.version = version = listing.context.version or version

    # ---- outside of blocks -------------------------------------------------------------------

    def _outside(self, data: bytes, begin: int, stop: int, line: int) -> tuple[int, int]:
        """Searches from `begin` to where a block starts, or to the end of the span."""
        mark, kind = self._next_block(data, begin, stop)
        start = stop if mark == stop else line_start(data, mark)
        span = self.tail[-1]
        offset = None if span.offset is None else span.offset + begin - span.start
        stretch = markers.Stretch(data, begin, start, line)
        self._context.take(stretch, offset)
        if self._splitter is not None:
            self._splitter.read(stretch)
        if self._table_may_come and self.listings:
            self.listings[-1].trtexec_bindings += markers.trtexec_bindings(data, begin, start)
        if mark == stop:
            return stop, line
        line = stretch.number(start)
        end = line_end(data, mark)
        self._context.look_back(self._source, line)
        above = data[line_start(data, start - 1) : start] if start > span.start else self._above
        self._open_block(kind, line, data[start:end], above)
        return end, line + 1

    def _next_block(self, data: bytes, begin: int, stop: int) -> tuple[int, _Block]:
        """Where the next block's marker stands, and what it opens; `stop` where none does."""
        if self._table_may_come:
            table = self._table.after(data, begin, stop)
            self._table_may_come = self._timing.after(data, begin, stop) >= table
            stop = table if self._table_may_come else stop
        ruled_out: dict[bytes, int] = {}  # a kind of mark, and to where it means nothing
        for match in markers.marks(data, begin, stop):
            start, mark = match.start(), match[0][:6]
            if ruled_out.get(mark, -1) > start:
                continue
            kind = _block_at(data, start, mark)
            if kind is not None:
                return start, kind
            if mark != b"Layer ":
                ruled_out[mark] = line_end(data, start)
        return stop, "table"

    def _open_block(self, kind: _Block, line: int, text: bytes, above: bytes) -> None:
        """Opens a block with its first line, which stands below another."""
        if kind == "table":
            self._open = TableLines(line, text, text.index(markers.TABLE_MARK))
            return
        dialect: Dialect = "detailed" if kind in ("detailed", "detailed record") else "classic"
        block = ListingBlock(self._context, dialect, crlf=text.endswith(b"\r\n"))
        if kind == dialect:  # a header; without one the log was cut
            header = markers.CLASSIC_HEADER
            parts = text.rpartition(b"Layers:") if kind == "detailed" else text.partition(header)
            is_word = markers.ends_in_word(parts[0])
            block.header, block.host = line, None if is_word else hosts.shape_of_prefix(parts[0])
            block.dump = dialect == "detailed" and not hosts.BUILDER.search(parts[0])
        else:  # a script has a header of its own, and prints the engine that was built
            block.header = line - 1 if hosts.HEADING.search(above) else None
            again = bool(self.listings) and self.listings[-1].begins_with(text)
            block.dump = dialect == "detailed" or again
        lines = ListingLines(block, text, self.limit, lambda at: margin(self.tail[-1], at))
        self._open = lines
        if kind != dialect:
            lines.take(line, text)
        elif kind == "classic" and (record := markers.CLASSIC_RECORD.search(text)):
            lines.add(line, record.start(), text)  # a lost newline

    # ---- inside a block ----------------------------------------------------------------------

    def _inside(self, data: bytes, begin: int, stop: int, line: int) -> tuple[int, int]:
        assert self._open is not None
        take = self._open.take
        while begin < stop:
            end = line_end(data, begin)
            if not take(line, data[begin:end]):
                self._close()
                break
            begin, line = end, line + 1
        return begin, line

    def _close(self, last: bool = False, cut: bool = False) -> None:
        """`last`: the input ended; `cut`: in the middle of a line."""
        block, self._open = self._open, None
        if isinstance(block, ListingLines):
            self._close_listing(block, last, cut)
        elif block is not None:
            is_its = self.listings and not self._context.built
            tables = self.listings[-1].tables if is_its else self.tables
            tables.append(block.table())

    def _close_listing(self, lines: ListingLines, last: bool, cut: bool) -> None:
        """Keeps the listing, if it has layers; else its lines are read as messages."""
        listing = lines.block
        if last and listing.dump and self.listings:
            # If the listing before has all of them, they are a second one, which is cut.
            bare, listed = lines.names(cut), {one.name for one in self.listings[-1].records}
            listing.bare_names += bare if listed.issuperset(one.text for one in bare) else []
        line, strays = lines.close(last, cut)
        if listing.records or listing.bare_names:
            listing.dump &= not (self.listings and self._context.built)
            if listing.dump and self.listings:
                listing.context = self.listings[-1].context  # of the engine that it shows
            else:
                self._context = BuildContext(before=listing.context)
            if self._splitter is not None:
                names = {record.name for record in listing.records}
                listing.segment = self._splitter.listed(listing.first_line, names, listing.dump)
            self.listings.append(listing)
            listing.trtexec_bindings += markers.trtexec_bindings(strays, 0, len(strays))
            self._table_may_come = True
        else:
            line = listing.header or 1
            strays = lines.opened + strays  # no header after all: they are read as messages
            begun = listing.torn or (last and lines.is_only_begun)
            is_whole = self.limit.passed is None  # else its records were not read
            if is_whole and (begun or not listing.dump) and listing.host is not None:
                self._empty.append((line, listing.host))
        stretch = markers.Stretch(strays, 0, len(strays), line)
        if self._splitter is not None:
            self._splitter.read(stretch)
        self._context.take(stretch)  # they may be the next build's
