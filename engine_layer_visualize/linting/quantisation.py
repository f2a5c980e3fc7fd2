"""Tells which layers only quantise, and where a layer's values go: for INT8 and FP8."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.precisions import computes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.roles import moves_only
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import operators
from engine_layer_visualize.trt.types import canonical

QUANTISED: Final = frozenset(("Int8", "FP8", "FP4", "Int4"))
FLOATING: Final = frozenset(("Float", "Half", "BFloat16"))
_QUANTISERS: Final = frozenset(
    ("QuantizeLinear", "DequantizeLinear", "Quantize", "Dequantize", "DynamicQuantize")
)
_MARK: Final = "uantize"  # in the names of all of them
_MOST_BETWEEN: Final = 8  # layers that compute nothing, one behind the other


def is_quantiser(subject: Subject, layer: Layer) -> bool:
    """Whether a layer runs a kernel that only quantises or dequantises another layer's result."""
    if not runs_kernel(layer) or subject.multiplies(layer):
        return False
    nodes = subject.nodes(layer)
    named = (layer.name, *nodes, *subject.known(layer).onnx_operators)
    if not any(_MARK in name for name in named):
        return False
    operators_of_layer = subject.operators(layer) or tuple(
        operator for node in nodes for operator in operators.operators(node) or ("",)
    )
    if not operators_of_layer or not _QUANTISERS.issuperset(operators_of_layer):
        return False
    reads = subject.writers(layer)
    return subject.at_input(layer) or any(writer.type != "Constant" for writer in reads)


def is_explicit(subject: Subject) -> bool:
    """Whether the network has Q/DQ: without them the builder takes Int8 where it is faster."""
    return any(
        _MARK in name
        for layer in subject.layers
        for name in (layer.name, *subject.known(layer).onnx_operators)
    )


def converts(subject: Subject, layer: Layer) -> bool:
    """Whether a layer stands between a quantised type and a floating one: a Q, a DQ, a reformat."""
    read, written = subject.data_input(layer), subject.data_output(layer)
    if read is None or written is None:
        return False
    sides = canonical(read.dtype), canonical(written.dtype)
    if len(QUANTISED.intersection(sides)) != 1 or len(FLOATING.intersection(sides)) != 1:
        return False
    return is_reformat(layer) or is_quantiser(subject, layer)


class Behind(NamedTuple):
    """What stands behind a layer.

    Attributes:
        between: the layers that only convert or move what it writes.
        readers: the layers that compute on that; none where all of it leaves the engine.
    """

    between: tuple[Layer, ...]
    readers: tuple[Layer, ...]


def behind(subject: Subject, layer: Layer) -> Behind:
    """Returns the layers behind a layer, up to the next ones that compute."""
    between: dict[int, Layer] = {}
    readers: dict[int, Layer] = {}
    waiting = [layer]
    for _ in range(_MOST_BETWEEN):
        near = {reader.index: reader for layer in waiting for reader in subject.readers(layer)}
        waiting = [la for la in near.values() if _moves(la) and la.index not in between]
        between.update((layer.index, layer) for layer in waiting)
        readers.update((index, layer) for index, layer in near.items() if not _moves(layer))
    return Behind(tuple(between.values()), tuple(readers.values()))


def _moves(layer: Layer) -> bool:
    return not computes(layer) or moves_only(layer)
