"""Build info as JSON values: the keys `facts` of schema 1, and the same values in the summary.

Null: the log does not say; []: there is none. `_KEYS` has the keys of every value.

A layer's `facts`:

* `kernel`, `runner`: the chosen tactic's kernel and implementation.
* `build_ms`: the time that the autotuner measured for it, an estimate; `formats`: the format
  combination that was measured, as printed.
* `measured_on`: the layer that was timed, where the builder did not time the layer again: an equal
  layer, or a reformat of equal formats; null where it is the layer's own.
* `candidates`: `tried`, `skipped` (for lack of memory) and `cached` count tactics, null where the
  log has nothing of the layer's autotuning; `best` are at most three, `{kernel, tactic, ms, runner,
  formats}`, the fastest first, each in the formats in which it was fastest; `chosen`: what
  the layer runs, in the same words, null where the layer itself was not timed or runs nothing;
  `seconds`: what the autotuning of the layer took; `runners`: the same by implementation.
* `memory`: bytes, `{host_persistent, device_persistent, scratch, weights}`.
* `onnx_nodes`: names of the ONNX nodes that became this layer; `onnx_operators`: the operator of
  each, "" where the log does not parse that node, [] where it parses none; `onnx_nodes_from`: where
  they are known from: "metadata" of the record or the log; "graph": the log has the model's nodes,
  and these lie between the layer's tensors; "name": the layer's name, which is all for a fused
  layer, but of a `{ForeignNode[a...b]}` its two ends alone; null where none are known.
* `fused_from`: the optimiser's steps in order, as printed.
* `precision`: the dtype that the layer computes with, null where it is unknown (a ForeignNode's
  tensors are only its ends); `precision_from`: "kernel", its kernel's name, or "record", its own
  tensors; `tf32`: whether its kernel multiplies in TF32, which is Float by its tensors.
* `precision_note`: the log's words on a precision that the builder did not obey.
* `lines`: the log's line for each of these keys; for lists that of the first entry.

An engine's `facts`:

* `tensorrt`; `device`: `{name, compute_capability, sms, memory_mib, shared_kib, bus_bits,
  compute_clock_ghz, memory_clock_ghz}`.
* `options`: `[{section, key, value, line}]` of trtexec; `precisions`: that the build allowed.
* `phases`: `[{name, seconds, line}]`; `passes`: `[{name, layers, line}]`.
* `memory`: `{name: bytes}` totals; `peak_cpu_mib`, `peak_gpu_mib`.
* `timing_cache`: `{kind, entries, hits, cached_results, loaded}`.
* `inputs`, `outputs`: `[{name, dtype, dims, line}]` of the network.
* `performance`: `{throughput_qps, host_walltime_s, gpu_compute_s, line, measures: [{name, min, max,
  mean, median, percentiles: {"99.0": ms}, line}]}`, ms, of the last run; `runs`: `[{loaded,
  performance}]` of all, `loaded`: the file that `trtexec --loadEngine` ran, null for the build's.
* `runners`: `[{runner, profilings, tried, skipped, unfit, seconds}]`, where build time went, in the
  attempt that the engine came from; `tunings`: `[{taken, runners}]`, that of every attempt;
  `attempts`: `[{strategy, seconds, inference_ms, kept}]`, [] where the log tells of none;
  `inference_ms`: the inference time that the builder estimates for the engine of the attempt.
* `pieces`: `[{name, ms, line}]`, ForeignNodes that were timed as one and are listed as several
  layers: the builder's time of the whole.
* `advised`: `[{text, line, bytes}]`, the log's words where tactics were skipped for memory.
* `warnings`, `errors`: counts, null where no log was read; `messages`: `[{severity, text,
  line}]`, the first of them.
* `joined`: lines that found their layer, by kind; `unjoined`: `[{kind, reason, count, samples:
  [{line, text}]}]`, those that did not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.core import build_info
from engine_layer_visualize.core.model import EngineTime, JsonValue, Layer, ProfileTime
from engine_layer_visualize.core.performance import Measure, Performance

# In the order of the JSON. A key is the name of a field. What a layer has many of is written out
# in functions of its own, which is twice as fast.
_KEYS: Final[dict[type, tuple[str, ...]]] = {
    EngineTime: ("kind", "total_ms", "timed", "layers", "of_profile_ms"),
    ProfileTime: ("profile", "total_ms", "timed", "layers"),
    build_info.Advised: ("text", "line", "bytes"),
    build_info.BuildAttempt: ("strategy", "seconds", "inference_ms", "kept"),
    build_info.Device: (
        "name", "compute_capability", "sms", "memory_mib", "shared_kib", "bus_bits",
        "compute_clock_ghz", "memory_clock_ghz",
    ),
    build_info.IO: ("name", "dtype", "dims", "line"),
    Measure: ("name", "min", "max", "mean", "median", "percentiles", "line"),
    build_info.Message: ("severity", "text", "line"),
    build_info.Option: ("section", "key", "value", "line"),
    build_info.Pass: ("name", "layers", "line"),
    build_info.Phase: ("name", "seconds", "line"),
    build_info.PieceTime: ("name", "ms", "line"),
    build_info.TimingCache: ("kind", "entries", "hits", "cached_results", "loaded"),
    build_info.Total: ("name", "bytes", "line"),
    build_info.Unassigned: (
        "what", "why", "first_line", "last_line", "gpu_compute_ms", "warnings", "errors",
    ),
    build_info.Unjoined: ("kind", "reason", "count", "samples"),
}  # fmt: skip


def keyed(value: object) -> dict[str, JsonValue]:
    """The JSON object of one of these values."""
    return {key: getattr(value, key) for key in _KEYS[type(value)]}


def keyed_rows(values: Iterable[object]) -> list[JsonValue]:
    """The JSON objects of several values."""
    return [keyed(value) for value in values]


def of_time(time: EngineTime) -> dict[str, JsonValue]:
    """The key `time` of an engine in every JSON document."""
    return keyed(time) | {"by_optimization_profile": keyed_rows(time.by_optimization_profile)}


def of_layer(layer: Layer) -> JsonValue:
    """A layer's `facts`; None where they were not read."""
    facts, precise = layer.facts, precisions.of(layer)
    if facts is None:
        return None
    return {
        "kernel": facts.kernel,
        "runner": facts.runner,
        "build_ms": facts.build_ms,
        "formats": facts.formats,
        "measured_on": facts.measured_on,
        "candidates": _candidates(facts.candidates),
        "memory": memory(facts.memory or _NO_MEMORY),
        "onnx_nodes": list(facts.onnx_nodes),
        "onnx_nodes_from": facts.onnx_nodes_from,
        "onnx_operators": list(facts.onnx_operators),
        "fused_from": [step.text for step in facts.fused_from],
        "precision": precise.dtype,
        "precision_from": precise.source,
        "tf32": precise.tf32,
        "precision_note": facts.precision_note,
        "lines": dict(facts.lines),
    }


