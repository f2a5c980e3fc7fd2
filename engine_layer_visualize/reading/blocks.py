"""What the scanner cuts a log into: `Record`, `Table`, `ListingBlock`, and how it is filled.

What is a record of a listing depends on what it is:

    classic       `Layer(` begins a record
    detailed      `Name: ` begins one, where a layer's type follows; under a dump's header lines may
                  be bare names until the first record
    BindingLines  below detailed records, `Bindings:` or `I/O Tensors:`: no more records

A line that is no record is a stray: the rest of a name that holds newlines, or another program's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.core.model import Dialect, InputRange, ProfileShapes
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading import hosts, markers
from engine_layer_visualize.reading.build_context import BuildContext

if TYPE_CHECKING:
    from engine_layer_visualize.reading.segments import Segment

_LONGEST_COLOR: Final = 32


class Record(NamedTuple):
    """One record's lines: `text` from `Layer(` or `Name: ` on; `tail`: the strays after it.

    `line` and `column` (1-based) say where the text starts.
    """

    line: int
    column: int
    text: bytes
    tail: tuple[bytes, ...] = ()

    @property
    def name(self) -> bytes:
        """The layer's name as far as its first separator."""
        rest = self.text.partition(b": ")[2]
        return rest.partition(b", Tactic: ")[0].partition(b", LayerType: ")[0]


class Table(NamedTuple):
    """A printed profile table: (line number, text without the host's prefix), header first.

    `cut`: it has no row of totals, which is the last that trtexec prints.
    """

    line: int
    lines: tuple[tuple[int, str], ...]
    cut: bool = False


class ListingBlock:
    """A listing as lines."""

    def __init__(self, context: BuildContext, dialect: Dialect, crlf: bool) -> None:
        self.context = context
        self.dialect = dialect
        self.crlf = crlf  # its lines end in CR LF
        self.header: int | None = None  # its line; None where the records stand without one
        self.host: bytes | None = None  # the shape of what stands before the header, where known
        self.dump = False  # printed of a finished engine, not while it was built
        self.records: list[Record] = []
        self.bare_names: list[Record] = []  # a detailed listing of names alone
        self.bindings: list[str] = []  # below it, without their direction
        self.io: list[tuple[str, str]] = []  # (name, Input|Output)
        self.ranges: list[InputRange] = []
        self.tables: list[Table] = []
        self.segment: Segment | None = None  # what else the log says of it, where that is asked for
        self.cut = False  # the input ended inside the last record's line
        self.last = False  # nothing of the build follows in the log
        self.torn = False  # the input ended where one more record began
        self.quoted = False  # it ends at a fence of Markdown
        self.fenced = False  # of the last one: it stands behind a fence that is not closed
        self.trtexec_bindings: tuple[tuple[str, str], ...] = ()  # (name, Input|Output), after it

    def begins_with(self, text: bytes) -> bool:
        """Whether a line is its first record, printed once more."""
        return bool(self.records) and trimmed(text).endswith(trimmed(self.records[0].text))

    @property
    def first_line(self) -> int:
        """The header's line, else the first record's."""
        return self.header or (self.records or self.bare_names)[0].line

    @property
    def last_line(self) -> int:
        """The last record's line."""
        return (self.records or self.bare_names)[-1].line


def ended(text: bytes, crlf: bool) -> bytes:
    """Takes the newline away. Where lines end in LF alone, a CR is a part of what was printed."""
    return text.removesuffix(b"\n").removesuffix(b"\r" if crlf else b"")


def trimmed(text: bytes) -> bytes:
    """Takes away the newline, blanks at the end and colours that are switched off there."""
    end = len(text)
    while True:
        while end and text[end - 1] in b" \t\r\n":
            end -= 1
        if not end or text[end - 1] not in b"mK":
            return text[:end]
        cut = text.rfind(b"\x1b", max(0, end - _LONGEST_COLOR), end)
        if cut < 0 or not hosts.COLOR.fullmatch(text, cut, end):
            return text[:end]
        end = cut


_MOST_NAME: Final = 1 << 13  # bytes; TensorRT cuts names at 4,095


