"""Writes an engine as JSON of schema 1 (see the README), with a line for each layer and edge.

It has the fields of `ENGINE` and of `LAYER`. Every key is there, whatever its value; `strides`
alone is left out where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.facts.field import Objects, of_place, picked
from engine_layer_visualize.facts.json import dump, head, problem_json, rows
from engine_layer_visualize.facts.layer import LAYER, MAY_BE_NULL
from engine_layer_visualize.facts.layer_values import attributes
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.subject import Subject

Fact: TypeAlias = str | int | float | list[str]
_EXCHANGED: Final = [(f.key.rpartition(".")[2], f.value) for f in of_place(LAYER, "exchange")]
_LAYER: Final = Objects(LAYER, MAY_BE_NULL)


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """Writes the whole engine, whatever the view.

    The text is UTF-8, in which lone surrogates are written as escapes; numbers are finite.
    """
    for text in _pieces(Subject(Costs(view.engine, peak=options.peak))):
        yield text.encode("utf-8", "backslashreplace")


def _pieces(subject: Subject) -> Iterator[str]:
    engine = subject.engine
    yield f'{{"schema": 1,\n"engine": {dump(head(subject))},\n'
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
    known = {name: layer.name, **{key: value(subject, layer) for key, value in _EXCHANGED}}
    for key, value in attributes(layer).items() if name else ():
        printed = value is None or isinstance(value, str)
        known.setdefault(key, value if printed else dump(value))
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in known.items()
        if key and value not in (None, "", ())
    }
