"""Gathers what a gate knows of two engines, and judges it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import kinds, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.times import reformats
from engine_layer_visualize.comparison import gate_coverage, gate_statistics
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.gate import TIMES, Check, Judgement, SideMeasurements, judge
from engine_layer_visualize.comparison.gate_layers import SIDES, GroupTimes, Limits
from engine_layer_visualize.comparison.gate_statistics import digest
from engine_layer_visualize.comparison.work import weights
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Edge, Engine, Graph, JsonValue, Layer, Listing, Tensor
from engine_layer_visualize.core.snapshot import (
    KEPT_WEIGHTS,
    KINDS,
    NOWHERE,
    GateRun,
    Kind,
    Snapshot,
    kept_tensor,
)
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.core.words import parts as text_parts
from engine_layer_visualize.linting import seen
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.selection import Codes, is_selected
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import parts

# ---- keeps of an engine what a comparison asks of it, and makes an engine of that again ---------


def described_layers(engine: Engine) -> tuple[Layer, ...]:
    """The layers with their names, tensors, nodes, and what tells their work."""
    return tuple(map(_kept, engine.layers))


def described_edges(engine: Engine) -> tuple[tuple[int, int | None], ...]:
    """Between layers, and from layers to outputs."""
    each = ((edge.source, edge.target) for edge in engine.graph.edges)
    return tuple((source, target) for source, target in each if source is not None)


def described_costs(snapshot: Snapshot) -> Costs:
    """The engine of a snapshot, as `compare` takes it; its times stay in the snapshot."""
    kept = Engine(
        snapshot.engine,
        Listing(snapshot.file, 0, 0),
        snapshot.layers,
        Graph((), (), tuple(Edge(source, target, "") for source, target in snapshot.edges)),
    )
    found = Costs(kept)
    asked = (n for n in found.profiles if str(n) == snapshot.conditions.optimization_profile)
    return found.of_profile(next(asked, found.profile))


def _kept(layer: Layer) -> Layer:
    attributes: list[tuple[str, JsonValue]] = []
    if (stored := weights(layer)) is not None:
        attributes.append((KEPT_WEIGHTS, list(stored)))
    bare = Layer(
        layer.index,
        NOWHERE,
        layer.type,
        layer.name,
        None,
        tuple(map(_tensor, layer.inputs)),
        tuple(map(_tensor, layer.outputs)),
        raw=None if layer.raw is None else "",
        listed=layer.listed,
        facts=_nodes(layer),
    )
    if kinds.operation_of(layer) != kinds.operation_of(bare):
        attributes += ((key, v) for key, v in layer.attributes if key == "ParameterType")
    return replace(bare, attributes=tuple(attributes))


def _tensor(tensor: Tensor) -> Tensor:
    return kept_tensor(tensor.name, tensor.dtype, tensor.dims)


def _nodes(layer: Layer) -> LayerFacts | None:
    """The ONNX nodes of a layer, where its name does not tell them."""
    known = origin.onnx_nodes_of(layer)
    names = known.all or known.ends
    if not names or known.all == parts(layer.name):
        return None
    return LayerFacts(onnx_nodes=names, onnx_nodes_from=known.source)


# ---- gathers what a gate knows of two engines, and judges it ------------------------------------

# A side is a snapshot: that of an engine with its runs, or an earlier one from a file. Their
# engines
# are compared as `compare` does it.


# What an engine holds on the device while it runs; the scratch memory is a part of the first.
_MEMORY: Final = ("Activation", "Weights", "Device Persistent")
_NO_TIME: Final = "no measured time"


class GateSide(NamedTuple):
    """One side of a gate."""

    snapshot: Snapshot
    findings: tuple[Finding, ...] = ()  # where they were asked for; none of a snapshot from a file


def of_engine(costs: Sequence[Costs], runs: Sequence[GateRun], *, findings: bool) -> GateSide:
    """Takes a snapshot of an engine.

    Args:
        costs: the engine with the times of each profile; without a profile, once.
        runs: those of the whole engine, beside those whose time its log says.
        findings: whether to look for them.
    """
    first = costs[0]
    engine, facts = first.engine, first.engine.facts or EngineFacts()
    found = tuple(seen(Subject(first))) if findings else ()
    profiled = [
        (timed, ms)
        for timed in costs
        if timed.kind == "measured" and (ms := timed.total) is not None
    ]
    sizes = ((name, facts.total(name)) for name in _MEMORY)
    snapshot = Snapshot(
        engine.source.file,
        engine.index,
        gate_coverage.conditions_of(first),
        reformats(first).layers,
        tuple((name, size) for name, size in sizes if size is not None),
        (*runs, *_told(facts, engine.source.file)),
        tuple(
            GateRun(_file_of(timed), _rounded(ms), kind="layers", digest=_digest(timed))
            for timed, ms in profiled
        ),
        described_layers(engine),
        described_edges(engine),
        tuple(
            tuple(None if (ms := timed.of(la)) is None else _rounded(ms) for la in engine.layers)
            for timed, _ in profiled
        ),
        tuple(sorted(Counter(finding.code for finding in found).items())),
        tuple(gate_coverage.coverage_of(timed) for timed, _ in profiled),
        tuple(
            dict.fromkeys(
                problem for timed in costs for problem in gate_coverage.coverage_unfit(timed)
            )
        ),
    )
    return GateSide(snapshot, found)


def _rounded(ms: float) -> float:
    """A time with the six digits that the file of a snapshot has."""
    return float(f"{ms:.6g}")


def _told(facts: EngineFacts, file: str) -> Iterator[GateRun]:
    """The runs of which the log has trtexec's summary."""
    for run in facts.runs:
        if row := run.performance.gpu_compute:
            drift = gate_statistics.runs_between(run.performance.halves_ms)
            if row.median is not None:
                yield GateRun(file, row.median, kind="summary median", drift=drift)
            if row.mean is not None:
                yield GateRun(file, row.mean, kind="summary mean", drift=drift)


