"""Folds rows into columns, and gives each box, lane and gap a position.

Columns are read from top to bottom and from left to right.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from engine_layer_visualize.drawing.breaks import Strip, breaks
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
    rows: Rows,
    aspect: float = 1.6,
    groups: Sequence[int] | None = None,
    spacing: Spacing = _USUAL,
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
    tall = [0.0] * rows.count
    wide: list[dict[int, float]] = [{} for _ in range(rows.count)]
    for node in rows.nodes:
        tall[node.row] = max(tall[node.row], node.height)
        wide[node.row][node.slot] = node.width + node.flag + spacing.slot + spacing.track
    pitch = [
        height + (spacing.gap + spacing.track * (max(gap.values(), default=-1) + 1))
        for height, gap in zip(tall, gaps)
    ]
    lasts = breaks(Strip(pitch, wide, _pain(rows, groups), spacing.side), aspect)
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
    middle: dict[int, int] = {}
    straight: set[int] = set()
    for number, net in enumerate(rows.nets):
        source = rows.nodes[net.source]
        down = net.lane == Lane(source.slot, -1) or any(
            rows.nodes[reader].row == source.row + 1 and rows.nodes[reader].slot == source.slot
            for reader in net.readers
        )
        if net.source not in middle or (down and net.source not in straight):
            middle[net.source] = number
        if down:
            straight.add(net.source)
    return middle


def _spans(rows: Rows, middle: dict[int, int]) -> list[list[tuple[float, float, int]]]:
    """Returns for each gap the nets that run across: from slot, to slot, net."""
    spans: list[list[tuple[float, float, int]]] = [[] for _ in range(rows.count)]
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


def _pain(rows: Rows, groups: Sequence[int] | None) -> list[float]:
    """Returns what a break after each row costs: the nets that it cuts, and the blocks."""
    change = [0.0] * (rows.count + 1)
    for net in rows.nets:
        change[rows.nodes[net.source].row] += 1
        change[rows.nodes[net.readers[-1]].row] -= 1
    if groups is not None:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for node, group in zip(rows.nodes, groups):
            if group >= 0:
                first[group] = min(first.get(group, node.row), node.row)
                last[group] = max(last.get(group, node.row), node.row)
        for group, row in first.items():
            change[row] += _NETS_FOR_BLOCK
            change[last[group]] -= _NETS_FOR_BLOCK
    return list(accumulate(change[:-1]))


def _stripes(
    rows: Rows, column_of: Sequence[int], count: int
) -> list[tuple[dict[int, tuple[float, float]], dict[int, int]]]:
    """Returns for each column the halves of its slots, and how many tracks its gutters have."""
    stripes: list[tuple[dict[int, tuple[float, float]], dict[int, int]]]
    stripes = [({}, {}) for _ in range(count)]
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
        if slot in tracks:
            x += tracks[slot] * spacing.track
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
