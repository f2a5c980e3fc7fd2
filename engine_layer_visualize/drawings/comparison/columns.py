"""Places the layers of two engines in two columns, with bands between them.

Both columns are in order of execution, and what belongs together stands at one height wherever the
order allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.result import Comparison, Confidence
from engine_layer_visualize.comparison.sequences import rising
from engine_layer_visualize.drawings.comparison import tones

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
    tone: int
    confidence: Confidence


class ComparisonColumns:
    """Two columns of items, and the bands between them."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.timed = any(group.delta_ms is not None for group in comparison.groups)
        costs = (comparison.a, comparison.b)
        self.items = [
            list(_items(comparison, side, len(engine.engine.layers), self.timed))
            for side, engine in enumerate(costs)
        ]
        self.bands = sorted(self._bands(), key=lambda band: (band.a, band.b))
        self.floor = FLOOR if max(map(len, self.items)) <= _MAX_TALL_ITEMS else _LOWER
        self.heights = self._heights(costs)
        self.tops = self._aligned()
        self.tall = max(
            (
                top + tall
                for heights, tops in zip(self.heights, self.tops)
                for top, tall in zip(tops, heights)
            ),
            default=0.0,
        )

    def _bands(self) -> Iterator[Band]:
        """The largest run of items of each group on one side, with every run on the other."""
        runs = [_runs(items, len(self.comparison.groups)) for items in self.items]
        for number, (mine, yours) in enumerate(zip(*runs)):
            if not mine or not yours:
                continue
            group = self.comparison.groups[number]
            tone = tones.of(self.comparison, [group], self.timed)
            main = tuple(max(ends, key=lambda run: run[1] - run[0]) for ends in (mine, yours))
            pairs = [(main[0], run) for run in yours]
            pairs += [(run, main[1]) for run in mine if run != main[0]]
            for a, b in pairs:
                yield Band(a, b, number, tone, group.confidence)

    def _heights(self, costs: tuple[Costs, Costs]) -> tuple[list[float], list[float]]:
        """By time, where the times of both can be compared; none is lower than the floor."""
        most = max(side.whole or 0.0 for side in costs)
        room = max(_TALL, max(map(len, self.items)) * self.floor / 2)
        scale = room / most if self.timed and most else 0.0
        a, b = (
            [
                max(
                    _THIN if item.reformat or number in thin else self.floor,
                    scale * (side.of(side.engine.layers[number]) or 0.0),
                )
                for number, item in enumerate(items)
            ]
            for side, items in zip(costs, self.items)
            for thin in [set(_in_runs(items))]
        )
        return a, b

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


def _items(comparison: Comparison, side: int, layers: int, timed: bool) -> Iterator[ColumnItem]:
    """An item for each layer."""
    places: dict[int, tuple[int, bool]] = {}
    for number, group in enumerate(comparison.groups):
        layers_of_group, more = ((group.a, group.a_reformats), (group.b, group.b_reformats))[side]
        places.update((i, (number, False)) for i in layers_of_group)
        places.update((i, (number, True)) for i in more)
    shades = [tones.of(comparison, [group], timed) for group in comparison.groups]
    overhead = set((comparison.overhead.a, comparison.overhead.b)[side])
    for i in range(layers):
        if i in places:
            number, reformat = places[i]
            tone = tones.REFORMAT if reformat else shades[number]
            yield ColumnItem(number, "group", reformat, tone)
        elif i in overhead:
            yield ColumnItem(-1, "overhead", False, tones.OVERHEAD)
        else:
            yield ColumnItem(-1, "alone", False, tones.ALONE)


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
