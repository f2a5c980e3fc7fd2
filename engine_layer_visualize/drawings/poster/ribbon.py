"""Draws the time of an engine as a ribbon: its boxes, under each its steps, under these the ms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.layer_labels import under_head
from engine_layer_visualize.core.text import milliseconds, visible
from engine_layer_visualize.drawings.picture import shapes
from engine_layer_visualize.drawings.picture.shapes import Rect, Shape, Text
from engine_layer_visualize.drawings.picture.text_width import shortened, width
from engine_layer_visualize.drawings.poster import words
from engine_layer_visualize.drawings.poster.shown import Shown
from engine_layer_visualize.drawings.poster.steps import Step
from engine_layer_visualize.drawings.theme import ink

_TOP, _LOW = 26.0, 44.0  # heights of the rows
_SIZE: Final = 14.0
_LEAST: Final = 1.5  # width of a rectangle of its own
_LEAST_REST: Final = 0.001  # of the time: less is lost in rounding
_TICKS: Final = 8  # at most


def ribbon(shown: Shown, x: float, y: float, room: float) -> Iterator[Shape]:
    """Yields the ribbon, from (x, y)."""
    theme, steps = shown.theme, shown.steps
    sizes = [step.share or 0.0 for step in steps.all]
    rests = _rests(shown)
    timed = sum(sizes) + sum(rests.values()) > 0
    if not timed:
        sizes = [1.0 / len(sizes)] * len(sizes)
    begins: list[float] = []
    ends: list[float] = []
    at, left_over = x, list[tuple[int, float, float]]()
    scale = room / max(1.0, sum(sizes) + sum(rests.values()))
    for place, size in enumerate(sizes):
        begins.append(at)
        at += size * scale
        ends.append(at)
        if rest := rests.get(place):
            left_over.append((place, at, rest * scale))
            at += rest * scale
    for node in shown.parts:
        left, right = begins[node.first], ends[node.stop - 1]
        if right - left < _LEAST:
            continue
        yield Rect(left, y, right - left - 1, _TOP, theme.group, 3)
        said = words.box(node, steps).title
        labels = (shortened(title, _SIZE, right - left - 9) for title in said)
        if label := next((one for one in labels if one and "…" not in one), ""):
            yield Text(left + 4, y + 18, label, _SIZE, theme.ink)
    y += _TOP + 2
    for first, stop in _cells(begins, ends):
        left, wide = begins[first], ends[stop - 1] - begins[first]
        step = steps.all[first] if stop - first == 1 else None
        yield from _cell(shown, step, shown.fill(first, stop), left, y, wide)
    for place, left, wide in left_over:
        yield from _kernels(shown, place, left, y, wide)
    y += _LOW
    yield from _axis(shown, x, y, room, timed)


def _kernels(shown: Shown, place: int, x: float, y: float, room: float) -> Iterator[Shape]:
    """Yields what of a ForeignNode is timed, but not by its steps: kernels, else one rectangle."""
    theme, kernels = shown.theme, shown.steps.kernels[place]
    step = shown.steps.all[place]
    yield Rect(x, y - _TOP - 2, room - 1, _TOP, theme.group, 3)
    name = visible(under_head(step.layer))
    if width(name, _SIZE) <= room - 9:
        yield Text(x + 4, y - _TOP + 16, name, _SIZE, theme.ink)
    known = [(kernel, kernel.share or 0.0) for kernel in kernels]
    whole = sum(share for _, share in known)
    if not whole:
        line = theme.marks["layer"].line
        yield Rect(x, y, room - 1, _LOW, theme.paper, 0, line, dash="dotted")
        told = "its parts are not timed"
        if width(told, _SIZE) <= room - 9:
            yield Text(x + 4, y + 27, told, _SIZE, theme.muted)
        return
    for kernel, share in known:
        wide = room * share / whole
        yield from _cell(shown, kernel, shown.by_heat(share, shown.top), x, y, wide)
        x += wide


def _cell(
    shown: Shown, step: Step | None, fill: str, x: float, y: float, wide: float
) -> Iterator[Shape]:
    """Yields the rectangle of a step, with the words that fit; of several steps without words."""
    yield Rect(x, y, wide - (1 if wide > 4 else 0), _LOW, fill)
    if step is None or step.ms is None:
        return
    on = ink(fill, shown.theme)
    for told, down in ((step.head, 18.0), (shown.coloring.about(step.ms), 36.0)):
        if width(told, _SIZE) <= wide - 9:
            yield Text(x + 4, y + down, told, _SIZE, on)


def _rests(shown: Shown) -> dict[int, float]:
    """Returns by the last step of a layer that is opened the share that none of its steps has."""
    told: dict[int, float] = defaultdict(float)
    last: dict[int, int] = {}
    for place, step in enumerate(shown.steps.all):
        if step.inner:
            told[step.layer.index] += step.share or 0.0
            last[step.layer.index] = place
    layers = shown.costs.engine.layers
    return {
        place: rest
        for index, place in last.items()
        if (rest := (shown.costs.share(layers[index]) or 0.0) - told[index]) > _LEAST_REST
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


def _axis(shown: Shown, x: float, y: float, room: float, timed: bool) -> Iterator[Shape]:
    theme = shown.theme
    total = shown.costs.whole
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
