"""Writes what is known of an engine, a problem and a finding as JSON."""

import json
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.words import Sentence
from engine_layer_visualize.facts import layer as layers
from engine_layer_visualize.facts.engine import ENGINE, MAY_BE_NULL
from engine_layer_visualize.facts.field import Objects, of_place, picked
from engine_layer_visualize.facts.layer_values import attributes
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject

Fact: TypeAlias = str | int | float | list[str]
HEAD: Final = Objects(ENGINE, MAY_BE_NULL)  # what an engine is, and where it stands in its log
_LAYER: Final = Objects(layers.LAYER, layers.MAY_BE_NULL)
_EXCHANGED: Final = of_place(layers.LAYER, "exchange")
# No value contains itself: looking for that would cost a fifth of the time.
dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def rows(values: Iterable[JsonValue]) -> Iterator[str]:
    """Writes a list, with a line for each value."""
    before = "[\n"
    for value in values:
        yield before + dump(value)
        before = ",\n"
    yield "[]" if before == "[\n" else "\n]"


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


# ---- an engine -----------------------------------------------------------------------------------


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """Writes an engine as JSON of schema 1 (docs/reference.md), all of it, whatever the view.

    It has the fields of `ENGINE` and of `LAYER`, with a line for each layer and edge. Every key is
    there, whatever its value; `strides` alone is left out where there are none. The text is UTF-8,
    in which lone surrogates are written as escapes; numbers are finite.
    """
    for text in _pieces(Subject(Costs(view.engine, peak=options.peak))):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(subject: Subject) -> Iterator[str]:
    engine = subject.engine
    yield f'{{"schema": 1,\n"engine": {dump(HEAD.of(subject, engine))},\n'
    yield f'"inputs": {dump(list(engine.inputs))},\n'
    yield f'"outputs": {dump(list(engine.outputs))},\n'
    yield f'"bindings": {dump(list(engine.bindings))},\n"layers": '
    yield from rows(_LAYER.of(subject, layer) for layer in engine.layers)
    yield ',\n"edges": '
    edges = engine.graph.edges
    yield from rows({"from": e.source, "to": e.target, "tensor": e.tensor} for e in edges)
    names = ("matched", "layers", "rows", "unmatched_rows", "untimed_layers")
    profile = None if engine.profile is None else picked(engine.profile, *names)
    yield f',\n"profile": {dump(profile)},\n"problems": '
    yield from rows(map(problem_json, engine.problems))
    yield "}\n"


def layer_facts_of(subject: Subject, layer: Layer, name: str = "") -> dict[str, Fact]:
    """What other programs are told of a layer, by the ends of the fields' keys; nothing is rounded.

    With a `name`, the layer's name stands first under that key, and every further key of its
    record, as printed, stands last. What is unknown is left out.
    """
    told = {each.key.rpartition(".")[2]: each.value(subject, layer) for each in _EXCHANGED}
    known = {name: layer.name, **told}
    for key, value in attributes(layer).items() if name else ():
        printed = value is None or isinstance(value, str)
        known.setdefault(key, value if printed else dump(value))
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in known.items()
        if key and value not in (None, "", ())
    }
