"""Chooses the rows after which the columns of a drawing end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

_GAP: Final = 40.0  # about the width between two columns, for passages
_FOOT: Final = 24.0  # about the height under the columns, for turns
_MOST_TRIES: Final = 16  # numbers of columns that are tried
_MOST_SEARCHED_ROWS: Final = 300  # up to which the best breaks are looked for
_WIDTH_FOR_NET: Final = 40.0  # is given for a net that is not cut by a break
_WIDTH_FOR_FULL: Final = 100.0  # is given for a column that is not nearly empty
_SLACKS: Final = (1.04, 1.12, 1.2)  # how much higher than an even share a column may be
_NETS_FOR_FULL: Final = 24.0  # are cut rather than a column left empty
_PASSABLE: Final = (0.5, 1.2)  # parts of the wished aspect; what is beyond costs extra
_HEIGHT_FOR_NET: Final = 0.008  # share of the height that is given for a net that is not cut


class Strip(NamedTuple):
    """The uncut drawing, row by row."""

    heights: Sequence[float]  # with the gap below
    widths: Sequence[dict[int, float]]  # of each slot in use
    pain: Sequence[float]  # the nets that a break after the row cuts
    side: float  # is kept free at each column's left


def breaks(strip: Strip, aspect: float) -> list[int]:
    """Returns the last row of each column: width : height near to `aspect`, and few nets cut."""
    count, total = len(strip.heights), sum(strip.heights)
    widest = max((sum(slots.values()) for slots in strip.widths), default=1.0)
    guess = math.sqrt(max(1.0, aspect * total / widest))
    tallest, cost = max(strip.heights, default=0.0), partial(_cost, strip, aspect)
    if count <= _MOST_SEARCHED_ROWS:
        low, high = max(1, min(count, int(guess * 0.6))), min(count, int(guess * 2) + 2)
        numbers = range(low, high + 1, 1 + max(0, high - low) // _MOST_TRIES)
        shares = (max(total / columns, tallest) for columns in numbers)
        found = [_narrowest(strip, share * slack) for share in shares for slack in _SLACKS]
        return min(found, key=cost, default=[])
    tries = [max(1, int(guess))]
    found = []
    for columns in tries:  # a few steps towards the aspect
        found.append(_even(strip, max(total / columns, tallest)))
        width, height = _extent(strip, found[-1])
        better = min(count, max(1, round(columns / math.sqrt(width / height / aspect))))
        if better not in tries and len(tries) < _MOST_TRIES // 2:
            tries.append(better)
    return min(found, key=cost)


def _cost(strip: Strip, aspect: float, lasts: Sequence[int]) -> float:
    """Returns how high the screen is on which the drawing fits, and more for nets that are cut."""
    width, height = _extent(strip, lasts)
    off = width / height / aspect
    strip_like = max(1.0, off / _PASSABLE[1], _PASSABLE[0] / off) ** 2  # a strip is no picture
    cut = sum(strip.pain[row] for row in lasts[:-1])
    return max(width / aspect, height) * strip_like * (1 + _HEIGHT_FOR_NET * cut)


def _narrowest(strip: Strip, limit: float) -> list[int]:
    """Returns breaks for columns that are no higher than `limit` and together the narrowest.

    This is dynamic programming over the last rows of columns.
    """
    least = [0.0]  # width of the columns before each row
    begins: list[int] = []  # of the best column that ends with each row
    between = _GAP + strip.side
    for last in range(len(strip.heights)):
        slots: dict[int, float] = {}
        height = total = 0.0
        best, begin = math.inf, last
        for first in range(last, -1, -1):
            height += strip.heights[first]
            if height > limit and first < last:
                break
            for slot, width in strip.widths[first].items():
                if width > slots.get(slot, 0.0):
                    total += width - slots.get(slot, 0.0)
                    slots[slot] = width
            cost = least[first] + total + between
            cost += _WIDTH_FOR_NET * strip.pain[first - 1] if first else 0.0
            cost += _WIDTH_FOR_FULL * (1 - height / limit) ** 2
            if cost < best:
                best, begin = cost, first
        least.append(best)
        begins.append(begin)
    lasts: list[int] = []
    last = len(strip.heights) - 1
    while last >= 0:
        lasts.append(last)
        last = begins[last] - 1
    return lasts[::-1]


def _even(strip: Strip, share: float) -> list[int]:
    """Returns breaks near to an even share of the height, where few nets are cut; it is linear."""
    lasts: list[int] = []
    row, total = 0, len(strip.heights)
    while row < total:
        best, cost, height, last = row, math.inf, 0.0, row
        while last < total and (height + strip.heights[last] <= share * 1.12 or last == row):
            height += strip.heights[last]
            off = 1 - height / share
            here = strip.pain[last] + _NETS_FOR_FULL * off * off if last < total - 1 else -1.0
            enough = height >= share * 0.7 or last == total - 1  # what is left may be short
            if (here <= cost and enough) or cost == math.inf:
                best, cost = last, here
            last += 1
        lasts.append(best)
        row = best + 1
    return lasts


def _extent(strip: Strip, lasts: Sequence[int]) -> tuple[float, float]:
    """Returns width and height of the drawing with these breaks, without lanes and passages."""
    width = height = 0.0
    first = 0
    for last in lasts:
        slots: dict[int, float] = {}
        for row in strip.widths[first : last + 1]:
            for slot, wide in row.items():
                slots[slot] = max(slots.get(slot, 0.0), wide)
        width += sum(slots.values()) + _GAP + strip.side
        height = max(height, sum(strip.heights[first : last + 1]))
        first = last + 1
    return width - (_GAP if lasts else 0.0), height + _FOOT
