"""Matches layers by what they do and where they stand, and gives satellites to theirs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from engine_layer_visualize.comparison import sequences
from engine_layer_visualize.comparison.fused import like, products
from engine_layer_visualize.comparison.pairing import Match
from engine_layer_visualize.comparison.result import Confidence
from engine_layer_visualize.comparison.side import COMPILED, EngineSide, Work, alike, contradict
from engine_layer_visualize.trt.names import COPY, myelin_index

# ---- matches layers that names did not match by what they do and where they stand ---------------

# Operators, shapes, weights and the order of execution decide; what they leave open stays
# unmatched.

_MIN_SCORE: Final = 1.0  # score of a pair in order
_MIN_CROSSED_SCORE: Final = 4.0  # score of a pair out of order
_MAX_CROSSED_PLACES: Final = 6  # places
_WHY: Final[dict[Confidence, str]] = {
    "structure": "the same operator, shapes and place",
    "region": "the same tensors at the ends of what was compiled as one",
}


class _AlignedItem(NamedTuple):
    """What is aligned: a layer, or the kernels of one Myelin layer."""

    layers: tuple[int, ...]
    work: Work

    @property
    def at(self) -> int:
        return self.layers[0]


def by_structure(sides: tuple[EngineSide, EngineSide], matches: Sequence[Match]) -> list[Match]:
    """The groups so far, with more of layers that are in none."""
    taken = [{i for match in matches for i in match.both[side]} for side in (0, 1)]
    items = _items(sides, taken)
    pairs: list[tuple[_AlignedItem, _AlignedItem]] = []
    for mine, yours in _rectangles(
        items, sequences.rising((match.a[0], match.b[0]) for match in matches)
    ):
        pairs += _pairs(mine, yours)
    more = [_match(a, b) for a, b in pairs]
    for match in more:
        for side in (0, 1):
            taken[side].update(match.both[side])
    return [*matches, *more, *_neighbours(sides, [*matches, *more], taken)]


def _match(a: _AlignedItem, b: _AlignedItem) -> Match:
    region = len(a.layers) > 1 or len(b.layers) > 1
    confidence: Confidence = "region" if region else "structure"
    return Match(a.layers, b.layers, confidence, _WHY[confidence])


# ---- what is aligned ---------------------------------------------------------------------------


def _items(
    sides: tuple[EngineSide, EngineSide], taken: Sequence[set[int]]
) -> tuple[list[_AlignedItem], list[_AlignedItem]]:
    """The computing layers that are in no group.

    Where one side has a Myelin layer that is whole, the kernels of each Myelin layer of the other
    are one item.
    """
    free = [
        [i for i in side.members if side.role[i] == "computes" and i not in indices]
        for side, indices in zip(sides, taken)
    ]
    whole = [
        any(side.work[i].operator == "myelin" for i in indices)
        for side, indices in zip(sides, free)
    ]
    a = _units(sides[0], free[0]) if whole[1] and not whole[0] else _single(sides[0], free[0])
    b = _units(sides[1], free[1]) if whole[0] and not whole[1] else _single(sides[1], free[1])
    return a, b


def _single(side: EngineSide, free: Sequence[int]) -> list[_AlignedItem]:
    return [_AlignedItem((i,), side.work[i]) for i in free]


def _units(side: EngineSide, free: Sequence[int]) -> list[_AlignedItem]:
    units: dict[int, list[int]] = defaultdict(list)
    items = []
    for i in free:
        number = myelin_index(side.layers[i].name)
        if number is None:
            items.append(_AlignedItem((i,), side.work[i]))
        else:
            units[number].append(i)
    for unit in units.values():
        inside = set(unit)
        leaving = [
            i for i in unit if i in side.outputs or not inside.issuperset(side.readers.get(i, ()))
        ]
        output = side.work[(leaving or unit)[0]].output
        items.append(
            _AlignedItem(tuple(unit), Work("myelin", output, side.work[unit[0]].inputs, None))
        )
    return sorted(items, key=lambda item: item.at)


def _rectangles(
    items: tuple[list[_AlignedItem], list[_AlignedItem]], anchors: Sequence[tuple[int, int]]
) -> Iterator[tuple[list[_AlignedItem], list[_AlignedItem]]]:
    """The items between two anchors, of both sides."""
    starts = [0, 0]
    for anchor in [*anchors, None]:
        ends = [
            len(own) if anchor is None else bisect_left(own, place, key=lambda item: item.at)
            for own, place in zip(items, anchor or (0, 0))
        ]
        mine, yours = (own[start:end] for own, start, end in zip(items, starts, ends))
        if mine and yours:
            yield mine, yours
        starts = ends


# ---- pairs -------------------------------------------------------------------------------------


def _pairs(
    mine: list[_AlignedItem], yours: list[_AlignedItem]
) -> Iterator[tuple[_AlignedItem, _AlignedItem]]:
    """In order, then those that the order crosses."""
    words: dict[Work, int] = {}
    numbers = [
        [words.setdefault(item.work, len(words)) for item in items] for items in (mine, yours)
    ]
    works = list(words)
    scores: dict[tuple[int, int], float] = {}

    def score(a: int, b: int) -> float:
        if (known := scores.get((a, b))) is None:
            known = scores[a, b] = likeness(works[a], works[b])
        return known

    free = [set(range(len(items))) for items in (mine, yours)]
    expected: list[tuple[int, int]] = []
    for i, j in sequences.aligned(numbers[0], numbers[1], score):
        if score(numbers[0][i], numbers[1][j]) >= _MIN_SCORE and _may_pair(
            works[numbers[0][i]], works[numbers[1][j]]
        ):
            yield mine[i], yours[j]
            expected.append((i, j))
            free[0].discard(i)
            free[1].discard(j)
    if not free[0] or not free[1]:
        return
    others = sorted(free[1])
    crossed = []
    for i in sorted(free[0]):
        near = bisect_left(expected, (i, 0))
        place = expected[near][1] if near < len(expected) else len(yours)
        for j in others[bisect_left(others, place - _MAX_CROSSED_PLACES) :]:
            if j > place + _MAX_CROSSED_PLACES:
                break
            reached = score(numbers[0][i], numbers[1][j])
            if reached >= _MIN_CROSSED_SCORE:
                crossed.append((-reached, abs(j - place), i, j))
    for _, _, i, j in sorted(crossed):
        if i in free[0] and j in free[1]:
            free[0].discard(i)
            free[1].discard(j)
            yield mine[i], yours[j]


def likeness(a: Work, b: Work) -> float:
    """How much speaks for two layers doing the same work."""
    score = 2.0 if a.operator == b.operator else 1.0 if products(a.operator, b.operator) else -2.0
    if score < 0 and like(a.operator, b.operator):
        score = 0.0
    score += 2.0 if alike(a.output, b.output) else -2.0
    same = len(a.inputs) == len(b.inputs) and all(map(alike, a.inputs, b.inputs))
    score += 1.0 if same else -0.5
    score += 0.5 if a.next == b.next else 0.0
    if a.weights is not None and b.weights is not None:
        score += -6.0 if contradict(a.weights, b.weights) else 4.0
    return score


def _may_pair(a: Work, b: Work) -> bool:
    """Whether a pair in order is sure enough: what was compiled needs equal tensors."""
    if a.operator in COMPILED or b.operator in COMPILED:
        return likeness(a, b) >= (2.0 if a.operator == b.operator else 3.0)
    return like(a.operator, b.operator)


# ---- neighbours --------------------------------------------------------------------------------


def _neighbours(
    sides: tuple[EngineSide, EngineSide], matches: Sequence[Match], taken: Sequence[set[int]]
) -> list[Match]:
    """Pairs of layers between matched neighbours: shuffles, and what the order left out."""
    home: list[dict[int, int]] = [{}, {}]
    for group, match in enumerate(matches):
        for number in (0, 1):
            home[number].update(dict.fromkeys(match.both[number], group))
    more: list[Match] = []
    for directions in ((False,), (True,), (False, True)):
        signed = [
            list(_signed(side, own, taken_layers, directions))
            for side, own, taken_layers in zip(sides, home, taken)
        ]
        for a, b in sequences.equal(*signed):
            works = sides[0].work[a], sides[1].work[b]
            if like(works[0].operator, works[1].operator) and not contradict(
                works[0].weights, works[1].weights
            ):
                match = Match((a,), (b,), "structure", _WHY["structure"])
                home[0][a] = home[1][b] = len(matches) + len(more)
                taken[0].add(a)
                taken[1].add(b)
                more.append(match)
    return more


def _signed(
    side: EngineSide, home: Mapping[int, int], taken: set[int], directions: Sequence[bool]
) -> Iterator[tuple[Hashable, int]]:
    """The layers in no group that have one next to them, by what they are and by their places.

    Beside one neighbour, operator and shape count; between two, only the number of elements.
    """
    for i in side.members:
        if side.role[i] in ("computes", "moves") and i not in taken:
            near = (side.readers if forward else side.writers for forward in directions)
            places = [[home[n] for n in side.beyond(each, i) if n in home] for each in near]
            if all(places):
                work = side.work[i]
                what = (work.operator, work.output) if len(places) == 1 else side.elements(i)
                if what is not None:
                    yield (what, *map(min, places)), i


# ---- gives reformats and no-ops to the layers that they serve, by their tensors -----------------

# The name of a reformat holds that of a neighbour, but in the next build that may be the other
# one.


_SERVED: Final = re.compile(rf"{COPY}\w+ Tensor \d+ to (.+)")


def homes_of_satellites(side: EngineSide, members: Sequence[Sequence[int]]) -> dict[int, int]:
    """The group of each reformat that serves one.

    The first of those that read it, else of those that write for it; where no tensors are known,
    that which its name tells. `members`: the layers of each group.
    """
    home = {index: number for number, layers in enumerate(members) for index in layers}
    if not side.costs.engine.graph.edges:
        return _by_name(side, home)
    home_of: dict[int, int] = {}
    for index in side.members:
        if side.role[index] == "serves" and index not in home:
            for near in (side.readers, side.writers):
                places = [home[i] for i in side.beyond(near, index) if i in home]
                if places:
                    home_of[index] = min(places)
                    break
    return home_of


def _by_name(side: EngineSide, home: Mapping[int, int]) -> dict[int, int]:
    named = {side.layers[index].name: number for index, number in home.items()}
    served = {
        index: match[1]
        for index in side.members
        if index not in home and (match := _SERVED.match(side.layers[index].name))
    }
    return {index: named[name] for index, name in served.items() if name in named}


def idle(sides: tuple[EngineSide, EngineSide], matches: Sequence[Match]) -> list[Match]:
    """Pairs of layers that only move or reformat, and serve no layer of a group.

    Such as a copy of an input or a slice of constants: those of the same tensors, then of the same
    names.
    """
    free = [
        _idle(side, {i for match in matches for i in match.both[number]})
        for number, side in enumerate(sides)
    ]
    pairs: list[tuple[int, int]] = []
    for sign in (_record, _tensors, _name):
        a, b = ([(sign(side, i), i) for i in layers] for side, layers in zip(sides, free))
        pairs += sequences.equal(a, b)
        for layers, used in zip(free, ({a for a, _ in pairs}, {b for _, b in pairs})):
            layers[:] = [i for i in layers if i not in used]
    return [Match((a,), (b,), "structure", "the same tensors, and no neighbour") for a, b in pairs]


def _idle(side: EngineSide, taken: set[int]) -> list[int]:
    def serves_one(i: int) -> bool:
        near = chain(side.beyond(side.readers, i), side.beyond(side.writers, i))
        return side.role[i] == "serves" and any(layer in taken for layer in near)

    return [
        i
        for i in side.members
        if side.role[i] in ("serves", "moves") and i not in taken and not serves_one(i)
    ]


def _record(side: EngineSide, index: int) -> Hashable:
    return _name(side, index), _tensors(side, index)


def _tensors(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    both = (layer.inputs, layer.outputs)
    return side.role[index], tuple(tuple((t.name, t.dims) for t in own) for own in both)


def _name(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    return layer.name, layer.type
