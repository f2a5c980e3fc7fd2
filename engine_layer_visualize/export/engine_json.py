"""Writes an engine as JSON of schema 1 (see the README), with a line for each layer and edge.

It has the fields of `ENGINE` and of `LAYER`. Every key is there, whatever its value; `strides`
alone is left out where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Edge, Engine, JsonValue, Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.facts.field import Objects, of_place, picked
from engine_layer_visualize.facts.json import dump, head, problem_json, rows
from engine_layer_visualize.facts.layer import LAYER, MAY_BE_NULL
from engine_layer_visualize.facts.layer_values import attributes
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.subject import Subject

# ---- tells what is known of a layer, for other programs: the fields whose place is `exchan ------

# The keys, their order and their values are the same in every format. Nothing is rounded, and
# what is
# unknown is left out.


Fact = str | int | float | list[str]
_FIELDS: Final = tuple(
    (field.key.rpartition(".")[2], field.value) for field in of_place(LAYER, "exchange")
)


def layer_facts_of(subject: Subject, layer: Layer, name: str = "") -> dict[str, Fact]:
    """The facts of a layer by the ends of their keys.

    With a `name`, the layer's name stands first under that key, and every further key of its
    record, as printed, stands last.
    """
    known = {name: layer.name, **{key: value(subject, layer) for key, value in _FIELDS}}
    record = attributes(layer) if name else {}
    printed = {key: _printed(value) for key, value in record.items() if key not in known}
    told = {**known, **printed}
    return {key: _fact(value) for key, value in told.items() if key and value not in (None, "", ())}


def _fact(value: object) -> Fact:
    return list(value) if isinstance(value, tuple) else value  # type: ignore[return-value]


def _printed(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else dump(value)


def as_text(fact: Fact) -> str:
    """A fact as text, for formats that have texts alone."""
    return ", ".join(fact) if isinstance(fact, list) else str(fact)


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
