"""Lists what is known of an engine (`ENGINE`), in the order in which the JSON tells it.

A further field stands, without another change, in the JSON or in the table `engines`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.core.build_info import DlaUse, Performance, Run
from engine_layer_visualize.core.model import Engine, Listing
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.facts.field import (
    DATA,
    JSON,
    ROWS,
    TABLE,
    TEXTS,
    Field,
    ListOf,
    Place,
    Struct,
    Type,
    Value,
    at,
    picked,
)
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import is_dla_copy


def dla(subject: Subject, engine: Engine) -> dict[str, Any] | None:
    """What runs on the DLA, with the time of the copies to it and back."""
    copies = [layer for layer in engine.layers if is_dla_copy(layer.name)]
    known = engine.known.dla
    if known is None and not copies:
        return None
    used = known._asdict() if known is not None else dict.fromkeys(DlaUse._fields)
    return {**used, "copies_ms": subject.costs.sum(copies)}


def listings(several: Iterable[Listing]) -> list[dict[str, Any]]:
    """Listings without the file, which is the engine's."""
    return [picked(listing, "dialect", "first_line", "last_line", "state") for listing in several]


def performance(run: Performance) -> dict[str, Any]:
    """A run, with percentiles by their share."""
    names = ("throughput_qps", "host_walltime_s", "gpu_compute_s", "halves_ms", "line")
    measures = [
        {**row._asdict(), "percentiles": {str(share): ms for share, ms in row.percentiles}}
        for row in run.measures
    ]
    return {**picked(run, *names), "measures": measures}


def runs(several: Iterable[Run]) -> list[dict[str, Any]]:
    """Runs, with the file that each loaded."""
    return [{"loaded": run.engine, "performance": performance(run.performance)} for run in several]


_OPTION: Final = Struct((("section", str), ("key", str), ("value", str)))
_TOTAL: Final = Struct((("name", str), ("bytes", int)))
_ROOTS: Final[dict[str, Value[Engine]]] = {
    "costs": lambda subject, _: subject.costs,
    "time": lambda subject, _: subject.time,
    "work": lambda subject, _: subject.work,
}


def _field(
    key: str,
    doc: str,
    places: frozenset[Place] = JSON,
    kind: Type | None = None,
    label: str = "",
    **given: Any,
) -> Field[Engine]:
    """A `Field` of an engine; a list or an object with free keys is empty where it is not known."""
    is_list = isinstance(kind, ListOf) or kind is dict
    return Field(key, label, doc, places, kind, roots=_ROOTS, **{"always": is_list, **given})


# A number that is always known; rows, an object, an answer of the JSON.
_count: Final = partial(_field, kind=int, always=True)
_rows: Final = partial(_field, kind=ROWS)
_object: Final = partial(_field, kind=dict)
_truth: Final = partial(_field, kind=bool)

