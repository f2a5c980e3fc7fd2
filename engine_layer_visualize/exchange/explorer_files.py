"""Writes Model Explorer's files: the graph of an engine, and the data of its nodes.

The data are the time, the memory and the precision of each layer, by which Model Explorer colours
nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.measures import precision_of, size_of
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.drawings.coloring import memory_words
from engine_layer_visualize.drawings.theme import LIGHT, heat, ink, precision
from engine_layer_visualize.exchange.explorer_graph import Json, graph, id_of
from engine_layer_visualize.fields.json import dump
from engine_layer_visualize.views.subgraph import View

DATA: Final = ("latency", "memory", "precision")


def render(view: View, format: str = "graph.json", options: Options = DEFAULT) -> Iterator[bytes]:
    """One of the files, of the whole engine, whatever the view. `format`: the end of its name."""
    costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
    what = format.removesuffix(".json")
    document: JsonValue = (
        {id_of(view.engine): data(costs, what)} if what in DATA else [graph(costs)]
    )
    yield f"{dump(document)}\n".encode("utf-8", "backslashreplace")


def data(costs: Costs, what: str) -> Json:
    """Values and colours of each node id."""
    layers = costs.engine.layers
    if what == "precision":
        return {"name": "precision", "results": {str(la.index): _precision(la) for la in layers}}
    if what == "memory":
        name, of = f"{memory_words(layers)} (bytes)", size_of(layers)
        known: dict[int, float | None] = {la.index: of(la) for la in layers}
    else:
        name = "latency (ms)" if costs.kind != "estimated" else "builder's estimate (ms)"
        known = {la.index: costs.of(la) for la in layers}
    values = {str(index): value for index, value in known.items() if value is not None}
    most = max(values.values(), default=0) or 1
    results: Json = {key: _coloured_by_heat(value, value / most) for key, value in values.items()}
    last = len(LIGHT.heat) - 1
    stops: list[JsonValue] = [
        {"stop": place / last, "bgColor": color} for place, color in enumerate(LIGHT.heat)
    ]
    return {"name": name, "results": results, "gradient": stops}


def _coloured_by_heat(value: float, part: float) -> Json:
    color = heat(part)
    return {"value": value, "bgColor": color, "textColor": ink(color)}


def _precision(layer: Layer) -> Json:
    dtype = precision_of(layer)
    color = precision(dtype).color
    return {"value": dtype, "bgColor": color, "textColor": ink(color)}
