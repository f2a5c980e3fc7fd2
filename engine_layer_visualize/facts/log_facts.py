"""Lists what the log says of a layer besides its record, and what is known of a tensor."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis import counts, origin, precisions
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import dims
from engine_layer_visualize.facts import layer_values as values
from engine_layer_visualize.facts.field import (
    DATA,
    EXCHANGE,
    FILES,
    INTEGER,
    INTEGERS,
    JSON,
    NODE,
    NUMBER,
    OBJECT,
    PANEL,
    ROWS,
    TABLE,
    TEXTS,
    TOOLTIP,
    TRUTH,
    WORDS,
    Field,
    field,
)
from engine_layer_visualize.linting.subject import Subject


def _told(subject: Subject, layer: Layer) -> tuple[str, ...]:
    """The log's lines that the facts of the layer stand in."""
    labels = {field.key: field.label or field.line for field in FACTS}
    node = subject.frontend.node
    return tuple(
        f"log line {line}: {(labels.get(f'facts.{key}') or key).replace(NODE, node)}"
        for key, line in layer.known.lines
    )


FACTS: Final[tuple[Field[Layer], ...]] = (
    field("facts.kernel", "kernel", "of the chosen tactic", JSON),
    field("facts.runner", "runner", "implementation that its tactic belongs to", DATA | WORDS),
    field(
        *("facts.build_ms", "builder's estimate"),
        "time that the builder measured for its tactic while it built",
        FILES,
    ),
    field(
        *("estimate", "builder's estimate", "beside a measured time", WORDS),
        value=values.estimate,
        unit="ms",
    ),
    field(
        *("facts.formats", "formats in autotuning"),
        "the format combination that was measured, as printed",
        JSON | PANEL,
    ),
    field(
        *("facts.measured_on", "estimate is of"),
        "the equal layer, or reformat of the same formats, whose timing the estimate is",
        JSON | PANEL,
    ),
    field(
        *("facts.candidates.tried", ""),
        "timings of tactics that the log has",
        *(DATA | WORDS, INTEGER),
        text=values.counted("tactics timed"),
        column="tactics_tried",
        line="autotuning",
    ),
    field(
        *("facts.candidates.skipped", "", "tactics that were not timed, because memory was short"),
        *(JSON | WORDS, INTEGER),
        text=values.counted("skipped for lack of memory"),
        line="autotuning",
    ),
    field(
        *("facts.candidates.cached", "", "results from a timing cache", JSON | WORDS, INTEGER),
        text=values.counted("results from a timing cache"),
        line="autotuning",
    ),
    field(
        *("facts.candidates.best", "fastest tactics"),
        "at most three, the fastest first, each in its fastest formats",
        *(JSON | PANEL, ROWS),
        text=lambda several: tuple(map(values.tactic, several)),
        always=True,
    ),
    field(
        *("facts.candidates.seconds", "", "what the autotuning of the layer took"),
        *(JSON | WORDS, NUMBER),
        text=lambda seconds: f"{seconds:.3g} s",
        unit="s",
        line="autotuning",
    ),
    field(
        *("facts.candidates.runners", "runners tried", "the autotuning by implementation"),
        *(JSON | PANEL, ROWS),
        text=lambda several: tuple(map(values.runner, several)),
        always=True,
    ),
    field(
        *("facts.candidates.chosen", "chosen tactic"),
        "what the layer runs, as it was timed",
        *(JSON | PANEL, OBJECT),
        text=values.tactic,
    ),
    *(
        field(f"facts.memory.{name}", label, doc, DATA | WORDS, unit="bytes", line="memory")
        for name, label, doc in (
            ("host_persistent", "host persistent", "memory that it holds on the host"),
            ("device_persistent", "device persistent", "memory that it holds on the device"),
            ("scratch", "scratch", "memory that it needs while it runs"),
            ("weights", "weights", "memory of its weights"),
        )
    ),
    field(
        *("facts.onnx_nodes", "{node}s"),
        "names of the ONNX nodes that became this layer; none where `frontend` is not `onnx`",
        *(FILES, TEXTS),
        value=values.nodes,
        always=True,
    ),
    field(
        *("facts.onnx_ends", "{node}s, ends only"),
        "of a ForeignNode of unknown contents, the first and the last part of its name",
        *(JSON | EXCHANGE, TEXTS),
        value=lambda _, layer: origin.onnx_nodes_of(layer).ends,
        always=True,
    ),
    field(
        *("facts.onnx_nodes_from", "known from"),
        "what names the nodes: metadata, the graph of the log or model, or the layer's name",
        JSON | EXCHANGE,
        value=lambda subject, layer: values.of_onnx(subject, layer).source,
    ),
    field(
        *("facts.onnx_operators", "operators"),
        "of each node, an empty text where the log does not parse it",
        *(JSON, TEXTS),
        always=True,
    ),
    field(
        *("facts.fused_from", "fusions", "the optimiser's steps in order, as printed", JSON, TEXTS),
        value=lambda _, layer: layer.facts and [step.text for step in layer.facts.fused_from],
        always=True,
    ),
    field("steps", "optimiser's steps", "with their lines", PANEL, TEXTS, value=values.told_steps),
    field(
        *("count_of_steps", "optimiser's steps", "how many changed it", TOOLTIP),
        value=lambda _, layer: layer.facts and layer.facts.fused_from,
        text=lambda steps: str(len(steps)),
    ),
    field(
        *("facts.precision", "precision"),
        "dtype that it computes with; of a ForeignNode that of the operations timed inside",
        FILES,
        value=lambda _, layer: precisions.of(layer).dtype,
    ),
    field(
        *("facts.precision_from", "precision known from"),
        "`kernel`: names of kernels; `record`: its tensors, but for indices and masks",
        JSON,
        value=lambda _, layer: precisions.of(layer).source,
    ),
    field(
        *("facts.tf32", "TF32"),
        "whether its kernel multiplies in TF32; its tensors are then `Float`",
        *(JSON, TRUTH),
        value=lambda _, layer: precisions.of(layer).tf32,
        always=True,
    ),
    field(
        *("facts.precision_note", "precision"),
        "the log's words on a precision that was asked for and not kept",
        JSON | WORDS,
    ),
    field(
        *("facts.lines", "lines"),
        "the log's line of each of these keys",
        *(JSON, OBJECT),
        value=values.lines_of_log,
        always=True,
    ),
    field("told", "lines of the log", "that facts stand in", PANEL, TEXTS, value=_told),
)


TENSOR: Final[tuple[Field[Tensor], ...]] = (
    field("name", "name", "of the tensor", always=True),
    field("dtype", "data type", "the short name, such as `Half`"),
    field(
        *("dims", "dims", "as printed between the brackets, without blanks"),
        text=dims,
        always=True,
    ),
    field(
        *("shape", "shape"),
        "extents, without the vector part of `64:8`; negative: symbolic or unknown",
        *(DATA, INTEGERS),
        always=True,
    ),
    field("format", "format", "memory format, as printed"),
    field("strides", "strides", "as printed, with commas; TensorRT-RTX alone prints them"),
    field(
        "bytes", "size", "as it lies in memory", TABLE | PANEL, value=lambda _, x: counts.size(x)
    ),
)
