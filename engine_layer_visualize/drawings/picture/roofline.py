"""Draws the roofline of a view as SVG: what each layer reaches, under what the device can do.

Across: FLOP per byte; up: FLOP per second; both are logarithmic. A dot for each layer that
multiplies and has a time: its colour is the precision, its area the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import large, visible
from engine_layer_visualize.documents import origin
from engine_layer_visualize.drawings import tooltips
from engine_layer_visualize.drawings.findings import EngineFindings
from engine_layer_visualize.drawings.picture import shapes, svg
from engine_layer_visualize.drawings.picture.shapes import Point, Shape, Text
from engine_layer_visualize.drawings.picture.text_width import lines, rows, width
from engine_layer_visualize.drawings.roofline import Dot, Plot
from engine_layer_visualize.drawings.theme import DARK, LIGHT, Theme, mix, precision
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.views.subgraph import View, caption

_WIDE: Final = 1160.0  # of the whole
_TALL: Final = 560.0  # of the plot
_MARGIN: Final = 28.0
_LEFT: Final = 70.0  # of the plot: room for the numbers beside it
_ROOM: Final = _WIDE - 2 * _MARGIN
_LARGEST_RADIUS: Final = 21.0  # of the slowest layer's dot
_SMALLEST_RADIUS: Final = 2.6  # of a dot
_DOTTED: Final = 0.04  # the part of the plot that dots may take
_LINE: Final = 14.0  # height of a line of words in the plot
_EFFICIENCIES: Final = (0.1, 0.01)  # of the highest roof, that have lines

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Axis(NamedTuple):
    """A logarithmic axis."""

    low: float  # its ends, as powers of ten
    high: float
    start: float  # where its ends lie
    end: float

    def place(self, value: float) -> float:
        """Returns where a value lies."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def decades(self) -> Iterator[float]:
        """Yields the powers of ten on it."""
        for power in range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1):
            yield 10.0**power


def render(view: View, format: str, options: Options = DEFAULT) -> Iterator[bytes]:
    """Returns the roofline of the layers of `view` as SVG, UTF-8."""
    pieces = svg.written(Roofline(view, options), source=origin.in_svg(view.engine.source))
    return (piece.encode("utf-8") for piece in pieces)


