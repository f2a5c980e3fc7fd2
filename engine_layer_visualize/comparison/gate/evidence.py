"""An engine with its runs, or a snapshot of an earlier one, in; what a gate judges by out.

Two engines are compared as `compare` does it, an engine and a snapshot by their ONNX nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import breakdown
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import compare
from engine_layer_visualize.comparison.gate import by_nodes, conditions, coverage
from engine_layer_visualize.comparison.gate.layers import SIDES, Measured
from engine_layer_visualize.comparison.gate.limits import Limits
from engine_layer_visualize.comparison.gate.runs import digest
from engine_layer_visualize.comparison.gate.verdict import TIMES, Check, Judgement, Side, judge
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.snapshot import KINDS, Kind, LayerGroup, Run, Snapshot
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Words, parts
from engine_layer_visualize.linting import seen
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.selection import Codes, is_selected
from engine_layer_visualize.linting.subject import Subject

# What an engine holds on the device while it runs; the scratch memory is a part of the first.
_MEMORY: Final = ("Activation", "Weights", "Device Persistent")
_NO_TIME: Final = "no measured time"


class Evidence(NamedTuple):
    """One side. `costs`: the engine with the times of each of its runs, at least one, and what each
    rule sees in it, its `findings`, where they were asked for; both are empty of a snapshot from a
    file."""

    snapshot: Snapshot
    costs: tuple[Costs, ...] = ()
    findings: tuple[Finding, ...] = ()


def of_engine(costs: Sequence[Costs], runs: Sequence[Run], *, findings: bool) -> Evidence:
    """`costs`: one engine, with the times of each profile; without a profile, once. `runs`: of the
    whole engine, beside those whose time its log says. `findings`: whether to look for them."""
    first = costs[0]
    engine, facts = first.engine, first.engine.facts or EngineFacts()
    found = tuple(seen(Subject(first))) if findings else ()
    profiled = [
        (one, ms) for one in costs if one.kind == "measured" and (ms := one.total) is not None
    ]
    sizes = ((name, facts.total(name)) for name in _MEMORY)
    snapshot = Snapshot(
        engine.source.file,
        engine.index,
        conditions.of(first),
        len(engine.layers),
        breakdown.reformats(first).layers,
        tuple((name, size) for name, size in sizes if size is not None),
        (*runs, *_told(facts, engine.source.file)),
        tuple(
            Run(_file_of(one), by_nodes.rounded(ms), kind="layers", digest=_digest(one))
            for one, ms in profiled
        ),
        by_nodes.groups(costs),
        tuple(sorted(Counter(finding.code for finding in found).items())),
        tuple(coverage.of(one) for one, _ in profiled),
        tuple(dict.fromkeys(problem for one in costs for problem in coverage.unfit(one))),
    )
    return Evidence(snapshot, tuple(costs), found)


def _told(facts: EngineFacts, file: str) -> Iterator[Run]:
    """The runs of which the log has trtexec's summary."""
    for run in facts.runs:
        if row := run.performance.gpu_compute:
            if row.median is not None:
                yield Run(file, row.median, kind="summary median")
            if row.mean is not None:
                yield Run(file, row.mean, kind="summary mean")


def _file_of(costs: Costs) -> str:
    return costs.engine.profile.file if costs.engine.profile is not None else ""


def _digest(costs: Costs) -> str:
    return digest(costs.sum([layer]) or 0.0 for layer in costs.timed)


# ---- two sides ---------------------------------------------------------------------------------


def judged(
    baseline: Evidence,
    new: Evidence,
    limits: Limits,
    forbidden: Sequence[str] = (),
    *,
    per_sample: bool = False,
) -> Judgement:
    """`new` must be of an engine. `forbidden`: codes of rules, or their starts; `per_sample`:
    whether times are divided by the samples of a run."""
    same_network, measured = (
        _by_compare(baseline, new) if baseline.costs else _by_nodes(baseline, new)
    )
    both = baseline.snapshot, new.snapshot
    sides = _sides(*both)
    checks = [*_covered(both, measured)]
    if per_sample:
        check, number = _sampled(both)
        checks.append(check)
        if number is not None:
            sides = _of_a_sample(sides[0], number[0]), _of_a_sample(sides[1], number[1])
            measured = [_divided(one, number) for one in measured]
    return judge(
        *sides,
        limits,
        measured=measured,
        same_network=same_network,
        forbidden=tuple(_forbidden(baseline, new, forbidden)) if forbidden else None,
        checks=checks,
    )


def _covered(both: tuple[Snapshot, Snapshot], measured: Sequence[Measured]) -> Iterator[Check]:
    if against := tuple(coverage.against(both, measured)):
        yield Check("coverage", "not_comparable", against)
    elif known := tuple(coverage.known(both)):
        yield Check("coverage", "pass", known)


def _sampled(both: tuple[Snapshot, Snapshot]) -> tuple[Check, tuple[int, int] | None]:
    """How many samples a run is on either side; None where times are not to be divided."""
    before, after = (one.conditions.batch for one in both)
    if before is None or after is None:
        which = SIDES[0] if before is None else SIDES[1]
        unknown = f"the shape of the inputs of {which} is not known"
        said = f"How many samples a run is cannot be told: {unknown}."
        return Check("samples", "not_comparable", (said,)), None
    number = conditions.by_sample(before, after)
    if number is None:
        same = "The number of samples is the same."
        said = same if before == after else "More than the number of samples differs."
        return Check("samples", "pass", (said,)), None
    runs = f"a run of {SIDES[0]} is {count(number[0], 'sample')}, of {SIDES[1]} {number[1]:,}"
    return Check("samples", "pass", (f"Times are of one sample: {runs}.",)), number