def _file_of(costs: Costs) -> str:
    return costs.engine.profile.file if costs.engine.profile is not None else ""


def _digest(costs: Costs) -> str:
    return digest(costs.sum([layer]) or 0.0 for layer in costs.timed)


# ---- two sides ---------------------------------------------------------------------------------


def evidence_judged(
    baseline: GateSide,
    new: GateSide,
    limits: Limits,
    forbidden: Sequence[str] = (),
    *,
    per_sample: bool = False,
) -> Judgement:
    """Judges a new engine by a baseline.

    Args:
        baseline: what the new engine is compared with.
        new: the new engine.
        limits: what it may cost more.
        forbidden: codes of rules, or their starts, of which it may have no findings.
        per_sample: whether times are divided by the samples of a run.
    """
    both = baseline.snapshot, new.snapshot
    same_network, measured = _matched(*both)
    sides = _sides(*both)
    checks = [*_covered(both, measured)]
    if per_sample:
        check, number = _sampled(both)
        checks.append(check)
        if number is not None:
            sides = _of_a_sample(sides[0], number[0]), _of_a_sample(sides[1], number[1])
            measured = [_divided(group, number) for group in measured]
    return judge(
        *sides,
        limits,
        measured=measured,
        same_network=same_network,
        forbidden=tuple(_forbidden(baseline, new, forbidden)) if forbidden else None,
        checks=checks,
    )


def _covered(both: tuple[Snapshot, Snapshot], measured: Sequence[GroupTimes]) -> Iterator[Check]:
    if against := tuple(gate_coverage.coverage_against(both, measured)):
        yield Check("coverage", "not_comparable", against)
    elif known := tuple(gate_coverage.coverage_known(both)):
        yield Check("coverage", "pass", known)


def _sampled(both: tuple[Snapshot, Snapshot]) -> tuple[Check, tuple[int, int] | None]:
    """How many samples a run is on either side; None where times are not to be divided."""
    before, after = (snapshot.conditions.batch for snapshot in both)
    if before is None or after is None:
        which = SIDES[0] if before is None else SIDES[1]
        unknown = f"the shape of the inputs of {which} is not known"
        said = f"How many samples a run is cannot be told: {unknown}."
        return Check("samples", "not_comparable", (said,)), None
    number = gate_coverage.by_sample(before, after)
    if number is None:
        same = "The number of samples is the same."
        said = same if before == after else "More than the number of samples differs."
        return Check("samples", "pass", (said,)), None
    runs = f"a run of {SIDES[0]} is {count(number[0], 'sample')}, of {SIDES[1]} {number[1]:,}"
    return Check("samples", "pass", (f"Times are of one sample: {runs}.",)), number


