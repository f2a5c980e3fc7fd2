"""The model of `--onnx` as the graph that else the log's parsing gives.

A model and the layers of an engine go in; an `OnnxGraph` with the model's nodes comes out, and
whether the engine was built from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.onnx_model import JoinedModel, OnnxModel, outer
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, percent
from engine_layer_visualize.inputs.buildlog.messages.network_definition import Definition
from engine_layer_visualize.inputs.buildlog.messages.onnx_graph import Node, OnnxGraph
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.trt.layer_names import parts, without_profile
from engine_layer_visualize.trt.node_names import is_weight, node_name
from engine_layer_visualize.trt.operators import PRODUCTS

_LEAST: Final = 0.5  # of the names; fewer, and the model is another network's


class ModelGraph(OnnxGraph):
    """The nodes of a model, which are also found by names that TensorRT changed."""

    of_file = True

    def __init__(self, model: OnnxModel) -> None:
        super().__init__()
        self._model = model

    def number(self, name: str) -> int | None:
        found = self._model.named(name)
        return found[-1].number if found else None


def joined(
    model: OnnxModel, layers: Sequence[Layer], told: Definition, engine: int
) -> tuple[Definition, JoinedModel, list[Problem]]:
    """What is known of the network, with the model's graph in place of the log's where the engine
    was built from it. `engine`: its number."""
    names = dict.fromkeys(name for layer in layers for name in _names(layer))
    found = sum(bool(model.named(name)) or name in model.tensors for name in names)
    same = bool(names) and found >= _LEAST * len(names)
    one = JoinedModel(model, model.path, found, len(names), same)
    if same:
        return _described(model, layers, told), one, []
    share = f" ({percent(found / len(names))})" if names else ""
    words = (
        f"{found:,} of {count(len(names), 'name')} of ONNX nodes of engine {engine} are in the "
        f"model{share}: it seems to be of another network, and nothing is taken from it"
        if names
        else f"engine {engine} names no ONNX nodes, and nothing is taken from the model"
    )
    return told, one, [Problem(Place(model.path, 1), "ELV802", words)]


def _names(layer: Layer) -> Iterator[str]:
    for part in layer.onnx_nodes or parts(layer.name):
        if (name := node_name(part)) and not is_weight(name):
            yield name


def _described(model: OnnxModel, layers: Sequence[Layer], told: Definition) -> Definition:
    """What the log told of the network, with the model's graph in place of the log's."""
    graph = ModelGraph(model)
    graph.initializers = {one.name for one in model.proto.graph.initializer}
    graph.initializers |= {one.values.name for one in model.proto.graph.sparse_initializer}
    dims = {
        name: ", ".join(map(str, shape))
        for name, shape in onnx_file.shapes(model, _read(layers)).items()
    }
    for one in model.nodes:
        proto = one.proto
        node = Node(one.name, proto.op_type, 0)
        node.inputs = [name for name in proto.input if name]
        node.outputs = [name for name in proto.output if name]
        node.outer = list(dict.fromkeys(outer(proto)))
        node.parent = one.parent
        tensors = (*proto.input[:2], *proto.output[:1])
        if proto.op_type in PRODUCTS and len(tensors) == 3:
            node.dims = tuple(dims[name] for name in tensors if name in dims)
        graph.nodes.append(node)
    graph.tensors = told.graph.tensors
    of_log = ((layer, told.graph.nodes[at].name) for layer, at in told.graph.layers.items())
    found = ((layer, graph.number(name)) for layer, name in of_log)
    graph.layers = {layer: number for layer, number in found if number is not None}
    known = Definition()
    known.graph, known.onnx, known.outputs = graph, told.onnx, told.outputs
    known.inputs = told.inputs
    return known


def _read(layers: Sequence[Layer]) -> Mapping[str, Shape]:
    """The extents of each tensor that layers read, by its name; -1: of each optimisation profile
    another."""
    found: dict[str, Shape] = {}
    for layer in layers:
        for tensor in layer.inputs:
            name, own = without_profile(tensor.name), tensor.shape
            known = found.setdefault(name, own)
            if known != own and len(known) == len(own):
                found[name] = tuple(a if a == b else -1 for a, b in zip(known, own))
    return found
