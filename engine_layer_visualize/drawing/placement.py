"""Places everything of a picture but its header.

There is a panel for each optimisation profile: boxes, paths of edges, flags for cut edges, and
brackets beside repeated blocks.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.repeats import Repeat
from engine_layer_visualize.drawing import routing
from engine_layer_visualize.drawing.cards import Card
from engine_layer_visualize.drawing.scene import Scene
from engine_layer_visualize.drawing.shapes import Point

FLAG: Final = 62.0  # width kept for a flag, with the space beside it
FLAG_HEIGHT: Final = 13.0
_ASPECT: Final = 1.6  # width : height of a screen
_SIDE: Final = 24.0  # left of a column, for brackets
_BARE_SIDE: Final = 8.0  # left of a column, without brackets
_BAR: Final = 9.0  # from a bar to the boxes' left; the stripes and the name are further out
_STRIPE: Final = 14.0
_NAME: Final = 16.0
_AROUND: Final = 7.0  # by which stripes stand out above and below their boxes
_FRAME: Final = 16.0  # from a panel's frame to its boxes
_FOOT: Final = 22.0  # below a panel's boxes
_HEAD: Final = 24.0  # above a panel's boxes, for its title
_BETWEEN: Final = 24.0  # two panels
# Whether branches are one after the other; rows for which an edge may keep a slot free; how much
# smaller a drawing must get by this.
_ARRANGEMENTS: Final = ((False, routing.PATIENCE, 1.0), (False, 0, 1.04), (True, 0, 1.12))
_AREA: Final = 0.25  # power of a drawing's area: of equal screens the one that is used least
_MOST_ACROSS: Final = 6  # panels side by side in the arrangements that are tried


class NetPaths(NamedTuple):
    """The edges of one net."""

    wires: tuple[int, ...]  # their indices in the scene
    lines: tuple[tuple[Point, ...], ...]  # the corners of each


class Flag(NamedTuple):
    """A mark at the right of a box for edges that are cut."""

    x: float
    y: float
    others: tuple[int, ...]  # the boxes at the other ends; of several the mark has the number
    out: bool  # the edges leave here
    wires: tuple[int, ...]


class Bracket(NamedTuple):
    """What stands beside the blocks of a repeat."""

    repeat: Repeat
    # x, top and bottom: beside each block, or beside the part of it in one column
    bars: tuple[tuple[float, float, float], ...]
    stripes: tuple[tuple[float, float, float, float], ...]  # x, y, width and height
    middle: Point  # of the name, which is written upwards
    room: float  # for the name


class Panel(NamedTuple):
    """What belongs to one optimisation profile."""

    profile: int
    frame: tuple[float, float, float, float] | None  # x, y, width and height
    boxes: dict[int, Point]  # the upper left corner of each box
    paths: tuple[NetPaths, ...]
    flags: tuple[Flag, ...]
    brackets: tuple[Bracket, ...]


class Placement(NamedTuple):
    """All panels."""

    panels: tuple[Panel, ...]
    width: float
    height: float  # without a header
    cut: int  # how many edges are cut


class _UnfoldedPanel(NamedTuple):
    """A panel before it is folded."""

    profile: int
    boxes: tuple[int, ...]  # their numbers in the scene
    wires: tuple[int, ...]  # their numbers in the scene
    # The wires, then the ties, as pairs of positions in `boxes`.
    edges: tuple[tuple[int, int], ...]
    rows: routing.Rows
    blocks: tuple[int, ...]  # the block of each box


def place(
    scene: Scene, cards: Sequence[Card], repeats: Sequence[Repeat], header: float
) -> Placement:
    """Returns the placement whose proportions, with a header of this height, suit a screen best."""
    return _Placer(scene, cards, repeats).place(header)


class _Placer:
    """Splits a scene into a part for each optimisation profile, and places the parts."""

    def __init__(self, scene: Scene, cards: Sequence[Card], repeats: Sequence[Repeat]) -> None:
        self.scene = scene
        self.cards = cards
        self.repeats = repeats
        side = _SIDE if repeats else _BARE_SIDE
        self.spacing = routing.Spacing(gap=20.0, track=8.0, slot=18.0, side=side)
        self.profiles = scene.profiles or (0,)
        self.framed = len(self.profiles) > 1
        self.block_of = self._blocks()
        part_of = [self.profiles.index(box.profile) if self.framed else 0 for box in scene.boxes]
        self.boxes: list[list[int]] = [[] for _ in self.profiles]
        self.wires: list[list[int]] = [[] for _ in self.profiles]
        self.strays: list[int] = []  # cut: they go from one optimisation profile to another
        for i, part in enumerate(part_of):
            self.boxes[part].append(i)
        for i, wire in enumerate(scene.wires):
            part = part_of[wire.source]
            (self.wires[part] if part == part_of[wire.target] else self.strays).append(i)

    def _blocks(self) -> list[int]:
        """Returns for each box the number of the block of a repeat that it belongs to, or -1."""
        block_of = [-1] * len(self.scene.boxes)
        blocks = (block for repeat in self.repeats for block in repeat.blocks)
        for number, (begin, stop) in enumerate(blocks):
            for box in self.scene.places[begin:stop]:
                block_of[box] = number
        return block_of

    def place(self, header: float) -> Placement:
        """Tries branches side by side and one after the other, panels in one row and in several."""
        best: tuple[list[_UnfoldedPanel], list[routing.Folded], int] = [], [], 1
        least = math.inf
        for serial, patience, worse in _ARRANGEMENTS:
            parts = [self._part(number, serial, patience) for number in range(len(self.profiles))]
            for across in range(1, min(len(parts), _MOST_ACROSS) + 1):
                aspect = _ASPECT * math.ceil(len(parts) / across) / across
                _, height = self._extent(self._fold(parts, aspect), across)
                # The header takes its part of the height.
                folded = self._fold(parts, aspect * ((height + header) / max(height, 1.0)))
                width, height = self._extent(folded, across)
                # The size of the screen on which it fits, and of what is used of that; branches
                # side by side are worth some.
                screen = max(width / _ASPECT, height + header)
                cost = screen * (width / _ASPECT * (height + header)) ** _AREA * worse
                if cost < least:
                    best, least = (parts, folded, across), cost
        parts, folded, across = best
        panels: list[Panel] = []
        x = y = tall = right = 0.0
        for number, (part, grid) in enumerate(zip(parts, folded)):
            if number and number % across == 0:
                x, y, tall = 0.0, y + tall + _BETWEEN, 0.0
            panels.append(self._panel(part, grid, x, y))
            width, height = self._size(grid)
            x += width + _BETWEEN
            tall = max(tall, height)
            right = max(right, x - _BETWEEN)
        cut = sum(len(_cut(part)) for part in parts) + len(self.strays)
        return Placement(tuple(panels), right, y + tall, cut)

    def _part(self, number: int, serial: bool, patience: int) -> _UnfoldedPanel:
        """Returns the panel of the optimisation profile with this position, as rows."""
        scene, cards = self.scene, self.cards
        boxes, wires = tuple(self.boxes[number]), tuple(self.wires[number])
        place = {box: position for position, box in enumerate(boxes)}
        wired = [(scene.wires[i].source, scene.wires[i].target) for i in wires]
        tied = [tie for tie in scene.ties if tie[0] in place and tie[1] in place]
        edges = tuple((place[source], place[target]) for source, target in (*wired, *tied))
        of_ties = range(len(scene.wires), len(scene.wires) + len(tied))
        ends = (end for i in self.strays for end in (scene.wires[i].source, scene.wires[i].target))
        rows = routing.layered(
            [(cards[i].width, cards[i].height) for i in boxes],
            edges,
            [*(scene.wires[i].net for i in wires), *of_ties],
            serial=serial,
            patience=patience,
            flag=FLAG,
            flagged=[place[end] for end in ends if end in place],
        )
        blocks = tuple(self.block_of[i] for i in boxes)
        return _UnfoldedPanel(self.profiles[number], boxes, wires, edges, rows, blocks)

    def _fold(self, parts: Sequence[_UnfoldedPanel], aspect: float) -> list[routing.Folded]:
        return [routing.fold(part.rows, aspect, part.blocks, self.spacing) for part in parts]

    def _size(self, folded: routing.Folded) -> tuple[float, float]:
        """Returns width and height of a panel with its frame."""
        if not self.framed:
            return folded.width, folded.height
        return folded.width + 2 * _FRAME, folded.height + _HEAD + _FOOT

    def _extent(self, folded: Sequence[routing.Folded], across: int) -> tuple[float, float]:
        """Returns width and height of the panels, `across` of them side by side."""
        width = height = 0.0
        for begin in range(0, len(folded), across):
            sizes = [self._size(grid) for grid in folded[begin : begin + across]]
            width = max(width, sum(size[0] for size in sizes) + _BETWEEN * (len(sizes) - 1))
            height += max(size[1] for size in sizes) + (_BETWEEN if begin else 0)
        return width, height

    def _panel(
        self, part: _UnfoldedPanel, folded: routing.Folded, left: float, top: float
    ) -> Panel:
        """Returns the panel whose upper left corner is there."""
        dx, dy = (left + _FRAME, top + _HEAD) if self.framed else (left, top)
        boxes = {
            box: (x - self.cards[box].width / 2 + dx, y + dy)
            for box, (x, y) in zip(part.boxes, folded.places)
        }
        nets: dict[int, list[tuple[int, tuple[Point, ...]]]] = {}
        for path in routing.route(folded, part.edges):
            if path.edge >= len(part.wires):  # a tie
                continue
            points = tuple((x + dx, y + dy) for x, y in path.points)
            nets.setdefault(path.net, []).append((part.wires[path.edge], points))
        brackets = (self._bracket(repeat, part, folded, dx, dy) for repeat in self.repeats)
        return Panel(
            part.profile,
            (left, top, *self._size(folded)) if self.framed else None,
            boxes,
            tuple(NetPaths(*zip(*paths)) for paths in nets.values()),
            tuple(self._flags(boxes, [*_cut(part), *self.strays])),
            tuple(bracket for bracket in brackets if bracket is not None),
        )

    def _flags(self, boxes: dict[int, Point], cut: Sequence[int]) -> Iterator[Flag]:
        """Yields the flags beside each box, as many as its height has space for."""
        ends: dict[int, dict[tuple[bool, int], list[int]]] = {}  # box -> out, other -> wires
        for wire in cut:
            source, target = self.scene.wires[wire].source, self.scene.wires[wire].target
            for box, other, out in ((source, target, True), (target, source, False)):
                if box in boxes:
                    ends.setdefault(box, {}).setdefault((out, other), []).append(wire)
        for box, marks in ends.items():
            (x, y), card = boxes[box], self.cards[box]
            most = max(1, int((card.height + 2) // (FLAG_HEIGHT + 1)))
            order = sorted(marks)
            named = order if len(order) <= most else order[: most - 1]
            rest = order[len(named) :]
            y += (card.height - (FLAG_HEIGHT + 1) * (len(named) + bool(rest)) + 1) / 2
            x += card.width + 5
            for out, other in named:
                yield Flag(x, y, (other,), out, tuple(marks[out, other]))
                y += FLAG_HEIGHT + 1
            if rest:
                wires = tuple(wire for mark in rest for wire in marks[mark])
                others = tuple(dict.fromkeys(other for _, other in rest))
                yield Flag(x, y, others, rest[0][0], wires)

    def _bracket(
        self, repeat: Repeat, part: _UnfoldedPanel, folded: routing.Folded, dx: float, dy: float
    ) -> Bracket | None:
        """Returns the bracket of a repeat; None where its blocks stand side by side."""
        spans = self._spans(repeat, part)
        if not spans or any(a[1] >= b[0] for a, b in pairwise(spans)):
            return None
        bars: list[tuple[float, float, float]] = []
        stripes: list[tuple[float, float, float, float]] = []
        longest, middle = 0.0, (0.0, 0.0)
        for column in folded.columns:
            x = column.left + dx + _SIDE
            first, last = column.first, column.last
            parts = [(max(first, a), min(last, b)) for a, b in spans if a <= last and b >= first]
            if not parts:
                continue
            here = [(folded.tops[a] + dy, folded.bottoms[b] + dy) for a, b in parts]
            bars += [(x - _BAR, *ends) for ends in here]
            top, bottom = here[0][0], here[-1][1]
            first, last = max(spans[0][0], first), min(spans[-1][1], last)
            right = max(
                folded.places[i][0] + node.width / 2 + node.flag + dx
                for i, node in enumerate(part.rows.nodes)
                if first <= node.row <= last
            )
            left, height = x - _STRIPE, bottom - top + 2 * _AROUND
            stripes.append((left, top - _AROUND, right - left + _BAR, height))
            if bottom - top > longest:
                longest, middle = bottom - top, (x - _NAME, (top + bottom) / 2)
        return Bracket(repeat, tuple(bars), tuple(stripes), middle, longest)

    def _spans(self, repeat: Repeat, part: _UnfoldedPanel) -> list[tuple[int, int]]:
        """Returns the first and last row of each shown block; nothing if one stands elsewhere."""
        scene, place = self.scene, {box: i for i, box in enumerate(part.boxes)}
        spans: list[tuple[int, int]] = []
        for begin, stop in repeat.blocks[:1] if repeat in scene.folded else repeat.blocks:
            inside = set(scene.places[begin:stop])
            rows = [part.rows.nodes[place[box]].row for box in inside if box in place]
            if not rows:
                return []
            spans.append((min(rows), max(rows)))
        return spans


def _cut(part: _UnfoldedPanel) -> list[int]:
    """Returns the wires that are cut."""
    return [part.wires[i] for i in part.rows.cut if i < len(part.wires)]
