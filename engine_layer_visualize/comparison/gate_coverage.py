"""Tells how much was timed and under what, and in what two measurements differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, isclose
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison import result
from engine_layer_visualize.comparison.gate_layers import SIDES, GroupTimes, allowed, mean, percent
from engine_layer_visualize.comparison.gate_statistics import timed
from engine_layer_visualize.comparison.side import role_of
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.snapshot import Conditions, Coverage, Snapshot
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words

# ---- tells under what a time was measured, and in what two measurements differ ------------------

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


def conditions_of(costs: Costs) -> Conditions:
    """The conditions as the log has them, and as times were asked for."""
    facts = costs.engine.facts or EngineFacts()
    device = facts.device
    return Conditions(
        facts.tensorrt or costs.engine.tensorrt,
        device.name if device is not None else None,
        device.compute_clock_ghz if device is not None else None,
        device.memory_clock_ghz if device is not None else None,
        None
        if (ran := result.samples_shapes(costs, estimated=False)) is None
        else result.samples_words(ran),
        str(costs.profile),
        costs.statistic,
    )


def conditions_differences(baseline: Conditions, new: Conditions) -> Iterator[Words]:
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


def conditions_unknown(baseline: Conditions, new: Conditions) -> tuple[str, ...]:
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
    return result.samples_numbers(result.of_words(before), result.of_words(after))


def _same(before: str | float, after: str | float) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return isclose(before, after, rel_tol=_SAME)
    return before == after


def _value(value: str | float) -> str | Name:
    return f"{value:g} GHz" if isinstance(value, (int, float)) else Name(value)


# ---- tells how much of two engines was timed, and why that may be too little to compare th ------

# A sum of times says nothing of an engine of which a part has no time: it would look faster.


NOT_WHOLE: Final = ("ELV114", "ELV115")  # a listing that is cut, a part of one; also a second one
# A profile of another engine, of a small part of it, or one that is cut.
_UNFIT: Final = ("ELV202", "ELV209", "ELV210")
_MIN_COVERAGE: Final = 0.9
_MAX_UNTIMED_MORE: Final = 0.02  # part of the layers that one side may time less than the other
_MAX_LOST: Final = 0.02  # part of the time that may be in layers without a time on the other side


def coverage_of(costs: Costs) -> Coverage:
    """The coverage of a profile, of the optimisation profile that totals are of."""
    number = sum(costs.of(layer) is not None or _can(layer) for layer in costs.layers)
    part = (costs.total or 0.0) / costs.whole if costs.whole else 1.0
    return Coverage(len(costs.timed), number, float(f"{part:.4g}"))


def _can(layer: Layer) -> bool:
    """Whether a profile must have a row for the layer: it runs a kernel.

    A listing of names alone does not tell.
    """
    return bool(layer.type) and layer.listed and runs_kernel(layer) and role_of(layer) != "overhead"


def coverage_unfit(costs: Costs) -> Iterator[tuple[str, str]]:
    """Problems of reading that leave the times of no engine."""
    for problem in costs.engine.problems:
        part = problem.code in NOT_WHOLE and costs.engine.source.state in ("cut", "part")
        if part or problem.code in _UNFIT:
            yield problem.code, problem.message


def coverage_against(
    both: tuple[Snapshot, Snapshot], measured: Sequence[GroupTimes]
) -> Iterator[Words]:
    """Why the times of the two cannot be compared."""
    for which, snapshot in zip(SIDES, both, strict=True):
        for code, message in snapshot.unfit:
            yield (
                f"{which[0].upper()}{which[1:]} cannot be judged ({code}): ",
                Name(message),
                ".",
            )
    few = [*_few(both)]
    yield from few
    if not few and all(snapshot.profiles for snapshot in both):
        yield from _fewer(both)
        yield from _lost(measured)


def coverage_known(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    """What is to be known where the times are compared though some are missing."""
    for which, snapshot in zip(SIDES, both, strict=True):
        worst = min(snapshot.coverage, key=_by_layers, default=None)
        if worst is not None and worst.timed < worst.layers:
            yield f"{worst.timed:,} of {worst.layers:,} layers of {which} have a time."


def _by_layers(coverage: Coverage) -> float:
    return coverage.timed / coverage.layers if coverage.layers else 1.0


def _few(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    least = f"at least {allowed(_MIN_COVERAGE)} are needed"
    for which, snapshot in zip(SIDES, both, strict=True):
        for run, coverage in zip(snapshot.profiles, snapshot.coverage, strict=False):
            file = Name(run.file)
            if _by_layers(coverage) < _MIN_COVERAGE:
                has = (
                    f"has times for {coverage.timed:,} of the {coverage.layers:,} layers of {which}"
                )
                yield ("`", file, f"` {has} that run something: {least}.")
            elif coverage.part < _MIN_COVERAGE:
                has = f"{percent(coverage.part)} of its time is in rows of layers of {which}"
                yield ("Of `", file, f"` {has}: {least}.")


def _fewer(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    worst = [min(snapshot.coverage, key=_by_layers, default=None) for snapshot in both]
    a, b = worst
    if a is not None and b is not None and abs(_by_layers(a) - _by_layers(b)) > _MAX_UNTIMED_MORE:
        has = " and ".join(
            f"{coverage.timed:,} of {coverage.layers:,} layers of {which}"
            for which, coverage in zip(SIDES, (a, b), strict=True)
        )
        yield f"The sums are of different parts of the engines: {has} have a time."


def _lost(measured: Sequence[GroupTimes]) -> Iterator[Words]:
    """Layers that both have, and one side alone times."""
    for side in (0, 1):
        each = [
            ((group.baseline, group.new)[side], (group.new, group.baseline)[side], group)
            for group in measured
        ]
        total = fsum(mean(ms) for ms, _, _ in each if timed(ms))
        lost = [
            (mean(ms), group)
            for ms, other, group in each
            if timed(ms) and not other and group.paired
        ]
        ms = fsum(took for took, _ in lost)
        if ms > _MAX_LOST * total:
            first = max(lost, key=lambda timed_group: timed_group[0])[1].layers[:1]
            has = f"Groups of layers, {milliseconds(ms)} or {percent(ms / total)} of {SIDES[side]},"
            name = Name(first[0]) if first else "one without a name"
            yield (f"{has} are not timed as a whole in {SIDES[1 - side]}, such as `", name, "`.")
