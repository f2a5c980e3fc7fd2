"""`LAYER`: what is known of a layer, in the order in which tooltips, the page and JSON tell it.

A further field stands, without another change, in the JSON, the table `layers`, tooltips, the panel
of the page, and the files of other programs; `places` leaves it out of some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from engine_layer_visualize.analysis import contents, onnx_nodes, precisions, scopes
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.core.build_info import Candidate, Memory, RunnerCost
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, count, large, milliseconds, shorten
from engine_layer_visualize.fields import time_words, work_words
from engine_layer_visualize.fields.field import (
    DATA,
    EXCHANGE,
    FILES,
    INTEGER,
    JSON,
    NODE,
    NUMBER,
    OBJECT,
    PANEL,
    TABLE,
    TEXT,
    TEXTS,
    TOOLTIP,
    TRUTH,
    WORDS,
    Field,
    ListOf,
    Struct,
    Value,
)
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.fields.tensor import TENSOR

_NAMES: Final = 1_200  # characters of the names of nodes in a tooltip
_NO_MEMORY: Final = Memory()

# ---- values ------------------------------------------------------------------------------------


def _own(name: str) -> Value[Layer]:
    return lambda _, layer: getattr(layer, name)


def _time(name: str) -> Value[Layer]:
    return lambda _, layer: None if layer.time is None else getattr(layer.time, name)


def _work(name: str) -> Value[Layer]:
    return lambda subject, layer: getattr(subject.work.of(layer), name)


def _fact(name: str) -> Value[Layer]:
    return lambda _, layer: None if layer.facts is None else getattr(layer.facts, name)


def _tuned(name: str) -> Value[Layer]:
    return lambda _, layer: None if layer.facts is None else getattr(layer.facts.candidates, name)


def _memory(name: str) -> Value[Layer]:
    def value(_: Subject, layer: Layer) -> int | None:
        held = layer.facts.memory if layer.facts is not None else None
        size: int | None = getattr(held or _NO_MEMORY, name)
        return size

    return value


def _precise(name: str) -> Value[Layer]:
    return lambda _, layer: getattr(precisions.of(layer), name)


def attributes(layer: Layer) -> dict[str, JsonValue]:
    """Every further key of a detailed record, as printed, and what an unreadable record was."""
    found = dict(layer.attributes)
    if layer.raw is not None:
        found["Opaque"] = layer.raw
    if not layer.listed:
        found["Listed"] = False
    return found


def _inside(_: Subject, layer: Layer) -> list[JsonValue] | None:
    parts: list[JsonValue] = [
        {
            "scope": part.path or None,
            "depth": part.depth,
            "nodes": part.nodes,
            "operators": dict(part.operators),
        }
        for part in contents.parts(layer)
    ]
    return parts or None


def _nodes(_: Subject, layer: Layer) -> tuple[str, ...] | None:
    """Without build info only a detailed record knows them."""
    return layer.facts.onnx_nodes if layer.facts is not None else layer.onnx_nodes or None


def _estimate(subject: Subject, layer: Layer) -> float | None:
    """The builder's time of a layer that is measured, too: else the time is that estimate. That of
    a layer without a kernel is of the copy that it replaces."""
    if layer.facts is None or subject.costs.kind != "measured" or not runs_kernel(layer):
        return None
    return layer.facts.build_ms


def _share(subject: Subject, layer: Layer) -> float | None:
    share = subject.costs.share(layer)
    return None if share is None else 100 * share


def _measured(subject: Subject, layer: Layer) -> float | None:
    return None if subject.costs.estimated else subject.costs.of(layer)


def _runs(_: Subject, layer: Layer) -> str | None:
    time = layer.time
    if time is None or None in (time.n, time.min_ms, time.max_ms, time.p95_ms):
        return None
    least, most, high = map(milliseconds, (time.min_ms or 0, time.max_ms or 0, time.p95_ms or 0))
    return f"{time.n:,}, {least} to {most}, 95 % of them at most {high}"


def _launched(_: Subject, layer: Layer) -> tuple[str, ...]:
    kernels = layer.time.kernels if layer.time is not None else ()
    shown = tuple(map(time_words.launched, kernels[: time_words.LAUNCHED]))
    more = len(kernels) - len(shown)
    return (*shown, count(more, "other kernel")) if more else shown


def _steps(_: Subject, layer: Layer) -> list[str] | None:
    return None if layer.facts is None else [step.text for step in layer.facts.fused_from]


def _lines(_: Subject, layer: Layer) -> dict[str, int] | None:
    return None if layer.facts is None else dict(layer.facts.lines)


# ---- words -------------------------------------------------------------------------------------


def _tactic(one: Candidate) -> str:
    runner = f" ({one.runner})" if one.runner else ""
    kernel = f"{one.kernel}, " if one.kernel else ""
    formats = f", {one.formats}" if one.formats else ""
    return f"{milliseconds(one.ms)}: {kernel}tactic {one.tactic}{runner}{formats}"


def _tactics(several: Iterable[Candidate]) -> tuple[str, ...]:
    return tuple(map(_tactic, several))


def _runner(one: RunnerCost) -> str:
    parts = [f"{one.runner}: {one.tried:,} tactics timed in {one.profilings:,} tries"]
    parts += [f"{one.skipped:,} skipped for lack of memory"] if one.skipped else []
    parts += [f"no valid tactic in {one.unfit:,} of them"] if one.unfit else []
    parts += [f"{one.seconds:.3g} s"] if one.seconds is not None else []
    return ", ".join(parts)


def _counted(words: str) -> Callable[[int], str]:
    """`3 skipped for lack of memory`; nothing for none."""
    return lambda number: f"{number:,} {words}" if number else ""


def _average(ms: float) -> str:
    return f"{milliseconds(ms)} on average"


def _joined(names: Iterable[str]) -> str:
    return shorten(", ".join(names), _NAMES)


def _told(subject: Subject, layer: Layer) -> tuple[str, ...]:
    """The log's lines that the facts of the layer stand in."""
    labels = {field.key: field.label or field.line for field in LAYER}
    node = subject.node
    return tuple(
        f"log line {line}: {(labels.get(f'facts.{key}') or key).replace(NODE, node)}"
        for key, line in (layer.facts.lines if layer.facts is not None else ())
    )


