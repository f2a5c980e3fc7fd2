"""Says what a comparison found out: how much faster B is, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import result
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.cause_words import (
    CHANGES,
    because,
    counted_groups,
    precisions,
)
from engine_layer_visualize.comparison.result import (
    MIN_MS,
    CauseTime,
    Comparison,
    Difference,
    Group,
    Inputs,
    ms_of_run,
)
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, milliseconds, visible

SummaryRow = Literal["latency", "gpu_compute"]  # of a performance summary

_SAME: Final = 0.005  # times that differ by less are told as the same
_SAME_RUNS: Final = 0.01  # the same of runs: medians of one engine differ by as much
_ALIKE: Final = 0.01  # ratios that differ by less are one
_CONDITIONS: Final = {
    "TensorRT": "another TensorRT",
    "device": "another GPU",
    "compute clock in GHz": "another compute clock in GHz",
    "memory clock in GHz": "another memory clock in GHz",
}


def remarks(comparison: Comparison) -> Iterator[Problem]:
    """Warnings about two engines that cannot be compared in everything."""
    place = Place(comparison.b.engine.source.file, comparison.b.engine.source.first_line)
    if not comparison.same_network:
        message = f"it seems to be another network than A: {how_alike(comparison)}"
        yield Problem(place, "ELV703", message)
    if comparison.delta_ms is None:
        yield Problem(place, "ELV704", f"no difference of times: {comparison.unknown}")


def engine(costs: Costs) -> str:
    """`engine 0 of fp16.log`."""
    return f"engine {costs.engine.index} of {visible(costs.engine.source.file)}"


def title(comparison: Comparison) -> str:
    """`B, engine 0 of int8.log, against A, engine 0 of fp16.log`."""
    return f"B, {engine(comparison.b)}, against A, {engine(comparison.a)}"


def first(comparison: Comparison) -> str:
    """What matters most, in a few sentences."""
    said = []
    if not comparison.same_network:
        said.append(f"B seems to be another network than A: {how_alike(comparison)}.")
    if whole := _whole(comparison):
        said.append(f"{whole}.")
    if comparison.delta_ms is None:
        if not whole and (other := _elsewhere(comparison)):
            said.append(f"B has {other}.")
        said.append(f"The times of their layers cannot be compared: {comparison.unknown}.")
        said += _structure(comparison) if comparison.same_network else ()
        return " ".join(said)
    layers = _layers(comparison, bool(whole))
    if whole and (row := measured(comparison, "gpu_compute")) and _contradicts(comparison, row):
        said.append(f"{layers}: they do not show this, and explain nothing of it.")
    else:
        alike_run = comparison.same_network and not result.samples_differ(comparison.inputs)
        causes = ", ".join(because(comparison)) if alike_run else ""
        said.append(f"{layers}{': ' if causes else ''}{causes}.")
        if causes and _differs(comparison, "device"):
            said.append("Each of these may come from the other GPU alone.")
    said += (*_unknown_inputs(comparison), *_untimed(comparison), *_allowed(comparison))
    return " ".join(said)


def steps(comparison: Comparison) -> Sequence[CauseTime]:
    """The steps of the waterfall, where they explain something.

    They do not of two networks, nor of runs of different numbers of samples.
    """
    of_samples = comparison.per_sample is None or comparison.of_a_sample
    return comparison.waterfall if comparison.same_network and of_samples else ()


class Headline(NamedTuple):
    """What a page shows large; both are empty where the times have no ratio."""

    ratio: str  # `1.31 × faster`, `as fast as A`
    times: str  # `GPU compute time, median: 2.60 ms → 1.98 ms`


def headline(comparison: Comparison) -> Headline:
    """What `first` says of the speed, in few words."""
    if row := _whole_row(comparison):
        took, what = (row.a, row.b), f"GPU compute time, {row.statistic}"
        if speed := _speed(took, _inputs_of_runs(comparison), _SAME_RUNS):
            return Headline(speed, f"{what}: {' → '.join(map(milliseconds, took))}")
    if comparison.delta_ms is None or comparison.no_ratio:
        return Headline("", "")
    took = ms_of_run(comparison.a), ms_of_run(comparison.b)
    sign = "≈ " if comparison.a.estimated else ""
    what = f"sum of the layers{', as the builder estimates' if sign else ''}"
    speed = _speed(took, comparison.inputs, _SAME)
    times = f"{what}: {' → '.join(map(milliseconds, took))}"
    return Headline(sign + speed, times) if speed else Headline("", "")


def _speed(took: tuple[float, float], inputs: Inputs, same: float) -> str:
    """`1.31 × faster`, `as fast as A`; empty where the inputs differ in more than samples."""
    number = result.samples_numbers(*inputs)
    if number is None and result.samples_differ(inputs):
        return ""
    a, b = took if number is None else (took[0] / number[0], took[1] / number[1])
    each = "" if number is None else " per sample"
    if _are_same(a, b, same):
        return f"as fast as A{each}"
    ratio = f"{max(a, b) / min(a, b):.2f} × " if min(a, b) >= MIN_MS else ""
    return f"{ratio}{'faster' if a > b else 'slower'}{each}"


def _unknown_inputs(comparison: Comparison) -> Iterator[str]:
    """Where the inputs of one side alone are known, or both sides are times alone."""
    unknown = [name for name, shapes in zip("AB", comparison.inputs) if shapes is None]
    states = {costs.engine.source.state for costs in (comparison.a, comparison.b)}
    if not comparison.same_network:
        return
    if len(unknown) == 1:
        (name,) = unknown
        yield f"The shapes of the inputs of {name} are not known: its run may be of more samples."
    elif unknown and states == {"times"}:
        yield "No file tells the shapes of the inputs: one run may be of more samples."


def _contradicts(comparison: Comparison, row: WholeTimes) -> bool:
    """Whether the builder's estimates of the layers go another way than what was measured."""
    if not comparison.a.estimated or comparison.delta_ms is None:
        return False
    more = 0.0 if _are_same(row.a, row.b, _SAME_RUNS) else row.b - row.a
    estimated = ms_of_run(comparison.a), ms_of_run(comparison.b)
    expected = 0.0 if _are_same(*estimated, _SAME_RUNS) else comparison.delta_ms
    return more * expected < 0 or (more == 0) != (expected == 0)


