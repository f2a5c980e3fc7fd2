"""A page as Markdown, for a comment on a pull request.

takes: blocks
gives: GitHub's Markdown
never: lets a name be markup, mention a person or link anywhere
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.errors import visible
from engine_layer_visualize.style import shorten
from engine_layer_visualize.summary.page import Advice, Block, Grid, Heading

_LONGEST: Final = 200  # characters of a cell
# Entities where a backslash would not do: mentions, references, tags, and links that start by
# themselves at a colon or a dot.
_MARKUP: Final = str.maketrans(
    {
        **{char: "\\" + char for char in "\\`*_{}[]()|!~$"},
        **{char: f"&#{ord(char)};" for char in "@#<>&:"},
    }
)
_LINKS: Final = ("www.", "WWW.")


def set_page(blocks: Iterable[Block]) -> str:
    """The page, a blank line between its blocks."""
    return "\n\n".join(map(_block, blocks)) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * (block.level + 1)} {escaped(block.text)}"
    if isinstance(block, Grid):
        return _table(block)
    if isinstance(block, Advice):  # our own words
        return f"> {block.text}"
    return escaped(block.text, 4_000)


def _table(grid: Grid) -> str:
    lines = [grid.heads, tuple("--:" if right else "---" for right in grid.right)]
    lines += [tuple(escaped(cell) for cell in row) for row in grid.rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def escaped(text: str, width: int = _LONGEST) -> str:
    """`text` as itself: nothing of it is markup."""
    shown = shorten(visible(text), width).translate(_MARKUP)
    for link in _LINKS:
        shown = shown.replace(link, link[:-1] + "&#46;")
    return shown
