"""Draws the poster of an engine, 1600 × 900.

It has a title, the engine in about a dozen boxes, its time as a ribbon, and what three causes would
gain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.scopes import Scope
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import percent, visible
from engine_layer_visualize.documents import origin
from engine_layer_visualize.drawings.picture import drawing, png_pdf, shapes, svg
from engine_layer_visualize.drawings.picture.shapes import Rect, Shape, ShapeGroup, Text
from engine_layer_visualize.drawings.picture.text_width import fit, lines, rows, shortened, width
from engine_layer_visualize.drawings.poster import words
from engine_layer_visualize.drawings.poster.flow import Flow, placed
from engine_layer_visualize.drawings.poster.ribbon import ribbon
from engine_layer_visualize.drawings.poster.shown import Shown
from engine_layer_visualize.drawings.poster.steps import Node, added
from engine_layer_visualize.drawings.theme import Theme, ink, mix
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.views.subgraph import View

_WIDE, _TALL = 1600, 900
_MARGIN: Final = 56.0
_ROOM: Final = _WIDE - 2 * _MARGIN
_TITLES: Final = (64.0, 56.0, 48.0, 42.0)  # sizes of the title, the first that fits
_FACTS: Final = 18.0
_HEAD: Final = 20.0
_TEXT: Final = 16.0
_SMALL: Final = 14.0
_FLOW: Final = (164.0, 360.0)  # top and height of the boxes
_RIBBON: Final = 552.0  # its top
_GAINS: Final = 708.0
_FOOT: Final = 872.0
_SIDE: Final = 14.0  # left and right of what stands in a box
_PAD: Final = 11.0  # above and below it
_STRIP: Final = 10.0  # height of the strip in a box
_USUAL: Final = (300.0, 106.0)  # width and height of a box whose words have these sizes
_SMALLEST, _LARGEST = 0.88, 1.7  # by how much they are smaller or larger
_TITLE_SIZES: Final = (1.0, 0.9, 0.8)  # of the title of a box, the first that fits
_BREAKS: Final = re.compile(r" (?=and \d)|(?<=[,+]) ")  # where a title may go on in a second line
_BESIDE: Final = 10.0  # between two texts of a row
_MOST_CELLS: Final = 60  # of a strip
_GAP: Final = 44.0  # between two sentences
_COLUMN: Final = (_ROOM - 2 * _GAP) / 3
_NUMBER: Final = 32.0
_LINE: Final = 22.0
_SENTENCE_LINES: Final = 6


def render(view: View, format: str, options: Options = DEFAULT) -> Iterator[bytes]:
    """Returns the poster of the engine of `view`: as PNG where the format says so, else SVG.

    Raises:
        ReadError: ELV502 where there is nothing to draw a PNG with, ELV503 where that failed.
    """
    picture = Poster(view, options)
    if format == "poster-png":
        yield origin.in_png(png_pdf.png(picture), view.engine.source)
        return
    for piece in svg.written(picture, source=origin.in_svg(view.engine.source)):
        yield piece.encode("utf-8")


class Poster:
    """The picture, as `svg` writes it."""

    def __init__(
        self,
        view: View,
        options: Options,
        known: Sequence[Scope] | None = None,
        costs: Costs | None = None,
        found: Sequence[Finding] | None = None,
    ) -> None:
        """Takes what is known: the scopes of the engine's layers, the times, the findings."""
        self.size = _WIDE, _TALL
        self.shown = shown = Shown(view, options, known, costs)
        self.theme: Theme = shown.theme
        self.title = " · ".join(words.title(shown.costs))
        self.gains = [(gain, list(_told(gain))) for gain in words.gains(shown.costs, found)]
        most = max((len(told) for _, told in self.gains), default=-_SENTENCE_LINES // 2)
        # What the sentences leave free the boxes have.
        self.more = (_SENTENCE_LINES - most) * _LINE - 10

    def frames(self) -> Iterator[shapes.Frame]:
        """Yields all of it."""
        yield shapes.Frame(0.0, 0.0, 1.0, self._shapes())

    def _shapes(self) -> Iterator[Shape | ShapeGroup]:
        yield from self._header()
        if self.shown.parts:
            yield from self._flow()
            yield from ribbon(self.shown, _MARGIN, _RIBBON + self.more, _ROOM)
        yield from self._gains()
        yield from self._footer()

    # ---- the header

    def _header(self) -> Iterator[Shape]:
        theme = self.theme
        parts = words.title(self.shown.costs)
        size = next((s for s in _TITLES if width(self.title, s, True) <= _ROOM), _TITLES[-1])
        name, *others = parts
        room = _ROOM - width(" · ".join(["", *others]), size, True)
        line = " · ".join([fit(name, size, room, True), *others])
        yield Text(_MARGIN, 100.0, fit(line, size, _ROOM, True), size, theme.ink, True)
        facts = rows(words.facts(self.shown.costs), _FACTS, _ROOM)[:1]
        yield from (Text(_MARGIN, 138.0, line, _FACTS, theme.muted) for line in facts)

    # ---- the boxes

    def _flow(self) -> Iterator[Shape | ShapeGroup]:
        part_of = [
            number
            for number, node in enumerate(self.shown.parts)
            for _ in range(node.first, node.stop)
        ]
        edges = dict.fromkeys((part_of[a], part_of[b]) for a, b in self.shown.steps.edges)
        inner = [edge for edge in edges if edge[0] < edge[1]]
        top, tall = _FLOW[0], _FLOW[1] + self.more
        flow = placed(len(self.shown.parts), inner, (_ROOM, tall))
        left = _MARGIN + (_ROOM - flow.width) / 2
        top += (tall - flow.height) / 2
        color = mix(self.theme.muted, self.theme.paper, 0.35)
        for line in flow.lines:
            points = [(x + left, y + top) for x, y in line]
            way = tuple(drawing.rounded(points))
            yield shapes.Path(way, stroke=color, stroke_width=2.2)
            yield shapes.Path(drawing.arrow(*points[-1]), color)
        for node, corner in zip(self.shown.parts, flow.corners):
            yield self._box(node, corner[0] + left, corner[1] + top, flow)

    def _box(self, node: Node, x: float, y: float, flow: Flow) -> ShapeGroup:
        theme, (wide, tall) = self.theme, flow.size
        share, ms = self.shown.share(node), added(step.ms for step in self.shown.steps.of(node))
        by_time = self.shown.coloring.color_by == "time"
        fill = self.shown.by_heat(share, self.shown.most) if by_time else theme.marks["layer"].fill
        on = ink(fill, theme)
        weak = on if share is not None and by_time else theme.muted
        said = words.box(node, self.shown.steps)
        # Words are as large as the box.
        scale = min(_LARGEST, max(_SMALLEST, min(wide / _USUAL[0], tall / _USUAL[1])))
        head, text = _HEAD * scale, _TEXT * scale
        items: list[Shape] = [
            Rect(x, y, wide, tall, fill, 9, theme.marks["layer"].line, 1.0, css="part")
        ]
        left, right = x + _SIDE, x + wide - _SIDE
        big = "" if share is None else percent(share)
        took = "" if ms is None else self.shown.coloring.about(ms)
        numbers = (big, head, on, True), (took, text, weak, False)
        rooms = [
            right - left - bool(one) * (width(one, size, bold) + _BESIDE)
            for one, size, _, bold in numbers
        ]
        rooms.append(right - left)
        strip = list(self._strip(node, left, y + tall - _PAD - _STRIP, wide - 2 * _SIDE))
        end = y + tall - (_PAD + _STRIP if strip else 0.0) - _PAD * 0.5
        base = y + _PAD + head * 0.7
        rows = [base, base + text * 1.4, base + text * 2.7]
        titles, size = _titled(said.title, head, rooms)
        told = [(line, size, on, True) for line in titles]
        for alternatives in (said.what, said.size):
            if len(told) < len(rows) and (line := _fitting(alternatives, text, rooms[len(told)])):
                told.append((line, text, weak, False))
        for row, (line, size, color, bold) in zip(rows, told):
            if row + text * 0.25 < end:
                items.append(Text(left, row, line, size, color, bold))
        for row, (line, size, color, bold) in zip(rows, numbers):
            if line:
                items.append(Text(right, row, line, size, color, bold, "end"))
        items += strip
        names = dict.fromkeys(step.layer.name for step in self.shown.steps.of(node))
        return ShapeGroup(tuple(items), "\n".join(map(visible, list(names)[:12])), "part")

    def _strip(self, node: Node, x: float, y: float, room: float) -> Iterator[Shape]:
        """Yields a cell for each step of a box; of many one for several."""
        number = node.stop - node.first
        untimed = self.shown.coloring.color_by == "time" and self.shown.share(node) is None
        if number < 2 or untimed:
            return
        cells = min(number, _MOST_CELLS)
        wide = room / cells
        yield Rect(x - 1.5, y - 1.5, room + 3, _STRIP + 3, self.theme.paper, 2)
        for cell in range(cells):
            first = node.first + cell * number // cells
            stop = node.first + (cell + 1) * number // cells
            gap = 1.0 if wide > 4 else 0.0
            yield Rect(x + cell * wide, y, wide - gap, _STRIP, self.shown.fill(first, stop))

    # ---- what could be gained

    def _gains(self) -> Iterator[Shape]:
        theme, top = self.theme, _GAINS + self.more
        if self.gains:
            rule = (("M", (_MARGIN, top - 40)), ("h", (_ROOM,)))
            yield shapes.Path(rule, stroke=theme.marks["constant"].line)
        for number, (gain, told) in enumerate(self.gains):
            x = left = _MARGIN + number * (_COLUMN + _GAP)
            if gain.number:
                color = theme.ink if gain.known else theme.muted
                yield Text(x, top, gain.number, _NUMBER, color, True)
                left += width(gain.number, _NUMBER, True) + 12
            yield Text(left, top, fit(gain.about, _SMALL, x + _COLUMN - left), _SMALL, theme.muted)
            for place, (line, bold) in enumerate(told):
                yield Text(x, top + 30 + place * _LINE, line, _TEXT, theme.ink, bold)

    def _footer(self) -> Iterator[Shape]:
        theme = self.theme
        file = visible(self.shown.costs.engine.source.file)
        yield Text(_MARGIN, _FOOT, fit(file, _SMALL, _ROOM / 2), _SMALL, theme.muted)
        yield Text(
            _WIDE - _MARGIN, _FOOT, "engine-layer-visualize", _SMALL, theme.muted, anchor="end"
        )


def _told(gain: words.Gain) -> Iterator[tuple[str, bool]]:
    """Yields the lines of what to do, and whether each is bold."""
    action = lines(gain.action, _TEXT, _COLUMN, _SENTENCE_LINES, True)
    yield from ((line, True) for line in action)
    left = _SENTENCE_LINES - len(action)
    yield from ((line, False) for line in lines(gain.advice, _TEXT, _COLUMN, left))


def _titled(told: Sequence[str], head: float, rooms: Sequence[float]) -> tuple[list[str], float]:
    """Returns the title of a box in one line or in two, and its size."""
    for title in told:
        for size in (head * part for part in _TITLE_SIZES):
            if width(title, size, True) <= rooms[0]:
                return [title], size
        for cut in _BREAKS.finditer(title):
            both = title[: cut.start()], title[cut.end() :]
            if all(width(line, size, True) <= room for line, room in zip(both, rooms)):
                return [*both], size
    return [shortened(told[-1], size, rooms[0], True)], size


def _fitting(told: Sequence[str], size: float, room: float) -> str:
    """Returns the first that fits, else the last one shortened."""
    fits = (words for words in told if width(words, size) <= room)
    return next(fits, None) or shortened(told[-1], size, room)
