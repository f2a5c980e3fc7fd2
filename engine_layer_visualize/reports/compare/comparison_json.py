"""Writes comparisons as JSON of schema 1 (docs/compare.md)."""

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
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[str]:
    """`{"schema": 1, "comparisons": [...], "problems": [...]}` in pieces."""
    before = '{"schema": 1, "comparisons": ['
    for comparison in comparisons:
        yield before + json.dumps(of_comparison(comparison))
        before = ","
    left = json.dumps([problem_json(problem) for problem in problems])
    yield f'{"" if comparisons else before}], "problems": {left}}}'


def of_comparison(comparison: Comparison) -> dict[str, JsonValue]:
    """Every key is always there."""
    return {
        "a": _engine(comparison.a),
        "b": _engine(comparison.b),
        **picked(comparison, "same_network", "delta_ms", "speedup", "per_sample", "builds"),
        "waterfall": plain(comparison.waterfall),
        "groups": [{**picked(group, *_GROUP)} for group in comparison.groups],
        **picked(comparison, "overhead", "unmatched"),
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
