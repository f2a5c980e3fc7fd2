"""Counts the multiplications with additions (MACs) of a layer, and the bytes that it must move.

Convolutions and matrix products alone count. What may multiply inside of a layer without being
listed is not known, never 0.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from engine_layer_visualize.analysis import precisions, sizes
from engine_layer_visualize.analysis.extents import NO_KERNEL, NO_SIZES
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.analysis.sizes import Convolution, Extents, Product, Unknown
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.onnx_model import OnnxProduct
from engine_layer_visualize.trt.names import DLA, profile_of, without_profile
from engine_layer_visualize.trt.types import vector_width, width

_SYMBOLIC: Final = "an extent is symbolic or unknown"
# Types of layers that multiply no matrices; in Myelin, such as `memset`, they are in lower case.
_WITHOUT: Final = (
    r"reformat|pool|constant|shuffle|elementwise|pointwise|activation|scale|unary|reduce|softmax"
    r"|topk|gather|scatter|slice|resize|padding|concat|copy|select|shape|cast|fill|nonzero|nms"
    r"|quantize|trainstation|assert|identity|noop|onehot|squeeze|transpose|lrn|cumulative"
    r"|\A(?:add|sub|mul|div|and|or|not|less|greater|equal|cjmp|jmp|memset|signal|wait|comm_\w+)\Z"
)

_IN_PART: Final = re.compile(r"Gather|Slice|Resize|GridSample|Scatter", re.IGNORECASE)
_WEIGHTS: Final = frozenset({"Weights", "Bias", "ConvWeights", "ConvBias"})


def inside_myelin(engine: Engine) -> Mapping[int, int]:
    """The MACs of layers that Myelin compiled, by the log's ONNX lines or a model that was given.

    A layer's are known where each of its products has the extents that it had when it was parsed,
    and no other layer of its optimisation profile may compute one of them.
    """
    able = [layer for layer in engine.layers if layer.known.products and may_multiply(layer)]
    users = Counter(node for layer in able for node in _products(layer))
    given = engine.onnx if engine.onnx is not None and engine.onnx.same else None
    if not users or not (_holds(engine) if given is None else given.same_batch):
        return {}
    found: dict[int, int] = {}
    for layer in filter(is_myelin, able):
        known = [number for node in layer.known.products if (number := _macs(node)) is not None]
        alone = all(users[node] == 1 for node in _products(layer))
        if alone and 0 < len(known) == len(sizes.multiplying_nodes_of(layer)):
            found[layer.index] = sum(known)
    return found


def _products(layer: Layer) -> list[tuple[str, str]]:
    """Its optimisation profile, and the name, of each ONNX node that multiplies."""
    return [(profile_of(layer.name), node.node) for node in layer.known.products]


def _holds(engine: Engine) -> bool:
    """Whether each input of the network is an input of the engine, with the same extents."""
    told = {given.name: given.dims for given in engine.known.inputs}
    read = (tensor for layer in engine.layers for tensor in layer.inputs)
    named = ((without_profile(tensor.name), tensor.shape) for tensor in read)
    seen = {(name, ",".join(map(str, shape))) for name, shape in named if name in told}
    return bool(told) and seen == {*told.items()}


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


def macs(layer: Layer, extents: Extents | None, inside: Mapping[int, int]) -> int | Unknown:
    """The number of MACs; `inside` has those of `inside_myelin`."""
    if isinstance(extents, Unknown):
        return extents
    if isinstance(extents, Product):
        found = product(extents[:4])
        return Unknown(_SYMBOLIC) if found is None else found
    if isinstance(extents, Convolution):
        return _convolution(extents)
    if not may_multiply(layer):
        return 0
    if sizes.operators_of(layer) and not sizes.multiplying_nodes_of(layer):
        return 0
    number = inside.get(layer.index)
    return Unknown(_hidden(layer)) if number is None else number


def _convolution(convolution: Convolution) -> int | Unknown:
    """Each weight once for each place of the output; of a deconvolution, of the input."""
    places = convolution.before if convolution.transposed else convolution.after
    each = product((convolution.batch, *places, convolution.channels, convolution.filters))
    if each is not None and (convolution.kernel is None or convolution.groups is None):
        return Unknown(NO_KERNEL)
    macs = product((each, *(convolution.kernel or ())))
    return Unknown(_SYMBOLIC) if macs is None else macs // (convolution.groups or 1)


def may_multiply(layer: Layer) -> bool:
    """Whether neither a layer's type nor its kernel's name excludes a product."""
    if layer.raw is not None or is_myelin(layer):
        return True
    return not (_is_without(layer.type) or sizes.has_no_products(layer))


@lru_cache(maxsize=1 << 10)
def _is_without(type: str) -> bool:
    words = type.casefold()
    return re.search(_WITHOUT, words) is not None and "plugin" not in words


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
        return NO_SIZES if sizes.multiplying_nodes_of(layer) else "no record gives its type"
    return f"it is not known what a layer of type {layer.type} computes"


# ---- bytes ---------------------------------------------------------------------------------------


def whole_sizes(layers: Iterable[Layer]) -> Mapping[str, int]:
    """The bytes of each tensor, by its name: the most that a record shows of it."""
    sizes: dict[str, int] = {}
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            sizes[tensor.name] = max(size(tensor) or 0, sizes.get(tensor.name, 0))
    return sizes


def moved(layer: Layer, extents: Extents | None, whole_sizes: Mapping[str, int]) -> int | Unknown:
    """The bytes that a layer must read and write at least; reads of a tensor are parts of it.

    Each part of a tensor counts once, with the padding of its memory format, and the weights.
    """
    if layer.type == DLA:
        return Unknown(sizes.ON_DLA)
    if is_myelin(layer):
        return Unknown("Myelin compiled it, and the listing does not show its weights")
    is_named = layer.inputs or layer.outputs or layer.attributes or layer.tactic
    if layer.raw is not None or not is_named:
        return Unknown("its tensors are not known")
    for what, tensors in (("an output", layer.outputs), ("an input", layer.inputs)):
        if None in map(size, tensors):
            return Unknown(f"an extent or a type of {what} is unknown")
    whole = {tensor.name: size(tensor) or 0 for tensor in layer.outputs}
    written = sum(whole.values())
    in_part = _IN_PART.search(layer.type) is not None or sizes.reads_in_part(layer)
    read: dict[str, int] = {}
    windowed, part = _read_part(layer, extents)
    for place, tensor in enumerate(layer.inputs):
        own = size(tensor) or 0
        if place == windowed:
            own = math.ceil(own * part)
        if in_part:
            own = min(own, written)
        read[tensor.name] = min(read.get(tensor.name, 0) + own, whole_sizes[tensor.name])
    for name, own in read.items():  # one that is read and written counts once
        whole[name] = max(own, whole.get(name, 0))
    held = _weights(layer, extents)
    if held is None:
        return Unknown("the listing does not give its weights")
    held = min(held, written) if in_part else held  # a table of which rows are picked
    return sum(whole.values()) + held


def size(tensor: Tensor) -> int | None:
    """Bytes of a tensor as it lies in memory; None where an extent or the type is unknown."""
    return _size(tensor.dtype, tensor.dims, tensor.shape, tensor.format)


@lru_cache(maxsize=1 << 12)  # few of an engine's tensors differ in more than their names
def _size(dtype: str | None, dims: str, shape: sizes.Ints, format: str | None) -> int | None:
    tensor = Tensor("", dtype, dims, shape, format)
    bits, elements = width(tensor.dtype), tensor.elements
    if bits is None or elements is None:
        return None
    axis, wide = vector(tensor)
    if wide > 1 and elements:
        extent = tensor.shape[axis]
        elements = elements // extent * (-(-extent // wide) * wide)
    return _bytes(elements, bits)


def _bytes(elements: int, bits: int) -> int:
    return (elements * bits + 7) // 8


def vector(tensor: Tensor) -> tuple[int, int]:
    """The axis of the channels, and how many of them lie side by side; (0, 1): no padding.

    The channels are padded to a multiple of the second.
    """
    if ":" in tensor.dims:
        for axis, part in enumerate(tensor.dims.split(",")):
            _, colon, number = part.partition(":")
            if colon and number.isdigit() and axis < len(tensor.shape):
                return axis, int(number)
    elif tensor.format is not None and len(tensor.shape) > 2:
        return (0 if len(tensor.shape) == 3 else 1), vector_width(tensor.format)
    return 0, 1


def _read_part(layer: Layer, extents: Extents | None) -> tuple[int, float]:
    """The number of the input that a window moves over, and the part of it that is read at most."""
    if isinstance(extents, Convolution) and not extents.transposed:
        place, window = extents.input, extents.kernel
        before, after = extents.before, extents.after
        stride, dilation = extents.stride, extents.dilation
    elif "Pool" in layer.type and layer.inputs and layer.outputs:
        place, window = 0, sizes.ints(dict(layer.attributes).get("WindowSize"))
        rank = len(window or ())
        before = sizes.of_shape(layer.inputs[0].shape)[-rank:]
        after = sizes.of_shape(layer.outputs[0].shape)[-rank:]
        stride = dilation = None
    else:
        return 0, 1.0
    part, one = 1.0, (1,) * len(before)
    for wide, extent, places, step, gap in zip(
        window or (), before, after, stride or one, dilation or one
    ):
        if extent and places is not None:  # a dilation of the stride leaves out whole rows
            part *= min(1.0, wide * places / extent, 1 / max(1, math.gcd(step, gap)))
    return place, part


def _weights(layer: Layer, extents: Extents | None) -> int | None:
    """Bytes of weights and biases; None where a convolution's are not known."""
    if isinstance(extents, Unknown):
        return None
    listed = sum(size(constant) or 0 for constant in sizes.constants(layer))
    if listed or extents is None:
        return listed
    bits = width(precisions.of(layer).dtype)
    if isinstance(extents, Product):
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
