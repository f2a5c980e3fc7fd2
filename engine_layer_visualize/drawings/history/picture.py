"""Draws histories as SVG: the time of each build, of the costliest modules, and the reformats.

Several histories stand one below the other. In a browser it uses dark colours where the reader's
system does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from engine_layer_visualize.comparison.gate.limits import signed
from engine_layer_visualize.comparison.history import sentences
from engine_layer_visualize.comparison.history.series import Histories, Series, Step
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import milliseconds, shorten, visible
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.drawings.history.axes import Axis, apart, axis, without_collisions
from engine_layer_visualize.drawings.picture import svg
from engine_layer_visualize.drawings.picture.shapes import (
    Circle,
    Path,
    Rect,
    ShapeGroup,
    Text,
)
from engine_layer_visualize.drawings.picture.shapes import Step as PathStep
from engine_layer_visualize.drawings.picture.sheets import ROOM, WIDER, Sheet, Sheets
from engine_layer_visualize.drawings.picture.text_width import fit, width
from engine_layer_visualize.drawings.theme import DARK, DARKENED, LIGHT, mix

_LEFT: Final = 74.0  # for the numbers of an axis
_RIGHT: Final = 250.0  # for what lines are called
_PLOT: Final = ROOM - _LEFT - _RIGHT
_TIME, _MODULES, _COUNTS = 240.0, 170.0, 60.0  # heights of the plots
_BETWEEN: Final = 40.0  # two plots
_TALLEST_TAG: Final = 3  # rows of words above the plot
_POINTS: Final = 400  # builds that are drawn one by one
_LABEL: Final = 130.0  # the widest name of a build
_LINE: Final = 14.0  # between two names beside a plot
_LEVEL: Final = mix(LIGHT.ink, LIGHT.paper, 0.45)
_GRID: Final = mix(LIGHT.group, LIGHT.muted, 0.25)


def render(found: Histories, options: ReportOptions) -> Iterator[str]:
    """The picture of all histories."""
    return svg.written(picture(found), dark=darkened())


def picture(found: Histories) -> Sheets:
    """All histories, one below the other."""
    title = plain(sentences.title(found.shown[0]))
    return Sheets(title, [_Sheet(series) for series in found.shown])


class _Sheet(Sheet):
    """One history."""

    def __init__(self, series: Series) -> None:
        super().__init__()
        self.series = series
        self.number = len(series.builds)
        self.bin = -(-self.number // _POINTS)  # builds of a point
        self.words(plain(sentences.title(series)), 22)
        self.words(plain(sentences.first(series)), 14)
        self.words(sentences.measured(series), 11)
        if self.bin > 1:
            self.words(f"A point is the median of {self.bin} builds.", 11)
        if any(series.ms):
            self._time()
        if series.modules:
            self._modules()
        self._reformats()
        self._builds()

    # ---- plots -----------------------------------------------------------------------------------

    def _time(self) -> None:
        series = self.series
        self._tags()
        across = self._ground("time", _TIME, [ms for ms in series.ms if ms])
        for start, stop, ms in self._levels():
            x, y = self._x(start), across.place(ms)
            level = ("M", (x, y)), ("h", (self._x(stop) - x,))
            self.shapes.append(Path(level, stroke=_LEVEL, stroke_width=5))
        self._line(series.ms, across, LIGHT.ink)
        if self.bin == 1:
            self.shapes += self._points(across)
        last = next(ms for ms in reversed(series.ms) if ms)
        words = f"{milliseconds(last)} now"
        y = across.place(last) + 4
        self.shapes.append(Text(_LEFT + _PLOT + 12, y, words, 12, LIGHT.ink, True))
        self.y += _TIME + _BETWEEN

    def _levels(self) -> Iterator[tuple[int, int, float]]:
        """Stretches between steps: the first and the last build, and their mean time."""
        steps = self.series.steps
        if steps:
            yield 0, steps[0].build - 1, steps[0].before_ms
        for step in steps:
            yield step.build, (step.until or self.number) - 1, step.after_ms

    def _points(self, across: Axis) -> Iterator[ShapeGroup]:
        for place, (build, ms) in enumerate(zip(self.series.builds, self.series.ms)):
            if ms:
                circle = Circle(self._x(place), across.place(ms), 3.2, LIGHT.paper, LIGHT.ink, 1.4)
                told = f"{sentences.whole(build)}\n{milliseconds(ms)}"
                yield ShapeGroup((circle,), visible(shorten(told, 400)), "build")

    def _tags(self) -> None:
        """Words above the plot for each step, in rows, so that none stands on another."""
        tags = [self._tag(step) for step in self.series.steps]
        rows: list[float] = [-1e9] * _TALLEST_TAG
        placed = []
        for step, (x, words) in zip(self.series.steps, tags):
            wide = width(words, 12, True) * WIDER
            x = min(x, _LEFT + _PLOT + _RIGHT - wide)
            row = next((n for n, end in enumerate(rows) if x > end + 10), None)
            if row is not None:
                rows[row] = x + wide
                placed.append((row, x, words, step))
        used = 1 + max((row for row, *_ in placed), default=-1)
        for row, x, words, step in placed:
            y = self.y + 16 * (used - row) - 4
            color = _tone(step)
            self.shapes.append(Text(x, y, words, 12, color, True))
        self.y += 16 * used + 6

    def _tag(self, step: Step) -> tuple[float, str]:
        label = fit(visible(self.series.builds[step.build].label), 12, _LABEL, True)
        return self._edge(step.build), f"{signed(step.change)} {label}"

    def _modules(self) -> None:
        modules = self.series.modules
        known = [ms for module in modules for ms in module.ms if ms is not None]
        across = self._ground("modules", _MODULES, [0.0, *known])
        lasts = [next(ms for ms in reversed(module.ms) if ms is not None) for module in modules]
        wanted = [across.place(ms) + 4 for ms in lasts]
        places = apart(wanted, _LINE, self.y + 8, self.y + _MODULES + 8)
        for number, (module, ms, y) in enumerate(zip(modules, lasts, places)):
            color = LIGHT.kinds[number]
            self._line(module.ms, across, color)
            time = milliseconds(ms)
            x, room = _LEFT + _PLOT + 12, _RIGHT - 12
            self.shapes.append(Rect(x, y - 8, 10, 8, color))
            name = fit(visible(module.name), 11, room / WIDER - 24 - width(time, 11))
            self.shapes.append(Text(x + 16, y, f"{name} {time}", 11, LIGHT.ink))
        self.y += _MODULES + _BETWEEN

    def _reformats(self) -> None:
        numbers = [float(build.reformats) for build in self.series.builds]
        across = self._ground("reformats", _COUNTS, [0.0, *numbers], 1.0, 3)
        self._line(numbers, across, LIGHT.ink)
        words = f"{self.series.builds[-1].reformats:,} now"
        y = across.place(numbers[-1]) + 4
        self.shapes.append(Text(_LEFT + _PLOT + 12, y, words, 12, LIGHT.ink))
        self.y += _COUNTS

    def _ground(
        self, words: str, tall: float, values: Sequence[float], least: float = 1e-9, most: int = 5
    ) -> Axis:
        """The paper of a plot, with its axis and the places of steps."""
        least = max(least, max(values) * 1e-3)
        across = axis(values, self.y + tall, self.y, least, most)
        grid: list[PathStep] = []
        self.shapes.append(Rect(_LEFT, self.y, _PLOT, tall, LIGHT.group))
        for value in across.ticks():
            y = across.place(value)
            grid += (("M", (_LEFT, y)), ("h", (_PLOT,)))
            label = f"{value:,.0f}" if least >= 1 else _ms(value, across.step)
            self.shapes.append(Text(_LEFT - 8, y + 3.6, label, 10.5, LIGHT.muted, anchor="end"))
        self.shapes.append(Path(tuple(grid), stroke=_GRID, stroke_width=0.8))
        for step in self.series.steps:
            x = self._edge(step.build)
            line = (("M", (x, self.y)), ("V", (self.y + tall,)))
            self.shapes.append(Path(line, stroke=_tone(step), stroke_width=1.6, dash="dashed"))
        middle = self.y + tall / 2
        self.shapes.append(Text(8, middle, words, 11, LIGHT.ink, anchor="middle", upward=True))
        return across

    def _line(self, values: Sequence[float | None], across: Axis, color: str) -> None:
        """A line through the values, with gaps where there are none."""
        steps: list[PathStep] = []
        before = False
        for start in range(0, self.number, self.bin):
            known = [ms for ms in values[start : start + self.bin] if ms is not None]
            if known:
                x = self._x(min(start + self.bin // 2, self.number - 1))
                steps.append(("L" if before else "M", (x, across.place(median(known)))))
            before = bool(known)
        self.shapes.append(Path(tuple(steps), stroke=color, stroke_width=1.6))

    def _x(self, place: int) -> float:
        """Where a build stands."""
        return _LEFT + 12 + (_PLOT - 24) * (place / (self.number - 1) if self.number > 1 else 0.5)

    def _edge(self, place: int) -> float:
        """Between a build and the one before it."""
        return (self._x(place) + self._x(place - 1)) / 2

    # ---- names -----------------------------------------------------------------------------------

    def _builds(self) -> None:
        """Names of builds, as many as have room: the ends first, then those at steps."""
        ends = [0, self.number - 1]
        each = max(1, self.number // 8)
        wanted = dict.fromkeys(
            [*ends, *(step.build for step in self.series.steps), *range(0, self.number, each)]
        )
        places = list(wanted)
        texts = [fit(visible(self.series.builds[n].label), 10.5, _LABEL) for n in places]
        spans = []
        for place, words in zip(places, texts):
            wide = width(words, 10.5) * WIDER
            left = min(max(self._x(place) - wide / 2, 0.0), _LEFT + _PLOT + 60 - wide)
            spans.append((left, left + wide))
        marks: list[PathStep] = []
        for number, left, right in without_collisions(spans, 10):
            x = self._x(places[number])
            marks += (("M", (x, self.y)), ("V", (self.y + 5,)))
            middle = (left + right) / 2
            self.shapes.append(
                Text(middle, self.y + 18, texts[number], 10.5, LIGHT.muted, anchor="middle")
            )
        self.shapes.append(Path(tuple(marks), stroke=LIGHT.muted, stroke_width=1))
        self.y += 24


def _ms(value: float, step: float) -> str:
    """A tick in ms, with as many digits as tell it from the next one."""
    digits = next((n for n in range(6) if abs(round(step, n) - step) < step / 100), 6)
    return f"{value:.{digits}f} ms"


def _tone(step: Step) -> str:
    return LIGHT.slower if step.change > 0 else LIGHT.faster


def darkened() -> dict[str, str]:
    """The colours of the picture, and those on dark paper."""
    level = mix(DARK.ink, DARK.paper, 0.45)
    return {**DARKENED, _GRID: mix(DARK.group, DARK.muted, 0.25), _LEVEL: level}
