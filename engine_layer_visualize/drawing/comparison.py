"""Places the layers of two engines in two columns, and chooses the colours of groups.

Both columns are in order of execution, and what belongs together stands at one height wherever the
order allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.comparison.causes import CHANGES
from engine_layer_visualize.comparison.result import Change, Comparison, Confidence, Group
from engine_layer_visualize.comparison.sequences import rising
from engine_layer_visualize.drawing.coloring import tint
from engine_layer_visualize.drawing.theme import Dash, Theme, mix

Place = Literal["group", "overhead", "alone"]
FLOOR: Final = 16.0  # of an item, in pixels, where there are few
_LOWER: Final = 12.0
_MAX_TALL_ITEMS: Final = 120  # items of a column
_THIN: Final = 4.0  # of reformats, and of layers in a run of those that no layer needs
_GAP: Final = 2.0
_TALL: Final = 560.0  # of all times of the slower engine together, at least


class ColumnItem(NamedTuple):
    """The box of a layer; its index is that of the layer."""

    group: int  # the number of its group; -1: it is in none
    place: Place
    reformat: bool
    tone: int  # the number of its colour


class Band(NamedTuple):
    """Items of A and of B that a group joins."""

    a: tuple[int, int]  # first and last item
    b: tuple[int, int]
    group: int
    confidence: Confidence


class ComparisonColumns:
    """Two columns of items, and the bands between them."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        groups = comparison.groups
        self.timed = any(group.delta_ms is not None for group in groups)
        self.tones = [tone_of(comparison, [group], self.timed) for group in groups]
        self.items = [list(self._items(side)) for side in (0, 1)]
        self.bands = sorted(self._bands(), key=lambda band: (band.a, band.b))
        self.floor = FLOOR if max(map(len, self.items)) <= _MAX_TALL_ITEMS else _LOWER
        self.heights = self._heights()
        self.tops = self._aligned()
        ends = (
            top + height
            for tops, heights in zip(self.tops, self.heights)
            for top, height in zip(tops, heights)
        )
        self.tall = max(ends, default=0.0)

    def _items(self, side: int) -> Iterator[ColumnItem]:
        """An item for each layer."""
        places: dict[int, ColumnItem] = {}
        for number, (group, tone) in enumerate(zip(self.comparison.groups, self.tones)):
            own = ((group.a, group.a_reformats), (group.b, group.b_reformats))[side]
            for layers, reformat in zip(own, (False, True)):
                item = ColumnItem(number, "group", reformat, REFORMAT if reformat else tone)
                places.update(dict.fromkeys(layers, item))
        rest = self.comparison.overhead
        idle = ColumnItem(-1, "overhead", False, OVERHEAD)
        places.update(dict.fromkeys((rest.a, rest.b)[side], idle))
        alone = ColumnItem(-1, "alone", False, ALONE)
        costs = self.comparison.sides[side]
        return (places.get(i, alone) for i in range(len(costs.engine.layers)))

    def _bands(self) -> Iterator[Band]:
        """The largest run of items of each group on one side, with every run on the other."""
        runs = [_runs(items, len(self.comparison.groups)) for items in self.items]
        for number, (mine, yours) in enumerate(zip(*runs)):
            if mine and yours:
                main = [max(ends, key=lambda run: run[1] - run[0]) for ends in (mine, yours)]
                pairs = [(main[0], run) for run in yours]
                pairs += [(run, main[1]) for run in mine if run != main[0]]
                confidence = self.comparison.groups[number].confidence
                yield from (Band(a, b, number, confidence) for a, b in pairs)

    def _heights(self) -> tuple[list[float], list[float]]:
        """By time, where the times of both can be compared; none is lower than the floor."""
        sides = self.comparison.sides
        most = max(costs.whole or 0.0 for costs in sides)
        room = max(_TALL, max(map(len, self.items)) * self.floor / 2)
        scale = room / most if self.timed and most else 0.0
        heights: tuple[list[float], list[float]] = ([], [])
        for own, costs, items in zip(heights, sides, self.items):
            thin = set(_in_runs(items))
            for number, (item, layer) in enumerate(zip(items, costs.engine.layers)):
                least = _THIN if item.reformat or number in thin else self.floor
                own.append(max(least, scale * (costs.of(layer) or 0.0)))
        return heights

    def _aligned(self) -> tuple[list[float], list[float]]:
        tops: tuple[list[float], list[float]] = ([], [])
        y = [0.0, 0.0]
        sizes = len(self.items[0]), len(self.items[1])
        for ends in (*rising((band.a[0], band.b[0]) for band in self.bands), sizes):
            for side in (0, 1):
                for number in range(len(tops[side]), ends[side]):
                    tops[side].append(y[side])
                    y[side] += self.heights[side][number] + _GAP
            y = [max(y)] * 2
        return tops


