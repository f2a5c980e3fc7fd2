"""Finds the model's nodes of each layer, and those that no layer has.

A layer of which only some nodes are known, such as a ForeignNode with two ends, may have any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.onnx_model import ModelNode, OnnxModel
from engine_layer_visualize.trt.layer_names import profile_of


class LayerNodes(NamedTuple):
    """The nodes of the model that a layer names."""

    nodes: tuple[ModelNode, ...] = ()  # in the order of the model
    outermost: tuple[ModelNode, ...] = ()  # those that none of the others holds, at any depth
    ambiguous: tuple[str, ...] = ()  # names that several nodes share
    missing: tuple[str, ...] = ()  # names that neither a node has, nor a node of a function
    whole: bool = True  # whether these are all


class EngineNodes(NamedTuple):
    """The nodes of the model in the layers of an engine."""

    layers: Mapping[int, LayerNodes]  # by index
    # node -> layers, where an optimisation profile has several
    shared: Mapping[int, tuple[int, ...]]
    # nodes outside of subgraphs that no layer has, but Constants; None: not known
    left: tuple[ModelNode, ...] | None


def of_engine(engine: Engine) -> EngineNodes | None:
    """The model's nodes in an engine; None where no model was given, or another network's."""
    if engine.onnx is None or not engine.onnx.same:
        return None
    model = engine.onnx.model
    layers = {layer.index: of(layer, model) for layer in engine.layers}
    users: dict[int, list[Layer]] = {}
    for layer in engine.layers:
        for node in layers[layer.index].nodes:
            users.setdefault(node.number, []).append(layer)
    shared = {
        number: tuple(layer.index for layer in named)
        for number, named in users.items()
        if len(named) > len({profile_of(layer.name) for layer in named})
    }
    left = tuple(
        node
        for node in model.nodes
        if node.number not in users and node.parent is None and node.proto.op_type != "Constant"
    )
    whole = all(known.whole and not known.ambiguous for known in layers.values())
    return EngineNodes(layers, shared, left if whole else None)


def of(layer: Layer, model: OnnxModel) -> LayerNodes:
    """The nodes of one layer."""
    known = onnx_nodes.of(layer)
    nodes: dict[int, ModelNode] = {}
    ambiguous: list[str] = []
    missing: list[str] = []
    for name in known.all or known.ends:
        meant = model.named(name)
        if len(meant) == 1:
            nodes[meant[0].number] = meant[0]
        elif meant:
            ambiguous.append(name)
        elif name not in model.inside_functions:
            missing.append(name)
    ordered = tuple(nodes[number] for number in sorted(nodes))
    outermost = tuple(node for node in ordered if nodes.keys().isdisjoint(_holders(node, model)))
    whole = bool(known.all) or not known.ends
    return LayerNodes(ordered, outermost, tuple(ambiguous), tuple(missing), whole)


def _holders(node: ModelNode, model: OnnxModel) -> Iterator[int]:
    """The numbers of the nodes around a node, the innermost first."""
    while node.parent is not None:
        yield node.parent
        node = model.nodes[node.parent]
