"""Labels edges with their tensors' dims.

A label stands only where it covers no edge, box or other label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from engine_layer_visualize.core.text import dims, shorten, visible
from engine_layer_visualize.drawings.picture.node_cards import Card
from engine_layer_visualize.drawings.picture.placement import FLAG_HEIGHT, Panel, Placement
from engine_layer_visualize.drawings.picture.scene import Scene
from engine_layer_visualize.drawings.picture.shapes import Point, Text
from engine_layer_visualize.drawings.picture.text_width import SMALL, width
from engine_layer_visualize.drawings.picture.title_legend import (
    BADGE_HEIGHT,
    BADGE_MIDDLE,
    BADGE_OVERHANG,
    badge_width,
)

_LONGEST_LABEL: Final = 26  # characters
_FLAG: Final = 50.0  # about the width of a flag
_CELL: Final = 64.0  # width and height of a cell of the grid that finds neighbours

Area = tuple[float, float, float, float]  # left, top, right, bottom


def tensor_labels(
    scene: Scene, cards: Sequence[Card], placement: Placement, color: str
) -> Iterator[Text]:
    """Yields a label where an edge with another shape begins, if it covers nothing."""
    for panel in placement.panels:
        yield from _labels(scene, cards, panel, color)


def _covered(cards: Sequence[Card], panel: Panel) -> _Occupied:
    """Returns the space of boxes, flags and edges."""
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
    for path in panel.paths:
        for line in path.lines:
            for a, b in pairwise(line):
                occupied.take(_around(a, b))
    return occupied


def _labels(scene: Scene, cards: Sequence[Card], panel: Panel, color: str) -> Iterator[Text]:
    occupied = _covered(cards, panel)
    for path in panel.paths:
        wire = scene.wires[path.wires[0]]
        shown = wire.written or wire.read
        if wire.jump or shown is None or not shown.dims:
            continue
        layers = scene.boxes[wire.source].layers
        same = layers and any(tensor.dims == shown.dims for tensor in layers[0].inputs[:1])
        if same or not layers:
            continue
        words = shorten(visible(dims(shown.dims)), _LONGEST_LABEL)
        x, y = path.lines[0][0]
        wide = width(words, SMALL)
        for left in (x + 5, x - 5 - wide):
            area = (left - 1, y + 3.5, left + wide + 1, y + 13)
            if occupied.free(area):
                occupied.take(area)
                yield Text(left, y + 11, words, SMALL, color)
                break


def _around(a: Point, b: Point) -> Area:
    """Returns what a straight stretch of an edge covers, with some space."""
    return min(a[0], b[0]) - 2, min(a[1], b[1]) - 2, max(a[0], b[0]) + 2, max(a[1], b[1]) + 2


class _Occupied:
    """Areas that are taken, by the cells of a grid."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], list[Area]] = {}

    def _cells(self, area: Area) -> Iterator[tuple[int, int]]:
        for column in range(int(area[0] // _CELL), int(area[2] // _CELL) + 1):
            for row in range(int(area[1] // _CELL), int(area[3] // _CELL) + 1):
                yield column, row

    def take(self, area: Area) -> None:
        """Marks an area as taken."""
        for cell in self._cells(area):
            self.cells.setdefault(cell, []).append(area)

    def free(self, area: Area) -> bool:
        """Returns whether nothing taken overlaps an area."""
        left, top, right, bottom = area
        return not any(
            a < right and left < c and b < bottom and top < d
            for cell in self._cells(area)
            for a, b, c, d in self.cells.get(cell, ())
        )
