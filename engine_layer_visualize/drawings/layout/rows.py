"""Sizes of boxes in order of execution, and edges as pairs of their indices, in; `Rows` out.

Those are a grid of rows and slots, with lanes for edges that pass other rows. The time is n log n,
however long the edges are.
"""

# Annotations are no texts here: a NamedTuple would compile each of them.
import math
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine_layer_visualize.drawings.layout.ranking import ranked
from engine_layer_visualize.drawings.layout.slots import Chains

MOST: Final = 4  # boxes side by side: more would make one row as wide as all the rest
LANES: Final = 10  # edges that pass one row; of more the longest are cut
PATIENCE: Final = 4  # rows for which an edge may keep a whole slot free
_NEAR: Final = 40  # rows that an edge may pass in any drawing
_COLUMNS: Final = 5  # in a large drawing: this many square roots of its rows, some three columns


class GridBox(NamedTuple):
    """A box: its place in the grid, its size, and the width kept at its right for flags, which
    stand for cut edges."""

    row: int
    slot: int
    width: float
    height: float
    flag: float = 0.0


class Lane(NamedTuple):
    """Where a net passes rows: in track `track` of the gutter at the left of slot `gutter`, counted
    from that slot; track -1: in the middle of the slot itself, which is empty there."""

    gutter: int
    track: int


class Net(NamedTuple):
    """Edges that carry the same tensor from one box, `readers` by row. They share one lane; there
    is none where all readers are in the next row."""

    source: int
    readers: tuple[int, ...]
    lane: Lane | None


@dataclass(frozen=True, slots=True)
class Rows:
    """A layered drawing, before it is folded.

    `nets_of[i]` is the net of the i-th edge, or -1 where it is cut: it runs backwards, passes too
    many rows, or there are too many beside it. Then a flag at each end names the other end.
    """

    nodes: tuple[GridBox, ...]
    nets: tuple[Net, ...]
    nets_of: tuple[int, ...]
    count: int

    @property
    def cut(self) -> tuple[int, ...]:
        """The edges to be drawn as a pair of flags."""
        return tuple(i for i, net in enumerate(self.nets_of) if net < 0)


def layered(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    nets: Sequence[int] | None = None,
    *,
    most: int = MOST,
    lanes: int = LANES,
    reach: int | None = None,
    serial: bool = False,
    patience: int = PATIENCE,
    flag: float = 0.0,
    flagged: Collection[int] = (),
) -> Rows:
    """Rows, slots and lanes of boxes `sizes` (width, height), in order of execution.

    `edges` are pairs (from, to); `nets` gives the edges that carry the same tensor the same number
    (default: all edges of one box). At most `most` boxes share a row and `lanes` edges pass one;
    an edge over more than `reach` rows is cut (default: some three columns of the folded drawing).
    `serial` puts the two branches of a fork one after the other, which makes columns narrower; an
    edge keeps a whole slot free for `patience` rows at most.
    `flag` is the width kept at the right of boxes that have cut edges, and of those `flagged`.
    """
    row = ranked(len(sizes), [(u, v) for u, v in edges if u < v], most, serial)
    count = max(row, default=-1) + 1
    far = reach if reach is not None else max(_NEAR, int(_COLUMNS * math.sqrt(count)))
    kept = _uncrowded(_grouped(edges, nets, row, far), edges, row, count, lanes)
    nets_of = [-1] * len(edges)
    for number, net in enumerate(kept):
        for index in net:
            nets_of[index] = number
    uncut = [edge for index, edge in enumerate(edges) if nets_of[index] >= 0]
    chains = Chains(row, uncut, most, 0 if serial else patience)
    ends = {end for i, edge in enumerate(edges) if nets_of[i] < 0 for end in edge} | set(flagged)
    nodes = tuple(
        GridBox(row[i], chains.slot[i], width, height, flag if i in ends else 0.0)
        for i, (width, height) in enumerate(sizes)
    )
    return Rows(nodes, tuple(_nets(kept, edges, row, chains)), tuple(nets_of), count)


def _grouped(
    edges: Sequence[tuple[int, int]], nets: Sequence[int] | None, row: list[int], far: int
) -> Iterable[list[int]]:
    """The edges, by their indices, of each net, without those that pass more than `far` rows."""
    found: dict[tuple[int, int], list[int]] = {}  # by box and number of the net
    for index, (u, v) in enumerate(edges):
        if u < v and row[v] - row[u] <= far:
            found.setdefault((u, nets[index] if nets is not None else 0), []).append(index)
    return found.values()


def _uncrowded(
    nets: Iterable[list[int]],
    edges: Sequence[tuple[int, int]],
    row: list[int],
    rows: int,
    lanes: int,
) -> list[list[int]]:
    """The nets, each the indices of its edges by the reader's row, without the edges that would
    make more than `lanes` nets pass one gap.

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
        while len(active) > lanes:
            _, number = active.pop()
            kept[number] = [index for index in kept[number] if row[edges[index][1]] <= gap + 1]
    return [net for net in kept if net]


def _nets(
    kept: list[list[int]], edges: Sequence[tuple[int, int]], row: list[int], chains: Chains
) -> list[Net]:
    """The nets with their lanes: in a slot that was kept free, else in the gutter beside their box
    on the side of the last reader."""
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
    """The slot that is kept free for the lane from box `u` to its last reader, if one is."""
    if chains.next[u] >= 0:
        if row[last] <= row[chains.next[u]]:
            return chains.slot[u]
    elif row[last] - 1 <= chains.end[u]:
        return chains.slot[u]
    begins = chains.source[last] == u and chains.next[u] != last
    return chains.slot[last] if begins and chains.start[last] <= row[u] + 1 else None


def _free(taken: list[tuple[int, int]], first: int, stop: int) -> bool:
    """Whether none of the sorted spans `taken` overlaps (`first`, `stop`)."""
    at = bisect_left(taken, (first, stop))
    return (at == 0 or taken[at - 1][1] <= first) and (at == len(taken) or taken[at][0] >= stop)
