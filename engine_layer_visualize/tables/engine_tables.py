"""Makes the tables `engines`, `edges`, `findings` and `problems`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.fields.engine import ENGINE
from engine_layer_visualize.fields.field import (
    INTEGER,
    INTEGERS,
    NUMBER,
    TEXT,
    ListOf,
    Struct,
    by_name,
    of_place,
)
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.tables.schema import TIME_KIND, Column, Row, column, schema

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
    for finding in subject.findings:
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
