"""Says what a comparison found out: how much faster B is, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.causes import (
    CHANGES,
    because,
    counted_groups,
    least,
    spread,
)
from engine_layer_visualize.comparison.result import (
    BUILDS_VARY,
    MIN_MS,
    RUNS_VARY,
    CauseTime,
    Comparison,
    Difference,
    Inputs,
    input_shapes,
    inputs_differ,
    ms_of_run,
    noise_of_layers,
    numbers_of_samples,
)
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, milliseconds, percent, visible

_MOST_VARIED: Final = 0.05  # of a median: as far as its mean may put it in doubt
_AS_FAST: Final = "is as fast as A"
_ALIKE: Final = 0.01  # ratios that differ by less are one
_FEW_PERCENT: Final = 1.1  # a smaller ratio is told in per cent
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
        message = f"it seems to be another network than A: {_how_alike(comparison)}"
        yield Problem(place, "ELV703", message)
    if comparison.delta_ms is None:
        yield Problem(place, "ELV704", f"no difference of times: {comparison.unknown}")


def engine(costs: Costs) -> str:
    """`engine 0 of fp16.log`."""
    return f"engine {costs.engine.index} of {visible(costs.engine.source.file)}"


def title(comparison: Comparison) -> str:
    """`B, engine 0 of int8.log, against A, engine 0 of fp16.log`."""
    return f"{comparison.called}, {engine(comparison.b)}, against A, {engine(comparison.a)}"


def first(comparison: Comparison) -> str:
    """What matters most, in a few sentences."""
    said, (a, b), called = [], comparison.outputs, comparison.called
    if other_outputs := bool(a and b and a != b):
        said.append(f"A has {count(a or 0, 'output')}, {called} {b}: they compute other things.")
    if not comparison.same_network:
        said.append(f"{called} seems to be another network than A: {_how_alike(comparison)}.")
    if whole := _whole(comparison):
        said.append(f"{whole}.")
    if comparison.delta_ms is None:
        if not whole and (other := _elsewhere(comparison)):
            said.append(f"{called} has {other}.")
        said.append(f"{comparison.unknown[:1].upper()}{comparison.unknown[1:]}.")
        if comparison.same_network:
            said.append(_structure(comparison))
        return " ".join(said)
    if whole and (row := measured(comparison, "gpu_compute")) and _contradicts(comparison, row):
        took = " and ".join(milliseconds(ms_of_run(costs)) for costs in comparison.sides)
        otherwise = "say otherwise" if is_noise(comparison) else "do not explain the difference"
        said.append(f"The estimates ({took}) {otherwise}.")
    else:
        causes = "" if other_outputs else ", ".join(_causes(comparison))
        of = ". Of one sample: " if comparison.per_sample else ": "
        said.append(f"{_layers(comparison, bool(whole))}{causes and of}{causes}.")
    said += (*_unknown_inputs(comparison), *_untimed(comparison))
    return " ".join(said)


def _causes(comparison: Comparison) -> Iterator[str]:
    """The largest causes; none where inputs differ in more than samples."""
    if not comparison.same_network or (comparison.no_ratio and inputs_differ(comparison.inputs)):
        return
    is_elsewhere = _differs(comparison, "device") and comparison.factor is None
    yield from spread(comparison) if is_elsewhere else because(comparison)


def steps(comparison: Comparison) -> Sequence[CauseTime]:
    """The steps of the waterfall; none of two networks, nor where all are what runs vary."""
    at_least = least(comparison)
    differs = any(step.ms and abs(step.ms) >= at_least for step in comparison.waterfall)
    return comparison.waterfall if comparison.same_network and differs else ()


# ---- how much faster ---------------------------------------------------------------------------


class Headline(NamedTuple):
    """What a page shows large, of B; both are empty where the times have no ratio."""

    ratio: str = ""  # `is 1.31 × faster`, `takes 1.2 % longer`, `is as fast as A`
    times: str = ""  # `GPU compute time, median: 2.60 ms → 1.98 ms`


class WholeTimes(NamedTuple):
    """A row of both performance summaries, in ms: medians where both have them, else means."""

    statistic: str
    a: float
    b: float
    noise: float = RUNS_VARY  # the part by which they vary


def is_noise(comparison: Comparison) -> bool:
    """Whether what the runs vary is more than the difference."""
    return headline(comparison).ratio.startswith(_AS_FAST)


class _Speed(NamedTuple):
    """How much faster B is: in ms of a sample where the runs differ in their samples."""

    a: float
    b: float
    samples: tuple[int, int] | None
    words: str  # `is 1.31 × faster`, `takes 1.2 % longer`; empty where they take as long


def headline(comparison: Comparison) -> Headline:
    """What `first` says of the speed, in few words."""
    if row := _whole_row(comparison):
        took = row.a, row.b
        if speed := _speed(took, _inputs_of_runs(comparison), row.noise):
            return _headline(speed, took, f"GPU compute time, {row.statistic}")
    if comparison.delta_ms is None or comparison.no_ratio:
        return Headline()
    took = ms_of_run(comparison.a), ms_of_run(comparison.b)
    if not (speed := _speed(took, comparison.inputs, noise_of_layers(comparison.a))):
        return Headline()
    if not comparison.a.estimated or not speed.words:
        how = ", as the builder estimates" if comparison.a.estimated else ""
        return _headline(speed, took, f"sum of the layers{how}")
    ratio, times = _headline(speed, took, "sum of the layers, as the builder estimates")
    verb, words = ratio.split(" ", 1)
    return Headline(f"{verb} ≈ {words}", times)


def _headline(speed: _Speed, took: tuple[float, float], what: str) -> Headline:
    each = " per sample" if speed.samples else ""
    times = f"{what}: {' → '.join(map(milliseconds, took))}"
    return Headline(f"{speed.words or _AS_FAST}{each}", times)


def _speed(took: tuple[float, float], inputs: Inputs, same: float) -> _Speed | None:
    """None where the inputs differ in more than samples."""
    number = numbers_of_samples(*inputs)
    if number is None and inputs_differ(inputs):
        return None
    a, b = (ms / by for ms, by in zip(took, number or (1, 1)))
    if _are_same(a, b, same):
        return _Speed(a, b, number, "")
    return _Speed(a, b, number, _how_fast(a, b))


def _how_fast(a: float, b: float) -> str:
    if min(a, b) < MIN_MS:
        return f"is {'faster' if a > b else 'slower'}"
    ratio = max(a, b) / min(a, b)
    if ratio < _FEW_PERCENT:
        return f"takes {percent(abs(b - a) / a)} {'less time' if a > b else 'longer'}"
    return f"is {ratio:.2f} × {'faster' if a > b else 'slower'}"


def _are_same(a: float, b: float, within: float) -> bool:
    return abs(b - a) <= within * max(a, b)


def _faster(
    comparison: Comparison,
    took: tuple[float, float],
    inputs: Inputs,
    same: float,
    how: str = "",
    what: str = "",
) -> str:
    """`B is 1.31 × faster (2.60 ms → 1.98 ms)`; empty where the inputs differ.

    Where they differ in their number of samples alone, it is said of a sample.
    """
    speed = _speed(took, inputs, same)
    if speed is None:
        return ""
    other = _elsewhere(comparison)
    called, of_runs = comparison.called, ""
    subject = f"{called}, with {other}," if other else called
    if speed.samples is not None:
        subject, (a, b) = f"Per sample {subject}", speed.samples
        of_runs = f"; a run of A is {count(a, 'sample')} and takes {milliseconds(took[0])}, "
        of_runs += f"one of {called} {b:,} and {milliseconds(took[1])}"
    before, after = milliseconds(speed.a), milliseconds(speed.b)
    if speed.words:
        return f"{subject} {speed.words}{how} ({what}{before} → {after}){of_runs}"
    vary = ""
    if before != after:
        vary = f", within what {'its timing varies' if how else 'runs vary'}"
    return f"{subject} takes as long as A{how}{vary} ({what}{before} → {after}){of_runs}"


def _whole(comparison: Comparison) -> str:
    """How much faster B is as trtexec measured both.

    Empty where that is not known, or where the measured times of the layers say the same.
    """
    row = _whole_row(comparison)
    if row is None:
        return ""
    what = f"GPU compute time, {row.statistic}: "
    inputs = _inputs_of_runs(comparison)
    return _faster(comparison, (row.a, row.b), inputs, row.noise, what=what)


def _layers(comparison: Comparison, told: bool) -> str:
    """How much faster B is by its layers. `told`: how much it is as a whole was said before."""
    a, b = ms_of_run(comparison.a), ms_of_run(comparison.b)
    how = " by the builder's estimates" if comparison.a.estimated else ""
    if not told and not comparison.no_ratio:
        noise = noise_of_layers(comparison.a)
        return _faster(comparison, (a, b), comparison.inputs, noise, how)
    other = "" if told else _elsewhere(comparison)
    subject = f"{comparison.called}, with {other}," if other else comparison.called
    words = f"The layers of {subject} take {milliseconds(b)}{how}, those of A {milliseconds(a)}"
    return f"{words}; there is no ratio, as {comparison.no_ratio}" if comparison.no_ratio else words


def measured(comparison: Comparison, row: Literal["latency", "gpu_compute"]) -> WholeTimes | None:
    """A row of both performance summaries; None where a log does not have it."""
    a, b = (
        costs.engine.facts.performance and getattr(costs.engine.facts.performance, row)
        if costs.engine.facts
        else None
        for costs in comparison.sides
    )
    if a is None or b is None:
        return None
    if None not in (a.median, b.median):
        noise = max(map(_varies, ((a.median, a.mean), (b.median, b.mean))))
        return WholeTimes("median", a.median, b.median, noise)
    return None if None in (a.mean, b.mean) else WholeTimes("mean", a.mean, b.mean)


def _varies(took: tuple[float, float | None]) -> float:
    """The part by which a median may be another one in the next run; `took`: it and its mean."""
    median, mean = took
    apart = abs((mean or median) - median) / (median or 1.0)
    return min(max(apart, RUNS_VARY), _MOST_VARIED)


def _whole_row(comparison: Comparison) -> WholeTimes | None:
    """What trtexec measured, unless the layers' measured times have the same ratio."""
    row, speedup = measured(comparison, "gpu_compute"), comparison.speedup
    if row is None or not comparison.same_network:
        return None
    if speedup is None or comparison.a.estimated or not row.b:
        return row
    is_told = abs(speedup * row.b - row.a) <= _ALIKE * row.a
    sure, known = (_are_same(row.a, row.b, noise) for noise in (RUNS_VARY, row.noise))
    return None if is_told and sure == known else row


