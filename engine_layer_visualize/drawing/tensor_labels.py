"""Labels edges with their tensors' dims.

A label stands only where it covers no edge, box or other label, and where no edge with other dims
is as near as its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from engine_layer_visualize.core.text import dims, shorten, visible
from engine_layer_visualize.drawing.cards import Card
from engine_layer_visualize.drawing.header import (
    BADGE_HEIGHT,
    BADGE_MIDDLE,
    BADGE_OVERHANG,
    badge_width,
)
from engine_layer_visualize.drawing.placement import FLAG_HEIGHT, Panel, Placement
from engine_layer_visualize.drawing.scene import Scene
from engine_layer_visualize.drawing.shapes import Point, Text
from engine_layer_visualize.drawing.text_width import SMALL, width

_LONGEST_LABEL: Final = 26  # characters
_FLAG: Final = 50.0  # about the width of a flag
# From a label to an edge with other dims, at its sides and below: farther than to its own.
_APART: Final = 12.0
_UNDER: Final = 6.0
_CELL: Final = 64.0  # width and height of a cell of the grid that finds neighbours

Area = tuple[float, float, float, float]  # left, top, right, bottom


def tensor_labels(
    scene: Scene, cards: Sequence[Card], placement: Placement, color: str
) -> Iterator[Text]:
    """Yields a label where an edge with another shape begins, if it covers nothing."""
    for panel in placement.panels:
        yield from _labels(scene, cards, panel, color)


def _covered(cards: Sequence[Card], panel: Panel, lines: _Occupied) -> _Occupied:
    """Returns the space of boxes, flags and edges; `lines` gets that of edges, by their paths."""
    occupied = _Occupied()
    for box, (x, y) in panel.boxes.items():
        card = cards[box]
        occupied.take((x, y, x + card.width, y + card.height))
        if card.badge:
            right, half = x + card.width + BADGE_OVERHANG, BADGE_HEIGHT / 2 + 1
            top = y + BADGE_MIDDLE
            occupied.take((right - badge_width(card.badge), top - half, right, top + half))
    for flag in panel.flags:
        occupied.take((flag.x, flag.y, flag.x + _FLAG, flag.y + FLAG_HEIGHT))
    for number, path in enumerate(panel.paths):
        for line in path.lines:
            for a, b in pairwise(line):
                occupied.take(_around(a, b))
                lines.take(_around(a, b), number)
    return occupied


def _labels(scene: Scene, cards: Sequence[Card], panel: Panel, color: str) -> Iterator[Text]:
    lines = _Occupied()
    occupied = _covered(cards, panel, lines)
    wires = [scene.wires[path.wires[0]] for path in panel.paths]
    read = [wire.written or wire.read for wire in wires]
    known = [tensor.dims if tensor is not None else None for tensor in read]
    for number, (wire, path, shown) in enumerate(zip(wires, panel.paths, known)):
        if wire.jump or not shown:
            continue
        layers = scene.boxes[wire.source].layers
        same = layers and any(tensor.dims == shown for tensor in layers[0].inputs[:1])
        if same or not layers:
            continue
        words = shorten(visible(dims(shown)), _LONGEST_LABEL)
        x, y = path.lines[0][0]
        wide = width(words, SMALL)
        passes = any(line[1][1] > y + 13 for line in path.lines)  # beside all of the label
        for left in (x + 5, x - 5 - wide):
            area = (left - 1, y + 3.5, left + wide + 1, y + 13)
            near = (
                x if passes and left > x else left - _APART,
                y + 3.5,
                x if passes and left < x else left + wide + _APART,
                y + 11 + _UNDER,
            )
            others = (known[other] for other in lines.over(near) if other != number)
            if occupied.free(area) and all(other == shown for other in others):
                occupied.take(area)
                yield Text(left, y + 11, words, SMALL, color)
                break


def _around(a: Point, b: Point) -> Area:
    """Returns what a straight stretch of an edge covers, with some space."""
    return min(a[0], b[0]) - 2, min(a[1], b[1]) - 2, max(a[0], b[0]) + 2, max(a[1], b[1]) + 2


class _Occupied:
    """Areas that are taken, by the cells of a grid."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], list[tuple[Area, int]]] = {}

    def _cells(self, area: Area) -> Iterator[tuple[int, int]]:
        for column in range(int(area[0] // _CELL), int(area[2] // _CELL) + 1):
            for row in range(int(area[1] // _CELL), int(area[3] // _CELL) + 1):
                yield column, row

    def take(self, area: Area, number: int = -1) -> None:
        """Marks an area as taken, by what has this number."""
        for cell in self._cells(area):
            self.cells.setdefault(cell, []).append((area, number))

    def over(self, area: Area) -> Iterator[int]:
        """Yields the numbers of what overlaps an area."""
        left, top, right, bottom = area
        for cell in self._cells(area):
            for (a, b, c, d), number in self.cells.get(cell, ()):
                if a < right and left < c and b < bottom and top < d:
                    yield number

    def free(self, area: Area) -> bool:
        """Returns whether nothing taken overlaps an area."""
        return not any(True for _ in self.over(area))
