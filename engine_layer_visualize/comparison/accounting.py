"""Matched layers in; groups with times, what changed in them, and what explains the difference out.

Every layer's time is counted once. Estimates are never subtracted from measurements.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import measures
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
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
from engine_layer_visualize.comparison.side import Side, alike
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, large, milliseconds, percent
from engine_layer_visualize.trt.layer_names import myelin_index
from engine_layer_visualize.trt.node_names import base_name

_ADDRESS: Final = re.compile(r"_0x[0-9a-f]+")  # in the names of kernels that Myelin compiled
_NOT_WHOLE: Final = {"cut": "cut", "part": "a part of one"}  # states of listings
_ONE_SIDED: Final = 0.02  # part of a total that may have no time to compare with


def group(
    sides: tuple[Side, Side], match: Match, reformats: tuple[Sequence[int], Sequence[int]]
) -> Group:
    """A match with its times and what changed."""
    members = tuple(
        [side.layers[i] for i in (*own, *more)]
        for side, own, more in zip(sides, (match.a, match.b), reformats)
    )
    costs = (sides[0].costs, sides[1].costs)
    ms_a, ms_b = (one.sum(layers) for one, layers in zip(costs, members))
    untimed = any(_untimed(one, layer) for one, own in zip(costs, members) for layer in own)
    delta = None
    if _comparable(costs) and not untimed and (ms_a, ms_b) != (None, None):
        delta = (ms_b or 0.0) - (ms_a or 0.0)
    fusion = _fusion(sides, match)
    other_kernel = None if fusion != "same" else _kernel_changed(sides, *_mains(sides, match))
    changes = tuple(_changes(sides, match, reformats, fusion, other_kernel))
    causes: tuple[Cause, ...] = ("fusion", "precision", "kernel")
    cause: Cause = next((one for one in causes if one in changes), "time")
    mine, yours = (tuple(sorted(own)) for own in reformats)
    return Group(
        match.a, match.b, mine, yours, ms_a, ms_b, delta, fusion, match.confidence,
        _why(sides, match), changes, cause, other_kernel is not None or "fusion" in changes,
    )  # fmt: skip


def _why(sides: tuple[Side, Side], match: Match) -> str:
    """Why the layers were matched; of those without names, whether they multiply equally often."""
    if match.confidence != "structure":
        return match.why
    a, b = (side.macs(own) for side, own in zip(sides, match.both))
    return f"{match.why}; confirmed by MACs ({large(a)})" if a and a == b else match.why


def _untimed(costs: Costs, layer: Layer) -> bool:
    """Whether a layer runs a kernel whose time is not known."""
    return costs.of(layer) is None and runs_kernel(layer)


def _comparable(costs: tuple[Costs, Costs]) -> bool:
    return costs[0].kind is not None and costs[0].kind == costs[1].kind


# ---- what changed ------------------------------------------------------------------------------


def _fusion(sides: tuple[Side, Side], match: Match) -> Fusion:
    """By the layers that compute; where a side has none, by all."""
    computing = [
        sum(side.role[i] == "computes" for i in own) for side, own in zip(sides, (match.a, match.b))
    ]
    a, b = computing if all(computing) else (len(match.a), len(match.b))
    if a == b == 1:
        return "same"
    if a == 1:
        return "split"
    return "merged" if b == 1 else "regrouped"


def _changes(
    sides: tuple[Side, Side],
    match: Match,
    reformats: tuple[Sequence[int], Sequence[int]],
    fusion: Fusion,
    other_kernel: bool | None,
) -> Iterable[Change]:
    a, b = ([side.layers[i] for i in own] for side, own in zip(sides, (match.a, match.b)))
    if fusion != "same":
        if not _one_compiled(sides, match):
            yield "fusion"
    elif other_kernel:
        yield "kernel"
    if _differ({measures.precision_of(la) for la in a}, {measures.precision_of(la) for la in b}):
        yield "precision"
    if fusion == "same":
        one, other = _mains(sides, match)
        # Each kind of listing says it in its own words.
        alike_told = sides[0].costs.engine.dialect == sides[1].costs.engine.dialect
        if alike_told and _formats(one) != _formats(other):
            yield "format"
        shapes = sides[0].work[one.index].output, sides[1].work[other.index].output
        if not alike(*shapes):
            yield "shape"
    counts = [sum(runs_kernel(side.layers[i]) for i in own) for side, own in zip(sides, reformats)]
    if counts[0] != counts[1]:
        yield "reformats"


def _one_compiled(sides: tuple[Side, Side], match: Match) -> bool:
    """Whether one listing has a Myelin layer as a whole, and the other its kernels."""
    whole, units = 0, 0
    for side, own in zip(sides, match.both):
        whole += len(own) == 1 and side.work[own[0]].operator == "myelin"
        inside = {myelin_index(side.layers[i].name) for i in own}
        units += len(inside) == 1 and None not in inside
    return whole == units == 1


def _mains(sides: tuple[Side, Side], match: Match) -> tuple[Layer, Layer]:
    """Of each side the one layer that computes, else the first."""
    a, b = (
        side.layers[next((i for i in own if side.role[i] == "computes"), own[0])]
        for side, own in zip(sides, match.both)
    )
    return a, b


def _kernel_changed(sides: tuple[Side, Side], a: Layer, b: Layer) -> bool | None:
    """Whether two layers run different kernels; None where it cannot be told."""
    if a.kernel and b.kernel:
        return _ADDRESS.sub("", a.kernel) != _ADDRESS.sub("", b.kernel)
    versions = [side.costs.engine.tensorrt for side in sides]
    if versions[0] != versions[1] or None in (a.tactic, b.tactic):
        # Numbers and types mean one thing in one version.
        return None if runs_kernel(a) or runs_kernel(b) else False
    return (a.type, a.tactic) != (b.type, b.tactic)


def _differ(a: set[str], b: set[str]) -> bool:
    return a != b and "unknown" not in a | b


def _formats(layer: Layer) -> tuple[str, ...]:
    """The formats, or the vector parts, of the tensors that a record shows."""
    tensors = (*layer.inputs, *layer.outputs)
    return tuple(tensor.format or _vector(tensor.dims) for tensor in tensors)


def _vector(dims: str) -> str:
    """`:8` of `1,64:8,56,56`."""
    at = dims.find(":")
    return dims[at:].partition(",")[0] if at >= 0 else ""


# ---- sums --------------------------------------------------------------------------------------


def rest(sides: tuple[Side, Side], a: Iterable[int], b: Iterable[int]) -> Rest:
    """Layers in no group, with their known times."""
    mine, yours = tuple(sorted(a)), tuple(sorted(b))
    ms = [side.costs.sum(side.layers[i] for i in own) for side, own in zip(sides, (mine, yours))]
    return Rest(mine, yours, ms[0], ms[1])


class Total(NamedTuple):
    """The difference of the totals and its steps; `unknown`: why there is none."""

    delta_ms: float | None = None
    waterfall: tuple[CauseTime, ...] = ()
    unknown: str = ""


def total(
    sides: tuple[Side, Side], groups: Sequence[Group], overhead: Rest, unmatched: Rest
) -> Total:
    """The difference of the optimisation profiles that totals are of, and what explains it."""
    costs = (sides[0].costs, sides[1].costs)
    a, b = costs[0].total, costs[1].total
    if summed := [name for name, one in zip("AB", costs) if one.is_sum]:
        of = " and ".join(summed)
        return Total(unknown=f"the times of {of} are sums over an unknown number of runs")
    if a is None or b is None:
        which = "A" if b is not None else "B" if a is not None else "neither engine"
        return Total(unknown=f"{which} has {'any' if a is b else 'no'} times")
    if not _comparable(costs):
        kinds = "measured" if costs[0].kind == "measured" else "estimated"
        other = "estimated" if kinds == "measured" else "measured"
        return Total(unknown=f"the times of A are {kinds}, those of B {other}")
    for name, side in zip("AB", costs):
        if why := _NOT_WHOLE.get(side.engine.source.state):
            return Total(unknown=f"the listing of {name} is {why}")
    terms = _Terms(costs)
    for one in groups:
        terms.pair(one.cause, one.a, one.b)
        terms.pair("reformats", one.a_reformats, one.b_reformats)
    terms.add("overhead", overhead.a, overhead.b)
    terms.add("unmatched", unmatched.a, unmatched.b)
    for name, ms, whole in zip("AB", map(math.fsum, terms.alone), (a, b)):
        if ms > _ONE_SIDED * whole:
            return Total(
                unknown=f"{milliseconds(ms)} of {name}, {percent(ms / whole)}, are in layers that "
                "have no time in the other engine"
            )
    lonely = _without_time(costs, unmatched.a, unmatched.b)
    for name, own, more in zip("AB", lonely, terms.untimed):
        if untimed := len(own) + more:
            layers, have = count(untimed, "layer"), "has" if untimed == 1 else "have"
            return Total(unknown=f"{layers} of {name} alone {have} no time")
    steps = tuple(CauseTime(cause, math.fsum(terms.of[cause])) for cause in CAUSES)
    return Total(math.fsum(step.ms for step in steps), steps)


def counted(costs: Costs, indices: Iterable[int]) -> list[int]:
    """Those of these layers that are of the optimisation profile that totals are of."""
    layers = costs.engine.layers
    return [i for i in indices if costs.profile_of(layers[i]) == costs.profile]


class _Terms:
    """`of`: every time of the two totals with its sign, by its cause. `alone`: the times of each
    engine that have none to compare with; `untimed`: how many layers have no time, nor does any
    time of the other engine say how long they may take."""

    def __init__(self, costs: tuple[Costs, Costs]) -> None:
        self.costs = costs
        self.of: dict[Cause, list[float]] = defaultdict(list)
        self.alone: tuple[list[float], list[float]] = ([], [])
        self.untimed = [0, 0]

    def pair(self, cause: Cause, a: Sequence[int], b: Sequence[int]) -> None:
        """Layers that belong together. What has no time in either engine is no difference,
        whatever its name."""
        untimed = _without_time(self.costs, a, b)
        timed = any(_times(one, own) for one, own in zip(self.costs, (a, b)))
        if untimed[0] == untimed[1] or (all(untimed) and not timed):
            self.add(cause, a, b)
            return
        known = self.add("unmatched", a, b)
        for side in (0, 1):
            self.alone[side].extend(known[side])
            if not known[1 - side]:
                self.untimed[side] += len(untimed[side])

    def add(self, cause: Cause, *both: Sequence[int]) -> list[list[float]]:
        """Returns the times that are known, of A and of B."""
        known = [_times(one, own) for one, own in zip(self.costs, both)]
        self.of[cause] += [-ms for ms in known[0]] + known[1]
        return known


def _times(costs: Costs, indices: Sequence[int]) -> list[float]:
    """The known ones of these layers."""
    layers = costs.engine.layers
    return [ms for i in counted(costs, indices) if (ms := costs.of(layers[i])) is not None]


def _without_time(costs: tuple[Costs, Costs], *both: Sequence[int]) -> list[list[str]]:
    """The names of those of these layers that run a kernel whose time is not known."""
    layers = [[one.engine.layers[i] for i in counted(one, own)] for one, own in zip(costs, both)]
    return [
        sorted(base_name(layer.name) for layer in own if _untimed(one, layer))
        for one, own in zip(costs, layers)
    ]


def loose(a: Costs, b: Costs, groups: Iterable[Group]) -> tuple[list[int], list[int]]:
    """Layers with a time of which the counterparts have none: the cause of theirs is
    `unmatched`."""
    found: tuple[list[int], list[int]] = ([], [])
    for one in groups:
        for both in ((one.a, one.b), (one.a_reformats, one.b_reformats)):
            untimed = _without_time((a, b), *both)
            if untimed[0] != untimed[1]:
                for costs, own, more in zip((a, b), both, found):
                    timed = (i for i in own if costs.of(costs.engine.layers[i]) is not None)
                    more.extend(counted(costs, timed))
    return found
