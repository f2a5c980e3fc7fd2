"""Boxes and wires -> rows, slots and lanes.

takes: sizes of boxes in order of execution, wires as pairs of their indices
gives: `Rows`: for each box its row and slot, for each net of wires its lane, the wires to be cut
never: takes more than n log n, however long the wires are
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

MOST: Final = 4  # boxes side by side: more would make one row as wide as all the rest
LANES: Final = 10  # wires that pass one row; of more the longest are cut
_WINDOW: Final = 12  # boxes by which a row may run ahead of the order of execution
_IN_SLOT: Final = 4  # rows for which a wire may keep a whole slot free
_FORK: Final = 2  # readers up to which a wire may keep the slot of the last one free
_SPINE: Final = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A box: its place in the grid, its size, and the room kept at its right for cut wires."""

    row: int
    slot: int
    width: float
    height: float
    flag: float = 0.0


@dataclass(frozen=True, slots=True)
class Lane:
    """Where a net passes rows: `track` of the gutter left of slot `gutter`, counted from that
    slot; -1: in the middle of the slot itself, which is empty there."""

    gutter: int
    track: int


@dataclass(frozen=True, slots=True)
class Net:
    """Wires that carry the same thing from one box: `readers` by row. They share one lane, which
    there is if the last reader is not in the next row."""

    source: int
    readers: tuple[int, ...]
    lane: Lane | None


@dataclass(frozen=True, slots=True)
class Rows:
    """A layered drawing, before it is folded.

    `nets_of[i]` is the net of the i-th wire, or -1 where it is cut: it runs backwards, passes too
    many rows, or there are too many beside it. Both its ends then bear a flag that names the other.
    """

    nodes: tuple[Node, ...]
    nets: tuple[Net, ...]
    nets_of: tuple[int, ...]
    count: int

    @property
    def cut(self) -> tuple[int, ...]:
        """The wires to be drawn as a pair of flags."""
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
    flag: float = 0.0,
    flagged: Collection[int] = (),
) -> Rows:
    """Rows, slots and lanes of boxes `sizes` (width, height), in order of execution.

    `edges` are pairs (from, to); `nets` gives the wires that carry the same thing the same number
    (default: all wires of one box). At most `most` boxes share a row and `lanes` wires pass one;
    a wire over more than `reach` rows is cut (default: some three columns of the folded drawing).
    `serial` puts the two branches of a fork one after the other, which makes columns narrower.
    `flag` is the width kept at the right of boxes that have cut wires, and of those `flagged`.
    """
    count = len(sizes)
    forward = [(u, v) for u, v in edges if u < v]
    row = _rows(count, forward, most, serial)
    rows = max(row, default=-1) + 1
    far = reach if reach is not None else max(40, int(5 * math.sqrt(rows)))
    wires: dict[tuple[int, int], list[int]] = {}
    for index, (u, v) in enumerate(edges):
        if u < v and row[v] - row[u] <= far:
            wires.setdefault((u, nets[index] if nets is not None else 0), []).append(index)
    grouped = list(wires.values())
    kept = _uncrowded(grouped, edges, row, rows, lanes)
    nets_of = [-1] * len(edges)
    for number, wire in enumerate(kept):
        for index in wire:
            nets_of[index] = number
    uncut = [edge for index, edge in enumerate(edges) if nets_of[index] >= 0]
    chains = _Chains(row, uncut, most, 0 if serial else _IN_SLOT)
    made = _lanes(kept, edges, row, chains)
    ends = {end for i, edge in enumerate(edges) if nets_of[i] < 0 for end in edge} | set(flagged)
    nodes = tuple(
        Node(row[i], chains.slot[i], width, height, flag if i in ends else 0.0)
        for i, (width, height) in enumerate(sizes)
    )
    return Rows(nodes, tuple(made), tuple(nets_of), rows)


# ---------------------------------------------------------------- rows