def _told_steps(_: Subject, layer: Layer) -> tuple[str, ...]:
    steps = layer.facts.fused_from if layer.facts is not None else ()
    return tuple(f"log line {step.line}: {step.text}" for step in steps)


# ---- types of lists ----------------------------------------------------------------------------

IN_TABLES: Final = ("name", "dtype", "shape", "format", "strides")  # of a tensor
TENSORS: Final = ListOf(
    Struct(tuple((name, one.type) for name in IN_TABLES for one in TENSOR if one.key == name))
)
_TACTIC_KIND: Final = Struct(
    (("kernel", TEXT), ("tactic", TEXT), ("ms", NUMBER), ("runner", TEXT), ("formats", TEXT))
)
_RUNNER_KIND: Final = Struct(
    (
        *(("runner", TEXT), ("profilings", INTEGER), ("tried", INTEGER), ("skipped", INTEGER)),
        *(("unfit", INTEGER), ("seconds", NUMBER)),
    )
)
_KERNEL_KIND: Final = Struct((("name", TEXT), ("launches", NUMBER), ("average_ms", NUMBER)))
_SCOPE_KIND: Final = Struct(
    (("scope", TEXT), ("depth", INTEGER), ("nodes", INTEGER), ("operators", OBJECT))
)

# ---- the fields --------------------------------------------------------------------------------

