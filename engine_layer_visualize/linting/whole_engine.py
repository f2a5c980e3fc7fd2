"""Answers what rules ask of an engine that is the same in all its optimisation profiles.

An engine may have hundreds of them: what is decided here is decided once for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from engine_layer_visualize.analysis import operations, reformat_reasons
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.operations import Operation
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.analysis.work import EngineWork, shapes, work
from engine_layer_visualize.analysis.work.sizes import Extents
from engine_layer_visualize.core.model import Edge, Layer


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
        return tuple(map(operations.of, self._engine.layers))

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
