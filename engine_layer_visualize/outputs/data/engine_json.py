"""An engine in; JSON of schema 1 (see the README) out, UTF-8, with a line for each layer and edge.

Of layers it has the fields of `LAYER`. Every key is there, whatever its value; `strides` alone is
left out where there are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs, engine_time
from engine_layer_visualize.analysis.subgraph import View
from engine_layer_visualize.analysis.work import EngineWork
from engine_layer_visualize.core.model import Edge, Engine, JsonValue, Listing
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.fields.layer import LAYER, MAY_BE_NULL
from engine_layer_visualize.fields.objects import Objects
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.outputs.data import build_info_json, onnx_json, work_json
from engine_layer_visualize.outputs.options import DEFAULT, Options

SCHEMA: Final = 1
_LAYER: Final = Objects(LAYER, MAY_BE_NULL)


def render(view: View, format: str = "json", options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Lone surrogates are written as escapes; numbers are
    finite."""
    for text in _pieces(Costs(view.engine, peak=options.peak)):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(costs: Costs) -> Iterator[str]:
    engine, subject = costs.engine, Subject(costs)
    yield f'{{"schema": {SCHEMA},\n"engine": {dump(head(costs, subject.work))},\n'
    yield f'"inputs": {dump(list(engine.inputs))},\n'
    yield f'"outputs": {dump(list(engine.outputs))},\n'
    yield f'"bindings": {dump(list(engine.bindings))},\n"layers": '
    yield from rows(_LAYER.of(subject, layer) for layer in engine.layers)
    yield ',\n"edges": '
    yield from rows(map(_edge, engine.graph.edges))
    yield f',\n"profile": {dump(_profile(engine))},\n"problems": '
    yield from rows(map(problem_json, engine.problems))
    yield "}\n"


# No value contains itself: looking for that would cost a fifth.
dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def rows(values: Iterable[JsonValue]) -> Iterator[str]:
    """A list, with a line for each value."""
    before = "[\n"
    for value in values:
        yield before + dump(value)
        before = ",\n"
    yield "[]" if before == "[\n" else "\n]"


def head(costs: Costs, done: EngineWork) -> JsonValue:
    """What an engine is, and where it stands in its log. `done`: its work."""
    engine = costs.engine
    also: list[JsonValue] = [{"dialect": other.dialect, **_lines(other)} for other in engine.also]
    source: dict[str, JsonValue] = {"file": engine.source.file, **_lines(engine.source)}
    return {
        "index": engine.index,
        "dialect": engine.dialect,
        "tensorrt": engine.tensorrt,
        "source": {**source, "also": also},
        "time": build_info_json.of_time(engine_time(engine)),
        "work": work_json.of_engine(done),
        "onnx": onnx_json.of_engine(engine),
        "facts": build_info_json.of_engine(engine.facts),
    }


def _lines(listing: Listing) -> dict[str, JsonValue]:
    lines = {"first_line": listing.first_line, "last_line": listing.last_line}
    return {**lines, "state": listing.state}


def _edge(edge: Edge) -> JsonValue:
    return {"from": edge.source, "to": edge.target, "tensor": edge.tensor}


def _profile(engine: Engine) -> JsonValue:
    found = engine.profile
    if found is None:
        return None
    return {
        "matched": found.matched,
        "layers": found.layers,
        "rows": found.rows,
        "unmatched_rows": list(found.unmatched_rows),
        "untimed_layers": list(found.untimed_layers),
    }


def problem_json(problem: Problem) -> JsonValue:
    """A problem with its place."""
    return {
        "file": problem.place.file,
        "line": problem.place.line,
        "column": problem.place.column,
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
