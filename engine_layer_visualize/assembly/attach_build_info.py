"""Attaches build info to layers, by name.

The layers of an engine and the segment of its build go in; out come the layers with `facts`, and
the engine's. What belongs to no layer is counted, with a reason.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from engine_layer_visualize.assembly.estimates import NO_NODE, Tuned, candidates, costs, tuned
from engine_layer_visualize.assembly.onnx_layers import Found, onnx_nodes
from engine_layer_visualize.assembly.provenance import (
    NO_LAYER,
    NOT_TAKEN,
    Rest,
    fusions,
    kernel_lines,
    whereabouts,
)
from engine_layer_visualize.core.build_info import (
    Advised,
    EngineFacts,
    LayerFacts,
    Memory,
    Message,
    PieceTime,
    Run,
    RunnerCost,
    Sources,
    Span,
    Step,
    TimingCache,
    Tuning,
)
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.inputs.buildlog.kernel_names import Kernels
from engine_layer_visualize.inputs.buildlog.messages.autotuning import Autotuning
from engine_layer_visualize.inputs.buildlog.messages.build_segments import Segment
from engine_layer_visualize.inputs.buildlog.messages.builder_messages import Attempt
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt.layer_names import is_foreign

_AGAIN: Final = "printed again for the same layer"


@dataclass(slots=True)
class _Gathered:
    """What is known of one layer so far, but for its timings."""

    memory: tuple[Memory, int] | None = None
    steps: list[Step] = field(default_factory=list)


def attribute(
    layers: Sequence[Layer], segment: Segment, kernels: Kernels, tensorrt: str | None
) -> tuple[list[Layer], EngineFacts]:
    """The layers with their facts, and the engine's facts."""
    rest = Rest()
    found = [_Gathered() for _ in layers]
    names: dict[str, list[int]] = {}
    for layer in layers:
        names.setdefault(layer.name, []).append(layer.index)
    attempt = _taken(segment.attempts, names)
    nodes = onnx_nodes(layers, segment)
    within = whereabouts(layers, nodes)
    tuning = _tuning(segment, attempt, names)
    timings = tuned(layers, names, within, segment.tunings, tuning, rest)
    _memory(layers, names, segment.attempts, attempt, found, rest)
    for index, step in fusions(within, segment.attempts, attempt, rest):
        found[index].steps.append(step)
    lines = kernel_lines(names, attempt)
    result = [
        replace(
            layer,
            facts=_facts(layer, known, timed, words, attempt, kernels, lines.get(layer.name)),
        )
        for layer, known, timed, words in zip(layers, found, timings, nodes)
    ]
    facts = _engine(segment, attempt, tuning, tensorrt, rest)
    return result, replace(facts, pieces=_pieces(tuning, names))


def _pieces(tuning: Autotuning, names: Container[str]) -> tuple[PieceTime, ...]:
    """ForeignNodes that were timed, and are listed as the layers inside of them."""
    timed = ((decode(printed), trial) for printed, trial in tuning.trials.items())
    return tuple(
        PieceTime(name, trial.best[0][0], trial.line)
        for name, trial in timed
        if is_foreign(name) and name not in names and trial.best
    )


def _tuning(segment: Segment, taken: Attempt, names: Mapping[str, object]) -> Autotuning:
    """The autotuning of the attempt that was taken.

    Where its memory lines do not tell which one that was: the one that timed most of the layers.
    """
    of_taken = [t for t, one in zip(segment.tunings, segment.attempts) if one is taken]
    if taken.memory and any(of_taken):
        return of_taken[0]

    def agreement(tuning: Autotuning) -> tuple[int, bool]:
        return sum(decode(name) in names for name in tuning.trials), tuning in of_taken

    return max(reversed([t for t in segment.tunings if t] or segment.tunings), key=agreement)


def _taken(attempts: Sequence[Attempt], names: Iterable[str]) -> Attempt:
    """The attempt that the engine came from.

    The one whose strategy the log says is used; else the one whose layers are listed; or the last.
    """
    used = [attempt.used for attempt in attempts if attempt.used is not None]
    for attempt in attempts:
        if used and attempt.strategy == used[-1]:
            return attempt
    listed = set(names)

    def agreement(attempt: Attempt) -> tuple[int, int]:
        there = sum(name in listed for name in attempt.memory)
        return there - len(attempt.memory), there

    return max(reversed([a for a in attempts if a] or [Attempt()]), key=agreement)


# ---- memory and fusions ----------------------------------------------------------------------


def _memory(
    layers: Sequence[Layer],
    names: dict[str, list[int]],
    attempts: Sequence[Attempt],
    taken: Attempt,
    found: list[_Gathered],
    rest: Rest,
) -> None:
    for attempt in attempts:
        for name, (memory, line) in attempt.memory.items():
            if attempt is not taken:
                rest.add("memory", NOT_TAKEN, line, name)
            elif name in names:
                rest.joined["memory"] += 1
                for index in names[name]:
                    found[index].memory = memory, line
            else:
                rest.add("memory", NO_NODE if is_foreign(name) else NO_LAYER, line, name)
        if again := attempt.memory_lines - len(attempt.memory):
            rest.add("memory", _AGAIN, 0, "", again)
    untold = [layer.index for layer in layers if layer.listed and found[layer.index].memory is None]
    if taken.zero is not None and len(untold) == taken.zero[0]:
        for index in untold:
            found[index].memory = Memory(0, 0, 0), taken.zero[1]


