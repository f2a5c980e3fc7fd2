"""What the scanner cuts a log into: `Record`, `Table` and `ListingBlock`, as lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.core.model import Dialect, InputRange
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.hosts import COLOR

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


@dataclass(slots=True, eq=False, repr=False)
class ListingBlock:
    """A listing as lines. `header`: its line; None where the records stand without one."""

    header: int | None
    context: BuildContext
    dialect: Dialect = "classic"
    host: bytes | None = None  # the shape of what stands before the header; None: not known
    crlf: bool = False  # its lines end in CR LF
    dump: bool = False  # printed of a finished engine, not while it was built
    records: list[Record] = field(default_factory=list)
    bare_names: list[Record] = field(default_factory=list)  # a detailed listing of names alone
    bindings: list[str] = field(default_factory=list)  # below it, without their direction
    io: list[tuple[str, str]] = field(default_factory=list)  # (name, Input|Output)
    ranges: list[InputRange] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    segment: Segment | None = None  # what else the log says of it, where that is asked for
    cut: bool = False  # the input ended inside the last record's line
    last: bool = False  # nothing of the build follows in the log
    torn: bool = False  # the input ended where one more record began
    quoted: bool = False  # it ends at a fence of Markdown
    fenced: bool = False  # of the last one: it stands behind a fence that is not closed
    timed: tuple[str, ...] = ()  # of the last one: layers that were timed, the last one last
    trtexec_bindings: tuple[tuple[str, str], ...] = ()  # (name, Input|Output), after it

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
        if cut < 0 or not COLOR.fullmatch(text, cut, end):
            return text[:end]
        end = cut
