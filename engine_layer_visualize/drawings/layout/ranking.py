"""Gives every box a row, in order of execution."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Final

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