_NO_MEMORY: Final = build_info.Memory()


def candidate(one: build_info.Candidate) -> dict[str, JsonValue]:
    """A timed tactic."""
    return {
        "kernel": one.kernel,
        "tactic": one.tactic,
        "ms": one.ms,
        "runner": one.runner,
        "formats": one.formats,
    }


def runner(cost: build_info.RunnerCost) -> dict[str, JsonValue]:
    """The autotuning of one implementation."""
    return {
        "runner": cost.runner,
        "profilings": cost.profilings,
        "tried": cost.tried,
        "skipped": cost.skipped,
        "unfit": cost.unfit,
        "seconds": cost.seconds,
    }


def memory(held: build_info.Memory) -> dict[str, JsonValue]:
    """Bytes of one layer."""
    return {
        "host_persistent": held.host_persistent,
        "device_persistent": held.device_persistent,
        "scratch": held.scratch,
        "weights": held.weights,
    }


def _candidates(found: build_info.Candidates) -> JsonValue:
    return {
        "tried": found.tried,
        "skipped": found.skipped,
        "cached": found.cached,
        "best": [candidate(one) for one in found.best],
        "seconds": found.seconds,
        "runners": [runner(cost) for cost in found.runners],
        "chosen": None if found.chosen is None else candidate(found.chosen),
    }


def of_engine(facts: build_info.EngineFacts | None) -> JsonValue:
    """An engine's `facts`; None where they were not read."""
    if facts is None:
        return None
    device, cache = facts.device, facts.timing_cache
    return {
        "tensorrt": facts.tensorrt,
        "device": None if device is None else keyed(device),
        "options": keyed_rows(facts.options),
        "precisions": list(facts.precisions),
        "phases": keyed_rows(facts.phases),
        "passes": keyed_rows(facts.passes),
        "memory": {total.name: total.bytes for total in facts.totals},
        "peak_cpu_mib": facts.peak_cpu_mib,
        "peak_gpu_mib": facts.peak_gpu_mib,
        "timing_cache": None if cache is None else keyed(cache),
        "inputs": keyed_rows(facts.inputs),
        "outputs": keyed_rows(facts.outputs),
        "outputs_order": facts.outputs_order,
        "performance": _performance(facts.performance),
        "runs": [
            {"loaded": run.engine, "performance": _performance(run.performance)}
            for run in facts.runs
        ],
        "runners": [runner(cost) for cost in facts.runners],
        "pieces": keyed_rows(facts.pieces),
        "warnings": facts.warnings,
        "errors": facts.errors,
        "messages": keyed_rows(facts.messages),
        "joined": dict(facts.joined),
        "unjoined": [
            keyed(one) | {"samples": [{"line": line, "text": text} for line, text in one.samples]}
            for one in facts.unjoined
        ],
        "attempts": keyed_rows(facts.attempts),
        "tunings": [
            {"taken": one.taken, "runners": [runner(cost) for cost in one.runners]}
            for one in facts.tunings
        ],
        "advised": keyed_rows(facts.advised),
    }


def _performance(found: Performance | None) -> JsonValue:
    if found is None:
        return None
    return {
        "throughput_qps": found.throughput_qps,
        "host_walltime_s": found.host_walltime_s,
        "gpu_compute_s": found.gpu_compute_s,
        "line": found.line,
        "measures": [
            keyed(row) | {"percentiles": {str(share): ms for share, ms in row.percentiles}}
            for row in found.measures
        ],
    }
