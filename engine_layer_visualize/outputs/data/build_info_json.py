"""Build info as JSON values: the keys `facts` of schema 1, and the same values in the summary.

Null: the log does not say; []: there is none. `_KEYS` has the keys of every value.

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

from engine_layer_visualize.core import build_info
from engine_layer_visualize.core.model import EngineTime, JsonValue, ProfileTime
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
