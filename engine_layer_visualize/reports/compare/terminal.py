"""Writes comparisons as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.documents.terminal import set_page
from engine_layer_visualize.reports.compare.blocks import blocks

_MAX_NAME: Final = 60  # characters: four of them stand in a row


def render(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """One page."""
    yield set_page(
        blocks(comparisons, options), options.width, options.color, options.full, _MAX_NAME
    )
