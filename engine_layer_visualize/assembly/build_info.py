"""Gives each layer what the log says of it, and the engine what the log says of the engine.

Lines name layers: those that name no listed one say nothing of the engine's.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypeVar

from engine_layer_visualize.assembly import attempts, estimates
from engine_layer_visualize.assembly.listings import borne_out
from engine_layer_visualize.assembly.onnx_layers import onnx_nodes
from engine_layer_visualize.core import build_info
from engine_layer_visualize.core.build_info import BuildAttempt, EngineFacts, Run, Sources, Span
from engine_layer_visualize.core.layer_facts import LayerFacts, Memory
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading import trtexec
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.builder import Attempt
from engine_layer_visualize.reading.onnx_parser import Definition
from engine_layer_visualize.reading.segments import Segment
from engine_layer_visualize.trt.names import is_foreign, parts

_Value = TypeVar("_Value")
_Told: TypeAlias = "dict[str, tuple[Any, int | None]]"  # by fact: its value, and the log's line
_RAN_AT: Final = ("Input inference shape", "Input inference shapes")
_SETUP: Final = ("Streams", "Inference Streams", "CUDA Graph", "Optimization Profile Index")
_OF_RUN: Final = ("Inference", "Reporting")  # sections of trtexec's options about a run


def attribute(
    layers: Sequence[Layer],
    segment: Segment,
    definition: Definition,
    context: BuildContext,
    table: int = 0,
) -> tuple[list[Layer], EngineFacts]:
    """The layers with their facts, and the engine's facts.

    `definition`: of the network; `table`: the line of the table that the times are from; else 0.
    """
    names = by_key((layer.name, layer.index) for layer in layers)
    taken, others = attempts.of_engine(segment, names)
    nodes = onnx_nodes(layers, taken.tuning, definition)
    within = attempts.layers_by_part(layers, nodes)
    trials, options = estimates.tuned(layers, names, taken.tuning.trials, context.reformats)
    steps = by_key(attempts.fusions(within, taken.steps))
    devices = _devices(layers, within, taken)
    # What a reader keeps under a fact's name is the layer's whose name it is told of.
    by_fact = {fact: vars(taken)[fact] for fact in LayerFacts._fields if fact in vars(taken)}
    unnamed = {layer.index for layer in layers if layer.listed and layer.name not in taken.memory}
    told_layers = []
    for layer, onnx in zip(layers, nodes):
        trial, option = trials.get(layer.index), options.get(layer.index)
        line = option.chosen.line if option else None
        told: _Told = {fact: of[layer.name] for fact, of in by_fact.items() if layer.name in of}
        # The log may say how many layers need no memory, without naming them.
        if taken.zero and layer.index in unnamed and len(unnamed) == taken.zero[0]:
            told["memory"] = Memory(0, 0, 0), taken.zero[1]
        if layer.kernel is not None:
            told["kernel"] = layer.kernel, None
        if option:
            told["runner"] = decode(option.chosen.runner), line
            told["build_ms"] = option.chosen.ms, line
            told["formats"] = (option.formats or None), None
            told["measured_on"] = option.measured_on, None
        fused_from = steps.get(layer.index, [])
        tried = estimates.candidates(layer, trial, option, context.kernels)
        operations = estimates.inside(layer, trial, option, taken.tuning.trials)
        told |= {
            "candidates": (tried, trial.line if trial else None),
            "onnx_nodes": (onnx.names, onnx.line or None),  # a model that is given has no lines
            "onnx_nodes_from": (onnx.source, None),
            "onnx_operators": (onnx.operators, None),
            "onnx_edges": (onnx.edges, None),
            "products": (onnx.products, None),
            "fused_from": (tuple(fused_from), fused_from[0].line if fused_from else None),
            "inside": (operations, operations[0].line if operations else None),
            **devices.get(layer.index, {}),
        }
        lines = ((fact, told[fact][1]) for fact in LayerFacts._fields if fact in told)
        known = LayerFacts(
            **{fact: value for fact, (value, _) in told.items()},
            lines=tuple((fact, line) for fact, line in lines if line is not None),
        )
        told_layers.append(layer._replace(facts=known))
    network = _network(segment.definition, layers)
    return told_layers, _engine(segment, network, taken, others, context, told_layers, table)


# ---- one layer -------------------------------------------------------------------------------


def _devices(
    layers: Sequence[Layer], within: Mapping[str, list[int]], taken: Attempt
) -> dict[int, _Told]:
    """On which device a layer runs, and why it is not on the DLA, by the layer's index.

    Empty where neither a type nor the log tells of a DLA.
    """

    def by_layer(told: Mapping[str, _Value]) -> dict[int, _Value]:
        """What is told of the network's layers, first, by the layers that they became."""
        each = [(index, value) for name, value in told.items() for index in within.get(name, ())]
        return dict(reversed(each))

    reasons, on_gpu = by_layer(taken.dla_reasons), by_layer(taken.on_gpu)
    placed: dict[int, _Told] = {}
    for layer in layers:
        if layer.name in taken.on_dla or layer.type.casefold().startswith("dla"):
            placed[layer.index] = {"device": ("DLA", taken.on_dla.get(layer.name))}
        elif taken.on_dla or layer.index in on_gpu or layer.index in reasons:
            line, reason = on_gpu.get(layer.index), reasons.get(layer.index, (None, None))
            placed[layer.index] = {"device": ("GPU", line), "device_reason": reason}
    return placed


