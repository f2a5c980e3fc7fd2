"""Comparisons in; JSON of schema 1 (docs/compare.md) out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from engine_layer_visualize.analysis.comparison.result import Comparison, Group, Rest
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.outputs.data.engine_json import problem_json
from engine_layer_visualize.outputs.options import ReportOptions


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
        "same_network": found.same_network,
        "delta_ms": found.delta_ms,
        "speedup": found.speedup,
        "per_sample": None if found.per_sample is None else {**found.per_sample._asdict()},
        "builds": [{"what": one.what, "a": one.a, "b": one.b} for one in found.builds],
        "waterfall": [{"cause": step.cause, "ms": step.ms} for step in found.waterfall],
        "groups": [_group(group) for group in found.groups],
        "overhead": _rest(found.overhead),
        "unmatched": _rest(found.unmatched),
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


def _group(group: Group) -> dict[str, JsonValue]:
    return {
        "a": list(group.a),
        "b": list(group.b),
        "a_reformats": list(group.a_reformats),
        "b_reformats": list(group.b_reformats),
        "ms_a": group.ms_a,
        "ms_b": group.ms_b,
        "delta_ms": group.delta_ms,
        "fusion": group.fusion,
        "confidence": group.confidence,
        "why": group.why,
        "changes": list(group.changes),
    }


def _rest(rest: Rest) -> dict[str, JsonValue]:
    return {"a": list(rest.a), "b": list(rest.b), "ms_a": rest.ms_a, "ms_b": rest.ms_b}
