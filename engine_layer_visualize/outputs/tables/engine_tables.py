"""The tables `engines`, `edges`, `findings` and `problems`: an engine in, their rows out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.fields.field import (
    INTEGER,
    INTEGERS,
    NUMBER,
    TEXT,
    TEXTS,
    ListOf,
    Struct,
)
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.outputs.tables.schema import (
    TIME_KIND,
    Column,
    Row,
    schema,
)

_OPTION: Final = Struct((("section", TEXT), ("key", TEXT), ("value", TEXT)))
_TOTAL: Final = Struct((("name", TEXT), ("bytes", INTEGER)))
_EVIDENCE: Final = Struct((("line", INTEGER), ("text", TEXT)))


def _engine(subject: Subject) -> Iterable[Row]:
    engine, now, facts = subject.engine, subject.costs.now, subject.engine.facts
    device = facts.device if facts is not None else None
    performance = facts.performance if facts is not None else None
    latency = performance.latency if performance is not None else None
    compute = performance.gpu_compute if performance is not None else None
    yield (
        engine.dialect,
        engine.tensorrt,
        device.name if device is not None else None,
        device.compute_capability if device is not None else None,
        facts.precisions if facts is not None else None,
        len(engine.layers),
        len(engine.graph.between),
        now.total_ms,
        subject.costs.kind,
        latency.mean if latency is not None else None,
        performance.throughput_qps if performance is not None else None,
        engine.source.file,
        engine.source.first_line,
        engine.source.last_line,
        now.timed,
        subject.time.of_profile_ms,
        compute.mean if compute is not None else None,
        engine.inputs,
        engine.outputs,
        sum(map(is_reformat, engine.layers)),
        subject.work.macs,
        subject.work.macs_known,
        device.sms if device is not None else None,
        device.memory_mib if device is not None else None,
        [(total.name, total.bytes) for total in facts.totals] if facts is not None else None,
        facts.peak_cpu_mib if facts is not None else None,
        facts.peak_gpu_mib if facts is not None else None,
        [(one.section, one.key, one.value) for one in facts.options] if facts is not None else None,
        facts.warnings if facts is not None else None,
        facts.errors if facts is not None else None,
    )


ENGINES: Final = schema(
    "engines",
    "Each engine, in one row.",
    _engine,
    Column("dialect", TEXT, "format of the listing: classic, detailed, inspector-json"),
    Column("tensorrt", TEXT, "version of TensorRT"),
    Column("device", TEXT, "name of the GPU"),
    Column("compute_capability", TEXT, "of the GPU"),
    Column("precisions", TEXTS, "that the build allowed"),
    Column("layers", INTEGER, "number of layers"),
    Column("edges", INTEGER, "number of edges between two layers"),
    Column("ms", NUMBER, "sum of the layers' times, of one optimisation profile", "ms"),
    Column("time_kind", TEXT, "whether `ms` is measured or estimated (by the builder's timings)"),
    Column("latency_ms", NUMBER, "mean end-to-end latency that trtexec measured", "ms"),
    Column("throughput_qps", NUMBER, "queries per second that trtexec measured", "1/s"),
    Column("file", TEXT, "name of the log"),
    Column("first_line", INTEGER, "line of the log at which the listing begins"),
    Column("last_line", INTEGER, "line of the log at which the listing ends"),
    Column("timed", INTEGER, "number of layers that `ms` is the sum of"),
    Column("of_profile_ms", NUMBER, "sum of all rows of the profile", "ms"),
    Column("gpu_compute_ms", NUMBER, "mean GPU compute time that trtexec measured", "ms"),
    Column("inputs", TEXTS, "names of the input tensors"),
    Column("outputs", TEXTS, "names of the output tensors"),
    Column("reformats", INTEGER, "number of layers that are reformats"),
    Column("macs", INTEGER, "multiplications with additions; unknown where a layer's are"),
    Column("macs_known", INTEGER, "the same of the layers where they are known"),
    Column("sms", INTEGER, "number of multiprocessors of the GPU"),
    Column("memory_mib", INTEGER, "global memory of the GPU", "MiB"),
    Column("memory", ListOf(_TOTAL), "totals of memory in the log, in bytes"),
    Column("peak_cpu_mib", INTEGER, "peak of TensorRT's allocator on the host", "MiB"),
    Column("peak_gpu_mib", INTEGER, "peak of TensorRT's allocator on the GPU", "MiB"),
    Column("options", ListOf(_OPTION), "what trtexec was told"),
    Column("warnings", INTEGER, "number of warnings in the log"),
    Column("errors", INTEGER, "number of errors in the log"),
)


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
    for found in subject.findings:
        yield (
            found.code,
            found.rule.severity,
            found.rule.name,
            found.ms,
            found.ms_kind,
            found.layers,
            found.message,
            found.advice,
            [(fact.line, fact.text) for fact in found.evidence],
        )


FINDINGS: Final = schema(
    "findings",
    "What may be wrong with an engine, as `lint` finds it.",
    _findings,
    Column("code", TEXT, "of the rule, such as F02"),
    Column("severity", TEXT, "hint, warning or error"),
    Column("name", TEXT, "of the rule"),
    Column("ms", NUMBER, "the most that there is to gain", "ms"),
    TIME_KIND,
    Column("layers", INTEGERS, "indices of the layers; none: it is about the whole engine"),
    Column("message", TEXT, "what was found, and why"),
    Column("advice", TEXT, "what to try"),
    Column("evidence", ListOf(_EVIDENCE), "lines of the log that it rests on"),
)


def _problems(subject: Subject) -> Iterable[Row]:
    for problem in subject.engine.problems:
        place = problem.place
        yield place.file, place.line, place.column, problem.severity, problem.code, problem.message


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
