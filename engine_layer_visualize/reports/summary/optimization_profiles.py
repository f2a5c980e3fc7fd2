"""Reports each optimisation profile by itself, because only one runs at a time."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import timed_layers
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.reports.summary import shares, slowest


def collect(costs: Costs, top: int) -> JsonValue:
    """Empty where there is only one."""
    if len(costs.profiles) < 2:
        return []
    found = map(costs.of_profile, costs.profiles)
    return [
        {
            "profile": one.profile,
            "total_ms": one.total,
            "timed": one.now.timed,
            "layers": one.now.layers,
            "coverage": timed_layers(one),
            "ranked": one.ranked,
            "share_of": one.share_words,
            "slowest": slowest.collect(one, top),
            "types": shares.types(one, top),
            "precisions": shares.precisions(one, top),
        }
        for one in found
    ]


def blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """A section for each, without the one that the other sections show."""
    for one in data:
        if one["profile"] == engine["optimization_profile"]:
            continue
        yield page.Heading(f"Optimisation profile {one['profile']}")
        total = "" if one["total_ms"] is None else f", {page.ms(one['total_ms'])} together"
        yield page.Paragraph(f"{one['coverage']}{total}.")
        if one["slowest"]:
            yield slowest.table(one["slowest"], {**engine, "share_of": one["share_of"]})
