"""What a layer costs, and what it computes in.

takes: an `Engine`, a `Layer`
gives: its milliseconds and whether they were measured, its precision, its bytes
never: mixes measurements with the builder's estimates, or computes bytes of unknown dims
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Literal

from engine_layer_visualize import precisions
from engine_layer_visualize.model import Engine, Layer, Tensor

Source = Literal["measured", "estimated"]

# Bits of an element.
_BITS: Final = {
    **dict.fromkeys(("float", "fp32", "float32", "tf32", "int32", "uint32"), 32),
    **dict.fromkeys(("half", "fp16", "float16", "bfloat16", "bf16"), 16),
    **dict.fromkeys(("int8", "uint8", "bool", "fp8"), 8),
    **dict.fromkeys(("int64", "uint64", "double", "float64"), 64),
    **dict.fromkeys(("int4", "fp4"), 4),
}
_NO_PRECISION: Final = ("int32", "uint32", "int64", "uint64", "uint8", "bool")
_HOTTEST: Final = 0.05  # of the total: where nothing stands out, nothing shall look hot


def source(engine: Engine) -> Source | None:
    """Where the engine's times come from; None where there are none."""
    if engine.profile is not None and engine.profile.matched:
        return "measured"
    facts = (layer.facts for layer in engine.layers)
    told = any(known is not None and known.build_ms is not None for known in facts)
    return "estimated" if told else None


def cost(layer: Layer, of: Source | None) -> float | None:
    """Milliseconds of one layer, from that source alone; None where it has none."""
    if of == "measured":
        return layer.time.average_ms if layer.time is not None else None
    if of == "estimated":
        return layer.facts.build_ms if layer.facts is not None else None
    return None


def total(layers: Iterable[Layer], of: Source | None) -> float | None:
    """The sum of what is known, in ms; None where nothing is."""
    known = [ms for layer in layers if (ms := cost(layer, of)) is not None]
    return math.fsum(known) if known else None


def share(ms: float | None, whole: float | None) -> float | None:
    """From 0 to 1."""
    if ms is None or not whole:
        return None
    return ms / whole


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


class Costs:
    """Times of one engine: measured, or, where there is no profile, the builder's estimates.

    `top`: the share of the total that bears the hottest colour.
    """

    def __init__(self, engine: Engine) -> None:
        self.estimated = engine.profile is None and source(engine) == "estimated"
        self._source: Source = "estimated" if self.estimated else "measured"
        self.timed = [layer for layer in engine.layers if self.of(layer) is not None]
        self.total = total(engine.layers, "estimated") if self.estimated else engine.total_ms
        most = max((self.of(layer) or 0.0 for layer in self.timed), default=0.0)
        self.top = max(most / self.total, _HOTTEST) if self.total else 1.0

    def of(self, layer: Layer) -> float | None:
        """Milliseconds."""
        return cost(layer, self._source)

    def share(self, layer: Layer) -> float | None:
        """Of the total, from 0 to 1."""
        took = self.of(layer)
        if self.total is None or took is None:
            return None
        return took / self.total if self.total > 0 else 0.0


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