def _are_same(a: float, b: float, within: float) -> bool:
    return abs(b - a) <= within * max(a, b)


def _differs(comparison: Comparison, what: str) -> bool:
    return any(difference.what == what for difference in comparison.builds)


def _allowed(comparison: Comparison) -> Iterator[str]:
    """Where builds allow other precisions, and no layer computes in another."""
    groups = counted_groups(comparison)
    known = all("unknown" not in precisions(comparison, group) for group in groups)
    other = any("precision" in group.changes for group in groups)
    if groups and known and not other and _differs(comparison, "allowed precisions"):
        (allowed,) = (one for one in comparison.builds if one.what == "allowed precisions")
        yield (f"A allows {allowed.a}, B {allowed.b}, but no layer computes in another precision.")


def _elsewhere(comparison: Comparison) -> str:
    """`another TensorRT (8.4.1 → 8.2.3)`; empty where nothing is known to differ."""
    return " and ".join(
        f"{_CONDITIONS[difference.what]} "
        f"({visible(difference.a or '')} → {visible(difference.b or '')})"
        for difference in told_first(comparison)
    )


def told_first(comparison: Comparison) -> list[Difference]:
    """What differs of what a time depends on, too; of another device not its clocks."""
    return [
        difference
        for difference in comparison.builds
        if difference.what in _CONDITIONS
        and not ("clock" in difference.what and _differs(comparison, "device"))
    ]


def _subject(comparison: Comparison) -> str:
    """`B, with another GPU (A100 → Orin),`, or `B`."""
    other = _elsewhere(comparison)
    return f"B, with {other}," if other else "B"


def _untimed(comparison: Comparison) -> Iterator[str]:
    """What is in no sum, of layers that are matched."""
    a, b = (
        sum(
            costs.missing(costs.engine.layers[i])
            for group in comparison.groups
            for i in counted(costs, group.all[side])
        )
        for side, costs in enumerate((comparison.a, comparison.b))
    )
    if a or b:
        have = "has" if a + b == 1 else "have"
        yield f"{count(a, 'layer')} of A and {b:,} of B {have} no time, and {have} no part in this."


def _structure(comparison: Comparison) -> Iterator[str]:
    """What changed, where no times say how much it matters."""
    groups = counted_groups(comparison)
    each = Counter(change for group in groups for change in group.changes)
    changed = sum(bool(group.changes) for group in groups)
    told = ", ".join(f"{CHANGES[change]} in {number:,}" for change, number in each.most_common())
    lonely = [
        f"{count(len(indices), 'layer')} of {name}"
        for name, indices in zip("AB", _alone(comparison))
        if indices
    ]
    rest = f"; {' and '.join(lonely)} without a counterpart" if lonely else ""
    if changed or rest:
        words = f"{changed:,} of {count(len(groups), 'group')} of layers changed"
        yield words + (f": {told}" if told else "") + rest + unknown_kernels(groups) + "."
    else:
        number = count(len(groups), "group")
        yield f"None of {number} of layers changed{unknown_kernels(groups)}."


