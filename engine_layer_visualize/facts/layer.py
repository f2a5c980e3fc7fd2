"""Lists what is known of a layer (`LAYER`), in the order in which outputs tell it.

A further field stands, without another change, in the JSON, the table `layers`, tooltips, the panel
of the page, and the files of other programs; `places` leaves it out of some of them.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from engine_layer_visualize.analysis import counts, kinds, labels, origin, precisions, scopes
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import amount, dims, large
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents.blocks import word
from engine_layer_visualize.facts import layer_values as values
from engine_layer_visualize.facts.field import (
    ASKED,
    DATA,
    EXCHANGE,
    FILES,
    JSON,
    NODE,
    PANEL,
    ROWS,
    TABLE,
    TEXTS,
    TOOLTIP,
    WORDS,
    Field,
    ListOf,
    Struct,
    at,
    plain,
)
from engine_layer_visualize.linting.subject import Subject

TENSOR: Final[tuple[Field[Tensor], ...]] = (
    Field("name", "name", "of the tensor", always=True),
    Field("dtype", "data type", "the short name, such as `Half`"),
    Field("dims", "dims", "as printed in the brackets, without blanks", text=dims, always=True),
    Field(
        *("shape", "shape"),
        "extents, without the vector part of `64:8`; negative: symbolic or unknown",
        *(DATA, ListOf(int)),
        always=True,
    ),
    Field("format", "format", "memory format, as printed"),
    Field("strides", "strides", "as printed, with commas; TensorRT-RTX alone prints them"),
    Field("bytes", "size", "as it is in memory", TABLE | PANEL, value=lambda _, x: counts.size(x)),
)
IN_TABLES: Final = ("name", "dtype", "shape", "format", "strides")  # of a tensor
TENSORS: Final = ListOf(
    Struct(tuple((name, one.type) for name in IN_TABLES for one in TENSOR if one.key == name))
)
_NOT_LISTED: Final = "no: only an `Adding reformat layer` line tells of it"
_field: Final = partial(Field[Layer], roots={"work": lambda subject, layer: subject.work.of(layer)})
_tuned: Final = partial(_field, line="autotuning")
_memory: Final = partial(_field, places=DATA | WORDS, unit="bytes", line="memory")


def _told(subject: Subject, layer: Layer) -> tuple[str, ...]:
    """The log's lines that the facts of the layer stand in."""
    told = []
    for key, line in layer.known.lines:
        one = BY_KEY.get(f"facts.{key}")
        label = (one and (one.label or one.line)) or key
        told.append(f"log line {line}: {label.replace(NODE, subject.frontend.node)}")
    return tuple(told)