# ---- the engine ------------------------------------------------------------------------------


def _network(told: Definition, layers: Sequence[Layer]) -> Definition:
    """The network that the log defined; nothing where no layer has a tensor of its ends, or a node.

    Then its lines are of another network, and the engine's own are not in the log. A listing from
    which layers were taken out may lack those at the ends.
    """
    ends = list(told.inputs), list(told.outputs)
    known = any(layer.inputs or layer.outputs for layer in layers) and any(ends)
    if not known or borne_out(layers, *ends):
        return told
    registered = any(part in told.onnx for layer in layers for part in parts(layer.name))
    return told if registered else Definition()


def _engine(
    segment: Segment,
    network: Definition,
    taken: Attempt,
    others: Sequence[Attempt],
    context: BuildContext,
    layers: Sequence[Layer],
    table: int,
) -> EngineFacts:
    """The engine's facts, of the segments of its build and of its runs.

    `taken`: the attempt that the engine came from; `layers`: with their facts.
    """
    said, segments = segment.trtexec, (segment, *segment.runs)
    is_built = segment.loads is None  # else its build options are of no build
    own = (option for option in said.options if option.section != trtexec.SECTION)
    options = [option for option in own if is_built or option.section in _OF_RUN]
    ran = [part for part in segments if part.trtexec.performances] or segments
    *_, run = [part for part in ran if part.holds(table)] or ran
    if run is not segment:
        options = [option for option in options if option.section not in _OF_RUN]
        options += [option for option in run.trtexec.options if option.section in _OF_RUN]
    options = list({option[:3]: option for option in options}.values())  # who quotes a log has two
    runs = tuple(
        Run(part.loads, one, said.told(*_RAN_AT), said.device(), said.told(*_SETUP), said.failed)
        for part in segments
        for said in [part.trtexec]
        for one in said.performances
    )
    severe = [taken.severe, *(run.common.severe for run in segment.runs)]
    messages = sorted((one for each in severe for one in each.kept), key=attrgetter("line"))
    parts = [*(part for part in segments if part.holds(table)), *segments]  # times are of its GPU
    devices = (device for part in parts if (device := part.trtexec.device()) is not None)
    capability = context.capability
    device = build_info.Device(compute_capability=capability) if capability else None
    tuning = taken.tuning
    peak_cpu_mib, peak_gpu_mib = taken.peak or (None, None)
    cached = sum(trial.cached for trial in tuning.trials.values())
    runners = [each for trial in tuning.trials.values() for each in trial.runners.values()]
    names = {layer.name for layer in layers}
    timed = ((decode(printed), trial) for printed, trial in tuning.trials.items())
    memory = [line for _, line in taken.memory.values()]
    memory += [total.line for total in taken.totals.values()]
    on_dla = [la for la in layers if la.known.device == "DLA"]
    foreign = sum(is_foreign(layer.name) for layer in on_dla)
    return EngineFacts(
        tensorrt=context.version,
        device=next(devices, device),
        newest_kernels=context.kernels.newest(),
        command=said.command or None,
        strongly_typed=said.strongly_typed if is_built else None,
        **said.sizes,
        dla=build_info.DlaUse(len(on_dla), foreign, taken.dla_limit)
        if taken.on_dla or taken.on_gpu or taken.dla_reasons or on_dla
        else None,
        options=tuple(options),
        precisions=said.precisions() if is_built else (),
        phases=tuple(said.phases),
        passes=tuple(taken.passes),
        totals=tuple(taken.totals.values()),
        peak_cpu_mib=peak_cpu_mib,
        peak_gpu_mib=peak_gpu_mib,
        timing_cache=build_info.TimingCache(**said.cache, cached_results=cached)
        if cached or said.cache
        else None,
        inputs=tuple(network.inputs.values()),
        outputs=tuple(network.outputs.values()),
        performance=run.trtexec.performances[-1] if runs else None,
        runs=runs,
        tactics_tried=sum(runner.tried for runner in runners) if runners else None,
        tactics_skipped=sum(runner.skipped for runner in runners) if runners else None,
        warnings=sum(part.count("warning") for part in segments),
        errors=sum(part.count("error") for part in segments),
        messages=tuple(messages),
        sources=Sources(
            sections=tuple(span for part in segments for span in part.trtexec.spans),
            warnings=_spans("warnings and errors", ((one.line, one.line) for one in messages)),
            autotuning=_spans("timings", taken.timed),
            memory=_spans("memory", [(min(memory), max(memory))] if memory else []),
        ),
        attempts=tuple(
            BuildAttempt(one.strategy, one.seconds, one.inference_ms, kept=one not in others)
            for one in segment.attempts
        ),
        pieces=tuple(  # ForeignNodes that are listed as the layers inside of them
            build_info.PieceTime(name, trial.best[0].ms, trial.line)
            for name, trial in timed
            if is_foreign(name) and name not in names and trial.best
        ),
        reformats=tuple(estimates.reformat_times(tuning.trials).items()),
        onnx_tensors=tuple(network.graph.types.items()),
        shape_inputs=tuple(network.shape_inputs),
    )


def _spans(what: str, ranges: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Ranges of lines in order, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return tuple(Span(what, first, last) for first, last in merged)
