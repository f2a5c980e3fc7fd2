"""Writes comparisons as GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.markdown import set_page
from engine_layer_visualize.reports.compare.blocks import blocks


def render(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """One page."""
    yield set_page(blocks(comparisons, options), options.full)
