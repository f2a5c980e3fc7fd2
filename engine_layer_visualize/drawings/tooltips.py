"""A layer, a tensor, an edge or an endpoint in; the lines of its tooltip out, with whole names.

DOT and SVG show the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.core.text import count, dims, shorten
from engine_layer_visualize.drawings.theme import Theme
from engine_layer_visualize.fields.field import lines, of_place
from engine_layer_visualize.fields.layer import LAYER
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.views.subgraph import RoutedEdge

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.core.model import Edge, JsonValue, Layer, Tensor
    from engine_layer_visualize.drawings.findings import EngineFindings
    from engine_layer_visualize.views.endpoints import Endpoint

_LISTED: Final = 24  # tensors of one side, attributes, layers beyond a stub
_FIELDS: Final = of_place(LAYER, "tooltip")
_VALUE: Final = 300  # characters of one attribute


def of_tensor(tensor: Tensor) -> str:
    """`x[Half 1×64×56×56]`."""
    words = f"{tensor.dtype or '?'} {dims(tensor.dims)}".rstrip()
    return f"{tensor.name}[{words}]"


def of_edge(edge: Edge, written: Tensor | None, read: Tensor | None) -> tuple[str, ...]:
    """The tensor as it is written, the hidden layers it passes, and how it is read if otherwise."""
    first = edge.tensor if written is None else of_tensor(written)
    if isinstance(edge, RoutedEdge):
        last = edge.read if read is None else of_tensor(read)
        return first, through(edge.hops), last
    if written is None or read is None:
        return (first if read is None else of_tensor(read),)
    second = first if written is read else of_tensor(read)
    return (first,) if first == second else (first, f"read as {second}")


def through(hops: int) -> str:
    """`through 2 hidden layers`."""
    return f"through {count(hops, 'hidden layer')}"


def of_endpoint(end: Endpoint, theme: Theme) -> Iterator[str]:
    """Its tensor, its kind, and the layers outside the view."""
    yield of_tensor(end.tensor) if end.tensor is not None else end.name
    words = f"{end.word}, not shown" if end.beyond else end.word
    known = theme.marks[end.kind].words
    if end.kind == "port":
        yield f"engine {words}"
    else:
        yield known if end.kind in ("unresolved", "unused") else f"{words}: {known}"
    yield from (f"layer {layer.index}: {layer.name}" for layer in end.beyond[:_LISTED])
    if len(end.beyond) > _LISTED:
        yield f"and {len(end.beyond) - _LISTED} more layers"


def of_layer(layer: Layer, costs: Costs, found: EngineFindings | None = None) -> Iterator[str]:
    """All that is known of a layer. `found`: in its engine."""
    yield layer.name or "(no name)"
    listed = "" if layer.listed else ", not listed"
    place = f"{costs.engine.source.file}:{layer.place.line}"
    yield f"{layer.type}, layer {layer.index}{listed}, {place}"
    if found is not None:
        yield from found.lines(layer)
    subject = found.subject if found is not None else Subject(costs)
    for label, texts in lines(_FIELDS, subject, layer):
        yield from (f"{label}: {text}" if label else text for text in texts)
    yield from _tensors("input", layer.inputs)
    yield from _tensors("output", layer.outputs)
    for key, value in layer.attributes[:_LISTED]:
        yield f"{key}: {shorten(_plain(value), _VALUE)}"
    if len(layer.attributes) > _LISTED:
        yield f"and {len(layer.attributes) - _LISTED} more attributes"
    if layer.raw is not None:
        yield f"unreadable: {shorten(layer.raw, 4 * _VALUE)}"


def _tensors(word: str, tensors: Sequence[Tensor]) -> Iterator[str]:
    yield from (f"{word}: {of_tensor(tensor)}{_layout(tensor)}" for tensor in tensors[:_LISTED])
    if len(tensors) > _LISTED:
        yield f"and {len(tensors) - _LISTED} more {word}s"


def _layout(tensor: Tensor) -> str:
    """Memory format and strides, where the record has them beside the dtype."""
    words = tensor.format if tensor.format != tensor.dtype else None
    parts = (words, tensor.strides and f"strides {tensor.strides}")
    return "".join(f", {part}" for part in parts if part)


def _plain(value: JsonValue) -> str:
    """An attribute's value as one line."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
