"""Says what explains the difference of two engines, and what changed in a group of layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import precisions as measures
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.result import Cause, CauseTime, Change, Comparison, Group
from engine_layer_visualize.comparison.side import quantises
from engine_layer_visualize.core.text import count, milliseconds, plural

_MAX_CAUSES: Final = 3  # causes
_MIN_PART: Final = 0.05  # of all that the causes change: less is not told
_SAME: Final = 0.005  # of a total: causes that change less are not told
CAUSES: Final[dict[Cause, str]] = {
    "time": "other times alone",
    "kernel": "other kernels",
    "precision": "other precisions",
    "fusion": "other fusions",
    "reformats": "reformats",
    "overhead": "constants, shape calls, copies for shapes, waits",
    "unmatched": "layers without a timed counterpart",
}
CHANGES: Final[dict[Change, str]] = {
    "kernel": "kernel",
    "precision": "precision",
    "fusion": "fusion",
    "format": "formats",
    "shape": "shape",
    "reformats": "number of reformats",
}


def because(comparison: Comparison) -> Iterator[str]:
    """The largest causes."""
    changed = sum(abs(step.ms) for step in comparison.waterfall)
    least = max(_MIN_PART * changed, _SAME * (comparison.a.total or 0.0))
    most = sorted(comparison.waterfall, key=lambda step: -abs(step.ms))[:_MAX_CAUSES]
    for step in most:
        if step.ms and abs(step.ms) >= least:
            yield f"{_cause(comparison, step)} ({signed(step.ms)})"


def _cause(comparison: Comparison, step: CauseTime) -> str:
    cause = step.cause
    timed = [
        group
        for group in counted_groups(comparison)
        if group.cause == cause and group.delta_ms is not None
    ]
    many = len(timed) != 1
    layers = count(len(timed), "layer")
    if cause == "precision":
        return _precision(comparison, timed)
    if cause == "kernel":
        return f"{layers} {'run' if many else 'runs'} another kernel"
    if cause == "fusion":
        words = f"{count(len(timed), 'group')} of layers {'are' if many else 'is'} fused otherwise"
        both = sum("precision" in group.changes for group in timed)
        which = f", {both:,} of them" if both < len(timed) else " and"
        return f"{words}{which} in another precision" if both else words
    if cause == "time":
        words = f"{layers} {'take' if many else 'takes'} another time"
        unknown = sum(not group.kernels_known for group in timed)
        if unknown and unknown == len(timed):
            return f"{words}, with kernels that cannot be compared"
        some = f", {unknown:,} of them with kernels that cannot be compared" if unknown else ""
        return f"{words} with the same kernels{some}" if not unknown else f"{words}{some}"
    if cause == "reformats":
        return _reformats(comparison, step)
    if cause == "unmatched":
        a, b = len(step.a), len(step.b)
        return f"{count(a, 'layer')} of A and {b} of B without a timed counterpart"
    return CAUSES[cause]


def _reformats(comparison: Comparison, step: CauseTime) -> str:
    """`reformats went from 1 to 2`; with them are layers that only quantise."""
    serving = (
        [comparison.a.engine.layers[i] for i in step.a],
        [comparison.b.engine.layers[i] for i in step.b],
    )
    before, after = (sum(map(runs_kernel, layers)) for layers in serving)
    some = any(quantises(layer) and runs_kernel(layer) for layers in serving for layer in layers)
    if before != after:
        return f"reformats{' and quantisers' if some else ''} went from {before} to {after}"
    number = count(after, "reformat or quantiser" if some else "reformat")
    return f"{number} {plural(after, 'takes', 'take')} {'longer' if step.ms > 0 else 'less time'}"


def counted_groups(comparison: Comparison) -> list[Group]:
    """The groups of the optimisation profile that totals are of."""
    return [group for group in comparison.groups if counted(comparison.a, group.a[:1])]


def reformats_ms(comparison: Comparison) -> dict[tuple[int, ...], float]:
    """What of the difference of groups is that of reformats in the waterfall, by the layers of A.

    Left out are groups without such reformats.
    """
    steps = [step for step in comparison.waterfall if step.cause == "reformats"]
    sides = (
        (comparison.a, {i for step in steps for i in step.a}, -1),
        (comparison.b, {i for step in steps for i in step.b}, 1),
    )
    found: dict[tuple[int, ...], float] = {}
    for group in comparison.groups:
        for (costs, counted_here, sign), serving in zip(
            sides, (group.a_reformats, group.b_reformats)
        ):
            for i in counted_here.intersection(serving):
                ms = costs.of(costs.engine.layers[i]) or 0.0
                found[group.a] = found.get(group.a, 0.0) + sign * ms
    return found


def reformats(costs: Costs, indices: Sequence[int]) -> int:
    """How many of these layers run something: a no-op does not."""
    return sum(runs_kernel(costs.engine.layers[i]) for i in indices)


def _precision(comparison: Comparison, groups: Sequence[Group]) -> str:
    """`12 layers went from Half to Int8`."""
    ways = Counter(precisions(comparison, group) for group in groups)
    (way, number), *others = ways.most_common()
    words = f"{count(number, 'layer')} went from {way[0]} to {way[1]}"
    return words + (f" and {sum(n for _, n in others)} otherwise" if others else "")


def precisions(comparison: Comparison, group: Group) -> tuple[str, str]:
    """The precisions of a group on both sides."""
    a, b = (
        _precisions(costs, indices)
        for costs, indices in zip((comparison.a, comparison.b), (group.a, group.b))
    )
    return a, b


def changes(comparison: Comparison, group: Group) -> Iterator[str]:
    """What changed in a group, in words."""
    if "fusion" in group.changes or group.fusion != "same":
        told = group.fusion if "fusion" in group.changes else "one layer or its kernels"
        yield f"{told} {len(group.a)} → {len(group.b)}"
    if "precision" in group.changes:
        a, b = precisions(comparison, group)
        yield f"{a} → {b}"
    one_by_one: tuple[Change, ...] = ("kernel", "format", "shape")
    yield from (CHANGES[change] for change in one_by_one if change in group.changes)
    if "reformats" in group.changes:
        before = reformats(comparison.a, group.a_reformats)
        yield f"reformats {before} → {reformats(comparison.b, group.b_reformats)}"


def _precisions(costs: Costs, indices: Sequence[int]) -> str:
    layers = costs.engine.layers
    return ", ".join(dict.fromkeys(measures.precision_of(layers[i]) for i in indices))


def signed(ms: float | None) -> str:
    """`+0.31 ms`, `−1.20 ms`; `–` where there is none."""
    if ms is None:
        return "–"
    return ("−" if ms < 0 else "+" if ms else "") + milliseconds(abs(ms))
