"""Finds what a layer multiplies, by the extents that the log's ONNX lines give for its nodes.

It is None where it is not certain. The network may have got another batch, or other extents, after
it was parsed: what a layer's own tensors say counts, and where they and the lines contradict each
other nothing is known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.analysis.sizes import (
    Convolution,
    Product,
    Several,
    Sizes,
    is_data,
    size,
    sizes,
)
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.numbers import product
from engine_layer_visualize.core.onnx_model import OnnxProduct, Shape
from engine_layer_visualize.trt.names import profile_of, without_profile

_KERNEL_NODES: Final = 64  # nodes of one kernel; side by side are a dozen


def extents(layer: Layer) -> Convolution | Product | Several | None:
    """The extents of a convolution or a product that runs as a kernel of its own."""
    if layer.facts is None or not layer.facts.products or is_myelin(layer) or not layer.outputs:
        return None
    nodes = layer.facts.products
    if len(nodes) > _KERNEL_NODES or not all(len(node.shapes) == 3 for node in nodes):
        return None
    kinds = {node.operator.startswith("Conv") for node in nodes}
    if len(kinds) > 1:
        return None
    return _convolutions(layer, nodes) if True in kinds else _products(layer, nodes)


# ---- convolutions --------------------------------------------------------------------------------


def _convolutions(layer: Layer, nodes: Iterable[OnnxProduct]) -> Convolution | Several | None:
    """Convolutions that are fused side by side.

    They read one input; their outputs may be one tensor.
    """
    convolutions = [_convolution(layer, node) for node in nodes]
    known = tuple(convolution for convolution in convolutions if convolution is not None)
    written = [tensor.shape[1] for tensor in layer.outputs if len(tensor.shape) > 1]
    filters = sum(convolution.filters or 0 for convolution in known)
    if len(known) < len(convolutions) or filters not in (*written, sum(written)):
        return None
    return known[0] if len(known) == 1 else Several(known)


def _convolution(layer: Layer, node: OnnxProduct) -> Convolution | None:
    data, weights, out = node.shapes
    if not len(data) == len(weights) == len(out) > 2 or min(weights) < 1:
        return None
    transposed = node.operator == "ConvTranspose"
    channels, filters, kernel = data[1], out[1], weights[2:]
    outer, inner = (channels, filters) if transposed else (filters, channels)
    groups, rest = divmod(inner, weights[1])
    if outer != weights[0] or rest or groups < 1 or outer % groups:
        return None
    for place, tensor in enumerate(layer.inputs):
        if is_data(tensor) and tensor.shape[1:2] == (channels,):
            before, after = _spatial(data, tensor), _after(layer, out)
            if before is not None and after is not None:
                return Convolution(
                    size(tensor.shape[0]), channels, filters, groups, before, after, kernel,
                    transposed=transposed, input=place,
                )  # fmt: skip
    return None


def _spatial(told: Shape, tensor: Tensor) -> Sizes | None:
    """The spatial extents of a tensor of the node; None where the layer's tensor has others.

    TensorRT adds an axis of 1 to a single one.
    """
    ours, theirs = told[2:], tensor.shape[2:]
    if len(ours) == len(theirs):
        agree = all(min(pair) < 0 or pair[0] == pair[1] for pair in zip(ours, theirs))
        return sizes(theirs) if agree else None
    return sizes(ours) if sorted((*ours, 1)) == sorted(theirs) else None


def _after(layer: Layer, out: Shape) -> Sizes | None:
    """The spatial extents of what the node gives; None where the record contradicts.

    The record's are of the pooled output, where a pooling is fused with it.
    """
    operators = layer.facts.onnx_operators if layer.facts is not None else ()
    if any("Pool" in word for word in (layer.type, *operators)):
        return sizes(out[2:])
    return _spatial(out, layer.outputs[0])


# ---- matrix products -----------------------------------------------------------------------------


def _products(layer: Layer, nodes: Iterable[OnnxProduct]) -> Product | None:
    """Products with weights; those that are fused side by side read one input.

    TensorRT may have given the tensors more axes, so elements count.
    """
    k, *others = {_inner(node) for node in nodes}
    wide = [(1, *node.shapes[2])[-1] if len(node.shapes[1]) > 1 else 1 for node in nodes]
    if others or k < 1 or min(wide) < 1:
        return None
    n = sum(wide)
    written = [output.elements for output in layer.outputs]
    known = [number for number in written if number is not None]
    whole = sum(known)
    for place, tensor in enumerate(layer.inputs):
        read = tensor.elements
        if not is_data(tensor):
            continue
        if read is None or len(known) < len(written):
            if k in tensor.shape and n in layer.outputs[0].shape:
                return Product(1, None, n, k, (place,))
        elif not read % k and read // k * n in (known[0], whole):
            return Product(1, read // k, n, k, (place, *_factors(layer, place, n * k, whole)))
    return None


def _inner(node: OnnxProduct) -> int:
    """K; less than 1 where it is unknown."""
    first, second, out = node.shapes
    if not first or not second:
        return 0
    if node.operator == "MatMul":
        return first[-1] if first[-1] > 0 else second[-2:][0]
    n = out[-1] if out and min(second) > 0 else 0  # each factor of a Gemm may be transposed
    weights = product(second)
    return weights // n if weights and n > 0 and weights % n == 0 else 0


def _factors(layer: Layer, first: int, weights: int, written: int) -> Iterable[int]:
    """The number of an input beside the first that may be the other factor.

    Then the layer holds no weights. An input with as many elements as the output is added to it.
    """
    for place, tensor in enumerate(layer.inputs):
        beside = tensor.elements if place != first and is_data(tensor) else None
        if beside is not None and beside % weights == 0 and beside != written:
            return (place,)
    return ()


# ---- what Myelin compiled ------------------------------------------------------------------------


class Model(NamedTuple):
    """What the lines tell of a whole engine."""

    holds: bool  # whether it has the extents that its network had when it was parsed
    # nodes that several layers may compute, with their optimisation profile
    shared: frozenset[tuple[str, str]]
    # of a model that the user gave, the layer that computes each node
    owners: Mapping[tuple[str, str], int]

    def own_macs(self, layer: Layer, products: int) -> int | None:
        """The MACs that a layer computes itself, of so many products that it names.

        They are None where that is not known of each, or it computes none.
        """
        nodes = layer.facts.products if self.owners and layer.facts is not None else ()
        owners = [self.owners.get((profile_of(layer.name), node.node)) for node in nodes]
        computed = [_macs(node) for node, owner in zip(nodes, owners) if owner == layer.index]
        known = [number for number in computed if number is not None]
        whole = len(nodes) == products and None not in owners and len(known) == len(computed)
        return sum(known) if known and whole else None

    def macs(self, layer: Layer, products: int) -> int | None:
        """The MACs of a layer with so many products, where the lines tell of each."""
        nodes = layer.facts.products if self.holds and layer.facts is not None else ()
        shared = any((profile_of(layer.name), node.node) in self.shared for node in nodes)
        numbers = [number for node in nodes if (number := _macs(node)) is not None]
        return sum(numbers) if len(numbers) == products and not shared else None


def model(engine: Engine, layers: Iterable[Layer]) -> Model:
    """What the lines tell of an engine, of whose layers these may multiply."""
    named = Counter(
        (profile_of(layer.name), node.node)
        for layer in layers
        if layer.facts is not None
        for node in layer.facts.products
    )
    shared = frozenset(node_of for node_of, count in named.items() if count > 1)
    if engine.onnx is not None and engine.onnx.same:
        return Model(engine.onnx.same_batch, shared, {})
    return Model(bool(named) and _holds(engine), shared, {})


def _holds(engine: Engine) -> bool:
    """Whether each input of the network is an input of the engine, with the same extents."""
    told = (
        {given.name: given.dims for given in engine.facts.inputs}
        if engine.facts is not None
        else {}
    )
    seen: set[str] = set()
    for layer in engine.layers:
        for tensor in layer.inputs:
            name = without_profile(tensor.name)
            if name in told:
                seen.add(name)
                if ",".join(map(str, tensor.shape)) != told[name]:
                    return False
    return bool(told) and seen == told.keys()


def _macs(node: OnnxProduct) -> int | None:
    """The MACs of a node all of whose extents are known."""
    if len(node.shapes) != 3 or min((1, *node.shapes[0], *node.shapes[1], *node.shapes[2])) < 0:
        return None
    first, second, out = node.shapes
    if node.operator.startswith("Conv"):
        transposed = node.operator == "ConvTranspose"
        outer, inner = (first, out) if transposed else (out, first)
        fit = len(first) == len(second) == len(out) > 2 and outer[1] == second[0]
        if not fit or not second[1] or inner[1] % second[1]:
            return None
        return product((*outer, *second[1:]))
    if not first or not second:
        return None
    if node.operator == "MatMul":
        return product((*out, first[-1])) if first[-1] == second[-2:][0] else None
    known = [number for number in map(product, node.shapes) if number is not None]
    whole = math.prod(known)  # of M·K, K·N and M·N
    each = math.isqrt(whole)
    return each if len(known) == len(node.shapes) and each * each == whole else None
