"""Answers what rules ask of a whole engine: totals, and what all optimisation profiles share."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import kinds, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import Operation
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.analysis.sizes import Extents
from engine_layer_visualize.analysis.work import EngineWork, shapes, work
from engine_layer_visualize.core.model import Edge, Layer
from engine_layer_visualize.linting.finding import Finding

# ---- sums up findings, and tells the time of one inference that they are compared with ----------


def saved(findings: Iterable[Finding]) -> float | None:
    """Returns the ms that all these causes together may save; None where nothing is known.

    No layer is in two of them, so that they add up.
    """
    known = [finding.ms for finding in findings if finding.ms is not None]
    return math.fsum(known) if known else None


_LEAST_RATIO: Final = 0.7  # below, one layer may hold a wait, and the others must not be scaled
_APART: Final = 10  # times as long as any other layer


def inference(costs: Costs) -> float | None:
    """Returns the ms that layers are a part of: one inference on the GPU, else their sum."""
    return None if costs.whole is None else costs.whole * ratio(costs)


def share_words(costs: Costs) -> str:
    """Returns what shares of `inference` are of; empty: of the sum of all layers."""
    return costs.share_words if ratio(costs) == 1 else "of an inference"


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
    times: float  # as long as any other layer


def held_in_one(costs: Costs) -> Held | None:
    """Returns the layer that holds what layers sum to more than an inference; None: not one."""
    if _part(costs) >= _LEAST_RATIO or costs.rest or len(costs.profiles) > 1:
        return None
    first, *others = costs.ranking
    longest, second = costs.of(first) or 0.0, max((costs.of(la) or 0.0 for la in others), default=0)
    beyond = (costs.whole or 0.0) * (1 - _part(costs))
    is_held = second and longest > _APART * second and beyond < longest
    return Held(first, beyond, longest / second) if is_held else None


def ratio(costs: Costs) -> float:
    """Returns the time of one inference as a part of the sum of its layers; 1: not known, or far.

    The builder's estimates stay as they are.
    """
    part = _part(costs)
    return part if part >= _LEAST_RATIO or held_in_one(costs) else 1.0


def _part(costs: Costs) -> float:
    took = None if costs.estimated else gpu_compute(costs)
    known = took and costs.whole and costs.ranked and costs.engine.source.complete
    return took / costs.whole if known and took and costs.whole else 1.0


def at_most(ms: float, costs: Costs) -> float:
    """Returns the ms, at most what the layers of an inference take."""
    return ms if costs.whole is None else min(ms, costs.whole)


def gpu_compute(costs: Costs) -> float | None:
    """Returns the ms of one inference by trtexec; None: unknown, or of which engine."""
    facts = costs.engine.facts
    row = facts.performance.gpu_compute if facts is not None and facts.performance else None
    return (row.mean or row.median) if row is not None and len(costs.profiles) == 1 else None


# ---- answers what rules ask of an engine that is the same in all its optimisation profiles ------

# An engine may have hundreds of them: what is decided here is decided once for all.


class WholeEngine:
    """What is known of all layers, by their indices.

    Args:
        costs: the times in any of the optimisation profiles.
    """

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._engine = costs.engine

    def extents(self, layer: Layer) -> Extents | None:
        """Returns the sizes of the convolution or the matrix product that a layer computes."""
        return shapes(self._costs)[layer.index]

    @cached_property
    def operations(self) -> tuple[Operation | None, ...]:
        """What each layer computes."""
        return tuple(map(kinds.operation_of, self._engine.layers))

    @cached_property
    def reasons(self) -> Mapping[int, Reason]:
        """What each reformat changes, and for whom."""
        return reformat_reasons.of(self._costs)

    @cached_property
    def work(self) -> EngineWork:
        """What each layer computes and moves; sums are of one optimisation profile."""
        return work(self._costs)

    @cached_property
    def inputs(self) -> frozenset[str]:
        """The names of the engine's inputs."""
        return frozenset(self._engine.graph.inputs)

    @cached_property
    def read(self) -> Mapping[int, Sequence[Edge]]:
        """The edges that enter each layer."""
        edges: dict[int, list[Edge]] = defaultdict(list)
        for edge in self._engine.graph.edges:
            if edge.target is not None:
                edges[edge.target].append(edge)
        return edges

    @cached_property
    def written(self) -> Mapping[int, Sequence[Edge]]:
        """The edges that leave each layer."""
        edges: dict[int, list[Edge]] = defaultdict(list)
        for edge in self._engine.graph.edges:
            if edge.source is not None:
                edges[edge.source].append(edge)
        return edges

    @cached_property
    def only_readers(self) -> Mapping[int, int | None]:
        """The layer that alone reads what a layer writes; None where there are others."""
        readers: dict[int, int | None] = {}
        for edge in self._engine.graph.edges:
            source, target = edge.source, edge.target
            if source is not None and readers.setdefault(source, target) != target:
                readers[source] = None
        return readers

    def edges(self, profile: int) -> Sequence[Edge]:
        """Returns the edges that enter or leave the layers of an optimisation profile."""
        if len(self._costs.profiles) == 1:
            return self._engine.graph.edges
        return self._edges.get(profile, ())

    @cached_property
    def _edges(self) -> Mapping[int, Sequence[Edge]]:
        layers, of = self._engine.layers, self._costs.profile_of
        by_profile: dict[int, list[Edge]] = defaultdict(list)
        for edge in self._engine.graph.edges:
            ends = (edge.source, edge.target)
            for profile in {of(layers[index]) for index in ends if index is not None}:
                by_profile[profile].append(edge)
        return by_profile
