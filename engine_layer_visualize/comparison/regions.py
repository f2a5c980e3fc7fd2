"""Matches what one builder compiled or fused as one with the layers of the other that it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

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


# The number of the match that a layer belongs to, how sure that is at most, and why.
_Reason = tuple[int, Confidence, str]


def take_in(found: Matches) -> None:
    """Puts layers that the other engine has in one of its groups into that group."""
    sides = _Open(found, 0), _Open(found, 1)
    reasons = [(side, index, side.why(index)) for side in sides for index in sorted(side.open)]
    for side, index, why in reasons:
        if why is not None:
            side.join(index, why)


class _Open:
    """The layers of one side that may be put into a match, and what stands around them."""

    def __init__(self, found: Matches, number: int) -> None:
        self.found, self.number = found, number
        self.side, self.other = found.sides[number], found.sides[1 - number]
        self.home, self.home_of_other = found.home[number], found.home[1 - number]
        self.open = {i for i in found.free(number, "computes", "moves") if _is_light(self.side, i)}

    def join(self, index: int, why: _Reason) -> None:
        """Puts a layer into a match."""
        number, confidence, words = why
        match = self.found.all[number]
        least_sure = max(match.confidence, confidence, key=CONFIDENCES.index)
        words = match.why if words in match.why else f"{match.why}, {words}"
        self.found.grow(number, self.number, [index], least_sure, words)

    def why(self, index: int) -> _Reason | None:
        """Why a layer belongs to a match; None where nothing shows it."""
        before = self._near(self.side.writers, index)
        after = self._near(self.side.readers, index)
        for match in before:
            if (why := self._writes(index, match)) is not None:
                return why
        if inside := [match for match in before if match in after]:
            return inside[0], "region", "and what lies between them"
        return None if self._is_gone(index, before) else self._between(before, after)

    def _near(self, near: Mapping[int, Sequence[int]], start: int) -> list[int]:
        """The matches next to a layer, through what only serves or is in no match."""
        role, home = self.side.role, self.home
        next_ = self.side.beyond(
            near, start, lambda i: i not in home and (role[i] == "serves" or i in self.open)
        )
        return list(dict.fromkeys(home[i] for i in next_ if i in home))

    def _is_gone(self, index: int, near: Sequence[int]) -> bool:
        """Whether names tell that the other network has no such node."""
        named = any(self.found.all[match].confidence == "names" for match in near)
        return named and self.side.role[index] != "moves" and bool(self.side.keys[index])

    def _writes(self, index: int, match: int) -> _Reason | None:
        """Whether the other engine's layers write the same tensor, or as this one an output."""
        side, other = self.side, self.other
        both = self.found.all[match].both
        own, theirs = both[self.number], both[1 - self.number]
        written = {t.name for t in side.layers[index].outputs}
        written -= {t.name for i in own for t in side.layers[i].outputs}
        ends = index in side.outputs and side.outputs.isdisjoint(own)
        for i in theirs:
            same = not written.isdisjoint(t.name for t in other.layers[i].outputs)
            same |= ends and i in other.outputs
            if same and alike(side.work[index].output, other.work[i].output):
                return match, self.found.all[match].confidence, "and the same tensors"
        return None

    def _between(self, before: Sequence[int], after: Sequence[int]) -> _Reason | None:
        """Whether it stands between two groups that follow each other in the other engine."""
        for match in before:
            for i in self.found.all[match].both[1 - self.number]:
                next_of = {self.home_of_other.get(j) for j in self._next(i)}
                if None not in next_of and not next_of.isdisjoint({*after} - {match}):
                    return match, "structure", "and nothing between them and the next"
        return None

    def _next(self, start: int) -> Iterator[int]:
        """What reads a layer of the other engine, through what runs no kernel."""
        role, layers = self.other.role, self.other.layers
        return self.other.beyond(
            self.other.readers, start, lambda i: role[i] == "serves" and not runs_kernel(layers[i])
        )


def _is_light(side: EngineSide, index: int) -> bool:
    """Whether a layer computes without weights, or only moves."""
    work = side.work[index]
    return side.role[index] == "moves" or (work.operator in _LIGHT and work.weights is None)
