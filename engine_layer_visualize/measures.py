"""What a layer costs, and what it computes in.

takes: an `Engine`, a `Layer`
gives: its milliseconds and whether they were measured, its precision, its bytes
never: mixes measurements with the builder's estimates, or computes bytes of unknown dims
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Literal

from engine_layer_visualize.model import Engine, Layer, Tensor

Source = Literal["measured", "estimated"]

# Wider than this one is higher; those that are no precision of a computation are left out.
_BITS: Final = {
    "float": 32, "fp32": 32, "float32": 32, "tf32": 32, "half": 16, "fp16": 16, "float16": 16,
    "bfloat16": 16, "bf16": 16, "int8": 8, "fp8": 8, "int4": 4, "fp4": 4,
}  # fmt: skip


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


def precision_of(layer: Layer) -> str | None:
    """The dtype that a layer computes with, as far as its record tells: its first input's."""
    for tensor in (*layer.inputs[:1], *layer.outputs[:1]):
        if tensor.dtype is not None:
            return tensor.dtype
    return None


def bits(dtype: str | None) -> int | None:
    """Width of a floating or quantised type; None for others (Int32, Bool) and unknown ones."""
    return None if dtype is None else _BITS.get(dtype.casefold())


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
