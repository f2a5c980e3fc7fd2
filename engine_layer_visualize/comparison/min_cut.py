"""Chooses one of two sides for each of many things, so that all costs together are the least.

Costs are of a thing on a side, and of two things on different sides: a cut through a network of
pipes, which Dinic's algorithm finds exactly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from math import isinf
from typing import Final

_FINE: Final = 10**9  # parts of a ms that costs are counted in


def least(
    costs: Sequence[tuple[float, float]],
    between: Mapping[tuple[int, int], float],
    ties: bool = False,
) -> list[bool]:
    """For each thing, whether it takes the second side.

    Args:
        costs: of each thing on the first side and on the second.
        between: what it costs that the first of two things takes the first side, and the second
            one the second side. None is negative; an infinite one keeps them from it.
        ties: what is taken where both cost the same.
    """
    pipes = _Pipes(len(costs) + 2)
    source, sink = len(costs), len(costs) + 1
    whole = [(round(a * _FINE), round(b * _FINE)) for a, b in costs]
    never = (
        1
        + sum(map(sum, whole))
        + sum(round(ms * _FINE) for ms in between.values() if not isinf(ms))
    )
    for thing, (first, second) in enumerate(whole):
        same = min(first, second)
        pipes.add(source, thing, second - same)
        pipes.add(thing, sink, first - same)
    for (thing, other), ms in between.items():
        pipes.add(thing, other, never if isinf(ms) else round(ms * _FINE))
    pipes.fill(source, sink)
    if ties:
        first_side = pipes.reached(source)
        return [thing not in first_side for thing in range(len(costs))]
    second_side = pipes.reached(sink, back=True)
    return [thing in second_side for thing in range(len(costs))]


class _Pipes:
    """Pipes between nodes, and what still fits through each; a pipe and its way back are a pair."""

    def __init__(self, nodes: int) -> None:
        self.ends: list[int] = []
        self.room: list[int] = []
        self.at: list[list[int]] = [[] for _ in range(nodes)]

    def add(self, start: int, end: int, room: int) -> None:
        if room:
            for node, other, fits in ((start, end, room), (end, start, 0)):
                self.at[node].append(len(self.ends))
                self.ends.append(other)
                self.room.append(fits)

    def fill(self, source: int, sink: int) -> None:
        """As much as fits from the source to the sink."""
        while (level := self._levels(source, sink)) is not None:
            places = [0] * len(self.at)
            while path := self._path(source, sink, level, places):
                most = min(self.room[pipe] for pipe in path)
                for pipe in path:
                    self.room[pipe] -= most
                    self.room[pipe ^ 1] += most

    def _levels(self, source: int, sink: int) -> list[int] | None:
        """How far each node is from the source; None where the sink cannot be reached."""
        level = [-1] * len(self.at)
        level[source] = 0
        waiting = deque([source])
        while waiting:
            node = waiting.popleft()
            for pipe in self.at[node]:
                if self.room[pipe] and level[self.ends[pipe]] < 0:
                    level[self.ends[pipe]] = level[node] + 1
                    waiting.append(self.ends[pipe])
        return level if level[sink] >= 0 else None

    def _path(self, source: int, sink: int, level: Sequence[int], places: list[int]) -> list[int]:
        """Pipes with room from level to level; `places`: how many of each node are used up."""
        path: list[int] = []
        node = source
        while node != sink:
            here = self.at[node]
            while places[node] < len(here):
                pipe = here[places[node]]
                if self.room[pipe] and level[self.ends[pipe]] == level[node] + 1:
                    break
                places[node] += 1
            else:
                if not path:
                    return []
                node = self.ends[path.pop() ^ 1]
                places[node] += 1
                continue
            path.append(pipe)
            node = self.ends[pipe]
        return path

    def reached(self, start: int, *, back: bool = False) -> set[int]:
        """The nodes that can be reached through what has room; `back`: from which it can be."""
        seen, waiting = {start}, [start]
        while waiting:
            for pipe in self.at[waiting.pop()]:
                node = self.ends[pipe]
                if node not in seen and self.room[pipe ^ 1 if back else pipe]:
                    seen.add(node)
                    waiting.append(node)
        return seen
