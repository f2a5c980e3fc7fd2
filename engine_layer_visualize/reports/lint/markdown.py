"""Writes findings as GitHub's Markdown, such as for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.markdown import set_page
from engine_layer_visualize.linting.selection import Selected
from engine_layer_visualize.reports.lint.page import blocks


def render(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page for each engine; problems stand on stderr."""
    for result in results:
        if isinstance(result, Selected):
            yield set_page(blocks(result, options.full), options.full)
