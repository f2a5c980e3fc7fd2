"""Blocks in; GitHub's Markdown out, such as for a comment on a pull request.

No name acts as markup, as a mention or as a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.words import Words, shown
from engine_layer_visualize.outputs.options import ReportOptions
from engine_layer_visualize.outputs.report import log_pages
from engine_layer_visualize.outputs.report.page import Advice, Block, Grid, Heading

_LONGEST: Final = 200  # characters of a name
_CELL: Final = 1_000  # of a sentence in a cell, which ends there
_PARAGRAPH: Final = 4_000
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
# Signs that mention somebody, an issue or a change. GitHub looks for them in the rendered text,
# where an entity is the sign again: a space of no width after it ends the mention.
_MENTION: Final = re.compile(r"(&#64;|&#35;|(?<!\w)GH-)(?=\w)", re.IGNORECASE)
_START: Final = re.compile(r"(?=[-+=])|(?<=\d)(?=\.)")  # of a list or a line, in a paragraph


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """A page for each engine."""
    for blocks in log_pages(found, options):
        yield set_page(blocks, options.full)


def set_page(blocks: Iterable[Block], full: bool = False) -> str:
    """The page, a blank line between its blocks; `full`: names and cells whole, however long."""
    longest = None if full else _LONGEST
    return "\n\n".join(_block(block, longest) for block in blocks) + "\n"


def _block(block: Block, longest: int | None) -> str:
    if isinstance(block, Heading):
        return f"{'#' * (block.level + 1)} {escaped(block.text, longest)}"
    if isinstance(block, Grid):
        return _table(block, longest)
    if isinstance(block, Advice):  # our own words
        return f"> {block.text}"
    return _START.sub(r"\\", escaped(block.text, longest, _PARAGRAPH).lstrip(), count=1)


def _table(grid: Grid, longest: int | None) -> str:
    lines = [grid.heads, tuple("--:" if right else "---" for right in grid.right)]
    lines += [tuple(escaped(cell, longest) for cell in row) for row in grid.rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def escaped(words: Words, longest: int | None = _LONGEST, most: int = _CELL) -> str:
    """`words` with every sign of markup escaped."""
    text = shown(words, longest, most).translate(_MARKUP)
    for link in _LINKS:
        text = text.replace(link, link[:-1] + "&#46;")
    return _MENTION.sub(r"\1&#8203;", _DOMAIN.sub(r"\.", text))