class BindingLines:
    """The lines below a detailed listing, which name the engine's inputs and outputs.

    `host`: what stands before a record on its line, and so before these lines.
    """

    def __init__(self, listing: ListingBlock, section: bytes, host: bytes) -> None:
        self._listing, self._section, self._host = listing, section, host
        self._unended = b""  # the start of an input's or output's line: a name may hold newlines
        self._spaced = False  # a blank line stood below a name

    def take(self, text: bytes) -> bool:
        """Takes the line in; False where it is no longer of the listing."""
        text = hosts.without_host(text, self._host)
        bare = trimmed(text)
        if bare == markers.METADATA:
            self._section = markers.METADATA
        elif self._section == markers.METADATA:
            return bare.startswith(b" ")
        elif self._section == markers.IO:
            return self._take_io(bare, ended(text, self._listing.crlf))
        elif bare and self._is_binding(bare, text):
            self._listing.bindings.append(decode(bare))
        else:
            self._spaced |= not bare and bool(self._listing.bindings)
            return not bare and (bool(self._listing.records) or not self._spaced)
        return True

    def _take_io(self, bare: bytes, text: bytes) -> bool:
        if match := markers.IO_LINE.match(self._unended + bare):
            name = decode(match[1])
            self._listing.io.append((name, match[2].decode()))
            shapes = markers.SHAPES.findall(self._unended + bare, match.end())
            profiles = tuple(ProfileShapes(*map(_extents, three)) for three in shapes)
            if len({shape for profile in profiles for shape in profile}) > 1:
                self._listing.ranges.append(InputRange(name, profiles))
            self._unended = b""
            return True
        if self._unended or bare.startswith(b" Name: "):
            self._unended += text + b"\n"
            return len(self._unended) <= _MOST_NAME
        return not bare

    def _is_binding(self, bare: bytes, text: bytes) -> bool:
        """Whether it is a name. Where a host writes before every line, a record must mention it."""
        if self._listing.records and (self._host or self._spaced or b" " in bare):  # as messages
            mention = b"Name: " + bare + b", "
            return any(mention in record.text for record in self._listing.records)
        return not (_ends(text) or bare in (markers.BINDINGS, markers.IO))

    def is_message(self, text: bytes) -> bool:
        """Whether it may be another program's line among names."""
        is_here = self._section == markers.BINDINGS and bool(self._listing.bindings)
        is_here = is_here and not self._spaced
        return is_here and b" " in text.strip() and not _ends(text)


def _ends(text: bytes) -> bool:
    """Whether a line is another listing's, a logger's or a page's."""
    found = markers.is_header(text) or markers.FENCE.match(text) or hosts.PREFIXED.match(text)
    return bool(found)


def _extents(words: bytes) -> tuple[int, ...]:
    return tuple(int(word) for word in words.split(b",") if 0 < len(word) < 19)


_MOST_STRAYS: Final = 16  # a listing has ended after so many in a row
_MOST_NAMES: Final = 50_000  # of a dump of names; `Layers:` may be another program's word
_MOST_TAIL: Final = 64  # strays kept after a record, in case its name holds newlines


