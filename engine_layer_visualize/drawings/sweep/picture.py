"""Draws a sweep as SVG: a bar for what each knob changes, and for what each build takes.

Beside a bar stands what differs in the engine. In a browser it uses dark colours where the reader's
system does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.comparison.gate.limits import signed
from engine_layer_visualize.comparison.history.steps import LEAST_STEP
from engine_layer_visualize.comparison.sweep import sentences
from engine_layer_visualize.comparison.sweep.trials import Changed, Sweep
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import count, milliseconds, shorten, visible
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.drawings.picture import svg
from engine_layer_visualize.drawings.picture.shapes import (
    Path,
    Rect,
    Shape,
    ShapeGroup,
    Text,
)
from engine_layer_visualize.drawings.picture.sheets import ROOM, WIDER, Sheet, Sheets
from engine_layer_visualize.drawings.picture.text_width import fit, lines
from engine_layer_visualize.drawings.theme import DARK, DARKENED, LIGHT, mix

_NAMES: Final = 330.0  # for what a bar is of
_BARS: Final = 330.0
_CELL: Final = 68.0  # of the columns behind the bars
_HEADS: Final = ("time", "layers", "reformats", "fusions", "kernels", "precisions")
_ROW: Final = 20.0
_LINE: Final = 14.0  # from a line of a name to the next
_NAME_LINES: Final = 3
_MOST: Final = 40  # bars of a list
_LABEL: Final = 46.0  # for the words at a bar's end
_NOISE: Final = mix(LIGHT.ink, LIGHT.paper, 0.6)
_STRIPE: Final = LIGHT.group


class _Bar(NamedTuple):
    """A row of the picture."""

    words: str
    change: float | None
    time: str
    changed: Changed | None
    note: str = ""  # in place of a bar
    bold: bool = False


def render(sweep: Sweep, options: ReportOptions) -> Iterator[str]:
    """The picture."""
    return svg.written(picture(sweep), dark=darkened())


def picture(sweep: Sweep) -> Sheets:
    """All of it on one sheet."""
    return Sheets(sentences.title(sweep), [_Sheet(sweep)])


class _Sheet(Sheet):
    def __init__(self, sweep: Sweep) -> None:
        super().__init__(between=1.0)
        self.words(sentences.title(sweep), 22)
        self.words(plain(sentences.first(sweep)), 14)
        for remark in sentences.remarks(sweep):
            self.words(plain(remark), 11)
        knobs = [
            _Bar(sentences.setting(knob.effect), knob.effect.change, "", knob.changed)
            for knob in sweep.knobs
        ]
        if knobs:
            self._list("What each knob changed", knobs, len(knobs))
        ranking = sweep.ranking[:_MOST]
        if sweep.base is not None and sweep.base not in ranking:
            ranking = [*ranking[:-1], sweep.base]
        builds = [_build(sweep, number) for number in ranking]
        self._list("The builds, the fastest first", builds, len(sweep.trials))
        self.y -= 10  # nothing follows

    def _list(self, head: str, bars: Sequence[_Bar], number: int) -> None:
        self.y += 18
        self.shapes.append(Text(0, self.y, head, 14, LIGHT.ink, True))
        for column, words in enumerate(_HEADS):
            x = _NAMES + _BARS + _CELL * (column + 1)
            self.shapes.append(Text(x, self.y, words, 10.5, LIGHT.muted, anchor="end"))
        self.y += 8
        shown = bars[:_MOST]
        least = min((bar.change for bar in shown if bar.change is not None), default=0.0)
        most = max((bar.change for bar in shown if bar.change is not None), default=0.0)
        low, high = min(least, 0.0), max(most, 0.0, min(least, 0.0) + 0.01)
        scale = (_BARS - 2 * _LABEL) / (high - low)
        zero = _NAMES + _LABEL - low * scale
        top = self.y
        for place, bar in enumerate(shown):
            self._bar(bar, zero, scale, striped=place % 2 == 0)
        line = (("M", (zero, top)), ("V", (self.y,)))
        self.shapes.append(Path(line, stroke=LIGHT.muted, stroke_width=1))
        if number > len(shown):
            self.y += 15
            left = f"… and {count(number - len(shown), 'more row')}."
            self.shapes.append(Text(0, self.y, left, 11, LIGHT.muted))
        self.y += 10

    def _bar(self, bar: _Bar, zero: float, scale: float, *, striped: bool) -> None:
        base = self.y + 14
        names = lines(visible(bar.words), 11, (_NAMES - 14) / WIDER, _NAME_LINES, bar.bold)
        tall = _ROW + _LINE * (len(names) - 1)
        shapes: list[Shape] = []
        if striped:
            shapes.append(Rect(0, self.y, ROOM, tall, _STRIPE))
        for number, name in enumerate(names):
            y = base + _LINE * number
            shapes.append(Text(4, y, name, 11, LIGHT.ink, bar.bold))
        if bar.change is not None:
            long = bar.change * scale
            shapes.append(Rect(min(zero, zero + long), self.y + 4, abs(long), 12, _tone(bar)))
            words = signed(bar.change)
            left = bar.change < 0
            x = zero + long + (-5 if left else 5)
            shapes.append(Text(x, base, words, 10.5, LIGHT.ink, anchor="end" if left else "start"))
        elif bar.note:
            note = fit(visible(bar.note), 10.5, (ROOM - _NAMES - 12) / WIDER)
            shapes.append(Text(_NAMES + 6, base, note, 10.5, LIGHT.muted))
        cells = (bar.time, *sentences.numbers(bar.changed)[:5])
        for column, words in enumerate(cells if not bar.note or bar.change is not None else ()):
            x = _NAMES + _BARS + _CELL * (column + 1)
            shapes.append(Text(x, base, fit(words, 10.5, _CELL), 10.5, LIGHT.ink, anchor="end"))
        told = visible(shorten(bar.words, 600))
        self.shapes.append(ShapeGroup(tuple(shapes), told, "row"))
        self.y += tall


def _build(sweep: Sweep, number: int) -> _Bar:
    trial, is_base = sweep.trials[number], number == sweep.base
    words = sentences.called(sweep, number)
    ms = sweep.ms(number)
    note = f"failed: {trial.failure}" if trial.failure else "no time" if ms is None else ""
    time = "" if ms is None else milliseconds(ms)
    change = None if is_base else sweep.change(number)
    return _Bar(words, change, time, sweep.changed[number], note, is_base)


def _tone(bar: _Bar) -> str:
    change = bar.change or 0.0
    if abs(change) < LEAST_STEP:
        return _NOISE
    return LIGHT.slower if change > 0 else LIGHT.faster


def darkened() -> dict[str, str]:
    """The colours of the picture, and those on dark paper."""
    return {**DARKENED, _NOISE: mix(DARK.ink, DARK.paper, 0.6)}
