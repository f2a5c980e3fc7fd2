"""Each optimisation profile by itself: only one runs at a time."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.outputs.report import shares, slowest
from engine_layer_visualize.outputs.report.page import Block, Data, Heading, Text, ms, rows_of


def collect(costs: Costs, top: int) -> JsonValue:
    """Empty where there is only one."""
    if len(costs.profiles) < 2:
        return []
    found = (Costs(costs.engine, number, costs.statistic) for number in costs.profiles)
    return [
        {
            "profile": one.profile,
            "total_ms": one.total,
            "timed": one.now.timed,
            "layers": one.now.layers,
            "coverage": one.coverage_words,
            "ranked": one.ranked,
            "share_of": one.share_words,
            "slowest": slowest.collect(one, top),
            "types": shares.types(one, top),
            "precisions": shares.precisions(one, top),
        }
        for one in found
    ]


def page(data: JsonValue, engine: Data) -> Iterator[Block]:
    """A section for each but the one that the other sections are of."""
    for one in rows_of(data):
        if one["profile"] == engine["optimization_profile"]:
            continue
        yield Heading(f"Optimisation profile {one['profile']}")
        yield Text(f"{one['coverage']}, {ms(one['total_ms'])} together.")
        if rows := rows_of(one["slowest"]):
            yield slowest.table(rows, {**engine, "share_of": one["share_of"]})
