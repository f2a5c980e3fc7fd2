"""What a layer computes in, and how many bytes it moves and holds.

takes: a `Layer`
gives: its precision, its bytes
never: computes bytes of unknown dims
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize import precisions
from engine_layer_visualize.model import Layer, Tensor

# Bits of an element.
_BITS: Final = {
    **dict.fromkeys(("float", "fp32", "float32", "tf32", "int32", "uint32"), 32),
    **dict.fromkeys(("half", "fp16", "float16", "bfloat16", "bf16"), 16),
    **dict.fromkeys(("int8", "uint8", "bool", "fp8"), 8),
    **dict.fromkeys(("int64", "uint64", "double", "float64"), 64),
    **dict.fromkeys(("int4", "fp4"), 4),
}
_NO_PRECISION: Final = ("int32", "uint32", "int64", "uint64", "uint8", "bool")


def precision_of(layer: Layer) -> str:
    """The dtype that a layer computes with, or `unknown`; `precisions.of` says what tells it."""
    return precisions.of(layer).dtype or precisions.UNKNOWN


def bits(dtype: str | None) -> int | None:
    """Width of a floating or quantised type; None for others (Int32, Bool) and unknown ones."""
    low = (dtype or "").casefold()
    return None if low in _NO_PRECISION else _BITS.get(low)


def moved(layer: Layer) -> int | None:
    """Bytes that a layer reads and writes; None where a dimension or a dtype does not tell."""
    whole = 0
    for tensor in (*layer.inputs, *layer.outputs):
        elements, wide = tensor.elements, _BITS.get((tensor.dtype or "").casefold())
        if elements is None or wide is None:
            return None
        whole += (elements * wide + 7) // 8
    return whole


def held(layer: Layer) -> int | None:
    """Bytes that the log says a layer has on the device: persistent, scratch, weights."""
    memory = layer.facts.memory if layer.facts is not None else None
    if memory is None:
        return None
    parts = (memory.device_persistent, memory.scratch, memory.weights)
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def dims(tensors: Iterable[Tensor]) -> str:
    """`[1,64,56,56] [1,64]` of tensors, as printed."""
    return " ".join(f"[{tensor.dims}]" for tensor in tensors)


def amount(size: float) -> str:
    """Bytes in the unit that a person would say."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 999.5 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if size >= 9.95 or unit == "B" else f"{size:.1f} {unit}"
