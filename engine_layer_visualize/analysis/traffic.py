"""Computes the bytes that a layer must read and write at least.

Each part of a tensor once, with the padding of its memory format, and the weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from engine_layer_visualize.analysis import precisions, sizes
from engine_layer_visualize.analysis.kinds import is_myelin, runs_kernel
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.trt.names import DLA
from engine_layer_visualize.trt.types import vector_width, width

_IN_PART: Final = re.compile(r"Gather|Slice|Resize|GridSample|Scatter", re.IGNORECASE)
_WEIGHTS: Final = frozenset({"Weights", "Bias", "ConvWeights", "ConvBias"})


def whole_sizes(layers: Iterable[Layer]) -> Mapping[str, int]:
    """The bytes of each tensor, by its name: the most that a record shows of it."""
    sizes: dict[str, int] = {}
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            sizes[tensor.name] = max(size(tensor) or 0, sizes.get(tensor.name, 0))
    return sizes


def of(layer: Layer, extents: sizes.Extents | None, whole_sizes: Mapping[str, int]) -> int:
    """The number of bytes; reads of one tensor are parts of it. Raises NotKnown."""
    if not runs_kernel(layer):
        return 0
    if layer.raw is not None:
        raise sizes.NotKnown("its record could not be read")
    if layer.type == DLA:
        raise sizes.NotKnown(sizes.ON_DLA)
    if is_myelin(layer):
        raise sizes.NotKnown("Myelin compiled it, and the listing does not show its weights")
    if not (layer.inputs or layer.outputs or layer.attributes or layer.tactic):  # a name alone
        raise sizes.NotKnown("its tensors are not known")
    moved = {tensor.name: _size_of(tensor, "an output") for tensor in layer.outputs}
    written = sum(moved.values())
    in_part = _is_read_in_part(layer.type) or sizes.reads_in_part(layer)
    read: dict[str, int] = {}
    convolved, part = _window(layer, extents) or (None, 1.0)
    for place, tensor in enumerate(layer.inputs):
        whole = _size_of(tensor, "an input")
        if place == convolved:
            whole = math.ceil(whole * part)
        if in_part:
            whole = min(whole, written)
        read[tensor.name] = min(read.get(tensor.name, 0) + whole, whole_sizes[tensor.name])
    for name, whole in read.items():  # one that is read and written counts once
        moved[name] = max(whole, moved.get(name, 0))
    held = _weights(layer, extents)
    if held is None:
        raise sizes.NotKnown("the listing does not give its weights")
    return sum(moved.values()) + held


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
    if in_record := list(_stored(layer)):
        return sum(in_record)
    if extents.kernel is None or not extents.groups:
        return None
    count = product((extents.channels, extents.filters, *extents.kernel))
    if count is None:
        return None
    count //= extents.groups
    if any(at != extents.input and one.elements == count for at, one in enumerate(layer.inputs)):
        return 0  # they are an input
    return None if bits is None else _bytes(count, bits)


def _stored(layer: Layer) -> Iterator[int]:
    """Bytes of weights and of biases, as a detailed record lists them."""
    for key, value in layer.attributes:
        if key in _WEIGHTS and (weights := sizes.stored(value)) is not None:
            bits = width(weights[0])
            if bits is not None:
                yield _bytes(weights[1], bits)


@lru_cache(maxsize=1 << 10)
def _is_read_in_part(type: str) -> bool:
    return _IN_PART.search(type) is not None
