"""Gathers what a gate knows of two engines, and judges it.

A side is a snapshot: that of an engine with its runs, or an earlier one from a file. Their engines
are compared as `compare` does it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from math import fsum, isclose
from typing import Final

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import MULTIPLYING, is_myelin, operation_of, runs_kernel
from engine_layer_visualize.analysis.trtexec import has_cuda_graph, option
from engine_layer_visualize.comparison import gate, result, verdict
from engine_layer_visualize.comparison.accounting import Indices, counted
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.side import role_of, weights
from engine_layer_visualize.core.build_info import Device, EngineFacts, Performance, Run
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import (
    Edge,
    Engine,
    Graph,
    JsonValue,
    Layer,
    Listing,
    Tensor,
)
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
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.trt.names import parts, without_profile

# What an engine holds on the device while it runs; the scratch memory is a part of the first.
_MEMORY: Final = ("Activation", "Weights", "Device Persistent")
_NOWHERE: Final = Place("", 0)  # a snapshot does not say where in its log a layer stands
_EXTENT: Final = re.compile(r"\d{1,18}")
_MOST_GONE: Final = 0.02  # part of the time, in layers that multiply
_CONTRADICTS: Final = 1.6  # times: another clock is no other engine
_NOT_WHOLE: Final = ("ELV114", "ELV115")  # a listing that is cut, a part of one; also a second one


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

    def places(own: Sequence[Tensor]) -> tuple[int, ...]:
        each = (KeptTensor(tensor.name, tensor.dtype, tensor.dims) for tensor in own)
        return tuple(tensors.setdefault(tensor, len(tensors)) for tensor in each)

    def kept(layer: Layer) -> KeptLayer:
        """The layer with its times; its kind and tensors get their places."""
        known, times = origin.onnx_nodes_of(layer), (timed.of(layer) for timed in profiled)
        nodes = () if known.all == parts(layer.name) else known.all or known.ends
        return KeptLayer(
            kinds.setdefault(_kind(layer), len(kinds)), layer.name,
            places(layer.inputs), places(layer.outputs),
            tuple(None if ms is None else _rounded(ms) for ms in times),
            nodes, known.source if nodes else None,
        )  # fmt: skip

    listing = tuple(map(kept, engine.layers))
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
        listing=listing,
        edges=tuple(KeptEdge(source, target) for source, target in edges if source is not None),
    )


def conditions_of(costs: Costs) -> Conditions:
    """The conditions as the log has them, and the optimisation profile that was asked for."""
    facts = costs.engine.known
    told = (run.device for run in _judged(facts))
    device = next((one for one in told if one and one.name), facts.device) or Device()
    ran = result.input_shapes(costs, estimated=False)
    shapes = None if ran is None else result.shapes_as_text(ran)
    of_device = device.name, device.compute_clock_ghz, device.memory_clock_ghz
    version = facts.tensorrt or costs.engine.tensorrt
    keys = ("Inference Streams", "Streams")
    streams = next(filter(None, (option(facts, key, "Inference") for key in keys)), None)
    graph = None
    if facts.performance and option(facts, "CUDA Graph", "Inference"):
        graph = "on" if has_cuda_graph(costs.engine, costs.layers) else "off"
    return Conditions(version, *of_device, shapes, str(costs.profile), "mean", streams, graph)


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
        # Other times were given, or the log goes on with another build, such as one that failed.
        is_later = problem.place.line > costs.engine.source.last_line
        is_build = problem.code == "ELV415" and not problem.message.startswith("a run, ")
        other = problem.code == "ELV206" or (is_build and is_later)
        if part or is_error or other or problem.code in gate.UNFIT:
            yield Unfit(problem.code, problem.message)
    if any(run.failed for run in costs.engine.known.runs):
        yield Unfit("ELV404", "trtexec says that its run failed")


def _told_runs(facts: EngineFacts, file: str) -> Iterator[GateRun]:
    """The runs of which the log has trtexec's summary."""
    judged = [(run.shapes, run.device, run.setup) for run in _judged(facts)]
    for run in facts.runs:
        told, alike = run.performance, (run.shapes, run.device, run.setup) == judged[0]
        if (row := told.gpu_compute) is None or not alike:
            continue
        p99 = dict(row.percentiles).get(99.0)
        number = None
        if told.gpu_compute_s is not None and row.mean:
            number = round(told.gpu_compute_s * 1000 / row.mean)
        drifted = verdict.runs_between(told.halves_ms)
        for ms, kind in ((row.median, KINDS[1]), (row.mean, KINDS[2])):
            if ms is not None:
                same = verdict.digest((KINDS.index(kind), *_numbers(told)))
                yield GateRun(file, ms, kind, same, drifted, number, row.mean, p99)


