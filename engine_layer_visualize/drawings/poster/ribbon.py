"""Draws the time of an engine as a ribbon: its boxes, under each its steps, under these the ms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.drawings.picture import shapes
from engine_layer_visualize.drawings.picture.shapes import Rect, Shape, Text
from engine_layer_visualize.drawings.picture.text_width import width
from engine_layer_visualize.drawings.poster import words
from engine_layer_visualize.drawings.theme import ink

if TYPE_CHECKING:
    from engine_layer_visualize.drawings.poster.picture import Poster

_TOP, _LOW = 26.0, 44.0  # heights of the rows
_SIZE: Final = 14.0
_LEAST: Final = 1.5  # width of a rectangle of its own
_LEAST_REST: Final = 0.001  # of the time: less is lost in rounding
_TICKS: Final = 8  # at most


def ribbon(poster: Poster, x: float, y: float, room: float) -> Iterator[Shape]:
    """Yields the ribbon, from (x, y)."""
    from engine_layer_visualize.drawings.poster.picture import shortened

    theme, steps = poster.theme, poster.steps
    sizes = [step.share or 0.0 for step in steps.all]
    timed = sum(sizes) > 0
    if not timed:
        sizes = [1.0 / len(sizes)] * len(sizes)
    rests = _rests(poster) if timed else {}
    begins: list[float] = []
    ends: list[float] = []
    at, left_over = x, list[tuple[float, float]]()
    scale = room / max(1.0, sum(sizes) + sum(rests.values()))
    for place, size in enumerate(sizes):
        begins.append(at)
        at += size * scale
        ends.append(at)
        if rest := rests.get(place):
            left_over.append((at, rest * scale))
            at += rest * scale
    for node in poster.parts:
        left, right = begins[node.first], ends[node.stop - 1]
        if right - left < _LEAST:
            continue
        yield Rect(left, y, right - left - 1, _TOP, theme.group, 3)
        said = words.box(node, steps).title
        label = shortened(said, _SIZE, right - left - 9)
        if label and "…" not in label:
            yield Text(left + 4, y + 18, label, _SIZE, theme.ink)
    y += _TOP + 2
    for first, stop in _cells(begins, ends):
        hottest = max(range(first, stop), key=lambda place: sizes[place])
        left, right, fill = begins[first], ends[stop - 1], poster.fill(hottest)
        yield Rect(left, y, right - left - (1 if right - left > 4 else 0), _LOW, fill)
        step = steps.all[first]
        if stop - first == 1 and step.ms is not None:
            on = ink(fill, theme)
            took = poster.coloring.about(step.ms)
            for words_of, down in ((step.head, 18.0), (took, 36.0)):
                if width(words_of, _SIZE) <= right - left - 9:
                    yield Text(left + 4, y + down, words_of, _SIZE, on)
    for left, wide in left_over:
        yield Rect(
            left, y, wide - 1, _LOW, theme.paper, 0, theme.marks["layer"].line, dash="dotted"
        )
        words_of = "not timed apart"
        if width(words_of, _SIZE) <= wide - 9:
            yield Text(left + 4, y + 27, words_of, _SIZE, theme.muted)
    y += _LOW
    yield from _axis(poster, x, y, room, timed)


def _rests(poster: Poster) -> dict[int, float]:
    """Returns by the last step of a layer that is opened the share that none of its steps has."""
    told: dict[int, float] = defaultdict(float)
    last: dict[int, int] = {}
    for place, step in enumerate(poster.steps.all):
        if step.inner:
            told[step.layer.index] += step.share or 0.0
            last[step.layer.index] = place
    layers = poster.costs.engine.layers
    return {
        place: rest
        for index, place in last.items()
        if (rest := (poster.costs.share(layers[index]) or 0.0) - told[index]) > _LEAST_REST
    }


def _cells(begins: Sequence[float], ends: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yields (first, stop) of steps that are one rectangle: those too narrow are one together."""
    first = 0
    for place, end in enumerate(ends):
        parted = place + 1 < len(begins) and begins[place + 1] > end
        if end - begins[first] >= _LEAST or parted or place + 1 == len(ends):
            if end > begins[first]:
                yield first, place + 1
            first = place + 1


def _axis(poster: Poster, x: float, y: float, room: float, timed: bool) -> Iterator[Shape]:
    theme = poster.theme
    total = poster.costs.whole
    if not timed:
        told = "Each layer has the same width: none is timed"
        yield Text(x, y + 20, told, _SIZE, theme.muted)
        return
    if total is None:
        told = "The width is the share of the time, in order of execution"
        yield Text(x, y + 20, told, _SIZE, theme.muted)
        return
    step = _step(total / _TICKS)
    value = 0.0
    while value <= total * 1.0001:
        left = x + room * value / total
        yield shapes.Path((("M", (left, y)), ("V", (y + 5,))), stroke=theme.muted)
        words_of = milliseconds(value) if value else "0"
        near_end = left + width(words_of, _SIZE) / 2 > x + room
        anchor: shapes.Anchor = "start" if not value else "end" if near_end else "middle"
        yield Text(min(left, x + room), y + 20, words_of, _SIZE, theme.muted, False, anchor)
        value += step


def _step(least: float) -> float:
    """Returns the smallest of 1, 2, 5, 10 … that is not below this."""
    power = 1.0
    while power > least:
        power /= 10
    while power * 10 <= least:
        power *= 10
    return next(power * part for part in (1, 2, 5, 10) if power * part >= least)
