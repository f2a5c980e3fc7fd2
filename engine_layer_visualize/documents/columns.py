"""Texts and a width in columns in; the lines of paragraphs and tables for a terminal out.

Only the blanks at which a line breaks are dropped. A cell that does not fit beside the others is
printed below its row, with the head of its column.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

_GAP: Final = 2  # blanks between columns
_LEAST: Final = 16  # of a column of words; of numbers it is as wide as they are
_NUMBER: Final = 24  # a wider cell is no number
_BELOW: Final = 6  # blanks before what stands below a row
_SAMPLE: Final = 50  # rows that decide the layout of a table
_WORTH: Final = 1.15  # a plain table may have so many times the lines
_EMPTY: Final = ("", "–")
_UNIT: Final = re.compile(r" (?:%|ns|µs|ms|s|B|KiB|MiB|GiB)(?!\w)")
_SOFT: Final = frozenset("_/.,:;|)]}=")  # a word too long for its line breaks after these


class TextTable(NamedTuple):
    """`head` and `rows` are lines; a rule of `width` belongs between them."""

    head: tuple[str, ...]
    width: int
    rows: tuple[str, ...]


# ---------------------------------------------------------------- text


def extent(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=1 << 12)
def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at blanks, which are dropped; a word that is wider
    is broken inside. A number stays together with its sign and its unit.
    """
    lines: list[str] = []
    at, end = 0, len(text)
    plain = text.isascii()
    while at < end:
        while at < end and text[at] == " ":
            at += 1
        stop = at + width if plain else _reach(text, at, width)
        if stop >= end:
            lines.append(text[at:].rstrip(" "))
            break
        cut = _cut(text, at, stop)
        lines.append(text[at:cut].rstrip(" "))
        at = cut
    return [line for line in lines if line] or [""]


def _reach(text: str, at: int, width: int) -> int:
    """The end of what fits, after at least one character."""
    stop, room = at, width
    while stop < len(text) and (room := room - _cells(text[stop])) >= 0:
        stop += 1
    return max(stop, at + 1)


def _cut(text: str, at: int, stop: int) -> int:
    """Where the line that begins at `at` ends; `stop` is the furthest."""
    blank = text.rfind(" ", at + 1, stop + 1)
    while blank > at and text[blank - 1].isdigit() and _UNIT.match(text, blank):
        blank = text.rfind(" ", at + 1, blank)
    if blank > at + (stop - at) // 3:
        return blank
    # The word that does not fit: would it, on a line of its own?
    last = blank + 1 + stop - at
    if blank > at and (last >= len(text) or text.find(" ", stop, last + 1) >= 0):
        return blank
    middle = at + (stop - at) // 2
    for cut in range(stop, middle, -1):
        if text[cut - 1] in _SOFT and not text[cut].isdigit():
            return cut
    return next((cut for cut in range(stop, middle - 1, -1) if not _in_number(text, cut)), stop)


def _in_number(text: str, at: int) -> bool:
    """Whether a line that ends at `at` would divide a number."""
    return text[at].isdigit() and text[at - 1].isdigit()


# ---------------------------------------------------------------- tables


def set_table(
    heads: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]], width: int
) -> TextTable:
    """A table of at most `width` columns; `right`: which of its columns hold numbers.

    Cells of columns that do not fit, or that would make it much longer, are printed below their
    rows.
    """
    key = next((n for n, number in enumerate(right) if not number), 0)
    wide = [max(map(extent, (head, *cells))) for head, cells in zip(heads, _turned(heads, rows))]
    # The first to be printed below their rows: wide words, then the last numbers.
    order = sorted(range(len(heads)), key=lambda n: (right[n], -n if right[n] else -wide[n]))
    leaving = [n for n in order if n != key]
    found: list[tuple[int, list[int], list[int]]] = []  # lines of the sample, columns, widths
    for count in range(len(leaving) + 1):
        columns = sorted({*range(len(heads))} - {*leaving[:count]})
        if (widths := _widths(heads, right, rows, columns, width)) is not None:
            some = _rows(heads, right, rows[:_SAMPLE], columns, widths, width)
            found.append((len(list(some)), columns, widths))
    best = min(lines for lines, _, _ in found)
    _, columns, widths = next(f for f in found if f[0] <= best * _WORTH)
    head = _row([heads[n] for n in columns], [right[n] for n in columns], widths, low=True)
    body = _rows(heads, right, rows, columns, widths, width)
    return TextTable(tuple(head), sum(widths) + _GAP * (len(widths) - 1), tuple(body))


def _turned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[row[n] for row in rows] for n in range(len(heads))]


def _widths(
    heads: Sequence[str],
    right: Sequence[bool],
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    width: int,
) -> list[int] | None:
    """The widths of `columns`; None where they do not fit. A single one always does."""
    room = width - _GAP * (len(columns) - 1)
    cells = [max((extent(row[n]) for row in rows), default=0) for n in columns]
    whole = [max(own, extent(heads[n])) for n, own in zip(columns, cells)]
    words = [max(map(extent, heads[n].split(" "))) for n in columns]
    least = [
        max(word, own if right[n] and own <= _NUMBER else min(own, _LEAST))
        for n, word, own in zip(columns, words, cells)
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
    """Widths that fit into `room`, for cells of as few lines as that allows."""
    lines = 1  # of the longest cell, were every column as wide as that needs
    while True:
        need = [
            max(low, min(own, own // lines + (6 if lines > 1 else 0)))
            for low, own in zip(least, cells)
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
    """The lines of all rows, each with the cells of other columns below it."""
    numbers = [right[n] for n in columns]
    below = [n for n in range(len(heads)) if n not in columns]
    for row in rows:
        yield from _row([row[n] for n in columns], numbers, widths)
        cells = [f"{heads[n]}: {row[n]}" for n in below if row[n] not in _EMPTY]
        yield from (" " * _BELOW + line for line in _flowing(cells, width - _BELOW))


def _row(
    cells: Sequence[str], right: Sequence[bool], widths: Sequence[int], low: bool = False
) -> Iterator[str]:
    """The lines of one row; `low`: short cells stand on its last line."""
    columns = [wrap(cell, width) for cell, width in zip(cells, widths)]
    height = max(map(len, columns))
    for number in range(height):
        line = ""
        for lines, number_column, width in zip(columns, right, widths):
            at = number - (height - len(lines) if low else 0)
            own = lines[at] if 0 <= at < len(lines) else ""
            blanks = " " * (width - extent(own))
            line += (blanks + own if number_column else own + blanks) + " " * _GAP
        yield line.rstrip(" ")


def _flowing(texts: Sequence[str], width: int) -> Iterator[str]:
    """The texts in lines, several in one where they fit."""
    line = ""
    for text in texts:
        if line and extent(line) + 3 + extent(text) > width:
            yield from wrap(line, width)
            line = ""
        line += ("   " if line else "") + text
    if line:
        yield from wrap(line, width)
