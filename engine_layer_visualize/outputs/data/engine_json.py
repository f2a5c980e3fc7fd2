"""An engine in; JSON of schema 1 (see the README) out, UTF-8, with a line for each layer and edge.

Every key is there, whatever its value; `strides` alone is left out where there are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis import contents, scopes
from engine_layer_visualize.analysis.costs import Costs, engine_time
from engine_layer_visualize.analysis.subgraph import View
from engine_layer_visualize.analysis.work import EngineWork, LayerWork, work
from engine_layer_visualize.core.model import (
    Edge,
    Engine,
    JsonValue,
    Layer,
    Listing,
    Tensor,
    Timing,
)
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.outputs.data import build_info_json, onnx_json, work_json
from engine_layer_visualize.outputs.options import DEFAULT, Options

SCHEMA: Final = 1


def render(view: View, format: str = "json", options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Lone surrogates are written as escapes; numbers are
    finite."""
    for text in _pieces(Costs(view.engine, peak=options.peak)):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(costs: Costs) -> Iterator[str]:
    engine, done = costs.engine, work(costs)
    yield f'{{"schema": {SCHEMA},\n"engine": {dump(head(costs, done))},\n'
    yield f'"inputs": {dump(list(engine.inputs))},\n'
    yield f'"outputs": {dump(list(engine.outputs))},\n'
    yield f'"bindings": {dump(list(engine.bindings))},\n"layers": '
    paths = scopes.paths(engine.layers)
    yield from rows(_layer(la, done.of(la), path) for la, path in zip(engine.layers, paths))
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


def attributes(layer: Layer) -> dict[str, JsonValue]:
    """Every further key of a detailed record, as printed, and what an unreadable record was."""
    found = dict(layer.attributes)
    if layer.raw is not None:
        found["Opaque"] = layer.raw
    if not layer.listed:
        found["Listed"] = False
    return found


def _layer(layer: Layer, done: LayerWork, path: scopes.Path) -> JsonValue:
    return {
        "index": layer.index,
        "line": layer.place.line,
        "also_line": layer.also_line,
        "name": layer.name,
        "type": layer.type,
        "tactic": layer.tactic,
        "kernel": layer.kernel,
        "inputs": [_tensor(tensor) for tensor in layer.inputs],
        "outputs": [_tensor(tensor) for tensor in layer.outputs],
        "attributes": attributes(layer),
        "time": _time(layer.time),
        "work": work_json.of_layer(done),
        "scope": scopes.written(path) or None,
        "inside": _inside(layer),
        "facts": build_info_json.of_layer(layer),
    }


def _inside(layer: Layer) -> JsonValue:
    """The scopes of a ForeignNode's ONNX nodes, the layer itself first; None where unknown."""
    parts: list[JsonValue] = [
        {
            "scope": part.path or None,
            "depth": part.depth,
            "nodes": part.nodes,
            "operators": dict(part.operators),
        }
        for part in contents.parts(layer)
    ]
    return parts or None


def _edge(edge: Edge) -> JsonValue:
    return {"from": edge.source, "to": edge.target, "tensor": edge.tensor}


def _tensor(tensor: Tensor) -> JsonValue:
    keys: dict[str, JsonValue] = {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "dims": tensor.dims,
        "shape": list(tensor.shape),
        "format": tensor.format,
    }
    if tensor.strides is not None:  # TensorRT-RTX alone prints them
        keys["strides"] = tensor.strides
    return keys


def _time(time: Timing | None) -> JsonValue:
    if time is None:
        return None
    return {
        "average_ms": time.average_ms,
        "median_ms": time.median_ms,
        "total_ms": time.total_ms,
        "percent": time.percent,
        "parts": time.parts,
        "n": time.n,
        "min_ms": time.min_ms,
        "max_ms": time.max_ms,
        "p95_ms": time.p95_ms,
        "host_ms": time.host_ms,
        "gap_ms": time.gap_ms,
        "kernels": [
            {"name": one.name, "launches": one.launches, "average_ms": one.average_ms}
            for one in time.kernels
        ],
    }


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
