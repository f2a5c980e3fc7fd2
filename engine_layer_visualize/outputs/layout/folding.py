"""Rows -> columns, read top to bottom, left to right.

takes: `Rows`, the aspect to come near to, and where a break hurts
gives: `Folded`: a position for every box, lane and gap
never: reorders rows or moves a box to another slot
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from engine_layer_visualize.outputs.layout.rows import Lane, Rows

_TRIES: Final = 16  # numbers of columns
_SMALL: Final = 300  # rows up to which the best breaks are looked for
_PAIN: Final = 40.0  # width that is given for a net that is not cut by a break
_SHORT: Final = 8.0


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances of the grid. `side` is kept free at the left of each column."""

    gap: float = 18.0  # between two rows, without wires that cross it
    track: float = 8.0  # between two wires
    slot: float = 16.0  # between two slots, without lanes
    side: float = 0.0
    port: float = 12.0  # between two wires at one box


@dataclass(frozen=True, slots=True)
class Column:
    """Rows `first` to `last`. `slots[s]` is the x of slot s's middle, `gutters[g]` the x of gutter
    g's right end. `turns` are the nets that go on in the next column, `passage` the x at its right
    where the first of them goes up, `foot` the y under its last row."""

    first: int
    last: int
    left: float
    right: float
    slots: dict[int, float]
    gutters: dict[int, float]
    turns: tuple[int, ...]
    passage: float
    foot: float


@dataclass(frozen=True, slots=True)
class Folded:
    """Positions. `at[i]` is the middle of box i's top edge; `gaps[r]` the nets that run across
    below row r, each with its track, from the top; `tops[r]` the y of row r, `bottoms[r]` of the
    end of its tallest box. `column_of[r]` is row r's column."""

    rows: Rows
    spacing: Spacing
    columns: tuple[Column, ...]
    column_of: tuple[int, ...]
    at: tuple[tuple[float, float], ...]
    tops: tuple[float, ...]
    bottoms: tuple[float, ...]
    gaps: tuple[dict[int, int], ...]
    width: float
    height: float

    def lane_x(self, lane: Lane, column: Column) -> float:
        if lane.track < 0:
            return column.slots[lane.gutter]
        return column.gutters[lane.gutter] - self.spacing.track * (lane.track + 0.5)


def key(lane: Lane) -> float:
    """The order of lanes and slots from left to right, in any column: slot s is at s."""
    return float(lane.gutter) if lane.track < 0 else lane.gutter - 0.5 + 0.4 / (lane.track + 1)


