"""Says what a comparison found out: how much faster B is, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import measures
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.comparison import samples
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.ratio import MIN_MS, ms_of_run
from engine_layer_visualize.comparison.result import Cause, CauseTime, Change, Comparison, Group
from engine_layer_visualize.comparison.samples import Inputs
from engine_layer_visualize.comparison.side import quantises
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, milliseconds, plural, visible

SummaryRow = Literal["latency", "gpu_compute"]  # of a performance summary

_SAME: Final = 0.005  # times that differ by less are told as the same
_ALIKE: Final = 0.01  # ratios that differ by less are one
_MAX_CAUSES: Final = 3  # causes
_MIN_PART: Final = 0.05  # of all that the causes change: less is not told
CAUSES: Final[dict[Cause, str]] = {
    "time": "other times, though the logs show no other change",
    "kernel": "other kernels",
    "precision": "other precisions",
    "fusion": "other fusions",
    "reformats": "reformats",
    "overhead": "constants, shape calls, copies for shapes, waits",
    "unmatched": "layers without a timed counterpart",
}
_CONDITIONS: Final = (
    ("TensorRT", "another TensorRT"),
    ("device", "another GPU"),
    ("compute clock in GHz", "another compute clock in GHz"),
    ("memory clock in GHz", "another memory clock in GHz"),
)
CHANGES: Final[dict[Change, str]] = {
    "kernel": "kernel",
    "precision": "precision",
    "fusion": "fusion",
    "format": "formats",
    "shape": "shape",
    "reformats": "number of reformats",
}


def remarks(comparison: Comparison) -> Iterator[Problem]:
    """Warnings about two engines that cannot be compared in everything."""
    place = Place(comparison.b.engine.source.file, comparison.b.engine.source.first_line)
    if not comparison.same_network:
        message = f"it seems to be another network than A: {how_alike(comparison)}"
        yield Problem(place, "ELV703", message)
    if comparison.delta_ms is None:
        yield Problem(place, "ELV704", f"no difference of times: {comparison.unknown}")
    if comparison.no_plan:
        yield Problem(place, "ELV707", f"no plan: {comparison.no_plan}")


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
    alike_run = comparison.same_network and not samples.differ(comparison.inputs)
    because = ", ".join(_because(comparison)) if alike_run else ""
    said.append(f"{_layers(comparison, bool(whole))}{': ' if because else ''}{because}.")
    return " ".join([*said, *_untimed(comparison)])


def _elsewhere(comparison: Comparison) -> str:
    """`another TensorRT (8.4.1 → 8.2.3)`: what differs of what a time depends on, too.

    Of another device not its clocks. Empty where nothing is known to differ.
    """
    differ = {
        difference.what: f"({visible(difference.a or '')} → {visible(difference.b or '')})"
        for difference in comparison.builds
    }
    return " and ".join(
        f"{called} {differ[what]}"
        for what, called in _CONDITIONS
        if what in differ and not ("clock" in what and "device" in differ)
    )


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
    groups = _counted(comparison)
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
    row = measured(comparison, "gpu_compute")
    if row is None or not comparison.same_network or _agree(comparison, row):
        return ""
    ran = (
        samples.shapes(comparison.a, estimated=False),
        samples.shapes(comparison.b, estimated=False),
    )
    return _faster(comparison, (row.a, row.b), ran, "", f"GPU compute time, {row.statistic}: ")


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
    comparison: Comparison, took: tuple[float, float], inputs: Inputs, how: str, what: str
) -> str:
    """`B is 1.31 × faster (2.60 ms → 1.98 ms)`; empty where the inputs differ.

    Where they differ in their number of samples alone, it is said of a sample.
    """
    a, b = took
    number, of_runs, subject = samples.numbers(*inputs), "", _subject(comparison)
    if number is not None:
        of_runs = f"; a run of A is {count(number[0], 'sample')} and takes {milliseconds(a)}, "
        of_runs += f"one of B {number[1]:,} and {milliseconds(b)}"
        a, b, subject = a / number[0], b / number[1], f"Per sample {subject}"
    elif samples.differ(inputs):
        return ""
    if abs(b - a) <= _SAME * max(a, b):
        times = f"{milliseconds(a)} and {milliseconds(b)}"
        return f"{subject} takes as long as A{how} ({what}{times}){of_runs}"
    ratio = f"{max(a, b) / min(a, b):.2f} × " if min(a, b) >= MIN_MS else ""
    word = "faster" if a > b else "slower"
    times = f"{milliseconds(a)} → {milliseconds(b)}"
    return f"{subject} is {ratio}{word}{how} ({what}{times}){of_runs}"


def _because(comparison: Comparison) -> Iterator[str]:
    """The largest causes."""
    changed = sum(abs(step.ms) for step in comparison.waterfall)
    least = max(_MIN_PART * changed, _SAME * (comparison.a.total or 0.0))
    most = sorted(comparison.waterfall, key=lambda step: -abs(step.ms))[:_MAX_CAUSES]
    for step in most:
        if step.ms and abs(step.ms) >= least:
            yield f"{_cause(comparison, step)} ({signed(step.ms)})"


def _cause(comparison: Comparison, step: CauseTime) -> str:
    cause, counted_groups = step.cause, _counted(comparison)
    timed = [
        group for group in counted_groups if group.cause == cause and group.delta_ms is not None
    ]
    many = len(timed) != 1
    layers = count(len(timed), "layer")
    if cause == "precision":
        return _precision(comparison, timed)
    if cause == "kernel":
        return f"{layers} {'run' if many else 'runs'} another kernel"
    if cause == "fusion":
        return f"{count(len(timed), 'group')} of layers {'are' if many else 'is'} fused otherwise"
    if cause == "time":
        words = f"{layers} {'take' if many else 'takes'} another time"
        unknown = sum(not group.kernels_known for group in timed)
        if unknown and unknown == len(timed):
            return f"{words}, with kernels that cannot be compared"
        some = f", {unknown:,} of them with kernels that cannot be compared" if unknown else ""
        return f"{words} without a change in the logs{some}"
    if cause == "reformats":
        return _reformats(comparison, counted_groups, step.ms)
    if cause == "unmatched":
        a, b = len(step.a), len(step.b)
        return f"{count(a, 'layer')} of A and {b} of B without a timed counterpart"
    return CAUSES[cause]


def _reformats(comparison: Comparison, groups: Sequence[Group], ms: float) -> str:
    """`reformats went from 1 to 2`; with them are layers that only quantise."""
    serving = (
        [comparison.a.engine.layers[i] for group in groups for i in group.a_reformats],
        [comparison.b.engine.layers[i] for group in groups for i in group.b_reformats],
    )
    before, after = (sum(map(runs_kernel, layers)) for layers in serving)
    some = any(quantises(layer) and runs_kernel(layer) for layers in serving for layer in layers)
    if before != after:
        return f"reformats{' and quantisers' if some else ''} went from {before} to {after}"
    number = count(after, "reformat or quantiser" if some else "reformat")
    return f"{number} {plural(after, 'takes', 'take')} {'longer' if ms > 0 else 'less time'}"


def _counted(comparison: Comparison) -> list[Group]:
    """The groups of the optimisation profile that totals are of."""
    return [group for group in comparison.groups if counted(comparison.a, group.a[:1])]


def _alone(comparison: Comparison) -> tuple[Sequence[int], Sequence[int]]:
    """The layers of that optimisation profile without a counterpart, of A and of B."""
    return counted(comparison.a, comparison.unmatched.a), counted(
        comparison.b, comparison.unmatched.b
    )


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
