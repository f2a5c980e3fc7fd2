"""A `View` in; its roofline out, as SVG: what each layer reaches, under what the device can do.

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
from engine_layer_visualize.drawings.findings import Found
from engine_layer_visualize.drawings.picture import svg
from engine_layer_visualize.drawings.picture.shapes import (
    Circle,
    Frame,
    Group,
    Path,
    Rect,
    Shape,
    Step,
    Text,
)
from engine_layer_visualize.drawings.picture.text_width import fit, lines, rows, width
from engine_layer_visualize.drawings.roofline import Dot, Plot
from engine_layer_visualize.drawings.theme import DARK, LIGHT, Theme, ink, mix, precision
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.views.subgraph import View, caption

_WIDE: Final = 1160.0  # of the whole
_TALL: Final = 560.0  # of the plot
_MARGIN: Final = 28.0
_LEFT: Final = 70.0  # of the plot: room for the numbers beside it
_ROOM: Final = _WIDE - 2 * _MARGIN
_LARGEST: Final = 21.0  # radius of the slowest layer's dot
_SMALLEST: Final = 2.6
_INKED: Final = 0.04  # the part of the plot that dots may take
_BADGE: Final = 9.0
_GAP: Final = 14.0  # at least, between the labels of two roofs


class Scale(NamedTuple):
    """The ends of a logarithmic axis, as powers of ten, and where they lie."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value lies."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def decades(self) -> Iterator[float]:
        """Powers of ten within."""
        for power in range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1):
            yield 10.0**power


def render(view: View, format: str, options: Options = DEFAULT) -> Iterator[bytes]:
    """The roofline of the layers of `view` as SVG, UTF-8."""
    pieces = svg.written(Roofline(view, options), source=origin.in_svg(view.engine.source))
    return (piece.encode("utf-8") for piece in pieces)


