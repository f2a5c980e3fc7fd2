"""Finds the names of a layer's ONNX nodes, where they are known from, and if these are all.

Of a ForeignNode often only the first and the last node are known.
"""

from __future__ import annotations

from typing import NamedTuple

from engine_layer_visualize.core.layer_facts import NodesFrom
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import ends
from engine_layer_visualize.trt.operators import operators as named


class Nodes(NamedTuple):
    """The names of a layer's ONNX nodes."""

    all: tuple[str, ...] = ()  # in order
    # of a ForeignNode of which the ends alone are known; then `all` is empty
    ends: tuple[str, ...] = ()
    source: NodesFrom | None = None


def of(layer: Layer) -> Nodes:
    """The nodes in the layer's record, else those that other messages of the log give."""
    if own := layer.onnx_nodes:
        return Nodes(own, source="metadata")
    facts = layer.facts
    if facts is None or not facts.onnx_nodes:
        return Nodes()
    if facts.onnx_nodes_from == "name" and any(ends(layer.name)):
        return Nodes(ends=facts.onnx_nodes, source="name")
    return Nodes(facts.onnx_nodes, source=facts.onnx_nodes_from)


def operators(layer: Layer) -> tuple[str, ...]:
    """The operators of a layer, by its facts, else by its name; () where unclear."""
    known = layer.facts.onnx_operators if layer.facts is not None else ()
    return known if known and all(known) else named(layer.name)