def _inputs_of_runs(comparison: Comparison) -> Inputs:
    return input_shapes(comparison.a, estimated=False), input_shapes(comparison.b, estimated=False)


def _contradicts(comparison: Comparison, row: WholeTimes) -> bool:
    """Whether the builder's estimates of the layers go another way than what was measured."""
    if not comparison.a.estimated or comparison.delta_ms is None:
        return False
    more = 0.0 if _are_same(row.a, row.b, row.noise) else row.b - row.a
    estimated = ms_of_run(comparison.a), ms_of_run(comparison.b)
    expected = 0.0 if _are_same(*estimated, BUILDS_VARY) else comparison.delta_ms
    return more * expected < 0 or (more == 0) != (expected == 0)


# ---- what else differs -------------------------------------------------------------------------


def told_first(comparison: Comparison) -> list[Difference]:
    """What differs of what a time depends on, too; of another device not its clocks."""
    return [
        difference
        for difference in comparison.builds
        if difference.what in _CONDITIONS
        and not ("clock" in difference.what and _differs(comparison, "device"))
    ]


def _elsewhere(comparison: Comparison) -> str:
    """`another TensorRT (8.4.1 → 8.2.3)`; empty where nothing is known to differ."""
    return " and ".join(
        f"{_CONDITIONS[what]} ({visible(a or '')} → {visible(b or '')})"
        for what, a, b in told_first(comparison)
    )


