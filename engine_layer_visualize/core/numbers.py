"""Says which numbers of a log are believed: what is beyond is damage, and overflows in sums."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LEAST: Final = 1e-9
MOST: Final = 1e9
TOO_MANY: Final = 1 << 63  # of an extent, and of elements


def measured(number: float) -> bool:
    """Whether a time (ms, s), a clock (GHz), a size (MiB), a rate or a percentage may be so."""
    return LEAST <= number <= MOST or number == 0


def product(extents: Iterable[int | None]) -> int | None:
    """The product; None where an extent is unknown, or where no memory holds so many."""
    whole = 1
    for extent in extents:
        if extent is None:
            return None
        whole *= extent
        if abs(whole) >= TOO_MANY:
            return None
    return whole
