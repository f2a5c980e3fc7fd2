"""Makes the tables of engines: layers, tensors, edges, findings, problems and others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import without_reason
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.export.columns import (
    MS,
    OF_LAYER,
    SHARE,
    TIME_KIND,
    Column,
    Row,
    column,
    plain,
    schema,
)
from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.facts.field import (
    INTEGER,
    INTEGERS,
    NUMBER,
    TEXT,
    TEXTS,
    TRUTH,
    Field,
    ListOf,
    Struct,
    by_name,
    of_place,
)
from engine_layer_visualize.facts.json import dump
from engine_layer_visualize.facts.layer import IN_TABLES, LAYER, TENSORS
from engine_layer_visualize.facts.layer_values import attributes
from engine_layer_visualize.facts.log_facts import TENSOR
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.subject import Subject

# ---- makes the tables `engines`, `edges`, `findings` and `problems` -----------------------------


# ---- makes tables of engines: rows with documented, typed columns, and files of them ------------

# `schema`: what a column is; `engine_tables`, `layer_tables`: the columns and the rows of each
# table;
# `table`: tables in Python; `flat`, `values`: cells; `files`, `csv`, `jsonl`, `arrow`, `parquet`,
# `xlsx`: the files.

_EVIDENCE: Final = Struct((("line", INTEGER), ("text", TEXT)))


_FIELDS: Final = by_name(
    of_place(ENGINE, "table"),
    (
        *("dialect", "tensorrt", "device", "compute_capability", "precisions", "layers", "edges"),
        *("ms", "time_kind", "latency_ms", "throughput_qps", "file", "first_line", "last_line"),
        *("timed", "of_profile_ms", "gpu_compute_ms", "inputs", "outputs", "reformats", "macs"),
        *("macs_known", "sms", "memory_mib", "memory", "peak_cpu_mib", "peak_gpu_mib", "options"),
    ),
)


def _engine(subject: Subject) -> Iterable[Row]:
    yield tuple(field.value(subject, subject.engine) for field in _FIELDS)


ENGINES: Final = schema("engines", "Each engine, in one row.", _engine, *map(column, _FIELDS))


def _edges(subject: Subject) -> Iterable[Row]:
    for edge in subject.engine.graph.edges:
        yield edge.source, edge.target, edge.tensor


EDGES: Final = schema(
    "edges",
    "Which layer reads which tensor of which other layer, and the engine's inputs and outputs.",
    _edges,
    Column("from", INTEGER, "index of its writer; null: the engine's input, or none is listed"),
    Column("to", INTEGER, "index of its reader; null: the engine's output, or none is listed"),
    Column("tensor", TEXT, "name of the tensor"),
)


def _findings(subject: Subject) -> Iterable[Row]:
    for finding in findings_of(subject):
        yield (
            finding.code,
            finding.rule.severity,
            finding.rule.name,
            finding.cause,
            finding.rank,
            finding.touches_ms,
            finding.saves_ms,
            finding.ms_kind,
            finding.layers,
            finding.message,
            finding.advice,
            [(fact.line, fact.text) for fact in finding.evidence],
        )


FINDINGS: Final = schema(
    "findings",
    "What may be wrong with an engine, as `lint` finds it.",
    _findings,
    Column("code", TEXT, "of the rule, such as F02"),
    Column("severity", TEXT, "hint, warning or error"),
    Column("name", TEXT, "of the rule"),
    Column("cause", TEXT, "key of what a person changes"),
    Column("rank", INTEGER, "its place among the findings of the engine, 1 first"),
    Column("touches_ms", NUMBER, "time of its layers in one inference", "ms"),
    Column("ms", NUMBER, "what the log shows can be saved", "ms"),
    TIME_KIND,
    Column("layers", INTEGERS, "indices of the layers; none: it is about the whole engine"),
    Column("message", TEXT, "what was found, and why"),
    Column("advice", TEXT, "what to try"),
    Column("evidence", ListOf(_EVIDENCE), "lines of the log that it rests on"),
)


def _problems(subject: Subject) -> Iterable[Row]:
    return map(of_problem, subject.engine.problems)


def of_problem(problem: Problem) -> Row:
    """Returns the cells of a problem."""
    place = problem.place
    return place.file, place.line, place.column, problem.severity, problem.code, problem.message


PROBLEMS: Final = schema(
    "problems",
    "What could not be read, of an engine and of its log (of a log: with each of its engines).",
    _problems,
    Column("file", TEXT, "name of the file"),
    Column("line", INTEGER, "line of that file"),
    Column("column", INTEGER, "column of that line, from 1"),
    Column("severity", TEXT, "warning or error"),
    Column("code", TEXT, "such as ELV102"),
    Column("message", TEXT, "what is wrong"),
)


# ---- makes the tables with rows for each layer --------------------------------------------------


_LAYER_TABLES_FIELDS: Final = by_name(
    of_place(LAYER, "table"),
    (
        *("layer", "line", "name", "type", "tactic", "kernel", "ms", "time_kind", "build_ms"),
        *("runner", "onnx_nodes", "inputs", "outputs", "share", "median_ms", "runs", "precision"),
        *("optimization_profile", "tactics_tried", "host_persistent", "device_persistent"),
        *("scratch", "weights", "macs", "bytes", "intensity", "bound_ms", "bound_by"),
        *("efficiency", "scope", "listed"),
    ),
)


def _layers(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        yield tuple(_cell(field, subject, layer) for field in _LAYER_TABLES_FIELDS)


def _cell(field: Field[Any], subject: Subject, item: Any) -> object:
    value = field.value(subject, item)
    if field.kind is TENSORS:
        return [tuple(getattr(tensor, name) for name in IN_TABLES) for tensor in value]
    if field.type is TEXT and value is not None and not isinstance(value, str):
        return str(field.words(value))
    return value


LAYERS: Final = schema(
    "layers", "Each layer of an engine.", _layers, *map(column, _LAYER_TABLES_FIELDS)
)
COLUMNS: Final = tuple(field.name for field in _LAYER_TABLES_FIELDS)


def layer_tables_cells(subject: Subject, layer: Layer, columns: Sequence[str]) -> list[Any]:
    """Returns the cells of one layer as plain values, in the order of these of its `COLUMNS`."""
    fields = by_name(_LAYER_TABLES_FIELDS, columns)[: len(columns)]
    table = LAYERS._replace(columns=tuple(map(column, fields)))
    (row,) = plain(table, [tuple(_cell(field, subject, layer) for field in fields)])
    return row


_OF_TENSOR: Final = by_name(
    of_place(TENSOR, "table"), ("name", "dtype", "shape", "format", "strides", "bytes", "dims")
)


def _tensor_rows(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        for direction, tensors in (("input", layer.inputs), ("output", layer.outputs)):
            for position, tensor in enumerate(tensors):
                cells = (_cell(field, subject, tensor) for field in _OF_TENSOR)
                yield layer.index, direction, position, *cells


ONE_TENSOR: Final = schema(
    "tensors",
    "Each tensor that a layer reads or writes, as the layer's record prints it.",
    _tensor_rows,
    OF_LAYER,
    Column("direction", TEXT, "input or output of the layer"),
    Column("position", INTEGER, "among the layer's inputs or outputs, from 0"),
    *map(column, _OF_TENSOR),
)


def _reformats(subject: Subject) -> Iterable[Row]:
    for layer in filter(is_reformat, subject.engine.layers):
        why, costs = subject.reasons.get(layer.index), subject.costs
        yield (
            layer.index,
            why.text if why is not None else without_reason(layer),
            costs.of(layer),
            why.before if why is not None else None,
            why.after if why is not None else None,
            layer.name,
            subject.kind(layer),
            costs.share(layer),
            why.changes if why is not None else None,
            why.origin if why is not None else None,
        )


REFORMATS: Final = schema(
    "reformats",
    "Each reformat, and why it is there.",
    _reformats,
    OF_LAYER,
    Column("reason", TEXT, "what its neighbours write and read"),
    MS,
    Column("from", TEXT, "type and format that it reads"),
    Column("to", TEXT, "type and format that it writes"),
    Column("name", TEXT, "of the layer"),
    TIME_KIND,
    SHARE,
    Column("changes", TEXTS, "type, format, copy, or untold where the formats are unknown"),
    Column("origin", TEXT, "the builder's own word for why it is there"),
)


def _candidates(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        if layer.facts is None:
            continue
        tried = layer.facts.candidates
        for rank, candidate in enumerate(tried.best, 1):
            kernel, tactic, ms, runner, formats = candidate
            chosen = candidate not in tried.others
            yield layer.index, rank, kernel, tactic, ms, runner, formats, chosen


CANDIDATES: Final = schema(
    "candidates",
    "The fastest tactics that the builder timed for each layer, at most three.",
    _candidates,
    OF_LAYER,
    Column("rank", INTEGER, "1 is the fastest"),
    Column("kernel", TEXT, "name of the tactic's kernel"),
    Column("tactic", TEXT, "as printed"),
    Column("ms", NUMBER, "time that the builder measured", "ms"),
    Column("runner", TEXT, "implementation that the tactic belongs to"),
    Column("formats", TEXT, "combination of formats in which it was fastest, as printed"),
    Column("chosen", TRUTH, "whether the layer runs it"),
)


_NODES: Final = next(field for field in LAYER if field.key == "facts.onnx_nodes")


def _onnx_nodes(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        facts = layer.facts
        operators = facts.onnx_operators if facts is not None else ()
        source = facts.onnx_nodes_from if facts is not None else "metadata"
        for place, node in enumerate(_NODES.value(subject, layer) or ()):
            operator = operators[place] if place < len(operators) else None
            yield layer.index, node, operator or None, source


ONNX_NODES: Final = schema(
    "onnx_nodes",
    "The ONNX nodes that became each layer; none of a network that is not known to be ONNX.",
    _onnx_nodes,
    OF_LAYER,
    Column("node", TEXT, "name of the node"),
    Column("operator", TEXT, "operator of the node"),
    Column(
        "known_from",
        TEXT,
        "metadata of the record or the log, the graph of the log or of the model, or the layer's "
        "name",
    ),
)


def _attributes(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        for key, value in attributes(layer).items():
            yield layer.index, key, dump(value)


ATTRIBUTES: Final = schema(
    "attributes",
    "Every further key of a layer's detailed record.",
    _attributes,
    OF_LAYER,
    Column("key", TEXT, "as printed"),
    Column("value", TEXT, "as JSON: a text is in quotes"),
)


SCHEMAS: Final = {
    one.name: one
    for one in (
        *(ENGINES, LAYERS, ONE_TENSOR, EDGES, REFORMATS, CANDIDATES, ONNX_NODES, ATTRIBUTES),
        *(FINDINGS, PROBLEMS),
    )
}
