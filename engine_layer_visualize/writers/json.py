"""The engine as data: JSON, schema 1 (described in the README).

takes: an Engine
gives: bytes of JSON, UTF-8, one layer and one edge a line
never: leaves a key out, or adds one that the schema does not name
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.errors import Problem
from engine_layer_visualize.model import Engine, JsonValue, Layer, Listing, Tensor, Timing
from engine_layer_visualize.options import DEFAULT, Options

FORMATS: Final = ("json",)
SCHEMA: Final = 1


def render(engine: Engine, format: str = "json", options: Options = DEFAULT) -> bytes:
    """Lone surrogates are written as escapes; numbers are finite."""
    layers = _rows(_layer(layer) for layer in engine.layers)
    edges = _rows(
        {"from": edge.source, "to": edge.target, "tensor": edge.tensor}
        for edge in engine.graph.edges
    )
    problems = _rows(_problem(problem) for problem in engine.problems)
    return (
        f'{{"schema": {SCHEMA},\n'
        f'"engine": {_dump(_head(engine))},\n'
        f'"inputs": {_dump(list(engine.inputs))},\n'
        f'"outputs": {_dump(list(engine.outputs))},\n'
        f'"layers": {layers},\n'
        f'"edges": {edges},\n'
        f'"profile": {_dump(_profile(engine))},\n'
        f'"problems": {problems}}}\n'
    ).encode("utf-8", "backslashreplace")


def _dump(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _rows(values: Iterable[JsonValue]) -> str:
    rows = ",\n".join(map(_dump, values))
    return f"[\n{rows}\n]" if rows else "[]"


def _head(engine: Engine) -> JsonValue:
    also: list[JsonValue] = [{"dialect": other.dialect, **_lines(other)} for other in engine.also]
    source: dict[str, JsonValue] = {"file": engine.source.file, **_lines(engine.source)}
    return {
        "index": engine.index,
        "dialect": engine.dialect,
        "tensorrt": engine.tensorrt,
        "source": {**source, "also": also},
    }


def _lines(listing: Listing) -> dict[str, JsonValue]:
    return {"first_line": listing.first_line, "last_line": listing.last_line}


def _layer(layer: Layer) -> JsonValue:
    attributes = dict(layer.attributes)
    if layer.raw is not None:
        attributes["Opaque"] = layer.raw
    if not layer.listed:
        attributes["Listed"] = False
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
        "attributes": attributes,
        "time": _time(layer.time),
    }


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


def _problem(problem: Problem) -> JsonValue:
    return {
        "file": problem.place.file,
        "line": problem.place.line,
        "column": problem.place.column,
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
