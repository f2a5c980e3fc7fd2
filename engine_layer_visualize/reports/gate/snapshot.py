"""Writes a snapshot as JSON of schema 2 (docs/gate.md).

Each tensor and each layer is a line, and a list to be short. The same snapshot gives the same
bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.snapshot import KEPT_WEIGHTS, Snapshot
from engine_layer_visualize.fields.objects import picked


def written(snapshot: Snapshot) -> Iterator[bytes]:
    """The file in pieces."""
    both = (tensor for la in snapshot.layers for tensor in (*la.inputs, *la.outputs))
    tensors = {tensor: number for number, tensor in enumerate(dict.fromkeys(both))}
    kind_of_each = [_text(_kind(layer)) for layer in snapshot.layers]
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(kind_of_each))}
    head: dict[str, JsonValue] = {
        **picked(snapshot, "file", "engine", "conditions"),
        "layers": len(snapshot.layers),
        "reformats": snapshot.reformats,
        "memory": [{"part": part, "bytes": size} for part, size in snapshot.memory],
        **picked(snapshot, "runs", "profiles", "coverage"),
        "unfit": [{"code": code, "message": message} for code, message in snapshot.unfit],
        "findings": [{"code": code, "count": count} for code, count in snapshot.findings],
    }
    yield b'{"schema": 2, "snapshot": {\n'
    for key, value in head.items():
        yield f"{json.dumps(key)}: {json.dumps(value)},\n".encode()
    yield from _rows("kinds", kinds)
    yield from _rows("tensors", (_text([each.name, each.dtype, each.dims]) for each in tensors))
    listing = (
        _text([kinds[kind], *_layer(layer, snapshot, tensors)])
        for kind, layer in zip(kind_of_each, snapshot.layers)
    )
    yield from _rows("listing", listing)
    yield b'"edges": ' + _text([list(edge) for edge in snapshot.edges]).encode() + b"\n}}\n"


def _text(value: JsonValue) -> str:
    return json.dumps(value, separators=(",", ":"))


def _rows(key: str, rows: Iterable[str]) -> Iterator[bytes]:
    yield f'"{key}": ['.encode()
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n{row}".encode()
    yield b"\n],\n"


def _kind(layer: Layer) -> JsonValue:
    """What `kinds` in docs/gate.md has of a layer."""
    known = dict(layer.attributes)
    operation = known.get("ParameterType")
    return [layer.type, known.get(KEPT_WEIGHTS), operation, layer.listed, layer.raw is not None]


def _layer(layer: Layer, snapshot: Snapshot, tensors: dict[Tensor, int]) -> list[JsonValue]:
    """Name, tensors read and written, ms in each profile, and ONNX nodes."""
    reads, writes = ([tensors[tensor] for tensor in own] for own in (layer.inputs, layer.outputs))
    ms: JsonValue = [times[layer.index] for times in snapshot.times]
    nodes: JsonValue = [] if layer.facts is None else [*layer.facts.onnx_nodes]
    nodes_from = None if layer.facts is None else layer.facts.onnx_nodes_from
    return [layer.name, [*reads], [*writes], ms, nodes, nodes_from]
