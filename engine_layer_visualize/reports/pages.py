"""Writes reports that are made of blocks: as text for a terminal, as Markdown, as HTML.

What a report says is in its module `blocks`; these are the writers of its pages. They take what a
format is told, and last its options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents import html, markdown, terminal
from engine_layer_visualize.documents.blocks import Block
from engine_layer_visualize.drawings.picture import svg

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


class Html(NamedTuple):
    """Writes a page of HTML: a picture, and the report with every row below it."""

    pages: Pages
    pictures: ModuleType  # makes the `picture`, and knows its colours when `darkened`

    def render(self, found: Any, options: ReportOptions) -> Iterator[str]:
        """Yields the page in pieces."""
        picture = self.pictures.picture(found)
        drawn = "".join(svg.written(picture, dark=self.pictures.darkened())).partition("?>\n")[2]
        (page,) = self.pages(found, options._replace(full=True))
        return html.set_page(picture.title, drawn, page)
