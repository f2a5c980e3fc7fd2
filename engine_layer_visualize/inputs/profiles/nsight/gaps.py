"""Adds up for how long a stream was idle before a range.

Gaps are many, and which runs count is known at the end alone. The first and the last ones are kept
one by one, as these may not count; those between are added up.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final

_FIRST_KEPT: Final = 10  # as many runs as are not counted while the clocks rise, at most
_LAST_KEPT: Final = 8  # the recording may end before the work of the last runs
_KEPT: Final = 128  # gaps that are kept before some are added up


class Gaps:
    """The gaps before one range."""

    __slots__ = ("_run", "builds", "kept", "sums")

    def __init__(self) -> None:
        self.kept = array("Q")  # packed as launches are
        # Number and nanoseconds of those that were added up, by the kind of their runs.
        self.sums: dict[int, list[int]] = {}
        self.builds = 0
        self._run = -1

    def add(self, run: int, nanoseconds: int) -> bool:
        """Adds the gap of a run, which is packed like a launch.

        A range that goes on after another one had no gap before it.

        Returns:
            Whether `settle` is due.
        """
        if run == self._run:
            return False
        self._run = run
        self.kept.append(run + nanoseconds)
        return len(self.kept) > _KEPT

    def settle(self, kind: Callable[[int], int], longest: int) -> None:
        """Adds up the gaps between the first and the last ones.

        Args:
            kind: gives the kind of a packed run.
            longest: masks the nanoseconds of a packed gap.
        """
        for gap in self.kept[_FIRST_KEPT:-_LAST_KEPT]:
            held = self.sums.setdefault(kind(gap), [0, 0])
            held[0] += 1
            held[1] += gap & longest
        del self.kept[_FIRST_KEPT:-_LAST_KEPT]
