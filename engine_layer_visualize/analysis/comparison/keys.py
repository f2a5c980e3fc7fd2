"""A `Layer` in; the names by which it is found again in another engine out.

ONNX nodes and weights, each in a namespace of its own; TensorRT's own names are neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import parts
from engine_layer_visualize.trt.node_names import is_weight, node_name, serves


class Keys(NamedTuple):
    """`nodes`: names of ONNX nodes; `weights`: names of weights."""

    nodes: frozenset[str] = frozenset()
    weights: frozenset[str] = frozenset()


def of(layer: Layer) -> Keys:
    """The keys of a layer; a reformat, which is named after another layer, has none."""
    named, known = parts(layer.name), onnx_nodes.of(layer)
    nodes, weights = _sorted(named)
    if (listed := known.all or known.ends) and listed != named:
        nodes = _sorted(listed)[0]
    return Keys(nodes, weights)


def _sorted(names: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Nodes and weights. A reshape for another layer bears that one's name: it is that layer's
    where it is no other's."""
    nodes: list[str] = []
    weights: list[str] = []
    served: list[str] = []
    for name in names:
        if plain := node_name(name):
            found = weights if is_weight(plain) else served if serves(name) else nodes
            found.append(plain)
    return frozenset(nodes or served), frozenset(weights)
