"""A page as Markdown, for a comment on a pull request.

takes: blocks
gives: GitHub's Markdown
never: lets a name be markup, mention a person or link anywhere
"""

from __future__ import annotations

import re
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
_DOMAIN: Final = re.compile(r"(?<=\w)\.(?=[^\W\d_]{2})")
# Signs that mention somebody, an issue or a change. They are looked for in the text that is left of
# the markup, where an entity is the sign again: a space without width keeps them apart.
_MENTION: Final = re.compile(r"(&#64;|&#35;|(?<!\w)GH-)(?=\w)", re.IGNORECASE)
_START: Final = re.compile(r"(?=[-+=])|(?<=\d)(?=\.)")  # of a list or a line, in a paragraph


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
    return _START.sub(r"\\", escaped(block.text, 4_000).lstrip(), count=1)


def _table(grid: Grid) -> str:
    lines = [grid.heads, tuple("--:" if right else "---" for right in grid.right)]
    lines += [tuple(escaped(cell) for cell in row) for row in grid.rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def escaped(text: str, width: int = _LONGEST) -> str:
    """`text` as itself: nothing of it is markup."""
    shown = shorten(visible(text), width).translate(_MARKUP)
    for link in _LINKS:
        shown = shown.replace(link, link[:-1] + "&#46;")
    return _MENTION.sub(r"\1&#8203;", _DOMAIN.sub(r"\.", shown))
