"""Tells the precision, bytes, dims and formats of a layer. Unknown bytes are None."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.trt.data_types import width
from engine_layer_visualize.trt.memory_formats import short_format

# What of a layer's memory is on the device, beside tensors.
HELD: Final = ("scratch", "device_persistent", "weights")


def precision_of(layer: Layer) -> str:
    """The dtype that a layer computes with, or `unknown`."""
    return precisions.of(layer).dtype or precisions.UNKNOWN


def moved(layer: Layer) -> int | None:
    """Bytes that a layer reads and writes; None where its tensors or their sizes are unknown."""
    whole = 0
    tensors = (*layer.inputs, *layer.outputs)
    for tensor in tensors:
        elements, wide = tensor.elements, width(tensor.dtype)
        if elements is None or wide is None:
            return None
        whole += (elements * wide + 7) // 8
    return whole if tensors else None


def held(layer: Layer) -> int | None:
    """The bytes of device memory that a layer holds by the log; None where it has none.

    They are persistent memory, scratch and weights.
    """
    known = held_parts(layer)
    return sum(known.values()) if known else None


def held_parts(layer: Layer) -> dict[str, int]:
    """The bytes of device memory that a layer holds, by their part, of HELD."""
    memory = layer.facts.memory if layer.facts is not None else None
    sizes = ((part, getattr(memory, part, None)) for part in HELD)
    return {part: size for part, size in sizes if size is not None}


def size_of(layers: Iterable[Layer]) -> Callable[[Layer], int | None]:
    """What counts as a layer's memory.

    It is what it holds where the log tells that of any layer, else what it reads and writes.
    """
    return held if any(held(layer) is not None for layer in layers) else moved


def format_words(tensor: Tensor) -> str:
    """A tensor's memory format in words; empty where it is unknown."""
    if tensor.format and tensor.format != tensor.dtype and (short := short_format(tensor.format)):
        return short
    vector = tensor.dims.partition(":")[2].partition(",")[0]
    return f"channels in {vector}s" if vector else ""


def dims(tensors: Iterable[Tensor]) -> str:
    """The dims of tensors as printed, such as `[1,64,56,56] [1,64]`."""
    return " ".join(f"[{tensor.dims}]" for tensor in tensors)
