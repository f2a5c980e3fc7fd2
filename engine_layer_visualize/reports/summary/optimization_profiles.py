"""Reports each optimisation profile by itself, because only one runs at a time."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import timed_layers
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.reports.summary import shares, slowest


def collect(costs: Costs, top: int) -> JsonValue:
    """The data of each optimisation profile; nothing where there is only one."""
    if len(costs.profiles) < 2:
        return []
    each = map(costs.of_profile, costs.profiles)
    return [
        {
            "profile": costs_of.profile,
            "total_ms": costs_of.total,
            "timed": costs_of.now.timed,
            "layers": costs_of.now.layers,
            "coverage": timed_layers(costs_of),
            "ranked": costs_of.ranked,
            "share_of": costs_of.share_words,
            "slowest": slowest.collect(costs_of, top),
            "types": shares.types(costs_of, top),
            "precisions": shares.precisions(costs_of, top),
        }
        for costs_of in each
    ]


def blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """A section for each, without the one that the other sections show."""
    for profile in data:
        if profile["profile"] == engine["optimization_profile"]:
            continue
        yield page.Heading(f"Optimisation profile {profile['profile']}")
        total = "" if profile["total_ms"] is None else f", {page.ms(profile['total_ms'])} together"
        yield page.Paragraph(f"{profile['coverage']}{total}.")
        if profile["slowest"]:
            yield slowest.table(profile["slowest"], {**engine, "share_of": profile["share_of"]})
