"""Gives each layer what the log says of it, and the engine what the log says of the engine.

Lines name layers. Those that name no listed layer are counted, by reason.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final, TypeVar

from engine_layer_visualize.assembly import attempts
from engine_layer_visualize.assembly import attempts as provenance
from engine_layer_visualize.assembly import devices as layer_devices
from engine_layer_visualize.assembly.estimates import (
    NO_NODE,
    Tuned,
    candidates,
    costs,
    inside,
    reformat_times,
    tuned,
)
from engine_layer_visualize.assembly.listings import borne_out
from engine_layer_visualize.assembly.onnx_layers import Found, onnx_nodes
from engine_layer_visualize.core import build_info, layer_facts
from engine_layer_visualize.core.build_info import Run, Sources, Span
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading import trtexec
from engine_layer_visualize.reading.autotuning import Autotuning
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.builder import Attempt
from engine_layer_visualize.reading.onnx_parser import Definition
from engine_layer_visualize.reading.segments import Segment
from engine_layer_visualize.reading.trtexec import TrtexecSections
from engine_layer_visualize.trt.names import is_foreign, parts

_Value = TypeVar("_Value")
_OF_RUN: Final = ("Inference", "Reporting")  # sections of trtexec's options about a run


def attribute(
    layers: Sequence[Layer],
    segment: Segment,
    definition: Definition,
    context: BuildContext,
) -> tuple[list[Layer], build_info.EngineFacts]:
    """The layers with their facts, and the engine's facts. `definition`: of the network."""
    rest = provenance.Rest()
    names: dict[str, list[int]] = {}
    for layer in layers:
        names.setdefault(layer.name, []).append(layer.index)
    taken, others = attempts.of_engine(segment, names)
    tuning = taken.tuning
    nodes = onnx_nodes(layers, tuning, definition)
    within = provenance.layers_by_part(layers, nodes)
    before = [attempt.tuning for attempt in others]
    timings = tuned(layers, names, within, tuning, before, context.reformats, rest)
    memory = _memory(layers, names, taken, others, rest)
    steps: dict[int, list[layer_facts.Step]] = {}
    for index, step in provenance.provenance_fusions(within, taken, others, rest):
        steps.setdefault(index, []).append(step)
    placed = layer_devices.of_layers(layers, within, taken.dla)
    kernel_lines = provenance.kernel_lines(names, taken)
    result = []
    for layer, timed, onnx in zip(layers, timings, nodes):
        facts = _facts(
            layer,
            timed,
            onnx,
            memory.get(layer.index),
            steps.get(layer.index, []),
            taken.notes.get(layer.name),
            kernel_lines.get(layer.name),
            candidates(layer, timed, context.kernels),
        )
        if (place := placed.get(layer.index)) is not None:
            facts = replace(facts, device=place.device, device_reason=place.reason)
            lines = {"device": place.line, "device_reason": place.reason_line}
            told = tuple((key, line) for key, line in lines.items() if line is not None)
            facts = replace(facts, lines=(*facts.lines, *told))
        result.append(replace(layer, facts=facts))
    network = _network(segment.definition, layers)
    engine_facts = _engine(segment, network, taken, others, context, rest)
    engine_facts = replace(engine_facts, dla=layer_devices.use(result, taken.dla))
    timed_reformats = tuple(reformat_times(tuning.trials).items())
    return result, replace(engine_facts, pieces=_pieces(tuning, names), reformats=timed_reformats)


def _pieces(tuning: Autotuning, names: Container[str]) -> tuple[build_info.PieceTime, ...]:
    """ForeignNodes that were timed, and are listed as the layers inside of them."""
    timed = ((decode(printed), trial) for printed, trial in tuning.trials.items())
    return tuple(
        build_info.PieceTime(name, trial.best[0][0], trial.line)
        for name, trial in timed
        if is_foreign(name) and name not in names and trial.best
    )


# ---- one layer -------------------------------------------------------------------------------


