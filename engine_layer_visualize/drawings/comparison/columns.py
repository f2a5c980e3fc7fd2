"""A comparison in; two columns of items and the bands between them out, for picture and page.

An item is a layer, or neighbours that were merged; both columns are in order of execution, and what
belongs together stands at one height wherever the order allows it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.result import CONFIDENCES, Comparison, Confidence
from engine_layer_visualize.core.text import count
from engine_layer_visualize.drawings.comparison import tones

Place = Literal["group", "overhead", "alone"]
FLOOR: Final = 16.0  # of an item, in pixels, where there are few
_LOWER: Final = 12.0
_FEW: Final = 120  # items of a column
_THIN: Final = 4.0  # of reformats, and of layers in a run of those that no layer needs
_GAP: Final = 2.0
_TALL: Final = 560.0  # of all times of the slower engine together, at least


_Key = Callable[["int", "Item"], object]  # neighbours of one key are merged


class Item(NamedTuple):
    """Layers of one engine, by index. `groups`: the numbers of theirs; `place`, `reformat`: what
    they are; `tone`: the number of their colour."""

    layers: tuple[int, ...]
    groups: tuple[int, ...]
    place: Place
    reformat: bool
    tone: int


class Band(NamedTuple):
    """First and last item of A, and of B, that groups join."""

    a: tuple[int, int]
    b: tuple[int, int]
    groups: tuple[int, ...]
    tone: int
    confidence: Confidence


class Columns:
    """`items`, `tops` and `heights` of A and of B; `bands` between them.

    `most`: items of a column; where there are more layers, neighbours are merged, and `merged` says
    which; constants that follow each other always are. `dropped`: bands that are left out, as there
    are more than twice as many. `every`: the layers of all optimisation profiles, not only of those
    that totals are of.
    """

    def __init__(self, found: Comparison, most: int | None = None, every: bool = True) -> None:
        self.found = found
        self.timed = any(group.delta_ms is not None for group in found.groups)
        costs = (found.a, found.b)
        layers = [one.engine.layers if every else one.layers for one in costs]
        single = [
            list(_items(found, side, [la.index for la in own], self.timed))
            for side, own in enumerate(layers)
        ]
        self.items, self.merged = _merged(found, single, most, self.timed)
        self.bands = sorted(self._bands(), key=lambda band: (band.a, band.b))
        self.dropped = 0
        if most is not None and len(self.bands) > 2 * most:
            self.bands.sort(key=lambda band: -len(band.groups))
            self.dropped = len(self.bands) - 2 * most
            del self.bands[2 * most :]
        self.floor = FLOOR if max(map(len, self.items)) <= _FEW else _LOWER
        self.heights = self._heights(costs)
        self.tops = self._aligned()
        self.tall = max(
            (
                top + tall
                for own, tops in zip(self.heights, self.tops)
                for top, tall in zip(tops, own)
            ),
            default=0.0,
        )

    def _bands(self) -> Iterator[Band]:
        """The largest run of items of each group on one side, with every run on the other."""
        runs = [_runs(items, len(self.found.groups)) for items in self.items]
        joined: dict[tuple[tuple[int, int], tuple[int, int]], list[int]] = {}
        for number, (mine, yours) in enumerate(zip(*runs)):
            if not mine or not yours:
                continue
            main = tuple(max(own, key=lambda run: run[1] - run[0]) for own in (mine, yours))
            pairs = [(main[0], run) for run in yours]
            pairs += [(run, main[1]) for run in mine if run != main[0]]
            for pair in pairs:
                joined.setdefault(pair, []).append(number)
        for (a, b), groups in joined.items():
            least = max(CONFIDENCES.index(self.found.groups[n].confidence) for n in groups)
            tone = tones.of(self.found, [self.found.groups[n] for n in groups], self.timed)
            yield Band(a, b, tuple(groups), tone, CONFIDENCES[least])

    def _heights(self, costs: tuple[Costs, Costs]) -> tuple[list[float], list[float]]:
        """By time, where the times of both can be compared; none is lower than the floor."""
        most = max((one.whole or 0.0 for one in costs), default=0.0)
        room = max(_TALL, max(map(len, self.items)) * self.floor / 2)
        scale = room / most if self.timed and most else 0.0
        a, b = (
            [
                max(
                    _THIN if item.reformat or at in thin else self.floor,
                    scale * (one.sum(one.engine.layers[i] for i in item.layers) or 0.0),
                )
                for at, item in enumerate(items)
            ]
            for one, items in zip(costs, self.items)
            for thin in [set(_in_runs(items))]
        )
        return a, b

    def _aligned(self) -> tuple[list[float], list[float]]:
        tops: tuple[list[float], list[float]] = ([], [])
        y = [0.0, 0.0]
        sizes = len(self.items[0]), len(self.items[1])
        for ends in (*_ascending((band.a[0], band.b[0]) for band in self.bands), sizes):
            for side in (0, 1):
                for at in range(len(tops[side]), ends[side]):
                    tops[side].append(y[side])
                    y[side] += self.heights[side][at] + _GAP
            y = [max(y)] * 2
        return tops


def _items(found: Comparison, side: int, layers: Sequence[int], timed: bool) -> Iterator[Item]:
    """An item for each layer."""
    of: dict[int, tuple[int, bool]] = {}
    for number, group in enumerate(found.groups):
        own, more = ((group.a, group.a_reformats), (group.b, group.b_reformats))[side]
        of.update((i, (number, False)) for i in own)
        of.update((i, (number, True)) for i in more)
    shades = [tones.of(found, [group], timed) for group in found.groups]
    overhead = set((found.overhead.a, found.overhead.b)[side])
    for i in layers:
        if i in of:
            number, reformat = of[i]
            tone = tones.REFORMAT if reformat else shades[number]
            yield Item((i,), (number,), "group", reformat, tone)
        elif i in overhead:
            yield Item((i,), (), "overhead", False, tones.OVERHEAD)
        else:
            yield Item((i,), (), "alone", False, tones.ALONE)


def _in_runs(items: Sequence[Item]) -> Iterator[int]:
    """The places of items that follow their like: ten constants take the room of two layers."""
    for at, (one, other) in enumerate(pairwise(items)):
        if one.place == other.place == "overhead":
            yield from (at, at + 1)


def _runs(items: Sequence[Item], groups: int) -> list[list[tuple[int, int]]]:
    """Of each group: first and last of its items that follow each other, reformats aside."""
    runs: list[list[tuple[int, int]]] = [[] for _ in range(groups)]
    before = -1
    for at, item in enumerate(items):
        if item.reformat:
            continue
        for number in item.groups:
            own = runs[number]
            if own and own[-1][1] == before:
                own[-1] = (own[-1][0], at)
            else:
                own.append((at, at))
        before = at
    return runs


def _ascending(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs in which both numbers grow."""
    ends: list[int] = []  # of the best chain of each length
    chain: list[tuple[tuple[int, int], int]] = []  # a pair, and the place of the one before it
    last: list[int] = []
    for pair in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
        at = bisect_left(ends, pair[1])
        chain.append((pair, last[at - 1] if at else -1))
        ends[at : at + 1] = [pair[1]]
        last[at : at + 1] = [len(chain) - 1]
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        pair, at = chain[at]
        found.append(pair)
    return found[::-1]


