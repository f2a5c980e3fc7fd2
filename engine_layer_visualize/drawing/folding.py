"""Folds rows into columns, and gives each box, lane and gap a position.

Columns are read from top to bottom and from left to right.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.
import math
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple

from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.drawing.rows import Lane, Rows, packed

_NETS_FOR_BLOCK: Final = 1.5  # are cut rather than a block
_PORT_OFFSET: Final = 0.5  # slots by which a port may stand beside its slot's middle
_LANE: Final = (4.0, 4.0)  # what a lane takes of an empty slot, left and right of its middle
_MOST_TRACKS: Final = 256  # of a gap
_PASSAGE: Final = 8.0  # right of the passages


class Spacing(NamedTuple):
    """Distances of the grid."""

    gap: float = 18.0  # between two rows, without edges that run across
    track: float = 8.0  # between two edges
    slot: float = 16.0  # between two slots, without lanes
    side: float = 0.0  # is kept free at the left of each column
    port: float = 12.0  # between two edges at one box


_USUAL: Final = Spacing()


class GridColumn(NamedTuple):
    """A column of the folded drawing."""

    first: int  # row
    last: int  # row
    left: float
    right: float
    slots: dict[int, float]  # the x of each slot's middle
    gutters: dict[int, float]  # the x of each gutter's right end
    turns: tuple[int, ...]  # the nets that go on in the next column
    passage: float  # the x at its right where the first of them goes up
    foot: float  # the y under its last row


class Folded(NamedTuple):
    """The folded drawing."""

    rows: Rows
    spacing: Spacing
    columns: tuple[GridColumn, ...]
    column_of: tuple[int, ...]  # the column of each row
    places: tuple[tuple[float, float], ...]  # the middle of each box's top edge
    tops: tuple[float, ...]  # the y of each row
    bottoms: tuple[float, ...]  # the y where the tallest box of each row ends
    gaps: tuple[dict[int, int], ...]  # below each row the nets that run across, with their tracks
    middle: dict[int, int]  # for each box the net that leaves it in the middle
    width: float
    height: float

    def lane_x(self, net: int, number: int) -> float:
        """Returns the x of a net's lane in a column that it passes."""
        lane, column = self.rows.nets[net].lane, self.columns[number]
        assert lane is not None, "a net whose reader is not in the next row has a lane"
        if lane.track < 0:
            return column.slots[lane.gutter]
        return column.gutters[lane.gutter] - self.spacing.track * (lane.track + 0.5)


def key(lane: Lane) -> float:
    """Returns where a lane stands among the slots, from left to right: slot s stands at s."""
    return float(lane.gutter) if lane.track < 0 else lane.gutter - 0.5 + 0.4 / (lane.track + 1)


def fold(
    rows: Rows, aspect: float = 1.6, groups: Sequence[int] = (), spacing: Spacing = _USUAL
) -> Folded:
    """Cuts rows into columns, where few nets cross.

    Args:
        rows: The layered drawing.
        aspect: The wished width : height.
        groups: The number of the block that each box belongs to, -1 for none: a break between two
            blocks is better than one inside.
        spacing: Distances of the grid.
    """
    middle = _middle(rows)
    gaps = tuple(
        # The shortest first, from the top.
        packed(
            sorted(spans, key=lambda span: (span[1] - span[0], span[2])), _PORT_OFFSET, _MOST_TRACKS
        )
        for spans in _spans(rows, middle)
    )
    tall = [0.0] * rows.depth
    wide: list[dict[int, float]] = [{} for _ in range(rows.depth)]
    for node in rows.nodes:
        tall[node.row] = max(tall[node.row], node.height)
        wide[node.row][node.slot] = node.width + node.flag + spacing.slot + spacing.track
    pitch = [
        height + (spacing.gap + spacing.track * (max(gap.values(), default=-1) + 1))
        for height, gap in zip(tall, gaps)
    ]
    lasts = _breaks(_Strip(pitch, wide, _pain(rows, groups), spacing.side), aspect)
    ranges = list(zip((0, *(last + 1 for last in lasts)), lasts))  # first and last row of each
    column_of = [n for n, (first, last) in enumerate(ranges) for _ in range(first, last + 1)]
    turns = _turns(rows, column_of, lasts)
    most = max(map(len, turns), default=0)
    top = spacing.track * most + (spacing.gap if most else 0.0)
    columns: list[GridColumn] = []
    tops: list[float] = []
    x = 0.0
    stripes = _stripes(rows, column_of, len(lasts))
    for (first, last), own, (halves, tracks) in zip(ranges, turns, stripes):
        tops += accumulate(pitch[first:last], initial=top)
        foot = tops[last] + tall[last] + spacing.gap / 2
        slots, gutters, right = _across(halves, tracks, x + spacing.side, spacing)
        passage = right + spacing.slot
        columns.append(GridColumn(first, last, x, right, slots, gutters, own, passage, foot))
        x = passage + spacing.slot + spacing.track * max(0, len(own) - 1) + _PASSAGE
    return Folded(
        rows,
        spacing,
        tuple(columns),
        tuple(column_of),
        tuple((columns[column_of[n.row]].slots[n.slot], tops[n.row]) for n in rows.nodes),
        tuple(tops),
        tuple(top + height for top, height in zip(tops, tall)),
        gaps,
        middle,
        max((column.right for column in columns), default=0.0),
        max((column.foot + spacing.track * len(column.turns) for column in columns), default=0.0),
    )


