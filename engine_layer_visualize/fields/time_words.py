"""Says a layer's times: of one run, by format, of each run, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.coverage import UNKNOWN_RUNS, in_one_of_several
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.run_samples import LaunchedKernel
from engine_layer_visualize.core.text import milliseconds, percent, shorten

_NAME_LENGTH: Final = 128  # characters of a kernel's name
LAUNCHED: Final = 12  # kernels of a layer that are named
UNSTEADY: Final = "mean and median differ by more than 10 %"  # as `is_unsteady` decides


def times(layer: Layer, costs: Costs) -> Iterator[str]:
    """A layer's mean and median time and its share, or why it has no time."""
    share, took = costs.share(layer), costs.of(layer)
    of = f", {percent(share)} {costs.share_of(layer)}" if share is not None else ""
    if costs.estimated:
        if took is not None:
            yield f"builder's estimate: {milliseconds(took)}{of}"
        elif (several := in_one_of_several(layer)) is not None:
            least, most = map(milliseconds, several)
            yield f"builder's timings: {least} to {most}, by format: its own is not in the log"
        elif costs.missing(layer):
            yield not_timed(costs)
        return
    time = layer.time
    if time is None or share is None:
        if costs.missing(layer):
            yield not_timed(costs)
        return
    parts = f", sum of {rows}" if (rows := summed(layer)) else ""
    mean, median = time.average_ms, time.median_ms
    if mean is None:
        yield f"time: {milliseconds(time.total_ms or 0.0)} in {UNKNOWN_RUNS}{of}{parts}"
        return
    if time.n == 1:
        yield f"time: {milliseconds(mean)} in one run{of}{parts}"
        return
    if costs.statistic == "median" and median is not None:
        yield f"time: {milliseconds(median)} median{of}, {milliseconds(mean)} on average{parts}"
    else:
        also = f", median {milliseconds(median)}" if median is not None else ""
        yield f"time: {milliseconds(mean)} on average{of}{also}{parts}"
    if is_unsteady(mean, median):
        yield f"{UNSTEADY}: this layer's time was not steady"


def summed(layer: Layer) -> str | None:
    """What a layer's time is the sum of, such as `3 rows of the profile`."""
    time = layer.time
    several = time is not None and time.parts > 1 and not time.kernels
    return f"{time.parts} rows of the profile" if time and several else None


def launched(kernel: LaunchedKernel) -> str:
    """A kernel that a layer launched: how often, its name and its time."""
    times = f"{kernel.launches:.3g} × " if kernel.launches != 1 else ""
    return f"{times}{shorten(kernel.name, _NAME_LENGTH)}, {milliseconds(kernel.average_ms)}"


def not_timed(costs: Costs) -> str:
    """Why a layer that runs a kernel has no time."""
    if costs.estimated and costs.engine.facts is not None and costs.engine.facts.pieces:
        return "the builder timed it within a ForeignNode, or not in the format that it runs in"
    if costs.estimated:
        return "the log has no builder's timing of it, or not of the format that it runs in"
    return "not timed: the profile has no row of this name"
