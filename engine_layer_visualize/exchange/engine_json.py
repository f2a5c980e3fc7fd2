"""Writes an engine as JSON of schema 1 (see the README), with a line for each layer and edge.

It has the fields of `ENGINE` and of `LAYER`. Every key is there, whatever its value; `strides`
alone is left out where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Edge, Engine, JsonValue
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.fields.json import dump, head, problem_json, rows
from engine_layer_visualize.fields.layer import LAYER, MAY_BE_NULL
from engine_layer_visualize.fields.objects import Objects, picked
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.views.subgraph import View

SCHEMA: Final = 1
_LAYER: Final = Objects(LAYER, MAY_BE_NULL)


def render(view: View, format: str = "json", options: Options = DEFAULT) -> Iterator[bytes]:
    """Writes the whole engine, whatever the view.

    The text is UTF-8, in which lone surrogates are written as escapes; numbers are finite.
    """
    for text in _pieces(Subject(Costs(view.engine, peak=options.peak))):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(subject: Subject) -> Iterator[str]:
    engine = subject.engine
    yield f'{{"schema": {SCHEMA},\n"engine": {dump(head(subject))},\n'
    yield f'"inputs": {dump(list(engine.inputs))},\n'
    yield f'"outputs": {dump(list(engine.outputs))},\n'
    yield f'"bindings": {dump(list(engine.bindings))},\n"layers": '
    yield from rows(_LAYER.of(subject, layer) for layer in engine.layers)
    yield ',\n"edges": '
    yield from rows(map(_edge, engine.graph.edges))
    yield f',\n"profile": {dump(_profile(engine))},\n"problems": '
    yield from rows(map(problem_json, engine.problems))
    yield "}\n"


def _edge(edge: Edge) -> JsonValue:
    return {"from": edge.source, "to": edge.target, "tensor": edge.tensor}


def _profile(engine: Engine) -> JsonValue:
    names = ("matched", "layers", "rows", "unmatched_rows", "untimed_layers")
    return None if engine.profile is None else {**picked(engine.profile, *names)}
