"""Writes a short JSON of how much faster other engines are than the first, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.reports import brief


def render(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """Yields the document."""
    yield brief.of_comparisons(comparisons, problems)
