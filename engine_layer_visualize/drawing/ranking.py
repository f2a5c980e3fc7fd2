"""Gives every box a row, in order of execution, and a slot in it."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Final

# ---- gives every box a row, in order of execution -----------------------------------------------

FORK: Final = 2  # branches that still count as a simple fork
_MOST_AHEAD: Final = 12  # boxes by which a row may run ahead of the order of execution


def ranked(count: int, edges: Sequence[tuple[int, int]], most: int, serial: bool) -> list[int]:
    """Returns the row of each box, which is below all that it reads.

    Args:
        count: How many boxes there are.
        edges: Pairs (from, to), each from a lower index to a higher one.
        most: The most boxes in a row.
        serial: Whether there is a single box in a row where there are no more than `FORK` to choose
            from, so that branches follow one another.
    """
    return _Ranking(count, edges, most, serial).rows()


class _Ranking:
    """List scheduling: fills rows from the top with boxes whose sources all have a row.

    Boxes of the latest sources come first, but none that is executed much later than the first box
    without a row. A *loose* box (a constant, a late input: nothing fixes how far up it stands) is
    held back until a firm box waits for nothing else; that box *calls* it into the row of its last
    source.
    """

    def __init__(
        self, count: int, edges: Sequence[tuple[int, int]], most: int, serial: bool
    ) -> None:
        self.count = count
        self.most = most
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
        self.missing_firm = [
            sum(not self.loose[source] for source in sources) for sources in self.sources
        ]
        # Firm boxes that wait for nothing but the order of execution, a heap by index.
        self.early = [i for i in range(count) if not self.sources[i] and not self.loose[i]]
        self.ready: list[tuple[int, int]] = []  # a heap: minus the latest source's row, box

    def _loose(self) -> list[bool]:
        """Returns which boxes could stand further down, like all that they read."""
        highest = [0] * self.count
        for box, sources in enumerate(self.sources):
            for source in sources:
                highest[box] = max(highest[box], highest[source] + 1)
        lowest = highest[:]
        for box in range(self.count - 1, -1, -1):
            if self.readers[box]:
                lowest[box] = min(lowest[reader] for reader in self.readers[box]) - 1
        loose = [False] * self.count
        for box, sources in enumerate(self.sources):
            loose[box] = lowest[box] > highest[box] and all(loose[source] for source in sources)
        return loose

    def rows(self) -> list[int]:
        """Returns the row of each box."""
        number = first = 0
        while self.ready or self.early:
            while first < self.count and (self.row[first] >= 0 or self.loose[first]):
                first += 1
            while self.early and (first == self.count or self.early[0] <= first + _MOST_AHEAD):
                box = heappop(self.early)
                latest = max((self.row[source] for source in self.sources[box]), default=0)
                heappush(self.ready, (-latest, box))
            self._fill(number)
            number += 1
        return self.row

    def _fill(self, number: int) -> None:
        """Fills row `number`; what its boxes were the last to hold up may stand below it."""
        free = 1 if self.serial and len(self.ready) <= FORK else self.most
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


# ---- gives every box a slot, by its row and its edges -------------------------------------------


_SPINE: Final = 0  # the slot of the longest chain


class Chains:
    """Straight runs of boxes, each in one slot: a box, one of those that read it, and so on.

    A chain may keep its slot free above its first box and below its last one, for the lane of the
    edge that comes or goes there.
    """

    def __init__(
        self, row: list[int], edges: Sequence[tuple[int, int]], most: int, patience: int
    ) -> None:
        """Finds the chains and their slots.

        Args:
            row: The row of each box.
            edges: Pairs (from, to).
            most: How many slots are used where that is possible.
            patience: The most rows for which a slot is kept free.
        """
        count = len(row)
        self.row = row
        self.patience = patience
        self.source = [-1] * count  # the deepest box that it reads
        self.next = [-1] * count  # the box that goes on with the chain
        self.start = row[:]  # of a chain's first box: the first row kept for it
        self.end = row[:]  # of a chain's last box: the last row kept for it
        readers: list[list[int]] = [[] for _ in row]
        for source, reader in sorted(edges):
            readers[source].append(reader)
            if self.source[reader] < 0 or row[source] > row[self.source[reader]]:
                self.source[reader] = source
        self._link(readers)
        chains = self._chains()
        for chain in chains:
            self._keep_free(chain[0], chain[-1], readers)
        self.slot = self._slots(chains, most)

    def _link(self, readers: list[list[int]]) -> None:
        """Links each box with the one that goes on with its chain.

        That is, among the near boxes whose deepest source it is, the one with the longest path on.
        """
        depth = [0] * len(self.row)
        for box in range(len(self.row) - 1, -1, -1):
            for reader in readers[box]:
                depth[box] = max(depth[box], depth[reader] + 1)
        near = max(1, self.patience)
        for box, source in enumerate(self.source):
            if source >= 0 and self.row[box] - self.row[source] <= near:
                rival = self.next[source]
                if rival < 0 or depth[box] > depth[rival]:
                    self.next[source] = box

    def _chains(self) -> list[list[int]]:
        follows = {box for box in self.next if box >= 0}
        chains: list[list[int]] = []
        for box in range(len(self.row)):
            if box not in follows:
                chain = [box]
                while (box := self.next[box]) >= 0:
                    chain.append(box)
                chains.append(chain)
        return chains

    def _keep_free(self, head: int, tail: int, readers: list[list[int]]) -> None:
        """Keeps the slot for the lane into the chain, if it ends a simple fork, and out of it."""
        row, source = self.row, self.source[head]
        if source >= 0 and len(readers[source]) <= FORK:
            ends = max(readers[source], key=lambda box: (row[box], box)) == head
            if ends and row[head] - row[source] - 1 <= self.patience:
                self.start[head] = row[source] + 1
        foot = min((row[reader] for reader in readers[tail]), default=0) - 1
        if 0 < foot - row[tail] <= self.patience:
            self.end[tail] = foot

    def _slots(self, chains: list[list[int]], most: int) -> list[int]:
        """Returns slot 0 for the longest chain; the others are at the right of their source."""
        slot = [0] * len(self.row)
        taken = [-1]  # for each slot, the last row that is taken
        spine = max(chains, key=len, default=[])
        first, last = (self.start[spine[0]], self.end[spine[-1]]) if spine else (0, 0)
        waits = bool(spine) and first < self.row[spine[0]]
        for chain in sorted(chains, key=lambda chain: (self.start[chain[0]], chain[0])):
            head, tail = chain[0], chain[-1]
            # As in `_free_slot`: only its own source may end just above an edge that waits.
            beside = waits and self.source[spine[0]] != tail
            clear = self.end[tail] < first - beside or self.start[head] > last
            chosen = _SPINE
            if chain is not spine:
                chosen = self._free_slot(head, clear, slot, taken, most)
            if chosen == len(taken):
                taken.append(-1)
            if chosen == _SPINE:  # edges from here have lanes at the left
                self.end[tail] = self.row[tail]
            taken[chosen] = self.end[tail]
            for box in chain:
                slot[box] = chosen
        return slot

    def _free_slot(
        self, head: int, clear: bool, slot: list[int], taken: list[int], most: int
    ) -> int:
        """Returns the first free slot at the right of the source of box `head`, else a new one.

        Where that makes more than `most`, it is any free slot. `clear`: the chain may be in the
        slot of the spine, above or below it.
        """
        start, source = self.start[head], self.source[head]
        home = slot[source] if source >= 0 else -1
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
        return fits[0] if wished >= most and fits else wished
