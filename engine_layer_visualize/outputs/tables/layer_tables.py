"""The tables with rows for each layer: an engine in, their rows out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine_layer_visualize.analysis import precisions, scopes
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import UNREADABLE
from engine_layer_visualize.analysis.work import traffic
from engine_layer_visualize.core.build_info import Memory
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.outputs.data.engine_json import attributes, dump
from engine_layer_visualize.outputs.tables.schema import (
    INTEGER,
    INTEGERS,
    LAYER,
    MS,
    NUMBER,
    SHARE,
    TENSORS,
    TEXT,
    TEXTS,
    TIME_KIND,
    TRUTH,
    Column,
    Row,
    schema,
)
from engine_layer_visualize.outputs.tables.subject import Subject

_NO_MEMORY: Final = Memory()


def _layers(subject: Subject) -> Iterable[Row]:
    costs, work = subject.costs, subject.work
    for layer, path in zip(subject.engine.layers, subject.paths):
        facts, own, time = layer.facts, work.of(layer), layer.time
        memory = (facts.memory if facts is not None else None) or _NO_MEMORY
        yield (
            layer.index,
            layer.place.line,
            layer.name,
            layer.type,
            layer.tactic,
            layer.kernel,
            costs.of(layer),
            subject.kind(layer),
            facts.build_ms if facts is not None else None,
            facts.runner if facts is not None else None,
            _nodes(layer),
            _tensors(layer.inputs),
            _tensors(layer.outputs),
            costs.share(layer),
            time.median_ms if time is not None else None,
            time.n if time is not None else None,
            precisions.of(layer).dtype,
            costs.profile_of(layer),
            facts.candidates.tried if facts is not None else None,
            *memory,
            own.macs,
            own.bytes,
            own.intensity,
            own.bound_ms,
            own.bound_by,
            own.efficiency,
            scopes.written(path) or None,
            layer.listed,
        )


def _nodes(layer: Layer) -> tuple[str, ...] | None:
    """Without build info only a detailed record knows them."""
    return layer.facts.onnx_nodes if layer.facts is not None else layer.onnx_nodes or None


def _tensors(tensors: Sequence[Tensor]) -> list[Row]:
    return [(one.name, one.dtype, one.shape, one.format, one.strides) for one in tensors]


LAYERS: Final = schema(
    "layers",
    "Each layer of an engine.",
    _layers,
    LAYER,
    Column("line", INTEGER, "line of the log that has its record"),
    Column("name", TEXT, "as printed"),
    Column("type", TEXT, "as printed"),
    Column("tactic", TEXT, "as printed"),
    Column("kernel", TEXT, "name of the tactic's kernel"),
    MS,
    Column("time_kind", TEXT, "whether `ms` is measured or estimated; one of them in an engine"),
    Column("build_ms", NUMBER, "time that the builder measured for its tactic", "ms"),
    Column("runner", TEXT, "implementation that its tactic belongs to"),
    Column("onnx_nodes", TEXTS, "names of the ONNX nodes that became this layer"),
    Column("inputs", TENSORS, "tensors that it reads"),
    Column("outputs", TENSORS, "tensors that it writes"),
    SHARE,
    Column("median_ms", NUMBER, "median of its measured times", "ms"),
    Column("runs", INTEGER, "runs that its measured time is of"),
    Column("precision", TEXT, "dtype that it computes with"),
    Column("optimization_profile", INTEGER, "number of the optimisation profile that it is of"),
    Column("tactics_tried", INTEGER, "timings of tactics by the autotuner that the log has"),
    Column("host_persistent", INTEGER, "memory that it holds on the host", "bytes"),
    Column("device_persistent", INTEGER, "memory that it holds on the device", "bytes"),
    Column("scratch", INTEGER, "memory that it needs while it runs", "bytes"),
    Column("weights", INTEGER, "memory of its weights", "bytes"),
    Column("macs", INTEGER, "multiplications with additions"),
    Column("bytes", INTEGER, "what it reads and writes, with weights", "bytes"),
    Column("intensity", NUMBER, "arithmetic intensity", "FLOP/byte"),
    Column("bound_ms", NUMBER, "time that no kernel beats", "ms"),
    Column("bound_by", TEXT, "what that time is bound by: compute, memory, launch"),
    Column("efficiency", NUMBER, "`bound_ms` as a part of `ms`"),
    Column("scope", TEXT, "module of the network that it is of"),
    Column("listed", TRUTH, "false: a reformat that the listing leaves out"),
)


def _tensor_rows(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        for direction, tensors in (("input", layer.inputs), ("output", layer.outputs)):
            for position, one in enumerate(tensors):
                yield (
                    layer.index,
                    direction,
                    position,
                    one.name,
                    one.dtype,
                    one.shape,
                    one.format,
                    one.strides,
                    traffic.size(one),
                    one.dims,
                )


ONE_TENSOR: Final = schema(
    "tensors",
    "Each tensor that a layer reads or writes, as the layer's record prints it.",
    _tensor_rows,
    LAYER,
    Column("direction", TEXT, "input or output of the layer"),
    Column("position", INTEGER, "among the layer's inputs or outputs, from 0"),
    Column("name", TEXT, "of the tensor"),
    Column("dtype", TEXT, "data type"),
    Column("shape", INTEGERS, "extents; negative: symbolic or unknown"),
    Column("format", TEXT, "memory format, as printed"),
    Column("strides", TEXT, "as printed, with commas"),
    Column("bytes", INTEGER, "as it lies in memory", "bytes"),
    Column("dims", TEXT, "as printed between the brackets"),
)


def _reformats(subject: Subject) -> Iterable[Row]:
    for layer in filter(is_reformat, subject.engine.layers):
        why, costs = subject.reasons.get(layer.index), subject.costs
        yield (
            layer.index,
            why.text if why is not None else UNREADABLE,
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
    LAYER,
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
        for rank, one in enumerate(tried.best, 1):
            kernel, tactic, ms, runner, formats = one
            chosen = one not in tried.others
            yield layer.index, rank, kernel, tactic, ms, runner, formats, chosen


CANDIDATES: Final = schema(
    "candidates",
    "The fastest tactics that the builder timed for each layer, at most three.",
    _candidates,
    LAYER,
    Column("rank", INTEGER, "1 is the fastest"),
    Column("kernel", TEXT, "name of the tactic's kernel"),
    Column("tactic", TEXT, "as printed"),
    Column("ms", NUMBER, "time that the builder measured", "ms"),
    Column("runner", TEXT, "implementation that the tactic belongs to"),
    Column("formats", TEXT, "combination of formats in which it was fastest, as printed"),
    Column("chosen", TRUTH, "whether the layer runs it"),
)


def _onnx_nodes(subject: Subject) -> Iterable[Row]:
    for layer in subject.engine.layers:
        facts = layer.facts
        operators = facts.onnx_operators if facts is not None else ()
        source = facts.onnx_nodes_from if facts is not None else "metadata"
        for at, node in enumerate(_nodes(layer) or ()):
            operator = operators[at] if at < len(operators) else None
            yield layer.index, node, operator or None, source


ONNX_NODES: Final = schema(
    "onnx_nodes",
    "The ONNX nodes that became each layer.",
    _onnx_nodes,
    LAYER,
    Column("node", TEXT, "name of the node"),
    Column("operator", TEXT, "operator of the node"),
    Column(
        "known_from",
        TEXT,
        "metadata of the record or the log, the graph of the log or of the model, or the layer's "
        "name, which names only the two ends of a ForeignNode",
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
    LAYER,
    Column("key", TEXT, "as printed"),
    Column("value", TEXT, "as JSON: a text is in quotes"),
)