class Limit:
    """How many layers may still be read. `passed`: the line of the first one that was not."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.passed: int | None = None


class ListingLines:
    """The lines of one listing, as they come; `block` is filled with them.

    `opened`: the line that opened it. `margin`: how many characters were taken off the start of a
    line.
    """

    def __init__(
        self, block: ListingBlock, opened: bytes, limit: Limit, margin: Callable[[int], int]
    ) -> None:
        self.block, self.opened = block, opened
        self._limit, self._margin = limit, margin
        self._is_detailed = block.dialect == "detailed"
        self._names_may_come = self._is_detailed and block.dump and block.header is not None
        self._below: BindingLines | None = None
        self._host = b""  # what stands before a record on its line
        self._strays: list[bytes] = []  # lines since the last record, blank ones too
        self._stray_count = 0  # those that are not blank
        self._stray_line = 0

    def take(self, line: int, text: bytes) -> bool:
        """Takes the line in; False where it is no longer of the listing."""
        if self._below is not None:
            if self._below.take(text):
                self._keep_strays()
                return True
            if self._strays or not self._below.is_message(text):
                return False
            self._strays, self._stray_line = [text], line  # one does not end the names
            return True
        if self._is_detailed:
            column = markers.detailed_start(text, 0, len(text))
        else:
            record = markers.CLASSIC_RECORD.search(text)
            column = record.start() if record else -1
        if column >= 0:
            if self._is_printed_again(text):
                return False
            self.add(line, column, text)
            return True
        if self._is_detailed and self._ends_a_name(text):
            return True
        if markers.FENCE.match(text):
            self.block.quoted = True
            return False
        if markers.is_header(text) and not self._is_rest(text):
            return False
        bare, is_blank = trimmed(text), not text.strip()
        section = next((s for s in (markers.BINDINGS, markers.IO) if bare.endswith(s)), b"")
        if section and self._is_detailed and (self.block.records or self._strays):
            self.block.bare_names += self.names()  # strays, without a record
            self._keep_strays()
            self._below = BindingLines(self.block, section, self._host)
            return True
        if not is_blank and self._stray_count >= _MOST_STRAYS and not self._may_be_name(text):
            return False
        self._stray_line = self._stray_line or line
        if not is_blank or len(self._strays) < _MOST_TAIL:
            self._strays.append(text)
            self._stray_count += not is_blank
        return True

    def close(self, last: bool = False, cut: bool = False) -> tuple[int, bytes]:
        """Ends the listing. Returns the line of the first stray at its end, and the strays.

        `last`: the input ended; `cut`: in the middle of a line.
        """
        block, strays = self.block, [stray for stray in self._strays if stray.strip()]
        block.cut = cut and not self._strays
        *others, torn = strays or [b""]  # a record may begin below `...more`
        begun = bool(strays) and all(map(markers.LEFT_OUT.match, others))
        block.torn = cut and begun and self._begins_a_record(torn)
        block.last = last and (block.torn or not any(map(self._is_logged, strays)))
        left = self._stray_line, b"".join(self._strays)
        self._keep_strays()
        return left

    def add(self, line: int, column: int, text: bytes) -> None:
        """Adds the record that starts at `column` of `text`."""
        if not self._limit.left:
            self._limit.passed = self._limit.passed or line
            return
        self._limit.left -= 1
        self._names_may_come = False
        if self._stray_line:
            self._keep_strays()
        self._host = text[:column]
        shown = len(decode(self._host)) + self._margin(line)
        self.block.records.append(Record(line, shown + 1, ended(text[column:], self.block.crlf)))

    @property
    def is_only_begun(self) -> bool:
        """Whether a logger wrote the header, and nothing stands below it."""
        return not self._strays and hosts.PREFIXED.match(self.opened) is not None

    def names(self, cut: bool = False) -> list[Record]:
        """The strays of a dump as bare names. `cut`: the input ended in the last one."""
        if not self._names_may_come or any(map(hosts.PREFIXED.match, self._strays)):
            return []
        strays = enumerate(self._strays[: len(self._strays) - cut], self._stray_line)
        return [Record(line, 1, trimmed(stray)) for line, stray in strays if stray.strip()]

    def _is_printed_again(self, text: bytes) -> bool:
        """Whether a script, which writes a line above, prints the listing once more."""
        headed = bool(self._strays) and self._strays[-1].rstrip().endswith(b":")
        return headed and self.block.begins_with(text)

    def _ends_a_name(self, text: bytes) -> bool:
        """Whether it is the rest of a detailed record whose own name holds newlines."""
        if not markers.TYPE.search(text):
            return False
        for back in range(len(self._strays) - 1, -1, -1):
            column = self._strays[back].find(markers.NAME)
            if column >= 0:
                whole, line = b"".join(self._strays[back:]) + text, self._stray_line + back
                whole = whole.replace(b"\r\n", b"\n") if self.block.crlf else whole
                self._strays = self._strays[:back]
                self._stray_count = sum(bool(stray.strip()) for stray in self._strays)
                self.add(line, column, whole)
                return True
        return False

    def _is_rest(self, text: bytes) -> bool:
        """Whether a header is only words in a name: after a newline in an unended record."""
        records = self.block.records
        if self._is_detailed or not records or self._stray_count:
            return False
        mark = next((m for m in (markers.CLASSIC_HEADER, b"Layers:") if m in text), b"")
        is_word = bool(mark) and markers.ends_in_word(text[: text.index(mark)])
        return is_word and not trimmed(records[-1].text).endswith((b")", b"]", b"->"))

    def _begins_a_record(self, torn: bytes) -> bool:
        """Whether the line in which the input ended may be one more record."""
        begun = markers.NAME if self._is_detailed else b"Layer("
        words = hosts.without_host(torn, self._host).lstrip()
        if words.startswith(begun) or begun.startswith(words):
            return True
        others = [words for words, _, _ in hosts.OTHER_LOGGERS]
        every = [self._host, *others] if self._host.strip() else []
        shape = hosts.shape_of_prefix(torn)
        return any(hosts.shape_of_prefix(host).startswith(shape) for host in every)

    def _is_logged(self, stray: bytes) -> bool:
        """Whether a logger wrote it: a listing goes out in one piece, so it has ended before."""
        if hosts.PREFIXED.match(stray):
            return True
        host = self.block.host or b""
        if not host.strip():
            return False
        begun = hosts.shape_of_prefix(stray[: hosts.LONGEST])
        return begun.startswith(host) or host.startswith(hosts.shape_of_prefix(stray))

    def _keep_strays(self) -> None:
        """Lines after a record may be the rest of it: a name can hold a newline."""
        records = self.block.records
        if records and self._stray_count:
            tail = tuple(ended(stray, self.block.crlf) for stray in self._strays)
            records[-1] = records[-1]._replace(tail=tail)
        self._strays, self._stray_count, self._stray_line = [], 0, 0

    def _may_be_name(self, text: bytes) -> bool:
        """Whether it is one more bare name: these stand one a line, up to a blank line."""
        may_come = self._names_may_come and self._stray_count < _MOST_NAMES
        return may_come and bool(self._strays[-1].strip()) and not hosts.PREFIXED.match(text)
