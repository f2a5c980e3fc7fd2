"""Writes a verdict as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.comparison.gate.verdict import Judgement
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents.blocks import Block, Heading, Paragraph
from engine_layer_visualize.reports.gate import page
from engine_layer_visualize.reports.gate.options import GateOptions
from engine_layer_visualize.reports.pages import Text


def pages(judgement: Judgement, options: GateOptions) -> Iterator[list[Block]]:
    """The verdict, its reasons, and the groups of layers that cost the most."""
    blocks: list[Block] = [Heading(f"Gate {options.name} {page.headline(judgement)}", 1)]
    blocks += (Paragraph(reason) for reason in judgement.reasons)
    tabled = page.tabled(judgement)
    groups = tabled if options.full else tabled[: page.WORST]
    if groups:
        blocks.append(Heading("Layers"))
        blocks.append(page.grid(groups))
    if rest := len(tabled) - len(groups):
        blocks.append(Paragraph(f"{count(rest, 'more group')} of layers: --format json has all."))
    yield blocks


render = Text(pages).render
