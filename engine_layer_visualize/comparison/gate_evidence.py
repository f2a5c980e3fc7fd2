"""Gathers what a gate knows of two engines, and judges it.

A side is a snapshot: that of an engine with its runs, or an earlier one from a file. Their engines
are compared as `compare` does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import fsum
from typing import Final

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import operation_of, runs_kernel
from engine_layer_visualize.comparison import gate_statistics, result
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.gate import TIMES, SideMeasurements, Sides, judge
from engine_layer_visualize.comparison.side import role_of, weights
from engine_layer_visualize.comparison.verdict import (
    SIDES,
    Check,
    GroupTimes,
    Judgement,
    Limits,
    allowed,
    alone,
    checked,
    percent,
)
from engine_layer_visualize.core.build_info import Device, EngineFacts, Performance
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Edge, Engine, Graph, JsonValue, Layer, Listing, Tensor
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.snapshot import (
    KEPT_WEIGHTS,
    KINDS,
    Conditions,
    Coverage,
    GateRun,
    KeptEdge,
    KeptLayer,
    KeptTensor,
    LayerKind,
    Part,
    Snapshot,
    Unfit,
)
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.trt.names import parts

# What an engine holds on the device while it runs; the scratch memory is a part of the first.
_MEMORY: Final = ("Activation", "Weights", "Device Persistent")
_NOWHERE: Final = Place("", 0)  # a snapshot does not say where in its log a layer stands
_EXTENT: Final = re.compile(r"\d{1,18}")
_NO_TIME: Final = "no measured time"
_NOT_WHOLE: Final = ("ELV114", "ELV115")  # a listing that is cut, a part of one; also a second one
# A profile of another engine, of a small part of it, or one that is cut.
_UNFIT: Final = ("ELV202", "ELV209", "ELV210")


# ---- a snapshot of an engine -------------------------------------------------------------------


def of_engine(costs: Sequence[Costs], runs: Sequence[GateRun]) -> Snapshot:
    """Takes a snapshot of an engine.

    Args:
        costs: the engine with the times of each profile; without a profile, once.
        runs: those of the whole engine, beside those whose time its log says.
    """
    first = costs[0]
    engine, facts = first.engine, first.engine.known
    profiled = [timed for timed in costs if timed.kind == "measured" and timed.total is not None]
    sizes = ((name, facts.total(name)) for name in _MEMORY)
    kinds, tensors = dict[LayerKind, int](), dict[KeptTensor, int]()
    listing = [_kept(layer, profiled, kinds, tensors) for layer in engine.layers]
    edges = ((edge.source, edge.target) for edge in engine.graph.edges)
    return Snapshot(
        file=engine.source.file,
        engine=engine.index,
        conditions=conditions_of(first),
        layers=len(listing),
        memory=tuple(Part(name, size) for name, size in sizes if size is not None),
        runs=(*runs, *_told_runs(facts, engine.source.file)),
        profiles=tuple(map(_run_of_layers, profiled)),
        coverage=tuple(map(coverage_of, profiled)),
        unfit=tuple(dict.fromkeys(problem for timed in costs for problem in _unfit(timed))),
        kinds=tuple(kinds),
        tensors=tuple(tensors),
        listing=tuple(listing),
        edges=tuple(KeptEdge(source, target) for source, target in edges if source is not None),
    )


def conditions_of(costs: Costs) -> Conditions:
    """The conditions as the log has them, and as times were asked for."""
    facts = costs.engine.known
    device = facts.device or Device()
    ran = result.input_shapes(costs, estimated=False)
    shapes = None if ran is None else result.shapes_as_text(ran)
    of_device = device.name, device.compute_clock_ghz, device.memory_clock_ghz
    version = facts.tensorrt or costs.engine.tensorrt
    return Conditions(version, *of_device, shapes, str(costs.profile), costs.statistic)


def coverage_of(costs: Costs) -> Coverage:
    """The coverage of a profile, of the optimisation profile that totals are of."""
    number = sum(costs.of(layer) is not None or _can_be_timed(layer) for layer in costs.layers)
    part = (costs.total or 0.0) / costs.whole if costs.whole else 1.0
    return Coverage(len(costs.timed), number, float(f"{part:.4g}"))


def _can_be_timed(layer: Layer) -> bool:
    """Whether a profile must have a row for the layer: it runs a kernel.

    A listing of names alone does not tell.
    """
    return bool(layer.type) and layer.listed and runs_kernel(layer) and role_of(layer) != "overhead"


def _unfit(costs: Costs) -> Iterator[Unfit]:
    """Problems of reading that leave the times of no engine."""
    for problem in costs.engine.problems:
        part = problem.code in _NOT_WHOLE and costs.engine.source.state in ("cut", "part")
        is_error = problem.severity == "error" and problem.code not in _NOT_WHOLE
        if part or is_error or problem.code in _UNFIT:
            yield Unfit(problem.code, problem.message)


def _told_runs(facts: EngineFacts, file: str) -> Iterator[GateRun]:
    """The runs of which the log has trtexec's summary."""
    for run in facts.runs:
        told = run.performance
        if (row := told.gpu_compute) is None:
            continue
        p99 = dict(row.percentiles).get(99.0)
        number = None
        if told.gpu_compute_s is not None and row.mean:
            number = round(told.gpu_compute_s * 1000 / row.mean)
        drift = gate_statistics.runs_between(told.halves_ms)
        for ms, kind in ((row.median, KINDS[1]), (row.mean, KINDS[2])):
            if ms is not None:
                digest = gate_statistics.digest((KINDS.index(kind), *_numbers(told)))
                yield GateRun(file, ms, kind, digest, drift, number, row.mean, p99)


