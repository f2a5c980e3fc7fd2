"""Work in short words: lines of a tooltip, pairs of the page, the device's peaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.core.model import JsonValue, TimeKind
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.core.text import amount, large, milliseconds, percent


def pairs(work: LayerWork, kind: TimeKind | None) -> Iterator[tuple[str, JsonValue]]:
    """What a layer computes and moves, and how far its time is from what no kernel beats."""
    parts = [f"{large(work.macs)} MACs"] if work.macs else []
    parts += [amount(work.bytes)] if work.bytes else []
    parts += [intensity(work.intensity)] if work.intensity else []
    if parts:
        yield "work" if work.macs else "moves", ", ".join(parts)
    if not work.bound_ms:
        return
    best = f"{milliseconds(work.bound_ms)}, {bound_by(work)}"
    if work.efficiency is not None and work.above_ms is not None:
        what = "its time" if kind == "measured" else "the builder's estimate"
        best += f"; {what} is {milliseconds(work.above_ms)} above, {efficiency(work.efficiency)}"
    yield "at best", best


def bound_by(work: LayerWork) -> str:
    """`compute-bound`; a layer below 5 µs is bound by its launch, whatever its work."""
    words = f"{work.bound_by}-bound" + (f" ({work.assumes})" if work.assumes else "")
    return f"{words} (or in the L2 cache)" if work.in_l2 and work.bound_by == "memory" else words


def efficiency(value: float) -> str:
    """`efficiency 60.0 %`: the bound as a part of the time."""
    return f"efficiency {percent(value)}"


def intensity(value: float) -> str:
    """`94 FLOP per byte`."""
    return f"{value:,.0f} FLOP per byte" if value >= 9.95 else f"{value:.1f} FLOP per byte"


def peaks(peak: Peak) -> str:
    """`FP32 29.8, TF32 59.5 TFLOPS, INT8 238 TOPS, 760 GB/s`."""
    parts = []
    for unit, several in groupby(peak.tflops, key=lambda one: unit_of(one[:1])):
        figures = ", ".join(f"{named(key)} {_figure(value)}" for key, value in several)
        parts.append(f"{figures} T{unit}S")
    if peak.bandwidth is not None:
        parts.append(f"{peak.bandwidth:,.0f} GB/s")
    return ", ".join(parts)


def unit_of(keys: Iterable[str]) -> str:
    """Of peaks: integers are no floating-point numbers."""
    return "OP" if all(key.startswith("int") for key in keys) else "FLOP"


_NAMES = {"fp16_fp32": "FP16 with FP32 accumulation", "fp8_fp32": "FP8 with FP32 accumulation"}


def named(key: str) -> str:
    """`FP16`, of a peak."""
    return _NAMES.get(key, key.upper())


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}"