def _memory(
    layers: Sequence[Layer],
    names: Mapping[str, Sequence[int]],
    taken: Attempt,
    others: Sequence[Attempt],
    rest: provenance.Rest,
) -> dict[int, tuple[layer_facts.Memory, int]]:
    """The memory of each layer that the log tells, with the log's line.

    The log may say how many layers need none, without naming them: they are those it does not name.
    """
    known: dict[int, tuple[layer_facts.Memory, int]] = {}
    for name, (memory, line) in taken.memory.items():
        if name in names:
            rest.joined["memory"] += 1
            known.update((index, (memory, line)) for index in names[name])
        else:
            reason = NO_NODE if is_foreign(name) else provenance.NO_LAYER
            rest.add("memory", reason, line, name)
    for name, (_, line) in (item for other in others for item in other.memory.items()):
        rest.add("memory", provenance.NOT_TAKEN, line, name)
    for attempt in (taken, *others):
        if again := attempt.memory_lines - len(attempt.memory):
            rest.add("memory", "printed again for the same layer", 0, "", again)
    unnamed = [layer.index for layer in layers if layer.listed and layer.index not in known]
    if taken.zero is not None and len(unnamed) == taken.zero[0]:
        known.update((index, (layer_facts.Memory(0, 0, 0), taken.zero[1])) for index in unnamed)
    return known


def _facts(
    layer: Layer,
    timed: Tuned,
    nodes: Found,
    memory: tuple[layer_facts.Memory, int] | None,
    steps: Sequence[layer_facts.Step],
    note: tuple[str, int] | None,
    kernel_line: int | None,
    tactics: layer_facts.Candidates,
) -> layer_facts.LayerFacts:
    """The facts of one layer. `memory`, `note` (on its precision): with the log's line."""
    chosen = None if timed.option is None else timed.option.chosen
    chosen_line = None if chosen is None else chosen.line
    known_memory, memory_line = memory or (None, None)
    words, note_line = note or (None, None)
    lines = {
        "kernel": None if layer.kernel is None else kernel_line or chosen_line or layer.place.line,
        "runner": chosen_line,
        "build_ms": chosen_line,
        "candidates": None if timed.trial is None else timed.trial.line,
        "memory": memory_line,
        "onnx_nodes": nodes.line or None,  # those of a model that was given are on no line
        "fused_from": steps[0].line if steps else None,
        "inside": next((one.line for one in inside(timed)), None),
        "precision_note": note_line,
    }
    return layer_facts.LayerFacts(
        kernel=layer.kernel,
        runner=None if timed.option is None else timed.option.runner,
        build_ms=None if chosen is None else chosen.ms,
        formats=None if timed.option is None else timed.option.formats,
        measured_on=timed.measured_on,
        candidates=tactics,
        memory=known_memory,
        onnx_nodes=nodes.names,
        onnx_nodes_from=nodes.source,
        onnx_operators=nodes.operators,
        onnx_edges=nodes.edges,
        products=nodes.products,
        fused_from=tuple(steps),
        inside=inside(timed),
        precision_note=words,
        lines=tuple((fact, line) for fact, line in lines.items() if line is not None),
    )


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
    rest: provenance.Rest,
) -> build_info.EngineFacts:
    """The engine's facts. `taken`: the attempt that the engine came from."""
    said = segment.trtexec
    is_built = segment.loads is None  # else its build options are of no build
    options = [option for option in said.options if option.section != trtexec.SECTION]
    peak = taken.peak or (None, None)
    hints = sorted(taken.tuning.hints.kept.values(), key=attrgetter("line"))
    tunings = [attempt.tuning for attempt in (segment.common, *segment.attempts) if attempt.tuning]
    facts = build_info.EngineFacts(
        tensorrt=context.version,
        device=build_info.Device(compute_capability=context.capability)
        if context.capability
        else None,
        command=said.command or None,
        strongly_typed=said.strongly_typed if is_built else None,
        engine_bytes=said.sizes.get("engine_bytes"),
        context_bytes=said.sizes.get("context_bytes"),
        options=tuple(option for option in options if is_built or option.section in _OF_RUN),
        precisions=said.precisions() if is_built else (),
        phases=tuple(said.phases),
        passes=tuple(taken.passes),
        totals=tuple(taken.totals.values()),
        peak_cpu_mib=peak[0],
        peak_gpu_mib=peak[1],
        timing_cache=_timing_cache(said, taken.tuning),
        inputs=tuple(network.inputs.values()),
        outputs=tuple(network.outputs.values()),
        runners=_runners(taken.tuning),
        joined=tuple(rest.joined.items()),
        unjoined=rest.all(),
        attempts=attempts.facts(segment, others),
        tunings=tuple(
            build_info.Tuning(tuning is taken.tuning, _runners(tuning)) for tuning in tunings
        ),
        advised=tuple(
            build_info.Advised(decode(hint.words), hint.line, hint.bytes or None) for hint in hints
        ),
        sources=_sources(segment, taken),
        sparsity=taken.sparsity,
        onnx_tensors=tuple(network.graph.types.items()),
        shape_inputs=tuple(network.shape_inputs),
    )
    return _with_runs(facts, segment, taken)


