"""Writes a sweep as a page: its picture, and what the report says."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.comparison.sweep.trials import Sweep
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.html import set_page
from engine_layer_visualize.drawings.picture import svg
from engine_layer_visualize.drawings.sweep.picture import Picture, darkened
from engine_layer_visualize.reports.sweep.blocks import blocks


def render(found: Sweep, options: ReportOptions) -> Iterator[str]:
    """One page with all builds."""
    picture = Picture(found)
    drawn = "".join(svg.written(picture, dark=darkened())).partition("?>\n")[2]
    return set_page(picture.title, drawn, blocks(found, None))
