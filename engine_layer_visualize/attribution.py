"""Facts find their layers, by name.

takes: the layers of an engine, and the account of its build
gives: the layers with `facts`, and the engine's; what found no layer is counted, with a reason
never: guesses: a time belongs to a layer of that name and tactic, or to none
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from engine_layer_visualize.chronicle import Account
from engine_layer_visualize.fused_names import is_foreign, parts
from engine_layer_visualize.kernels import Kernels, number
from engine_layer_visualize.knowledge import (
    Candidate,
    Candidates,
    EngineFacts,
    LayerFacts,
    Memory,
    Message,
    Run,
    RunnerCost,
    Sources,
    Span,
    Step,
    TimingCache,
)
from engine_layer_visualize.lineage import (
    FUSED,
    NO_LAYER,
    NOT_TAKEN,
    Rest,
    fusions,
    kernel_lines,
    whereabouts,
)
from engine_layer_visualize.mentions import Attempt
from engine_layer_visualize.model import Layer
from engine_layer_visualize.onnx_layers import Found, onnx_nodes
from engine_layer_visualize.source import decode
from engine_layer_visualize.trials import Chosen, Count, Trial

_REFORMAT: Final = re.compile(r"Optimizer Reformat\((.*) -> (.*)\)", re.DOTALL)
_DTYPE: Final = re.compile(r"(\w+)\(")

_NO_NODE: Final = "a Myelin node that is not listed as one layer"
_NO_REFORMAT: Final = "a reformat that was not chosen"
_NAMELESS: Final = "a reformat whose tensor the log does not name"
_AGAIN: Final = "printed again for the same layer"


@dataclass(slots=True)
class _Gathered:
    """What is known of one layer so far."""

    trial: Trial | None = None
    runner: str | None = None
    formats: str | None = None
    measured_on: str | None = None
    chosen: Chosen | None = None
    memory: tuple[Memory, int] | None = None
    steps: list[Step] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def attribute(
    layers: Sequence[Layer], account: Account, kernels: Kernels, tensorrt: str | None
) -> tuple[list[Layer], EngineFacts]:
    """The layers with their facts, and the engine's facts."""
    rest = Rest()
    found = [_Gathered() for _ in layers]
    names: dict[str, list[int]] = {}
    for layer in layers:
        names.setdefault(layer.name, []).append(layer.index)
    attempt = _taken(account.attempts, names)
    nodes = onnx_nodes(layers, account)
    within = whereabouts(layers, nodes)
    _timings(layers, names, within, account, found, rest)
    _memory(layers, names, account.attempts, attempt, found, rest)
    for index, step in fusions(within, account.attempts, attempt, rest):
        found[index].steps.append(step)
    lines = kernel_lines(names, attempt)
    result = [
        replace(
            layer,
            facts=_facts(layer, known, words, attempt, kernels, lines.get(layer.name)),
        )
        for layer, known, words in zip(layers, found, nodes)
    ]
    return result, _engine(account, attempt, tensorrt, rest)


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


# ---- timings ---------------------------------------------------------------------------------


def _timings(
    layers: Sequence[Layer],
    names: dict[str, list[int]],
    within: dict[str, list[int]],
    account: Account,
    found: list[_Gathered],
    rest: Rest,
) -> None:
    reformats = _reformatted(layers)
    for printed, trial in account.autotuning.trials.items():
        name = decode(printed)
        indices = names.get(name, [])
        for index in indices:
            found[index].trial = trial
            _choose(layers[index], trial, found[index])
        if not indices and (match := _REFORMAT.fullmatch(name)):
            indices = [
                index
                for index in reformats.get(match[1], []) + reformats.get(match[2], [])
                if _choose(layers[index], trial, found[index])
            ]
            for index in indices:
                found[index].trial = trial
        count = trial.lines()
        if indices:
            rest.joined["timing"] += count
        else:
            rest.add("timing", _why(name, within), trial.line, name, count)
    _borrow(layers, account.autotuning.trials, found)


# Attributes that two equal layers may have of their own.
_OWN: Final = ("Metadata", "StreamId", "EventId")


