"""An engine with its model in; the model's nodes of each layer out, and those that no layer has.

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
    """`nodes`: of the model, in its order; `outermost`: those that none of the others holds, at any
    depth; `ambiguous`: names that several nodes share; `missing`: names that none has, nor a node
    of a function; `whole`: whether these are all."""

    nodes: tuple[ModelNode, ...] = ()
    outermost: tuple[ModelNode, ...] = ()
    ambiguous: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    whole: bool = True


class EngineNodes(NamedTuple):
    """`layers`: by index. `shared`: by the number of a node the indices of the layers that have it,
    where an optimisation profile has several. `left`: the nodes outside of subgraphs that no layer
    has, without Constants; None where the nodes of a layer are not known."""

    layers: Mapping[int, LayerNodes]
    shared: Mapping[int, tuple[int, ...]]
    left: tuple[ModelNode, ...] | None


def of_engine(engine: Engine) -> EngineNodes | None:
    """None where no model was given, or another network's."""
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
    whole = all(one.whole and not one.ambiguous for one in layers.values())
    return EngineNodes(layers, shared, left if whole else None)


def of(layer: Layer, model: OnnxModel) -> LayerNodes:
    """The nodes of one layer."""
    known = onnx_nodes.of(layer)
    nodes: dict[int, ModelNode] = {}
    ambiguous: list[str] = []
    missing: list[str] = []
    for name in known.all or known.ends:
        found = model.named(name)
        if len(found) == 1:
            nodes[found[0].number] = found[0]
        elif found:
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
