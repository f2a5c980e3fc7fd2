"""A page for a terminal.

takes: blocks, the width in columns, colour or not
gives: text, set by rich
never: lets a name's characters act on the terminal
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Final

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as Words

from engine_layer_visualize.errors import visible
from engine_layer_visualize.style import shorten
from engine_layer_visualize.summary.page import Advice, Block, Grid, Heading

_LONGEST: Final = 160  # characters of a cell; --format json has all


def set_page(blocks: Iterable[Block], width: int, colour: bool) -> str:
    """The page as text with the terminal's own escapes, and none of a log's."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=max(width, 40),
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    for block in blocks:
        if isinstance(block, Heading):
            console.print()
            if block.level == 1:
                title = Words(_safe(block.text), style="bold")
                console.print(Rule(title, align="left", style="bright_black"))
            else:
                console.print(Words(_safe(block.text), style="bold cyan"))
        elif isinstance(block, Grid):
            console.print(Padding(_table(block), (0, 0, 0, 1)))
        else:
            style = "yellow" if isinstance(block, Advice) else ""
            console.print(Padding(Words(_safe(block.text, 4_000), style=style), (0, 0, 0, 2)))
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _table(grid: Grid) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=True, header_style="bright_black")
    longest = max(range(len(grid.heads)), key=lambda column: _extent(grid, column), default=0)
    for column, (head, right) in enumerate(zip(grid.heads, grid.right)):
        table.add_column(
            head,
            justify="right" if right else "left",
            overflow="fold",
            no_wrap=right,
            ratio=None,
            min_width=16 if column == longest and not right else None,
        )
    for row in grid.rows:
        table.add_row(*(Words(_safe(cell)) for cell in row))
    return table


def _extent(grid: Grid, column: int) -> int:
    return max((len(row[column]) for row in grid.rows), default=0)


def _safe(text: str, width: int = _LONGEST) -> str:
    return shorten(visible(text), width)