# ---- what comes of it ------------------------------------------------------------------------


def _facts(
    layer: Layer,
    known: _Gathered,
    timed: Tuned,
    nodes: Found,
    attempt: Attempt,
    kernels: Kernels,
    kernel_line: int | None,
) -> LayerFacts:
    lines: dict[str, int] = {}
    option = timed.option
    if layer.kernel is not None:
        lines["kernel"] = kernel_line or (option.chosen.line if option else layer.place.line)
    if option is not None:
        lines["runner"] = lines["build_ms"] = option.chosen.line
    if timed.trial is not None:
        lines["candidates"] = timed.trial.line
    if known.memory is not None:
        lines["memory"] = known.memory[1]
    if nodes.line is not None:
        lines["onnx_nodes"] = nodes.line
    if known.steps:
        lines["fused_from"] = known.steps[0].line
    note = attempt.notes.get(layer.name)
    if note is not None:
        lines["precision_note"] = note[1]
    return LayerFacts(
        kernel=layer.kernel,
        runner=None if option is None else option.runner,
        build_ms=None if option is None else option.chosen.ms,
        formats=None if option is None else option.formats,
        measured_on=timed.measured_on,
        candidates=candidates(layer, timed, kernels),
        memory=None if known.memory is None else known.memory[0],
        onnx_nodes=nodes.names,
        onnx_nodes_from=nodes.source,
        onnx_operators=nodes.operators,
        fused_from=tuple(known.steps),
        precision_note=None if note is None else note[0],
        lines=tuple(lines.items()),
    )


def _engine(
    segment: Segment, taken: Attempt, tuning: Autotuning, tensorrt: str | None, rest: Rest
) -> EngineFacts:
    said, tunings = segment.trtexec, [t for t in segment.tunings if t or t is tuning]
    built = segment.loads is None  # else it is known from a run alone, whose options are its own
    cached = sum(trial.cached for one in tunings for trial in one.trials.values())
    cache = None
    if cached or said.cache_kind or said.cache_entries is not None or said.cache_loaded:
        cache = TimingCache(
            said.cache_kind,
            said.cache_entries,
            said.cache_hits,
            cached,
            said.cache_loaded,
        )
    peaks = [taken.peak, *(attempt.peak for attempt in segment.attempts)]
    peak = next((found for found in peaks if found is not None), (None, None))
    runs = [
        Run(own.loads, performance)
        for own in (segment, *segment.runs)
        for performance in own.trtexec.performances
    ]
    devices = (own.trtexec.device() for own in (segment, *segment.runs))
    messages = [message for own in (segment, *segment.runs) for message in own.messages]
    return EngineFacts(
        tensorrt=tensorrt,
        device=next((device for device in devices if device is not None), None),
        options=tuple(o for o in said.options if built and o.section != "Device Information"),
        precisions=said.precisions() if built else (),
        phases=tuple(said.phases),
        passes=tuple(taken.passes or next((a.passes for a in segment.attempts if a.passes), [])),
        totals=tuple(taken.totals.values()),
        peak_cpu_mib=peak[0],
        peak_gpu_mib=peak[1],
        timing_cache=cache,
        inputs=tuple(segment.definition.inputs.values()),
        outputs=tuple(segment.definition.outputs.values()),
        performance=runs[-1].performance if runs else None,
        runs=tuple(runs),
        runners=_runners(tuning),
        warnings=sum(own.counts["warning"] for own in (segment, *segment.runs)),
        errors=sum(own.counts["error"] for own in (segment, *segment.runs)),
        messages=tuple(sorted(messages, key=attrgetter("line"))),
        joined=tuple(rest.joined.items()),
        unjoined=rest.all(),
        tunings=tuple(Tuning(one is tuning, _runners(one)) for one in tunings if one),
        advised=tuple(
            Advised(decode(hint.words), hint.line, hint.bytes or None)
            for hint in sorted(segment.autotuning.hints.kept.values(), key=attrgetter("line"))
        ),
        sources=_sources(segment, taken, messages),
    )


def _runners(tuning: Autotuning) -> tuple[RunnerCost, ...]:
    return costs(pair for trial in tuning.trials.values() for pair in trial.runners.items())


def _sources(segment: Segment, taken: Attempt, messages: Iterable[Message]) -> Sources:
    memory = [line for _, line in taken.memory.values()]
    memory += [total.line for total in taken.totals.values()]
    return Sources(
        sections=tuple(span for own in (segment, *segment.runs) for span in own.trtexec.spans),
        warnings=_spans("warnings and errors", [(m.line, m.line) for m in messages]),
        autotuning=_spans("timings", segment.timed),
        memory=_spans("memory", [(min(memory), max(memory))] if memory else []),
    )


def _spans(what: str, ranges: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Ranges of lines in order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return tuple(Span(what, first, last) for first, last in found)
