"""Writes blocks as text for a terminal, and breaks paragraphs and tables into its lines.

No character of a name controls the terminal; a name that is shortened has an ellipsis.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.text import NARROWEST, WIDTH
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading

LONGEST_NAME: Final = 160  # characters of a name; --full and --format json have all
_MOST_COLUMNS: Final = 1 << 16
_LONGEST_CELL: Final = 1_000  # characters of a sentence in a cell
_LONGEST_PARAGRAPH: Final = 4_000  # characters
_BOLD, _CYAN, _GREEN, _RED = "1", "1;36", "1;32", "1;31"
_GREY, _YELLOW = "90", "33"  # parameters of the escape sequence


def columns() -> int:
    """Returns the width of the terminal: COLUMNS, else its own; without one that of a report.

    `shutil` has the same, but imports what reads archives.
    """
    try:
        told = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        told = 0
    try:
        return min(told, _MOST_COLUMNS) if told > 0 else os.get_terminal_size(1).columns or WIDTH
    except (AttributeError, OSError):  # the output is closed, or no terminal
        return WIDTH


def set_page(
    blocks: Iterable[Block],
    width: int,
    color: bool,
    full: bool = False,
    longest_name: int = LONGEST_NAME,
) -> str:
    """Returns the text of a page.

    Args:
        blocks: What the page says.
        width: The columns of the terminal.
        color: Whether headings, rules and advice are coloured.
        full: Whether names and cells are whole, however long.
        longest_name: The most characters of a name, without `full`.
    """
    width, longest = max(width, NARROWEST), None if full else longest_name
    lines: list[str] = []
    before: Block | None = None

    def paint(text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if color and style and text else text

    for block in blocks:
        if isinstance(block, Heading) or isinstance(before, Grid):
            lines.append("")
        before = block
        if isinstance(block, Heading):
            several = wrap(shown(block.text, longest, _LONGEST_PARAGRAPH), width)
            style = _CYAN if block.level > 1 else _BOLD
            if block.is_good is not None:
                style = _GREEN if block.is_good else _RED
            lines += [paint(line, style) for line in several]
            room = width - extent(several[-1]) - 1
            if block.level == 1 and room > 0:  # of an engine
                lines[-1] += f" {paint('─' * room, _GREY)}"
        elif isinstance(block, Grid):
            rows = [[shown(cell, longest, _LONGEST_CELL) for cell in row] for row in block.rows]
            head, wide, body = set_table(block.heads, block.right, rows, width - 2)
            lines += ["  " + paint(line, _GREY) for line in (*head, "─" * wide)]
            lines += ["  " + line for line in body]
        else:
            style = _YELLOW if isinstance(block, Advice) else ""
            several = wrap(shown(block.text, longest, _LONGEST_PARAGRAPH), width - 2)
            lines += ["  " + paint(line, style) for line in several]
    return "".join(f"{line}\n" for line in lines)


# ---- lines ---------------------------------------------------------------------------------------

_UNIT: Final = lazy(r" (?:%|ns|µs|ms|s|B|KiB|MiB|GiB)(?!\w)")
_SOFT: Final = frozenset("_/.,:;|)]}=")  # a word too long for its line breaks after these


def extent(text: str) -> int:
    """Returns how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=1 << 12)
def _cells(char: str) -> int:
    import unicodedata  # slow to import

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


# ---- tables --------------------------------------------------------------------------------------

# A cell that does not fit beside the others is printed below its row, with the head of its column:
# the tables of `rich` would break it inside of names, over many more lines.
_GAP: Final = 2  # blanks between columns
_LEAST_WIDTH: Final = 16  # of a column of words; a column of numbers is as wide as they are
_WIDEST_NUMBER: Final = 24  # a wider cell is no number
_INDENT: Final = 6  # blanks before what stands below a row
_MOST_SAMPLED: Final = 50  # rows that decide the layout of a table
_PLAIN_IS_WORTH: Final = 1.15  # times the lines of a table with cells below their rows
_EMPTY: Final = ("", "–")


