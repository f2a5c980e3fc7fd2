"""Gives groups their times, tells what changed in them, and what explains the difference.

Every layer's time is counted once. Estimates are never subtracted from measurements.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison.pairing import Match
from engine_layer_visualize.comparison.result import (
    CAUSES,
    Cause,
    CauseTime,
    Change,
    Fusion,
    Group,
    Rest,
)
from engine_layer_visualize.comparison.side import EngineSide, alike
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, large, milliseconds, percent
from engine_layer_visualize.trt.names import myelin_index
from engine_layer_visualize.trt.operators import base_name

_ADDRESS: Final = re.compile(r"_0x[0-9a-f]+")  # in the names of kernels that Myelin compiled
_NOT_WHOLE: Final = {"cut": "cut", "part": "a part of one"}  # states of listings
_MAX_ONE_SIDED: Final = 0.02  # part of a total that may have no time to compare with


def group(
    sides: tuple[EngineSide, EngineSide],
    match: Match,
    reformats: tuple[Sequence[int], Sequence[int]],
) -> Group:
    """A match with its times and what changed."""
    a, b = (*match.a, *reformats[0]), (*match.b, *reformats[1])
    ms_a, ms_b = sides[0].sum(a), sides[1].sum(b)
    untimed = any(side.untimed[i] for side, members in zip(sides, (a, b)) for i in members)
    delta = None
    if not untimed and (ms_a, ms_b) != (None, None) and _comparable(sides):
        delta = (ms_b or 0.0) - (ms_a or 0.0)
    fusion = _fusion(sides, match)
    mains = _mains(sides, match)
    other_kernel = None if fusion != "same" else _kernel_changed(sides, *mains)
    changes = tuple(_changes(sides, match, reformats, fusion, mains, other_kernel))
    causes: tuple[Cause, ...] = ("fusion", "precision", "kernel")
    cause: Cause = next((change for change in causes if change in changes), "time")
    mine, yours = (tuple(sorted(indices)) for indices in reformats)
    return Group(
        match.a, match.b, mine, yours, ms_a, ms_b, delta, fusion, match.confidence,
        _why(sides, match), changes, cause, other_kernel is not None or "fusion" in changes,
    )  # fmt: skip


def _why(sides: tuple[EngineSide, EngineSide], match: Match) -> str:
    """Why the layers were matched; of those without names, whether they multiply equally often."""
    if match.confidence != "structure":
        return match.why
    a, b = (side.macs(indices) for side, indices in zip(sides, match.both))
    return f"{match.why}; confirmed by MACs ({large(a)})" if a and a == b else match.why


def _comparable(sides: tuple[EngineSide, EngineSide]) -> bool:
    return sides[0].costs.kind is not None and sides[0].costs.kind == sides[1].costs.kind


# ---- what changed ------------------------------------------------------------------------------


def _fusion(sides: tuple[EngineSide, EngineSide], match: Match) -> Fusion:
    """By the layers that compute; where a side has none, by all."""
    if len(match.a) == len(match.b) == 1:
        return "same"
    computing = [
        sum(side.role[i] == "computes" for i in indices) for side, indices in zip(sides, match.both)
    ]
    a, b = computing if all(computing) else (len(match.a), len(match.b))
    if a == b == 1:
        return "same"
    if a == 1:
        return "split"
    return "merged" if b == 1 else "regrouped"


def _changes(
    sides: tuple[EngineSide, EngineSide],
    match: Match,
    reformats: tuple[Sequence[int], Sequence[int]],
    fusion: Fusion,
    mains: tuple[Layer, Layer],
    other_kernel: bool | None,
) -> Iterable[Change]:
    a, b = ([side.layers[i] for i in indices] for side, indices in zip(sides, match.both))
    if fusion != "same":
        if not _one_compiled(sides, match):
            yield "fusion"
    elif other_kernel:
        yield "kernel"
    if _differ(set(map(precisions.precision_of, a)), set(map(precisions.precision_of, b))):
        yield "precision"
    if fusion == "same":
        first, second = mains
        # Each kind of listing says it in its own words.
        alike_told = sides[0].costs.engine.dialect == sides[1].costs.engine.dialect
        if alike_told and _formats(first) != _formats(second):
            yield "format"
        mine, yours = sides[0].work[first.index], sides[1].work[second.index]
        if mine.known and yours.known and not alike(mine.output, yours.output):
            yield "shape"
    if not any(reformats):
        return
    counts = [
        sum(runs_kernel(side.layers[i]) for i in indices) for side, indices in zip(sides, reformats)
    ]
    if counts[0] != counts[1]:
        yield "reformats"


def _one_compiled(sides: tuple[EngineSide, EngineSide], match: Match) -> bool:
    """Whether one listing has a Myelin layer as a whole, and the other its kernels."""
    whole, units = 0, 0
    for side, indices in zip(sides, match.both):
        whole += len(indices) == 1 and side.work[indices[0]].operator == "myelin"
        inside = {myelin_index(side.layers[i].name) for i in indices}
        units += len(inside) == 1 and None not in inside
    return whole == units == 1


def _mains(sides: tuple[EngineSide, EngineSide], match: Match) -> tuple[Layer, Layer]:
    """The layer of each side that computes, else its first layer."""
    a, b = (side.layers[side.main(indices)] for side, indices in zip(sides, match.both))
    return a, b


def _kernel_changed(sides: tuple[EngineSide, EngineSide], a: Layer, b: Layer) -> bool | None:
    """Whether two layers run different kernels; None where it cannot be told."""
    if a.kernel and b.kernel:
        return without_address(a.kernel) != without_address(b.kernel)
    versions = [side.costs.engine.tensorrt for side in sides]
    if versions[0] != versions[1] or None in (a.tactic, b.tactic):
        # Numbers and types mean one thing in one version.
        return None if runs_kernel(a) or runs_kernel(b) else False
    return (a.type, a.tactic) != (b.type, b.tactic)


def without_address(kernel: str) -> str:
    """The name of a kernel without what differs in every build."""
    return _ADDRESS.sub("", kernel)


def _differ(a: set[str], b: set[str]) -> bool:
    return a != b and "unknown" not in a | b


def _formats(layer: Layer) -> tuple[str, ...]:
    """The formats, or the vector parts, of the tensors that a record shows."""
    tensors = (*layer.inputs, *layer.outputs)
    return tuple(tensor.format or vector(tensor.dims) for tensor in tensors)


@lru_cache(maxsize=1 << 12)
def vector(dims: str) -> str:
    """`:8` of `1,64:8,56,56`."""
    colon = dims.find(":")
    return dims[colon:].partition(",")[0] if colon >= 0 else ""


# ---- sums --------------------------------------------------------------------------------------


def rest(sides: tuple[EngineSide, EngineSide], a: Iterable[int], b: Iterable[int]) -> Rest:
    """Layers in no group, with their known times."""
    mine, yours = tuple(sorted(a)), tuple(sorted(b))
    return Rest(mine, yours, sides[0].sum(mine), sides[1].sum(yours))


class TotalDifference(NamedTuple):
    """The difference of the totals."""

    delta_ms: float | None = None
    waterfall: tuple[CauseTime, ...] = ()  # its steps
    unknown: str = ""  # why there is none


def total(
    sides: tuple[EngineSide, EngineSide], groups: Sequence[Group], overhead: Rest, unmatched: Rest
) -> TotalDifference:
    """The difference of the optimisation profiles that totals are of, and what explains it."""
    costs = (sides[0].costs, sides[1].costs)
    a, b = costs[0].total, costs[1].total
    if summed := [name for name, side in zip("AB", costs) if side.is_sum]:
        of = " and ".join(summed)
        return TotalDifference(unknown=f"the times of {of} are sums over an unknown number of runs")
    if a is None or b is None:
        which = "A" if b is not None else "B" if a is not None else "neither engine"
        return TotalDifference(unknown=f"{which} has {'any' if a is b else 'no'} times")
    if not _comparable(sides):
        return TotalDifference(
            unknown=f"the times of A are {costs[0].kind}, those of B {costs[1].kind}"
        )
    for name, side in zip("AB", costs):
        if why := _NOT_WHOLE.get(side.engine.source.state):
            return TotalDifference(unknown=f"the listing of {name} is {why}")
    terms = _Terms(sides)
    for group in groups:
        inner, outer = _inner(sides, group)
        terms.pair(group.cause, (*group.a, *inner[0]), (*group.b, *inner[1]))
        terms.pair("reformats", *outer)
    terms.add("overhead", overhead.a, overhead.b)
    terms.add("unmatched", unmatched.a, unmatched.b)
    for name, ms, whole in zip("AB", map(math.fsum, terms.alone), (a, b)):
        if ms > _MAX_ONE_SIDED * whole:
            return TotalDifference(
                unknown=f"{milliseconds(ms)} of {name}, {percent(ms / whole)}, are in layers that "
                "have no time in the other engine"
            )
    lonely = _without_time(sides, unmatched.a, unmatched.b)
    for name, names, more in zip("AB", lonely, terms.untimed):
        if untimed := len(names) + more:
            layers, have = count(untimed, "layer"), "has" if untimed == 1 else "have"
            return TotalDifference(unknown=f"{layers} of {name} alone {have} no time")
    steps = tuple(
        CauseTime(cause, math.fsum(terms.of[cause]), *map(tuple, terms.layers[cause]))
        for cause in CAUSES
    )
    return TotalDifference(math.fsum(step.ms for step in steps), steps)


def _inner(
    sides: tuple[EngineSide, EngineSide], group: Group
) -> tuple[list[Sequence[int]], list[Sequence[int]]]:
    """Each side's reformats between layers of the group itself, and its other reformats.

    Where one builder fused these layers, those between them went with the fusion.
    """
    both = (group.a, group.b)
    reformats: list[Sequence[int]] = [group.a_reformats, group.b_reformats]
    if group.cause != "fusion" or not any(reformats):
        return [(), ()], reformats
    inner: list[Sequence[int]] = []
    for side, own, serving in zip(sides, both, reformats):
        near = (side.readers, side.writers)
        ends = {i: [set(side.beyond(direction, i)) for direction in near] for i in serving}
        inner.append([i for i in serving if all(end and end.issubset(own) for end in ends[i])])
    outer = [[i for i in each if i not in own] for each, own in zip(reformats, inner)]
    return inner, [*outer]


def counted(costs: Costs, indices: Iterable[int]) -> Sequence[int]:
    """Keeps the layers of the optimisation profile whose totals are shown."""
    if len(costs.profiles) == 1:
        return tuple(indices)
    layers = costs.engine.layers
    return [i for i in indices if costs.profile_of(layers[i]) == costs.profile]


class _Terms:
    """The times of two totals, by what explains their difference."""

    def __init__(self, sides: tuple[EngineSide, EngineSide]) -> None:
        self.sides = sides
        self.of: dict[Cause, list[float]] = defaultdict(list)  # every time with its sign
        self.layers: dict[Cause, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        # The times of each engine that have none to compare with.
        self.alone: tuple[list[float], list[float]] = ([], [])
        # Layers that have no time, nor does any of the other engine say how long they may take.
        self.untimed = [0, 0]

    def pair(self, cause: Cause, a: Sequence[int], b: Sequence[int]) -> None:
        """Counts layers that belong together.

        What has no time in either engine is no difference, whatever its name.
        """
        some = any(side.untimed[i] for side, own in zip(self.sides, (a, b)) for i in own)
        untimed = _without_time(self.sides, a, b) if some else [[], []]
        if untimed[0] == untimed[1]:
            self.add(cause, a, b)
            return
        known = self._timed(a, b)
        if all(untimed) and not any(known):
            self.add(cause, a, b)
            return
        self.add("unmatched", a, b)
        for number, (side, timed) in enumerate(zip(self.sides, known)):
            self.alone[number].extend(side.ms[i] or 0.0 for i in timed)
            if not known[1 - number]:
                self.untimed[number] += len(untimed[number])

    def add(self, cause: Cause, a: Sequence[int], b: Sequence[int]) -> None:
        """Counts layers, those whose times are known."""
        if not a and not b:
            return
        terms, layers = self.of[cause], self.layers[cause]
        mine, yours = self._timed(a, b)
        terms += [-(self.sides[0].ms[i] or 0.0) for i in mine]
        terms += [self.sides[1].ms[i] or 0.0 for i in yours]
        layers[0].extend(mine)
        layers[1].extend(yours)

    def _timed(self, *both: Sequence[int]) -> list[list[int]]:
        """Keeps the layers whose times are known."""
        return [
            [i for i in counted(side.costs, indices) if side.ms[i] is not None]
            for side, indices in zip(self.sides, both)
        ]


def _without_time(sides: tuple[EngineSide, EngineSide], *both: Sequence[int]) -> list[list[str]]:
    """The names of those of these layers that run a kernel whose time is not known."""
    return [
        sorted(
            base_name(side.layers[i].name) for i in counted(side.costs, indices) if side.untimed[i]
        )
        for side, indices in zip(sides, both)
    ]