def _of_a_sample(side: Side, number: int) -> Side:
    """Its times divided; then the number of samples is no other condition."""
    runs = [run._replace(ms=run.ms / number) for run in side.runs]
    return side._replace(runs=runs, conditions=side.conditions._replace(batch="of one sample"))


def _divided(one: Measured, number: tuple[int, int]) -> Measured:
    before, after = (
        tuple(ms / by for ms in own) for own, by in zip((one.baseline, one.new), number)
    )
    return one._replace(baseline=before, new=after)


def _sides(baseline: Snapshot, new: Snapshot) -> tuple[Side, Side]:
    """With times of the best kind that both have, and with the parts of memory that both know."""
    both = (baseline, new)
    kinds = [_kinds(one) for one in both]
    shared = next((kind for kind in kinds[0] if kind in kinds[1]), None)
    known = {name for name, _ in baseline.memory} & {name for name, _ in new.memory}
    a, b = (
        Side(
            one.file,
            # A side whose times the other cannot be compared with has none, but its own are shown.
            [] if shared is None and all(kinds) else _of_kind(one, shared or next(iter(own), None)),
            TIMES[own[0]] if own else _NO_TIME,
            one.conditions,
            sum(size for name, size in one.memory if name in known) if known else None,
            None if any(code in coverage.NOT_WHOLE for code, _ in one.unfit) else one.reformats,
            TIMES[own[0]] if shared is not None and own[0] != shared else "",
        )
        for one, own in zip(both, kinds, strict=True)
    )
    return a, b


def _kinds(snapshot: Snapshot) -> list[Kind]:
    """Of the times that are known, the best first."""
    known = {run.kind for run in (*snapshot.runs, *snapshot.profiles)}
    return [kind for kind in KINDS if kind in known]


def _of_kind(snapshot: Snapshot, kind: Kind | None) -> list[Run]:
    return [run for run in (*snapshot.runs, *snapshot.profiles) if run.kind == kind]


def _by_compare(baseline: Evidence, new: Evidence) -> tuple[bool, list[Measured]]:
    """Whether both are of one network, and the layers that belong together."""
    found = compare(baseline.costs[0], new.costs[0])
    sides = [[one for one in side.costs if one.kind == "measured"] for side in (baseline, new)]
    layers = new.costs[0].engine.layers
    groups = []
    for group in found.groups:
        before, after = (
            tuple(ms for one in runs if (ms := by_nodes.measured(one, own)) is not None)
            for runs, own in zip(sides, group.all, strict=True)
        )
        groups.append(Measured(tuple(layers[i].name for i in group.all[1]), before, after))
    for at, own in enumerate((found.unmatched.a, found.unmatched.b)):
        costs = (baseline, new)[at].costs[0]
        groups += (
            _alone(
                (costs.engine.layers[i].name,),
                [by_nodes.measured(one, [i]) for one in sides[at]],
                at,
            )
            for i in own
            if costs.profile_of(costs.engine.layers[i]) == costs.profile
        )
    return found.same_network, groups


def _alone(names: tuple[str, ...], ms: Sequence[float | None], side: int) -> Measured:
    """Layers that the other side has not; `side`: 0 is the baseline."""
    known = tuple(one for one in ms if one is not None)
    return Measured(names, () if side else known, known if side else (), paired=False)


def _by_nodes(baseline: Evidence, new: Evidence) -> tuple[bool | None, list[Measured]]:
    """The same, of a snapshot."""
    sides = baseline.snapshot.groups, new.snapshot.groups
    found = by_nodes.paired(*sides)
    layers = new.costs[0].engine.layers
    groups = []
    for pair in found.groups:
        before, after = (
            [own[number] for number in numbers] for own, numbers in zip(sides, pair, strict=True)
        )
        names = tuple(layers[index].name for one in after for index in one.layers)
        groups.append(Measured(names, _sums(before), _sums(after)))
    for at, own in enumerate(sides):
        placed = {number for pair in found.groups for number in pair[at]}
        for number, group in enumerate(own):
            if number not in placed:
                # Of a layer of a snapshot the name is known where it has no node.
                known = (*group.nodes, *group.names)[:1] + ("",) * (len(group.layers) - 1)
                names = tuple(layers[i].name for i in group.layers) if at else known
                groups.append(_alone(names, group.ms, at))
    return found.same_network, groups


def _sums(groups: Sequence[LayerGroup]) -> tuple[float, ...]:
    """Of several groups, run by run; runs in which one of them has no time are left out."""
    each = zip(*(one.ms for one in groups), strict=True)
    return tuple(fsum(ms for ms in run if ms is not None) for run in each if None not in run)


def _forbidden(baseline: Evidence, new: Evidence, codes: Sequence[str]) -> Iterator[Words]:
    """A sentence for each forbidden code that the new engine has findings of."""
    before = dict(baseline.snapshot.findings)
    for code, number in new.snapshot.findings:
        if is_selected(code, (Codes(tuple(codes)),)):
            first = next(finding for finding in new.findings if finding.code == code)
            known = f"{count(number, 'finding')}, in the baseline {before.get(code, 0):,}"
            yield (f"{code} ({known}): ", *parts(first.why))
