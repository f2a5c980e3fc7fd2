"""Tells under what a time was measured, and in what two measurements differ."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import samples
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.snapshot import Conditions
from engine_layer_visualize.core.words import Name, Words

_SAME: Final = 1e-3  # clocks are printed with three digits


_CALLED: Final = {
    "tensorrt": "TensorRT version",
    "device": "device",
    "compute_clock_ghz": "compute clock",
    "memory_clock_ghz": "memory clock",
    "batch": "shape of the inputs",
    "optimization_profile": "optimisation profile",
    "statistic": "time of a layer",
}


def of(costs: Costs) -> Conditions:
    """The conditions as the log has them, and as times were asked for."""
    facts = costs.engine.facts or EngineFacts()
    device = facts.device
    return Conditions(
        facts.tensorrt or costs.engine.tensorrt,
        device.name if device is not None else None,
        device.compute_clock_ghz if device is not None else None,
        device.memory_clock_ghz if device is not None else None,
        None if (ran := samples.shapes(costs, estimated=False)) is None else samples.words(ran),
        str(costs.profile),
        costs.statistic,
    )


def differences(baseline: Conditions, new: Conditions) -> Iterator[Words]:
    """A sentence for each that is known on both sides and differs."""
    for called, was, now in parted(baseline, new):
        yield (f"The {called} differs: ", was, " in the baseline, ", now, " in the new engine.")
        if called == _CALLED["batch"] and by_sample(str(baseline.batch), str(new.batch)):
            yield "With --per_sample the times of one sample are compared."


def parted(a: Conditions, b: Conditions) -> Iterator[tuple[str, str | Name, str | Name]]:
    """What is known on both sides and differs: what it is called, and its two values."""
    for field, called in _CALLED.items():
        before, after = getattr(a, field), getattr(b, field)
        if before is not None and after is not None and not _same(before, after):
            yield called, _value(before), _value(after)


def unknown(baseline: Conditions, new: Conditions) -> tuple[str, ...]:
    """What could not be compared, such as `device` or `memory clock`."""
    return tuple(
        called
        for field, called in _CALLED.items()
        if getattr(baseline, field) is None or getattr(new, field) is None
    )


def unknown_inputs(baseline: Conditions, new: Conditions) -> str:
    """The side, of both, whose shapes of inputs are not known: its run may be of more samples."""
    if (baseline.batch is None) == (new.batch is None):
        return ""
    return "the baseline" if baseline.batch is None else "the new engine"


def by_sample(before: str, after: str) -> tuple[int, int] | None:
    """How many samples a run is on either side, where shapes of inputs differ in that alone."""
    return samples.numbers(samples.of_words(before), samples.of_words(after))


def _same(before: str | float, after: str | float) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return isclose(before, after, rel_tol=_SAME)
    return before == after


def _value(value: str | float) -> str | Name:
    return f"{value:g} GHz" if isinstance(value, (int, float)) else Name(value)
