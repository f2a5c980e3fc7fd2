"""Places boxes on a grid of rows and slots, with lanes for edges that pass other rows.

A box stands below all that it reads, and a straight run of boxes has one slot. The time is n log n,
however long the edges are.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Hashable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

_PATIENCE: Final = 4  # rows for which an edge may keep a whole slot free
_MOST_BOXES: Final = 4  # of a row: more would make one row as wide as all the rest
_MOST_AHEAD: Final = 12  # boxes by which a row may run ahead of the order of execution
_MOST_LANES: Final = 10  # edges that pass one row; of more the longest are cut
# Rows that an edge may pass: in any drawing, and in a large one this many square roots of its rows,
# which are some three columns.
_MOST_PASSED: Final = 40
_MOST_PASSED_ROOTS: Final = 5
_FORK: Final = 2  # branches that still count as a simple fork
_SPINE: Final = 0  # the slot of the longest chain


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


class Rows(NamedTuple):
    """A layered drawing, before it is folded."""

    nodes: tuple[GridBox, ...]
    nets: tuple[Net, ...]
    # The net of each edge, or -1 where it is cut: it runs backwards, passes too many rows, or there
    # are too many beside it. Then a flag at each end names the other end.
    nets_of: tuple[int, ...]
    depth: int  # how many rows

    @property
    def cut(self) -> tuple[int, ...]:
        """The edges to be drawn as a pair of flags."""
        return tuple(i for i, net in enumerate(self.nets_of) if net < 0)


def layered(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    nets: Sequence[Hashable] | None = None,
    *,
    serial: bool = False,
    flag: float = 0.0,
    flagged: Collection[int] = (),
) -> Rows:
    """Returns rows, slots and lanes.

    Args:
        sizes: Width and height of each box, in order of execution.
        edges: Pairs (from, to).
        nets: What is equal for edges of one tensor; without it all edges of one box carry the same.
        serial: Whether the two branches of a fork come one after the other, which makes columns
            narrower.
        flag: The width kept at the right of boxes that have cut edges.
        flagged: Further boxes that have a flag.
    """
    row = _Ranking(len(sizes), [(u, v) for u, v in edges if u < v], serial).rows()
    count = max(row, default=-1) + 1
    far = max(_MOST_PASSED, int(_MOST_PASSED_ROOTS * math.sqrt(count)))
    grouped: dict[tuple[int, Hashable], list[int]] = {}  # edges, by box and net
    for index, (u, v) in enumerate(edges):
        if u < v and row[v] - row[u] <= far:
            grouped.setdefault((u, 0 if nets is None else nets[index]), []).append(index)
    kept = _uncrowded(grouped.values(), edges, row, count)
    nets_of = [-1] * len(edges)
    for number, net in enumerate(kept):
        for index in net:
            nets_of[index] = number
    uncut = [edge for edge, net_of in zip(edges, nets_of) if net_of >= 0]
    chains = _Chains(row, uncut, 0 if serial else _PATIENCE)
    ends = {end for edge, net_of in zip(edges, nets_of) if net_of < 0 for end in edge}
    ends.update(flagged)
    nodes = tuple(
        GridBox(row[box], chains.slot[box], width, height, flag if box in ends else 0.0)
        for box, (width, height) in enumerate(sizes)
    )
    return Rows(nodes, tuple(_nets(kept, edges, row, chains)), tuple(nets_of), count)


class _Ranking:
    """Gives boxes rows by list scheduling: from the top, boxes whose sources all have a row.

    Boxes of the latest sources come first, but none that is executed much later than the first box
    without a row. A *loose* box (a constant, a late input: nothing fixes how far up it stands) is
    held back until a firm box waits for nothing else; that box *calls* it into the row of its last
    source.
    """

    def __init__(self, count: int, edges: Sequence[tuple[int, int]], serial: bool) -> None:
        """Takes edges to higher boxes. `serial`: of at most `_FORK` boxes a row takes one."""
        self.serial = serial
        self.sources: list[list[int]] = [[] for _ in range(count)]
        self.readers: list[list[int]] = [[] for _ in range(count)]
        for source, reader in edges:
            self.readers[source].append(reader)
            self.sources[reader].append(source)
        self.loose = self._loose()
        self.row = [-1] * count
        self.called = [False] * count  # loose boxes that somebody waits for
        self.missing = [len(sources) for sources in self.sources]  # those without a row
        self.missing_firm = [sum(not self.loose[n] for n in sources) for sources in self.sources]
        # Firm boxes that wait for nothing but the order of execution, a heap by index.
        self.early = [i for i in range(count) if not self.sources[i] and not self.loose[i]]
        self.ready: list[tuple[int, int]] = []  # a heap: minus the latest source's row, box

    def _loose(self) -> list[bool]:
        """Returns which boxes could stand further down, like all that they read."""
        highest: list[int] = []
        for sources in self.sources:
            highest.append(max((highest[source] + 1 for source in sources), default=0))
        lowest = highest[:]
        for box in range(len(lowest) - 1, -1, -1):
            if self.readers[box]:
                lowest[box] = min(lowest[reader] for reader in self.readers[box]) - 1
        loose: list[bool] = []
        for box, sources in enumerate(self.sources):
            loose.append(lowest[box] > highest[box] and all(loose[source] for source in sources))
        return loose

    def rows(self) -> list[int]:
        """Returns the row of each box."""
        number = first = 0
        count = len(self.row)
        while self.ready or self.early:
            while first < count and (self.row[first] >= 0 or self.loose[first]):
                first += 1
            while self.early and (first == count or self.early[0] <= first + _MOST_AHEAD):
                box = heappop(self.early)
                latest = max((self.row[source] for source in self.sources[box]), default=0)
                heappush(self.ready, (-latest, box))
            self._fill(number)
            number += 1
        return self.row

    def _fill(self, number: int) -> None:
        """Fills row `number`; what its boxes were the last to hold up may stand below it."""
        free = 1 if self.serial and len(self.ready) <= _FORK else _MOST_BOXES
        below: list[int] = []
        while self.ready and free:
            _, box = heappop(self.ready)
            self.row[box] = number
            free -= 1
            firm = not self.loose[box]
            for reader in self.readers[box]:
                self.missing[reader] -= 1
                self.missing_firm[reader] -= firm
                held = self.loose[reader] and not self.called[reader]
                if not self.missing[reader] and not held:
                    below.append(reader)
                elif not self.missing_firm[reader] and not self.loose[reader]:
                    self._call(reader, number, below)
        for box in below:
            if self.loose[box]:
                heappush(self.ready, (-number, box))
            else:
                heappush(self.early, box)

    def _call(self, reader: int, number: int, below: list[int]) -> None:
        """Frees the loose boxes above `reader` for row `number`.

        Those whose source stands in that row are freed for the rows `below` it.
        """
        stack = [reader]
        while stack:
            for box in self.sources[stack.pop()]:
                if not self.loose[box] or self.called[box]:
                    continue
                self.called[box] = True
                stack.append(box)
                if self.missing[box]:
                    continue
                if any(self.row[source] == number for source in self.sources[box]):
                    below.append(box)
                else:
                    heappush(self.ready, (-number - 1, box))


class _Chains:
    """Straight runs of boxes, each in one slot: a box, one of those that read it, and so on.

    A chain may keep its slot free above its first box and below its last one, at most `patience`
    rows, for the lane of the edge that comes or goes there.
    """

    def __init__(self, row: list[int], edges: Sequence[tuple[int, int]], patience: int) -> None:
        self.row = row
        self.patience = patience
        self.source = [-1] * len(row)  # the deepest box that it reads
        self.next = [-1] * len(row)  # the box that goes on with the chain
        self.start = row[:]  # of a chain's first box: the first row kept for it
        self.end = row[:]  # of a chain's last box: the last row kept for it
        self.slot = [0] * len(row)
        readers: list[list[int]] = [[] for _ in row]
        for source, reader in sorted(edges):
            readers[source].append(reader)
            if self.source[reader] < 0 or row[source] > row[self.source[reader]]:
                self.source[reader] = source
        self._link(readers)
        follows = set(self.next)
        chains = [[box] for box in range(len(row)) if box not in follows]
        for chain in chains:
            while (box := self.next[chain[-1]]) >= 0:
                chain.append(box)
            self._keep_free(chain[0], chain[-1], readers)
        self._place(chains)

    def _link(self, readers: list[list[int]]) -> None:
        """Links each box with the one that goes on with its chain.

        That is, among the near boxes whose deepest source it is, the one with the longest path on.
        """
        depth = [0] * len(self.row)
        for box in range(len(self.row) - 1, -1, -1):
            depth[box] = max((depth[reader] + 1 for reader in readers[box]), default=0)
        near = max(1, self.patience)
        for box, source in enumerate(self.source):
            if source >= 0 and self.row[box] - self.row[source] <= near:
                rival = self.next[source]
                if rival < 0 or depth[box] > depth[rival]:
                    self.next[source] = box

    def _keep_free(self, head: int, tail: int, readers: list[list[int]]) -> None:
        """Keeps the slot for the lane into the chain, if it ends a simple fork, and out of it."""
        row, source = self.row, self.source[head]
        if source >= 0 and len(readers[source]) <= _FORK:
            ends = max(readers[source], key=lambda box: (row[box], box)) == head
            if ends and row[head] - row[source] - 1 <= self.patience:
                self.start[head] = row[source] + 1
        foot = min((row[reader] for reader in readers[tail]), default=0) - 1
        if 0 < foot - row[tail] <= self.patience:
            self.end[tail] = foot

    def _place(self, chains: list[list[int]]) -> None:
        """Gives the longest chain slot 0, and the others slots at the right of their source."""
        taken = [-1]  # for each slot, the last row that is taken
        spine = max(chains, key=len, default=[])
        first, last = (self.start[spine[0]], self.end[spine[-1]]) if spine else (0, 0)
        waits = bool(spine) and first < self.row[spine[0]]
        for chain in sorted(chains, key=lambda chain: (self.start[chain[0]], chain[0])):
            head, tail = chain[0], chain[-1]
            # As in `_free_slot`: only its own source may end just above an edge that waits.
            beside = waits and self.source[spine[0]] != tail
            clear = self.end[tail] < first - beside or self.start[head] > last
            chosen = _SPINE if chain is spine else self._free_slot(head, clear, taken)
            if chosen == len(taken):
                taken.append(-1)
            if chosen == _SPINE:  # edges from here have lanes at the left
                self.end[tail] = self.row[tail]
            taken[chosen] = self.end[tail]
            for box in chain:
                self.slot[box] = chosen

    def _free_slot(self, head: int, clear: bool, taken: list[int]) -> int:
        """Returns the first free slot at the right of the source of box `head`, else a new one.

        Where that makes more than `_MOST_BOXES`, it is any free slot. `clear`: the chain may be in
        the slot of the spine, above or below it.
        """
        start, source = self.start[head], self.source[head]
        home = self.slot[source] if source >= 0 else -1
        # Where its source's chain goes on, it stands to the right of it.
        wish = home + (taken[home] >= start) if home >= 0 else 0
        # An edge that waits for its box comes from the side: nothing may end just above.
        waits = start < self.row[head]
        fits = [
            number
            for number, last in enumerate(taken)
            if last < start - (waits and number != home) and (clear or number != _SPINE)
        ]
        wished = next((number for number in fits if number >= wish), len(taken))
        return fits[0] if wished >= _MOST_BOXES and fits else wished

    def lane_slot(self, box: int, last: int) -> int | None:
        """Returns the slot that is kept free for the lane from `box` to its last reader, if any."""
        row, following = self.row, self.next[box]
        # Down to this row the slot is free below the box.
        free = row[following] if following >= 0 else self.end[box] + 1
        if row[last] <= free:
            return self.slot[box]
        begins = self.source[last] == box and self.next[box] != last
        return self.slot[last] if begins and self.start[last] <= row[box] + 1 else None


def _uncrowded(
    nets: Iterable[list[int]], edges: Sequence[tuple[int, int]], row: list[int], rows: int
) -> list[list[int]]:
    """Returns the edges of each net by the reader's row, without those that crowd a gap.

    From the top, the one that goes farthest loses its farther readers: the fewest are cut.
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
    kept: list[list[int]], edges: Sequence[tuple[int, int]], row: list[int], chains: _Chains
) -> list[Net]:
    """Returns the nets with their lanes.

    A lane is in a slot that was kept free, else in the gutter beside the net's box on the side of
    the last reader.
    """
    nets: list[Net] = []
    waiting: dict[int, list[tuple[int, int, int]]] = {}  # by gutter: gaps passed, first gap, net
    used: set[tuple[int, int]] = set()  # box and slot
    for net in kept:
        u = edges[net[0]][0]
        readers = tuple(dict.fromkeys(edges[index][1] for index in net))
        last = readers[-1]
        lane = None
        if row[last] > row[u] + 1:
            slot = chains.lane_slot(u, last)
            if slot is not None and (u, slot) not in used:
                used.add((u, slot))
                lane = Lane(slot, -1)
            else:
                gutter = chains.slot[u] + (chains.slot[last] > chains.slot[u])
                waiting.setdefault(gutter, []).append((row[last] - row[u], row[u], len(nets)))
        nets.append(Net(u, readers, lane))
    for gutter, several in waiting.items():  # short ones nearest to the boxes
        spans = [(first, first + length, number) for length, first, number in sorted(several)]
        for number, track in packed(spans, -0.5).items():  # one may begin where another ends
            nets[number] = nets[number]._replace(lane=Lane(gutter, track))
    return nets


def packed(
    spans: Iterable[tuple[float, float, int]], apart: float, most: int | None = None
) -> dict[int, int]:
    """Returns the first track in which each span (from, to, number) is so far apart from others.

    Where there are `most` tracks, the last one takes the rest.
    """
    tracks: dict[int, int] = {}
    taken: list[list[tuple[float, float]]] = []  # of each track what it holds, sorted
    for low, high, number in spans:
        track = at = 0
        while track < len(taken):
            at = bisect_right(taken[track], (high + apart, math.inf))
            if not at or taken[track][at - 1][1] + apart < low:
                break
            track += 1
        else:
            at = 0
            if track == most:
                track -= 1
            else:
                taken.append([])
        taken[track].insert(at, (low, high))
        tracks[number] = track
    return tracks