def _judged(facts: EngineFacts) -> Sequence[Run]:
    """The run that counts, and those that are equal; none where the log has no run."""
    return [one for one in facts.runs if one.performance == facts.performance] or facts.runs[-1:]


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
    join = costs.engine.profile
    times = [costs.of(layer) or 0.0 for layer in costs.timed]
    sums = [join.sum_ms or 0.0] if join else []
    few = all(round(ms, 4) == ms for ms in times)  # digits: averages may be equal
    same = verdict.digest([*times, *sums * few])
    # Of all rows, too: the next build may list other layers. A program may have changed the times.
    rows = join.every_ms if join else ()
    if join and (join.unmatched_rows or isclose(fsum(rows), fsum(times), rel_tol=1e-6)) and rows:
        older = verdict.digest([join.rows, join.total_ms or 0.0, *sums])  # as before
        same += f":{verdict.digest([*rows, *sums * few])}:{older}"
    numbers = [layer.time.n for layer in costs.timed if layer.time is not None]
    known = min((n for n in numbers if n is not None), default=None)
    number = None if None in numbers else known
    total = _rounded(costs.total or 0.0)
    file = join.file if join else ""
    return GateRun(file, total, kind="layers", digest=same, iterations=number)


def _rounded(ms: float) -> float:
    """A time with the six digits that the file of a snapshot has."""
    return float(f"{ms:.6g}")


def _kind(layer: Layer) -> LayerKind:
    bare = layer._replace(attributes=())
    told = None
    if operation_of(layer) != operation_of(bare):
        told = str(dict(layer.attributes)["ParameterType"])
    return LayerKind(layer.type, weights(layer), told, layer.listed, layer.raw is not None)


def described_costs(snapshot: Snapshot) -> Costs:
    """The engine of a snapshot, as `compare` takes it; its times stay in the snapshot."""
    edges = tuple(Edge(source, target, "") for source, target in snapshot.edges)
    listing, layers = Listing(snapshot.file, 0, 0), tuple(_layers(snapshot))
    found = Costs(Engine(snapshot.engine, listing, layers, Graph((), (), edges)))
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
    baseline: Snapshot, new: Snapshot, limits: verdict.Limits, unread: Sequence[Problem] = ()
) -> verdict.Judgement:
    """Judges a new engine by a baseline.

    Args:
        baseline: what the new engine is compared with.
        new: the new engine.
        limits: what it may cost more.
        unread: what could not be read of the files of both.
    """
    both = baseline, new
    other, missing, measured = _matched(both)
    wrong = sorted({(one.code, one.message) for one in unread})
    said = ((f"Something could not be read ({code}): ", Name(text), ".") for code, text in wrong)
    checks = [
        *verdict.checked("read", "unsure", said),
        *verdict.checked("network", "unsure", missing),
        *verdict.checked("statistics", "unsure", _stale(both)),
        *gate.check_coverage(both, measured),
    ]
    return gate.judge(*both, limits, measured=measured, other=other, checks=checks)