def _with_runs(
    facts: build_info.EngineFacts, segment: Segment, taken: Attempt
) -> build_info.EngineFacts:
    """Adds what the segments of the build and of its engine's runs say alike."""
    segments = (segment, *segment.runs)
    runs = [
        Run(part.loads, performance)
        for part in segments
        for performance in part.trtexec.performances
    ]
    severe = [taken.severe, *(run.common.severe for run in segment.runs)]
    messages = [message for kind in severe for message in kind.kept]
    ran = [part for part in segments if part.trtexec.performances] or segments
    if ran[-1] is not segment:
        options = [option for option in facts.options if option.section not in _OF_RUN]
        options += [option for option in ran[-1].trtexec.options if option.section in _OF_RUN]
        facts = replace(facts, options=tuple(options))
    return replace(
        facts,
        device=_first(part.trtexec.device() for part in segments) or facts.device,
        performance=runs[-1].performance if runs else None,
        runs=tuple(runs),
        warnings=sum(kind.counts["warning"] for kind in severe),
        errors=sum(kind.counts["error"] for kind in severe),
        messages=tuple(sorted(messages, key=attrgetter("line"))),
    )


def _first(values: Iterable[_Value | None]) -> _Value | None:
    """The first value that is not None."""
    return next((value for value in values if value is not None), None)


def _timing_cache(said: TrtexecSections, tuning: Autotuning) -> build_info.TimingCache | None:
    """The timing cache; None where the log does not say that one was used."""
    cached = sum(trial.cached for trial in tuning.trials.values())
    if cached or said.cache_kind or said.cache_entries is not None or said.cache_loaded:
        return build_info.TimingCache(
            said.cache_kind, said.cache_entries, said.cache_hits, cached, said.cache_loaded
        )
    return None


def _runners(tuning: Autotuning) -> tuple[layer_facts.RunnerCost, ...]:
    return costs(pair for trial in tuning.trials.values() for pair in trial.runners.items())


def _sources(segment: Segment, taken: Attempt) -> Sources:
    segments = (segment, *segment.runs)
    severe = [taken.severe, *(run.common.severe for run in segment.runs)]
    messages = [message.line for kind in severe for message in kind.kept]
    memory = [line for _, line in taken.memory.values()]
    memory += [total.line for total in taken.totals.values()]
    return Sources(
        sections=tuple(span for part in segments for span in part.trtexec.spans),
        warnings=_spans("warnings and errors", zip(messages, messages)),
        autotuning=_spans("timings", taken.timed),
        memory=_spans("memory", [(min(memory), max(memory))] if memory else []),
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
