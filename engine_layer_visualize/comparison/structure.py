"""Matches layers that names did not match, by what they do and where they stand.

Operators, shapes, weights and the order of execution decide; what they leave open stays unmatched.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison import sequences
from engine_layer_visualize.comparison.names import MAX_LAYERS
from engine_layer_visualize.comparison.result import CONFIDENCES, Confidence
from engine_layer_visualize.comparison.side import (
    EngineSide,
    Match,
    Matches,
    Role,
    Work,
    alike,
    beyond,
)
from engine_layer_visualize.trt.names import myelin_index

_MIN_SCORE: Final = 1.0  # of a pair in order
_MIN_CROSSED_SCORE: Final = 4.0  # of a pair out of order
_MAX_CROSSED_PLACES: Final = 6
_WHY: Final = "the same operator, shapes and place"
_WHY_REGION: Final = "the same tensors at the ends of what was compiled as one"


class _Item(NamedTuple):
    """What is aligned: a layer, or the kernels of one Myelin layer."""

    layers: tuple[int, ...]
    work: Work


def by_structure(found: Matches) -> None:
    """Adds pairs of layers that are in no group: aligned ones, then those between neighbours."""
    anchors = sequences.rising((match.a[0], match.b[0]) for match in found.all)
    for a, b in list(_aligned(_items(found), anchors)):
        if len(a.layers) > 1 or len(b.layers) > 1:
            found.add(Match(a.layers, b.layers, "region", _WHY_REGION))
        else:
            found.add(Match(a.layers, b.layers, "structure", _WHY))
    _add_neighbours(found)


def _items(found: Matches) -> tuple[list[_Item], list[_Item]]:
    """The computing layers that are in no group.

    Where one side has a Myelin layer that is whole, the kernels of each Myelin layer of the other
    are one item.
    """
    free = [found.free(side, "computes") for side in (0, 1)]
    whole = [side.has_whole_myelin(own) for side, own in zip(found.sides, free)]
    a, b = (
        _units(side, own)
        if whole[1 - number] and not whole[number]
        else [_Item((i,), side.work[i]) for i in own]
        for number, (side, own) in enumerate(zip(found.sides, free))
    )
    return a, b


def _units(side: EngineSide, free: Sequence[int]) -> list[_Item]:
    units: dict[int, list[int]] = defaultdict(list)
    items = []
    for i in free:
        number = myelin_index(side.layers[i].name)
        if number is None:
            items.append(_Item((i,), side.work[i]))
        else:
            units[number].append(i)
    for unit in units.values():
        inside = set(unit)
        leaving = [
            i for i in unit if i in side.outputs or not inside.issuperset(side.readers.get(i, ()))
        ]
        output = side.work[(leaving or unit)[0]].output
        items.append(_Item(tuple(unit), Work("myelin", output, side.work[unit[0]].inputs, None)))
    return sorted(items)


def _aligned(
    items: tuple[list[_Item], list[_Item]], anchors: Sequence[tuple[int, int]]
) -> Iterator[tuple[_Item, _Item]]:
    """The pairs of the items of both sides between two anchors, and so on."""
    starts = [0, 0]
    for anchor in [*anchors, None]:
        ends = [
            len(own) if anchor is None else bisect_left(own, place, key=lambda item: item.layers[0])
            for own, place in zip(items, anchor or (0, 0))
        ]
        mine, yours = (own[start:end] for own, start, end in zip(items, starts, ends))
        if mine and yours:
            yield from _pairs(mine, yours)
        starts = ends


def _pairs(mine: Sequence[_Item], yours: Sequence[_Item]) -> Iterator[tuple[_Item, _Item]]:
    """In order, then those that the order crosses."""
    words: dict[Work, int] = {}
    a, b = ([words.setdefault(item.work, len(words)) for item in own] for own in (mine, yours))
    works = list(words)
    scores: dict[tuple[int, int], float] = {}

    def score(a: int, b: int) -> float:
        if (known := scores.get((a, b))) is None:
            known = scores[a, b] = _likeness(works[a], works[b])
        return known

    free = set(range(len(mine))), set(range(len(yours)))
    expected: list[tuple[int, int]] = []
    for i, j in sequences.aligned(a, b, score):
        if _may_pair(works[a[i]], works[b[j]], score(a[i], b[j])):
            yield mine[i], yours[j]
            expected.append((i, j))
            free[0].discard(i)
            free[1].discard(j)
    if not all(free):
        return
    others = sorted(free[1])
    crossed = []
    for i in sorted(free[0]):
        near = bisect_left(expected, (i, 0))
        place = expected[near][1] if near < len(expected) else len(yours)
        for j in others[bisect_left(others, place - _MAX_CROSSED_PLACES) :]:
            if j > place + _MAX_CROSSED_PLACES:
                break
            if (reached := score(a[i], b[j])) >= _MIN_CROSSED_SCORE:
                crossed.append((-reached, abs(j - place), i, j))
    for _, _, i, j in sorted(crossed):
        if i in free[0] and j in free[1]:
            free[0].discard(i)
            free[1].discard(j)
            yield mine[i], yours[j]


def _likeness(a: Work, b: Work) -> float:
    """How much speaks for two layers doing the same work."""
    if a.operator == b.operator:
        score = 2.0
    elif a.multiplies_as(b):
        score = 1.0
    else:
        score = 0.0 if a.may_be(b) else -2.0
    score += 2.0 if alike(a.output, b.output) else -2.0
    same = len(a.inputs) == len(b.inputs) and all(map(alike, a.inputs, b.inputs))
    score += 1.0 if same else -0.5
    score += 0.5 if a.next == b.next else 0.0
    if a.weights is not None and b.weights is not None:
        score += -6.0 if a.contradicts(b) else 4.0
    return score


def _may_pair(a: Work, b: Work, score: float) -> bool:
    """Whether a pair in order is sure enough: what was compiled needs equal tensors."""
    if a.is_compiled or b.is_compiled:
        return score >= (2.0 if a.operator == b.operator else 3.0)
    return score >= _MIN_SCORE and a.may_be(b)


# ---- beside what is matched --------------------------------------------------------------------


def _add_neighbours(found: Matches) -> None:
    """Adds pairs of layers between matched neighbours: shuffles, and what the order left out."""
    for directions in ((False,), (True,), (False, True)):
        a, b = (list(_signed(found, side, directions)) for side in (0, 1))
        for i, j in sequences.equal(a, b):
            mine, yours = found.sides[0].work[i], found.sides[1].work[j]
            if mine.may_be(yours) and not mine.contradicts(yours):
                found.add(Match((i,), (j,), "structure", _WHY))


def _signed(
    found: Matches, side: int, directions: Sequence[bool]
) -> Iterator[tuple[Hashable, int]]:
    """The layers in no group that have one next to them, by what they are and by their places.

    Beside one neighbour, operator and shape count; between two, only the number of elements.
    """
    own, home = found.sides[side], found.home[side]
    for i in found.free(side, "computes", "moves"):
        near = (own.readers if forward else own.writers for forward in directions)
        places = [[home[n] for n in own.beyond(each, i) if n in home] for each in near]
        if all(places):
            work = own.work[i]
            what = (work.operator, work.output) if len(places) == 1 else own.elements(i)
            if what is not None:
                yield (what, *map(min, places)), i


def by_index(found: Matches) -> None:
    """Adds ForeignNodes with the kernels that bear their index, as those that names match do."""
    for number, (side, other) in enumerate(zip(found.sides, reversed(found.sides))):
        kernels: dict[int, list[int]] = defaultdict(list)
        for i in side.members:
            if (unit := myelin_index(side.layers[i].name)) is not None:
                kernels[unit].append(i)
        whole = {other.layers[i].position: i for i in other.members if other.has_whole_myelin([i])}
        home, theirs = found.home[number], found.home[1 - number]
        named = {unit: {home[i] for i in own if i in home} for unit, own in kernels.items()}
        told = [named[unit] == {theirs.get(whole.get(unit, -1))} for unit in kernels if named[unit]]
        for unit in kernels if told and all(told) else ():
            if not named[unit] and (at := whole.get(unit)) is not None and at not in theirs:
                both = ((at,), tuple(kernels[unit]))
                found.add(Match(both[number - 1], both[number], "names", "the same index"))


def idle(found: Matches, by_name: bool) -> None:
    """Adds pairs of layers that compute nothing, and serve no layer of a group.

    Such as a copy of an input, or constants: those of the same tensors, then of the same names,
    then overhead of the same types and dims. `by_name`: one side has no tensors, so that what a
    layer serves is not known.
    """
    free = [_idle(found, side, by_name) for side in (0, 1)]
    for sign in (_record, _tensors, _name, _overhead):
        signed = (
            [(sign(side, i), i) for i in own if sign(side, i)]
            for side, own in zip(found.sides, free)
        )
        for i, j in sequences.equal(*signed):
            found.add(Match((i,), (j,), "structure", "the same tensors, and no neighbour"))
        free = [[i for i in own if i not in home] for own, home in zip(free, found.home)]


def _idle(found: Matches, number: int, by_name: bool) -> list[int]:
    side, home = found.sides[number], found.home[number]

    def serves_one(i: int) -> bool:
        near = chain(side.beyond(side.readers, i), side.beyond(side.writers, i))
        return side.role[i] == "serves" and any(layer in home for layer in near)

    roles: tuple[Role, ...] = ("serves", "moves", "overhead")
    return [i for i in found.free(number, *roles) if by_name or not serves_one(i)]


def _record(side: EngineSide, index: int) -> Hashable:
    return _name(side, index), _tensors(side, index)


def _tensors(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    both = (layer.inputs, layer.outputs)
    return side.role[index], tuple(tuple((t.name, t.dims) for t in own) for own in both)


def _name(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    return layer.name, layer.type


def _overhead(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    dims = tuple(tensor.dims for tensor in layer.outputs)
    return (layer.type, dims) if side.role[index] == "overhead" else None


_LIGHT: Final = frozenset(("pooling", "pointwise", "kgen"))
_SHUFFLES: Final = re.compile(
    r"(?:\A|[/.])(?:Transpose|Reshape|Squeeze|Unsqueeze|Flatten|Cast|Identity)\Z"
)
_COUNTED: Final = re.compile(r"_\d+\Z")  # what exporters count nodes with
_MAX_ROUNDS: Final = 4  # of taking in what stands next to what was taken in


class _Reason(NamedTuple):
    """Why a layer belongs to a match."""

    match: int
    confidence: Confidence  # at most
    words: str


def take_in(found: Matches) -> None:
    """Puts layers that the other engine has in one of its groups into that group."""
    sides = _Open(found, 0), _Open(found, 1)
    for _ in range(_MAX_ROUNDS):
        reasons = [
            (side, index, why)
            for side in sides
            for index in sorted(side.open)
            if (why := side.why(index)) is not None
        ]
        joined = [side.join(index, why) for side, index, why in reasons]
        if not any(joined):
            break


class _Open:
    """The layers of one side that may be put into a match, and what stands around them."""

    def __init__(self, found: Matches, number: int) -> None:
        self.found, self.number = found, number
        self.side, self.other = found.sides[number], found.sides[1 - number]
        self.home, self.home_of_other = found.home[number], found.home[1 - number]
        self.open = {i for i in found.free(number, "computes", "moves") if _is_light(self.side, i)}

    def join(self, index: int, why: _Reason) -> bool:
        """Puts a layer into a match; not where that is large already."""
        match = self.found.all[why.match]
        if len(match.both[self.number]) >= MAX_LAYERS:
            return False
        least_sure = max(match.confidence, why.confidence, key=CONFIDENCES.index)
        words = match.why if why.words in match.why else f"{match.why}, {why.words}"
        self.found.grow(why.match, self.number, [index], least_sure, words)
        self.open.discard(index)
        return True

    def why(self, index: int) -> _Reason | None:
        """Why a layer belongs to a match; None where nothing shows it."""
        before = self._near(self.side.writers, index)
        after = self._near(self.side.readers, index)
        if not before:
            return self._starts(index, after)
        for match in before:
            if (why := self._writes(index, match) or self._shapes(index, match)) is not None:
                return why
        if inside := [match for match in before if match in after]:
            return _Reason(inside[0], "region", "and what lies between them")
        return None if self._is_gone(index, before) else self._between(before, after)

    def _near(self, near: Mapping[int, Sequence[int]], start: int) -> list[int]:
        """The matches next to a layer, through what only serves or is in no match."""
        role, home = self.side.role, self.home
        next_ = beyond(
            near, start, lambda i: i not in home and (role[i] == "serves" or i in self.open)
        )
        return list(dict.fromkeys(home[i] for i in next_ if i in home))

    def _own_and_theirs(self, match: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        both = self.found.all[match].both
        return both[self.number], both[1 - self.number]

    def _starts(self, index: int, after: Sequence[int]) -> _Reason | None:
        """Whether it reads inputs for one group, which reads inputs itself in the other engine."""
        if len(after) != 1 or not _reads_inputs(self.side, index) or self._is_gone(index, after):
            return None
        own, theirs = self._own_and_theirs(after[0])
        if any(_reads_inputs(self.side, i) for i in own):
            return None
        if not any(_reads_inputs(self.other, i) for i in theirs):
            return None
        sure = self.found.all[after[0]].confidence
        return _Reason(after[0], sure, "and nothing before them but inputs")

    def _is_gone(self, index: int, near: Sequence[int]) -> bool:
        """Whether a layer may be no part of the other network, where names tell all of that.

        Shuffles and casts leave an engine without a trace.
        """
        if not any(self.found.all[match].confidence == "names" for match in near):
            return False
        operators = (_COUNTED.sub("", name) for name in self.side.keys[index].nodes)
        return any(not _SHUFFLES.search(operator) for operator in operators)

    def _writes(self, index: int, match: int) -> _Reason | None:
        """Whether the other engine's layers write the same tensor, or as this one an output."""
        side, other = self.side, self.other
        own, theirs = self._own_and_theirs(match)
        written = {t.name for t in side.layers[index].outputs}
        written -= {t.name for i in own for t in side.layers[i].outputs}
        ends = index in side.outputs and side.outputs.isdisjoint(own)
        for i in theirs:
            same = not written.isdisjoint(t.name for t in other.layers[i].outputs)
            same |= ends and i in other.outputs
            if same and alike(side.work[index].output, other.work[i].output):
                return _Reason(match, self.found.all[match].confidence, "and the same tensors")
        return None

    def _shapes(self, index: int, match: int) -> _Reason | None:
        """Whether theirs write what has this one's shape, and what they are matched with has not.

        As a convolution does that pools, too.
        """
        own, theirs = self._own_and_theirs(match)
        shape = self.side.work[index].output
        if not shape or min(shape) < 0 or any(alike(self.side.work[i].output, shape) for i in own):
            return None
        if all(self.other.work[i].output == shape for i in theirs):
            return _Reason(match, "structure", "and the same shapes at their ends")
        return None

    def _between(self, before: Sequence[int], after: Sequence[int]) -> _Reason | None:
        """Whether it stands between two groups that follow each other in the other engine."""
        for match in before:
            for i in self._own_and_theirs(match)[1]:
                next_of = {self.home_of_other.get(j) for j in self._next(i)}
                if None not in next_of and not next_of.isdisjoint({*after} - {match}):
                    return _Reason(match, "structure", "and nothing between them and the next")
        return None

    def _next(self, start: int) -> Iterator[int]:
        """What reads a layer of the other engine, through what runs no kernel."""
        role, layers = self.other.role, self.other.layers
        return beyond(
            self.other.readers, start, lambda i: role[i] == "serves" and not runs_kernel(layers[i])
        )


def _is_light(side: EngineSide, index: int) -> bool:
    """Whether a layer computes without weights, or only moves."""
    work = side.work[index]
    return side.role[index] == "moves" or (work.operator in _LIGHT and work.weights is None)


def _reads_inputs(side: EngineSide, index: int) -> bool:
    """Whether all that a layer reads are inputs of the engine."""
    names = {tensor.name for tensor in side.layers[index].inputs}
    return bool(names) and names.issubset(side.costs.engine.inputs)
