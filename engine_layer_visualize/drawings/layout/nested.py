"""Gives every box of groups that lie inside each other a row and a slot.

Each group has rows and slots that it shares with no box outside of it, so its frame is around its
own boxes alone, whichever groups are folded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Final, NamedTuple

from engine_layer_visualize.drawings.layout.rows import layered

_SIDE: Final = (1.0, 1.0)


class Nested(NamedTuple):
    """Where the boxes stand."""

    row: tuple[int, ...]  # of each box, from 0
    slot: tuple[int, ...]  # of each box, from 0
    rows: int  # how many there are


def nested(
    group_of: Sequence[int | None],
    parent_of: Sequence[int | None],
    edges: Sequence[tuple[int, int]],
    chained: bool = False,
) -> Nested:
    """Returns rows and slots.

    Args:
        group_of: The group around each box; None for none.
        parent_of: The group around each group, which has a lower number; None for none.
        edges: Pairs (from, to) of boxes.
        chained: Whether boxes without edges come one below the other.
    """
    return _Nesting(group_of, parent_of, edges, chained).all()


# A box or a group: (whether it is a group, its number).
_Item = tuple[bool, int]


class _Nesting:
    """Places the boxes of one drawing."""

    def __init__(
        self,
        group_of: Sequence[int | None],
        parent_of: Sequence[int | None],
        edges: Sequence[tuple[int, int]],
        chained: bool,
    ) -> None:
        self._chained = chained
        self._row = [0] * len(group_of)
        self._slot = [0] * len(group_of)
        self._items = defaultdict[int | None, list[_Item]](list)
        seen: set[int] = set()
        for box, group in enumerate(group_of):
            new = []
            outer = group
            while outer is not None and outer not in seen:
                seen.add(outer)
                new.append(outer)
                outer = parent_of[outer]
            for number in reversed(new):
                self._items[parent_of[number]].append((True, number))
            self._items[group].append((False, box))
        self._edges = defaultdict[int | None, list[tuple[_Item, _Item]]](list)
        for source, target in edges:
            above = list(_around((False, source), group_of[source], parent_of))
            for item, group in _around((False, target), group_of[target], parent_of):
                other = next((inner for inner, around in above if around == group), None)
                if other is not None:  # the innermost group around both
                    self._edges[group].append((other, item))
                    break

    def all(self) -> Nested:
        """Returns the places of all boxes."""
        rows, _, boxes = self._placed(None)
        for box, row, slot in boxes:
            self._row[box], self._slot[box] = row, slot
        return Nested(tuple(self._row), tuple(self._slot), rows)

    def _placed(self, group: int | None) -> tuple[int, int, list[tuple[int, int, int]]]:
        """Returns how many rows and slots a group takes, and (box, row, slot) of all inside."""
        items, edges = self._items[group], self._edges[group]
        place = {item: number for number, item in enumerate(items)}
        pairs = [(place[a], place[b]) for a, b in edges]
        order = _ordered(len(items), pairs)
        if self._chained and not pairs:
            cells = [(number, 0) for number in order]
        else:
            rows = layered([_SIDE] * len(items), [(order[a], order[b]) for a, b in pairs])
            cells = [(rows.nodes[number].row, rows.nodes[number].slot) for number in order]
        inner = [self._placed(number) if is_group else (1, 1, [(number, 0, 0)])
                 for is_group, number in items]  # fmt: skip
        tall: dict[int, int] = defaultdict(int)
        wide: dict[int, int] = defaultdict(int)
        for (row, slot), (high, broad, _) in zip(cells, inner):
            tall[row], wide[slot] = max(tall[row], high), max(wide[slot], broad)
        tops, lefts = _starts(tall), _starts(wide)
        return (
            sum(tall.values()),
            sum(wide.values()),
            [
                (box, tops[row] + down, lefts[slot] + across)
                for (row, slot), (_, _, boxes) in zip(cells, inner)
                for box, down, across in boxes
            ],
        )


def _around(
    item: _Item, group: int | None, parent_of: Sequence[int | None]
) -> Iterator[tuple[_Item, int | None]]:
    """Yields the box and the groups around it, each with the group around that."""
    yield item, group
    while group is not None:
        yield (True, group), parent_of[group]
        group = parent_of[group]


def _ordered(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the place of each item in an order in which what is read comes first.

    Where items read each other in a circle, the first of them comes first.
    """
    readers: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for source, target in set(edges):
        readers[source].append(target)
        waits[target] += 1
    ready = [item for item in range(count) if not waits[item]]
    heapify(ready)
    place = [-1] * count
    first = 0
    for number in range(count):
        while ready and place[ready[0]] >= 0:
            heappop(ready)
        while place[first] >= 0:
            first += 1
        item = heappop(ready) if ready else first
        place[item] = number
        for target in readers[item]:
            waits[target] -= 1
            if not waits[target] and place[target] < 0:
                heappush(ready, target)
    return place


def _starts(sizes: dict[int, int]) -> dict[int, int]:
    """Returns where each row or slot begins."""
    keys = sorted(sizes)
    return dict(zip(keys, accumulate((sizes[key] for key in keys), initial=0)))