LAYER: Final[tuple[Field[Layer], ...]] = (
    Field(
        *("index", "layer", "layer", "", "index of the layer, from 0, in execution order"),
        *(_own("index"), None, INTEGER, FILES),
        always=True,
    ),
    Field(
        *("line", "", "line", "", "line of the log that has its record"),
        *(lambda _, layer: layer.place.line, None, INTEGER, FILES),
        always=True,
    ),
    Field(
        *("also_line", "", "second line", "", "its line in a second listing of the build"),
        *(_own("also_line"), None, INTEGER, JSON),
    ),
    Field("name", "", "name", "", "as printed", _own("name"), None, TEXT, DATA, always=True),
    Field("type", "", "type", "", "as printed", _own("type"), None, TEXT, FILES, always=True),
    Field("tactic", "", "tactic", "", "as printed", _own("tactic"), None, TEXT, FILES | TOOLTIP),
    Field(
        *("kernel", "", "kernel", "", "name of the tactic's kernel", _own("kernel")),
        *(None, TEXT, FILES | TOOLTIP),
    ),
    Field(
        *("computes_in", "", "computes in", "", "the precision of a TF32 kernel"),
        lambda _, layer: str(precise) if (precise := precisions.of(layer)).tf32 else None,
        places=WORDS,
    ),
    Field(
        *("inputs", "", "inputs", "", "tensors that it reads"),
        *(_own("inputs"), None, TENSORS, DATA),
        always=True,
    ),
    Field(
        *("outputs", "", "outputs", "", "tensors that it writes"),
        *(_own("outputs"), None, TENSORS, DATA),
        always=True,
    ),
    Field(
        *("attributes", "", "record", "", "every further key of a detailed record, as printed"),
        *(lambda _, layer: attributes(layer), None, OBJECT, JSON),
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
        *("share", "", "share", "", "part of its optimisation profile's time, from 0 to 1"),
        *(lambda subject, layer: subject.costs.share(layer), None, NUMBER, TABLE),
    ),
    Field(
        *("time.average_ms", "", "mean", "ms"),
        "of one run; null where only the sum over an unknown number of runs is known",
        _time("average_ms"),
        places=JSON,
    ),
    Field(
        *("time.median_ms", "", "median", "ms", "median of its measured times"),
        _time("median_ms"),
        places=DATA,
    ),
    Field(
        *("time.total_ms", "", "total", "ms", "sum over all runs", _time("total_ms")),
        places=JSON,
    ),
    Field(
        *("time.percent", "", "percent", "", "as the profile prints it"),
        *(_time("percent"), None, NUMBER, JSON),
    ),
    Field(
        *("time.parts", "", "parts", "", "rows of the profile that were summed"),
        *(_time("parts"), None, INTEGER, JSON),
        always=True,
    ),
    Field(
        *("measured.ms", "", "time", "ms", "its measured time", _measured),
        places=EXCHANGE,
    ),
    Field(
        *("measured.percent", "", "share", "", "part of its optimisation profile's time, in %"),
        *(_share, None, NUMBER, EXCHANGE),
    ),
    Field(
        *("time.n", "runs", "runs", "", "runs that its measured time is of"),
        *(_time("n"), None, INTEGER, FILES),
    ),
    Field(
        *("time.min_ms", "", "shortest run", "ms", "of the shortest run", _time("min_ms")),
        places=JSON,
    ),
    Field(
        *("time.max_ms", "", "longest run", "ms", "of the longest run", _time("max_ms")),
        places=JSON,
    ),
    Field(
        *("time.p95_ms", "", "95th percentile", "ms"),
        "at least 95 % of the runs took no longer",
        _time("p95_ms"),
        places=JSON,
    ),
    Field("runs", "", "runs", "", "how many, the shortest, the longest", _runs, places=WORDS),
    Field(
        *("time.host_ms", "", "launching on the host", "ms"),
        "that the host spent on launching the layer, on average",
        *(_time("host_ms"), _average, None, JSON | WORDS),
    ),
    Field(
        *("time.gap_ms", "", "stream idle before it", "ms"),
        "for which the layer's stream of the GPU was idle before it, on average; null where it "
        "begins a run",
        *(_time("gap_ms"), _average, None, JSON | WORDS | EXCHANGE),
    ),
    Field(
        *("time.kernels", "", "launches", ""),
        "what the layer launched, where the profile tells: kernels, copies, sets",
        *(_time("kernels"), None, ListOf(_KERNEL_KIND), JSON),
        always=True,
    ),
    Field(
        *("launched", "", "launched in each run", "", "kernels, copies, sets", _launched),
        places=WORDS,
    ),
    # ---- work ----
    Field(
        *("work.macs", "", "", "", "multiplications with additions", _work("macs")),
        *(lambda macs: f"{large(macs)} MACs" if macs else "", INTEGER),
        line="work",
    ),
    Field(
        *("work.flop", "", "FLOP", "", "twice the MACs", _work("flop"), None, INTEGER, JSON),
    ),
    Field(
        *("work.bytes", "", "", "bytes", "what it reads and writes, with weights", _work("bytes")),
        lambda size: f"moves {amount(size)}" if size else "",
        line="work",
    ),
    Field(
        *("work.intensity", "", "", "FLOP/byte", "arithmetic intensity", _work("intensity")),
        *(lambda value: work_words.intensity(value) if value else "", NUMBER, DATA | WORDS),
        line="work",
    ),
    Field(
        *("work.bound_ms", "", "at best", "ms", "time that no kernel beats", _work("bound_ms")),
        places=DATA,
    ),
    Field(
        *("work.bound_by", "", "bound by", ""),
        "what that time is bound by: compute, memory, launch",
        _work("bound_by"),
        places=DATA,
    ),
    Field(
        *("work.efficiency", "", "efficiency", "", "`bound_ms` as a part of `ms`"),
        *(_work("efficiency"), None, NUMBER, DATA),
    ),
    Field(
        *("work.unknown", "", "unknown", "", "why something of these is not known"),
        _work("unknown"),
        places=JSON,
    ),
    Field(
        *("best", "", "at best", "", "how far its time is from what no kernel beats"),
        lambda subject, layer: work_words.at_best(subject.work.of(layer), subject.costs.kind),
        places=WORDS,
    ),
    # ---- the network ----
    Field(
        *("nodes", "", "{node}s", "", "what the layer was made from"),
        *(lambda _, layer: onnx_nodes.of(layer).all, _joined, TEXTS, TOOLTIP),
    ),
    Field(
        *("ends", "", "{node}s, ends only", "", "of a ForeignNode whose contents are not known"),
        *(lambda _, layer: onnx_nodes.of(layer).ends, _joined, TEXTS, WORDS),
    ),
    Field(
        *("scope", "", "scope", "", "module of the network that it is of"),
        lambda subject, layer: scopes.written(subject.paths[layer.index]) or None,
        places=DATA,
    ),
    Field(
        *("inside", "", "inside", "", "what a ForeignNode holds, by scope; null where unknown"),
        *(_inside, None, ListOf(_SCOPE_KIND), JSON),
    ),
    Field(
        *("listed", "", "listed", "", "false: a reformat that the listing leaves out"),
        *(_own("listed"), None, TRUTH, TABLE),
    ),
    Field(
        *("optimization_profile", "", "optimisation profile", ""),
        "number of the optimisation profile that it is of",
        *(lambda subject, layer: subject.costs.profile_of(layer), None, INTEGER, TABLE),
    ),
    # ---- what the log says besides the listing ----
    Field("facts.kernel", "", "kernel", "", "of the chosen tactic", _fact("kernel"), places=JSON),
    Field(
        *("facts.runner", "", "runner", "", "implementation that its tactic belongs to"),
        _fact("runner"),
        places=DATA | WORDS,
    ),
    Field(
        *("facts.build_ms", "", "builder's estimate", "ms"),
        "time that the builder measured for its tactic: an estimate",
        _fact("build_ms"),
        places=FILES,
    ),
    Field(
        *("estimate", "", "builder's estimate", "ms", "beside a measured time", _estimate),
        places=WORDS,
    ),
    Field(
        *("facts.formats", "", "formats in autotuning", ""),
        "the format combination that was measured, as printed",
        _fact("formats"),
        places=JSON | PANEL,
    ),
    Field(
        *("facts.measured_on", "", "estimate is of", ""),
        "the equal layer that was timed instead of this one",
        _fact("measured_on"),
        places=JSON | PANEL,
    ),
    Field(
        *("facts.candidates.tried", "tactics_tried", "", ""),
        "timings of tactics by the autotuner that the log has",
        *(_tuned("tried"), _counted("tactics timed"), INTEGER, DATA | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.skipped", "", "", ""),
        "tactics that were not timed, because memory was short",
        *(_tuned("skipped"), _counted("skipped for lack of memory"), INTEGER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.cached", "", "", "", "results from a timing cache", _tuned("cached")),
        *(_counted("results from a timing cache"), INTEGER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.best", "", "fastest tactics", ""),
        "at most three, the fastest first, each in the formats in which it was fastest",
        *(_tuned("best"), _tactics, ListOf(_TACTIC_KIND), JSON | PANEL),
        always=True,
    ),
    Field(
        *("facts.candidates.seconds", "", "", "s", "what the autotuning of the layer took"),
        *(_tuned("seconds"), lambda seconds: f"{seconds:.3g} s", NUMBER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.runners", "", "runners tried", ""),
        "the autotuning by implementation",
        *(_tuned("runners"), lambda several: tuple(map(_runner, several))),
        *(ListOf(_RUNNER_KIND), JSON | PANEL),
        always=True,
    ),
    Field(
        *("facts.candidates.chosen", "", "chosen tactic", ""),
        "what the layer runs, as it was timed; null where it was not",
        *(_tuned("chosen"), _tactic, _TACTIC_KIND, JSON | PANEL),
    ),
    Field(
        *("facts.memory.host_persistent", "", "host persistent", "bytes"),
        "memory that it holds on the host",
        *(_memory("host_persistent"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.memory.device_persistent", "", "device persistent", "bytes"),
        "memory that it holds on the device",
        *(_memory("device_persistent"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.memory.scratch", "", "scratch", "bytes", "memory that it needs while it runs"),
        *(_memory("scratch"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.memory.weights", "", "weights", "bytes", "memory of its weights"),
        *(_memory("weights"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.onnx_nodes", "", "{node}s", "", "names of the ONNX nodes that became this layer"),
        *(_nodes, None, TEXTS, FILES),
        always=True,
    ),
    Field(
        *("facts.onnx_nodes_from", "", "known from", ""),
        "what names the nodes: metadata of the record or the log, the graph of the log or of the "
        "model, or the layer's name, which names only the two ends of a ForeignNode",
        *(lambda _, layer: onnx_nodes.of(layer).source, None, TEXT, JSON | EXCHANGE),
    ),
    Field(
        *("facts.onnx_operators", "", "operators", "", "of each node; empty text: unknown"),
        *(_fact("onnx_operators"), None, TEXTS, JSON),
        always=True,
    ),
    Field(
        *("facts.fused_from", "", "fusions", "", "the optimiser's steps in order, as printed"),
        *(_steps, None, TEXTS, JSON),
        always=True,
    ),
    Field("steps", "", "optimiser's steps", "", "with their lines", _told_steps, None, TEXTS, PANEL),
    Field(
        *("count_of_steps", "", "optimiser's steps", "", "how many changed it"),
        lambda _, layer: layer.facts and layer.facts.fused_from,
        lambda steps: str(len(steps)),
        places=TOOLTIP,
    ),
    Field(
        *("facts.precision", "", "precision", "", "dtype that it computes with"),
        *(_precise("dtype"), None, TEXT, FILES),
    ),
    Field(
        *("facts.precision_from", "", "precision known from", ""),
        "its kernel's name, or its own tensors",
        *(_precise("source"), None, TEXT, JSON),
    ),
    Field(
        *("facts.tf32", "", "TF32", "", "its kernel multiplies in TF32"),
        *(_precise("tf32"), None, TRUTH, JSON),
        always=True,
    ),
    Field(
        *("facts.precision_note", "", "precision", ""),
        "the log's words on a precision that was not kept",
        *(_fact("precision_note"), None, TEXT, JSON | WORDS),
    ),
    Field(
        *("facts.lines", "", "lines", "", "the log's line of each of these keys"),
        *(_lines, None, OBJECT, JSON),
        always=True,
    ),
    Field("told", "", "lines of the log", "", "that facts stand in", _told, None, TEXTS, PANEL),
)
# Objects of the JSON that are null where nothing of them is known.
MAY_BE_NULL: Final[dict[str, Callable[[Layer], Any]]] = {
    "time": lambda layer: layer.time is not None,
    "facts": lambda layer: layer.facts is not None,
}
