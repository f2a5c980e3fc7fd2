"""Scene -> a sheet with everything in its place.

takes: a Scene, its cards, its repeats
gives: `Sheet`: panels (one for each optimisation profile) of placed boxes, paths, flags, brackets
never: writes an output format
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine_layer_visualize.analysis.repeated_blocks import Repeat
from engine_layer_visualize.outputs.layout import Folded, Rows, Spacing, fold, layered, route
from engine_layer_visualize.outputs.picture.node_cards import Card
from engine_layer_visualize.outputs.picture.scene import Scene

ASPECT: Final = 1.6
FLAG: Final = 62.0
FLAG_HEIGHT: Final = 13.0
SIDE: Final = 24.0  # left of a column, for brackets
_FRAME: Final = 16.0
_HEAD: Final = 24.0  # a panel's own title
_BETWEEN: Final = 24.0  # panels
_SERIAL: Final = 1.12  # how much smaller a drawing must get by branches one after the other
_ARRANGED: Final = 6  # numbers of panels side by side that are tried

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Path:
    """Wires of one net, from corner to corner. `wires` are indices of the scene's."""

    wires: tuple[int, ...]
    lines: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """A mark at the right of box `box` for wires that are cut; `others` are their other ends.

    `out`: the wires leave here. More than one other: the mark tells how many there are more.
    """

    box: int
    x: float
    y: float
    others: tuple[int, ...]
    out: bool
    wires: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """Beside one block of a repeat, or the part of it in one column."""

    x: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Bracket:
    """A repeat: its bars, the stripes behind it (x, y, width, height), and where its name stands
    (the middle of a vertical text, and the room for it)."""

    repeat: Repeat
    bars: tuple[Bar, ...]
    stripes: tuple[tuple[float, float, float, float], ...]
    at: Point
    room: float


