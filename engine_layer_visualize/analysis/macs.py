"""Counts the multiplications with additions (MACs) of a layer.

Convolutions and matrix products alone count. What may multiply inside of a layer without being
listed is not known, never 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import sizes
from engine_layer_visualize.analysis.extents import NO_KERNEL, NO_SIZES
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.onnx_model import OnnxProduct
from engine_layer_visualize.trt.names import DLA, profile_of, without_profile

_SYMBOLIC: Final = "an extent is symbolic or unknown"
_IMPLICIT: Final = "the batch is implicit: the listing does not print it"
# Types of layers that multiply no matrices; in Myelin, such as `memset`, they are in lower case.
_WITHOUT: Final = re.compile(
    r"reformat|pool|constant|shuffle|elementwise|pointwise|activation|scale|unary|reduce|softmax"
    r"|topk|gather|scatter|slice|resize|padding|concat|copy|select|shape|cast|fill|nonzero|nms"
    r"|quantize|trainstation|assert|identity|noop|onehot|squeeze|transpose|lrn|cumulative"
    r"|\A(?:add|sub|mul|div|and|or|not|less|greater|equal|cjmp|jmp|memset|signal|wait|comm_\w+)\Z",
    re.IGNORECASE,
)

_Node = tuple[str, str]  # an optimisation profile, and the name of an ONNX node


class Model(NamedTuple):
    """What the log's ONNX lines, or a model that was given, tell of an engine's products."""

    holds: bool  # whether it has the extents that its network had when it was parsed
    shared: frozenset[_Node]  # that several layers may compute
    owners: Mapping[_Node, int]  # of a model that was given, the layer that computes each node

    def own_macs(self, layer: Layer, products: int) -> int | None:
        """The MACs that a layer computes itself, of so many products that it names.

        They are None where that is not known of each, or it computes none.
        """
        nodes = dict(_nodes(layer))
        owners = [self.owners.get(node) for node in nodes]
        whole = len(nodes) == products and None not in owners
        own = [_macs(node) for node, owner in zip(nodes.values(), owners) if owner == layer.index]
        known = [number for number in own if number is not None]
        return sum(known) if whole and known and len(known) == len(own) else None

    def macs(self, layer: Layer, products: int) -> int | None:
        """The MACs of a layer with so many products, where the lines tell of each."""
        nodes = list(_nodes(layer)) if self.holds else []
        numbers = [number for _, node in nodes if (number := _macs(node)) is not None]
        shared = any(node in self.shared for node, _ in nodes)
        return sum(numbers) if len(numbers) == products and not shared else None


def model(engine: Engine) -> Model:
    """What is told of an engine's products."""
    users: dict[_Node, list[Layer]] = {}
    for layer in engine.layers:
        for node, _ in _nodes(layer):
            users.setdefault(node, []).append(layer)
    able = {node: [la for la in named if may_multiply(la)] for node, named in users.items()}
    shared = frozenset(node for node, layers in able.items() if len(layers) > 1)
    given = engine.onnx
    if given is None or not given.same:
        return Model(any(able.values()) and _holds(engine), shared, {})
    owners: dict[_Node, int] = {}
    for node, layers in able.items() if given.same_batch else ():
        # Other layers may pad the node's input, or add its bias.
        sure = [layer for layer in layers if not sizes.sums_products(layer)] or layers
        if len(sure) == 1:
            owners[node] = sure[0].index
    return Model(given.same_batch, shared, owners)


def _nodes(layer: Layer) -> Iterator[tuple[_Node, OnnxProduct]]:
    profile = profile_of(layer.name)
    for node in layer.known.products:
        yield (profile, node.node), node


def _holds(engine: Engine) -> bool:
    """Whether each input of the network is an input of the engine, with the same extents."""
    inputs = engine.known.inputs
    told = {given.name: given.dims for given in inputs}
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
        outer, inner = (first, out) if node.operator == "ConvTranspose" else (out, first)
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


def of(layer: Layer, extents: sizes.Extents | None, model: Model) -> int:
    """The number of MACs; a model that was given knows better than a record. Raises NotKnown."""
    nodes = sizes.multiplying_nodes_of(layer) if model.owners else []
    own = model.own_macs(layer, len(nodes)) if nodes else None
    if own is not None:
        return own
    if isinstance(extents, sizes.Unknown):
        raise sizes.NotKnown(extents.why)
    if isinstance(extents, sizes.Product):
        found = product(extents[:4])
        if found is None:
            implicit = extents.m is None and _all_known(layer)
            raise sizes.NotKnown(_IMPLICIT if implicit else _SYMBOLIC)
        return found
    if isinstance(extents, sizes.Convolution):
        return _convolution(extents)
    if not may_multiply(layer):
        return 0
    nodes = sizes.multiplying_nodes_of(layer)
    if not nodes and sizes.operators_of(layer):
        return 0
    inside = model.macs(layer, len(nodes)) if nodes and is_myelin(layer) else None
    if inside is None:
        raise sizes.NotKnown(_hidden(layer))
    return inside


def _all_known(layer: Layer) -> bool:
    """Whether no extent that its record prints is symbolic."""
    return min(n for tensor in (*layer.inputs, *layer.outputs) for n in (0, *tensor.shape)) == 0


def _convolution(convolution: sizes.Convolution) -> int:
    """Each weight once for each place of the output; of a deconvolution, of the input."""
    places = convolution.before if convolution.transposed else convolution.after
    each = product((convolution.batch, *places, convolution.channels, convolution.filters))
    if each is not None and (convolution.kernel is None or convolution.groups is None):
        raise sizes.NotKnown(NO_KERNEL)
    macs = product((each, *(convolution.kernel or ())))
    if macs is None:
        raise sizes.NotKnown(_SYMBOLIC)
    return macs // (convolution.groups or 1)


def may_multiply(layer: Layer) -> bool:
    """Whether neither a layer's type nor its kernel's name excludes a product."""
    if layer.raw is not None or is_myelin(layer):
        return True
    return not (_is_without(layer.type) or sizes.has_no_products(layer))


@lru_cache(maxsize=1 << 10)
def _is_without(type: str) -> bool:
    return _WITHOUT.search(type) is not None and "plugin" not in type.casefold()


def _hidden(layer: Layer) -> str:
    """Why nothing is known of a layer that is neither convolution nor product by its record."""
    if layer.raw is not None:
        return "its record could not be read"
    if layer.type == DLA:
        return sizes.ON_DLA
    if is_myelin(layer):
        return "Myelin compiled it, and the listing does not show what is inside"
    if layer.type.startswith("Plugin"):
        return "the listing does not show what a plugin computes"
    if not layer.type:
        known = sizes.multiplying_nodes_of(layer)
        return NO_SIZES if known else "no record gives its type"
    return f"it is not known what a layer of type {layer.type} computes"
