"""`FACTS`: what the log says of a layer besides its record, as fields of `LAYER`."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.fields import layer_values as values
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
    ROWS,
    TEXT,
    TEXTS,
    TOOLTIP,
    TRUTH,
    WORDS,
    Field,
)
from engine_layer_visualize.fields.subject import Subject


def _told(subject: Subject, layer: Layer) -> tuple[str, ...]:
    """The log's lines that the facts of the layer stand in."""
    labels = {field.key: field.label or field.line for field in FACTS}
    node = subject.node
    return tuple(
        f"log line {line}: {(labels.get(f'facts.{key}') or key).replace(NODE, node)}"
        for key, line in (layer.facts.lines if layer.facts is not None else ())
    )


FACTS: Final[tuple[Field[Layer], ...]] = (
    Field(
        "facts.kernel", "", "kernel", "", "of the chosen tactic", values.fact("kernel"), places=JSON
    ),
    Field(
        *("facts.runner", "", "runner", "", "implementation that its tactic belongs to"),
        values.fact("runner"),
        places=DATA | WORDS,
    ),
    Field(
        *("facts.build_ms", "", "builder's estimate", "ms"),
        "time that the builder measured for its tactic, on the machine and in the minute of the "
        "build: an estimate",
        values.fact("build_ms"),
        places=FILES,
    ),
    Field(
        *("estimate", "", "builder's estimate", "ms", "beside a measured time", values.estimate),
        places=WORDS,
    ),
    Field(
        *("facts.formats", "", "formats in autotuning", ""),
        "the format combination that was measured, as printed",
        values.fact("formats"),
        places=JSON | PANEL,
    ),
    Field(
        *("facts.measured_on", "", "estimate is of", ""),
        "the layer that was timed instead of this one: the builder times equal layers once",
        values.fact("measured_on"),
        places=JSON | PANEL,
    ),
    Field(
        *("facts.candidates.tried", "tactics_tried", "", ""),
        "timings of tactics that the log has; null where it has nothing of the layer's autotuning",
        *(values.tuned("tried"), values.counted("tactics timed"), INTEGER, DATA | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.skipped", "", "", ""),
        "tactics that were not timed, because memory was short",
        *(values.tuned("skipped"), values.counted("skipped for lack of memory")),
        *(INTEGER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.cached", "", "", ""),
        "results from a timing cache",
        values.tuned("cached"),
        *(values.counted("results from a timing cache"), INTEGER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.best", "", "fastest tactics", ""),
        "at most three, the fastest first, each in the formats in which it was fastest",
        *(values.tuned("best"), values.tactics, ROWS, JSON | PANEL),
        always=True,
    ),
    Field(
        *("facts.candidates.seconds", "", "", "s", "what the autotuning of the layer took"),
        *(values.tuned("seconds"), lambda seconds: f"{seconds:.3g} s", NUMBER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.runners", "", "runners tried", ""),
        "the autotuning by implementation",
        *(values.tuned("runners"), lambda several: tuple(map(values.runner, several))),
        *(ROWS, JSON | PANEL),
        always=True,
    ),
    Field(
        *("facts.candidates.chosen", "", "chosen tactic", ""),
        "what the layer runs, as it was timed; null where it was not, or runs nothing",
        *(values.tuned("chosen"), values.tactic, OBJECT, JSON | PANEL),
    ),
    Field(
        *("facts.memory.host_persistent", "", "host persistent", "bytes"),
        "memory that it holds on the host",
        *(values.memory("host_persistent"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.memory.device_persistent", "", "device persistent", "bytes"),
        "memory that it holds on the device",
        *(values.memory("device_persistent"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.memory.scratch", "", "scratch", "bytes", "memory that it needs while it runs"),
        *(values.memory("scratch"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.memory.weights", "", "weights", "bytes", "memory of its weights"),
        *(values.memory("weights"), None, None, DATA | WORDS),
        line="memory",
    ),
    Field(
        *("facts.onnx_nodes", "", "{node}s", ""),
        "names of the ONNX nodes that became this layer; of another frontend's network "
        "(PyTorch, UFF, the API) of its nodes or layers",
        *(values.nodes, None, TEXTS, FILES),
        always=True,
    ),
    Field(
        *("facts.onnx_nodes_from", "", "known from", ""),
        "what names the nodes: metadata of the record or the log, the graph of the log or of the "
        "model, or the layer's name, which names only the two ends of a ForeignNode",
        *(lambda _, layer: onnx_nodes.of(layer).source, None, TEXT, JSON | EXCHANGE),
    ),
    Field(
        *("facts.onnx_operators", "", "operators", ""),
        "of each node, an empty text where the log does not parse it",
        *(values.fact("onnx_operators"), None, TEXTS, JSON),
        always=True,
    ),
    Field(
        *("facts.fused_from", "", "fusions", "", "the optimiser's steps in order, as printed"),
        *(values.steps, None, TEXTS, JSON),
        always=True,
    ),
    Field(
        *("steps", "", "optimiser's steps", "", "with their lines"),
        *(values.told_steps, None, TEXTS, PANEL),
    ),
    Field(
        *("count_of_steps", "", "optimiser's steps", "", "how many changed it"),
        lambda _, layer: layer.facts and layer.facts.fused_from,
        lambda steps: str(len(steps)),
        places=TOOLTIP,
    ),
    Field(
        *("facts.precision", "", "precision", ""),
        "dtype that it computes with; null where that is not known, as of a ForeignNode whose "
        "tensors show only its ends",
        *(values.precise("dtype"), None, TEXT, FILES),
    ),
    Field(
        *("facts.precision_from", "", "precision known from", ""),
        "`kernel`: its kernel's name; `record`: its tensors, of which an index or a mask does "
        "not count beside others",
        *(values.precise("source"), None, TEXT, JSON),
    ),
    Field(
        *("facts.tf32", "", "TF32", ""),
        "whether its kernel multiplies in TF32; its tensors are then `Float`",
        *(values.precise("tf32"), None, TRUTH, JSON),
        always=True,
    ),
    Field(
        *("facts.precision_note", "", "precision", ""),
        "the log's words on a precision that was asked for and not kept",
        *(values.fact("precision_note"), None, TEXT, JSON | WORDS),
    ),
    Field(
        *("facts.lines", "", "lines", ""),
        "the log's line of each of these keys, of a list that of its first entry",
        *(values.lines_of_log, None, OBJECT, JSON),
        always=True,
    ),
    Field("told", "", "lines of the log", "", "that facts stand in", _told, None, TEXTS, PANEL),
)