@dataclass(frozen=True, slots=True)
class Panel:
    """`frame`: x, y, width and height, if it has one; `boxes`: box -> its upper left corner;
    `gaps`: y of the upper and lower end of the gap under the row of each box."""

    profile: int
    frame: tuple[float, float, float, float] | None
    boxes: dict[int, Point]
    paths: tuple[Path, ...]
    flags: tuple[Flag, ...]
    brackets: tuple[Bracket, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """All panels; `width` and `height` without a header."""

    panels: tuple[Panel, ...]
    width: float
    height: float
    cut: int


@dataclass(frozen=True, slots=True)
class _Part:
    """One panel before it is folded: its boxes and wires by their numbers in the scene."""

    profile: int
    boxes: tuple[int, ...]
    wires: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    rows: Rows
    groups: tuple[int, ...]


def sheet(scene: Scene, cards: Sequence[Card], repeats: Sequence[Repeat], header: float) -> Sheet:
    """The sheet whose proportions, with a header of that height, come nearest to `ASPECT`."""
    spacing = Spacing(gap=20.0, track=8.0, slot=18.0, side=SIDE if repeats else 8.0)
    best: tuple[float, int, list[Folded], list[_Part]] | None = None
    for serial in (False, True):
        parts, strays = _parts(scene, cards, repeats, serial)
        framed = len(parts) > 1
        for across in range(1, min(len(parts), _ARRANGED) + 1):
            down = math.ceil(len(parts) / across)
            aspect = ASPECT * down / across
            folded = [fold(part.rows, aspect, part.groups, spacing) for part in parts]
            width, height = _extent(folded, across, framed)
            # The header takes its part of the height.
            aspect *= (height + header) / max(height, 1.0)
            folded = [fold(part.rows, aspect, part.groups, spacing) for part in parts]
            width, height = _extent(folded, across, framed)
            # The size of the screen on which it fits; branches side by side are worth some.
            cost = max(width / ASPECT, height + header) * (_SERIAL if serial else 1.0)
            if best is None or cost < best[0]:
                best = cost, across, folded, parts
    if best is None:
        return Sheet((), 0.0, 0.0, 0)
    _, across, folded, parts = best
    panels: list[Panel] = []
    x = y = tall = right = 0.0
    for number, (part, one) in enumerate(zip(parts, folded)):
        if number and number % across == 0:
            x, y, tall = 0.0, y + tall + _BETWEEN, 0.0
        width, height = _size(one, framed)
        panels.append(_panel(scene, cards, repeats, part, one, (x, y), framed, strays))
        x += width + _BETWEEN
        tall = max(tall, height)
        right = max(right, x - _BETWEEN)
    cut = sum(len(part.rows.cut) for part in parts) + len(strays)
    return Sheet(tuple(panels), right, y + tall, cut)


def _parts(
    scene: Scene, cards: Sequence[Card], repeats: Sequence[Repeat], serial: bool
) -> tuple[list[_Part], list[int]]:
    """A part for each optimisation profile; and the wires from one to another, which are cut."""
    numbers = scene.profiles or (0,)
    part_of = [numbers.index(box.profile) if scene.profiles else 0 for box in scene.boxes]
    group_of = [-1] * len(scene.boxes)
    number = 0
    for repeat in repeats:
        for begin, stop in repeat.blocks:
            for position in range(begin, stop):
                group_of[scene.box_of[scene.view.layers[position].index]] = number
            number += 1
    boxes: list[list[int]] = [[] for _ in numbers]
    at: list[int] = []
    for i, part in enumerate(part_of):
        at.append(len(boxes[part]))
        boxes[part].append(i)
    wires: list[list[int]] = [[] for _ in numbers]
    strays: list[int] = []
    flagged: set[int] = set()
    for i, wire in enumerate(scene.wires):
        if part_of[wire.source] == part_of[wire.target]:
            wires[part_of[wire.source]].append(i)
        else:
            strays.append(i)
            flagged |= {wire.source, wire.target}
    parts = []
    for part, profile in enumerate(numbers):
        edges = tuple((at[scene.wires[i].source], at[scene.wires[i].target]) for i in wires[part])
        rows = layered(
            [(cards[i].width, cards[i].height) for i in boxes[part]],
            edges,
            [scene.wires[i].net for i in wires[part]],
            serial=serial,
            flag=FLAG,
            flagged=[at[i] for i in flagged if part_of[i] == part],
        )
        groups = tuple(group_of[i] for i in boxes[part])
        parts.append(_Part(profile, tuple(boxes[part]), tuple(wires[part]), edges, rows, groups))
    return parts, strays


def _size(folded: Folded, framed: bool) -> tuple[float, float]:
    if not framed:
        return folded.width, folded.height
    return folded.width + 2 * _FRAME, folded.height + _FRAME + _HEAD + 6


def _extent(folded: Sequence[Folded], across: int, framed: bool) -> tuple[float, float]:
    width = height = 0.0
    for begin in range(0, len(folded), across):
        sizes = [_size(one, framed) for one in folded[begin : begin + across]]
        width = max(width, sum(size[0] for size in sizes) + _BETWEEN * (len(sizes) - 1))
        height += max(size[1] for size in sizes) + (_BETWEEN if begin else 0)
    return width, height


# ---------------------------------------------------------------- one panel


def _panel(
    scene: Scene,
    cards: Sequence[Card],
    repeats: Sequence[Repeat],
    part: _Part,
    folded: Folded,
    corner: Point,
    framed: bool,
    strays: Sequence[int],
) -> Panel:
    width, height = _size(folded, framed)
    dx, dy = corner
    if framed:
        dx, dy = dx + _FRAME, dy + _HEAD
    boxes = {
        box: (x - cards[box].width / 2 + dx, y + dy) for box, (x, y) in zip(part.boxes, folded.at)
    }
    nets: dict[int, list[tuple[int, tuple[Point, ...]]]] = {}
    for one in route(folded, part.edges):
        points = tuple((x + dx, y + dy) for x, y in one.points)
        nets.setdefault(one.net, []).append((part.wires[one.edge], points))
    paths = tuple(
        Path(tuple(wire for wire, _ in found), tuple(points for _, points in found))
        for found in nets.values()
    )
    cut = [*(part.wires[i] for i in part.rows.cut), *strays]
    return Panel(
        part.profile,
        (*corner, width, height) if framed else None,
        boxes,
        paths,
        tuple(_flags(scene, cards, boxes, cut)),
        tuple(
            bracket
            for repeat in repeats
            if (bracket := _bracket(scene, repeat, part, folded, dx, dy)) is not None
        ),
    )


def _flags(
    scene: Scene, cards: Sequence[Card], boxes: dict[int, Point], cut: Sequence[int]
) -> list[Flag]:
    found: dict[int, dict[tuple[bool, int], list[int]]] = {}
    for wire in cut:
        source, target = scene.wires[wire].source, scene.wires[wire].target
        for box, other, out in ((source, target, True), (target, source, False)):
            if box in boxes:
                found.setdefault(box, {}).setdefault((out, other), []).append(wire)
    flags: list[Flag] = []
    for box, marks in found.items():
        x, y = boxes[box]
        room = max(1, int((cards[box].height + 2) // (FLAG_HEIGHT + 1)))
        order = sorted(marks)
        own = order if len(order) <= room else order[: room - 1]
        rest = order[len(own) :]
        y += (cards[box].height - (FLAG_HEIGHT + 1) * (len(own) + bool(rest)) + 1) / 2
        x += cards[box].width + 5
        for mark in own:
            flags.append(Flag(box, x, y, (mark[1],), mark[0], tuple(marks[mark])))
            y += FLAG_HEIGHT + 1
        if rest:
            wires = tuple(wire for mark in rest for wire in marks[mark])
            others = tuple(dict.fromkeys(mark[1] for mark in rest))
            flags.append(Flag(box, x, y, others, rest[0][0], wires))
    return flags


def _bracket(
    scene: Scene, repeat: Repeat, part: _Part, folded: Folded, dx: float, dy: float
) -> Bracket | None:
    """The bars beside a repeat; None where its blocks stand side by side, or elsewhere."""
    at = {box: i for i, box in enumerate(part.boxes)}
    layers = scene.view.layers
    spans: list[tuple[int, int]] = []
    shown = repeat.blocks[:1] if repeat in scene.folded else repeat.blocks
    for begin, stop in shown:
        inside = {scene.box_of[layers[i].index] for i in range(begin, stop)}
        rows = [part.rows.nodes[at[box]].row for box in inside if box in at]
        if not rows:
            return None
        spans.append((min(rows), max(rows)))
    if any(a[1] >= b[0] for a, b in pairwise(spans)):
        return None
    bars: list[Bar] = []
    stripes: list[tuple[float, float, float, float]] = []
    best, place = 0.0, (0.0, 0.0)
    for column in folded.columns:
        inside_bars = []
        for first, last in spans:
            first, last = max(first, column.first), min(last, column.last)
            if first <= last:
                x = column.left + dx + SIDE - 9
                inside_bars.append(Bar(x, folded.tops[first] + dy, folded.bottoms[last] + dy))
        if not inside_bars:
            continue
        bars += inside_bars
        top, bottom = inside_bars[0].top, inside_bars[-1].bottom
        left = column.left + dx + SIDE - 14
        lowest, highest = spans[0][0], spans[-1][1]
        right = max(
            (
                folded.at[i][0] + node.width / 2 + node.flag + dx
                for i, node in enumerate(part.rows.nodes)
                if max(lowest, column.first) <= node.row <= min(highest, column.last)
            ),
            default=left,
        )
        stripes.append((left, top - 7, right - left + 9, bottom - top + 14))
        if bottom - top > best:
            best, place = bottom - top, (column.left + dx + SIDE - 16, (top + bottom) / 2)
    return Bracket(repeat, tuple(bars), tuple(stripes), place, best)
