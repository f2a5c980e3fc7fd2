"""Finds the operators of a layer's ONNX nodes, and those of them that multiply matrices."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.operators import OPERATORS, PRODUCTS
from engine_layer_visualize.trt.operators import operators as named

_MULTIPLY: Final = PRODUCTS | frozenset(
    "Attention DeformConv Einsum GRU If LSTM Loop MoE RNN Scan".split()  # noqa: SIM905
)


def of(layer: Layer) -> list[str]:
    """The operators that are, or may hold, a convolution or a product."""
    return [word for word in operators(layer) if word in _MULTIPLY]


def operators(layer: Layer) -> tuple[str, ...]:
    """The operators of all of a layer's ONNX nodes; () where one is unknown."""
    known = layer.facts.onnx_operators if layer.facts is not None else ()
    nodes = onnx_nodes.of(layer).all
    if layer.raw is not None or not nodes:
        return ()
    if len(known) != len(nodes) or not all(known):
        known = tuple(word for node in nodes for word in named(node) or ("",))
    return known if OPERATORS.issuperset(known) else ()
