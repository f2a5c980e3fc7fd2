"""Writes a sweep as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.sweep.trials import Sweep
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents.terminal import set_page
from engine_layer_visualize.reports.sweep.blocks import blocks

_MAX_NAME: Final = 60  # characters: several names stand in a row


def render(found: Sweep, options: ReportOptions) -> Iterator[str]:
    """One page."""
    top = None if options.full else options.top
    yield set_page(blocks(found, top), options.width, options.color, options.full, _MAX_NAME)
