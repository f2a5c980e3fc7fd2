"""What the page knows of an engine: columns of numbers over one table of strings.

The `Costs` of an engine in; a value for `json.dumps` out, small enough for 20,000 layers. Nodes are
numbered: the layers first, then the engine's ends (inputs, outputs, loose tensors). Every text is a
number into `strings`, -1 where there is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.endpoints import Endpoints, seen
from engine_layer_visualize.analysis.findings import by_layer
from engine_layer_visualize.analysis.layer_kinds import SERVING, kind, runs_kernel
from engine_layer_visualize.analysis.layer_labels import change, headline, part
from engine_layer_visualize.analysis.measures import held, moved, precision_of
from engine_layer_visualize.analysis.subgraph import whole
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import dims, visible
from engine_layer_visualize.outputs.html.facts import known_of
from engine_layer_visualize.outputs.said import base
from engine_layer_visualize.outputs.said import name as name_of
from engine_layer_visualize.outputs.theme import LIGHT, Theme, precision

_LONGEST: Final = 20_000  # characters of one text; a record's metadata can be 160 kB


class Strings:
    """Texts, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str | None) -> int:
        if text is None:
            return -1
        return self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """In order of their numbers, with what has no shape spelled out."""
        return [visible(cut(text)) for text in self._numbers]


def cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({len(text) - _LONGEST:,} characters more, left out of this page)"


def head(costs: Costs) -> dict[str, JsonValue]:
    """What the page says of an engine before it is opened."""
    engine = costs.engine
    file = engine.source.file
    return {
        "index": engine.index,
        "name": name_of(engine),
        "layers": len(engine.layers),
        "edges": len(engine.graph.between),
        "ms": costs.total,
        "estimated": costs.estimated,
        "file": base(file),
        "path": visible(file),
        "lines": [engine.source.first_line, engine.source.last_line],
        "dialect": engine.dialect,
        "tensorrt": engine.tensorrt and visible(engine.tensorrt),
    }