def _matched(both: gate.Snapshots) -> tuple[str, list[Words], list[verdict.GroupTimes]]:
    """Why both are of two networks, or may be, and the times of the layers that belong together."""
    costs = described_costs(both[0]), described_costs(both[1])
    found = compare(*costs)
    together: list[tuple[Indices, Indices]] = [group.all for group in found.groups]
    lone = counted(costs[0], found.unmatched.a)
    together += [((i,), ()) for i in lone]
    together += [((), (i,)) for i in counted(costs[1], found.unmatched.b)]
    groups = []
    for a, b in together:
        listing, shown = (both[1].listing, b) if b else (both[0].listing, a)
        names = tuple(listing[i].name for i in shown)
        before, after = map(_times, both, costs, (a, b))
        groups.append(verdict.GroupTimes(names, before, after, paired=bool(a and b)))
    gone = [i for i in lone if operation_of(costs[0].engine.layers[i]) in MULTIPLYING]
    ms = fsum(fsum(_times(both[0], costs[0], (i,))[:1]) for i in gone)
    missing: list[Words] = []
    known = {layer.name for layer in costs[0].engine.layers}
    if any(is_myelin(la) and la.name not in known for la in costs[1].engine.layers):
        ms = 0.0  # what Myelin compiled may hold them
    if ms > _MOST_GONE * fsum(each.baseline_ms for each in groups if each.baseline):
        name = Name(both[0].listing[gone[0]].name)
        said = f"Layers that multiply, {milliseconds(ms)} of the baseline, have no counterpart"
        missing = [(f"{said}, such as `", name, "`.")]
    (was, all_before), (now, all_now) = map(_outputs, both)
    lost = (was.keys() - all_now) | (now.keys() - all_before)  # that the other does not have at all
    sizes = ((name, was[name], now[name]) for name in was.keys() & now.keys())
    resized = [name for name, a, b in sizes if a is not None and b is not None and a != b]
    if not found.same_network:
        said = "The two engines are not of the same network, as far as their layers show."
        return said, [], groups
    if was and now and lost and (was.keys() < now.keys() or now.keys() < was.keys()):
        has = f"The baseline has {count(len(was), 'output')}, the new engine {len(now)}"
        return f"{has}: they compute other things.", [], groups
    if resized and both[0].conditions.batch == both[1].conditions.batch:
        return f"{count(len(resized), 'output')} of equal names have other sizes.", [], groups
    return "", missing, groups


def _outputs(snapshot: Snapshot) -> tuple[dict[str, int | None], set[str]]:
    """Tensors that only leave the engine, with their sizes, and the names of all."""
    names = [without_profile(tensor.name) for tensor in snapshot.tensors]
    read = {names[i] for row in snapshot.listing for i in row.inputs}
    last = [snapshot.listing[edge.source] for edge in snapshot.edges if edge.target is None]
    ends = {i for row in last for i in row.outputs if names[i] not in read}
    tensors = ((names[i], snapshot.tensors[i]) for i in sorted(ends))
    return {name: Tensor(*one, _shape(one.dims)).elements for name, one in tensors}, set(names)


def _stale(both: gate.Snapshots) -> Iterator[Words]:
    """Whether the log of one side contradicts its times more than that of the other."""
    by = [1.0, 1.0]  # a summary may be of a run with a profiler
    for side, own in enumerate(both):
        kinds = [[run.ms for run in own.runs if run.kind == kind] for kind in KINDS[:2]]
        if all(kinds):
            by[side] = max(min(kinds[1]) / max(kinds[0]), 1.0) if max(kinds[0]) else 1.0
    for side, name in enumerate(verdict.SIDES):
        if by[side] > _CONTRADICTS * by[1 - side]:
            said = f"The summary in the log of {name} says {by[side]:.2f} times the given times"
            yield f"{said}: they may be of another engine."


def _times(snapshot: Snapshot, costs: Costs, indices: Indices) -> tuple[float, ...]:
    """The ms of these layers in each run; without runs in which one that runs has no time."""
    runs = [runs_kernel(costs.engine.layers[i]) for i in indices]
    sums = []
    for times in zip(*(snapshot.listing[i].ms for i in indices)):
        known = [ms for ms in times if ms is not None]
        missing = any(is_run and ms is None for is_run, ms in zip(runs, times))
        if known and not missing:
            sums.append(_rounded(fsum(known)))
    return tuple(sums)
