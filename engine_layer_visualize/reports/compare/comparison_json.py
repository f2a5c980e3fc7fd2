"""Comparisons in; JSON of schema 1 (docs/compare.md) out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.fields.json import problem_json
from engine_layer_visualize.fields.objects import picked, plain

_GROUP: Final = (
    *("a", "b", "a_reformats", "b_reformats", "ms_a", "ms_b", "delta_ms", "fusion", "confidence"),
    *("why", "changes"),
)


def render(
    found: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """`{"schema": 1, "comparisons": [...], "problems": [...]}` in pieces."""
    before = '{"schema": 1, "comparisons": ['
    for one in found:
        yield before + json.dumps(of_comparison(one))
        before = ","
    left = json.dumps([problem_json(one) for one in problems])
    yield f'{"" if found else before}], "problems": {left}}}'


def of_comparison(found: Comparison) -> dict[str, JsonValue]:
    """Every key is always there."""
    return {
        "a": _engine(found.a),
        "b": _engine(found.b),
        **picked(found, "same_network", "delta_ms", "speedup", "per_sample", "builds"),
        "waterfall": plain(found.waterfall),
        "groups": [{**picked(group, *_GROUP)} for group in found.groups],
        **picked(found, "overhead", "unmatched"),
    }


def _engine(costs: Costs) -> dict[str, JsonValue]:
    """`macs` is null where the work of a layer is unknown."""
    engine = costs.engine
    return {
        "file": engine.source.file,
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "device": engine.facts.device.name if engine.facts and engine.facts.device else None,
        "layers": len(engine.layers),
        "ms": costs.total,
        "time_kind": costs.kind,
        "macs": work(costs).macs,
    }