def fold(
    rows: Rows,
    aspect: float = 1.6,
    groups: Sequence[int] | None = None,
    spacing: Spacing = Spacing(),
) -> Folded:
    """Cuts `rows` into columns so that width : height comes near to `aspect`.

    Breaks are put where few nets cross. `groups[i]` numbers the block that box i belongs to (-1:
    none): a break between two blocks is better than one inside.
    """
    gaps = _gaps(rows)
    tall = [0.0] * rows.count
    for node in rows.nodes:
        tall[node.row] = max(tall[node.row], node.height)
    pitch = [spacing.gap + spacing.track * (max(gap.values(), default=-1) + 1) for gap in gaps]
    heights = [a + b for a, b in zip(tall, pitch)]
    pain = _pain(rows, groups)
    wide = _widths(rows, spacing)
    guess = math.sqrt(max(1.0, aspect * sum(heights) / (max(map(_sum, wide), default=1.0))))
    best: tuple[float, list[int]] | None = None
    low, high = max(1, int(guess * 0.6)), min(rows.count, int(guess * 2) + 2)
    counts = list(range(low, high + 1, 1 + max(0, high - low) // _TRIES))
    if rows.count > _SMALL:
        counts = [max(1, int(guess))]
    for count in counts:
        share = max(sum(heights) / count, *heights)
        if rows.count <= _SMALL:
            breaks = _narrowest(heights, pain, wide, spacing, share * 1.04)
        else:
            breaks = _breaks(heights, pain, share)
        width, height = _extent(breaks, wide, heights, spacing)
        cost = max(width / aspect, height)  # the height of the screen on which it fits
        off = width / height / aspect
        cost *= max(1.0, off / 1.2, 0.5 / off) ** 2  # a strip is no picture
        cost *= 1 + 0.008 * sum(pain[b] for b in breaks[:-1])
        if best is None or cost < best[0]:
            best = cost, breaks
        better = min(rows.count, max(1, round(count / math.sqrt(off))))
        if rows.count > _SMALL and better not in counts and len(counts) < _TRIES // 2:
            counts.append(better)  # a few steps towards the aspect
    return _placed(rows, best[1] if best else [], gaps, tall, pitch, spacing)


def middle_nets(rows: Rows) -> dict[int, int]:
    """For each box the net that leaves it in the middle: one that goes straight down, if any."""
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


def _gaps(rows: Rows) -> tuple[dict[int, int], ...]:
    """For each gap the nets that run across it, and their tracks from the top.

    Two nets share a track where they do not meet. Of wires that come from one side, the nearest
    turns first.
    """
    spans: list[list[tuple[float, float, int]]] = [[] for _ in range(rows.count)]
    slot = [node.slot for node in rows.nodes]
    middle = middle_nets(rows)
    for number, net in enumerate(rows.nets):
        row = rows.nodes[net.source].row
        across: dict[int, list[float]] = {row: [float(slot[net.source])]}
        if net.lane is not None:
            across[row].append(key(net.lane))
        for reader in net.readers:
            gap = rows.nodes[reader].row - 1
            ends = across.setdefault(gap, [])
            if not ends and net.lane is not None:
                ends.append(key(net.lane))
            ends.append(float(slot[reader]))
        for gap, ends in across.items():
            low, high = min(ends), max(ends)
            if low < high or middle[net.source] != number:  # else it runs straight down
                spans[gap].append((low, high, number))
    out = []
    for found in spans:
        tracks: dict[int, int] = {}
        ends_at: list[list[tuple[float, float]]] = []
        for low, high, number in sorted(found, key=lambda span: (span[1] - span[0], span[2])):
            track = 0
            # A port stands up to half a slot beside its slot's middle.
            while track < len(ends_at) and any(
                low <= b + 0.5 and a <= high + 0.5 for a, b in ends_at[track]
            ):
                track += 1
            if track == len(ends_at):
                ends_at.append([])
            ends_at[track].append((low, high))
            tracks[number] = track
        out.append(tracks)
    return tuple(out)


def _pain(rows: Rows, groups: Sequence[int] | None) -> list[float]:
    """What a break after each row costs: the nets that it cuts, and the blocks."""
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
            change[row] += 1.5
            change[last[group]] -= 1.5
    return list(accumulate(change[:-1]))


def _widths(rows: Rows, spacing: Spacing) -> list[dict[int, float]]:
    """For each row the width of each of its slots."""
    wide: list[dict[int, float]] = [{} for _ in range(rows.count)]
    for node in rows.nodes:
        wide[node.row][node.slot] = node.width + node.flag + spacing.slot + spacing.track
    return wide


def _sum(slots: dict[int, float]) -> float:
    return sum(slots.values())


def _between(spacing: Spacing) -> float:
    """About the width between two columns."""
    return 40 + spacing.side


def _narrowest(
    heights: Sequence[float],
    pain: Sequence[float],
    wide: Sequence[dict[int, float]],
    spacing: Spacing,
    limit: float,
) -> list[int]:
    """The last rows of columns that are no higher than `limit` and together the narrowest."""
    least = [0.0]  # width of the columns before each row
    begins: list[int] = []  # of the best column that ends with each row
    for last in range(len(heights)):
        slots: dict[int, float] = {}
        height = total = 0.0
        best, begin = math.inf, last
        for first in range(last, -1, -1):
            height += heights[first]
            if height > limit and first < last:
                break
            for slot, width in wide[first].items():
                if width > slots.get(slot, 0.0):
                    total += width - slots.get(slot, 0.0)
                    slots[slot] = width
            cost = least[first] + total + _between(spacing)
            cost += _PAIN * pain[first - 1] if first else 0.0
            cost += _SHORT * (1 - height / limit)  # of equal ones the longest columns
            if cost < best:
                best, begin = cost, first
        least.append(best)
        begins.append(begin)
    breaks: list[int] = []
    at = len(heights) - 1
    while at >= 0:
        breaks.append(at)
        at = begins[at] - 1
    return breaks[::-1]


def _breaks(heights: Sequence[float], pain: Sequence[float], share: float) -> list[int]:
    """The last row of each column, each near to an even share of the height: linear."""
    breaks: list[int] = []
    row, total = 0, len(heights)
    while row < total:
        best, cost, height, at = row, math.inf, 0.0, row
        while at < total and (height + heights[at] <= share * 1.12 or at == row):
            height += heights[at]
            off = 1 - height / share
            here = pain[at] + 24 * off * off if at < total - 1 else -1.0
            enough = height >= share * 0.7 or at == total - 1  # what is left may be short
            if (here <= cost and enough) or cost == math.inf:
                best, cost = at, here
            at += 1
        breaks.append(best)
        row = best + 1
    return breaks


def _extent(
    breaks: Sequence[int],
    wide: Sequence[dict[int, float]],
    heights: Sequence[float],
    spacing: Spacing,
) -> tuple[float, float]:
    """Width and height of the drawing with these breaks; gutters and passages are estimates."""
    width = height = 0.0
    first = 0
    for last in breaks:
        slots: dict[int, float] = {}
        for row in wide[first : last + 1]:
            for slot, one in row.items():
                slots[slot] = max(slots.get(slot, 0.0), one)
        width += _sum(slots) + _between(spacing)
        height = max(height, sum(heights[first : last + 1]))
        first = last + 1
    return width - (_between(spacing) - spacing.side if breaks else 0.0), height + 24


def _columns(breaks: Sequence[int]) -> list[int]:
    column: list[int] = []
    for number, last in enumerate(breaks):
        column += [number] * (last + 1 - len(column))
    return column


def _placed(
    rows: Rows,
    breaks: list[int],
    gaps: tuple[dict[int, int], ...],
    tall: list[float],
    pitch: list[float],
    spacing: Spacing,
) -> Folded:
    column_of = _columns(breaks)
    half: list[dict[int, tuple[float, float]]] = [{} for _ in breaks]  # slots: left, right
    depth: list[dict[int, int]] = [{} for _ in breaks]  # gutters: tracks
    for node in rows.nodes:
        slots = half[column_of[node.row]]
        left, right = slots.get(node.slot, (0.0, 0.0))
        slots[node.slot] = (
            max(left, node.width / 2),
            max(right, node.width / 2 + node.flag),
        )
    turns: list[list[int]] = [[] for _ in breaks]
    for number, net in enumerate(rows.nets):
        begin = column_of[rows.nodes[net.source].row]
        end = column_of[rows.nodes[net.readers[-1]].row]
        for column in range(begin, end + 1):
            if column < end:
                turns[column].append(number)
            if net.lane is None:
                continue
            if net.lane.track < 0:
                half[column].setdefault(net.lane.gutter, (4.0, 4.0))
            else:
                tracks = depth[column]
                tracks[net.lane.gutter] = max(tracks.get(net.lane.gutter, 0), net.lane.track + 1)
    columns: list[Column] = []
    x = tallest = 0.0
    most = max(map(len, turns), default=0)
    head = spacing.track * most + (spacing.gap if most else 0.0)
    tops, bottoms = [0.0] * rows.count, [0.0] * rows.count
    for number, last in enumerate(breaks):
        first = breaks[number - 1] + 1 if number else 0
        begin_x = x
        x += spacing.side
        slots_x: dict[int, float] = {}
        gutters_x: dict[int, float] = {}
        for slot in sorted({*half[number], *depth[number]}):
            tracks_here = depth[number].get(slot, 0)
            x += tracks_here * spacing.track + (spacing.slot / 2 if tracks_here else 0.0)
            gutters_x[slot] = x - (spacing.slot / 2 if tracks_here else 0.0) + spacing.track / 4
            if slot in half[number]:
                left, right = half[number][slot]
                slots_x[slot] = x + left
                x += left + right
            x += spacing.slot
        x -= spacing.slot
        y = head
        for row in range(first, last + 1):
            tops[row], bottoms[row] = y, y + tall[row]
            y += tall[row] + pitch[row]
        foot = bottoms[last] + spacing.gap / 2
        tallest = max(tallest, foot + spacing.track * len(turns[number]))
        order = _order(rows, turns[number], last)
        columns.append(
            Column(
                first, last, begin_x, x, slots_x, gutters_x, tuple(order), x + spacing.slot, foot
            )
        )
        x += spacing.slot * 2 + spacing.track * max(0, len(turns[number]) - 1) + 8
    at = tuple(
        (columns[column_of[node.row]].slots[node.slot], tops[node.row]) for node in rows.nodes
    )
    width = columns[-1].right if columns else 0.0
    return Folded(
        rows,
        spacing,
        tuple(columns),
        tuple(column_of),
        at,
        tuple(tops),
        tuple(bottoms),
        gaps,
        width,
        tallest,
    )


def _order(rows: Rows, turns: list[int], last: int) -> list[int]:
    """The nets that cross a break, from the right: then they do not cross each other in turning."""

    def place(number: int) -> float:
        net = rows.nets[number]
        source = rows.nodes[net.source]
        return float(source.slot) if source.row == last or net.lane is None else key(net.lane)

    return sorted(turns, key=place, reverse=True)
