"""Computes values of a layer's fields, and words for those whose unit does not give them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.times import UNKNOWN_RUNS, is_unsteady
from engine_layer_visualize.analysis.told_extents import InputShape
from engine_layer_visualize.core.layer_facts import Candidate, LaunchedKernel
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.text import count, milliseconds, percent, shorten
from engine_layer_visualize.core.words import Name, first_lines, first_of
from engine_layer_visualize.facts.field import plain
from engine_layer_visualize.linting.subject import Subject

_NAMES_LENGTH: Final = 1_200  # characters of the names of nodes in a tooltip
_NAME_LENGTH: Final = 128  # characters of a kernel's name
_LAUNCHED: Final = 12  # kernels of a layer that are named
UNSTEADY: Final = "mean and median differ by more than 10 %"  # as `is_unsteady` decides


def times(layer: Layer, costs: Costs) -> Iterator[str]:
    """A layer's mean and median time and its share, or why it has no time."""
    share, took = costs.share(layer), costs.of(layer)
    of = f", {percent(share)} {costs.share_of(layer)}" if share is not None else ""
    if costs.missing(layer):
        yield not_timed(costs)
    if costs.estimated and took is not None:
        yield f"builder's estimate: {milliseconds(took)}{of}"
    time = layer.time
    if costs.estimated or time is None or share is None:
        return
    mean, median = time.average_ms, time.median_ms
    if mean is None:
        told = f"{milliseconds(time.total_ms or 0.0)} in {UNKNOWN_RUNS}{of}"
    elif time.n == 1:
        told = f"{milliseconds(mean)} in one run{of}"
    else:
        also = f", median {milliseconds(median)}" if median is not None else ""
        told = f"{milliseconds(mean)} on average{of}{also}"
    yield f"time: {told}" + (f", sum of {rows}" if (rows := summed(layer)) else "")
    if time.n != 1 and is_unsteady(mean, median):
        yield f"{UNSTEADY}: this layer's time was not steady"


def summed(layer: Layer) -> str | None:
    """What a layer's time is the sum of, such as `3 rows of the profile`."""
    time = layer.time
    several = time is not None and time.parts > 1 and not time.kernels
    return f"{time.parts} rows of the profile" if time and several else None


def not_timed(costs: Costs) -> str:
    """Why a layer that runs a kernel has no time."""
    if costs.estimated and costs.engine.known.pieces:
        return "the builder timed it within a ForeignNode, or in other formats"
    if costs.estimated:
        return "the log has no timing of it in its formats"
    return "not timed: the profile has no row of this name"


def attributes(layer: Layer) -> dict[str, JsonValue]:
    """Every further key of a detailed record, as printed, and what an unreadable record was."""
    printed = dict(layer.attributes)
    if layer.raw is not None:
        printed["Opaque"] = layer.raw
    if not layer.listed:
        printed["Listed"] = False
    return printed


def inside_operations(_: Subject, layer: Layer) -> list[JsonValue] | None:
    """What runs inside a ForeignNode; None where nothing is known of it."""
    from engine_layer_visualize.analysis.inside import operations

    return [plain(one) for one in operations(layer)] or None


def told_operation(one: dict[str, Any]) -> str:
    """`node_linear: 18.8 µs (estimated), sm80_xmma_gemm_…, the fastest of 47 tactics`."""
    words = [f"{milliseconds(one['ms'])} ({one['ms_kind']})" if one["ms"] is not None else ""]
    words += [one["kernel"] or ""]
    words += [f"the fastest of {count(one['tactics'], 'tactic')}" if one["tactics"] else ""]
    return f"{one['name']}: {', '.join(filter(None, words)) or 'no tactic is in the log'}"


def nodes(subject: Subject, layer: Layer) -> tuple[str, ...] | None:
    """The ONNX nodes of a layer; without facts only a detailed record knows them."""
    known = of_onnx(subject, layer)
    return known.all if layer.facts is not None else known.all or None


def of_onnx(subject: Subject, layer: Layer) -> origin.Nodes:
    """What is known of a layer's ONNX nodes: nothing in a network that is not known to be ONNX."""
    return origin.onnx_nodes_of(layer) if subject.is_onnx else origin.Nodes()


def estimate(subject: Subject, layer: Layer) -> float | None:
    """The builder's time of a layer that is measured, too: else the time is that estimate.

    A layer without a kernel has none: its estimate is of the copy that it replaces.
    """
    if subject.costs.kind != "measured" or not runs_kernel(layer):
        return None
    return layer.known.build_ms


def kernel(_: Subject, layer: Layer) -> str | None:
    """The kernel of its tactic, else the one that takes most of its time, where a report tells."""
    kernels = layer.time.kernels if layer.time is not None else ()
    longest = max(kernels, key=lambda kernel: kernel.average_ms, default=None)
    return layer.kernel or (longest.name if longest is not None else None)


