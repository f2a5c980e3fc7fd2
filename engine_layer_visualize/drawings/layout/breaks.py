"""The heights and widths of rows in; the rows after which columns end out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

GAP: Final = 40.0  # about the width between two columns, for passages
_FOOT: Final = 24.0  # about the height under the columns, for turns
_TRIES: Final = 16  # numbers of columns that are tried
_SMALL: Final = 300  # rows up to which the best breaks are looked for
_PAIN: Final = 40.0  # width that is given for a net that is not cut by a break
_SHORT: Final = 100.0  # width that is given for a column that is not nearly empty
_SLACK: Final = 1.04  # how much higher than an even share a column may be
_UNEVEN: Final = 24.0  # nets that are cut rather than a column left empty
_PASSABLE: Final = (0.5, 1.2)  # of the wished aspect; what is beyond costs extra
_STRAIN: Final = 0.008  # share of the height that is given for a net that is not cut


class Strip(NamedTuple):
    """The uncut drawing, row by row: the height with the gap below; `widths`: slot -> width;
    `pain`: the nets that a break after the row cuts. `side` is kept free at each column's left."""

    heights: Sequence[float]
    widths: Sequence[dict[int, float]]
    pain: Sequence[float]
    side: float


def breaks(strip: Strip, aspect: float) -> list[int]:
    """The last row of each column: width : height near to `aspect`, and few nets cut."""
    count, total = len(strip.heights), sum(strip.heights)
    widest = max((sum(slots.values()) for slots in strip.widths), default=1.0)
    guess = math.sqrt(max(1.0, aspect * total / widest))
    small = count <= _SMALL
    low, high = max(1, int(guess * 0.6)), min(count, int(guess * 2) + 2)
    tries = [*range(low, high + 1, 1 + max(0, high - low) // _TRIES)]
    if not small:
        tries = [max(1, int(guess))]
    best: list[int] = []
    least = math.inf
    for columns in tries:
        share = max(total / columns, *strip.heights)
        found = _narrowest(strip, share * _SLACK) if small else _even(strip, share)
        width, height = _extent(strip, found)
        cost = max(width / aspect, height)  # the height of the screen on which it fits
        off = width / height / aspect
        cost *= max(1.0, off / _PASSABLE[1], _PASSABLE[0] / off) ** 2  # a strip is no picture
        cost *= 1 + _STRAIN * sum(strip.pain[row] for row in found[:-1])
        if cost < least:
            best, least = found, cost
        better = min(count, max(1, round(columns / math.sqrt(off))))
        if not small and better not in tries and len(tries) < _TRIES // 2:
            tries.append(better)  # a few steps towards the aspect
    return best


def _narrowest(strip: Strip, limit: float) -> list[int]:
    """Breaks for columns that are no higher than `limit` and together the narrowest: dynamic
    programming over the last rows of columns."""
    least = [0.0]  # width of the columns before each row
    begins: list[int] = []  # of the best column that ends with each row
    between = GAP + strip.side
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
            cost += _PAIN * strip.pain[first - 1] if first else 0.0
            cost += _SHORT * (1 - height / limit) ** 2
            if cost < best:
                best, begin = cost, first
        least.append(best)
        begins.append(begin)
    found: list[int] = []
    at = len(strip.heights) - 1
    while at >= 0:
        found.append(at)
        at = begins[at] - 1
    return found[::-1]


def _even(strip: Strip, share: float) -> list[int]:
    """Breaks near to an even share of the height, where few nets are cut: linear."""
    found: list[int] = []
    row, total = 0, len(strip.heights)
    while row < total:
        best, cost, height, at = row, math.inf, 0.0, row
        while at < total and (height + strip.heights[at] <= share * 1.12 or at == row):
            height += strip.heights[at]
            off = 1 - height / share
            here = strip.pain[at] + _UNEVEN * off * off if at < total - 1 else -1.0
            enough = height >= share * 0.7 or at == total - 1  # what is left may be short
            if (here <= cost and enough) or cost == math.inf:
                best, cost = at, here
            at += 1
        found.append(best)
        row = best + 1
    return found


def _extent(strip: Strip, found: Sequence[int]) -> tuple[float, float]:
    """Width and height of the drawing with these breaks, lanes and passages left out."""
    width = height = 0.0
    first = 0
    for last in found:
        slots: dict[int, float] = {}
        for row in strip.widths[first : last + 1]:
            for slot, one in row.items():
                slots[slot] = max(slots.get(slot, 0.0), one)
        width += sum(slots.values()) + GAP + strip.side
        height = max(height, sum(strip.heights[first : last + 1]))
        first = last + 1
    return width - (GAP if found else 0.0), height + _FOOT
