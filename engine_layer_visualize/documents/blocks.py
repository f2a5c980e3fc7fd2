"""Defines the blocks of a report: headings, paragraphs, tables, advice; and their lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import dims, milliseconds, percent
from engine_layer_visualize.core.words import Name, Sentence, Words

# ---- defines the blocks of a page: headings, paragraphs, tables, advice; and the texts of -------

# Sections make blocks; `terminal` and `markdown` write them as text.


class Heading(NamedTuple):
    """The title of a section."""

    text: str
    level: int = 2  # 1: of an engine


class Paragraph(NamedTuple):
    """Sentences."""

    text: Words


class Advice(NamedTuple):
    """What to run to get data that is missing."""

    text: str


class Grid(NamedTuple):
    """A table."""

    columns: tuple[str, ...]  # the heads; a column whose head begins with `>` is set to the right
    rows: tuple[tuple[Words, ...], ...]

    def filled(self) -> Grid:
        """Returns the table without empty columns; the first one stays."""
        cells = [{row[column] for row in self.rows} for column in range(len(self.columns))]
        return self._of([n for n, texts in enumerate(cells) if not n or texts - {"–", ""}])

    def without(self, column: int) -> Grid:
        """Returns the other columns."""
        return self._of([n for n in range(len(self.columns)) if n != column])

    def only(self, *heads: str) -> Grid:
        """Returns only the columns whose heads begin with one of these words."""
        return self._of([n for n, head in enumerate(self.heads) if head.split(" ")[0] in heads])

    def _of(self, kept: list[int]) -> Grid:
        rows = tuple(tuple(row[column] for column in kept) for row in self.rows)
        return Grid(tuple(self.columns[column] for column in kept), rows)

    @property
    def heads(self) -> tuple[str, ...]:
        """The texts above the columns."""
        return tuple(column.removeprefix(">") for column in self.columns)

    @property
    def right(self) -> tuple[bool, ...]:
        """Which columns are set to the right."""
        return tuple(column.startswith(">") for column in self.columns)


Block: TypeAlias = Heading | Paragraph | Advice | Grid


def ms(value: float | None) -> str:
    """Returns a time in ms for a cell; `–` where there is none."""
    return "–" if value is None else milliseconds(value)


def part(value: float | None) -> str:
    """Returns a share from 0 to 1 for a cell; `–` where there is none."""
    return "–" if value is None else percent(value)


def word(value: object) -> str:
    """Returns any value for a cell; `–` where there is none."""
    return "–" if value is None or value == "" else str(value)


def shapes(value: str | None) -> str:
    """Returns `[1×64×56×56] [1×64]`, dims of tensors for a cell; `–` where there is none."""
    return word(dims(value or ""))


def sentence(value: JsonValue) -> Words:
    """Returns a sentence for a cell, with its names where it knows them."""
    return value.words if isinstance(value, Sentence) else str(value)


def called(value: str | None) -> Words:
    """Returns a name for a cell; `–` where there is none."""
    return "–" if value is None or value == "" else Name(value)


# ---- breaks paragraphs and tables into lines for a terminal -------------------------------------

# Only the blanks at which a line breaks are dropped. A cell that does not fit beside the others
# is
# printed below its row, with the head of its column: the tables of `rich` would break it inside
# of
# names, over many more lines.


_GAP: Final = 2  # blanks between columns
_LEAST_WIDTH: Final = 16  # of a column of words; a column of numbers is as wide as they are
_WIDEST_NUMBER: Final = 24  # a wider cell is no number
_INDENT: Final = 6  # blanks before what stands below a row
_MOST_SAMPLED: Final = 50  # rows that decide the layout of a table
_PLAIN_IS_WORTH: Final = 1.15  # times the lines of a table with cells below their rows
_EMPTY: Final = ("", "–")
_UNIT: Final = re.compile(r" (?:%|ns|µs|ms|s|B|KiB|MiB|GiB)(?!\w)")
_SOFT: Final = frozenset("_/.,:;|)]}=")  # a word too long for its line breaks after these


class TextTable(NamedTuple):
    """The lines of a table."""

    head: tuple[str, ...]
    width: int  # of the rule between head and rows
    rows: tuple[str, ...]


def extent(text: str) -> int:
    """Returns how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=1 << 12)
def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """Returns lines of at most `width` columns, broken at blanks, which are dropped.

    A word that is wider is broken inside. A number stays together with its sign and its unit.
    """
    lines: list[str] = []
    start, end = 0, len(text)
    plain = text.isascii()
    while start < end:
        while start < end and text[start] == " ":
            start += 1
        stop = start + width if plain else _reach(text, start, width)
        cut = end if stop >= end else _cut(text, start, stop)
        lines.append(text[start:cut].rstrip(" "))
        start = cut
    return [line for line in lines if line] or [""]


def _reach(text: str, start: int, width: int) -> int:
    """Returns the end of what fits, after at least one character."""
    stop, room = start, width
    while stop < len(text) and (room := room - _cells(text[stop])) >= 0:
        stop += 1
    return max(stop, start + 1)