def _borrow(layers: Sequence[Layer], trials: Mapping[bytes, Trial], found: list[_Gathered]) -> None:
    """The builder times equal layers once. The others have the result of the one that was timed."""
    timed: dict[Hashable, list[int]] = {}
    for layer in layers:
        if found[layer.index].chosen is not None:
            timed.setdefault(_likeness(layer), []).append(layer.index)
    reformats: dict[str, list[str]] = {}
    by_name = {decode(name): trial for name, trial in trials.items()}
    for name, trial in by_name.items():
        if name.startswith("Optimizer Reformat"):
            for _, _, formats in trial.chosen:
                reformats.setdefault(decode(formats), []).append(name)
    for layer in layers:
        known = found[layer.index]
        if known.chosen is not None or layer.tactic is None:
            continue
        attributes = dict(layer.attributes)
        if "ReformatFrom" in attributes:
            wanted = f"{attributes['ReformatFrom']} -> {attributes['ReformatTo']}"
            for other in reformats.get(wanted, []):
                if _choose(layer, by_name[other], known):
                    known.measured_on = other
                    break
            continue
        likes = [] if known.trial is not None else timed.get(_likeness(layer), [])
        times = {chosen.ms for index in likes if (chosen := found[index].chosen) is not None}
        if len(times) == 1:  # several that differ are not equal, after all
            like = found[likes[0]]
            known.chosen, known.runner, known.formats = like.chosen, like.runner, like.formats
            known.measured_on = layers[likes[0]].name


def _likeness(layer: Layer) -> Hashable:
    tensors = [
        tuple((t.dtype, t.dims, t.format, t.strides) for t in side)
        for side in (layer.inputs, layer.outputs)
    ]
    own = {key: value for key, value in layer.attributes if key not in _OWN}
    return layer.type, layer.tactic, *tensors, json.dumps(own, sort_keys=True)


def _why(name: str, within: dict[str, list[int]]) -> str:
    if name.startswith("Optimizer Reformat"):
        return _NO_REFORMAT if "(" in name else _NAMELESS
    if is_foreign(name):
        return _NO_NODE
    return FUSED if any(part in within for part in parts(name)) else NO_LAYER


def _reformatted(layers: Sequence[Layer]) -> dict[str, list[int]]:
    """The reformats of the engine, by the tensors that they read and write."""
    found: dict[str, list[int]] = {}
    for layer in layers:
        if any(key == "ReformatFrom" for key, _ in layer.attributes):
            for tensor in dict.fromkeys(t.name for t in (*layer.inputs, *layer.outputs)):
                found.setdefault(tensor, []).append(layer.index)
    return found


def _choose(layer: Layer, trial: Trial, known: _Gathered) -> bool:
    """Which of a trial's times is the layer's: that of its tactic and its formats."""
    wanted = None if layer.tactic is None else number(layer.tactic.encode("utf-8", "replace"))
    attributes = dict(layer.attributes)
    strides = f"{attributes.get('ReformatFrom')} -> {attributes.get('ReformatTo')}"
    best: tuple[int, float] | None = None
    for (tactic, runner, printed), chosen in trial.chosen.items():
        formats = decode(printed)
        if "ReformatFrom" in attributes:
            if formats != strides or (wanted is not None and number(tactic) not in (wanted, None)):
                continue
            rank = 0
        elif wanted is None or number(tactic) != wanted:
            continue
        else:
            rank = 0 if _same_types(layer, formats) else 1
        if best is None or (rank, chosen.ms) < best:
            best = rank, chosen.ms
            known.chosen, known.runner, known.formats = chosen, decode(runner), formats
    return best is not None


def _same_types(layer: Layer, formats: str) -> bool:
    left, _, right = formats.partition(" -> ")
    return _DTYPE.findall(left) == [t.dtype for t in layer.inputs] and _DTYPE.findall(right) == [
        t.dtype for t in layer.outputs
    ]


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
                rest.add("memory", _NO_NODE if is_foreign(name) else NO_LAYER, line, name)
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
    nodes: Found,
    attempt: Attempt,
    kernels: Kernels,
    kernel_line: int | None,
) -> LayerFacts:
    lines: dict[str, int] = {}
    if layer.kernel is not None:
        lines["kernel"] = kernel_line or (known.chosen.line if known.chosen else layer.place.line)
    if known.chosen is not None:
        lines["runner"] = lines["build_ms"] = known.chosen.line
    candidates = Candidates()
    if known.trial is not None:
        lines["candidates"] = known.trial.line
        candidates = _candidates(layer, known.trial, kernels)
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
        runner=known.runner,
        build_ms=None if known.chosen is None else known.chosen.ms,
        formats=known.formats,
        measured_on=known.measured_on,
        candidates=candidates,
        memory=None if known.memory is None else known.memory[0],
        onnx_nodes=nodes.names,
        onnx_nodes_from=nodes.source,
        fused_from=tuple(known.steps),
        precision_note=None if note is None else note[0],
        lines=tuple(lines.items()),
    )


