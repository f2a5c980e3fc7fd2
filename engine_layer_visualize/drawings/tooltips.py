"""Writes the lines of tooltips, with whole names: the same for DOT and SVG."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.core.text import count, dims, shorten
from engine_layer_visualize.drawings.theme import LIGHT
from engine_layer_visualize.fields.field import lines, of_place
from engine_layer_visualize.fields.layer import LAYER
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.views.subgraph import RoutedEdge

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.core.model import Edge, Layer, Tensor
    from engine_layer_visualize.drawings.findings import EngineFindings
    from engine_layer_visualize.views.endpoints import Endpoint

_MOST_LISTED: Final = 24  # tensors of one side, attributes, layers beyond a stub
_FIELDS: Final = of_place(LAYER, "tooltip")
_LONGEST_VALUE: Final = 300  # characters of one attribute


def of_tensor(tensor: Tensor) -> str:
    """Returns `x[Half 1×64×56×56]`."""
    words = f"{tensor.dtype or '?'} {dims(tensor.dims)}".rstrip()
    return f"{tensor.name}[{words}]"


def of_edge(edge: Edge, written: Tensor | None, read: Tensor | None) -> tuple[str, ...]:
    """Returns the tensor as it is written, the hidden layers it passes, and how it is read."""
    first = edge.tensor if written is None else of_tensor(written)
    if isinstance(edge, RoutedEdge):
        last = edge.read if read is None else of_tensor(read)
        return first, through(edge.hops), last
    if written is None or read is None:
        return (first if read is None else of_tensor(read),)
    second = first if written is read else of_tensor(read)
    return (first,) if first == second else (first, f"read as {second}")


def through(hops: int) -> str:
    """Returns `through 2 hidden layers`."""
    return f"through {count(hops, 'hidden layer')}"


def of_endpoint(end: Endpoint) -> Iterator[str]:
    """Yields its tensor, its kind, and the layers outside the view."""
    yield of_tensor(end.tensor) if end.tensor is not None else end.name
    words = f"{end.word}, not shown" if end.beyond else end.word
    known = LIGHT.marks[end.kind].words
    if end.kind in ("unresolved", "unused"):
        yield known
    else:
        yield f"engine {words}" if end.kind == "port" else f"{words}: {known}"
    yield from (f"layer {layer.index}: {layer.name}" for layer in end.beyond[:_MOST_LISTED])
    if len(end.beyond) > _MOST_LISTED:
        yield f"and {len(end.beyond) - _MOST_LISTED} more layers"


def of_layer(layer: Layer, costs: Costs, findings: EngineFindings | None = None) -> Iterator[str]:
    """Yields all that is known of a layer; `findings` are those of its engine."""
    yield layer.name or "(no name)"
    listed = "" if layer.listed else ", not listed"
    place = f"{costs.engine.source.file}:{layer.place.line}"
    kind = f"{layer.type}, layer" if layer.type else "Layer"
    yield f"{kind} {layer.index}{listed}, {place}"
    if findings is not None:
        yield from findings.lines(layer)
    subject = Subject(costs) if findings is None else findings.subject
    for label, texts in lines(_FIELDS, subject, layer):
        yield from (f"{label}: {text}" if label else text for text in texts)
    yield from _tensors("input", layer.inputs)
    yield from _tensors("output", layer.outputs)
    for key, value in layer.attributes[:_MOST_LISTED]:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{key}: {shorten(text, _LONGEST_VALUE)}"
    if len(layer.attributes) > _MOST_LISTED:
        yield f"and {len(layer.attributes) - _MOST_LISTED} more attributes"
    if layer.raw is not None:
        yield f"unreadable: {shorten(layer.raw, 4 * _LONGEST_VALUE)}"


def _tensors(word: str, tensors: Sequence[Tensor]) -> Iterator[str]:
    yield from (
        f"{word}: {of_tensor(tensor)}{_layout(tensor)}" for tensor in tensors[:_MOST_LISTED]
    )
    if len(tensors) > _MOST_LISTED:
        yield f"and {len(tensors) - _MOST_LISTED} more {word}s"


def _layout(tensor: Tensor) -> str:
    """Returns memory format and strides, where the record has them beside the data type."""
    words = tensor.format if tensor.format != tensor.dtype else None
    parts = (words, tensor.strides and f"strides {tensor.strides}")
    return "".join(f", {part}" for part in parts if part)
