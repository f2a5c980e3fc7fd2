"""Writes a sweep as GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.comparison.sweep.trials import Sweep
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.markdown import set_page
from engine_layer_visualize.reports.sweep.blocks import blocks


def render(found: Sweep, options: ReportOptions) -> Iterator[str]:
    """One page."""
    yield set_page(blocks(found, None if options.full else options.top), options.full)
