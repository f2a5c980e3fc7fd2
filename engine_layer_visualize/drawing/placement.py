"""Places everything of a picture but its header.

There is a panel for each optimisation profile: boxes, paths of edges with the dims of their
tensors, flags for cut edges, and brackets beside repeated blocks.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.repeats import Repeat
from engine_layer_visualize.core.text import dims, shorten, visible
from engine_layer_visualize.drawing.cards import WIDTH, Card
from engine_layer_visualize.drawing.folding import Folded, Spacing, fold
from engine_layer_visualize.drawing.routing import route
from engine_layer_visualize.drawing.rows import Rows, layered
from engine_layer_visualize.drawing.scene import Scene
from engine_layer_visualize.drawing.shapes import (
    SMALL,
    Path,
    Point,
    Rect,
    Shape,
    Step,
    Text,
    fit,
    width,
)
from engine_layer_visualize.drawing.theme import Theme

FLAG: Final = 62.0  # width kept for a flag, with the space beside it
FLAG_HEIGHT: Final = 13.0
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
_SERIAL: Final = 1.12  # how much smaller a drawing with branches one after the other must get
_AREA: Final = 0.25  # power of a drawing's area: of equal screens the one that is used least
_LONGEST_LABEL: Final = 26  # characters
_UNDER: Final = 24.0  # from an edge's beginning down, where nothing may be beside a label
_BADGE: Final = 36.0  # about the width of a badge at a box's right
_BAND: Final = 32.0  # height of a band, in which neighbours are looked for

# The edges of one net: the index of each in the scene, and its corners.
Paths = list[tuple[int, tuple[Point, ...]]]


class Flag(NamedTuple):
    """A mark at the right of a box for edges that are cut."""

    x: float
    y: float
    others: tuple[int, ...]  # the boxes at the other ends; of several the mark has the number
    out: bool  # the edges leave here
    wires: tuple[int, ...]


class Panel(NamedTuple):
    """What belongs to one optimisation profile."""

    profile: int
    frame: tuple[float, float, float, float] | None  # x, y, width and height
    boxes: dict[int, Point]  # the upper left corner of each box
    paths: tuple[Paths, ...]
    flags: tuple[Flag, ...]
    brackets: tuple[Shape, ...]  # beside the blocks of repeats


class Placement(NamedTuple):
    """All panels."""

    panels: tuple[Panel, ...]
    width: float
    height: float  # without a header
    cut: int  # how many edges are cut


class _UnfoldedPanel(NamedTuple):
    """A panel before it is folded."""

    profile: int
    place: dict[int, int]  # the position of each box, by its number in the scene
    wires: list[int]  # their numbers in the scene
    edges: tuple[tuple[int, int], ...]  # the wires as pairs of positions
    rows: Rows


class Placer:
    """Splits a scene into a part for each optimisation profile, and places the parts."""

    def __init__(self, scene: Scene, cards: Sequence[Card], theme: Theme) -> None:
        self.scene, self.cards, self.theme = scene, cards, theme
        side = _SIDE if scene.blocks else _BARE_SIDE
        self.spacing = Spacing(gap=20.0, track=8.0, slot=18.0, side=side)
        # Of a panel: left and right of its boxes, above and below them.
        self.margins = (_FRAME, _HEAD, _FOOT) if scene.profiles else (0.0, 0.0, 0.0)
        self.block_of = [-1] * len(scene.boxes)  # the number of the block of a repeat, or -1
        blocks = (block for repeat in scene.blocks for block in repeat.blocks)
        for number, (begin, stop) in enumerate(blocks):
            for box in scene.places[begin:stop]:
                self.block_of[box] = number
        self.profile_of = [box.profile if scene.profiles else 0 for box in scene.boxes]
        self.ends = [(wire.source, wire.target) for wire in scene.wires]
        # Cut: they go from one optimisation profile to another.
        profile_of = self.profile_of
        self.strays = [i for i, (a, b) in enumerate(self.ends) if profile_of[a] != profile_of[b]]

    def placement(self, header: float, aspect: float) -> Placement:
        """Returns the placement that has this width : height best, with a header of this height.

        It tries branches side by side and one after the other. Panels stand one below the other.
        """
        best: tuple[list[_UnfoldedPanel], list[Folded]] = [], []
        least = math.inf
        for serial, worse in ((False, 1.0), (True, _SERIAL)):
            parts = [self._part(profile, serial) for profile in self.scene.profiles or (0,)]
            wished = aspect * len(parts)
            *_, height = self._stacked(self._fold(parts, wished))
            # The header takes its part of the height.
            folded = self._fold(parts, wished * ((height + header) / max(height, 1.0)))
            _, width, height = self._stacked(folded)
            # The size of the screen on which it fits, and of what is used of that; branches
            # side by side are worth some.
            screen = max(width / aspect, height + header)
            cost = screen * (width / aspect * (height + header)) ** _AREA * worse
            if cost < least:
                best, least = (parts, folded), cost
        parts, folded = best
        tops, width, height = self._stacked(folded)
        panels = tuple(map(self._panel, parts, folded, tops))
        cut = sum(len(part.rows.cut) for part in parts) + len(self.strays)
        return Placement(panels, width, height, cut)

    def _part(self, profile: int, serial: bool) -> _UnfoldedPanel:
        """Returns the panel of an optimisation profile, as rows."""
        boxes = [box for box, own in enumerate(self.profile_of) if own == profile]
        place = {box: position for position, box in enumerate(boxes)}
        wires = [i for i, (a, b) in enumerate(self.ends) if a in place and b in place]
        edges = tuple((place[a], place[b]) for a, b in (self.ends[i] for i in wires))
        rows = layered(
            [(WIDTH, self.cards[box].height) for box in boxes],
            edges,
            [(self.scene.wires[i].jump, self.scene.wires[i].tensor) for i in wires],
            serial=serial,
            flag=FLAG,
            flagged=[place[end] for i in self.strays for end in self.ends[i] if end in place],
        )
        return _UnfoldedPanel(profile, place, wires, edges, rows)

    def _fold(self, parts: Sequence[_UnfoldedPanel], aspect: float) -> list[Folded]:
        return [
            fold(part.rows, aspect, [self.block_of[box] for box in part.place], self.spacing)
            for part in parts
        ]

    def _size(self, folded: Folded) -> Point:
        """Returns width and height of a panel with its frame."""
        side, head, foot = self.margins
        return folded.width + 2 * side, folded.height + head + foot

    def _stacked(self, folded: Sequence[Folded]) -> tuple[list[float], float, float]:
        """Returns where each panel begins below the others, and width and height of all."""
        tops: list[float] = []
        width, bottom = 0.0, -_BETWEEN
        for panel in folded:
            wide, tall = self._size(panel)
            tops.append(bottom + _BETWEEN)
            width, bottom = max(width, wide), tops[-1] + tall
        return tops, width, bottom

    def _panel(self, part: _UnfoldedPanel, folded: Folded, top: float) -> Panel:
        """Returns the panel that begins at the y `top`."""
        side, head, _ = self.margins
        dx, dy = side, top + head
        boxes = {
            box: (x - WIDTH / 2 + dx, y + dy) for box, (x, y) in zip(part.place, folded.places)
        }
        nets: dict[int, Paths] = {}
        for edge, net, points in route(folded, part.edges):
            moved = tuple((x + dx, y + dy) for x, y in points)
            nets.setdefault(net, []).append((part.wires[edge], moved))
        brackets = (self._bracket(repeat, part, folded, dx, dy) for repeat in self.scene.blocks)
        return Panel(
            part.profile,
            (0.0, top, *self._size(folded)) if self.scene.profiles else None,
            boxes,
            tuple(nets.values()),
            tuple(self._flags(boxes, [*(part.wires[i] for i in part.rows.cut), *self.strays])),
            tuple(chain.from_iterable(brackets)),
        )

    def _flags(self, boxes: dict[int, Point], cut: Sequence[int]) -> Iterator[Flag]:
        """Yields the flags beside each box, as many as its height has space for."""
        ends: dict[int, dict[tuple[bool, int], list[int]]] = {}  # box -> out, other -> wires
        for wire in cut:
            source, target = self.ends[wire]
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
            x += WIDTH + 5
            for out, other in named:
                yield Flag(x, y, (other,), out, tuple(marks[out, other]))
                y += FLAG_HEIGHT + 1
            if rest:
                wires = tuple(wire for mark in rest for wire in marks[mark])
                others = tuple(dict.fromkeys(other for _, other in rest))
                yield Flag(x, y, others, rest[0][0], wires)

    def _bracket(
        self, repeat: Repeat, part: _UnfoldedPanel, folded: Folded, dx: float, dy: float
    ) -> Iterator[Shape]:
        """Yields the bracket of a repeat; nothing where its blocks stand side by side."""
        spans = self._spans(repeat, part)
        if not spans or any(a[1] >= b[0] for a, b in pairwise(spans)):
            return
        bars: list[Step] = []
        room, middle = 0.0, (0.0, 0.0)
        for column in folded.columns:
            x = column.left + dx + _SIDE
            # The first and last row of each block, or of the part of it in this column.
            first, last = column.first, column.last
            parts = [(max(first, a), min(last, b)) for a, b in spans if a <= last and b >= first]
            if not parts:
                continue
            for a, b in parts:
                bars += ("M", (x - _BAR, folded.tops[a] + dy)), ("V", (folded.bottoms[b] + dy,))
            first, last = parts[0][0], parts[-1][1]
            top, bottom = folded.tops[first] + dy, folded.bottoms[last] + dy
            right = max(
                folded.places[i][0] + node.width / 2 + node.flag + dx
                for i, node in enumerate(part.rows.nodes)
                if first <= node.row <= last
            )
            left, height = x - _STRIPE, bottom - top + 2 * _AROUND
            stripe = left, top - _AROUND, right - left + _BAR, height
            yield Rect(*stripe, self.theme.group, 7, css="repeat")
            if bottom - top > room:
                room, middle = bottom - top, (x - _NAME, (top + bottom) / 2)
        color = self.theme.muted
        yield Path(tuple(bars), stroke=color, stroke_width=1.6, round_ends=True)
        words = fit(visible(repeat.label), SMALL, room, True)
        yield Text(*middle, words, SMALL, color, True, "middle", upward=True)

    def _spans(self, repeat: Repeat, part: _UnfoldedPanel) -> list[tuple[int, int]]:
        """Returns the first and last row of each shown block; nothing if one stands elsewhere."""
        scene, nodes = self.scene, part.rows.nodes
        spans: list[tuple[int, int]] = []
        for begin, stop in repeat.blocks:
            boxes = part.place.keys() & scene.places[begin:stop]
            if not boxes:
                return []
            rows = [nodes[part.place[box]].row for box in boxes]
            spans.append((min(rows), max(rows)))
        return spans


def tensor_labels(scene: Scene, cards: Sequence[Card], panel: Panel, color: str) -> Iterator[Text]:
    """Yields the dims of a tensor below its layer, if that reads others, one for each layer.

    They stand beside the beginning of the edge, where nothing runs across and no badge stands.
    """
    across = defaultdict[int, list[tuple[float, float, float]]](list)  # y, from x, to x; by bands
    for box, (x, y) in panel.boxes.items():
        if cards[box].badge:
            right = x + WIDTH
            across[int(y // _BAND)].append((y, right - _BADGE, right))
    for paths in panel.paths:
        x, y = paths[0][1][0]
        across[int(y // _BAND)].append((y + 1, x, x))  # other edges that begin beside it
        for _, line in paths:
            for (a, b), (c, d) in pairwise(line):
                if b == d:
                    across[int(b // _BAND)].append((b, min(a, c), max(a, c)))
    done: set[int] = set()
    for (number, line), *_ in panel.paths:
        wire = scene.wires[number]
        tensor, layers = wire.written or wire.read, scene.boxes[wire.source].layers
        if tensor is None or not tensor.dims or not layers or wire.source in done:
            continue
        if any(read.dims == tensor.dims for read in layers[0].inputs[:1]):
            continue
        (x, y), start = line[0], panel.boxes[wire.source][0]
        words = shorten(visible(dims(tensor.dims)), _LONGEST_LABEL)
        wide = width(words, SMALL)
        near = [
            (begin, end)
            for band in (int(y // _BAND), int(y // _BAND) + 1)
            for height, begin, end in across[band]
            if y < height < y + _UNDER
        ]
        for left in (x + 5, x - 5 - wide):
            right = left + wide
            is_free = not any(begin < right + 2 and left - 2 < end for begin, end in near)
            if is_free and start <= left and right <= start + WIDTH:
                done.add(wire.source)
                yield Text(left, y + 11, words, SMALL, color)
                break
