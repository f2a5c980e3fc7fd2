"""Tells the time of one inference, and the times of layers within it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import is_one_run
from engine_layer_visualize.core.model import Layer

_LEAST_RATIO: Final = 0.7  # below, one layer may hold a wait
_ROUNDED: Final = 0.999  # of the sum of the layers: as much is lost in printing
_APART: Final = 10  # times as long as any other layer


def inference(costs: Costs) -> float | None:
    """Returns the ms that layers are a part of: one inference on the GPU, else their sum."""
    return None if costs.whole is None else costs.whole * ratio(costs)


def share_touched(layers: Collection[int], costs: Costs) -> float | None:
    """Returns the part of the sum of all layers that these take; None where it is unknown.

    What one layer holds beside its work is no part of the sum.
    """
    if (held := held_in_one(costs)) is not None:
        costs = costs.without(held.layer, held.ms)
    return costs.part(costs.engine.layers[index] for index in layers) if layers else None


def share_words(costs: Costs) -> str:
    """Returns what the shares of `share_touched` are of; empty: of the sum of all layers."""
    return costs.share_words if held_in_one(costs) is None else "of an inference"


def is_scaled(costs: Costs) -> bool:
    """Whether `of_inference` scales the times of layers."""
    return ratio(costs) < _ROUNDED and held_in_one(costs) is None


def of_inference(costs: Costs) -> Costs:
    """Returns the times of layers as they are in one inference.

    Layers sum to more where each was timed alone: then all are scaled. Where they sum to less, the
    rest of the inference passes between them.
    """
    if (held := held_in_one(costs)) is not None:
        return costs.without(held.layer, held.ms)
    factor = ratio(costs)
    return costs if factor >= 1 else costs.scaled(factor)


class Held(NamedTuple):
    """A layer whose time holds more than its work, by so many ms."""

    layer: Layer
    ms: float


def held_in_one(costs: Costs) -> Held | None:
    """Returns the layer that holds what layers sum to more than an inference; None: not one."""
    if ratio(costs) >= _LEAST_RATIO or costs.rest or len(costs.profiles) > 1:
        return None
    first, *others = costs.ranking
    longest, second = costs.of(first) or 0.0, max((costs.of(la) or 0.0 for la in others), default=0)
    beyond = (costs.whole or 0.0) * (1 - ratio(costs))
    is_held = second and longest > _APART * second and beyond < longest
    return Held(first, beyond) if is_held else None


def first_run(costs: Costs) -> Layer | None:
    """Returns the layer that holds the start-up of the only run; None: none is as long."""
    if not is_one_run(costs):
        return None
    first, *others = costs.ranking
    second = max((costs.of(layer) or 0.0 for layer in others), default=0.0)
    return first if second and (costs.of(first) or 0.0) > _APART * second else None


def ratio(costs: Costs) -> float:
    """Returns the time of one inference as a part of the sum of its layers; 1: not known.

    The builder's estimates stay as they are.
    """
    took = None if costs.estimated else gpu_compute(costs)
    known = took and costs.whole and costs.ranked and costs.engine.source.complete
    return took / costs.whole if known and took and costs.whole else 1.0


def at_most(ms: float, costs: Costs) -> float:
    """Returns the ms, at most what the layers of an inference take."""
    return ms if costs.whole is None else min(ms, costs.whole)


def gpu_compute(costs: Costs) -> float | None:
    """Returns the ms of one inference by trtexec; None: unknown, or of which engine."""
    told = costs.engine.known.performance
    row = told.gpu_compute if told is not None else None
    return (row.mean or row.median) if row is not None and len(costs.profiles) == 1 else None