def _middle(rows: Rows) -> dict[int, int]:
    """Returns for each box the net that leaves it in the middle: one that goes down, if any."""
    down: dict[int, int] = {}
    first: dict[int, int] = {}
    for number, net in enumerate(rows.nets):
        source = rows.nodes[net.source]
        below = source.row + 1, source.slot
        readers = (rows.nodes[reader] for reader in net.readers)
        goes_on = any((reader.row, reader.slot) == below for reader in readers)
        if goes_on or net.lane == Lane(source.slot, -1):
            down.setdefault(net.source, number)
        first.setdefault(net.source, number)
    return first | down


def _spans(rows: Rows, middle: dict[int, int]) -> list[list[tuple[float, float, int]]]:
    """Returns for each gap the nets that run across: from slot, to slot, net."""
    spans: list[list[tuple[float, float, int]]] = [[] for _ in range(rows.depth)]
    for number, net in enumerate(rows.nets):
        source = rows.nodes[net.source]
        lane = [] if net.lane is None else [key(net.lane)]
        across: dict[int, list[float]] = {source.row: [float(source.slot), *lane]}
        for reader in net.readers:
            node = rows.nodes[reader]
            across.setdefault(node.row - 1, lane[:]).append(float(node.slot))
        for gap, ends in across.items():
            low, high = min(ends), max(ends)
            if low < high or middle[net.source] != number:  # else it runs straight down
                spans[gap].append((low, high, number))
    return spans


def _pain(rows: Rows, groups: Sequence[int]) -> list[float]:
    """Returns what a break after each row costs: the nets that it cuts, and the blocks."""
    change = [0.0] * (rows.depth + 1)
    for net in rows.nets:
        change[rows.nodes[net.source].row] += 1
        change[rows.nodes[net.readers[-1]].row] -= 1
    rows_of = by_key((group, node.row) for node, group in zip(rows.nodes, groups) if group >= 0)
    for of_block in rows_of.values():
        change[min(of_block)] += _NETS_FOR_BLOCK
        change[max(of_block)] -= _NETS_FOR_BLOCK
    return list(accumulate(change[:-1]))


def _stripes(
    rows: Rows, column_of: Sequence[int], count: int
) -> list[tuple[dict[int, tuple[float, float]], dict[int, int]]]:
    """Returns for each column the halves of its slots, and how many tracks its gutters have."""
    stripes = [(dict[int, tuple[float, float]](), dict[int, int]()) for _ in range(count)]
    for node in rows.nodes:
        slots, _ = stripes[column_of[node.row]]
        left, right = slots.get(node.slot, (0.0, 0.0))
        half = node.width / 2
        slots[node.slot] = max(left, half), max(right, half + node.flag)
    for net in rows.nets:
        if (lane := net.lane) is None:
            continue
        begin, end = rows.nodes[net.source].row, rows.nodes[net.readers[-1]].row
        for slots, tracks in stripes[column_of[begin] : column_of[end] + 1]:
            if lane.track < 0:
                slots.setdefault(lane.gutter, _LANE)
            else:
                tracks[lane.gutter] = max(tracks.get(lane.gutter, 0), lane.track + 1)
    return stripes


def _across(
    halves: dict[int, tuple[float, float]], tracks: dict[int, int], x: float, spacing: Spacing
) -> tuple[dict[int, float], dict[int, float], float]:
    """Returns the x of a column's slots and gutters, from `x` on, and of its right end."""
    slots: dict[int, float] = {}
    gutters: dict[int, float] = {}
    for slot in sorted({*halves, *tracks}):
        x += tracks.get(slot, 0) * spacing.track
        gutters[slot] = x + spacing.track / 4
        if slot in tracks:
            x += spacing.slot / 2
        if slot in halves:
            left, right = halves[slot]
            slots[slot] = x + left
            x += left + right
        x += spacing.slot
    return slots, gutters, x - spacing.slot