class Roofline:
    """The picture: `size`, `title` and `frames`, as `svg` writes them."""

    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        self.theme: Theme = DARK if options.theme == "dark" else LIGHT
        self.costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
        self.found = Found(self.costs)
        self.title = " · ".join(("Roofline", *sentences.heading(self.costs)))
        self.plot = Plot(self.costs, self.found.subject.work, view.layers)
        self.dots, self.worst, self.roofs = self.plot.dots, self.plot.worst, self.plot.roofs
        self.largest = self._largest()
        self._header = tuple(self._words())
        base = max((text.y for text in self._header if isinstance(text, Text)), default=0.0)
        self.top = base + 8 + self.largest
        self._axes()
        self._footer = tuple(self._names(self.top + _TALL + 62))
        height = self.top + _TALL + 62 + 20 * len(self.worst)
        self.size = round(_WIDE), round(height + 2 * _MARGIN)

    def frames(self) -> Iterator[Frame]:
        """All of it."""
        yield Frame(_MARGIN, _MARGIN, 1.0, self._shapes())

    # ---- what is shown -------------------------------------------------------------------------

    def _largest(self) -> float:
        """Radius of the slowest layer's dot: all dots take a small part of the plot."""
        if not self.dots:
            return 0.0
        area = math.pi * math.fsum(dot.ms for dot in self.dots) / self.dots[0].ms
        return min(_LARGEST, math.sqrt(_INKED * _TALL * (_ROOM - _LEFT) / area))

    def _axes(self) -> None:
        """Both scales: every dot and every roof lies within."""
        across = [dot.intensity for dot in self.dots]
        up = [dot.rate for dot in self.dots]
        up += [roof.value for roof in self.roofs]
        bandwidth = self.plot.bandwidth
        if bandwidth and self.roofs:
            across += [
                self.roofs[0][0] / bandwidth * 2.5,
                self.roofs[-1][0] / bandwidth / 8,
            ]
        self.x = _scale(across or [1.0, 1e3], _LEFT, _ROOM)
        self.y = _scale(up or [1e9, 1e12], self.top + _TALL, self.top)

    # ---- words ---------------------------------------------------------------------------------

    def _words(self) -> Iterator[Shape]:
        """The header, from (0, 0)."""
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
            yield Circle(x + 6, y + 4, 5.5, mix(color, theme.paper, 0.35), color, 1.2)
            yield Text(x + 18, y + 8, name, 10.5, theme.ink)
            x += 18 + width(name, 10.5) + 18
        slowest = self.dots[0].ms if self.dots else 0.0
        for ms in (slowest, slowest / 10) if self.dots else ():
            radius = self._radius(ms)
            yield Circle(x + radius, y + 4, radius, "none", theme.muted, 1.2)
            words = milliseconds(ms)
            yield Text(x + 2 * radius + 6, y + 8, words, 10.5, theme.ink)
            x += 2 * radius + 24 + width(words, 10.5)

    def _names(self, y: float) -> Iterator[Shape]:
        """A line for each of the layers that bear a number."""
        for number, one in enumerate(self.worst, 1):
            yield from self._badge(number, _LEFT + _BADGE, y - 4)
            words = f"{one.told()}: {one.named()}"
            at = _LEFT + 2 * _BADGE + 8
            yield Text(at, y, fit(words, 12, _ROOM - at), 12, self.theme.ink)
            y += 20

    # ---- shapes --------------------------------------------------------------------------------

    def _shapes(self) -> Iterator[Shape | Group]:
        yield from self._header
        yield from self._grid()
        yield from self._lines()
        for dot in self.dots:
            yield self._dot(dot)
        yield from self._numbers()
        yield from self._labels()
        yield from self._footer

    def _grid(self) -> Iterator[Shape]:
        theme, bottom = self.theme, self.top + _TALL
        yield Rect(_LEFT, self.top, _ROOM - _LEFT, _TALL, theme.group)
        steps: list[Step] = []
        for value in self.x.decades():
            x = self.x.at(value)
            steps += (("M", (x, self.top)), ("V", (bottom,)))
            yield Text(x, bottom + 17, _tick(value), 10.5, theme.muted, anchor="middle")
        for value in self.y.decades():
            y = self.y.at(value)
            steps += (("M", (_LEFT, y)), ("h", (_ROOM - _LEFT,)))
            yield Text(_LEFT - 7, y + 3.6, _tick(value), 10.5, theme.muted, anchor="end")
        yield Path(tuple(steps), stroke=mix(theme.group, theme.muted, 0.25), stroke_width=0.8)
        middle = (_LEFT + _ROOM) / 2
        yield Text(middle, bottom + 36, "FLOP per byte", 12, theme.ink, anchor="middle")
        y = self.top + _TALL / 2
        yield Text(14, y, "FLOP per second", 12, theme.ink, anchor="middle", upward=True)

    def _lines(self) -> Iterator[Shape]:
        """The roofs: the bandwidth up to the highest, and each peak from where it begins."""
        bandwidth = self.plot.bandwidth
        for value, _, dtype in self.roofs:
            color = precision(dtype, self.theme).color
            start = 10**self.x.low
            if bandwidth:
                start = max(start, value / bandwidth)
            y = self.y.at(value)
            yield Path(
                (("M", (self.x.at(start), y)), ("L", (_ROOM, y))), stroke=color, stroke_width=1.8
            )
        if bandwidth:
            most = self.roofs[0][0] if self.roofs else 10**self.y.high
            first = max(10**self.x.low, 10**self.y.low / bandwidth)
            last = min(10**self.x.high, most / bandwidth)
            if first < last:
                steps = (
                    ("M", (self.x.at(first), self.y.at(first * bandwidth))),
                    ("L", (self.x.at(last), self.y.at(last * bandwidth))),
                )
                yield Path(steps, stroke=self.theme.ink, stroke_width=1.8)

    def _labels(self) -> Iterator[Shape]:
        """Words of the roofs: those of peaks at the right, none upon another."""
        last = -math.inf
        for value, words, _ in self.roofs:
            y = self.y.at(value) - 5
            if y - last < _GAP:
                y = last + _GAP + 10  # below its line, which lies close to the one before
            last = y
            yield from self._plate(_ROOM - 8 - width(words, 11, True), y, words)
        bandwidth = self.plot.bandwidth
        if bandwidth is None:
            return
        words = self.plot.bandwidth_words()
        most = self.roofs[0][0] if self.roofs else 10**self.y.high
        low = max(10**self.x.low, 10**self.y.low / bandwidth)
        middle = low * (min(10**self.x.high, most / bandwidth) / low) ** 0.35
        x, y = self.x.at(middle), self.y.at(middle * bandwidth)
        wide = width(words, 11, True)
        yield from self._plate(max(_LEFT + 6, x - wide - 12), y - 4, words)

    def _plate(self, x: float, y: float, words: str) -> Iterator[Shape]:
        """Words on a ground of their own."""
        wide = width(words, 11, True)
        yield Rect(x - 4, y - 10.5, wide + 8, 14, self.theme.group, 3)
        yield Text(x, y, words, 11, self.theme.ink, True)

    def _dot(self, dot: Dot) -> Group:
        x, y = self.x.at(dot.intensity), self.y.at(dot.rate)
        color = precision(dot.dtype, self.theme).color
        fill = mix(color, self.theme.paper, 0.35)
        story = tooltips.of_layer(dot.layer, self.costs, self.found)
        circle = Circle(x, y, self._radius(dot.ms), fill, color, 1.2)
        return Group((circle,), "\n".join(map(visible, story)), "layer")

    def _radius(self, ms: float) -> float:
        """The area is the time."""
        return max(_SMALLEST, self.largest * math.sqrt(ms / self.dots[0].ms))

    def _numbers(self) -> Iterator[Shape]:
        """The numbers of the named layers: beside each other where their dots are."""
        placed: list[tuple[float, float]] = []
        for one in self.worst:
            x, y = at = self.x.at(one.dot.intensity), self.y.at(one.dot.rate)
            while any(math.dist(at, other) < 2 * _BADGE + 2 for other in placed):
                at = at[0] + 2 * _BADGE + 2, at[1]
            placed.append(at)
            yield Path((("M", (x, y)), ("L", at)), stroke=self.theme.ink, stroke_width=1.2)
        for number, at in enumerate(placed, 1):
            yield from self._badge(number, *at)

    def _badge(self, number: int, x: float, y: float) -> Iterator[Shape]:
        color = self.theme.heat[-1]
        yield Circle(x, y, _BADGE, color, self.theme.paper, 2)
        yield Text(x, y + 4.2, str(number), 11, ink(color, self.theme), True, "middle")


def _scale(values: Sequence[float], start: float, end: float) -> Scale:
    """With a margin of a fifth of a decade on both sides, and at least two decades."""
    low, high = math.log10(min(values)) - 0.2, math.log10(max(values)) + 0.2
    more = max(0.0, 2 - (high - low)) / 2
    return Scale(low - more, high + more, start, end)


def _tick(value: float) -> str:
    """`0.1`, `10`, `1 k`, `100 G`."""
    if value < 1000:
        return f"{value:g}"
    return large(value).replace(".00", "").replace(".0", "")
