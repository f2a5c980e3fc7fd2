"""Places boxes on a grid of rows and slots, with lanes for edges that pass other rows.

The time is n log n, however long the edges are.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.
import math
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine_layer_visualize.drawings.layout.ranking import ranked
from engine_layer_visualize.drawings.layout.slots import Chains

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
