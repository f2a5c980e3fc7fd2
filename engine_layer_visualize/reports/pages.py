"""Writes reports that are made of blocks: as text for a terminal, as Markdown.

What a report says is in its module `blocks`; these are the writers of its pages. They take what a
format is told, and last its options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from engine_layer_visualize.documents import markdown, terminal
from engine_layer_visualize.documents.blocks import Block

MAX_NAME: Final = 60  # characters, where several names stand in a row
Pages = Callable[..., Iterable[Iterable[Block]]]


class Text(NamedTuple):
    """Writes pages as text for a terminal, which no character of a name controls."""

    pages: Pages
    longest_name: int = terminal.LONGEST_NAME  # characters

    def render(self, *told: Any) -> Iterator[str]:
        """Yields page after page."""
        *_, options = told
        for page in self.pages(*told):
            looks = options.width, options.color, options.full, self.longest_name
            yield terminal.set_page(page, *looks)


class Markdown(NamedTuple):
    """Writes pages as GitHub's Markdown, such as for a comment on a pull request."""

    pages: Pages

    def render(self, *told: Any) -> Iterator[str]:
        """Yields page after page."""
        *_, options = told
        return (markdown.set_page(page, options.full) for page in self.pages(*told))