def _turns(rows: Rows, column_of: Sequence[int], lasts: Sequence[int]) -> list[tuple[int, ...]]:
    """Returns for each column the nets that go on in the next one.

    They are ordered from the right, so that they do not cross each other in turning.
    """
    turns: list[list[tuple[float, int]]] = [[] for _ in lasts]
    for number, net in enumerate(rows.nets):
        source, last = rows.nodes[net.source], rows.nodes[net.readers[-1]]
        for column in range(column_of[source.row], column_of[last.row]):
            in_lane = net.lane if source.row != lasts[column] else None
            turns[column].append((-source.slot if in_lane is None else -key(in_lane), number))
    return [tuple(number for _, number in sorted(nets)) for nets in turns]


# ---- the rows after which columns end -----------------------------------------------------------

_GAP: Final = 40.0  # about the width between two columns, for passages
_FOOT: Final = 24.0  # about the height under the columns, for turns
_MOST_TRIES: Final = 6  # numbers of columns that are tried
_SLACKS: Final = (1.0, 1.08)  # how much higher than an even share the columns are
_NETS_FOR_FULL: Final = 24.0  # are cut rather than a column left empty
_PASSABLE: Final = (0.5, 1.2)  # parts of the wished aspect; what is beyond costs extra
_HEIGHT_FOR_NET: Final = 0.008  # share of the height that is given for a net that is not cut


class _Strip(NamedTuple):
    """The uncut drawing, row by row."""

    heights: Sequence[float]  # with the gap below
    widths: Sequence[dict[int, float]]  # of each slot in use
    pain: Sequence[float]  # the nets that a break after the row cuts
    side: float  # is kept free at each column's left


def _breaks(strip: _Strip, aspect: float) -> list[int]:
    """Returns the last row of each column: width : height near to `aspect`, and few nets cut.

    It begins with a guess, and takes a few steps towards the aspect.
    """
    count, total = len(strip.heights), sum(strip.heights)
    if not count:
        return []
    widest, tallest = max(sum(slots.values()) for slots in strip.widths), max(strip.heights)
    tries = [max(1, int(math.sqrt(aspect * total / widest)))]
    found: list[list[int]] = []
    for columns in tries:
        found += [_even(strip, max(total / columns, tallest) * slack) for slack in _SLACKS]
        width, height = _extent(strip, found[-1])
        better = round(columns / math.sqrt(width / height / aspect))
        near = [n for n in (better, better - 1, better + 1) if 0 < n <= count and n not in tries]
        tries += near[: _MOST_TRIES - len(tries)]
    return min(found, key=partial(_cost, strip, aspect))


def _cost(strip: _Strip, aspect: float, lasts: Sequence[int]) -> float:
    """Returns how high the screen is on which the drawing fits, and more for nets that are cut."""
    width, height = _extent(strip, lasts)
    off = width / height / aspect
    strip_like = max(1.0, off / _PASSABLE[1], _PASSABLE[0] / off) ** 2  # a strip is no picture
    cut = sum(strip.pain[row] for row in lasts[:-1])
    return max(width / aspect, height) * strip_like * (1 + _HEIGHT_FOR_NET * cut)


def _even(strip: _Strip, share: float) -> list[int]:
    """Returns breaks near to an even share of the height, where few nets are cut; it is linear."""
    lasts: list[int] = []
    row, total, left = 0, len(strip.heights), sum(strip.heights)
    while row < total:
        # A few rows that are left are no column of their own.
        room = share * 1.12 if left > share * 1.25 else math.inf
        best, cost, height, last = row, math.inf, 0.0, row
        while last < total and (height + strip.heights[last] <= room or last == row):
            height += strip.heights[last]
            off = 1 - height / share
            here = strip.pain[last] + _NETS_FOR_FULL * off * off if last < total - 1 else -1.0
            enough = height >= share * 0.7 or last == total - 1  # what is left may be short
            if (here <= cost and enough) or cost == math.inf:
                best, cost = last, here
            last += 1
        lasts.append(best)
        left -= sum(strip.heights[row : best + 1])
        row = best + 1
    return lasts


def _extent(strip: _Strip, lasts: Sequence[int]) -> tuple[float, float]:
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
