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
from engine_layer_visualize.core.text import large, milliseconds, visible
from engine_layer_visualize.documents import origin
from engine_layer_visualize.drawings import tooltips
from engine_layer_visualize.drawings.findings import EngineFindings
from engine_layer_visualize.drawings.picture import shapes, svg
from engine_layer_visualize.drawings.picture.shapes import Shape, Text
from engine_layer_visualize.drawings.picture.text_width import fit, lines, rows, width
from engine_layer_visualize.drawings.picture.title_legend import NUMBER_RADIUS, numbered
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
_LEAST_GAP: Final = 14.0  # between the labels of two roofs


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
        self.top = base + 8 + self.largest
        self._axes()
        self._footer = tuple(self._names(self.top + _TALL + 62))
        height = self.top + _TALL + 62 + 20 * len(self.worst)
        self.size = round(_WIDE), round(height + 2 * _MARGIN)

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
        y += 2 + self.largest / 2
        x = 0.0
        for name, color in dict.fromkeys(
            (entry.label, entry.color) for entry in (precision(d.dtype, theme) for d in self.dots)
        ):
            yield shapes.Circle(x + 6, y + 4, 5.5, mix(color, theme.paper, 0.35), color, 1.2)
            yield Text(x + 18, y + 8, name, 10.5, theme.ink)
            x += 18 + width(name, 10.5) + 18
        slowest = self.dots[0].ms if self.dots else 0.0
        for ms in (slowest, slowest / 10) if self.dots else ():
            radius = self._radius(ms)
            yield shapes.Circle(x + radius, y + 4, radius, "none", theme.muted, 1.2)
            words = milliseconds(ms)
            yield Text(x + 2 * radius + 6, y + 8, words, 10.5, theme.ink)
            x += 2 * radius + 24 + width(words, 10.5)

    def _names(self, y: float) -> Iterator[Shape]:
        """Yields a line for each of the layers that bear a number."""
        for number, worst in enumerate(self.worst, 1):
            yield from numbered(number, _LEFT + NUMBER_RADIUS, y - 4, self.theme)
            left = _LEFT + 2 * NUMBER_RADIUS + 8
            words = fit(f"{worst.told()}: {worst.named()}", 12, _ROOM - left)
            yield Text(left, y, words, 12, self.theme.ink)
            y += 20

    def _shapes(self) -> Iterator[Shape | shapes.ShapeGroup]:
        yield from self._header
        yield from self._grid()
        yield from self._lines()
        yield from map(self._dot, self.dots)
        yield from self._numbers()
        yield from self._labels()
        yield from self._footer

    def _grid(self) -> Iterator[Shape]:
        theme, bottom = self.theme, self.top + _TALL
        yield shapes.Rect(_LEFT, self.top, _ROOM - _LEFT, _TALL, theme.group)
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
        for value, _, dtype in self.roofs:
            color = precision(dtype, self.theme).color
            start = 10**self.x.low
            if bandwidth:
                start = max(start, value / bandwidth)
            y = self.y.place(value)
            line = ("M", (self.x.place(start), y)), ("L", (_ROOM, y))
            yield shapes.Path(line, stroke=color, stroke_width=1.8)
        if bandwidth:
            first, last = self._slope(bandwidth)
            if first < last:
                ends = ((self.x.place(x), self.y.place(x * bandwidth)) for x in (first, last))
                yield shapes.Path(tuple(zip("ML", ends)), stroke=self.theme.ink, stroke_width=1.8)

    def _slope(self, bandwidth: float) -> tuple[float, float]:
        """Returns the ends of the bandwidth's line, in FLOP per byte."""
        most = self.roofs[0].value if self.roofs else 10**self.y.high
        first = max(10**self.x.low, 10**self.y.low / bandwidth)
        return first, min(10**self.x.high, most / bandwidth)

    def _labels(self) -> Iterator[Shape]:
        """Yields the words of the roofs: those of peaks at the right, none upon another."""
        last = -math.inf
        for value, words, _ in self.roofs:
            y = self.y.place(value) - 5
            if y - last < _LEAST_GAP:
                y = last + _LEAST_GAP + 10  # below its line, which lies close to the one before
            last = y
            yield from self._plate(_ROOM - 8 - width(words, 11, True), y, words)
        bandwidth = self.plot.bandwidth
        if bandwidth is None:
            return
        words = self.plot.bandwidth_words()
        first, last = self._slope(bandwidth)
        middle = first * (last / first) ** 0.35
        x, y = self.x.place(middle), self.y.place(middle * bandwidth)
        wide = width(words, 11, True)
        yield from self._plate(max(_LEFT + 6, x - wide - 12), y - 4, words)

    def _plate(self, x: float, y: float, words: str) -> Iterator[Shape]:
        """Yields words on a ground of their own."""
        wide = width(words, 11, True)
        yield shapes.Rect(x - 4, y - 10.5, wide + 8, 14, self.theme.group, 3)
        yield Text(x, y, words, 11, self.theme.ink, True)

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

    def _numbers(self) -> Iterator[Shape]:
        """Yields the numbers of the named layers: beside each other where their dots are."""
        placed: list[tuple[float, float]] = []
        apart = 2 * NUMBER_RADIUS + 2
        for worst in self.worst:
            x, y = self.x.place(worst.dot.intensity), self.y.place(worst.dot.rate)
            point = x, y
            while any(math.dist(point, other) < apart for other in placed):
                point = point[0] + apart, y
            placed.append(point)
            yield shapes.Path(
                (("M", (x, y)), ("L", point)), stroke=self.theme.ink, stroke_width=1.2
            )
        for number, point in enumerate(placed, 1):
            yield from numbered(number, *point, self.theme)


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
