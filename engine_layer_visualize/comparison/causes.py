"""Says what explains the difference of two engines, what changed in a group, and what to do."""

from collections.abc import Callable, Iterator, Sequence
from math import isclose
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions as measures
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison import accounting, result
from engine_layer_visualize.comparison.result import Cause, CauseTime, Change, Comparison, Group
from engine_layer_visualize.comparison.side import quantises
from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.text import count, milliseconds, plural
from engine_layer_visualize.core.words import abridged
from engine_layer_visualize.linting import findings_of, seen
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.lever import faster_in_float
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject

CAUSES: Final[dict[Cause, str]] = {
    "factor": "one factor of all layers",
    "time": "only the time differs",
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
_NEAR: Final = 0.05  # times of groups that are alike differ by less
_MAX_CAUSES: Final = 3
_MIN_PART: Final = 0.05  # of all that the causes change: less is not told


def signed(value: float | None, words: Callable[[float], str] = milliseconds) -> str:
    """`+0.31 ms`, `−1.20 ms`; `–` where there is none."""
    if value is None:
        return "–"
    value = round(value, 9)  # of sums of equal times a trace is left
    return ("−" if value < 0 else "+" if value else "") + words(abs(value))


def counted_groups(comparison: Comparison) -> list[Group]:
    """The groups of the optimisation profile that totals are of."""
    return [group for group in comparison.groups if accounting.counted(comparison.a, group.a[:1])]


def uniform(comparison: Comparison) -> result.Uniform | None:
    """The factor of all that runs the same kernels; None: there is none."""
    if not comparison.same_network or result.inputs_differ(comparison.inputs):
        return None
    timed = filter(accounting.is_timed, counted_groups(comparison))
    alike = [group for group in timed if group.cause == "time" and group.kernels_known]
    return accounting.one_factor(comparison.a, alike)


def spread(comparison: Comparison) -> Iterator[str]:
    """How the times of groups differ on another GPU, where neither kernel nor fusion is a cause."""
    groups = [group for group in counted_groups(comparison) if accounting.is_timed(group)]
    if len(groups) >= accounting.MIN_ALIKE:
        found = accounting.ratios(groups)
        yield f"half of the groups take {found.low:.2f} to {found.high:.2f} × as long"


def large(comparison: Comparison) -> list[CauseTime]:
    """The causes that change more than what runs vary, the largest first."""
    changed = sum(abs(step.ms) for step in comparison.waterfall)
    per = comparison.per_sample
    whole = per.a_ms if per else comparison.a.total or 0.0
    least = max(_MIN_PART * changed, result.noise_of_layers(comparison.a) * whole)
    steps = sorted(comparison.waterfall, key=lambda step: -abs(step.ms))
    return [step for step in steps if step.ms and abs(step.ms) >= least]


def because(comparison: Comparison) -> Iterator[str]:
    """The largest causes."""
    for step in large(comparison)[:_MAX_CAUSES]:
        yield f"{_cause(comparison, step)} ({signed(step.ms)})"


def _cause(comparison: Comparison, step: CauseTime) -> str:
    counted = {*step.a}, {*step.b}  # of a group whose reformat has no time the layers are
    caused = [group for group in counted_groups(comparison) if group.cause == step.cause]
    timed = [
        group
        for group in caused
        if any(own.intersection(layers) for own, layers in zip(counted, group.both))
    ]
    number = len(timed)
    layers = count(number, "layer")
    if step.cause == "precision":
        types = ((accounting.types_of(comparison.layers(group.both)), group) for group in timed)
        ways = by_key((str(key), group) for key, group in types)
        most = max(ways.values(), key=len)
        told = zip(*(precisions(comparison, group) for group in most))
        a, b = (" and ".join(sorted({*words})) for words in told)
        otherwise = f" and {number - len(most)} otherwise" if len(ways) > 1 else ""
        return f"{count(len(most), 'layer')} went from {a} to {b}{otherwise}"
    if step.cause == "kernel":
        return f"{layers} {plural(number, 'runs', 'run')} another kernel"
    if step.cause == "fusion":
        fused = f"{count(number, 'group')} of layers {plural(number, 'is', 'are')} fused otherwise"
        both = sum("precision" in group.changes for group in timed)
        which = f", {both:,} of them" if both < number else " and"
        return f"{fused}{which} in another precision" if both else fused
    if step.cause == "factor" and comparison.factor:
        way, by = _slower_by(comparison.factor)
        return f"layers that compute the same are {way} by about {by} on this GPU"
    known = sum(group.kernels_known for group in timed)
    if known and step.cause == "time" and not comparison.factor and (alike := uniform(comparison)):
        way, by = _slower_by(alike)
        shapes = "other shapes, " * (None in comparison.inputs)
        are = f"{count(known, 'layer')} with the same kernels are {way} by about {by}"
        devices = {(costs.engine.known.device or Device()).name for costs in comparison.sides}
        gpu = "another GPU, " * (len(devices) > 1 or None in devices)
        why = f"{shapes}{gpu}other clocks or options of the run, or another load"
        why += ", which tells nothing of the engine"
        more = f"; of {number - known:,} more the kernels are unknown" if known < number else ""
        return f"{are}: {why}{more}"
    if step.cause == "time":
        same = " with the same kernels" if known == len(timed) else ""
        return f"{layers} {plural(number, 'takes', 'take')} another time{same}"
    if step.cause == "reformats":
        return _reformats(comparison, step)
    if step.cause == "unmatched":
        alone = f"{count(len(step.a), 'layer')} of A and {len(step.b)} of {comparison.called}"
        return f"{alone} without a timed counterpart"
    return CAUSES[step.cause]


def _slower_by(found: result.Uniform) -> tuple[str, str]:
    """`slower` or `faster`, and `4.20 × (half of them by 4.01 to 4.60 ×)`."""
    is_slower = found.factor > 1
    each = sorted(found if is_slower else (1 / ratio for ratio in found))
    low, factor, high = (f"{ratio:.2f}" for ratio in each)
    return "slower" if is_slower else "faster", f"{factor} × (half of them by {low} to {high} ×)"


def _reformats(comparison: Comparison, step: CauseTime) -> str:
    """`reformats went from 1 to 2`; with them are layers that only quantise."""
    running = [list(filter(runs_kernel, own)) for own in comparison.layers((step.a, step.b))]
    before, after = map(len, running)
    some = any(quantises(layer) for layers in running for layer in layers)
    if before != after:
        return f"reformats{' and quantisers' * some} went from {before} to {after}"
    number = count(after, "reformat", "reformats or quantisers" if some else "reformats")
    return f"{number} {plural(after, 'takes', 'take')} {'longer' if step.ms > 0 else 'less time'}"


# ---- groups ------------------------------------------------------------------------------------


def changes(comparison: Comparison, group: Group) -> Iterator[str]:
    """What changed in a group, in words."""
    if "fusion" in group.changes:
        yield f"{len(group.a)} → {len(group.b)} layers"
    if "precision" in group.changes:
        yield " → ".join(precisions(comparison, group))
    if "kernel" in group.changes:
        a, b = map(accounting.main_of, comparison.layers(group.both))
        of_one_type = "kernel" if a.kernel and b.kernel else "tactic"
        yield of_one_type if a.type == b.type else f"{a.type} → {b.type}"
    one_by_one: tuple[Change, ...] = ("format", "shape")
    yield from (CHANGES[change] for change in one_by_one if change in group.changes)
    if "reformats" in group.changes:
        before, after = (sum(map(runs_kernel, own)) for own in comparison.layers(group.reformats))
        yield f"reformats {before} → {after}"


def precisions(comparison: Comparison, group: Group) -> tuple[str, str]:
    """The precisions of a group on both sides, or the types of tensors that tell their change."""
    sides = comparison.layers(group.both)
    if "precision" in group.changes:
        a, b = map(", ".join, accounting.types_of(sides, measures.told_of))
    else:
        a, b = (", ".join(dict.fromkeys(map(measures.told_of, own))) for own in sides)
    return a, b


def alike(comparison: Comparison, groups: Sequence[Group]) -> list[list[Group]]:
    """Rows of groups: three or more that follow each other and are alike stand together.

    They do the same, and took nearly the same time, as the blocks of a network do; what differs
    most comes first.
    """
    runs: list[list[Group]] = []
    for group in groups:
        if not runs or not _is_like(comparison, runs[-1][0], group):
            runs.append([])
        runs[-1].append(group)
    rows = [row for run in runs for row in ([run] if len(run) > 2 else [[group] for group in run])]
    return sorted(rows, key=lambda row: -abs(sum(group.delta_ms or 0.0 for group in row)))


def _is_like(comparison: Comparison, first: Group, second: Group) -> bool:
    near = all(
        isclose(mine or 0.0, yours or 0.0, rel_tol=_NEAR)
        for mine, yours in ((first.ms_a, second.ms_a), (first.ms_b, second.ms_b))
    )
    return near and _work(comparison, first) == _work(comparison, second)


def _work(comparison: Comparison, group: Group) -> object:
    """What its layers are and write, and what changed."""
    both = comparison.layers(group.both)
    works = [[(la.type, [t.dims for t in la.outputs]) for la in layers] for layers in both]
    return works, [*changes(comparison, group)], group.confidence, group.kernels_known


# ---- what to do ---------------------------------------------------------------------------------

_LEAST_MS: Final = 0.05  # of B: what is slower by less needs no look
_LONGEST_NAME: Final = 40  # characters


class Advice(NamedTuple):
    """A finding of one engine alone; `ms` is what it could save, None: unknown."""

    code: str  # the rule; empty: the comparison itself shows it
    text: str
    ms: float | None
    state: str  # `new`: of B alone; `gone`: of A alone


def advice(comparison: Comparison) -> tuple[Advice, ...]:
    """Returns the findings of B whose cause or advice A does not have, then the reverse.

    There are none of two networks, nor where one side has no edges, a part of a listing, or times
    of another kind: what the other shows, it cannot.
    """
    engines = [costs.engine for costs in comparison.sides]
    whole = all(engine.graph.edges and engine.source.complete for engine in engines)
    kinds = {costs.kind for costs in comparison.sides}
    if not comparison.same_network or not whole or len(kinds) > 1:
        return ()
    a, b = map(Subject, comparison.sides)
    told: list[Advice] = []
    for state, own, other in (("new", b, a), ("gone", a, b)):
        theirs = findings_of(other)
        causes = {found.cause for found in theirs}
        advised = {text for found in theirs for text in (found.advice, *found.also)}
        told += (
            Advice(found.code, found.advice, found.ms, state)
            for found in findings_of(own)
            if found.shown
            and found.cause not in causes
            and found.advice not in advised
            and not _is_seen(found, other)
        )
    return *_slower(comparison), *_unused(a, b), *told


def _is_seen(found: Finding, other: Subject) -> bool:
    """Whether rules saw it in half as many layers of the other, which another cause has there."""
    same = (sight for sight in other.once(seen) if of_rule(sight.code) == of_rule(found.code))
    layers = {index for sight in same for index in sight.layers}
    return len(layers) > 0 and 2 * len(layers) >= len(found.layers)


def _slower(comparison: Comparison) -> Iterator[Advice]:
    """Layers that are slower than the factor of all others tells."""
    if (found := comparison.factor) is None:
        return
    for group in counted_groups(comparison):
        more = (group.ms_b or 0.0) - found.factor * (group.ms_a or 0.0)
        ratio = result.of_groups(comparison, [group])
        if ratio and ratio > found.high and more > _LEAST_MS * (comparison.b.total or 0.0):
            first = comparison.b.engine.layers[group.b[0]]
            name = abridged(first.name, _LONGEST_NAME)
            look = f"look at layer {first.index} `{name}`: it takes {ratio:.2f} times as long"
            yield Advice("", f"{look}, equal layers {found.factor:.2f} times", more, "new")


def _unused(a: Subject, b: Subject) -> Iterator[Advice]:
    """Precisions that B alone allows, and that the builder timed without a gain."""
    known = a.facts.precisions
    more = [one for one in b.facts.precisions if one not in known]
    if known and more and all(b.dtype(layer) == "Float" for layer in b.multiplying):
        for why in faster_in_float(b):
            yield Advice("", f"expect nothing of {', '.join(more)}: {why}", None, "new")