# A table, read by rows: an argument does not get a line of its own.
# fmt: off
ENGINE: Final[tuple[Field[Engine], ...]] = (
    _count("index", "number of the engine in its log, from 0, in the order of building"),
    _field("dialect", "the listing's format: classic, detailed, inspector-json", DATA, always=True),
    _field("tensorrt", "version of TensorRT, of TensorRT-RTX such as RTX 1.7.1", DATA,
        label="TensorRT"),
    _field("frontend", "what the network was made from: onnx, torch, uff, caffe, api, unknown",
        value=lambda subject, _: origin.frontend_of(subject.costs).source, always=True),
    _field("source.file", "name of the log", DATA, always=True, label="log"),
    _count("source.first_line", "line of the log at which the listing begins", DATA),
    _count("source.last_line", "line of the log at which the listing ends", DATA),
    _field("source.state",
        "what is there: the whole listing, the lines before a cut, a part, names or times alone",
        always=True),
    _rows("source.also", "other listings of the same build", path="also", made=listings),
    # ---- time ----
    _field("time.kind", "measured, or estimated by the builder", DATA, column="time_kind"),
    _field("time.total_ms", "sum of the layers' mean times; null for an unknown number of runs"),
    _count("time.timed", "number of layers that `total_ms` is the sum of"),
    _count("time.layers", "number of layers; of estimated times without NoOps and constants"),
    _field("time.of_profile_ms", "sum of all rows of the profile, as printed if it is", DATA),
    _rows("time.by_optimization_profile", "the same of each optimisation profile"),
    _field("ms", "sum of the times of an optimisation profile", TABLE, path="costs.now.total_ms"),
    _count("timed", "number of layers that `ms` is the sum of", TABLE, path="costs.now.timed"),
    # ---- layers ----
    _count("layers", "number of layers", TABLE, made=len),
    _count("edges", "number of edges between two layers", TABLE, path="graph.between", made=len),
    _count("reformats", "number of layers that are reformats", TABLE,
        value=lambda _, engine: sum(map(is_reformat, engine.layers))),
    _field("inputs", "names of the input tensors", TABLE, TEXTS),
    _field("outputs", "names of the output tensors", TABLE, TEXTS),
    # ---- work ----
    _field("work.macs", "multiplications with additions; null if a layer's are unknown", DATA, int),
    _count("work.macs_known", "MACs of the layers of which they are known", DATA),
    _count("work.layers_unknown", "layers of which the MACs are not known"),
    _rows("work.at", "inputs of dynamic shape, with the shapes that `work` is of"),
    _truth("work.of_times", "whether the layers' times are of these shapes, too"),
    _field("work.peak.device", "its name, else its compute capability"),
    _object("work.peak.tflops", "10^12 FLOP/s by precision, such as `fp16`", made=dict),
    _field("work.peak.bandwidth_gbs", "of the memory", path="work.peak.bandwidth"),
    _field("work.peak.given", "names of the figures that `--peak` gave", JSON, TEXTS),
    _field("work.peak.unverified", "precisions whose figures no datasheet confirms", JSON, TEXTS),
    # ---- what the log says besides the listing ----
    _field("facts.tensorrt", "version of TensorRT"),
    _field("facts.command", "command line of the run of trtexec"),
    _truth("facts.strongly_typed", "whether the types of the network were obeyed"),
    _field("facts.engine_bytes", "size of the serialised engine"),
    _field("facts.context_bytes", "device memory of its execution context"),
    _object("facts.dla",
        "layers and subgraphs on the DLA, a core's limit, ms of copies with their waits",
        value=dla, always=False),
    _field("facts.device.name", "name of the GPU", DATA, column="device", label="device"),
    _field("facts.device.compute_capability", "of the GPU", DATA),
    _field("facts.device.sms", "number of multiprocessors of the GPU", DATA, int),
    _field("facts.device.memory_mib", "global memory of the GPU", DATA),
    _field("facts.device.shared_kib", "of one multiprocessor"),
    _field("facts.device.bus_bits", "width of the memory bus"),
    _field("facts.device.compute_clock_ghz", "of the GPU"),
    _field("facts.device.memory_clock_ghz", "of the GPU's memory"),
    _rows("facts.options", "lines of trtexec's sections"),
    _field("options", "what trtexec was told", TABLE, ListOf(_OPTION), path="facts.options",
        made=lambda told: [one[:3] for one in told]),
    _field("facts.precisions", "that the build allowed", DATA, TEXTS, label="precisions allowed",
        text=", ".join),
    _rows("facts.phases", "phases of the build, with the time of each"),
    _rows("facts.passes", "layers that are left after each pass of the optimiser"),
    _object("facts.memory", "totals of memory in bytes, by the log's names", path="facts.totals",
        made=lambda totals: dict(one[:2] for one in totals)),
    _field("memory", "totals of memory in the log, in bytes", TABLE, ListOf(_TOTAL),
        path="facts.totals", made=lambda totals: [one[:2] for one in totals]),
    _field("facts.peak_cpu_mib", "peak of TensorRT's allocator on the host", DATA),
    _field("facts.peak_gpu_mib", "peak of TensorRT's allocator on the GPU", DATA),
    _object("facts.timing_cache",
        "its entries and hits, results taken from it, entries or bytes of an earlier build",
        always=False),
    _rows("facts.inputs", "inputs of the network"),
    _rows("facts.outputs", "outputs of the network"),
    _field("facts.outputs_order",
        "order of the outputs: of the network (`log`) or of the layers that write them (`listing`)",
        JSON),
    _field("facts.outputs_counted",
        "number of outputs by the log, where nothing reads more tensors of the listing than that",
        kind=int),
    _object("facts.performance", "trtexec's summary of the run of these times or the last, in ms",
        made=performance, always=False),
    _field("latency_ms", "mean end-to-end latency that trtexec measured", TABLE,
        path="facts.performance.latency.mean", label="latency",
        text=lambda ms: f"{milliseconds(ms)} (mean, trtexec)"),
    _field("throughput_qps", "queries per second that trtexec measured", TABLE,
        path="facts.performance.throughput_qps", label="throughput",
        text=lambda number: f"{number:,.1f} queries/s"),
    _field("gpu_compute_ms", "mean GPU compute time that trtexec measured", TABLE,
        path="facts.performance.gpu_compute.mean"),
    _rows("facts.runs",
        "all runs, `loaded`: the file that `trtexec --loadEngine` ran, null for the build's own",
        made=runs),
    _rows("facts.pieces", "the builder's times of ForeignNodes that are listed as several layers"),
    _field("facts.warnings", "warnings in the log; null where no log was read", DATA, int),
    _field("facts.errors", "errors in the log; null where no log was read", DATA, int),
    _rows("facts.messages", "the first warnings and errors"),
    _rows("facts.attempts",
        "the attempts to build, with estimates of an inference; `kept`: it gave this engine"),
)
# fmt: on
BY_KEY: Final = {field.key: field for field in ENGINE}
# Objects of the JSON that are null where nothing of them is known.
MAY_BE_NULL: Final = {path: at(path, _ROOTS) for path in ("work.peak", "facts", "facts.device")}
