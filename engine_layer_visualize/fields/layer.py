"""`LAYER`: what is known of a layer, in the order in which tooltips, the page and JSON tell it.

A further field stands, without another change, in the JSON, the table `layers`, tooltips, the panel
of the page, and the files of other programs; `places` leaves it out of some of them.
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis import onnx_nodes, precisions, scopes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, large
from engine_layer_visualize.fields import layer_values as values
from engine_layer_visualize.fields import time_words, work_words
from engine_layer_visualize.fields.field import (
    ASKED,
    DATA,
    EXCHANGE,
    FILES,
    INTEGER,
    JSON,
    NUMBER,
    OBJECT,
    PANEL,
    ROWS,
    TABLE,
    TEXT,
    TEXTS,
    TOOLTIP,
    TRUTH,
    WORDS,
    Field,
    ListOf,
    Struct,
)
from engine_layer_visualize.fields.log_facts import FACTS
from engine_layer_visualize.fields.tensor import TENSOR

# ---- types of lists ----------------------------------------------------------------------------

IN_TABLES: Final = ("name", "dtype", "shape", "format", "strides")  # of a tensor
TENSORS: Final = ListOf(
    Struct(tuple((name, one.type) for name in IN_TABLES for one in TENSOR if one.key == name))
)


# ---- the fields --------------------------------------------------------------------------------

LAYER: Final[tuple[Field[Layer], ...]] = (
    Field(
        *("index", "layer", "layer", "", "index of the layer, from 0, in execution order"),
        *(values.own("index"), str, INTEGER, FILES),
        always=True,
    ),
    Field(
        *("line", "", "line", "", "line of the log that has its record"),
        *(lambda _, layer: layer.place.line, str, INTEGER, FILES),
        always=True,
    ),
    Field(
        *("also_line", "", "second line", "", "its line in a second listing of the build"),
        *(values.own("also_line"), str, INTEGER, JSON),
    ),
    Field("name", "", "name", "", "as printed", values.own("name"), None, TEXT, DATA, always=True),
    Field("type", "", "type", "", "as printed", values.own("type"), None, TEXT, FILES, always=True),
    Field(
        "tactic", "", "tactic", "", "as printed", values.own("tactic"), None, TEXT, FILES | TOOLTIP
    ),
    Field(
        *("kernel", "", "kernel", "", "name of the tactic's kernel", values.own("kernel")),
        *(None, TEXT, FILES | TOOLTIP),
    ),
    Field(
        *("computes_in", "", "computes in", "", "the precision of a TF32 kernel"),
        lambda _, layer: str(precise) if (precise := precisions.of(layer)).tf32 else None,
        places=WORDS,
    ),
    Field(
        *("inputs", "", "inputs", "", "tensors that it reads"),
        *(values.own("inputs"), None, TENSORS, DATA),
        always=True,
    ),
    Field(
        *("outputs", "", "outputs", "", "tensors that it writes"),
        *(values.own("outputs"), None, TENSORS, DATA),
        always=True,
    ),
    Field(
        *("attributes", "", "attributes", ""),
        "every further key of a detailed record, as printed (of the inspector's JSON: JSON values)",
        *(lambda _, layer: values.attributes(layer), None, OBJECT, JSON),
        always=True,
    ),
    # ---- time ----
    Field(
        *("times", "", "", "", "its time and share in words, or why it has none"),
        lambda subject, layer: tuple(time_words.times(layer, subject.costs)),
        places=TOOLTIP,
    ),
    Field(
        *("ms", "", "time", "ms", "its time", lambda subject, layer: subject.costs.of(layer)),
        places=TABLE,
    ),
    Field(
        *("time_kind", "", "kind of time", ""),
        "whether `ms` is measured or estimated; one of them in an engine",
        lambda subject, layer: subject.kind(layer),
        places=TABLE,
    ),
    Field(
        *("share", "", "share", "share", "part of its optimisation profile's time, from 0 to 1"),
        lambda subject, layer: subject.costs.share(layer),
        places=TABLE,
    ),
    Field(
        *("time.average_ms", "", "mean", "ms"),
        "of one run; null where only the sum over an unknown number of runs is known",
        values.time("average_ms"),
        places=JSON,
    ),
    Field(
        *("time.median_ms", "", "median", "ms"),
        "median of its measured times; null where rows were summed whose single runs are unknown",
        values.time("median_ms"),
        places=DATA,
    ),
    Field(
        *("time.total_ms", "", "total", "ms", "sum over all runs", values.time("total_ms")),
        places=JSON,
    ),
    Field(
        *("time.percent", "", "percent", "", "as the profile prints it"),
        *(values.time("percent"), None, NUMBER, JSON),
    ),
    Field(
        *("time.parts", "", "parts", ""),
        "rows of the profile that were summed, such as the kernels of a Myelin layer",
        *(values.time("parts"), None, INTEGER, JSON),
        always=True,
    ),
    Field(
        *("summed", "", "sum of", "", "rows of the profile, where its time is that of several"),
        *(lambda _, layer: time_words.summed(layer), None, TEXT, PANEL),
    ),
    Field(
        *("measured.ms", "", "time", "ms", "its measured time", values.measured),
        places=EXCHANGE,
    ),
    Field(
        *("measured.percent", "", "share", "", "part of its optimisation profile's time, in %"),
        *(values.percent_of_time, None, NUMBER, EXCHANGE),
    ),
    Field(
        *("time.n", "runs", "runs", ""),
        "runs that its measured time is of; null where the profile does not tell",
        *(values.time("n"), None, INTEGER, FILES),
    ),
    Field(
        *("time.min_ms", "", "shortest run", "ms", "of the shortest run", values.time("min_ms")),
        places=JSON,
    ),
    Field(
        *("time.max_ms", "", "longest run", "ms", "of the longest run", values.time("max_ms")),
        places=JSON,
    ),
    Field(
        *("time.p95_ms", "", "95th percentile", "ms"),
        "at least 95 % of the runs took no longer",
        values.time("p95_ms"),
        places=JSON,
    ),
    Field("runs", "", "runs", "", "how many, the shortest, the longest", values.runs, places=WORDS),
    Field(
        *("time.host_ms", "", "launching on the host", "ms"),
        "that the host spent on launching the layer, on average; null for kernels of a CUDA graph",
        *(values.time("host_ms"), values.average, None, JSON | WORDS),
    ),
    Field(
        *("time.gap_ms", "", "stream idle before it", "ms"),
        "for which the layer's stream of the GPU was idle before it, on average; null where "
        "the work before it was not of the same run",
        *(values.time("gap_ms"), values.average, None, JSON | WORDS | EXCHANGE),
    ),
    Field(
        *("time.kernels", "", "launches", ""),
        "kernels, copies and sets that the layer launched in a run, where the profile tells",
        *(values.time("kernels"), None, ROWS, JSON),
        always=True,
    ),
    Field(
        *("launched", "", "launched in each run", "", "kernels, copies, sets", values.launched),
        places=WORDS,
    ),
    # ---- work ----
    Field(
        *("work.macs", "", "", ""),
        "multiplications with additions, of convolutions and matrix products",
        values.work("macs"),
        *(lambda macs: f"{large(macs)} MACs" if macs else "", INTEGER),
        line="work",
    ),
    Field(
        *("work.flop", "", "FLOP", "", "twice the MACs", values.work("flop"), None, INTEGER, JSON),
    ),
    Field(
        *("work.bytes", "", "", "bytes"),
        "what it must read and write, with weights",
        values.work("bytes"),
        lambda size: f"moves {amount(size)}" if size else "",
        line="work",
    ),
    Field(
        *("work.intensity", "", "", "FLOP/byte"),
        "FLOP for each byte, the arithmetic intensity",
        values.work("intensity"),
        *(lambda value: work_words.intensity(value) if value else "", NUMBER, DATA | WORDS),
        line="work",
    ),
    Field(
        *("work.bound_ms", "", "at best", "ms"),
        "time that no kernel beats on this device",
        values.work("bound_ms"),
        places=DATA,
    ),
    Field(
        *("work.bound_by", "", "bound by", ""),
        "what that time is bound by: compute, memory, or launch for a layer below 5 µs",
        values.work("bound_by"),
        places=DATA,
    ),
    Field(
        *("work.efficiency", "", "efficiency", "share"),
        "`bound_ms` as a part of its measured or estimated time; 1: nothing to gain",
        values.work("efficiency"),
        places=DATA,
    ),
    Field(
        *("work.unknown", "", "unknown", "", "why something of these is not known"),
        values.work("unknown"),
        places=JSON,
    ),
    Field(
        *("best", "", "at best", "", "how far its time is from what no kernel beats"),
        lambda subject, layer: work_words.at_best(subject.work.of(layer), subject.costs.kind),
        places=WORDS,
    ),
    Field(
        *("memory", "", "memory", "bytes"),
        "device memory that it holds; where the log tells of none, bytes of its tensors",
        *(lambda subject, layer: subject.size(layer), None, INTEGER, ASKED),
    ),
    Field(
        *("reason", "", "why it is there", "", "of a reformat: which layers ask for it"),
        lambda subject, layer: (why := subject.reasons.get(layer.index)) and str(why.text),
        places=ASKED,
    ),
    # ---- the network ----
    Field(
        *("nodes", "", "{node}s", "", "what the layer was made from"),
        *(lambda _, layer: onnx_nodes.of(layer).all, values.joined, TEXTS, TOOLTIP),
    ),
    Field(
        *("ends", "", "{node}s, ends only", "", "of a ForeignNode whose contents are not known"),
        *(lambda _, layer: onnx_nodes.of(layer).ends, values.joined, TEXTS, WORDS),
    ),
    Field(
        *("scope", "", "scope", ""),
        "module of the network that it is of, as a path; null where no name tells it",
        lambda subject, layer: scopes.written(subject.paths[layer.index]) or None,
        places=DATA,
    ),
    Field(
        *("inside", "", "inside", ""),
        "what a ForeignNode holds: itself, then the scopes of its ONNX nodes, an outer one "
        "before what is inside; null where these are not known",
        *(values.inside, None, ROWS, JSON),
    ),
    Field(
        *("inside_operations", "", "runs inside", ""),
        "operations inside a ForeignNode with ONNX nodes, ms (measured, else the builder's "
        "estimate of the fastest tactic), kernel, precision and how many tactics were timed; null "
        "where nothing is known of them",
        *(values.inside_operations, values.told_operations, ROWS, JSON | WORDS),
    ),
    Field(
        *("device", "", "device", "", "GPU or DLA; null where the log does not say"),
        *(values.fact("device"), None, TEXT, FILES | WORDS),
    ),
    Field(
        *("device_reason", "", "not on the DLA", "", "the log's words for why it is on the GPU"),
        *(values.fact("device_reason"), None, TEXT, JSON | WORDS),
    ),
    Field(
        *("listed", "", "listed", "", "false: a reformat that the listing leaves out"),
        *(values.own("listed"), values.listed, TRUTH, TABLE | PANEL),
    ),
    Field(
        *("optimization_profile", "", "optimisation profile", ""),
        "number of the optimisation profile that it is of",
        *(lambda subject, layer: subject.costs.profile_of(layer), None, INTEGER, TABLE),
    ),
    *FACTS,
)
BY_KEY: Final = {field.key: field for field in LAYER}
# Objects of the JSON that are null where nothing of them is known.
MAY_BE_NULL: Final = {"time": values.own("time"), "facts": values.own("facts")}
