"""Writes a history as a page: its picture, and what the report says."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.comparison.history.series import Histories
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.html import set_page
from engine_layer_visualize.drawings.history.picture import Picture, darkened
from engine_layer_visualize.drawings.picture import svg
from engine_layer_visualize.reports.history.blocks import blocks


def render(found: Histories, options: ReportOptions) -> Iterator[str]:
    """One page with every build."""
    picture = Picture(found.shown)
    drawn = "".join(svg.written(picture, dark=darkened())).partition("?>\n")[2]
    return set_page(picture.title, drawn, blocks(found, None))