def _rows(count: int, edges: Sequence[tuple[int, int]], most: int, serial: bool) -> list[int]:
    """The row of each box: below all it reads, the branches of a wide fork one after the other.

    Rows are filled from the top with boxes whose sources are placed, those of the latest sources
    first, but none that is executed much later than the first box that has no place yet. A box
    that waits only for *loose* ones (constants, late inputs: nothing fixes how far up they stand)
    calls them into the row of its last source.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for u, v in edges:
        below[u].append(v)
        above[v].append(u)
    loose = _loose(above, below)
    left = [len(sources) for sources in above]
    firm = [sum(not loose[u] for u in sources) for sources in above]
    row = [-1] * count
    called = [False] * count
    early = [i for i in range(count) if not above[i] and not loose[i]]  # by index: too early yet
    heap: list[tuple[int, int]] = []
    first = number = 0
    while heap or early:
        while first < count and (row[first] >= 0 or loose[first]):
            first += 1
        while early and (first == count or early[0] <= first + _WINDOW):
            i = heappop(early)
            heappush(heap, (-max((row[u] for u in above[i]), default=0), i))
        ready: list[int] = []
        placed, room = 0, 1 if serial and len(heap) <= _FORK else most
        while heap and placed < room:
            _, i = heappop(heap)
            row[i] = number
            placed += 1
            for v in below[i]:
                left[v] -= 1
                firm[v] -= not loose[i]
                if not left[v] and (called[v] or not loose[v]):
                    ready.append(v)
                elif not firm[v] and not loose[v]:
                    for source in _call(v, above, loose, called):
                        if left[source]:
                            continue
                        if any(row[u] == number for u in above[source]):
                            ready.append(source)
                        else:
                            heappush(heap, (-number - 1, source))
        for i in ready:
            if loose[i]:
                heappush(heap, (-number, i))
            else:
                heappush(early, i)
        number += 1
    return row


def _loose(above: list[list[int]], below: list[list[int]]) -> list[bool]:
    """Boxes that could stand further down, and all that they read could as well."""
    count = len(above)
    early = [0] * count
    for i in range(count):
        for u in above[i]:
            early[i] = max(early[i], early[u] + 1)
    late = early[:]
    for i in range(count - 1, -1, -1):
        if below[i]:
            late[i] = min(late[v] for v in below[i]) - 1
    loose = [False] * count
    for i in range(count):
        loose[i] = late[i] > early[i] and all(loose[u] for u in above[i])
    return loose


def _call(v: int, above: list[list[int]], loose: list[bool], called: list[bool]) -> list[int]:
    """The loose boxes over `v` that are called for the first time."""
    found: list[int] = []
    stack = [v]
    while stack:
        for u in above[stack.pop()]:
            if loose[u] and not called[u]:
                called[u] = True
                found.append(u)
                stack.append(u)
    return found


def _uncrowded(
    wires: list[list[int]], edges: Sequence[tuple[int, int]], row: list[int], rows: int, lanes: int
) -> list[list[int]]:
    """The nets without the wires that would make more than `lanes` of them pass one gap.

    From the top: where there are too many, the one that goes farthest loses its farther readers,
    which leaves the fewest cuts.
    """
    starts: list[list[int]] = [[] for _ in range(rows)]
    kept: list[list[int]] = []
    for wire in wires:
        wire = sorted(wire, key=lambda index: (row[edges[index][1]], edges[index][1]))
        starts[row[edges[wire[0]][0]]].append(len(kept))
        kept.append(wire)
    ends = [row[edges[wire[-1]][1]] for wire in kept]
    active: list[tuple[int, int]] = []  # (end, net), sorted
    for gap in range(rows):
        for net in starts[gap]:
            if ends[net] > gap + 1:
                insort(active, (ends[net], net))
        del active[: bisect_left(active, (gap + 1, -1))]
        while len(active) > lanes:
            _, net = active.pop()
            kept[net] = [index for index in kept[net] if row[edges[index][1]] <= gap + 1]
    return [wire for wire in kept if wire]


# ---------------------------------------------------------------- slots


class _Chains:
    """Straight runs of boxes, each in one slot: a box, the deepest box it reads, and so on."""

    def __init__(
        self, row: list[int], edges: Sequence[tuple[int, int]], most: int, patient: int
    ) -> None:
        count = len(row)
        self.row = row
        self.patient = patient  # rows for which a slot may be kept free
        self.source = [-1] * count  # the deepest box that it reads
        self.next = [-1] * count  # the box that goes on with the chain
        self.start = [0] * count  # of a chain's first box: the first row kept for it
        self.end = [0] * count  # of a chain's last box: the last row kept for it
        depth = [0] * count  # boxes that follow
        reader = [-1] * count  # the nearest row that reads it
        last = [-1] * count  # the last box that reads it
        readers = [0] * count
        for u, v in sorted(edges, reverse=True):
            depth[u] = max(depth[u], depth[v] + 1)
            readers[u] += 1
            reader[u] = row[v] if reader[u] < 0 else min(reader[u], row[v])
            if last[u] < 0 or (row[v], v) > (row[last[u]], last[u]):
                last[u] = v
        for u, v in sorted(edges):
            if self.source[v] < 0 or row[u] > row[self.source[v]]:
                self.source[v] = u
        for v, u in enumerate(self.source):
            near = u >= 0 and row[v] - row[u] <= max(1, patient)
            if near and (self.next[u] < 0 or depth[v] > depth[self.next[u]]):
                self.next[u] = v
        follows = {v for v in self.next if v >= 0}
        chains: list[list[int]] = []
        for i in range(count):
            if i not in follows:
                chain = [i]
                while self.next[chain[-1]] >= 0:
                    chain.append(self.next[chain[-1]])
                chains.append(chain)
        for chain in chains:
            head, tail = chain[0], chain[-1]
            source = self.source[head]
            own = source >= 0 and last[source] == head and readers[source] <= _FORK
            top = row[source] + 1 if own else row[head]
            self.start[head] = top if row[head] - top <= patient else row[head]
            foot = reader[tail] - 1
            self.end[tail] = foot if 0 < foot - row[tail] <= patient else row[tail]
        self.slot = self._slots(chains, most)

    def _slots(self, chains: list[list[int]], most: int) -> list[int]:
        """Slot 0 for the longest chain; the others at the right of what they come from."""
        slot = [0] * len(self.row)
        if not chains:
            return slot
        spine = max(chains, key=len)
        begin, finish = self.start[spine[0]], self.end[spine[-1]]
        last: list[int] = [-1]  # for each slot, the last row that is taken
        for chain in sorted(chains, key=lambda chain: (self.start[chain[0]], chain[0])):
            start, end = self.start[chain[0]], self.end[chain[-1]]
            if chain is spine:
                free = _SPINE
            else:
                parent = self.source[chain[0]]
                wish = slot[parent] if parent >= 0 else 0
                wish += parent >= 0 and last[wish] >= start  # what it comes from goes on there
                beside = end < begin or start > finish
                # A wire that waits for its box comes from the side: nothing may end just above.
                waits = start < self.row[chain[0]]
                fits = [
                    s
                    for s, row in enumerate(last)
                    if row < start - (waits and not (parent >= 0 and s == slot[parent]))
                    and (s != _SPINE or beside)
                ]
                free = next((s for s in fits if s >= wish), len(last))
                if free >= most and fits:
                    free = fits[0]
            if free == len(last):
                last.append(-1)
            if free == _SPINE:  # wires from here have lanes at the left
                self.end[chain[-1]] = end = self.row[chain[-1]]
            last[free] = end
            for i in chain:
                slot[i] = free
        return slot


# ---------------------------------------------------------------- lanes


def _lanes(
    wires: list[list[int]], edges: Sequence[tuple[int, int]], row: list[int], chains: _Chains
) -> list[Net]:
    nets: list[Net] = []
    waiting: list[tuple[int, int, int, int]] = []  # gaps passed, first gap, net, gutter
    used: set[tuple[int, int]] = set()  # box and slot
    for wire in wires:
        u = edges[wire[0]][0]
        readers = tuple(dict.fromkeys(edges[index][1] for index in wire))
        last = readers[-1]
        lane = None
        if row[last] > row[u] + 1:
            inside = _in_slot(u, readers, row, chains)
            if inside is not None and (u, inside) not in used:
                used.add((u, inside))
                lane = Lane(inside, -1)
            else:
                towards = chains.slot[last] > chains.slot[u]
                gutter = chains.slot[u] + towards
                waiting.append((row[last] - row[u], row[u], len(nets), gutter))
        nets.append(Net(u, readers, lane))
    tracks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for length, first, net, gutter in sorted(waiting):  # short ones nearest to the boxes
        track = 0
        while not _free(taken := tracks.setdefault((gutter, track), []), first, first + length):
            track += 1
        insort(taken, (first, first + length))
        nets[net] = Net(nets[net].source, nets[net].readers, Lane(gutter, track))
    return nets


def _in_slot(u: int, readers: tuple[int, ...], row: list[int], chains: _Chains) -> int | None:
    """The slot that is kept free for this net's lane, if one is."""
    last = readers[-1]
    if chains.next[u] >= 0:
        if row[last] <= row[chains.next[u]]:
            return chains.slot[u]
    elif row[last] - 1 <= chains.end[u]:
        return chains.slot[u]
    begins = chains.source[last] == u and chains.next[u] != last
    return chains.slot[last] if begins and chains.start[last] <= row[u] + 1 else None


def _free(taken: list[tuple[int, int]], first: int, stop: int) -> bool:
    at = bisect_left(taken, (first, stop))
    return (at == 0 or taken[at - 1][1] <= first) and (at == len(taken) or taken[at][0] >= stop)