def _numbers(told: Performance) -> Iterator[float]:
    """All that the summary measured: no second run has the same."""
    rows = (
        (row.min, row.max, row.mean, row.median, *(ms for _, ms in row.percentiles))
        for row in told.measures
    )
    for number in (told.throughput_qps, told.host_walltime_s, *chain.from_iterable(rows)):
        yield -1.0 if number is None else number


def _run_of_layers(costs: Costs) -> GateRun:
    """A profile as a run, whose time is the sum of its layers."""
    file = costs.engine.profile.file if costs.engine.profile is not None else ""
    digest = gate_statistics.digest(costs.of(layer) or 0.0 for layer in costs.timed)
    numbers = [layer.time.n for layer in costs.timed if layer.time is not None]
    known = min((n for n in numbers if n is not None), default=None)
    number = None if None in numbers else known
    total = _rounded(costs.total or 0.0)
    return GateRun(file, total, kind="layers", digest=digest, iterations=number)


def _rounded(ms: float) -> float:
    """A time with the six digits that the file of a snapshot has."""
    return float(f"{ms:.6g}")


def _kept(
    layer: Layer,
    profiled: Sequence[Costs],
    kinds: dict[LayerKind, int],
    tensors: dict[KeptTensor, int],
) -> KeptLayer:
    """The layer with its times; its kind and tensors get their places."""
    reads, writes = (
        tuple(tensors.setdefault(KeptTensor(t.name, t.dtype, t.dims), len(tensors)) for t in own)
        for own in (layer.inputs, layer.outputs)
    )
    known, times = origin.onnx_nodes_of(layer), (costs.of(layer) for costs in profiled)
    nodes = () if known.all == parts(layer.name) else known.all or known.ends
    return KeptLayer(
        kinds.setdefault(_kind(layer), len(kinds)), layer.name, reads, writes,
        tuple(None if ms is None else _rounded(ms) for ms in times),
        nodes, known.source if nodes else None,
    )  # fmt: skip


def _kind(layer: Layer) -> LayerKind:
    bare = replace(layer, attributes=())
    told = None
    if operation_of(layer) != operation_of(bare):
        told = str(dict(layer.attributes)["ParameterType"])
    return LayerKind(layer.type, weights(layer), told, layer.listed, layer.raw is not None)


def described_costs(snapshot: Snapshot) -> Costs:
    """The engine of a snapshot, as `compare` takes it; its times stay in the snapshot."""
    kept = Engine(
        snapshot.engine,
        Listing(snapshot.file, 0, 0),
        tuple(_layers(snapshot)),
        Graph((), (), tuple(Edge(source, target, "") for source, target in snapshot.edges)),
    )
    found = Costs(kept)
    asked = (n for n in found.profiles if str(n) == snapshot.conditions.optimization_profile)
    return found.of_profile(next(asked, found.profile))


