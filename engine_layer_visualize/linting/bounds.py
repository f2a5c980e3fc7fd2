"""Tells how far layers are from what the device can do, and what other kernels could save."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.times import gpu_compute
from engine_layer_visualize.analysis.work import LAUNCH, LayerWork, needed_ms
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernels import is_winograd

SHORTEST_MS: Final = 0.02  # of a layer: shorter ones are mostly launched, and nothing prices that
NOISE_MS: Final = 0.001  # of the timer: with less at stake nothing is worth a finding of its own
# What to try where kernels are slow, and nothing of the model tells why.
MORE_TACTICS: Final = "let the builder try more tactics (trtexec: --builderOptimizationLevel=5)"
OF_PICTURE: Final = (
    "fold pixels into channels (SpaceToDepth): those of a picture are too few for tensor cores"
)
PICTURE_CHANNELS: Final = 4  # at most: for so few there are kernels of their own
TIMES_BOUND: Final = 3  # how many bounds a layer takes at least
LEAST_SHARE: Final = 0.5  # of the time of the engine
LEAST_LAYERS: Final = 10
# Of the device's peak; kernels for tensor cores are not expected to multiply faster.
_USUAL_RATE: Final = 0.6


def is_sure(layer: Layer, work: LayerWork) -> bool:
    """Whether the peak is known to be that of the units on which a layer's kernel runs.

    Float may run on two kinds of units. How much a Winograd kernel saves is unknown.
    """
    if is_winograd(layer.kernel or ""):
        return False
    precision = precisions.of(layer)
    known = precision.tf32 or layer.kernel is not None or precision.dtype != "Float"
    return known or work.bound_by == "memory"


def bound_of(subject: Subject, layers: Iterable[Layer]) -> float | None:
    """Returns the sum of the layers' bounds in ms; None where one is unknown."""
    known = [subject.work_of(layer).bound_ms for layer in layers]
    return None if None in known else sum(filter(None, known))


def saved_together(
    subject: Subject, layers: Iterable[Layer], dtypes: Iterable[str] = ()
) -> float | None:
    """Returns the sum of `saved_by`; None where nothing is known to be saved."""
    wanted = tuple(dtypes)
    return sum(saved_by(subject, layer, wanted) or 0.0 for layer in layers) or None


def saved_by(subject: Subject, layer: Layer, dtypes: Iterable[str] = ()) -> float | None:
    """Returns the ms that another kernel could save, in one of these types or the present one.

    That kernel multiplies, or moves bytes, as fast as the best layer of this engine; it takes the
    longer of both times, and a launch. None where that is unknown, and for a short layer.
    """
    ms, now = subject.ms(layer), subject.dtype(layer) or ""
    needed = needed_ms(subject.work_of(layer), now, dtypes, subject.work.peak)
    if ms is None or ms < SHORTEST_MS or needed is None:
        return None
    compute_ms, memory_ms = needed
    compute_rate, memory_rate = subject.once(_best_rates)
    took = max(compute_ms / compute_rate, memory_ms / memory_rate)
    return max(0.0, ms - took - LAUNCH)


def _best_rates(subject: Subject) -> tuple[float, float]:
    """Returns which part of the device's multiplications, and of its bandwidth, a layer reaches."""
    reached = [
        (done.bound_by, done.efficiency)
        for layer in subject.layers
        if (subject.ms(layer) or 0.0) >= SHORTEST_MS
        if (done := subject.work_of(layer)).efficiency
    ]
    compute = max((rate for by, rate in reached if by == "compute"), default=_USUAL_RATE)
    memory = max((rate for by, rate in reached if by == "memory"), default=_USUAL_RATE)
    return min(compute, _USUAL_RATE), min(memory, 1.0)


def mean_of_kernels(subject: Subject) -> float | None:
    """Returns the ms of a layer in the mean, by the time of an inference on the GPU.

    None where that is not known, or layers are missing.
    """
    took = gpu_compute(subject.costs)
    number = sum(map(runs_kernel, subject.layers))
    return took / number if took and number and subject.engine.source.complete else None
