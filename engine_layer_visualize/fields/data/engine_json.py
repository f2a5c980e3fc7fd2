"""An engine in; JSON of schema 1 (see the README) out, UTF-8, with a line for each layer and edge.

It has the fields of `ENGINE` and of `LAYER`. Every key is there, whatever its value; `strides`
alone is left out where there are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Edge, Engine, JsonValue
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.fields.engine import ENGINE
from engine_layer_visualize.fields.engine import MAY_BE_NULL as OF_ENGINE
from engine_layer_visualize.fields.layer import LAYER
from engine_layer_visualize.fields.layer import MAY_BE_NULL as OF_LAYER
from engine_layer_visualize.fields.objects import Objects, picked
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.views.subgraph import View

SCHEMA: Final = 1
HEAD: Final = Objects(ENGINE, OF_ENGINE)
_LAYER: Final = Objects(LAYER, OF_LAYER)


def render(view: View, format: str = "json", options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Lone surrogates are written as escapes; numbers are
    finite."""
    for text in _pieces(Subject(Costs(view.engine, peak=options.peak))):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(subject: Subject) -> Iterator[str]:
    engine = subject.engine
    yield f'{{"schema": {SCHEMA},\n"engine": {dump(head(subject))},\n'
    yield f'"inputs": {dump(list(engine.inputs))},\n'
    yield f'"outputs": {dump(list(engine.outputs))},\n'
    yield f'"bindings": {dump(list(engine.bindings))},\n"layers": '
    yield from rows(_LAYER.of(subject, one) for one in engine.layers)
    yield ',\n"edges": '
    yield from rows(map(_edge, engine.graph.edges))
    yield f',\n"profile": {dump(_profile(engine))},\n"problems": '
    yield from rows(map(problem_json, engine.problems))
    yield "}\n"


# No value contains itself: looking for that would cost a fifth.
dump: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def rows(values: Iterable[JsonValue]) -> Iterator[str]:
    """A list, with a line for each value."""
    before = "[\n"
    for value in values:
        yield before + dump(value)
        before = ",\n"
    yield "[]" if before == "[\n" else "\n]"


def head(subject: Subject) -> JsonValue:
    """What an engine is, and where it stands in its log."""
    return HEAD.of(subject, subject.engine)


def _edge(edge: Edge) -> JsonValue:
    return {"from": edge.source, "to": edge.target, "tensor": edge.tensor}


def _profile(engine: Engine) -> JsonValue:
    names = ("matched", "layers", "rows", "unmatched_rows", "untimed_layers")
    return None if engine.profile is None else {**picked(engine.profile, *names)}


def problem_json(problem: Problem) -> JsonValue:
    """A problem with its place."""
    place = picked(problem.place, "file", "line", "column")
    return {**place, **picked(problem, "severity", "code", "message")}