def runs(_: Subject, layer: Layer) -> str | None:
    """How many runs its time is of, the shortest and the longest."""
    time = layer.time
    if time is None or None in (time.n, time.min_ms, time.max_ms, time.p95_ms):
        return None
    least, most, high = map(milliseconds, (time.min_ms or 0, time.max_ms or 0, time.p95_ms or 0))
    return f"{time.n:,}, {least} to {most}, 95 % of them at most {high}"


def launched(_: Subject, layer: Layer) -> tuple[str, ...]:
    """The kernels, copies and sets of a layer; of many the first."""
    kernels = layer.time.kernels if layer.time is not None else ()
    return tuple(first_lines(kernels, _LAUNCHED, _launch, "kernel"))


def _launch(kernel: LaunchedKernel) -> str:
    """`2 × kernel_name, 8.10 µs`; of one launch without the number."""
    times = f"{kernel.launches:.3g} × " if kernel.launches != 1 else ""
    return f"{times}{shorten(kernel.name, _NAME_LENGTH)}, {milliseconds(kernel.average_ms)}"


def lines_of_log(subject: Subject, layer: Layer) -> dict[str, int] | None:
    """The line of each fact."""
    if layer.facts is None:
        return None
    return {k: n for k, n in layer.facts.lines if subject.is_onnx or k != "onnx_nodes"}


def tactic(candidate: Candidate) -> str:
    """A timed tactic."""
    runner = f" ({candidate.runner})" if candidate.runner else ""
    kernel = f"{candidate.kernel}, " if candidate.kernel else ""
    formats = f", {candidate.formats}" if candidate.formats else ""
    return f"{milliseconds(candidate.ms)}: {kernel}tactic {candidate.tactic}{runner}{formats}"


def counted(one: str, many: str = "") -> Callable[[int], str]:
    """What writes a number and its words, such as `3 tactics timed`; nothing for none."""
    return lambda number: count(number, one, many or one) if number else ""


def joined(names: Iterable[str]) -> str:
    """Names in one text."""
    return shorten(", ".join(names), _NAMES_LENGTH)


# ---- what a layer computes and moves, and what the device can do ---------------------------------


def at_best(subject: Subject, layer: Layer) -> str:
    """How far a layer's time is from what no kernel beats; empty where that is not known."""
    work = subject.work.of(layer)
    if not work.bound_ms:
        return ""
    best = f"{milliseconds(work.bound_ms)}, {work.bound_by}-bound"
    if work.assumes:
        best += f" ({work.assumes})"
    if work.in_l2 and work.bound_by == "memory":
        best += " (or in the L2 cache)"
    if work.efficiency is not None and work.above_ms is not None:
        what = "its time" if subject.costs.kind == "measured" else "the builder's estimate"
        best += f"; {what} is {milliseconds(work.above_ms)} longer"
        best += f", efficiency {percent(work.efficiency)}"
    return best


def shapes_of(inputs: Sequence[InputShape], of_times: bool) -> tuple[str | Name, ...]:
    """For which shapes of inputs numbers are, as a sentence; nothing where none varies."""
    if not inputs:
        return ()
    each = [("`", Name(one.name), f"` {'×'.join(map(str, one.shape))}") for one in inputs]
    head = " Input shapes vary: these numbers are for "
    return (head, *first_of(each, noun="input"), "." if of_times else ", as in a run.")


def intensity(value: float) -> str:
    """The FLOP for each byte, such as `94 FLOP per byte`."""
    return f"{value:,.0f} FLOP per byte" if value >= 9.95 else f"{value:.1f} FLOP per byte"


def device(peak: Peak) -> str:
    """What a device can do (`FP32 29.8 TFLOPS, INT8 238 TOPS`), and where that is known from."""
    figures = []
    for unit, several in groupby(peak.tflops, key=lambda figure: unit_of(figure[:1])):
        each = (
            f"{peak_name(key)} {value:,.0f}" if value >= 99.95 else f"{peak_name(key)} {value:.1f}"
            for key, value in several
        )
        figures.append(f"{', '.join(each)} T{unit}S")
    if peak.bandwidth is not None:
        figures.append(f"{peak.bandwidth:,.0f} GB/s")
    known = [f"{', '.join(figures)} (dense, maximum clock)"] if figures else []
    if peak.given:
        known.append(f"{', '.join(peak.given)} by `--peak`")
    if peak.unverified:
        unsure = ", ".join(map(peak_name, peak.unverified))
        known.append(f"{unsure} not checked against a datasheet")
    return ": ".join(filter(None, (peak.device, "; ".join(known))))


def unit_of(keys: Iterable[str]) -> str:
    """The unit of peaks: integers are no floating-point numbers."""
    return "OP" if all(key.startswith("int") for key in keys) else "FLOP"


_NAMES = {"fp16_fp32": "FP16 with FP32 accumulation", "fp8_fp32": "FP8 with FP32 accumulation"}


def peak_name(key: str) -> str:
    """The name of a peak, such as `FP16`."""
    return _NAMES.get(key, key.upper())
