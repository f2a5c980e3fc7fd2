"""Tells the edges at each layer of an engine, and what each layer computes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from engine_layer_visualize.analysis import kinds
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Edge


class Graph:
    """The layers of an engine and its edges, by the layers' indices.

    It is the same in all optimisation profiles, of which an engine may have hundreds.
    """

    def __init__(self, times: Costs) -> None:
        # Not the times, which hold this graph: an engine has no cycles.
        self._engine, self._profile_of = times.engine, times.profile_of_each
        self._is_one = len(times.profiles) == 1
        self.inputs = frozenset(self._engine.graph.inputs)

    @cached_property
    def operations(self) -> tuple[kinds.Operation | None, ...]:
        """What each layer computes."""
        return tuple(map(kinds.operation_of, self._engine.layers))

    @cached_property
    def read(self) -> Mapping[int, Sequence[Edge]]:
        """The edges that enter each layer."""
        return _by((edge.target, edge) for edge in self._engine.graph.edges)

    @cached_property
    def written(self) -> Mapping[int, Sequence[Edge]]:
        """The edges that leave each layer."""
        return _by((edge.source, edge) for edge in self._engine.graph.edges)

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
        if self._is_one:
            return self._engine.graph.edges
        return self._edges.get(profile, ())

    @cached_property
    def _edges(self) -> Mapping[int, Sequence[Edge]]:
        by_profile: dict[int, list[Edge]] = defaultdict(list)
        for edge in self._engine.graph.edges:
            ends = (edge.source, edge.target)
            for profile in {self._profile_of[index] for index in ends if index is not None}:
                by_profile[profile].append(edge)
        return by_profile


def _by(pairs: Iterable[tuple[int | None, Edge]]) -> Mapping[int, Sequence[Edge]]:
    edges: dict[int, list[Edge]] = defaultdict(list)
    for index, edge in pairs:
        if index is not None:
            edges[index].append(edge)
    return edges