def _differs(comparison: Comparison, what: str) -> bool:
    return any(difference.what == what for difference in comparison.builds)


def _how_alike(comparison: Comparison) -> str:
    """How much of both could be matched."""
    grouped = [sum(len(group.all[side]) for group in comparison.groups) for side in (0, 1)]
    if not any(grouped):
        return "no layer of one is surely a layer of the other"
    a, b = (count(len(costs.engine.layers), "layer") for costs in comparison.sides)
    matched = (
        f"{grouped[0]:,} of the {a} of A and {grouped[1]:,} of the {b} of {comparison.called} "
    )
    matched += "are matched"
    return f"{matched}, and few of them do equal work"


def _unknown_inputs(comparison: Comparison) -> Iterator[str]:
    """Where the inputs of one side alone are known, or both sides are times alone."""
    unknown = [name for name, shapes in zip(comparison.names, comparison.inputs) if shapes is None]
    states = {costs.engine.source.state for costs in comparison.sides}
    if not comparison.same_network:
        return
    if len(unknown) == 1:
        (name,) = unknown
        yield f"The shapes of the inputs of {name} are not known: its run may be of more samples."
    elif unknown and states == {"times"}:
        yield "No file tells the shapes of the inputs: one run may be of more samples."


def _untimed(comparison: Comparison) -> Iterator[str]:
    """What is in no sum, of layers that are matched."""
    a, b = (
        sum(
            costs.missing(costs.engine.layers[i])
            for group in comparison.groups
            for i in counted(costs, group.all[side])
        )
        for side, costs in enumerate(comparison.sides)
    )
    if a or b:
        have = "has" if a + b == 1 else "have"
        yield (
            f"{count(a, 'layer')} of A and {b:,} of {comparison.called} {have} no time, "
            f"and {have} no part in this."
        )


def _structure(comparison: Comparison) -> str:
    """What changed, where no times say how much it matters."""
    groups = counted_groups(comparison)
    number = count(len(groups), "group")
    changed = sum(bool(group.changes) for group in groups)
    each = Counter(change for group in groups for change in group.changes)
    told = ", ".join(f"{CHANGES[change]} in {number:,}" for change, number in each.most_common())
    alone = [
        f"{count(len(own), 'layer')} of {name}"
        for name, costs, indices in zip(comparison.names, comparison.sides, comparison.alone)
        if (own := counted(costs, indices))
    ]
    if not changed and not alone:
        return f"None of {number} of layers changed."
    rest = f"; {' and '.join(alone)} without a counterpart" if alone else ""
    told = f": {told}" if told else ""
    return f"{changed:,} of {number} of layers changed{told}{rest}."
