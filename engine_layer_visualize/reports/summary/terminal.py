"""Writes the summary of a log for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.terminal import LONGEST_NAME, set_page
from engine_layer_visualize.reports.summary import log_pages

_LONGEST_BRIEF_NAME: Final = 40  # characters with --brief, where a row of a table is a line


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """Yields a page for each engine; with `brief` one page for all."""
    longest = _LONGEST_BRIEF_NAME if options.brief else LONGEST_NAME
    for blocks in log_pages(found, options):
        yield set_page(blocks, options.width, options.color, options.full, longest)
