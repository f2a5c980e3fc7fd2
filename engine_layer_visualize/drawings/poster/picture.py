"""Draws the poster of an engine, 1600 × 900: a title, the engine in about a dozen boxes, its time
as a ribbon, and what three causes would gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import frontends
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import milliseconds, percent, visible
from engine_layer_visualize.documents import origin
from engine_layer_visualize.drawings.coloring import Coloring
from engine_layer_visualize.drawings.picture import drawing, png_pdf, shapes, svg
from engine_layer_visualize.drawings.picture.shapes import Rect, Shape, ShapeGroup, Step, Text
from engine_layer_visualize.drawings.picture.text_width import fit, lines, rows, width
from engine_layer_visualize.drawings.poster import words
from engine_layer_visualize.drawings.poster.flow import Flow, placed
from engine_layer_visualize.drawings.poster.parts import parts
from engine_layer_visualize.drawings.poster.ribbon import ribbon
from engine_layer_visualize.drawings.poster.steps import Node, added, steps
from engine_layer_visualize.drawings.theme import DARK, LIGHT, Theme, heat, ink, mix
from engine_layer_visualize.linting.totals import of_inference
from engine_layer_visualize.views.subgraph import View

_WIDE, _TALL = 1600, 900
_MARGIN: Final = 56.0
_ROOM: Final = _WIDE - 2 * _MARGIN
_TITLES: Final = (64.0, 56.0, 48.0, 42.0)  # sizes of the title, the first that fits
_FACTS: Final = 18.0
_HEAD: Final = 20.0
_TEXT: Final = 16.0
_SMALL: Final = 14.0
_FLOW: Final = (164.0, 368.0)  # top and height of the boxes
_RIBBON: Final = 560.0  # its top
_GAINS: Final = 704.0
_FOOT: Final = 872.0
_PAD: Final = 14.0
_WARM: Final = 0.2  # of an engine whose boxes take about the same none is the hottest
_STRIP: Final = 12.0  # height of the strip in a box
_USUAL: Final = (300.0, 106.0)  # width and height of a box whose words have these sizes
_SMALLEST, _LARGEST = 0.88, 1.4  # by how much they are smaller or larger
_MOST_CELLS: Final = 60  # of a strip
_LINE: Final = 21.0
_SENTENCE_LINES: Final = 5


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

    size: Final = (_WIDE, _TALL)

    def __init__(self, view: View, options: Options) -> None:
        self.theme: Theme = DARK if options.theme == "dark" else LIGHT
        printed = Costs(view.engine, options.optimization_profile, options.time, options.peak)
        self.printed, self.costs = printed, of_inference(printed)
        self.coloring = Coloring(view, self.theme, options)
        if self.coloring.untimed:
            self.coloring = Coloring(view, self.theme, options._replace(color_by="type"))
        self.coloring.heated([(layer,) for layer in view.layers])
        self.steps = steps(self.costs, frontends.of(self.costs).node)
        self.parts = parts(self.steps) if self.steps.all else []
        self.title = " · ".join(words.title(printed))
        shares = [step.share or 0.0 for step in self.steps.all]
        self.top = max(shares, default=0.0)  # the share of the hottest step
        each = [self._share(node) or 0.0 for node in self.parts]
        self.most = max(_WARM, *each)  # the share of a box that has the hottest colour

    def frames(self) -> Iterator[shapes.Frame]:
        """Yields all of it."""
        yield shapes.Frame(0.0, 0.0, 1.0, self._shapes())

    def _shapes(self) -> Iterator[Shape | ShapeGroup]:
        yield from self._header()
        if self.parts:
            yield from self._flow()
            yield from ribbon(self, _MARGIN, _RIBBON, _ROOM)
        yield from self._gains()
        yield from self._footer()

    # ---- colours

    def fill(self, place: int) -> str:
        """Returns the fill of a step."""
        step = self.steps.all[place]
        if self.coloring.color_by != "time":
            return self.coloring.fill((step.layer,))
        return self.by_heat(step.share, self.top)

    def by_heat(self, share: float | None, most: float) -> str:
        """Returns the colour of a share, the paper's where it is not known."""
        return self.theme.group if share is None else heat(share / (most or 1.0), self.theme)

    def _share(self, node: Node) -> float | None:
        return added(step.share for step in self.steps.of(node))

    # ---- the header

    def _header(self) -> Iterator[Shape]:
        theme = self.theme
        parts = words.title(self.printed)
        size = next((s for s in _TITLES if width(self.title, s, True) <= _ROOM), _TITLES[-1])
        name, *others = parts
        room = _ROOM - width(" · ".join(["", *others]), size, True)
        line = " · ".join([fit(name, size, room, True), *others])
        yield Text(_MARGIN, 100.0, fit(line, size, _ROOM, True), size, theme.ink, True)
        facts = rows(words.facts(self.printed), _FACTS, _ROOM)[:1]
        yield from (Text(_MARGIN, 138.0, line, _FACTS, theme.muted) for line in facts)

    # ---- the boxes

    def _flow(self) -> Iterator[Shape | ShapeGroup]:
        part_of = [
            number for number, node in enumerate(self.parts) for _ in range(node.first, node.stop)
        ]
        edges = dict.fromkeys((part_of[a], part_of[b]) for a, b in self.steps.edges)
        inner = [edge for edge in edges if edge[0] < edge[1]]
        top, tall = _FLOW
        flow = placed(len(self.parts), inner, (_ROOM, tall))
        left = _MARGIN + (_ROOM - flow.width) / 2
        top += (tall - flow.height) / 2
        for points in flow.lines:
            yield self._line([(x + left, y + top) for x, y in points])
        for node, corner in zip(self.parts, flow.corners):
            yield self._box(node, corner[0] + left, corner[1] + top, flow)

    def _line(self, points: Sequence[shapes.Point]) -> ShapeGroup:
        color = mix(self.theme.muted, self.theme.paper, 0.35)
        line: tuple[Step, ...] = tuple(drawing.rounded(points))
        head = drawing.arrow(*points[-1])
        return ShapeGroup(
            (shapes.Path(line, stroke=color, stroke_width=2.2), shapes.Path(head, color)),
            "",
            "wire",
        )

    def _box(self, node: Node, x: float, y: float, flow: Flow) -> ShapeGroup:
        theme, (wide, tall) = self.theme, flow.size
        share, ms = self._share(node), added(step.ms for step in self.steps.of(node))
        by_time = self.coloring.color_by == "time"
        fill = self.by_heat(share, self.most) if by_time else theme.marks["layer"].fill
        on = ink(fill, theme)
        weak = on if share is not None and by_time else theme.muted
        said = words.box(node, self.steps)
        # Words are as large as the box.
        scale = min(_LARGEST, max(_SMALLEST, min(wide / _USUAL[0], tall / _USUAL[1])))
        head, text = _HEAD * scale, _TEXT * scale
        items: list[Shape] = [
            Rect(x, y, wide, tall, fill, 9, theme.marks["layer"].line, 1.0, css="part")
        ]
        left, right = x + _PAD, x + wide - _PAD
        big = "" if share is None else percent(share)
        took = "" if ms is None else self.coloring.about(ms)
        base = y + _PAD + head * 0.7
        strip = list(self._strip(node, left, y + tall - _PAD - _STRIP, wide - 2 * _PAD))
        items += _pair(said.title, big, left, right, base, head, on, True)
        items += _pair(said.what, took, left, right, base + text * 1.45, text, weak, False)
        below = base + text * 2.85
        if below + text * 0.4 < y + tall - _PAD * 0.5 - (_STRIP + _PAD) * bool(strip):
            items += _pair(said.size, "", left, right, below, text, weak, False)
        items += strip
        names = dict.fromkeys(step.layer.name for step in self.steps.of(node))
        told = "\n".join(visible(name) for name in list(names)[:12])
        return ShapeGroup(tuple(items), told, "part")

    def _strip(self, node: Node, x: float, y: float, room: float) -> Iterator[Shape]:
        """Yields a cell for each step of a box; of many the hottest of each stretch."""
        number = node.stop - node.first
        if number < 2:
            return
        cells = min(number, _MOST_CELLS)
        wide = room / cells
        yield Rect(x - 1.5, y - 1.5, room + 3, _STRIP + 3, self.theme.paper, 2)
        for cell in range(cells):
            first = node.first + cell * number // cells
            stop = node.first + (cell + 1) * number // cells
            hottest = max(range(first, stop), key=lambda i: self.steps.all[i].share or 0.0)
            gap = 1.0 if wide > 4 else 0.0
            yield Rect(x + cell * wide, y, wide - gap, _STRIP, self.fill(hottest))

    # ---- what could be gained

    def _gains(self) -> Iterator[Shape]:
        theme = self.theme
        told = words.gains(self.printed)
        if not told:
            return
        yield shapes.Path(
            (("M", (_MARGIN, _GAINS - 26)), ("h", (_ROOM,))), stroke=theme.marks["constant"].line
        )
        gap = 44.0
        wide = (_ROOM - gap * (len(told) - 1)) / len(told)
        for number, gain in enumerate(told):
            x, y = _MARGIN + number * (wide + gap), _GAINS + 14
            if gain.number:
                yield Text(x, y, gain.number, 32.0, theme.ink if gain.known else theme.muted, True)
            left = x + (width(gain.number, 32.0, True) + 12 if gain.number else 0)
            about = fit(gain.about, _SMALL, x + wide - left)
            yield Text(left, y, about, _SMALL, theme.muted)
            for line in lines(gain.sentence, 17.0, wide, _SENTENCE_LINES):
                y += 24 if y > _GAINS + 14 else 30
                yield Text(x, y, line, 17.0, theme.ink)

    def _footer(self) -> Iterator[Shape]:
        theme = self.theme
        file = visible(self.costs.engine.source.file)
        yield Text(_MARGIN, _FOOT, fit(file, _SMALL, _ROOM / 2), _SMALL, theme.muted)
        yield Text(
            _WIDE - _MARGIN, _FOOT, "engine-layer-visualize", _SMALL, theme.muted, anchor="end"
        )


def _pair(
    left: str, right: str, x: float, end: float, y: float, size: float, color: str, bold: bool
) -> Iterator[Text]:
    """Yields the texts of a row; the left one is shortened where the right one begins."""
    room = end - x
    if right:
        yield Text(end, y, right, size, color, bold, "end")
        room -= width(right, size, bold) + 10
    if left:
        yield Text(x, y, shortened(left, size, room, bold), size, color, bold)


def shortened(text: str, size: float, room: float, bold: bool = False) -> str:
    """Returns a text without the parts of a path or of a list that do not fit."""
    if width(text, size, bold) <= room:
        return text
    head, times, path = text.rpartition(" × ")
    while "/" in path or "." in path:
        cut = min((place for sign in "/." if (place := path.find(sign)) >= 0), default=-1)
        path = path[cut + 1 :]
        if any(map(str.isalpha, path)) and width(head + times + path, size, bold) <= room:
            return head + times + path
    for joint in (", ", " + "):
        pieces = text.split(joint)
        while len(pieces) > 1:
            pieces.pop()
            short = joint.join(pieces).replace("(", "") + joint.rstrip() + " …"
            if width(short, size, bold) <= room:
                return short
    return fit(text, size, room, bold)
