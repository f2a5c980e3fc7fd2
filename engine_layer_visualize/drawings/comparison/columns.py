"""Places the layers of two engines in two columns, with bands between them, for picture and page.

An item is a layer, or neighbours that were merged; both columns are in order of execution, and what
belongs together stands at one height wherever the order allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.result import CONFIDENCES, Comparison, Confidence
from engine_layer_visualize.comparison.sequences import rising
from engine_layer_visualize.core.text import count
from engine_layer_visualize.drawings.comparison import tones

Place = Literal["group", "overhead", "alone"]
FLOOR: Final = 16.0  # of an item, in pixels, where there are few
_LOWER: Final = 12.0
_MAX_TALL_ITEMS: Final = 120  # items of a column
_THIN: Final = 4.0  # of reformats, and of layers in a run of those that no layer needs
_GAP: Final = 2.0
_TALL: Final = 560.0  # of all times of the slower engine together, at least


_Key = Callable[["int", "ColumnItem"], object]  # neighbours of one key are merged


class ColumnItem(NamedTuple):
    """Layers of one engine that stand as one box."""

    layers: tuple[int, ...]  # by index
    groups: tuple[int, ...]  # the numbers of theirs
    place: Place
    reformat: bool
    tone: int  # the number of their colour


class Band(NamedTuple):
    """Items of A and of B that groups join."""

    a: tuple[int, int]  # first and last item
    b: tuple[int, int]
    groups: tuple[int, ...]
    tone: int
    confidence: Confidence


class ComparisonColumns:
    """Two columns of items, and the bands between them.

    Args:
        comparison: what is shown.
        most: items of a column; where there are more layers, neighbours are merged. Constants that
            follow each other then always are.
        every: whether the layers of all optimisation profiles are shown, and not only of those
            that totals are of.
    """

    def __init__(self, comparison: Comparison, most: int | None = None, every: bool = True) -> None:
        self.comparison = comparison
        self.timed = any(group.delta_ms is not None for group in comparison.groups)
        costs = (comparison.a, comparison.b)
        layers = [engine.engine.layers if every else engine.layers for engine in costs]
        single = [
            list(_items(comparison, side, [la.index for la in indices], self.timed))
            for side, indices in enumerate(layers)
        ]
        # `merged` says in words which neighbours were; empty where none were.
        self.items, self.merged = _merged(comparison, single, most, self.timed)
        self.bands = sorted(self._bands(), key=lambda band: (band.a, band.b))
        self.dropped = 0  # bands that are left out, as there are more than twice as many as items
        if most is not None and len(self.bands) > 2 * most:
            self.bands.sort(key=lambda band: -len(band.groups))
            self.dropped = len(self.bands) - 2 * most
            del self.bands[2 * most :]
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
        joined: dict[tuple[tuple[int, int], tuple[int, int]], list[int]] = {}
        for number, (mine, yours) in enumerate(zip(*runs)):
            if not mine or not yours:
                continue
            main = tuple(max(ends, key=lambda run: run[1] - run[0]) for ends in (mine, yours))
            pairs = [(main[0], run) for run in yours]
            pairs += [(run, main[1]) for run in mine if run != main[0]]
            for pair in pairs:
                joined.setdefault(pair, []).append(number)
        for (a, b), groups in joined.items():
            least = max(CONFIDENCES.index(self.comparison.groups[n].confidence) for n in groups)
            tone = tones.of(
                self.comparison, [self.comparison.groups[n] for n in groups], self.timed
            )
            yield Band(a, b, tuple(groups), tone, CONFIDENCES[least])

    def _heights(self, costs: tuple[Costs, Costs]) -> tuple[list[float], list[float]]:
        """By time, where the times of both can be compared; none is lower than the floor."""
        most = max(side.whole or 0.0 for side in costs)
        room = max(_TALL, max(map(len, self.items)) * self.floor / 2)
        scale = room / most if self.timed and most else 0.0
        a, b = (
            [
                max(
                    _THIN if item.reformat or number in thin else self.floor,
                    scale * (side.sum(side.engine.layers[i] for i in item.layers) or 0.0),
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


def _items(
    comparison: Comparison, side: int, layers: Sequence[int], timed: bool
) -> Iterator[ColumnItem]:
    """An item for each layer."""
    places: dict[int, tuple[int, bool]] = {}
    for number, group in enumerate(comparison.groups):
        layers_of_group, more = ((group.a, group.a_reformats), (group.b, group.b_reformats))[side]
        places.update((i, (number, False)) for i in layers_of_group)
        places.update((i, (number, True)) for i in more)
    shades = [tones.of(comparison, [group], timed) for group in comparison.groups]
    overhead = set((comparison.overhead.a, comparison.overhead.b)[side])
    for i in layers:
        if i in places:
            number, reformat = places[i]
            tone = tones.REFORMAT if reformat else shades[number]
            yield ColumnItem((i,), (number,), "group", reformat, tone)
        elif i in overhead:
            yield ColumnItem((i,), (), "overhead", False, tones.OVERHEAD)
        else:
            yield ColumnItem((i,), (), "alone", False, tones.ALONE)


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
        for number in item.groups:
            runs_of_group = runs[number]
            if runs_of_group and runs_of_group[-1][1] == before:
                runs_of_group[-1] = (runs_of_group[-1][0], place)
            else:
                runs_of_group.append((place, place))
        before = place
    return runs


# ---- merging -----------------------------------------------------------------------------------


def _merged(
    comparison: Comparison, items: list[list[ColumnItem]], most: int | None, timed: bool
) -> tuple[list[list[ColumnItem]], str]:
    """Neighbours as one item, where a column has more than `most`, and words that say so.

    A few at a time: those that look alike; where that is not enough, those of neighbouring groups;
    at last, whatever they are.
    """
    layers = max(map(len, items))
    if most is None:
        return items, ""
    items = [_joined(comparison, column, _overhead, timed) for column in items]
    if max(map(len, items)) <= most:
        return items, ""
    confidences = [group.confidence for group in comparison.groups]
    block = -(-2 * layers // most)
    first_places: dict[int, int] = {}  # of each group, among the items of A
    for place, item in enumerate(items[0]):
        for number in item.groups:
            first_places.setdefault(number, place)

    def near(place: int, item: ColumnItem) -> object:
        start = first_places.get(item.groups[0], place) if item.groups else place
        return item.place, start // block

    def alike(place: int, item: ColumnItem) -> object:
        return near(place, item), item.tone, item.groups and confidences[item.groups[0]]

    def counted(place: int, _: ColumnItem) -> object:
        return 2 * place // block

    ways: tuple[tuple[str, _Key], ...] = (
        ("Neighbours that look alike", alike),
        ("Layers of neighbouring groups", near),
        ("Neighbours of any kind", counted),
    )
    for words, key in ways:
        merged = f"{words} are merged"
        joined = [_joined(comparison, column, key, timed) for column in items]
        if max(map(len, joined)) <= most:
            break
    numbers = " and ".join(
        f"{count(len(column), 'layer')} of {name} are {count(len(new), 'box', 'boxes')}"
        for name, column, new in zip("AB", items, joined)
    )
    return joined, f"{merged}: {numbers}."


def _overhead(place: int, item: ColumnItem) -> object:
    """Neighbours that run for no layer of the network are always one item."""
    return -1 if item.place == "overhead" else place


def _joined(
    comparison: Comparison,
    items: Sequence[ColumnItem],
    key: Callable[[int, ColumnItem], object],
    timed: bool,
) -> list[ColumnItem]:
    joined = []
    for _, numbered in groupby(enumerate(items), lambda pair: key(*pair)):
        merged = [item for _, item in numbered]
        if len(merged) == 1:
            joined += merged
            continue
        layers = tuple(i for item in merged for i in item.layers)
        groups = tuple(dict.fromkeys(n for item in merged for n in item.groups))
        kinds = {item.tone for item in merged}
        reformat = kinds == {tones.REFORMAT}
        place: Place = "group" if groups else "alone" if tones.ALONE in kinds else "overhead"
        tone = merged[0].tone
        if len(kinds) > 1:
            joint = tones.of(comparison, [comparison.groups[n] for n in groups], timed)
            tone = joint if groups else tones.ALONE
        joined.append(ColumnItem(layers, groups, place, reformat, tone))
    return joined