# A table, read by rows: an argument does not get a line of its own.
# fmt: off
LAYER: Final[tuple[Field[Layer], ...]] = (
    _field("index", "layer", "index of the layer, from 0, in execution order", FILES, int,
        text=str, column="layer", always=True),
    _field("line", "line", "line of the log that has its record", FILES, int,
        value=lambda _, layer: layer.place.line, text=str, always=True),
    _field("also_line", "second line", "its line in a second listing", JSON, int, text=str),
    _field("name", "name", "as printed", DATA, always=True),
    _field("type", "type", "as printed", FILES, always=True),
    _field("tactic", "tactic", "as printed", FILES | TOOLTIP),
    _field("kernel", "kernel", "name of the tactic's kernel", FILES | TOOLTIP),
    _field("computes_in", "computes in", "the precision of a TF32 kernel", WORDS,
        value=lambda _, layer: str(precise) if (precise := precisions.of(layer)).tf32 else None),
    _field("inputs", "inputs", "tensors that it reads", DATA, TENSORS, always=True),
    _field("outputs", "outputs", "tensors that it writes", DATA, TENSORS, always=True),
    _field("attributes", "attributes", "every further key of a detailed record, as printed",
        JSON, dict, value=lambda _, layer: values.attributes(layer), always=True),
    # ---- time ----
    _field("times", "", "its time and share in words, or why it has none", TOOLTIP,
        value=lambda subject, layer: tuple(values.times(layer, subject.costs))),
    _field("ms", "time", "its time", TABLE | EXCHANGE,
        value=lambda subject, layer: subject.costs.of(layer)),
    _field("time_kind", "kind of time", "whether `ms` is measured or estimated", TABLE | EXCHANGE,
        value=lambda subject, layer: subject.kind(layer)),
    _field("share", "share", "part of its optimisation profile's time, from 0 to 1",
        TABLE | EXCHANGE, value=lambda subject, layer: subject.costs.share(layer)),
    _field("time.average_ms", "mean", "of one run; null where only a sum is known", JSON),
    _field("time.median_ms", "median", "median of its measured times; null where rows were summed",
        DATA),
    _field("time.total_ms", "total", "sum over all runs", JSON),
    _field("time.percent", "percent", "as the profile prints it", JSON, float),
    _field("time.parts", "parts", "rows that were summed, such as kernels of a Myelin layer",
        JSON, int, always=True),
    _field("summed", "sum of", "rows of the profile, where its time is that of several", PANEL,
        value=lambda _, layer: values.summed(layer)),
    _field("time.n", "runs",
        "runs that its measured time is of; null where the profile does not tell", FILES, int,
        column="runs"),
    _field("time.min_ms", "shortest run", "of the shortest run", JSON),
    _field("time.max_ms", "longest run", "of the longest run", JSON),
    _field("time.p95_ms", "95th percentile", "at least 95 % of the runs took no longer", JSON),
    _field("runs", "runs", "how many, the shortest, the longest", WORDS, value=values.runs),
    _field("time.kernels", "launches",
        "kernels, copies and sets that the layer launched in a run, where the profile tells", JSON,
        ROWS, always=True),
    _field("launched", "launched in each run", "what it launched", WORDS, value=values.launched),
    # ---- work ----
    _field("work.macs", "", "multiplications with additions, of convolutions and matrix products",
        kind=int, text=lambda macs: f"{large(macs)} MACs" if macs else "", line="work"),
    _field("work.flop", "FLOP", "twice the MACs", JSON, int),
    _field("work.bytes", "", "what it must read and write, with weights",
        text=lambda size: f"moves {amount(size)}" if size else "", line="work"),
    _field("work.intensity", "", "arithmetic intensity", DATA | WORDS, float, unit="FLOP/byte",
        text=lambda value: values.intensity(value) if value else "", line="work"),
    _field("work.bound_ms", "at best", "time that no kernel beats on this device", DATA),
    _field("work.bound_by", "bound by",
        "what that time is bound by: compute, memory, or launch for a layer below 5 µs", DATA),
    _field("work.efficiency", "efficiency",
        "`bound_ms` as a part of its measured or estimated time; 1: nothing to gain", DATA,
        unit="share"),
    _field("work.unknown", "unknown", "why something of these is not known", JSON),
    _field("best", "at best", "how far its time is from the bound", WORDS, value=values.at_best),
    _field("memory", "memory", "device memory that it holds, else the bytes of its tensors", ASKED,
        int, value=lambda subject, layer: subject.size(layer), unit="bytes"),
    # ---- as reports show it ----
    _field("report.operators", "operators", "what the layer does, in a few words", ASKED,
        value=lambda _, layer: labels.headline(layer)),
    _field("report.precision", "precision", "what it computes in, or `unknown`", ASKED,
        value=lambda _, layer: precisions.precision_of(layer)),
    _field("report.kernel", "kernel", "of its tactic, else the longest that it launched", ASKED,
        value=values.kernel),
    _field("report.inputs", "inputs", "dims of what it reads", ASKED,
        value=lambda _, layer: precisions.dims(layer.inputs)),
    _field("report.outputs", "outputs", "dims of what it writes", ASKED,
        value=lambda _, layer: precisions.dims(layer.outputs)),
    _field("reason", "why it is there", "of a reformat: which layers ask for it", ASKED,
        value=lambda subject, layer: (why := subject.reasons.get(layer.index)) and str(why.text)),
    # ---- the network ----
    _field("nodes", "{node}s", "what the layer was made from", TOOLTIP, TEXTS,
        value=lambda _, layer: origin.onnx_nodes_of(layer).all, text=values.joined),
    _field("ends", "{node}s, ends only", "of a ForeignNode whose contents are not known", WORDS,
        TEXTS, value=lambda _, layer: origin.onnx_nodes_of(layer).ends, text=values.joined),
    _field("scope", "scope", "module of the network, as a path", DATA,
        value=lambda subject, layer: scopes.written(subject.paths[layer.index]) or None),
    _field("inside_operations", "runs inside",
        "operations inside a ForeignNode: ONNX nodes, ms, kernel, precision, tactics timed",
        JSON | WORDS, ROWS, value=values.inside_operations,
        text=lambda several: tuple(map(values.told_operation, several))),
    _field("device", "device", "GPU or DLA; null: not known", FILES | WORDS, path="facts.device"),
    _field("device_reason", "not on the DLA", "the log's words for why it is on the GPU",
        JSON | WORDS, path="facts.device_reason"),
    _field("waits_for_dla", "wait", "whether its time may hold the wait until the DLA is done",
        DATA | WORDS, bool, value=lambda _, layer: kinds.waits_for_dla(layer),
        text=lambda waits: "its time may hold the wait for the DLA" if waits else "", always=True),
    _field("listed", "listed", "false: a reformat that the listing leaves out", TABLE | PANEL,
        bool, text=lambda is_listed: "" if is_listed else _NOT_LISTED),
    _field("optimization_profile", "optimisation profile",
        "number of the optimisation profile that it is of", TABLE, int,
        value=lambda subject, layer: subject.costs.profile_of(layer)),
    # ---- what the log says besides the record ----
    _field("facts.kernel", "kernel", "of the chosen tactic", JSON),
    _field("facts.runner", "runner", "implementation that its tactic belongs to", DATA | WORDS),
    _field("facts.build_ms", "builder's estimate",
        "time that the builder measured for its tactic while it built", FILES),
    _field("estimate", "builder's estimate", "beside a measured time", WORDS, value=values.estimate,
        unit="ms"),
    _field("facts.formats", "formats in autotuning",
        "the format combination that was measured, as printed", JSON | PANEL),
    _field("facts.measured_on", "estimate is of",
        "the equal layer, or reformat of equal formats, whose timing it is", JSON | PANEL),
    _tuned("facts.candidates.tried", "", "timings of tactics that the log has", DATA | WORDS, int,
        text=values.counted("tactic timed", "tactics timed"), column="tactics_tried"),
    _tuned("facts.candidates.skipped", "", "tactics that were not timed, because memory was short",
        JSON | WORDS, int, text=values.counted("skipped for lack of memory")),
    _tuned("facts.candidates.cached", "", "results from a timing cache", JSON | WORDS, int,
        text=values.counted("result from a timing cache", "results from a timing cache")),
    _field("facts.candidates.best", "fastest tactics",
        "at most three, the fastest first, each in its fastest formats", JSON | PANEL, ROWS,
        text=lambda several: tuple(map(values.tactic, several)), always=True),
    _field("facts.candidates.chosen", "chosen tactic", "what the layer runs, as it was timed",
        JSON | PANEL, dict, text=values.tactic),
    _memory("facts.memory.host_persistent", "host persistent", "memory it holds on the host"),
    _memory("facts.memory.device_persistent", "device persistent", "memory it holds on the device"),
    _memory("facts.memory.scratch", "scratch", "memory that it needs while it runs"),
    _memory("facts.memory.weights", "weights", "memory of its weights"),
    _field("facts.onnx_nodes", "{node}s",
        "names of the ONNX nodes that became this layer; none where `frontend` is not `onnx`",
        FILES, TEXTS, value=values.nodes, always=True),
    _field("facts.onnx_ends", "{node}s, ends only",
        "of a ForeignNode of unknown contents, the first and the last part of its name",
        JSON | EXCHANGE, TEXTS, value=lambda _, layer: origin.onnx_nodes_of(layer).ends,
        always=True),
    _field("facts.onnx_nodes_from", "known from",
        "what names the nodes: metadata, the graph of the log or model, or the layer's name",
        JSON | EXCHANGE, value=lambda subject, layer: values.of_onnx(subject, layer).source),
    _field("facts.onnx_operators", "operators",
        "of each node, an empty text where the log does not parse it", JSON, TEXTS, always=True),
    _field("facts.fused_from", "fusions", "the optimiser's steps in order, as printed", JSON, TEXTS,
        made=lambda steps: [step.text for step in steps], always=True),
    _field("steps", "optimiser's steps", "with their lines", PANEL, TEXTS, path="known.fused_from",
        made=lambda steps: tuple(f"log line {step.line}: {step.text}" for step in steps)),
    _field("facts.precision", "precision",
        "dtype that it computes with; of a ForeignNode that of the operations timed inside", FILES,
        value=lambda _, layer: precisions.of(layer).dtype),
    _field("facts.precision_from", "precision known from",
        "`kernel`: names of kernels; `record`: its tensors, but for indices and masks", JSON,
        value=lambda _, layer: precisions.of(layer).source),
    _field("facts.tf32", "TF32", "whether its kernel multiplies in TF32, which reads `Float`", JSON,
        bool, value=lambda _, layer: precisions.of(layer).tf32, always=True),
    _field("facts.precision_note", "precision",
        "the log's words on a precision that was asked for and not kept", JSON | WORDS),
    _field("facts.lines", "lines", "the log's line of each of these keys", JSON, dict,
        value=values.lines_of_log, always=True),
    _field("told", "lines of the log", "that facts stand in", PANEL, TEXTS, value=_told),
)
# fmt: on
BY_KEY: Final = {field.key: field for field in LAYER}
# Objects of the JSON that are null where nothing of them is known.
MAY_BE_NULL: Final = {"time": at("time"), "facts": at("facts")}


def of_fields(subject: Subject, layer: Layer, *keys: str) -> dict[str, JsonValue]:
    """What these fields know of a layer, by the ends of their keys."""
    return {key.rpartition(".")[2]: plain(BY_KEY[key].value(subject, layer)) for key in keys}


def cell(subject: Subject, key: str) -> Callable[[Layer], str]:
    """The cells of a field in a table of a report; `–` where it knows nothing of a layer."""
    one = BY_KEY[key]

    def words(layer: Layer) -> str:
        value = one.value(subject, layer)
        return word(None if value is None else one.words(value))

    return words


def called(layer: Layer, kind: str = "") -> tuple[str | Name, ...]:
    """The layer in such a cell, `16 CaskConvolution: Conv_60`; `kind` is what it is."""
    if not kind:
        return f"{layer.index} ", Name(layer.name)
    return f"{layer.index} ", Name(kind), ": ", Name(layer.name)
