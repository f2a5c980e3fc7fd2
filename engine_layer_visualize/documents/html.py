"""Writes blocks as HTML, which needs no network and no script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from engine_layer_visualize.core.words import Name, Words, safe
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading

_MOST: Final = 4_000  # characters of a sentence


def elements(blocks: Iterable[Block], longest_name: int) -> Iterator[str]:
    """Yields the blocks as elements of a page; a name has at most so many characters."""
    for block in blocks:
        if isinstance(block, Heading):
            yield f"<h{block.level}>{_words(block.text, longest_name)}</h{block.level}>\n"
        elif isinstance(block, Grid):
            yield from _table(block, longest_name)
        else:
            tag = "blockquote" if isinstance(block, Advice) else "p"
            yield f"<{tag}>{_words(block.text, longest_name)}</{tag}>\n"


def _table(grid: Grid, longest_name: int) -> Iterator[str]:
    sides = ("right" if right else "left" for right in grid.right)
    css = [f'<{{}} style="text-align:{side}">' for side in sides]
    yield "<table><thead><tr>"
    yield from (f"{tag.format('th')}{escape(head)}</th>" for tag, head in zip(css, grid.heads))
    yield "</tr></thead>\n"
    for row in grid.rows:
        yield "<tr>"
        yield from (
            f"{tag.format('td')}{_words(cell, longest_name)}</td>" for tag, cell in zip(css, row)
        )
        yield "</tr>\n"
    yield "</table>\n"


def _words(words: Words, longest_name: int) -> str:
    """Names stand in an element of their own, so that a browser may break them anywhere."""
    return "".join(
        f"<code>{escape(part.text)}</code>" if isinstance(part, Name) else escape(part)
        for part in safe(words, longest_name, _MOST)
    )