def unknown_kernels(groups: Sequence[Group]) -> str:
    """`; the kernels of 3 cannot be compared`; empty where all can."""
    unknown = sum(not group.kernels_known for group in groups)
    return f"; the kernels of {unknown:,} cannot be compared" if unknown else ""


class WholeTimes(NamedTuple):
    """A row of both performance summaries, in ms: medians where both have them, else means."""

    statistic: str
    a: float
    b: float


def measured(comparison: Comparison, row: SummaryRow) -> WholeTimes | None:
    """None where a log does not have it."""
    rows = []
    for costs in (comparison.a, comparison.b):
        facts = costs.engine.facts
        if facts is None or facts.performance is None:
            return None
        if (row_of_one := getattr(facts.performance, row)) is None:
            return None
        rows.append(row_of_one)
    a, b = rows
    if None not in (a.median, b.median):
        return WholeTimes("median", a.median, b.median)
    return None if None in (a.mean, b.mean) else WholeTimes("mean", a.mean, b.mean)


def how_alike(comparison: Comparison) -> str:
    """How much of both could be matched."""
    grouped = [sum(len(group.all[side]) for group in comparison.groups) for side in (0, 1)]
    sizes = (len(comparison.a.engine.layers), len(comparison.b.engine.layers))
    if not any(grouped):
        return "no layer of one is surely a layer of the other"
    return (
        f"{grouped[0]:,} of the {count(sizes[0], 'layer')} of A and {grouped[1]:,} of the "
        f"{count(sizes[1], 'layer')} of B are matched, and few of them do equal work"
    )


def _whole(comparison: Comparison) -> str:
    """How much faster B is as trtexec measured both.

    Empty where that is not known, or where the measured times of the layers say the same.
    """
    row = _whole_row(comparison)
    if row is None:
        return ""
    what = f"GPU compute time, {row.statistic}: "
    return _faster(comparison, (row.a, row.b), _inputs_of_runs(comparison), "", what, _SAME_RUNS)


def _whole_row(comparison: Comparison) -> WholeTimes | None:
    row = measured(comparison, "gpu_compute")
    alike = comparison.same_network
    return None if row is None or not alike or _agree(comparison, row) else row


def _inputs_of_runs(comparison: Comparison) -> Inputs:
    a, b = (result.samples_shapes(costs, estimated=False) for costs in (comparison.a, comparison.b))
    return a, b


def _agree(comparison: Comparison, row: WholeTimes) -> bool:
    """Whether the layers' measured times have the ratio of the whole engines'."""
    if comparison.speedup is None or comparison.a.estimated or not row.b:
        return False
    return abs(comparison.speedup * row.b - row.a) <= _ALIKE * row.a


def _layers(comparison: Comparison, told: bool) -> str:
    """How much faster B is by its layers. `told`: how much it is as a whole was said before."""
    a, b = ms_of_run(comparison.a), ms_of_run(comparison.b)
    how = " by the builder's estimates" if comparison.a.estimated else ""
    if not told and not comparison.no_ratio:
        return _faster(comparison, (a, b), comparison.inputs, how, "")
    subject = "B" if told else _subject(comparison)
    words = f"The layers of {subject} take {milliseconds(b)}{how}, those of A {milliseconds(a)}"
    return f"{words}; there is no ratio, as {comparison.no_ratio}" if comparison.no_ratio else words


def _faster(
    comparison: Comparison,
    took: tuple[float, float],
    inputs: Inputs,
    how: str,
    what: str,
    same: float = _SAME,
) -> str:
    """`B is 1.31 × faster (2.60 ms → 1.98 ms)`; empty where the inputs differ.

    Where they differ in their number of samples alone, it is said of a sample.
    """
    a, b = took
    number, of_runs, subject = result.samples_numbers(*inputs), "", _subject(comparison)
    if number is not None:
        of_runs = f"; a run of A is {count(number[0], 'sample')} and takes {milliseconds(a)}, "
        of_runs += f"one of B {number[1]:,} and {milliseconds(b)}"
        a, b, subject = a / number[0], b / number[1], f"Per sample {subject}"
    elif result.samples_differ(inputs):
        return ""
    if _are_same(a, b, same):
        times = f"{milliseconds(a)} and {milliseconds(b)}"
        return f"{subject} takes as long as A{how} ({what}{times}){of_runs}"
    speed = _speed((a, b), (None, None), same)
    times = f"{milliseconds(a)} → {milliseconds(b)}"
    return f"{subject} is {speed}{how} ({what}{times}){of_runs}"


def _alone(comparison: Comparison) -> tuple[Sequence[int], Sequence[int]]:
    """The layers of that optimisation profile without a counterpart, of A and of B."""
    return counted(comparison.a, comparison.unmatched.a), counted(
        comparison.b, comparison.unmatched.b
    )
