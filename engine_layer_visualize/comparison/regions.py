"""Matches what one builder compiled or fused as one with the layers of the other that it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison.result import CONFIDENCES, Confidence
from engine_layer_visualize.comparison.side import EngineSide, Match, Matches, alike
from engine_layer_visualize.trt.names import ends, myelin_index, parts

_MAX_STEPS: Final = 64  # from layer to layer, for each layer of an engine, of all walks together
_AT_ENDS: Final = " at the ends of what was compiled as one"
_LIGHT: Final = frozenset(("pooling", "pointwise", "kgen"))


# ---- ForeignNodes, of which names tell the two ends ----------------------------------------------


def between_ends(found: Matches) -> None:
    """Adds to a matched ForeignNode what lies between its two ends on the other side."""
    steps = [iter(range(_MAX_STEPS * len(side.members))) for side in found.sides]
    bearers = [_bearers(side) for side in found.sides]
    for number, match in enumerate(found.all):
        for side, (own, indices) in enumerate(zip(found.sides, match.both)):
            far = 1 - side
            named = _ends(own, indices)
            if not named:
                continue
            home, matched = found.home[far], match.both[far]
            others = {i for name in named for i in bearers[far].get(name, ()) if i not in home}
            inner = _between(found.sides[far], {*matched, *others}, steps[far])
            if inner := {i for i in inner if i not in home}:
                why = match.why + _AT_ENDS * (match.confidence == "names")
                found.grow(number, far, inner, "region", why)
                break


def _ends(side: EngineSide, indices: Sequence[int]) -> set[str]:
    """The names at the ends of a Myelin layer that stands alone here as a whole."""
    if len(indices) != 1 or not side.has_whole_myelin(indices):
        return set()
    layer = side.layers[indices[0]]
    printed = {part for end in ends(layer.name) for part in end}
    return printed | {*origin.onnx_nodes_of(layer).ends}


def _bearers(side: EngineSide) -> dict[str, list[int]]:
    """The layers that bear a name."""
    found: dict[str, list[int]] = defaultdict(list)
    for i in side.members:
        for name in parts(side.layers[i].name):
            found[name].append(i)
    return found


def _between(side: EngineSide, ends: set[int], steps: Iterator[int]) -> set[int]:
    """The layers on the ways from one end to another, and ends on them, within their order.

    None where there are no `steps` left to walk.
    """
    from_, to = (_reached(near, ends, steps) for near in (side.readers, side.writers))
    inner = (from_ | ends) & (to | ends) if from_ and to else set[int]()
    return {i for i in inner if side.role[i] in ("computes", "moves")}


def _reached(near: Mapping[int, list[int]], ends: set[int], steps: Iterator[int]) -> set[int]:
    reached: set[int] = set()
    waiting, first, last = sorted(ends), min(ends), max(ends)
    while waiting:
        for i in near.get(waiting.pop(), ()):
            if next(steps, None) is None:
                return set()
            if first <= i <= last and i not in reached:
                reached.add(i)
                waiting.append(i)
    return reached


# ---- kernels, whose names tell the index of their Myelin layer -----------------------------------


def kernels_of_one(found: Matches, by_name: bool) -> None:
    """Adds kernels without names to the Myelin layer that the other side has as a whole.

    It is that of their unit's other kernels. `by_name`: one file has no edges; where all units with
    names bear the index of their layer, so do those without.
    """
    for number, (side, other) in enumerate(zip(found.sides, reversed(found.sides))):
        units: dict[int, list[int]] = defaultdict(list)
        for i in side.members:
            if (unit := myelin_index(side.layers[i].name)) is not None:
                units[unit].append(i)
        home, theirs = found.home[number], found.home[1 - number]
        homes = {unit: {home[i] for i in own if i in home} for unit, own in units.items()}
        whole = {other.layers[i].position: i for i in other.members if other.has_whole_myelin([i])}
        told = [homes[unit] == {theirs.get(whole.get(unit, -1))} for unit in units if homes[unit]]
        by_index = by_name and told and all(told)
        for unit, own in units.items():
            at = whole.get(unit) if by_index and not homes[unit] else None
            if len(homes[unit]) == 1:
                free = [i for i in own if i not in home]
                _add_kernels(found, number, next(iter(homes[unit])), free)
            elif at is not None and at not in theirs:
                both = ((at,), tuple(own))
                found.add(Match(both[number - 1], both[number], "names", "the same index"))


def _add_kernels(found: Matches, side: int, home: int, more: Sequence[int]) -> None:
    match = found.all[home]
    whole = [each.has_whole_myelin(own) for each, own in zip(found.sides, match.both)]
    more = [i for i in more if found.sides[side].role[i] in ("computes", "moves")]
    if more and whole[1 - side] and not whole[side]:
        sure = match.confidence == "names"
        found.grow(home, side, more, "names" if sure else "region", match.why)


# ---- layers without weights that the other engine has in one of its groups ---------------------


class _Reason(NamedTuple):
    """Why a layer belongs to a match."""

    home: int  # the number of the match
    confidence: Confidence  # how sure that is at most
    words: str


def take_in(found: Matches) -> None:
    """Puts layers that the other engine has in one of its groups into that group."""
    reasons = [_reasons(found, side) for side in (0, 1)]
    for side, each in enumerate(reasons):
        for index, why in each.items():
            match = found.all[why.home]
            least_sure = max(match.confidence, why.confidence, key=CONFIDENCES.index)
            words = match.why if why.words in match.why else f"{match.why}, {why.words}"
            found.grow(why.home, side, [index], least_sure, words)


def _reasons(found: Matches, number: int) -> dict[int, _Reason]:
    """The layers of a side that belong to a match: by their tensors, or by what is around them."""
    side, home = found.sides[number], found.home[number]
    light = {i for i in found.free(number, "computes", "moves") if _is_light(side, i)}
    followed = cache(partial(_next, found, 1 - number))

    def is_passed(i: int) -> bool:
        return i not in home and (side.role[i] == "serves" or i in light)

    reasons: dict[int, _Reason] = {}
    for index in sorted(light):
        before, after = (
            dict.fromkeys(home[i] for i in side.beyond(near, index, is_passed) if i in home)
            for near in (side.writers, side.readers)
        )
        written = (match for match in before if _writes(found, number, index, match))
        if (at := next(written, None)) is not None:
            reasons[index] = _Reason(at, found.all[at].confidence, "and the same tensors")
        elif (at := next((match for match in before if match in after), None)) is not None:
            reasons[index] = _Reason(at, "region", "and what lies between them")
        elif not _is_gone(found, number, index, before):
            goes_on = (match for match in before if not followed(match).isdisjoint(after))
            if (at := next(goes_on, None)) is not None:
                words = "and nothing between them and the next"
                reasons[index] = _Reason(at, "structure", words)
    return reasons


def _is_gone(found: Matches, number: int, index: int, near: Iterable[int]) -> bool:
    """Whether names tell that the other network has no such node."""
    side = found.sides[number]
    named = any(found.all[match].confidence == "names" for match in near)
    return named and side.role[index] != "moves" and bool(side.keys[index])


def _next(found: Matches, number: int, home: int) -> set[int]:
    """The matches that alone follow a layer of a match on a side, but for what runs no kernel."""
    side, homes = found.sides[number], found.home[number]

    def is_passed(i: int) -> bool:
        return side.role[i] == "serves" and not runs_kernel(side.layers[i])

    next_ = set[int]()
    for i in found.all[home].both[number]:
        of_one = {homes.get(j, -1) for j in side.beyond(side.readers, i, is_passed)}
        next_ |= of_one if -1 not in of_one else set()
    return next_ - {home}


def _writes(found: Matches, number: int, index: int, home: int) -> bool:
    """Whether layers of a match write the same tensor on the other side, or as this an output."""
    side, other = found.sides[number], found.sides[1 - number]
    own, theirs = found.all[home].both[number], found.all[home].both[1 - number]
    written = {t.name for t in side.layers[index].outputs}
    written -= {t.name for i in own for t in side.layers[i].outputs}
    ends = index in side.outputs and side.outputs.isdisjoint(own)
    same = (
        i
        for i in theirs
        if (ends and i in other.outputs)
        or not written.isdisjoint(t.name for t in other.layers[i].outputs)
    )
    return any(alike(side.work[index].output, other.work[i].output) for i in same)


def _is_light(side: EngineSide, index: int) -> bool:
    """Whether a layer computes without weights, or only moves."""
    work = side.work[index]
    return side.role[index] == "moves" or (work.operator in _LIGHT and work.weights is None)
