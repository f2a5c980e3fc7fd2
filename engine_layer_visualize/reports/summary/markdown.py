"""Writes the summary of a log as GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.markdown import set_page
from engine_layer_visualize.reports.summary import log_pages

_COMMENT: Final = 65_536  # characters that a comment on GitHub may have, which --brief keeps to


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Yields a page for each engine; with `brief` one page for all."""
    for blocks in log_pages(found, options):
        yield set_page(blocks, options.full, _COMMENT if options.brief else None)