class Roofline:
    """The picture of a roofline, as `svg` writes it."""

    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        self.theme: Theme = DARK if options.theme == "dark" else LIGHT
        self.costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
        self.findings = EngineFindings(self.costs)
        self.title = " · ".join(("Roofline", *sentences.heading(self.costs)))
        self.plot = Plot(self.costs, self.findings.subject.work, view.layers)
        self.dots, self.worst, self.roofs = self.plot.dots, self.plot.worst, self.plot.roofs
        self.largest = self._largest()
        self._header = tuple(self._words())
        base = max((text.y for text in self._header if isinstance(text, Text)), default=0.0)
        self.top = base + 16
        self._axes()
        self.size = round(_WIDE), round(self.top + _TALL + 44 + 2 * _MARGIN)

    def frames(self) -> Iterator[shapes.Frame]:
        """Yields all of it."""
        yield shapes.Frame(_MARGIN, _MARGIN, 1.0, self._shapes())

    def _largest(self) -> float:
        """Returns the radius of the slowest layer's dot: all dots take a small part of the plot."""
        if not self.dots:
            return 0.0
        area = math.pi * math.fsum(dot.ms for dot in self.dots) / self.dots[0].ms
        return min(_LARGEST_RADIUS, math.sqrt(_DOTTED * _TALL * (_ROOM - _LEFT) / area))

    def _axes(self) -> None:
        """Sets both axes: every dot and every roof lies within."""
        across = [dot.intensity for dot in self.dots]
        up = [dot.rate for dot in self.dots]
        up += [roof.value for roof in self.roofs]
        bandwidth = self.plot.bandwidth
        if bandwidth and self.roofs:
            highest, lowest = self.roofs[0].value, self.roofs[-1].value
            across += [highest / bandwidth * 2.5, lowest / bandwidth / 8]
        self.x = _axis(across or [1.0, 1e3], _LEFT, _ROOM)
        self.y = _axis(up or [1e9, 1e12], self.top + _TALL, self.top)

    def _words(self) -> Iterator[Shape]:
        """Yields the header, from (0, 0)."""
        theme, y = self.theme, 20.0
        for line in rows(("Roofline", *sentences.heading(self.costs)), 22, _ROOM, True):
            yield Text(0, y, line, 22, theme.ink, True)
            y += 26
        for size, color, words in (
            (13.0, theme.ink, caption(self.view)),
            (13.0, theme.ink, self.plot.device()),
            (13.0, theme.ink, self.plot.shown()),
            (10.5, theme.muted, " · ".join(sentences.facts(self.costs))),
        ):
            for line in lines(words, size, _ROOM, 4) if words else ():
                yield Text(0, y, line, size, color)
                y += 18
        y += 2
        x = 0.0
        for name, color in dict.fromkeys(
            (entry.label, entry.color) for entry in (precision(d.dtype, theme) for d in self.dots)
        ):
            yield shapes.Circle(x + 6, y + 4, 5.5, mix(color, theme.paper, 0.35), color, 1.2)
            yield Text(x + 18, y + 8, name, 10.5, theme.ink)
            x += 18 + width(name, 10.5) + 18

    def _shapes(self) -> Iterator[Shape | shapes.ShapeGroup]:
        yield from self._header
        yield from self._grid()
        yield from self._lines()
        yield from map(self._dot, self.dots)
        yield from self._labels()

    def _grid(self) -> Iterator[Shape]:
        theme, bottom = self.theme, self.top + _TALL
        yield shapes.Rect(_LEFT, self.top, _ROOM - _LEFT, _TALL, theme.group)
        yield shapes.Rect(
            _LEFT, self.top, self._ridge() - _LEFT, _TALL, mix(theme.group, theme.ink, 0.04)
        )
        steps: list[shapes.Step] = []
        for value in self.x.decades():
            x = self.x.place(value)
            steps += (("M", (x, self.top)), ("V", (bottom,)))
            yield Text(x, bottom + 17, _tick(value), 10.5, theme.muted, anchor="middle")
        for value in self.y.decades():
            y = self.y.place(value)
            steps += (("M", (_LEFT, y)), ("h", (_ROOM - _LEFT,)))
            yield Text(_LEFT - 7, y + 3.6, _tick(value), 10.5, theme.muted, anchor="end")
        yield shapes.Path(
            tuple(steps), stroke=mix(theme.group, theme.muted, 0.25), stroke_width=0.8
        )
        middle = (_LEFT + _ROOM) / 2
        yield Text(middle, bottom + 36, "FLOP per byte", 12, theme.ink, anchor="middle")
        y = self.top + _TALL / 2
        yield Text(14, y, "FLOP per second", 12, theme.ink, anchor="middle", upward=True)

    def _lines(self) -> Iterator[Shape]:
        """Yields the roofs: each peak from where it begins, the bandwidth up to the highest."""
        bandwidth = self.plot.bandwidth
        for (_, _, dtype), (value, start) in zip(self.roofs, self._starts()):
            color = precision(dtype, self.theme).color
            y = self.y.place(value)
            line = ("M", (self.x.place(start), y)), ("L", (_ROOM, y))
            yield shapes.Path(line, stroke=color, stroke_width=1.8)
        if bandwidth:
            first, last = self._slope(bandwidth)
            if first < last:
                ends = ((self.x.place(x), self.y.place(x * bandwidth)) for x in (first, last))
                yield shapes.Path(tuple(zip("ML", ends)), stroke=self.theme.ink, stroke_width=1.8)
        if not bandwidth or not self.roofs:
            return
        peak = self.roofs[0].value
        for part in (one for one in _EFFICIENCIES if peak * one > 10**self.y.low):
            start = max(10**self.x.low, 10**self.y.low / bandwidth / part)
            ends = (
                (self.x.place(x), self.y.place(min(x * bandwidth, peak) * part))
                for x in (start, max(start, peak / bandwidth), 10**self.x.high)
            )
            yield shapes.Path(tuple(zip("MLL", ends)), stroke=self.theme.muted, dash="dotted")

    def _starts(self) -> Iterator[Point]:
        """Yields each roof with where it begins, in FLOP per byte."""
        for value, _, _ in self.roofs:
            low = 10**self.x.low
            yield value, max(low, value / self.plot.bandwidth) if self.plot.bandwidth else low

    def _slope(self, bandwidth: float) -> tuple[float, float]:
        """Returns the ends of the bandwidth's line, in FLOP per byte."""
        most = self.roofs[0].value if self.roofs else 10**self.y.high
        first = max(10**self.x.low, 10**self.y.low / bandwidth)
        return first, min(10**self.x.high, most / bandwidth)

    def _ridge(self) -> float:
        """Returns where the highest roof begins: at its left bytes bound a layer."""
        if self.plot.bandwidth is None or not self.roofs:
            return _LEFT
        return min(_ROOM, max(_LEFT, self.x.place(self.roofs[0].value / self.plot.bandwidth)))

    def _labels(self) -> Iterator[Shape]:
        """Yields the words in the plot, each at the first of its places that is free."""
        theme, x, y = self.theme, self.x.place, self.y.place
        ridge, bottom = self._ridge(), self.top + _TALL
        words = _Words((_LEFT, self.top, _ROOM, bottom), theme)
        for dot in self.dots:
            words.keep_clear(x(dot.intensity), y(dot.rate), self._radius(dot.ms))
        for value, start in self._starts():
            for at in range(round(x(start)), round(_ROOM), 8):
                words.keep_clear(at, y(value), 1)
        bandwidth = self.plot.bandwidth
        first, last = self._slope(bandwidth) if bandwidth else (1.0, 1.0)
        for step in range(200 if bandwidth else 0):
            point = first * (last / first) ** (step / 200)
            words.keep_clear(x(point), y(point * (bandwidth or 0.0)), 1)
        for worst in self.worst:
            place = x(worst.dot.intensity), y(worst.dot.rate)
            yield from words.name(place, self._radius(worst.dot.ms), worst.named(), worst.told())
        for (_, told, _), (value, start) in zip(self.roofs, self._starts()):
            wide = width(told, 11, True)
            across = [at - wide - 8 for at in range(round(_ROOM), round(x(start) + wide), -40)]
            places = [(at, y(value) + by) for by in (-5, _LINE) for at in across or [x(start)]]
            yield from words.put(places, told)
        if bandwidth is not None:
            told = self.plot.bandwidth_words()
            along = [first * (last / first) ** part for part in (0.35, 0.5, 0.2, 0.65, 0.8)]
            wide = width(told, 11, True) + 12
            places = [(max(_LEFT + 6, x(at) - wide), y(at * bandwidth) - 4) for at in along]
            yield from words.put(places, told)
        if bandwidth is None or not self.roofs:
            return
        for part in _EFFICIENCIES:
            base = y(self.roofs[0].value * part) - 4
            told = f"{part * 100:g} %"
            yield from words.put([(_ROOM - 36, base), (ridge + 8, base)], told, False)
        for told, left in (("bound by memory", _LEFT), ("bound by computing", ridge)):
            places = [(left + 8, base) for base in (bottom - 8, self.top + 16)]
            yield from words.put(places, told, False)

    def _dot(self, dot: Dot) -> shapes.ShapeGroup:
        x, y = self.x.place(dot.intensity), self.y.place(dot.rate)
        color = precision(dot.dtype, self.theme).color
        fill = mix(color, self.theme.paper, 0.35)
        story = tooltips.of_layer(dot.layer, self.costs, self.findings)
        circle = shapes.Circle(x, y, self._radius(dot.ms), fill, color, 1.2)
        return shapes.ShapeGroup((circle,), "\n".join(map(visible, story)), "layer")

    def _radius(self, ms: float) -> float:
        """Returns the radius of a dot, whose area is the time."""
        return max(_SMALLEST_RADIUS, self.largest * math.sqrt(ms / self.dots[0].ms))


