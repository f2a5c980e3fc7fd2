"""The facts of layers and engines as JSON values: the keys `facts` of schema 1.

takes: layers with `LayerFacts`, `EngineFacts`
gives: JSON values; null for what the log does not tell, [] for what it has none of
never: leaves a key out

A layer's `facts`:

* `kernel`, `runner`: the chosen tactic's kernel and implementation.
* `build_ms`: the time that the autotuner measured for it, an estimate; `formats`: the format
  combination that was measured, as printed.
* `measured_on`: whose timing this is where the builder did not time the layer again: an equal
  layer, or a reformat of equal formats; null where it is the layer's own.
* `candidates`: `tried`, `skipped` (for want of memory) and `cached` count tactics; `best` are at
  most three, `{kernel, tactic, ms, runner, formats}`, the fastest first, each in the formats in
  which it was fastest; `chosen`: what the layer runs, in the same words, null where the layer
  itself was not timed or runs nothing; `seconds`: what the autotuning of the layer took;
  `runners`: the same by implementation.
* `memory`: bytes, `{host_persistent, device_persistent, scratch, weights}`.
* `onnx_nodes`: names of the ONNX nodes that became this layer; `onnx_operators`: the operator of
  each, "" where the log does not parse that node, [] where it parses none; `onnx_nodes_from`: what
  tells the nodes:
  "metadata" of the record or the log; "graph": the log has the model's nodes, and these lie between
  the layer's tensors; "name": the layer's name, which is all for a fused layer, but of a
  `{ForeignNode[a...b]}` its two ends alone; null where none are known.
* `fused_from`: the optimiser's steps in order, as printed.
* `precision`: the dtype that the layer computes with, null where nothing tells it (a ForeignNode's
  tensors are only its ends); `precision_from`: "kernel", its kernel's name, or "record", its own
  tensors; `tf32`: whether its kernel multiplies in TF32, which is Float by its tensors.
* `precision_note`: the log's words on a precision that was not kept to.
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
  attempt that the engine came from; `tunings`: `[{taken, runners}]`, that of every attempt.
* `pieces`: `[{name, ms, line}]`, ForeignNodes that were timed as one and are listed as several
  layers: the builder's time of the whole.
* `advised`: `[{text, line, bytes}]`, the log's words where tactics were skipped for memory.
* `warnings`, `errors`: counts; `messages`: `[{severity, text, line}]`, the first of them.
* `joined`: lines that found their layer, by kind; `unjoined`: `[{kind, reason, count, samples:
  [{line, text}]}]`, those that did not.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.core.build_info import (
    IO,
    Candidate,
    Candidates,
    EngineFacts,
    Performance,
    RunnerCost,
)
from engine_layer_visualize.core.model import JsonValue, Layer


def of_layer(layer: Layer) -> JsonValue:
    """None where facts were not read."""
    facts, precise = layer.facts, precisions.of(layer)
    if facts is None:
        return None
    memory = facts.memory
    return {
        "kernel": facts.kernel,
        "runner": facts.runner,
        "build_ms": facts.build_ms,
        "formats": facts.formats,
        "measured_on": facts.measured_on,
        "candidates": _candidates(facts.candidates),
        "memory": {
            "host_persistent": None if memory is None else memory.host_persistent,
            "device_persistent": None if memory is None else memory.device_persistent,
            "scratch": None if memory is None else memory.scratch,
            "weights": None if memory is None else memory.weights,
        },
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


def _candidates(found: Candidates) -> JsonValue:
    return {
        "tried": found.tried,
        "skipped": found.skipped,
        "cached": found.cached,
        "best": [_candidate(one) for one in found.best],
        "seconds": found.seconds,
        "runners": _runners(found.runners),
        "chosen": None if found.chosen is None else _candidate(found.chosen),
    }


def _candidate(one: Candidate) -> JsonValue:
    return {
        "kernel": one.kernel,
        "tactic": one.tactic,
        "ms": one.ms,
        "runner": one.runner,
        "formats": one.formats,
    }


def _runners(costs: Iterable[RunnerCost]) -> JsonValue:
    return [
        {
            "runner": cost.runner,
            "profilings": cost.profilings,
            "tried": cost.tried,
            "skipped": cost.skipped,
            "unfit": cost.unfit,
            "seconds": cost.seconds,
        }
        for cost in costs
    ]


def of_engine(facts: EngineFacts | None) -> JsonValue:
    """None where facts were not read."""
    if facts is None:
        return None
    device, cache = facts.device, facts.timing_cache
    return {
        "tensorrt": facts.tensorrt,
        "device": None
        if device is None
        else {
            "name": device.name,
            "compute_capability": device.compute_capability,
            "sms": device.sms,
            "memory_mib": device.memory_mib,
            "shared_kib": device.shared_kib,
            "bus_bits": device.bus_bits,
            "compute_clock_ghz": device.compute_clock_ghz,
            "memory_clock_ghz": device.memory_clock_ghz,
        },
        "options": [
            {"section": one.section, "key": one.key, "value": one.value, "line": one.line}
            for one in facts.options
        ],
        "precisions": list(facts.precisions),
        "phases": [
            {"name": one.name, "seconds": one.seconds, "line": one.line} for one in facts.phases
        ],
        "passes": [
            {"name": one.name, "layers": one.layers, "line": one.line} for one in facts.passes
        ],
        "memory": {total.name: total.bytes for total in facts.totals},
        "peak_cpu_mib": facts.peak_cpu_mib,
        "peak_gpu_mib": facts.peak_gpu_mib,
        "timing_cache": None
        if cache is None
        else {
            "kind": cache.kind,
            "entries": cache.entries,
            "hits": cache.hits,
            "cached_results": cache.cached_results,
            "loaded": cache.loaded,
        },
        "inputs": _io(facts.inputs),
        "outputs": _io(facts.outputs),
        "performance": _performance(facts.performance),
        "runs": [
            {"loaded": run.engine, "performance": _performance(run.performance)}
            for run in facts.runs
        ],
        "runners": _runners(facts.runners),
        "pieces": [{"name": one.name, "ms": one.ms, "line": one.line} for one in facts.pieces],
        "warnings": facts.warnings,
        "errors": facts.errors,
        "messages": [
            {"severity": one.severity, "text": one.text, "line": one.line} for one in facts.messages
        ],
        "joined": dict(facts.joined),
        "unjoined": [
            {
                "kind": one.kind,
                "reason": one.reason,
                "count": one.count,
                "samples": [{"line": line, "text": text} for line, text in one.samples],
            }
            for one in facts.unjoined
        ],
        "tunings": [
            {"taken": one.taken, "runners": _runners(one.runners)} for one in facts.tunings
        ],
        "advised": [
            {"text": one.text, "line": one.line, "bytes": one.bytes} for one in facts.advised
        ],
    }


def _io(tensors: Iterable[IO]) -> JsonValue:
    return [
        {"name": one.name, "dtype": one.dtype, "dims": one.dims, "line": one.line}
        for one in tensors
    ]


def _performance(found: Performance | None) -> JsonValue:
    if found is None:
        return None
    return {
        "throughput_qps": found.throughput_qps,
        "host_walltime_s": found.host_walltime_s,
        "gpu_compute_s": found.gpu_compute_s,
        "line": found.line,
        "measures": [
            {
                "name": row.name,
                "min": row.min,
                "max": row.max,
                "mean": row.mean,
                "median": row.median,
                "percentiles": {str(share): ms for share, ms in row.percentiles},
                "line": row.line,
            }
            for row in found.measures
        ],
    }
