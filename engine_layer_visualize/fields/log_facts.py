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
    TEXT,
    TEXTS,
    TOOLTIP,
    TRUTH,
    WORDS,
    Field,
    ListOf,
    Struct,
)
from engine_layer_visualize.fields.subject import Subject

_TACTIC_KIND: Final = Struct(
    (("kernel", TEXT), ("tactic", TEXT), ("ms", NUMBER), ("runner", TEXT), ("formats", TEXT))
)
_RUNNER_KIND: Final = Struct(
    (
        *(("runner", TEXT), ("profilings", INTEGER), ("tried", INTEGER), ("skipped", INTEGER)),
        *(("unfit", INTEGER), ("seconds", NUMBER)),
    )
)


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
        "time that the builder measured for its tactic: an estimate",
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
        "the equal layer that was timed instead of this one",
        values.fact("measured_on"),
        places=JSON | PANEL,
    ),
    Field(
        *("facts.candidates.tried", "tactics_tried", "", ""),
        "timings of tactics by the autotuner that the log has",
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
        *("facts.candidates.cached", "", "", "", "results from a timing cache"),
        *(values.tuned("cached"), values.counted("results from a timing cache")),
        *(INTEGER, JSON | WORDS),
        line="autotuning",
    ),
    Field(
        *("facts.candidates.best", "", "fastest tactics", ""),
        "at most three, the fastest first, each in the formats in which it was fastest",
        *(values.tuned("best"), values.tactics, ListOf(_TACTIC_KIND), JSON | PANEL),
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
        *(ListOf(_RUNNER_KIND), JSON | PANEL),
        always=True,
    ),
    Field(
        *("facts.candidates.chosen", "", "chosen tactic", ""),
        "what the layer runs, as it was timed; null where it was not",
        *(values.tuned("chosen"), values.tactic, _TACTIC_KIND, JSON | PANEL),
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
        *("facts.onnx_nodes", "", "{node}s", "", "names of the ONNX nodes that became this layer"),
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
        *("facts.onnx_operators", "", "operators", "", "of each node; empty text: unknown"),
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
        *("facts.precision", "", "precision", "", "dtype that it computes with"),
        *(values.precise("dtype"), None, TEXT, FILES),
    ),
    Field(
        *("facts.precision_from", "", "precision known from", ""),
        "its kernel's name, or its own tensors",
        *(values.precise("source"), None, TEXT, JSON),
    ),
    Field(
        *("facts.tf32", "", "TF32", "", "its kernel multiplies in TF32"),
        *(values.precise("tf32"), None, TRUTH, JSON),
        always=True,
    ),
    Field(
        *("facts.precision_note", "", "precision", ""),
        "the log's words on a precision that was not kept",
        *(values.fact("precision_note"), None, TEXT, JSON | WORDS),
    ),
    Field(
        *("facts.lines", "", "lines", "", "the log's line of each of these keys"),
        *(values.lines_of_log, None, OBJECT, JSON),
        always=True,
    ),
    Field("told", "", "lines of the log", "", "that facts stand in", _told, None, TEXTS, PANEL),
)
