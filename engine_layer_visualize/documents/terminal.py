"""Writes blocks as text for a terminal.

No character of a name controls the terminal; a name that is shortened has an ellipsis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.documents.blocks import (
    Advice,
    Block,
    Grid,
    Heading,
    extent,
    set_table,
    wrap,
)

LONGEST_NAME: Final = 160  # characters of a name; --full and --format json have all
_LONGEST_CELL: Final = 1_000  # characters of a sentence in a cell
_LONGEST_PARAGRAPH: Final = 4_000  # characters
_BOLD, _CYAN, _GREY, _YELLOW = "1", "1;36", "90", "33"  # parameters of the escape sequence

_StyledLine: TypeAlias = "tuple[tuple[str, str], ...]"  # texts, each with its style


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
    lines = _lines(blocks, max(width, NARROWEST), None if full else longest_name)
    if color:
        return "".join("".join(_painted(*part) for part in line) + "\n" for line in lines)
    return "".join("".join(text for text, _ in line) + "\n" for line in lines)


def _painted(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style and text else text


def _lines(blocks: Iterable[Block], width: int, longest: int | None) -> Iterator[_StyledLine]:
    before: Block | None = None
    for block in blocks:
        if isinstance(block, Heading) or isinstance(before, Grid):
            yield ()
        before = block
        if isinstance(block, Heading):
            yield from _heading(block, width, longest)
        elif isinstance(block, Grid):
            yield from _table(block, width - 2, longest)
        else:
            style = _YELLOW if isinstance(block, Advice) else ""
            for line in wrap(shown(block.text, longest, _LONGEST_PARAGRAPH), width - 2):
                yield ("  ", ""), (line, style)


def _heading(heading: Heading, width: int, longest: int | None) -> Iterator[_StyledLine]:
    """Yields the lines of a heading; an engine's has a rule behind it."""
    *lines, last = wrap(shown(heading.text, longest, _LONGEST_PARAGRAPH), width)
    style = _CYAN if heading.level > 1 else _BOLD
    yield from (((line, style),) for line in lines)
    rule = "─" * (width - extent(last) - 1) if heading.level == 1 else ""
    yield (last, style), (" " if rule else "", ""), (rule, _GREY)


def _table(grid: Grid, width: int, longest: int | None) -> Iterator[_StyledLine]:
    rows = [tuple(shown(cell, longest, _LONGEST_CELL) for cell in row) for row in grid.rows]
    head, rule, body = set_table(grid.heads, grid.right, rows, width)
    yield from ((("  ", ""), (line, _GREY)) for line in (*head, "─" * rule))
    yield from ((("  " + line, ""),) for line in body)