class _Words:
    """Places words in a plot, so that they touch neither dots nor each other, if that can be."""

    def __init__(self, plot: Box, theme: Theme) -> None:
        self._plot = plot
        self._theme = theme
        self._kept: list[Box] = []
        self._taken: list[Box] = []

    def keep_clear(self, x: float, y: float, radius: float) -> None:
        """Words had better not stand here."""
        self._kept.append((x - radius, y - radius, x + radius, y + radius))

    def put(self, places: Sequence[Point], told: str, needed: bool = True) -> Iterator[Shape]:
        """Yields words on a ground of their own; not needed ones only where nothing is."""
        found = self._free(places, width(told, 11, needed) + 8, 1, needed)
        if found is not None:
            color = self._theme.ink if needed else self._theme.muted
            yield from self._plate(found, ((told, color, needed),))

    def name(self, point: Point, radius: float, *told: str) -> Iterator[Shape]:
        """Yields two lines beside a dot, and a line to it where they stand farther away."""
        x, y = point
        wide = max(width(told[0], 11, True), width(told[1], 11)) + 8
        beside = [(x + radius + 8, y - 3.5), (x - radius - wide, y - 3.5)]
        places = beside + [
            (x + 4 - wide * part, y + rise)
            for far in range(4, 160, 12)
            for rise in (-radius - far - 17.5, radius + far + 10.5)
            for part in (0.5, 0.0, 1.0, -0.3, 1.3)
        ]
        left, base = self._free(places, wide, 2, True) or places[0]
        end = min(max(x, left - 4), left + wide - 4), min(max(y, base - 10.5), base + 17.5)
        if math.dist(point, end) > radius + 8:
            line = ("M", point), ("L", end)
            yield shapes.Path(line, stroke=self._theme.ink, stroke_width=1.2)
            for part in range(10):
                a, b = (one + (other - one) * part / 10 for one, other in zip(point, end))
                self.keep_clear(a, b, 1)
        ink, muted = self._theme.ink, self._theme.muted
        yield from self._plate((left, base), ((told[0], ink, True), (told[1], muted, False)))

    def _free(self, places: Sequence[Point], wide: float, count: int, needed: bool) -> Point | None:
        """Returns the first place of `count` lines that is free, else one free of words."""
        for taken in ((*self._kept, *self._taken), self._taken)[: 1 + needed]:
            for x, y in places:
                box = x - 4, y - 10.5, x - 4 + wide, y - 10.5 + _LINE * count
                inside = all(a >= b for a, b in zip(box[:2], self._plot)) and all(
                    a <= b for a, b in zip(box[2:], self._plot[2:])
                )
                if inside and not any(_meet(box, other) for other in taken):
                    self._taken.append(box)
                    return x, y
        return places[0] if needed else None

    def _plate(self, at: Point, told: Sequence[tuple[str, str, bool]]) -> Iterator[Shape]:
        x, y = at
        wide = max(width(words, 11, bold) for words, _, bold in told)
        tall = _LINE * len(told)
        yield shapes.Rect(x - 4, y - 10.5, wide + 8, tall, self._theme.group, 3)
        for line, (words, color, bold) in enumerate(told):
            yield Text(x, y + _LINE * line, words, 11, color, bold)


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _axis(values: Sequence[float], start: float, end: float) -> Axis:
    """Returns an axis of at least two decades, with a fifth of one beyond the values."""
    low, high = math.log10(min(values)) - 0.2, math.log10(max(values)) + 0.2
    more = max(0.0, 2 - (high - low)) / 2
    return Axis(low - more, high + more, start, end)


def _tick(value: float) -> str:
    """Returns `0.1`, `10`, `1 k`, `100 G`."""
    if value < 1000:
        return f"{value:g}"
    return large(value).replace(".00", "").replace(".0", "")