def _cut(text: str, start: int, stop: int) -> int:
    """Returns where the line that begins at `start` ends; `stop` is the furthest."""
    blank = text.rfind(" ", start + 1, stop + 1)
    while blank > start and text[blank - 1].isdigit() and _UNIT.match(text, blank):
        blank = text.rfind(" ", start + 1, blank)
    if blank > start + (stop - start) // 3:
        return blank
    # The word that does not fit: would it, on a line of its own?
    last = blank + 1 + stop - start
    if blank > start and (last >= len(text) or text.find(" ", stop, last + 1) >= 0):
        return blank
    middle = start + (stop - start) // 2
    for cut in range(stop, middle, -1):
        if text[cut - 1] in _SOFT and not text[cut].isdigit():
            return cut
    for cut in range(stop, middle - 1, -1):
        if not (text[cut].isdigit() and text[cut - 1].isdigit()):  # no number is divided
            return cut
    return stop


def set_table(
    heads: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]], width: int
) -> TextTable:
    """Returns a table, in which cells may stand below their rows.

    These are of columns that do not fit, or that would make the table much longer.

    Args:
        heads: The texts above the columns.
        right: Which of the columns hold numbers.
        rows: The texts of the cells.
        width: The most columns of the terminal that the table takes.
    """
    key = next((n for n, number in enumerate(right) if not number), 0)
    wide = [max(extent(row[n]) for row in (heads, *rows)) for n in range(len(heads))]
    # The first to be printed below their rows: wide words, then the last numbers.
    order = sorted(range(len(heads)), key=lambda n: (right[n], -n if right[n] else -wide[n]))
    leaving = [n for n in order if n != key]
    layouts: list[tuple[int, list[int], list[int]]] = []  # lines of the sample, columns, widths
    for count in range(len(leaving) + 1):
        columns = sorted({*range(len(heads))} - {*leaving[:count]})
        if (widths := _widths(heads, right, rows, columns, width)) is not None:
            sample = _rows(heads, right, rows[:_MOST_SAMPLED], columns, widths, width)
            layouts.append((len(list(sample)), columns, widths))
    least = min(lines for lines, _, _ in layouts)
    _, columns, widths = next(each for each in layouts if each[0] <= least * _PLAIN_IS_WORTH)
    head = _row([heads[n] for n in columns], [right[n] for n in columns], widths, low=True)
    body = _rows(heads, right, rows, columns, widths, width)
    return TextTable(tuple(head), sum(widths) + _GAP * (len(widths) - 1), tuple(body))


def _widths(
    heads: Sequence[str],
    right: Sequence[bool],
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    width: int,
) -> list[int] | None:
    """Returns the widths of `columns`; None where they do not fit. A single one always does."""
    room = width - _GAP * (len(columns) - 1)
    cells = [max((extent(row[n]) for row in rows), default=0) for n in columns]
    whole = [max(cell, extent(heads[n])) for n, cell in zip(columns, cells)]
    words = [max(map(extent, heads[n].split(" "))) for n in columns]
    least = [
        max(word, cell if right[n] and cell <= _WIDEST_NUMBER else min(cell, _LEAST_WIDTH))
        for n, word, cell in zip(columns, words, cells)
    ]
    if len(columns) == 1:
        return [min(whole[0], room)]
    if sum(least) > room:
        return None
    widths = _narrowed(least, cells, room)
    for n in sorted(range(len(columns)), key=lambda n: whole[n]):
        widths[n] += min(room - sum(widths), whole[n] - widths[n])
    return widths


def _narrowed(least: list[int], cells: list[int], room: int) -> list[int]:
    """Returns widths that fit into `room`, for cells of as few lines as that allows."""
    lines = 1  # of the longest cell, were every column as wide as that needs
    while True:
        need = [
            max(low, min(cell, cell // lines + (6 if lines > 1 else 0)))
            for low, cell in zip(least, cells)
        ]
        if sum(need) <= room or need == least:
            return need
        lines += 1


def _rows(
    heads: Sequence[str],
    right: Sequence[bool],
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    widths: Sequence[int],
    width: int,
) -> Iterator[str]:
    """Yields the lines of all rows, each with the cells of other columns below it."""
    numbers = [right[n] for n in columns]
    below = [n for n in range(len(heads)) if n not in columns]
    for row in rows:
        yield from _row([row[n] for n in columns], numbers, widths)
        cells = [f"{heads[n]}: {row[n]}" for n in below if row[n] not in _EMPTY]
        yield from (" " * _INDENT + line for line in _flowing(cells, width - _INDENT))


def _row(
    cells: Sequence[str], right: Sequence[bool], widths: Sequence[int], low: bool = False
) -> Iterator[str]:
    """Yields the lines of a row; `low`: short cells stand on its last line."""
    columns = [wrap(cell, width) for cell, width in zip(cells, widths)]
    height = max(map(len, columns))
    for number in range(height):
        line = ""
        for lines, number_column, width in zip(columns, right, widths):
            place = number - (height - len(lines) if low else 0)
            text = lines[place] if 0 <= place < len(lines) else ""
            blanks = " " * (width - extent(text))
            line += (blanks + text if number_column else text + blanks) + " " * _GAP
        yield line.rstrip(" ")


def _flowing(texts: Sequence[str], width: int) -> Iterator[str]:
    """Yields the texts in lines, several in one where they fit."""
    line = ""
    for text in texts:
        if line and extent(line) + 3 + extent(text) > width:
            yield from wrap(line, width)
            line = ""
        line += ("   " if line else "") + text
    if line:
        yield from wrap(line, width)
