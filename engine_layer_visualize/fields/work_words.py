"""Says what a layer computes and moves, and what the device can do, in short words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.core.model import TimeKind
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.core.words import Name, Words, joined


def at_best(work: LayerWork, kind: TimeKind | None) -> str:
    """How far a layer's time is from what no kernel beats; empty where that is not known."""
    if not work.bound_ms:
        return ""
    best = f"{milliseconds(work.bound_ms)}, {bound_by(work)}"
    if work.efficiency is not None and work.above_ms is not None:
        what = "its time" if kind == "measured" else "the builder's estimate"
        best += f"; {what} is {milliseconds(work.above_ms)} above, {efficiency(work.efficiency)}"
    return best


_MOST_INPUTS: Final = 3


def at(inputs: Sequence[Mapping[str, Any]], of_times: bool) -> tuple[str | Name, ...]:
    """For which shapes of inputs numbers are, as a sentence; nothing where none varies."""
    if not inputs:
        return ()
    each: list[Words] = [
        ("`", Name(one["name"]), f"` {extents(one['shape'])}") for one in inputs[:_MOST_INPUTS]
    ]
    more = len(inputs) - len(each)
    rest = f" and {count(more, 'more input')}" if more else ""
    if not of_times:
        rest += ", which a run had; at which the builder timed the layers the log does not say"
    head = " The shapes of the inputs vary: these numbers are at "
    return (head, *joined(", ", each), f"{rest}.")


def extents(shape: Iterable[int]) -> str:
    """A shape, such as `4×1×28×28`."""
    return "×".join(map(str, shape))


def bound_by(work: LayerWork) -> str:
    """What a layer is bound by, such as `compute-bound`.

    A layer below 5 µs is bound by its launch, whatever its work.
    """
    words = f"{work.bound_by}-bound" + (f" ({work.assumes})" if work.assumes else "")
    return f"{words} (or in the L2 cache)" if work.in_l2 and work.bound_by == "memory" else words


def efficiency(value: float) -> str:
    """The bound as a part of the time, such as `efficiency 60.0 %`."""
    return f"efficiency {percent(value)}"


def intensity(value: float) -> str:
    """The FLOP for each byte, such as `94 FLOP per byte`."""
    return f"{value:,.0f} FLOP per byte" if value >= 9.95 else f"{value:.1f} FLOP per byte"


def peaks(peak: Peak) -> str:
    """The figures of a device: `FP32 29.8, TF32 59.5 TFLOPS, INT8 238 TOPS, 760 GB/s`."""
    parts = []
    for unit, several in groupby(peak.tflops, key=lambda figure: unit_of(figure[:1])):
        figures = ", ".join(f"{named(key)} {_figure(value)}" for key, value in several)
        parts.append(f"{figures} T{unit}S")
    if peak.bandwidth is not None:
        parts.append(f"{peak.bandwidth:,.0f} GB/s")
    return ", ".join(parts)


def unit_of(keys: Iterable[str]) -> str:
    """The unit of peaks: integers are no floating-point numbers."""
    return "OP" if all(key.startswith("int") for key in keys) else "FLOP"


_NAMES = {"fp16_fp32": "FP16 with FP32 accumulation", "fp8_fp32": "FP8 with FP32 accumulation"}


def named(key: str) -> str:
    """The name of a peak, such as `FP16`."""
    return _NAMES.get(key, key.upper())


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}"
