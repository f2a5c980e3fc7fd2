"""Matches layers that names did not match, by what they do and where they stand in a sequence.

Operators, shapes, weights and the order of execution decide, then tensors and neighbours; what they
leave open stays unmatched.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain
from math import inf
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison.result import CONFIDENCES, Confidence
from engine_layer_visualize.comparison.side import EngineSide, Match, Matches, Work, alike
from engine_layer_visualize.core.limits import by_key

Pair = tuple[int, int]

GAP: Final = -0.6
_MAX_CELLS: Final = 500_000


def aligned(a: Sequence[int], b: Sequence[int], score: Callable[[int, int], float]) -> list[Pair]:
    """Positions that belong together, in order, by Needleman and Wunsch.

    Of long sequences only what is near the diagonal is looked at.
    """
    if not a or not b:
        return []
    words = dict.fromkeys(b)
    scores = {word: {other: score(word, other) for other in words} for word in set(a)}
    width = len(b)
    reach = max(_MAX_CELLS // len(a), width // len(a) + 1)  # of a row, on both sides
    start, row = 0, [GAP * j for j in range(min(width, reach) + 1)]  # from column `start` on
    moves: list[tuple[int, bytearray]] = []  # of each row from a column on
    for i, word in enumerate(a, 1):
        middle = i * width // len(a)
        low, high = max(1, middle - reach), min(width, middle + reach)
        before = row + [-inf] * (high + 1 - start - len(row))
        diagonals, ups = before[low - 1 - start :], before[low - start :]
        last = GAP * i if low == 1 else -inf
        row, move, scores_of_word = [last], bytearray(), scores[word]
        for diagonal, up, other in zip(diagonals, ups, b[low - 1 : high]):
            diagonal += scores_of_word[other]
            up += GAP
            last += GAP
            if diagonal >= up and diagonal >= last:
                last = diagonal
                move.append(0)
            elif up >= last:
                last = up
                move.append(1)
            else:
                move.append(2)
            row.append(last)
        start = low - 1
        moves.append((low, move))
    pairs = []
    i, j = len(a), width
    while i and j:
        low, move = moves[i - 1]
        move_here = move[j - low]
        if not move_here:
            pairs.append((i - 1, j - 1))
        i -= move_here != 2
        j -= move_here != 1
    return pairs[::-1]


def rising(pairs: Iterable[Pair]) -> list[Pair]:
    """The longest part of the pairs in which both numbers grow."""
    ends: list[int] = []  # of the best chain of each length
    chain: list[tuple[Pair, int]] = []  # a pair, and the place of the one before it
    last: list[int] = []
    for pair in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
        length = bisect_left(ends, pair[1])
        chain.append((pair, last[length - 1] if length else -1))
        ends[length : length + 1] = [pair[1]]
        last[length : length + 1] = [len(chain) - 1]
    longest = []
    place = last[-1] if last else -1
    while place >= 0:
        pair, place = chain[place]
        longest.append(pair)
    return longest[::-1]


def equal(a: Iterable[tuple[Hashable, int]], b: Iterable[tuple[Hashable, int]]) -> Iterator[Pair]:
    """Pairs of things with equal signs, in order, where both sides have as many of them."""
    first, second = by_key(a), by_key(b)
    for sign, mine in first.items():
        if len(mine) == len(yours := second.get(sign, ())):
            yield from zip(mine, yours)


_MIN_SCORE: Final = 1.0  # of a pair


class _Item(NamedTuple):
    """What is aligned: a layer, or the kernels of one Myelin layer."""

    layers: tuple[int, ...]
    work: Work


def by_structure(found: Matches) -> None:
    """Adds pairs of layers that are in no group: aligned ones, then those between neighbours."""
    anchors = rising((match.a[0], match.b[0]) for match in found.all)
    for a, b in list(_aligned(_items(found), anchors)):
        is_one_by_one = len(a.layers) == len(b.layers) == 1
        found.add(Match(a.layers, b.layers, "structure" if is_one_by_one else "region"))
    _add_neighbours(found)


def _items(found: Matches) -> tuple[list[_Item], list[_Item]]:
    """The computing layers that are in no group.

    Where one side has a Myelin layer that is whole, the kernels of each Myelin layer of the other
    are one item.
    """
    free = [side.free("computes") for side in found.sides]
    whole = [side.has_whole_myelin(own) for side, own in zip(found.sides, free)]
    a, b = (
        _units(side, own) if theirs and not mine else [_Item((i,), side.work[i]) for i in own]
        for side, own, mine, theirs in zip(found.sides, free, whole, whole[::-1])
    )
    return a, b


def _units(side: EngineSide, free: Sequence[int]) -> list[_Item]:
    units = side.units(free)
    items = [_Item((i,), side.work[i]) for i in units.pop(None, ())]
    for unit in units.values():
        inside = set(unit)
        leaving = [i for i in unit if i in side.outputs or {*side.readers.get(i, ())} - inside]
        output = side.work[(leaving or unit)[0]].output
        items.append(_Item(tuple(unit), Work("myelin", output, side.work[unit[0]].inputs, None)))
    return sorted(items)


def _aligned(
    items: tuple[list[_Item], list[_Item]], anchors: Sequence[tuple[int, int]]
) -> Iterator[tuple[_Item, _Item]]:
    """The pairs of the items of both sides between two anchors, and so on."""
    starts = [0, 0]
    for anchor in (*anchors, (inf, inf)):
        begin = partial(bisect_left, key=lambda item: item.layers[0])
        ends = list(map(begin, items, anchor))
        yield from _pairs(*(own[start:end] for own, start, end in zip(items, starts, ends)))
        starts = ends


def _pairs(mine: Sequence[_Item], yours: Sequence[_Item]) -> Iterator[tuple[_Item, _Item]]:
    words: dict[Work, int] = {}
    a, b = ([words.setdefault(item.work, len(words)) for item in own] for own in (mine, yours))
    works = list(words)

    def score(a: int, b: int) -> float:
        return _likeness(works[a], works[b])

    for i, j in aligned(a, b, score):
        if _may_pair(works[a[i]], works[b[j]], score(a[i], b[j])):
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
        for i, j in equal(*(_signed(side, directions) for side in found.sides)):
            mine, yours = found.sides[0].work[i], found.sides[1].work[j]
            if mine.may_be(yours) and not mine.contradicts(yours):
                found.add(Match((i,), (j,), "structure"))


def _signed(own: EngineSide, directions: Sequence[bool]) -> Iterator[tuple[Hashable, int]]:
    """The layers in no group that have one next to them, by what they are and by their places.

    Beside one neighbour, operator and shape count; between two, only the number of elements.
    """
    for i in own.free("computes", "moves"):
        near = (own.readers if forward else own.writers for forward in directions)
        places = [[own.home[n] for n in own.beyond(each, i) if n in own.home] for each in near]
        if all(places):
            work = own.work[i]
            what = (work.operator, work.output) if len(places) == 1 else own.elements(i)
            if what is not None:
                yield (what, *map(min, places)), i


def idle(found: Matches, by_name: bool) -> None:
    """Adds pairs of layers that compute nothing, and serve no layer of a group.

    Such as a copy of an input, or constants: those of the same tensors, then of the same names.
    `by_name`: one side has no tensors, so that what a layer serves is not known.
    """
    free = [_idle(side, by_name) for side in found.sides]
    for what in ("tensors", "name"):
        a, b = ([(_sign(side, i, what), i) for i in own] for side, own in zip(found.sides, free))
        for i, j in equal(a, b):
            found.add(Match((i,), (j,), "structure"))
        free = [[i for i in own if i not in side.home] for side, own in zip(found.sides, free)]


def _idle(side: EngineSide, by_name: bool) -> list[int]:
    def serves_one(i: int) -> bool:
        near = chain(side.beyond(side.readers, i), side.beyond(side.writers, i))
        return side.role[i] == "serves" and any(layer in side.home for layer in near)

    free = side.free("serves", "moves", "overhead")
    return [i for i in free if by_name or not serves_one(i)]


def _sign(side: EngineSide, index: int, what: str) -> Hashable:
    layer = side.layers[index]
    if what == "name":
        return layer.name, layer.type
    both = (layer.inputs, layer.outputs)
    return side.role[index], tuple(tuple((t.name, t.dims) for t in own) for own in both)


# ---- layers without weights that the other engine has in one of its groups ----------------------

_LIGHT: Final = frozenset(("pooling", "pointwise", "kgen"))


def take_in(found: Matches) -> None:
    """Puts layers that the other engine has in one of its groups into that group."""
    for side, each in enumerate([[*_reasons(found, side)] for side in (0, 1)]):
        for index, home, at_most in each:
            match = found.all[home]
            least_sure = max(match.confidence, at_most, key=CONFIDENCES.index)
            found.grow(home, side, [index], least_sure)


def _reasons(found: Matches, number: int) -> Iterator[tuple[int, int, Confidence]]:
    """The layers of a side that belong to a match: by their tensors, or by what is around them.

    Each without weights, or one that only moves, with the match and how sure that is at most.
    """
    side, home = found.sides[number], found.sides[number].home
    works = [(i, side.work[i]) for i in side.free("computes")]
    light = [i for i, work in works if work.operator in _LIGHT and work.weights is None]
    light = sorted([*light, *side.free("moves")])
    passed = {*light, *side.free("serves")}
    followed = cache(partial(_next, found, 1 - number))
    for index in light:
        near = (side.writers, side.readers)
        ways = (side.beyond(one, index, passed.__contains__) for one in near)
        before, after = (dict.fromkeys(home[i] for i in way if i in home) for way in ways)
        written = (match for match in before if _writes(found, number, index, match))
        if (at := next(written, None)) is not None:
            yield index, at, found.all[at].confidence
        elif (at := next((match for match in before if match in after), None)) is not None:
            yield index, at, "region"
        elif not _is_gone(found, number, index, before):
            goes_on = (match for match in before if not followed(match).isdisjoint(after))
            if (at := next(goes_on, None)) is not None:
                yield index, at, "structure"


def _is_gone(found: Matches, number: int, index: int, near: Iterable[int]) -> bool:
    """Whether names tell that the other network has no such node."""
    side = found.sides[number]
    named = any(found.all[match].confidence == "names" for match in near)
    return named and side.role[index] != "moves" and bool(side.keys[index])


def _next(found: Matches, number: int, home: int) -> set[int]:
    """The matches that alone follow a layer of a match on a side, but for what runs no kernel."""
    side = found.sides[number]

    def is_passed(i: int) -> bool:
        return side.role[i] == "serves" and not runs_kernel(side.layers[i])

    next_ = set[int]()
    for i in found.all[home].both[number]:
        of_one = {side.home.get(j, -1) for j in side.beyond(side.readers, i, is_passed)}
        next_ |= of_one if -1 not in of_one else set()
    return next_ - {home}


def _writes(found: Matches, number: int, index: int, home: int) -> bool:
    """Whether layers of a match write the same tensor on the other side, or as this an output."""
    side, other = found.sides[number], found.sides[1 - number]
    own, theirs = found.all[home].both[number], found.all[home].both[1 - number]
    written = side.writes[index].difference(*(side.writes[i] for i in own))
    ends = index in side.outputs and side.outputs.isdisjoint(own)
    same = (i for i in theirs if (ends and i in other.outputs) or written & other.writes[i])
    return any(alike(side.work[index].output, other.work[i].output) for i in same)