def _candidates(layer: Layer, trial: Trial, kernels: Kernels) -> Candidates:
    best = tuple(
        Candidate(kernels.of(layer.name, decode(tactic)), decode(tactic), ms, decode(runner))
        for ms, tactic, runner in trial.best
    )
    counts = trial.runners.values()
    return Candidates(
        tried=sum(count.tried for count in counts),
        skipped=sum(count.skipped for count in counts),
        cached=trial.cached,
        best=best,
        runners=_costs(trial.runners.items()),
    )


def _costs(counts: Iterable[tuple[bytes, Count]]) -> tuple[RunnerCost, ...]:
    """By runner, in the order in which they were tried."""
    sums: dict[bytes, Count] = {}
    for runner, count in counts:
        total = sums.setdefault(runner, Count())
        total.profilings += count.profilings
        total.tried += count.tried
        total.skipped += count.skipped
        total.unfit += count.unfit
        total.seconds += count.seconds
        total.timed = total.timed or count.timed
    return tuple(
        RunnerCost(
            decode(runner),
            total.profilings,
            total.tried,
            total.skipped,
            total.unfit,
            round(total.seconds, 9) if total.timed else None,
        )
        for runner, total in sums.items()
    )


def _engine(account: Account, taken: Attempt, tensorrt: str | None, rest: Rest) -> EngineFacts:
    sheet, tunings = account.sheet, account.tunings
    built = account.loads is None  # else it is known from a run alone, whose options are its own
    trials = [trial for tuning in tunings for trial in tuning.trials.values()]
    cached = sum(trial.cached for trial in trials)
    cache = None
    if cached or sheet.cache_kind or sheet.cache_entries is not None or sheet.cache_loaded:
        cache = TimingCache(
            sheet.cache_kind, sheet.cache_entries, sheet.cache_hits, cached, sheet.cache_loaded
        )
    peaks = [taken.peak, *(attempt.peak for attempt in account.attempts)]
    peak = next((found for found in peaks if found is not None), (None, None))
    runs = [
        Run(own.loads, performance)
        for own in (account, *account.runs)
        for performance in own.sheet.performances
    ]
    devices = (own.sheet.device() for own in (account, *account.runs))
    messages = [message for own in (account, *account.runs) for message in own.messages]
    return EngineFacts(
        tensorrt=tensorrt,
        device=next((device for device in devices if device is not None), None),
        options=tuple(o for o in sheet.options if built and o.section != "Device Information"),
        precisions=sheet.precisions() if built else (),
        phases=tuple(sheet.phases),
        passes=tuple(taken.passes or next((a.passes for a in account.attempts if a.passes), [])),
        totals=tuple(taken.totals.values()),
        peak_cpu_mib=peak[0],
        peak_gpu_mib=peak[1],
        timing_cache=cache,
        inputs=tuple(account.definition.inputs.values()),
        outputs=tuple(account.definition.outputs.values()),
        performance=runs[-1].performance if runs else None,
        runs=tuple(runs),
        runners=_costs(pair for trial in trials for pair in trial.runners.items()),
        warnings=sum(own.counts["warning"] for own in (account, *account.runs)),
        errors=sum(own.counts["error"] for own in (account, *account.runs)),
        messages=tuple(sorted(messages, key=attrgetter("line"))),
        joined=tuple(rest.joined.items()),
        unjoined=rest.all(),
        sources=_sources(account, taken, messages),
    )


def _sources(account: Account, taken: Attempt, messages: Iterable[Message]) -> Sources:
    memory = [line for _, line in taken.memory.values()]
    memory += [total.line for total in taken.totals.values()]
    return Sources(
        sections=tuple(span for own in (account, *account.runs) for span in own.sheet.spans),
        warnings=_spans("warnings and errors", [(m.line, m.line) for m in messages]),
        autotuning=_spans("timings", account.timed),
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