def set_table(
    heads: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[str], int, list[str]]:
    """Returns the lines of a table's head, the width of the rule below, and the lines of the rows.

    Cells may stand below their rows: those of columns that do not fit, or that would make the table
    much longer.

    Args:
        heads: The texts above the columns.
        right: Which of the columns hold numbers.
        rows: The texts of the cells.
        width: The most columns of the terminal that the table takes.
    """
    table = _Table(heads, right, rows, width)
    numbers = range(len(heads))
    key = next((n for n in numbers if not right[n]), 0)
    wide = [max(extent(row[n]) for row in (heads, *rows)) for n in numbers]
    # The first to be printed below their rows: wide words, then the last numbers.
    order = sorted(numbers, key=lambda n: (right[n], -n if right[n] else -wide[n]))
    leaving = [n for n in order if n != key]
    layouts: list[tuple[int, dict[int, int]]] = []  # with the lines of a sample
    for count in range(len(leaving) + 1):
        layout = table.layout(sorted({*numbers} - {*leaving[:count]}))
        if layout is not None:
            layouts.append((len(list(table.lines(layout, rows[:_MOST_SAMPLED]))), layout))
    least = min(lines for lines, _ in layouts)
    best = next(layout for lines, layout in layouts if lines <= least * _PLAIN_IS_WORTH)
    rule = sum(best.values()) + _GAP * (len(best) - 1)
    return list(table.row(best, heads, low=True)), rule, list(table.lines(best, rows))


class _Table(NamedTuple):
    """A table as it is given to `set_table`.

    A layout has the widths of the columns that stand beside each other; the others stand below
    their rows.
    """

    heads: Sequence[str]
    right: Sequence[bool]
    rows: Sequence[Sequence[str]]
    width: int

    def layout(self, columns: Sequence[int]) -> dict[int, int] | None:
        """Returns the layout of `columns`; None where they do not fit. A single one always does."""
        room = self.width - _GAP * (len(columns) - 1)
        cells = [max((extent(row[n]) for row in self.rows), default=0) for n in columns]
        whole = [max(cell, extent(self.heads[n])) for n, cell in zip(columns, cells)]
        words = [max(map(extent, self.heads[n].split(" "))) for n in columns]
        least = [
            max(word, cell if self.right[n] and cell <= _WIDEST_NUMBER else min(cell, _LEAST_WIDTH))
            for n, word, cell in zip(columns, words, cells)
        ]
        if len(columns) == 1:
            return {columns[0]: min(whole[0], room)}
        if sum(least) > room:
            return None
        lines = 1  # of the longest cell, were every column as wide as that needs
        while True:  # the widths that fit, for cells of as few lines as that allows
            spare = 6 if lines > 1 else 0
            widths = [max(low, min(cell, cell // lines + spare)) for low, cell in zip(least, cells)]
            if sum(widths) <= room or widths == least:
                break
            lines += 1
        for n in sorted(range(len(columns)), key=lambda n: whole[n]):
            widths[n] += min(room - sum(widths), whole[n] - widths[n])
        return dict(zip(columns, widths))

    def lines(self, layout: dict[int, int], rows: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yields the lines of all rows."""
        below, room = [n for n in range(len(self.heads)) if n not in layout], self.width - _INDENT
        for row in rows:
            yield from self.row(layout, row)
            cells = [f"{self.heads[n]}: {row[n]}" for n in below if row[n] not in _EMPTY]
            for text in joined(cells, "   ", room, extent):
                yield from (" " * _INDENT + line for line in wrap(text, room))

    def row(self, layout: dict[int, int], cells: Sequence[str], low: bool = False) -> Iterator[str]:
        """Yields the lines of a row; `low`: short cells stand on its last line."""
        columns = [wrap(cells[n], width) for n, width in layout.items()]
        height = max(map(len, columns))
        for number in range(height):
            line = ""
            for lines, (n, width) in zip(columns, layout.items()):
                place = number - (height - len(lines) if low else 0)
                text = lines[place] if 0 <= place < len(lines) else ""
                blanks = " " * (width - extent(text))
                line += (blanks + text if self.right[n] else text + blanks) + " " * _GAP
            yield line.rstrip(" ")


def joined(
    texts: Iterable[str], joint: str, width: int, measure: Callable[[str], int]
) -> Iterator[str]:
    """Yields texts in lines, several in one where they fit; none is broken."""
    line = ""
    for text in texts:
        if line and measure(line) + len(joint) + measure(text) > width:
            yield line
            line = ""
        line = f"{line}{joint}{text}" if line else text
    if line:
        yield line
