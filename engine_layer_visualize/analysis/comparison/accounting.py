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
from engine_layer_visualize.analysis.comparison.pairing import Match
from engine_layer_visualize.analysis.comparison.result import (
    CAUSES,
    Cause,
    CauseTime,
    Change,
    Fusion,
    Group,
    Rest,
)
from engine_layer_visualize.analysis.comparison.side import Side, alike
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import large, milliseconds, percent
from engine_layer_visualize.trt.layer_names import myelin_index

_ADDRESS: Final = re.compile(r"_0x[0-9a-f]+")  # in the names of kernels that Myelin compiled
_ONE_SIDED: Final = 0.02  # part of a total that may have no time to compare with
_UNTIMED: Final = 0.2  # part of the layers of one engine alone that may have no time


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
    delta = None
    if _comparable(costs) and not any(
        one.missing(layer) for one, layers in zip(costs, members) for layer in layers
    ):
        delta = (ms_b or 0.0) - (ms_a or 0.0) if ms_a is not None or ms_b is not None else None
    fusion = _fusion(sides, match)
    changes = tuple(_changes(sides, match, reformats, fusion))
    causes: tuple[Cause, ...] = ("fusion", "precision", "kernel")
    cause: Cause = next((one for one in causes if one in changes), "time")
    mine, yours = (tuple(sorted(own)) for own in reformats)
    return Group(
        match.a, match.b, mine, yours, ms_a, ms_b, delta, fusion, match.confidence,
        _why(sides, match), changes, cause,
    )  # fmt: skip


def _why(sides: tuple[Side, Side], match: Match) -> str:
    """Why the layers were matched; of those without names, whether they multiply equally often."""
    if match.confidence != "structure":
        return match.why
    a, b = (side.macs(own) for side, own in zip(sides, match.both))
    return f"{match.why}; confirmed by MACs ({large(a)})" if a and a == b else match.why


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
) -> Iterable[Change]:
    a, b = ([side.layers[i] for i in own] for side, own in zip(sides, (match.a, match.b)))
    if fusion != "same":
        if not _one_compiled(sides, match):
            yield "fusion"
    elif _kernel_changed(sides, _main(sides[0], a), _main(sides[1], b)):
        yield "kernel"
    if _differ({measures.precision_of(la) for la in a}, {measures.precision_of(la) for la in b}):
        yield "precision"
    if fusion == "same":
        one, other = _main(sides[0], a), _main(sides[1], b)
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


def _main(side: Side, layers: Sequence[Layer]) -> Layer:
    """The one layer that computes, else the first."""
    return next((layer for layer in layers if side.role[layer.index] == "computes"), layers[0])


def _kernel_changed(sides: tuple[Side, Side], a: Layer, b: Layer) -> bool:
    """Whether two layers surely run different kernels."""
    if a.kernel and b.kernel:
        return _ADDRESS.sub("", a.kernel) != _ADDRESS.sub("", b.kernel)
    versions = [side.costs.engine.tensorrt for side in sides]
    if versions[0] != versions[1] or None in (a.tactic, b.tactic):
        return False  # numbers and types mean one thing in one version
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
    speedup: float | None = None
    waterfall: tuple[CauseTime, ...] = ()
    unknown: str = ""


def total(
    sides: tuple[Side, Side], groups: Sequence[Group], overhead: Rest, unmatched: Rest
) -> Total:
    """The difference of the optimisation profiles that totals are of, and what explains it."""
    costs = (sides[0].costs, sides[1].costs)
    a, b = costs[0].total, costs[1].total
    if a is None or b is None:
        which = "A" if b is not None else "B" if a is not None else "neither engine"
        return Total(unknown=f"{which} has {'any' if a is b else 'no'} times")
    if not _comparable(costs):
        kinds = "measured" if costs[0].kind == "measured" else "estimated"
        other = "estimated" if kinds == "measured" else "measured"
        return Total(unknown=f"the times of A are {kinds}, those of B {other}")
    terms: dict[Cause, list[float]] = defaultdict(list)
    alone = _terms(sides, groups, overhead, unmatched, terms)
    for name, ms, whole in (("A", alone[0], a), ("B", alone[1], b)):
        if ms > _ONE_SIDED * whole:
            return Total(
                unknown=f"{milliseconds(ms)} of {name}, {percent(ms / whole)}, are in layers that "
                "have no time in the other engine"
            )
    for name, one, indices in (("A", costs[0], unmatched.a), ("B", costs[1], unmatched.b)):
        untimed = sum(one.missing(one.engine.layers[i]) for i in indices if _counted(one, i))
        if untimed > _UNTIMED * len(one.layers):
            return Total(unknown=f"{untimed:,} layers of {name} alone have no time")
    delta = b - a
    steps = _exact({cause: math.fsum(terms[cause]) for cause in CAUSES}, delta)
    return Total(delta, a / b if b > 0 else None, steps)


def _counted(costs: Costs, index: int) -> bool:
    """Whether a layer is of the optimisation profile that totals are of."""
    return costs.profile_of(costs.engine.layers[index]) == costs.profile


def _terms(
    sides: tuple[Side, Side],
    groups: Sequence[Group],
    overhead: Rest,
    unmatched: Rest,
    terms: dict[Cause, list[float]],
) -> tuple[float, float]:
    """Every time of the two totals with its sign, by its cause. Returns the times of each engine
    that have none to compare with."""
    alone: tuple[list[float], list[float]] = ([], [])

    def add(cause: Cause, side: int, indices: Iterable[int]) -> None:
        costs = sides[side].costs
        for i in indices:
            ms = costs.of(costs.engine.layers[i])
            if ms is not None and _counted(costs, i):
                terms[cause].append(ms if side else -ms)

    for one in groups:
        if one.delta_ms is None:
            add("unmatched", 0, (*one.a, *one.a_reformats))
            add("unmatched", 1, (*one.b, *one.b_reformats))
            for number, ms in enumerate((one.ms_a, one.ms_b)):
                other = (one.ms_b, one.ms_a)[number]
                if (
                    ms is not None
                    and other is None
                    and _counted(sides[number].costs, (one.a, one.b)[number][0])
                ):
                    alone[number].append(ms)
            continue
        add(one.cause, 0, one.a)
        add(one.cause, 1, one.b)
        add("reformats", 0, one.a_reformats)
        add("reformats", 1, one.b_reformats)
    add("overhead", 0, overhead.a)
    add("overhead", 1, overhead.b)
    add("unmatched", 0, unmatched.a)
    add("unmatched", 1, unmatched.b)
    return math.fsum(alone[0]), math.fsum(alone[1])


def _exact(sums: dict[Cause, float], delta: float) -> tuple[CauseTime, ...]:
    """The steps; the largest takes what rounding left, so that they sum to `delta`."""
    largest = max(sums, key=lambda cause: abs(sums[cause]))
    for _ in range(4):
        if not (left := delta - math.fsum(sums.values())):
            break
        sums[largest] += left
    return tuple(CauseTime(cause, ms + 0.0) for cause, ms in sums.items())  # no -0.0