# ---- merging -----------------------------------------------------------------------------------


def _merged(
    found: Comparison, items: list[list[Item]], most: int | None, timed: bool
) -> tuple[list[list[Item]], str]:
    """Neighbours as one item, where a column has more than `most`, a few at a time: those that look
    alike; where that is not enough, those of neighbouring groups; at last, whatever they are."""
    layers = max(map(len, items))
    if most is None:
        return items, ""
    items = [_joined(found, own, _overhead, timed) for own in items]
    if max(map(len, items)) <= most:
        return items, ""
    confidences = [group.confidence for group in found.groups]
    block = -(-2 * layers // most)
    rank = _ranks(items[0])

    def near(at: int, item: Item) -> object:
        return item.place, rank.get(item.groups[0], at) // block if item.groups else at // block

    def alike(at: int, item: Item) -> object:
        return near(at, item), item.tone, item.groups and confidences[item.groups[0]]

    def counted(at: int, _: Item) -> object:
        return 2 * at // block

    ways: tuple[tuple[str, _Key], ...] = (
        ("Neighbours that look alike", alike),
        ("Layers of neighbouring groups", near),
        ("Neighbours of any kind", counted),
    )
    for words, key in ways:
        merged = f"{words} are merged"
        joined = [_joined(found, own, key, timed) for own in items]
        if max(map(len, joined)) <= most:
            break
    numbers = " and ".join(
        f"{count(len(own), 'layer')} of {name} are {count(len(new), 'box', 'boxes')}"
        for name, own, new in zip("AB", items, joined)
    )
    return joined, f"{merged}: {numbers}."


def _overhead(at: int, item: Item) -> object:
    """Neighbours that run for no layer of the network are always one item."""
    return -1 if item.place == "overhead" else at


def _ranks(items: Sequence[Item]) -> dict[int, int]:
    """Of each group: where it begins among the items."""
    found: dict[int, int] = {}
    for at, item in enumerate(items):
        for number in item.groups:
            found.setdefault(number, at)
    return found


def _joined(
    found: Comparison, items: Sequence[Item], key: Callable[[int, Item], object], timed: bool
) -> list[Item]:
    joined = []
    for _, numbered in groupby(enumerate(items), lambda pair: key(*pair)):
        own = [item for _, item in numbered]
        if len(own) == 1:
            joined += own
            continue
        layers = tuple(i for item in own for i in item.layers)
        groups = tuple(dict.fromkeys(n for item in own for n in item.groups))
        kinds = {item.tone for item in own}
        reformat = kinds == {tones.REFORMAT}
        place: Place = "group" if groups else "alone" if tones.ALONE in kinds else "overhead"
        tone = own[0].tone
        if len(kinds) > 1:
            joint = tones.of(found, [found.groups[n] for n in groups], timed)
            tone = joint if groups else tones.ALONE
        joined.append(Item(layers, groups, place, reformat, tone))
    return joined