class Columns:
    """One engine in columns."""

    def __init__(self, costs: Costs, theme: Theme = LIGHT) -> None:
        self.costs = costs
        self.engine = engine = costs.engine
        self.strings = Strings()
        self._profiles = {number: at for at, number in enumerate(costs.profiles)}
        self._precision = {entry.label: number for number, entry in enumerate(theme.entries)}
        self._theme = theme
        self._tensors: dict[Tensor, int] = {}
        names: dict[str, int] = {}
        self._drawn = Endpoints(whole(engine), costs.profile_of_each)
        self.ends = self._drawn.all
        self.edges = list(self._edges())
        self.nets = [names.setdefault(e.tensor, len(names)) for e in self._drawn.edges]

    def tensor(self, tensor: Tensor) -> int:
        return self._tensors.setdefault(tensor, len(self._tensors))

    # ---- parts -------------------------------------------------------------------------------

    def layers(self) -> dict[str, JsonValue]:
        layers, text, costs = self.engine.layers, self.strings, self.costs
        times = [layer.time if costs.kind == "measured" else None for layer in layers]
        known = any(held(layer) is not None for layer in layers)
        found = by_layer(costs)
        return {
            "name": [text(layer.name) for layer in layers],
            "type": [text(layer.type) for layer in layers],
            "head": [text(headline(layer)) for layer in layers],
            "short": [text(_short(layer)) for layer in layers],
            "change": _sparse(
                text(words) if kind(layer) in SERVING and (words := change(layer)) else None
                for layer in layers
            ),
            "kind": [text(kind(layer)) for layer in layers],
            "line": [layer.place.line for layer in layers],
            "also": _sparse(layer.also_line for layer in layers),
            "tactic": [text(layer.tactic) for layer in layers],
            "kernel": [text(layer.kernel) for layer in layers],
            "raw": _sparse(None if layer.raw is None else text(layer.raw) for layer in layers),
            "ms": list(map(costs.of, layers)),
            "share": list(map(costs.share, layers)),  # of its optimisation profile's whole
            "profile": [self._profiles[costs.profile_of(layer)] for layer in layers],
            "mean": _sparse(time and time.average_ms for time in times),
            "median": _sparse(time and time.median_ms for time in times),
            "total": _sparse(time and time.total_ms for time in times),
            "percent": _sparse(time and time.percent for time in times),
            "parts": _sparse(time.parts if time and time.parts > 1 else None for time in times),
            "unsteady": [
                layer.index
                for layer, time in zip(layers, times)
                if time is not None and is_unsteady(time.average_ms, time.median_ms)
            ],
            "missing": [layer.index for layer in layers if costs.missing(layer)],
            "idle": [layer.index for layer in layers if not runs_kernel(layer)],
            "precision": [self.precision(precision_of(layer)) for layer in layers],
            "dtype": [text(precision_of(layer)) for layer in layers],
            "bytes": list(map(held if known else moved, layers)),
            "held": known,  # by what the log says, else bytes of the tensors read and written
            "in": [[self.tensor(tensor) for tensor in layer.inputs] for layer in layers],
            "out": [[self.tensor(tensor) for tensor in layer.outputs] for layer in layers],
            "onnx": _sparse(
                [text(name) for name in onnx_nodes.of(layer).all] or None for layer in layers
            ),
            "attributes": _sparse(self._pairs(layer.attributes) or None for layer in layers),
            "facts": _sparse(
                self._pairs(known_of(layer, found.get(layer.index, ()))) or None for layer in layers
            ),
        }

    def tensors(self) -> dict[str, JsonValue]:
        """After all else that names tensors."""
        text, tensors = self.strings, list(self._tensors)
        return {
            "name": [text(tensor.name) for tensor in tensors],
            "dtype": [text(tensor.dtype) for tensor in tensors],
            "dims": [text(dims(tensor.dims)) for tensor in tensors],
            "format": [text(tensor.format) for tensor in tensors],
            "strides": [text(tensor.strides) for tensor in tensors],
            "precision": [self.precision(tensor.dtype) for tensor in tensors],
        }

    def ports(self) -> dict[str, JsonValue]:
        text = self.strings
        return {
            "name": [text(end.name) for end in self.ends],
            "kind": [text(end.kind) for end in self.ends],
            "entry": [int(end.entry) for end in self.ends],
            "tensor": [-1 if end.tensor is None else self.tensor(end.tensor) for end in self.ends],
        }

    def precision(self, dtype: str | None) -> int:
        return self._precision[precision(dtype, self._theme).label]

    def _pairs(self, pairs: Iterable[tuple[str, JsonValue]]) -> list[JsonValue]:
        flat: list[JsonValue] = []
        for key, value in pairs:
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            flat += (self.strings(key), self.strings(said))
        return flat

    # ---- edges -------------------------------------------------------------------------------

    def _edges(self) -> Iterable[tuple[int, int, int]]:
        """(from node, to node, tensor as the reader has it)."""
        first = len(self.engine.layers)
        number = {end.id: first + n for n, end in enumerate(self.ends)}
        entries, exits = self._drawn.entries, self._drawn.exits
        for edge in self._drawn.edges:
            source = number[entries[edge.tensor].id] if edge.source is None else edge.source
            target = number[exits[edge.tensor].id] if edge.target is None else edge.target
            told = seen(*self._drawn.tensors.of(edge))
            yield source, target, -1 if told is None else self.tensor(told)

    def jumps(self) -> list[JsonValue]:
        return [
            [edge.source, edge.target, self.strings(edge.tensor)]
            for edge in self.engine.graph.jumps
        ]


def _short(layer: Layer) -> str | None:
    """None: the name itself."""
    short = part(layer)
    return None if short == layer.name else short


def _sparse(values: Iterable[Any]) -> list[JsonValue]:
    """A column with few entries: number, value, number, value … Nothing is told by absence."""
    flat: list[JsonValue] = []
    for number, value in enumerate(values):
        if value is not None:
            flat += (number, value)
    return flat