def _of_a_sample(side: SideMeasurements, number: int) -> SideMeasurements:
    """Its times divided; then the number of samples is no other condition."""
    runs = [run._replace(ms=run.ms / number) for run in side.runs]
    return side._replace(runs=runs, conditions=side.conditions._replace(batch="of one sample"))


def _divided(group: GroupTimes, number: tuple[int, int]) -> GroupTimes:
    before, after = (
        tuple(ms / by for ms in times) for times, by in zip((group.baseline, group.new), number)
    )
    return group._replace(baseline=before, new=after)


def _sides(baseline: Snapshot, new: Snapshot) -> tuple[SideMeasurements, SideMeasurements]:
    """With times of the best kind that both have, and with the parts of memory that both know."""
    both = (baseline, new)
    kinds = [_kinds(snapshot) for snapshot in both]
    shared = next((kind for kind in kinds[0] if kind in kinds[1]), None)
    known = {name for name, _ in baseline.memory} & {name for name, _ in new.memory}
    a, b = (
        SideMeasurements(
            snapshot.file,
            # A side whose times the other cannot be compared with has none, but its own are shown.
            []
            if shared is None and all(kinds)
            else _of_kind(snapshot, shared or next(iter(kinds_of_side), None)),
            TIMES[kinds_of_side[0]] if kinds_of_side else _NO_TIME,
            snapshot.conditions,
            sum(size for name, size in snapshot.memory if name in known) if known else None,
            None
            if any(code in gate_coverage.NOT_WHOLE for code, _ in snapshot.unfit)
            else snapshot.reformats,
            TIMES[kinds_of_side[0]] if shared is not None and kinds_of_side[0] != shared else "",
        )
        for snapshot, kinds_of_side in zip(both, kinds, strict=True)
    )
    return a, b


def _kinds(snapshot: Snapshot) -> list[Kind]:
    """The kinds of the times that are known, the best first."""
    known = {run.kind for run in (*snapshot.runs, *snapshot.profiles)}
    return [kind for kind in KINDS if kind in known]


def _of_kind(snapshot: Snapshot, kind: Kind | None) -> list[GateRun]:
    return [run for run in (*snapshot.runs, *snapshot.profiles) if run.kind == kind]


def _matched(baseline: Snapshot, new: Snapshot) -> tuple[bool, list[GroupTimes]]:
    """Whether both are of one network, and the times of the layers that belong together."""
    both, costs = (baseline, new), (described_costs(baseline), described_costs(new))
    found = compare(*costs)
    groups = [
        GroupTimes(
            tuple(new.layers[i].name for i in group.all[1]),
            _times(baseline, group.all[0]),
            _times(new, group.all[1]),
        )
        for group in found.groups
    ]
    for side, unmatched in enumerate((found.unmatched.a, found.unmatched.b)):
        for index in counted(costs[side], unmatched):
            times = _times(both[side], [index])
            name = both[side].layers[index].name
            groups.append(
                GroupTimes((name,), () if side else times, times if side else (), paired=False)
            )
    return found.same_network, groups


def _times(snapshot: Snapshot, indices: Sequence[int]) -> tuple[float, ...]:
    """The ms of these layers in each run; without runs in which one that runs has no time."""
    sums = []
    for times in snapshot.times:
        known = [ms for i in indices if (ms := times[i]) is not None]
        missing = any(times[i] is None and runs_kernel(snapshot.layers[i]) for i in indices)
        if known and not missing:
            sums.append(_rounded(fsum(known)))
    return tuple(sums)


def _forbidden(baseline: GateSide, new: GateSide, codes: Sequence[str]) -> Iterator[Words]:
    """A sentence for each forbidden code that the new engine has findings of."""
    before = dict(baseline.snapshot.findings)
    for code, number in new.snapshot.findings:
        if is_selected(code, Codes(tuple(codes))):
            first = next(finding for finding in new.findings if finding.code == code)
            known = f"{count(number, 'finding')}, in the baseline {before.get(code, 0):,}"
            yield (f"{code} ({known}): ", *text_parts(first.why))