def _in_runs(items: Sequence[ColumnItem]) -> Iterator[int]:
    """The places of items that follow their like: ten constants take the room of two layers."""
    for number, (first, second) in enumerate(pairwise(items)):
        if first.place == second.place == "overhead":
            yield from (number, number + 1)


def _runs(items: Sequence[ColumnItem], groups: int) -> list[list[tuple[int, int]]]:
    """Each group's runs of items that follow each other, reformats aside: first and last."""
    runs: list[list[tuple[int, int]]] = [[] for _ in range(groups)]
    before = -1
    for place, item in enumerate(items):
        if item.reformat:
            continue
        if item.group >= 0:
            runs_of_group = runs[item.group]
            if runs_of_group and runs_of_group[-1][1] == before:
                runs_of_group[-1] = (runs_of_group[-1][0], place)
            else:
                runs_of_group.append((place, place))
        before = place
    return runs


# ---- the colours of groups: by speed-up, or without times by what changed ----------------------

SPEEDS: Final = (1.05, 1.2, 1.5, 2.0)  # where the steps of the scale begin
SAME: Final = len(SPEEDS)
SCALE: Final = range(2 * SAME + 1)  # the tones from the slowest to the fastest
_SHADES: Final = (0.3, 0.53, 0.76, 1.0)
# The change that matters most comes first; the number is an index into `Theme.kinds`.
_CHANGES: Final[dict[Change, int]] = {
    "fusion": 5, "precision": 1, "kernel": 4, "format": 2, "shape": 6, "reformats": 0
}  # fmt: skip
UNTIMED: Final = SCALE.stop
_CHANGED: Final = UNTIMED + 1
ALONE: Final = _CHANGED + len(_CHANGES)
OVERHEAD: Final = ALONE + 1
REFORMAT: Final = OVERHEAD + 1
DASHES: Final[dict[Confidence, Dash]] = {
    "names": "solid",
    "weights": "solid",
    "structure": "dashed",
    "region": "dotted",
}


class Tone(NamedTuple):
    """A fill, an outline, and what they stand for."""

    fill: str
    line: str
    words: str


def tone_of(comparison: Comparison, groups: Sequence[Group], timed: bool) -> int:
    """The tone of groups together, as its place in `palette`.

    `timed`: the times of the two engines can be compared.
    """
    if timed:
        took = comparison.took(groups)
        return UNTIMED if took is None else SAME + _step(*took)
    changed = {change for group in groups for change in group.changes}
    return next((_CHANGED + n for n, name in enumerate(_CHANGES) if name in changed), SAME)


def _step(a: float, b: float) -> int:
    """How many steps B is faster, or slower."""
    low, high = sorted((a, b))
    steps = sum(high >= low * speed for speed in SPEEDS) if high else 0
    return steps if a > b else -steps


def palette(theme: Theme, timed: bool) -> list[Tone]:
    """Every tone in the colours of a theme."""
    neutral = mix(theme.paper, theme.ink, 0.1)
    tones = [Tone(neutral, mix(neutral, theme.ink, 0.35), "")] * len(SCALE)
    ends = [f"{low:g} to {high:g} ×" for low, high in pairwise(SPEEDS)]
    ends.append(f"at least {SPEEDS[-1]:g} ×")
    for shade, times, step in zip(_SHADES, ends, range(1, SAME + 1)):
        for color, sign, word in ((theme.slower, -1, "slower"), (theme.faster, 1, "faster")):
            fill = mix(neutral, color, shade)
            line = mix(fill, theme.ink, 0.25)
            tones[SAME + sign * step] = Tone(fill, line, f"B {times} {word}")
    tones[SAME] = tones[SAME]._replace(words="the same time" if timed else "no change in the logs")
    tones.append(Tone(theme.group, theme.muted, "time unknown"))
    for change, kind in _CHANGES.items():
        tones.append(Tone(tint(theme.kinds[kind], theme), theme.kinds[kind], CHANGES[change]))
    tones.append(Tone(tint("#cc79a7", theme), "#cc79a7", "only in A (gone) or in B (new)"))
    quiet = theme.marks["constant"]
    tones.append(Tone(quiet.fill, quiet.line, "constants, shape calls, waits"))
    tones.append(Tone(mix(theme.paper, theme.muted, 0.45), theme.muted, "reformats and no-ops"))
    return tones
