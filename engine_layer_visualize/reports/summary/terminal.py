"""Blocks and a width in columns in; text for a terminal out.

No character of a name controls the terminal; a name that is shortened has an ellipsis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import NARROWEST, ReportOptions
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading
from engine_layer_visualize.documents.columns import extent, set_table, wrap
from engine_layer_visualize.reports.summary import log_pages

_LONGEST: Final = 160  # characters of a name; --full and --format json have all
_BRIEF: Final = 40  # with --brief: a row of a table is a line
_CELL: Final = 1_000  # of a sentence in a cell, which ends there
_PARAGRAPH: Final = 4_000
_BOLD, _CYAN, _GREY, _YELLOW = "1", "1;36", "90", "33"


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """A page for each engine."""
    for blocks in log_pages(found, options):
        most = _BRIEF if options.brief else _LONGEST
        yield set_page(blocks, options.width, options.color, options.full, most)


def set_page(
    blocks: Iterable[Block], width: int, color: bool, full: bool = False, most: int = _LONGEST
) -> str:
    """The page; `full`: names and cells whole, however long; else a name has `most` characters."""
    width = max(width, NARROWEST)
    longest = None if full else most

    def painted(line: str, style: str) -> str:
        return f"\x1b[{style}m{line}\x1b[0m" if color and line else line

    def lines() -> Iterator[str]:
        before: Block | None = None
        for block in blocks:
            if isinstance(block, Heading) or isinstance(before, Grid):
                yield ""
            before = block
            if isinstance(block, Heading):
                yield from _heading(block, width, longest, painted)
            elif isinstance(block, Grid):
                yield from _table(block, width, longest, painted)
            else:
                style = _YELLOW if isinstance(block, Advice) else ""
                for line in wrap(shown(block.text, longest, _PARAGRAPH), width - 2):
                    yield "  " + (painted(line, style) if style else line)

    return "".join(line + "\n" for line in lines())


_Painter: TypeAlias = Callable[[str, str], str]  # a line, a style


def _heading(heading: Heading, width: int, longest: int | None, painted: _Painter) -> Iterator[str]:
    """The lines of a heading; an engine's has a rule behind it."""
    *lines, last = wrap(shown(heading.text, longest, _PARAGRAPH), width)
    if heading.level > 1:
        yield from (painted(line, _CYAN) for line in (*lines, last))
        return
    yield from (painted(line, _BOLD) for line in lines)
    rule = "─" * (width - extent(last) - 1)
    yield painted(last, _BOLD) + (" " + painted(rule, _GREY) if rule else "")


def _table(grid: Grid, width: int, longest: int | None, painted: _Painter) -> Iterator[str]:
    rows = [tuple(shown(cell, longest, _CELL) for cell in row) for row in grid.rows]
    table = set_table(grid.heads, grid.right, rows, width - 2)
    yield from ("  " + painted(line, _GREY) for line in table.head)
    yield "  " + painted("─" * table.width, _GREY)
    yield from ("  " + line for line in table.rows)
