"""Makes the graph of an engine as Model Explorer reads it.

https://github.com/google-ai-edge/model-explorer/wiki/2.-User-Guide: there is a node for each layer,
whose id is the layer's index. Namespaces are groups that fold: the modules of the network.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import groups
from engine_layer_visualize.analysis.layer_labels import box_head
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Tensor
from engine_layer_visualize.drawings.theme import LIGHT, heat, mix
from engine_layer_visualize.exchange import layer_facts
from engine_layer_visualize.exchange.layer_facts import Fact
from engine_layer_visualize.exchange.sequence import label
from engine_layer_visualize.fields.subject import Subject

Json = dict[str, JsonValue]
_PAPER: Final = 0.45  # of paper in a fill: Model Explorer's labels are dark on all of them


def id_of(engine: Engine) -> str:
    """The graph's: data of nodes name it, too."""
    return f"{engine.source.file}:{engine.source.first_line} engine {engine.index}"


def graph(costs: Costs) -> Json:
    """The graph of an engine, as an element of the file's list."""
    engine, subject = costs.engine, Subject(costs)
    spaces = namespaces(costs)
    incoming, top = _incoming(engine), costs.top
    nodes: list[JsonValue] = [
        {
            "id": str(layer.index),
            "label": box_head(layer),
            "namespace": "/".join(space),
            "attrs": _pairs(layer_facts.of(subject, layer, "name")),
            "incomingEdges": list(incoming[layer.index]),
            "inputsMetadata": [_tensor(place, tensor) for place, tensor in enumerate(layer.inputs)],
            "outputsMetadata": [
                _tensor(place, tensor) for place, tensor in enumerate(layer.outputs)
            ],
            "style": {"backgroundColor": _fill(costs.share(layer), top)},
        }
        for layer, space in zip(engine.layers, spaces)
    ]
    return {"id": id_of(engine), "nodes": nodes, "groupNodeAttributes": _groups(costs, spaces)}


def namespaces(costs: Costs) -> list[tuple[str, ...]]:
    """The modules around each layer, the outermost first.

    Where names tell of no modules, it is the repeated block. Optimisation profiles are around all
    of it.
    """
    layers = costs.engine.layers
    spaces = [tuple(map(_word, path)) for path in scopes.paths(layers)]
    if not any(spaces):
        numbers = [costs.profile_of(layer) for layer in layers]
        for group in groups(layers, numbers):
            for index in group.layers if group.profile is None else ():
                spaces[index] = (*spaces[index], _word(group.label.replace("/", " of ")))
    if len(costs.profiles) > 1:
        of = [f"optimisation profile {costs.profile_of(layer)}" for layer in layers]
        spaces = [(words, *space) for words, space in zip(of, spaces)]
    return spaces


def _word(part: str) -> str:
    """A part of a namespace: a slash would begin another. The tool draws ASCII alone."""
    return label(part).replace("/", "|")


def _groups(costs: Costs, spaces: Sequence[tuple[str, ...]]) -> Json:
    """What a click on a group shows. The whole graph has no namespace."""
    inside: defaultdict[tuple[str, ...], list[Layer]] = defaultdict(list)
    for layer, space in zip(costs.engine.layers, spaces):
        for depth in range(len(space) + 1):
            inside[space[:depth]].append(layer)
    groups_by_space: Json = {
        "/".join(space): _sums(costs, layers) for space, layers in inside.items()
    }
    engine = costs.engine
    known: Json = {
        **{"log": f"{engine.source.file}:{engine.source.first_line}"},
        **{"TensorRT": engine.tensorrt, "times": costs.kind},
        **{"inputs": ", ".join(engine.inputs), "outputs": ", ".join(engine.outputs)},
    }
    of_all = _sums(costs, engine.layers)
    of_all.update((key, value) for key, value in known.items() if value)
    return groups_by_space | {"": of_all}


def _sums(costs: Costs, layers: Sequence[Layer]) -> Json:
    """The number of layers, and the time of those that have one.

    There is no time where the layers are of several optimisation profiles.
    """
    sums: Json = {"layers": str(len(layers))}
    ms = costs.sum(layers)
    if ms is not None and len({costs.profile_of(layer) for layer in layers}) == 1:
        timed = sum(costs.of(layer) is not None for layer in layers)
        sums.update(ms=f"{ms:.9g}", timed=f"{timed:,} of {len(layers):,}")
    return sums


def _fill(share: float | None, top: float) -> str:
    return mix(heat(0.0 if share is None else share / top), LIGHT.paper, _PAPER)


def _pairs(told: Mapping[str, Fact]) -> list[JsonValue]:
    return [{"key": key, "value": layer_facts.as_text(value)} for key, value in told.items()]


def _tensor(place: int, tensor: Tensor) -> Json:
    """What is known of a tensor; `__tensor_tag` names it among a node's inputs."""
    told = {
        **{"shape": f"{tensor.dtype or ''}[{tensor.dims}]", "tensor_name": tensor.name},
        **{"__tensor_tag": tensor.name, "dtype": tensor.dtype, "format": tensor.format},
    }
    return {"id": str(place), "attrs": _pairs({k: value for k, value in told.items() if value})}


def _incoming(engine: Engine) -> defaultdict[int, list[Json]]:
    """The edges into each layer: which output of which layer, into which input."""
    incoming: defaultdict[int, list[Json]] = defaultdict(list)
    written = [_positions(layer.outputs) for layer in engine.layers]
    read = [_positions(layer.inputs) for layer in engine.layers]
    for edge in engine.graph.between:
        source, target = edge.source or 0, edge.target or 0
        incoming[target].append(
            {
                "sourceNodeId": str(source),
                "sourceNodeOutputId": str(written[source].get(edge.tensor, 0)),
                "targetNodeInputId": str(read[target].get(edge.tensor, 0)),
            }
        )
    return incoming


def _positions(tensors: Sequence[Tensor]) -> dict[str, int]:
    """The positions of tensors by their names. Of two equal names the first counts."""
    return {tensors[position].name: position for position in reversed(range(len(tensors)))}
