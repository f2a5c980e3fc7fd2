"""A `Layer` in; its ONNX nodes out: their names, who tells them, and whether these are all.

The two ends of a ForeignNode's name are not its inside.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine_layer_visualize.core.build_info import NodesFrom
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import ends


@dataclass(frozen=True, slots=True)
class Nodes:
    """`all`: the names of a layer's ONNX nodes, in order. `ends`: where only the two ends of a
    ForeignNode are known, those of its ends that are nodes; then `all` is empty."""

    all: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    source: NodesFrom | None = None


def of(layer: Layer) -> Nodes:
    """What the record says, else what was read of the log."""
    if layer.onnx_nodes:
        return Nodes(layer.onnx_nodes, source="metadata")
    facts = layer.facts
    if facts is None or not facts.onnx_nodes:
        return Nodes()
    if facts.onnx_nodes_from == "name" and any(ends(layer.name)):
        return Nodes(ends=facts.onnx_nodes, source="name")
    return Nodes(facts.onnx_nodes, source=facts.onnx_nodes_from)