def _layers(snapshot: Snapshot) -> Iterator[Layer]:
    tensors = [Tensor(*each, _shape(each.dims)) for each in snapshot.tensors]
    for index, row in enumerate(snapshot.listing):
        kind = snapshot.kinds[row.kind]
        inputs, outputs = (tuple(tensors[i] for i in ends) for ends in (row.inputs, row.outputs))
        known: JsonValue = None if kind.weights is None else [*kind.weights]
        told = ((KEPT_WEIGHTS, known), ("ParameterType", kind.operation))
        facts = LayerFacts(onnx_nodes=row.nodes, onnx_nodes_from=row.nodes_from)
        yield Layer(
            index, _NOWHERE, kind.type, row.name, None, inputs, outputs,
            attributes=tuple((key, value) for key, value in told if value is not None),
            raw="" if kind.opaque else None, listed=kind.listed, facts=facts if row.nodes else None,
        )  # fmt: skip


def _shape(dims: str) -> tuple[int, ...]:
    """The shape that dims tell, -1 where they do not."""
    extents = [dim.partition(":")[0] for dim in dims.split(",") if dim]
    return tuple(int(text) if _EXTENT.fullmatch(text) else -1 for text in extents)


# ---- two sides ---------------------------------------------------------------------------------


def judge_sides(
    baseline: Snapshot, new: Snapshot, limits: Limits, unread: Sequence[Problem] = ()
) -> Judgement:
    """Judges a new engine by a baseline.

    Args:
        baseline: what the new engine is compared with.
        new: the new engine.
        limits: what it may cost more.
        unread: what could not be read of the files of both.
    """
    both = baseline, new
    same_network, measured = _matched(both)
    wrong = sorted({(one.code, one.message) for one in unread})
    said = ((f"Something could not be read ({code}): ", Name(text), ".") for code, text in wrong)
    checks = [*checked("read", "unsure", said), *_check_coverage(both, measured)]
    return judge(*_sides(both), limits, measured=measured, same_network=same_network, checks=checks)


def _sides(both: tuple[Snapshot, Snapshot]) -> Sides:
    """With times of the best kind that both have, and with the parts of memory that both know."""
    runs = [(*snapshot.runs, *snapshot.profiles) for snapshot in both]
    # The kinds of the times that are known, the best first.
    kinds = [[kind for kind in KINDS if any(run.kind == kind for run in own)] for own in runs]
    shared = next((kind for kind in kinds[0] if kind in kinds[1]), None)
    known = {name for name, _ in both[0].memory} & {name for name, _ in both[1].memory}
    sides = []
    for snapshot, own_runs, own in zip(both, runs, kinds):
        # A side whose times the other cannot be compared with has none, but its own are shown.
        best = shared if shared is not None or all(kinds) else next(iter(own), None)
        runs_of_best = [run for run in own_runs if run.kind == best]
        has = TIMES[own[0]] if own else _NO_TIME
        memory = sum(size for name, size in snapshot.memory if name in known) if known else None
        unused = has if shared is not None and own[0] != shared else ""
        side = snapshot.file, runs_of_best, has, snapshot.conditions, memory, unused, own_runs
        sides.append(SideMeasurements(*side))
    return sides[0], sides[1]


def _matched(both: tuple[Snapshot, Snapshot]) -> tuple[bool, list[GroupTimes]]:
    """Whether both are of one network, and the times of the layers that belong together."""
    costs = described_costs(both[0]), described_costs(both[1])
    found = compare(*costs)
    groups = [
        GroupTimes(
            tuple(both[1].listing[i].name for i in group.all[1]),
            _times(both[0], costs[0], group.all[0]),
            _times(both[1], costs[1], group.all[1]),
        )
        for group in found.groups
    ]
    for side, unmatched in enumerate((found.unmatched.a, found.unmatched.b)):
        for index in counted(costs[side], unmatched):
            times = _times(both[side], costs[side], [index])
            names = (both[side].listing[index].name,)
            before, after = ((), times) if side else (times, ())
            groups.append(GroupTimes(names, before, after, paired=False))
    return found.same_network, groups


