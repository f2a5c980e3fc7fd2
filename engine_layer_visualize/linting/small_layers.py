"""Finds the layers of an engine that are too small to fill the device."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.layer_kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import SHORTEST_MS
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.linting.totals import gpu_compute
from engine_layer_visualize.trt.kernel_names import is_winograd

TIMES_BOUND: Final = 3  # how many bounds a layer takes at least
LEAST_SHARE: Final = 0.5  # of the time of the engine
LEAST_LAYERS: Final = 10


class SmallLayers(NamedTuple):
    """Layers that are too small to fill the device.

    Attributes:
        layers: the longest first.
        took: their ms.
        bound: the ms that the device needs for them.
    """

    layers: tuple[Layer, ...]
    took: float
    bound: float


def small(subject: Subject) -> SmallLayers | None:
    """Returns the small layers of an engine of which they take the most time; None of others."""
    costs = subject.costs
    if costs.kind != "measured" or not costs.ranked or not costs.whole:
        return None
    rows = [
        (ms, layer, work)
        for layer in subject.layers
        if not is_reformat(layer)
        if (ms := subject.ms(layer)) and ms < SHORTEST_MS
        if (work := subject.work(layer)).bound_ms and is_sure(layer, work)
    ]
    took = sum(ms for ms, *_ in rows)
    bound = sum(work.bound_ms or 0.0 for *_, work in rows)
    is_most = took > LEAST_SHARE * costs.whole and took > TIMES_BOUND * bound
    if len(rows) < LEAST_LAYERS or not is_most:
        return None
    rows.sort(key=lambda row: -row[0])
    return SmallLayers(tuple(layer for _, layer, _ in rows), took, bound)


def mean_of_kernels(subject: Subject) -> float | None:
    """Returns the ms of a layer in the mean, by the time of an inference on the GPU.

    None where that is not known, or layers are missing.
    """
    took = gpu_compute(subject.profiled)
    number = sum(map(runs_kernel, subject.layers))
    return took / number if took and number and subject.engine.source.complete else None


def is_sure(layer: Layer, work: LayerWork) -> bool:
    """Whether the peak is known to be that of the units on which a layer's kernel runs.

    Float may run on two kinds of units. How much a Winograd kernel saves is unknown.
    """
    if is_winograd(layer.kernel or ""):
        return False
    precision = precisions.of(layer)
    known = precision.tf32 or layer.kernel is not None or precision.dtype != "Float"
    return known or work.bound_by == "memory"
