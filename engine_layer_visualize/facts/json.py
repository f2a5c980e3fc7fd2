"""Writes what is known of an engine, a problem and a finding as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.words import Sentence
from engine_layer_visualize.facts.engine import ENGINE, MAY_BE_NULL
from engine_layer_visualize.facts.field import Objects, picked
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.subject import Subject

HEAD: Final = Objects(ENGINE, MAY_BE_NULL)
# No value contains itself: looking for that would cost a fifth of the time.
dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def rows(values: Iterable[JsonValue]) -> Iterator[str]:
    """Writes a list, with a line for each value."""
    before = "[\n"
    for value in values:
        yield before + dump(value)
        before = ",\n"
    yield "[]" if before == "[\n" else "\n]"


def head(subject: Subject) -> JsonValue:
    """What an engine is, and where it stands in its log."""
    return HEAD.of(subject, subject.engine)


def problem_json(problem: Problem) -> JsonValue:
    """A problem with its place."""
    place = picked(problem.place, "file", "line", "column")
    return {**place, **picked(problem, "severity", "code", "message")}


def finding_json(finding: Finding) -> dict[str, JsonValue]:
    """A finding with all its keys; its message is a `Sentence`."""
    return {
        "code": finding.code,
        **picked(finding.rule, "name", "severity"),
        **picked(finding, "cause", "rank", "shown", "layers", "about"),
        **picked(finding, "touches_ms", "saves_ms", "ms", "ms_kind"),
        "message": Sentence.of(finding.said),
        "advice": finding.advice,
        "evidence": [{"line": fact.line, "text": fact.text} for fact in finding.evidence],
        "source": list(finding.rule.sources),
    }