def _times(snapshot: Snapshot, costs: Costs, indices: Sequence[int]) -> tuple[float, ...]:
    """The ms of these layers in each run; without runs in which one that runs has no time."""
    runs = [runs_kernel(costs.engine.layers[i]) for i in indices]
    sums = []
    for times in zip(*(snapshot.listing[i].ms for i in indices)):
        known = [ms for ms in times if ms is not None]
        missing = any(is_run and ms is None for is_run, ms in zip(runs, times))
        if known and not missing:
            sums.append(_rounded(fsum(known)))
    return tuple(sums)


# ---- coverage: how much of both engines was timed ------------------------------------------------

_MIN_COVERAGE: Final = 0.9
_MAX_UNTIMED_MORE: Final = 0.02  # part of the layers that one side may time less than the other
_MAX_LOST: Final = 0.02  # part of the time that may be in layers without a time on the other side


def _check_coverage(
    both: tuple[Snapshot, Snapshot], measured: Sequence[GroupTimes]
) -> Iterator[Check]:
    """Whether enough of both engines was timed.

    A sum of times says nothing of an engine of which a part has no time: it would look faster.
    """
    few = [*_few(both)]
    against = [*_told_unfit(both), *few]
    lost: list[Words] = []
    if not few and all(snapshot.profiles for snapshot in both):
        against += _fewer(both)
        share, lost = _lost(measured)
        against += lost if share > _MAX_LOST else ()
    less = [*against, *_told_unfit(both, others=True), *lost]
    yield from checked("coverage", "not comparable" if against else "unsure", less)
    known = (
        f"{worst.timed:,} of {worst.layers:,} layers of {which} have a time."
        for which, worst in zip(SIDES, map(_worst, both))
        if worst is not None and worst.timed < worst.layers
    )
    yield from checked("coverage", "pass", () if less else known)


def _by_layers(coverage: Coverage) -> float:
    return coverage.timed / coverage.layers if coverage.layers else 1.0


def _worst(snapshot: Snapshot) -> Coverage | None:
    return min(snapshot.coverage, key=_by_layers, default=None)


def _told_unfit(both: tuple[Snapshot, Snapshot], others: bool = False) -> Iterator[Words]:
    for which, snapshot in zip(SIDES, both):
        for code, message in (one for one in snapshot.unfit if (one[0] in _UNFIT) != others):
            start = f"{which[0].upper()}{which[1:]} cannot be judged ({code}): "
            yield (start, Name(message), ".")


def _few(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    least = f"at least {allowed(_MIN_COVERAGE)} are needed"
    for which, snapshot in zip(SIDES, both):
        for run, coverage in zip(snapshot.profiles, snapshot.coverage):
            file = Name(run.file)
            if _by_layers(coverage) < _MIN_COVERAGE:
                has = f"{coverage.timed:,} of the {coverage.layers:,} layers of {which}"
                yield ("`", file, f"` has times for {has} that run something: {least}.")
            elif coverage.part < _MIN_COVERAGE:
                has = f"{percent(coverage.part)} of its time is in rows of layers of {which}"
                yield ("Of `", file, f"` {has}: {least}.")


def _fewer(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    a, b = map(_worst, both)
    if a is not None and b is not None and abs(_by_layers(a) - _by_layers(b)) > _MAX_UNTIMED_MORE:
        has = " and ".join(
            f"{worst.timed:,} of {worst.layers:,} layers of {which}"
            for which, worst in zip(SIDES, (a, b))
        )
        yield f"The sums are of different parts of the engines: {has} have a time."


def _lost(measured: Sequence[GroupTimes]) -> tuple[float, list[Words]]:
    """Layers that both have, and one side alone times: their part of the time, and sentences."""
    most, said = 0.0, list[Words]()
    for side in (0, 1):
        lost = alone(measured, side, paired=True)
        if not lost.groups:
            continue
        most = max(most, lost.share)
        first, _ = lost.groups[0]
        name = Name(first[0]) if first else "one without a name"
        has = f"Groups of layers, {milliseconds(lost.ms)} or {percent(lost.share)} of {SIDES[side]}"
        said.append(
            (f"{has}, are not timed as a whole in {SIDES[1 - side]}, such as `", name, "`.")
        )
    return most, said
