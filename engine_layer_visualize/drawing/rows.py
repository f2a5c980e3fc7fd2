"""Places boxes on a grid of rows and slots, with lanes for edges that pass other rows.

The time is n log n, however long the edges are.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Final, NamedTuple

from engine_layer_visualize.drawing.ranking import Chains, ranked

PATIENCE: Final = 4  # rows for which an edge may keep a whole slot free
_MOST_BOXES: Final = 4  # of a row: more would make one row as wide as all the rest
_MOST_LANES: Final = 10  # edges that pass one row; of more the longest are cut
# Rows that an edge may pass: in any drawing, and in a large one this many square roots of its rows,
# which are some three columns.
_MOST_PASSED: Final = 40
_MOST_PASSED_ROOTS: Final = 5


class GridBox(NamedTuple):
    """A box in the grid."""

    row: int
    slot: int
    width: float
    height: float
    flag: float = 0.0  # the width kept at its right for flags, which stand for cut edges


class Lane(NamedTuple):
    """Where a net passes rows."""

    gutter: int  # the slot at whose left the gutter is
    track: int  # counted from that slot; -1: in the middle of the slot, which is empty there


class Net(NamedTuple):
    """Edges that carry the same tensor from one box."""

    source: int
    readers: tuple[int, ...]  # by row
    lane: Lane | None  # None where all readers are in the next row


@dataclass(frozen=True, slots=True)
class Rows:
    """A layered drawing, before it is folded."""

    nodes: tuple[GridBox, ...]
    nets: tuple[Net, ...]
    # The net of each edge, or -1 where it is cut: it runs backwards, passes too many rows, or there
    # are too many beside it. Then a flag at each end names the other end.
    nets_of: tuple[int, ...]
    count: int  # of rows

    @property
    def cut(self) -> tuple[int, ...]:
        """The edges to be drawn as a pair of flags."""
        return tuple(i for i, net in enumerate(self.nets_of) if net < 0)


def layered(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    nets: Sequence[int] | None = None,
    *,
    serial: bool = False,
    patience: int = PATIENCE,
    flag: float = 0.0,
    flagged: Collection[int] = (),
) -> Rows:
    """Returns rows, slots and lanes.

    Args:
        sizes: Width and height of each box, in order of execution.
        edges: Pairs (from, to).
        nets: The number of each edge's tensor; without it all edges of one box carry the same.
        serial: Whether the two branches of a fork come one after the other, which makes columns
            narrower.
        patience: The most rows for which an edge keeps a whole slot free.
        flag: The width kept at the right of boxes that have cut edges.
        flagged: Further boxes that have a flag.
    """
    row = ranked(len(sizes), [(u, v) for u, v in edges if u < v], _MOST_BOXES, serial)
    count = max(row, default=-1) + 1
    far = max(_MOST_PASSED, int(_MOST_PASSED_ROOTS * math.sqrt(count)))
    kept = _uncrowded(_grouped(edges, nets, row, far), edges, row, count)
    nets_of = [-1] * len(edges)
    for number, net in enumerate(kept):
        for index in net:
            nets_of[index] = number
    uncut = [edge for index, edge in enumerate(edges) if nets_of[index] >= 0]
    chains = Chains(row, uncut, _MOST_BOXES, 0 if serial else patience)
    ends = {end for i, edge in enumerate(edges) if nets_of[i] < 0 for end in edge} | set(flagged)
    nodes = tuple(
        GridBox(row[i], chains.slot[i], width, height, flag if i in ends else 0.0)
        for i, (width, height) in enumerate(sizes)
    )
    return Rows(nodes, tuple(_nets(kept, edges, row, chains)), tuple(nets_of), count)


def _grouped(
    edges: Sequence[tuple[int, int]], nets: Sequence[int] | None, row: list[int], far: int
) -> Iterable[list[int]]:
    """Returns the edges of each net, without those that pass more than `far` rows."""
    grouped: dict[tuple[int, int], list[int]] = {}  # by box and number of the net
    for index, (u, v) in enumerate(edges):
        if u < v and row[v] - row[u] <= far:
            grouped.setdefault((u, nets[index] if nets is not None else 0), []).append(index)
    return grouped.values()


def _uncrowded(
    nets: Iterable[list[int]], edges: Sequence[tuple[int, int]], row: list[int], rows: int
) -> list[list[int]]:
    """Returns the edges of each net by the reader's row, without those that crowd a gap.

    From the top: where there are too many, the one that goes farthest loses its farther readers,
    which leaves the fewest cuts.
    """
    starts: list[list[int]] = [[] for _ in range(rows)]
    kept: list[list[int]] = []
    for net in nets:
        starts[row[edges[net[0]][0]]].append(len(kept))
        kept.append(sorted(net, key=lambda index: (row[edges[index][1]], edges[index][1])))
    ends = [row[edges[net[-1]][1]] for net in kept]
    active: list[tuple[int, int]] = []  # (end, net), sorted
    for gap in range(rows):
        for number in starts[gap]:
            if ends[number] > gap + 1:
                insort(active, (ends[number], number))
        del active[: bisect_left(active, (gap + 1, -1))]
        while len(active) > _MOST_LANES:
            _, number = active.pop()
            kept[number] = [index for index in kept[number] if row[edges[index][1]] <= gap + 1]
    return [net for net in kept if net]


def _nets(
    kept: list[list[int]], edges: Sequence[tuple[int, int]], row: list[int], chains: Chains
) -> list[Net]:
    """Returns the nets with their lanes.

    A lane is in a slot that was kept free, else in the gutter beside the net's box on the side of
    the last reader.
    """
    nets: list[Net] = []
    waiting: list[tuple[int, int, int, int]] = []  # gaps passed, first gap, net, gutter
    used: set[tuple[int, int]] = set()  # box and slot
    for net in kept:
        u = edges[net[0]][0]
        readers = tuple(dict.fromkeys(edges[index][1] for index in net))
        last = readers[-1]
        lane = None
        if row[last] > row[u] + 1:
            inside = _free_slot(u, last, row, chains)
            if inside is not None and (u, inside) not in used:
                used.add((u, inside))
                lane = Lane(inside, -1)
            else:
                gutter = chains.slot[u] + (chains.slot[last] > chains.slot[u])
                waiting.append((row[last] - row[u], row[u], len(nets), gutter))
        nets.append(Net(u, readers, lane))
    taken: dict[tuple[int, int], list[tuple[int, int]]] = {}  # by gutter and track, sorted
    for length, first, number, gutter in sorted(waiting):  # short ones nearest to the boxes
        track = 0
        while not _free(spans := taken.setdefault((gutter, track), []), first, first + length):
            track += 1
        insort(spans, (first, first + length))
        nets[number] = nets[number]._replace(lane=Lane(gutter, track))
    return nets


def _free_slot(u: int, last: int, row: list[int], chains: Chains) -> int | None:
    """Returns the slot that is kept free for the lane from box `u` to its last reader, if any."""
    if chains.next[u] >= 0:
        if row[last] <= row[chains.next[u]]:
            return chains.slot[u]
    elif row[last] - 1 <= chains.end[u]:
        return chains.slot[u]
    begins = chains.source[last] == u and chains.next[u] != last
    return chains.slot[last] if begins and chains.start[last] <= row[u] + 1 else None


def _free(taken: list[tuple[int, int]], first: int, stop: int) -> bool:
    """Returns whether none of the sorted spans `taken` overlaps (`first`, `stop`)."""
    place = bisect_left(taken, (first, stop))
    free_before = place == 0 or taken[place - 1][1] <= first
    return free_before and (place == len(taken) or taken[place][0] >= stop)


# ---- gives every box of groups that lie inside each other a row and a slot ----------------------

# Each group has rows and slots that it shares with no box outside of it, so its frame is around
# its
# own boxes alone, whichever groups are folded.


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
