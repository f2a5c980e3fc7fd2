"""Decides whether the times of two engines have a ratio that means something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import samples
from engine_layer_visualize.comparison.result import Comparison, Group
from engine_layer_visualize.comparison.samples import Inputs, PerSample
from engine_layer_visualize.core.text import count

MIN_MS: Final = 0.001  # below it a time is mostly the clock's resolution
_MIN_COVERED: Final = 0.98  # of the layers that can have an estimate


class SpeedRatio(NamedTuple):
    """How much faster an engine is."""

    speedup: float | None  # A by B, of a run; None where it would mean nothing
    why: str  # why there is none, where that is no matter of course
    per_sample: PerSample | None  # where runs are of different numbers of samples
    inputs: Inputs  # the shapes at which the engines ran


def of(a: Costs, b: Costs, same_network: bool, comparable: bool) -> SpeedRatio:
    """The ratio of two engines; `comparable`: their times can be subtracted."""
    inputs = samples.shapes(a), samples.shapes(b)
    if not comparable or a.total is None or b.total is None:
        return SpeedRatio(None, "", None, inputs)
    if not same_network:
        return SpeedRatio(None, "they are of two networks", None, inputs)
    number = samples.numbers(*inputs)
    if number is None and samples.differ(inputs):
        shapes = " and ".join(map(samples.words, filter(None, inputs)))
        return SpeedRatio(None, f"they ran on inputs of other shapes, {shapes}", None, inputs)
    per_sample = None
    if number is not None:
        ms_a, ms_b = (ms_of_run(costs) / by for costs, by in zip((a, b), number))
        per_sample = PerSample(ms_a, ms_b, *number)
    for name, costs in (("A", a), ("B", b)):
        if costs.estimated and costs.now.timed < _MIN_COVERED * costs.now.layers:
            known = f"{costs.now.timed:,} of {count(costs.now.layers, 'layer')}"
            return SpeedRatio(None, f"the estimates are of {known} of {name}", None, inputs)
    runs = ms_of_run(a), ms_of_run(b)
    return SpeedRatio(runs[0] / runs[1] if min(runs) >= MIN_MS else None, "", per_sample, inputs)


def of_groups(comparison: Comparison, groups: Sequence[Group]) -> float | None:
    """The ratio of groups together, A by B; None where it would mean nothing."""
    took = comparison.took(groups)
    if took is None or comparison.no_ratio or min(took) < MIN_MS:
        return None
    return took[0] / took[1]


def ms_of_run(costs: Costs) -> float:
    """The sum of the layers, of all samples of a run."""
    return (costs.total or 0.0) * costs.samples


def of_a_sample(a: Costs, b: Costs) -> tuple[Costs, Costs]:
    """The engines with the times of a sample, where runs are of different numbers of samples."""
    number = samples.numbers(samples.shapes(a), samples.shapes(b)) or (1, 1)
    first, second = (
        Costs(costs.engine, costs.profile, costs.statistic, costs.peak, by)
        for costs, by in zip((a, b), number)
    )
    return first, second
