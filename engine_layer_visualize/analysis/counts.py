"""Counts the multiplications with additions (MACs) of a layer, and the bytes that it must move.

Convolutions and matrix products alone count. What may multiply inside of a layer without being
listed is not known, never 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions, sizes
from engine_layer_visualize.analysis.extents import NO_KERNEL, NO_SIZES
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.onnx_model import OnnxProduct
from engine_layer_visualize.trt.names import DLA, profile_of, without_profile
from engine_layer_visualize.trt.types import vector_width, width

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

_IN_PART: Final = re.compile(r"Gather|Slice|Resize|GridSample|Scatter", re.IGNORECASE)
_WEIGHTS: Final = frozenset({"Weights", "Bias", "ConvWeights", "ConvBias"})

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


def macs(layer: Layer, extents: sizes.Extents | None, model: Model) -> int:
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


# ---- bytes ---------------------------------------------------------------------------------------


def whole_sizes(layers: Iterable[Layer]) -> Mapping[str, int]:
    """The bytes of each tensor, by its name: the most that a record shows of it."""
    sizes: dict[str, int] = {}
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            sizes[tensor.name] = max(size(tensor) or 0, sizes.get(tensor.name, 0))
    return sizes


def moved(layer: Layer, extents: sizes.Extents | None, whole_sizes: Mapping[str, int]) -> int:
    """The bytes that a layer must read and write at least; reads of a tensor are parts of it.

    Each part of a tensor counts once, with the padding of its memory format, and the weights.
    Raises NotKnown.
    """
    if layer.raw is not None:
        raise sizes.NotKnown("its record could not be read")
    if layer.type == DLA:
        raise sizes.NotKnown(sizes.ON_DLA)
    if is_myelin(layer):
        raise sizes.NotKnown("Myelin compiled it, and the listing does not show its weights")
    if not (layer.inputs or layer.outputs or layer.attributes or layer.tactic):  # a name alone
        raise sizes.NotKnown("its tensors are not known")
    whole = {tensor.name: _size_of(tensor, "an output") for tensor in layer.outputs}
    written = sum(whole.values())
    in_part = _IN_PART.search(layer.type) is not None or sizes.reads_in_part(layer)
    read: dict[str, int] = {}
    convolved, part = _window(layer, extents) or (None, 1.0)
    for place, tensor in enumerate(layer.inputs):
        own = _size_of(tensor, "an input")
        if place == convolved:
            own = math.ceil(own * part)
        if in_part:
            own = min(own, written)
        read[tensor.name] = min(read.get(tensor.name, 0) + own, whole_sizes[tensor.name])
    for name, own in read.items():  # one that is read and written counts once
        whole[name] = max(own, whole.get(name, 0))
    held = _weights(layer, extents)
    if held is None:
        raise sizes.NotKnown("the listing does not give its weights")
    return sum(whole.values()) + held


def _size_of(tensor: Tensor, what: str) -> int:
    whole = size(tensor)
    if whole is None:
        raise sizes.NotKnown(f"an extent or a type of {what} is unknown")
    return whole


def size(tensor: Tensor) -> int | None:
    """Bytes of a tensor as it lies in memory; None where an extent or the type is unknown."""
    return _size(tensor.dtype, tensor.dims, tensor.shape, tensor.format)


@lru_cache(maxsize=1 << 12)  # few of an engine's tensors differ in more than their names
def _size(dtype: str | None, dims: str, shape: sizes.Ints, format: str | None) -> int | None:
    tensor = Tensor("", dtype, dims, shape, format)
    bits, elements = width(tensor.dtype), tensor.elements
    if bits is None or elements is None:
        return None
    axis, vector = _vector(tensor)
    if vector > 1 and elements:
        extent = tensor.shape[axis]
        elements = elements // extent * (-(-extent // vector) * vector)
    return _bytes(elements, bits)


def _bytes(elements: int, bits: int) -> int:
    return (elements * bits + 7) // 8


def vector(tensor: Tensor) -> int:
    """How many channels lie side by side, so that their number is padded to a multiple; 1: any."""
    return _vector(tensor)[1]


def _vector(tensor: Tensor) -> tuple[int, int]:
    """The axis of the channels, and how many of them lie side by side; (0, 1): no padding."""
    if ":" in tensor.dims:
        for axis, part in enumerate(tensor.dims.split(",")):
            _, colon, vector = part.partition(":")
            if colon and vector.isdigit() and axis < len(tensor.shape):
                return axis, int(vector)
    elif tensor.format is not None and len(tensor.shape) > 2:
        return (0 if len(tensor.shape) == 3 else 1), vector_width(tensor.format)
    return 0, 1


def _window(layer: Layer, extents: sizes.Extents | None) -> tuple[int, float] | None:
    """The input under a window that moves in strides, and the part of it that is read."""
    if isinstance(extents, sizes.Convolution):
        if extents.kernel is None or extents.transposed:
            return None
        if extents.stride is None:
            return extents.input, _most(extents.kernel, extents.before, extents.after)
        return extents.input, _part(extents.kernel, extents.stride, extents.dilation)
    if "Pool" not in layer.type:
        return None
    attributes = dict(layer.attributes)
    window, stride = sizes.ints(attributes.get("WindowSize")), sizes.ints(attributes.get("Stride"))
    return None if window is None or stride is None else (0, _part(window, stride, None))


def _part(window: sizes.Ints, stride: sizes.Ints, dilation: sizes.Ints | None) -> float:
    """The part of an input that windows touch, over all axes."""
    part = 1.0
    for wide, step, gap in zip(window, stride, dilation or (1,) * len(window)):
        if step > 1:
            part *= min(1.0, wide / step, 1 / math.gcd(step, gap))
    return part


def _most(window: sizes.Ints, before: sizes.Sizes, after: sizes.Sizes) -> float:
    """The part of an input that windows touch at most, where their strides are not known."""
    part = 1.0
    for wide, size, places in zip(window, before, after):
        if size and places is not None:
            part *= min(1.0, wide * places / size)
    return part


def _weights(layer: Layer, extents: sizes.Extents | None) -> int | None:
    """Bytes of weights and biases; None where a convolution's are not known."""
    if isinstance(extents, sizes.Unknown):
        return None
    listed = sum(size(constant) or 0 for constant in sizes.constants(layer))
    if listed or extents is None:
        return listed
    bits = width(precisions.of(layer).dtype)
    if isinstance(extents, sizes.Product):
        if len(extents.inputs) > 1:
            return 0
        count = product((extents.n, extents.k))
        return None if count is None or bits is None else _bytes(count, bits)
    # A detailed record lists weights and biases.
    stored = (sizes.stored(value) for key, value in layer.attributes if key in _WEIGHTS)
    counts = [_bytes(number, w) for dtype, number in filter(None, stored) if (w := width(dtype))]
    if counts:
        return sum(counts)
    if extents.kernel is None or not extents.groups:
        return None
    count = product((extents.channels, extents.filters, *extents.kernel))
    if count is None:
        return None
    count //= extents.groups
    if any(at != extents.input and one.elements == count for at, one in enumerate(layer.inputs)):
        return 0  # they are an input
    return None if bits is None else _bytes(count, bits)
