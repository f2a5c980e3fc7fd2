"""Places the boxes of a poster in columns, as large as the room allows."""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.
import math
from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from engine_layer_visualize.drawings import layout

_WIDTHS: Final = (640, 540, 440, 400, 370, 345, 325, 305, 290, 275, 262, 250, 238, 226, 214, 200)
_HEIGHTS: Final = (210, 170, 150, 136, 124, 114, 107, 100, 94, 88)
_ASPECTS: Final = (1.0, 1.6, 2.4, 3.2, 4.0, 5.0, 6.5, 9.0, 14.0)
_SPACINGS: Final = (
    layout.Spacing(gap=20, track=10, slot=16),
    layout.Spacing(gap=14, track=8, slot=12),
    layout.Spacing(gap=10, track=5, slot=8),
)
_MOST_STRETCH: Final = 1.25
_WIDE_ENOUGH: Final = 320.0  # for the words of a box

Point = tuple[float, float]


class Flow(NamedTuple):
    """Where boxes and edges lie; its upper left corner is at (0, 0)."""

    size: tuple[float, float]  # of a box
    corners: tuple[Point, ...]
    lines: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def placed(number: int, edges: Sequence[tuple[int, int]], room: tuple[float, float]) -> Flow:
    """Returns the largest boxes that fit, with as many of the edges as fit between them.

    Args:
        number: of boxes, in order of execution.
        edges: Pairs (from, to), forwards.
        room: Width and height.
    """
    near = [edge for edge in edges if edge[1] - edge[0] == 1]
    for kept in (list(edges), near):
        for spacing in _SPACINGS:
            best: Flow | None = None
            for tall, wide in product(map(float, _HEIGHTS), map(float, _WIDTHS)):
                rows = math.ceil(number / max(1, room[0] // wide))
                hopeless = rows * (tall + spacing.gap) - spacing.gap > room[1]
                if not hopeless and (best is None or _worth((wide, tall)) > _worth(best.size)):
                    best = _fitting(number, kept, (wide, tall), room, spacing) or best
            if best is not None:
                return _filling(best, room)
    return _filling(_grid(number, room), room)


def _filling(flow: Flow, room: tuple[float, float]) -> Flow:
    """Returns the same, stretched to the room as far as boxes of few words look well."""
    wide = min(_MOST_STRETCH, room[0] / flow.width)
    tall = min(_MOST_STRETCH, room[1] / flow.height)
    return Flow(
        (flow.size[0] * wide, flow.size[1] * tall),
        tuple((x * wide, y * tall) for x, y in flow.corners),
        tuple(tuple((x * wide, y * tall) for x, y in line) for line in flow.lines),
        flow.width * wide,
        flow.height * tall,
    )


def _worth(size: tuple[float, float]) -> float:
    """Returns how well boxes of this size can be read: their words are wide rather than many."""
    return float(min(size[0], _WIDE_ENOUGH) ** 3 * size[1])


def _grid(number: int, room: tuple[float, float]) -> Flow:
    """Returns columns of boxes without edges."""
    size, gap = (_WIDTHS[-1], _HEIGHTS[-1]), _SPACINGS[-1].slot
    tall = max(1, int((room[1] + gap) // (size[1] + gap)))
    corners = tuple(
        (place // tall * (size[0] + gap), place % tall * (size[1] + gap)) for place in range(number)
    )
    return Flow(size, corners, (), corners[-1][0] + size[0], room[1])


def _fitting(
    number: int,
    edges: Sequence[tuple[int, int]],
    size: tuple[float, float],
    room: tuple[float, float],
    spacing: layout.Spacing,
) -> Flow | None:
    """Returns boxes of this size, one after the other, in columns that fit; else None."""
    # What makes a row of each box: one that is not read by the next has no line to it.
    chain = [(place, place + 1) for place in range(number - 1) if (place, place + 1) not in edges]
    every = [*edges, *chain]
    nets = [*(source for source, _ in edges), *(number + source for source, _ in chain)]
    rows = layout.layered([size] * number, every, nets, serial=True)
    for aspect in _ASPECTS:
        folded = layout.fold(rows, aspect, spacing=spacing)
        if folded.width <= room[0] and folded.height <= room[1]:
            corners = tuple((x - size[0] / 2, y) for x, y in folded.places)
            routes = layout.route(folded, tuple(every))
            lines = tuple(path.points for path in routes if path.edge < len(edges))
            bottom = max((y for points in lines for _, y in points), default=0.0)
            top = min((y for points in lines for _, y in points), default=0.0)
            low = max(y for _, y in corners) + size[1]
            high = min(y for _, y in corners)
            tall = max(bottom, low) - min(top, high)
            shift = min(top, high)
            return Flow(
                size,
                tuple((x, y - shift) for x, y in corners),
                tuple(tuple((x, y - shift) for x, y in points) for points in lines),
                folded.width,
                tall,
            )
    return None
