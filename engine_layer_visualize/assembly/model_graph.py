"""The model of `--onnx` as the graph that else the log's parsing gives.

A model and the layers of an engine go in; an `OnnxGraph` with the model's nodes comes out, and
whether the engine was built from it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from engine_layer_visualize.assembly import attempts
from engine_layer_visualize.assembly.onnx_layers import Found, onnx_nodes
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.numbers import product
from engine_layer_visualize.core.onnx_model import JoinedModel, OnnxModel, outer
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, percent
from engine_layer_visualize.inputs.buildlog.messages.build_segments import Segment
from engine_layer_visualize.inputs.buildlog.messages.network_definition import Definition
from engine_layer_visualize.inputs.buildlog.messages.onnx_graph import Node, OnnxGraph
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.trt.layer_names import myelin_index, parts, without_profile
from engine_layer_visualize.trt.node_names import is_myelins, is_weight, node_name
from engine_layer_visualize.trt.operators import PRODUCTS

# Fewer of the names, or of the tensors' extents, and the model is another network's.
_LEAST: Final = 0.5
_MOST: Final = 0.8
_OPERATOR: Final = re.compile(r"\w{1,200}")


class ModelGraph(OnnxGraph):
    """The nodes of a model, which are also found by names that TensorRT changed."""

    of_file = True

    def __init__(self, model: OnnxModel) -> None:
        super().__init__()
        self._model = model

    def number(self, name: str) -> int | None:
        self._prepare()
        found = self._model.named(name)
        return found[-1].number if found else None


def joined(
    model: OnnxModel, layers: Sequence[Layer], segment: Segment, engine: int
) -> tuple[Definition, JoinedModel, list[Problem]]:
    """What is known of the network, with the model's graph in place of the log's where the engine
    was built from it. `engine`: its number."""
    told = segment.definition
    own, _ = attempts.of_engine(segment, {layer.name for layer in layers})
    logged = zip(layers, onnx_nodes(layers, own.tuning, told))
    names = dict.fromkeys(name for layer, known in logged for name in _names(layer, known))
    others = model.tensors | model.inside_functions
    found = sum(bool(model.named(name)) or name in others for name in names)
    one = JoinedModel(model, model.path, found, len(names))
    if not names:
        why = f"engine {engine} names no ONNX nodes: whether it is of this model is not known"
        words = f"{why}, and nothing is taken from it"
        return told, one, [Problem(Place(model.path, 1), "ELV802", words)]
    if found < _LEAST * len(names):
        share = f"are in the model ({percent(found / len(names))})"
        why = f"{found:,} of {count(len(names), 'name')} of ONNX nodes of engine {engine} {share}"
    else:
        shapes = onnx_file.shapes(model, _read(layers))
        one = _compared(one, layers, shapes)
        if one.tensors_agree >= _MOST * one.tensors:
            return _described(model, shapes, told), one._replace(same=True), []
        why = (
            f"{one.tensors_agree:,} of {count(one.tensors, 'tensor')} of engine {engine} have the "
            f"model's extents ({percent(one.tensors_agree / one.tensors)})"
        )
    words = f"{why}: it seems to be of another network, and nothing is taken from it"
    return told, one, [Problem(Place(model.path, 1), "ELV802", words)]


def _compared(
    one: JoinedModel, layers: Sequence[Layer], shapes: Mapping[str, Shape]
) -> JoinedModel:
    """With the tensors of which both know the extents: whether they have as many elements. A
    network may have got another batch, which is one factor of all."""
    sizes: dict[str, int] = {}  # a record may tell of a slice
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            name = without_profile(tensor.name)
            sizes[name] = max(sizes.get(name, 0), tensor.elements or 0)
    known = {
        name: whole
        for name, shape in shapes.items()
        if min(shape, default=0) > 0 and (whole := product(shape)) is not None and whole > 1
    }
    both = known.keys() & {name for name, size in sizes.items() if size}
    factors = Counter(Fraction(sizes[name], known[name]) for name in both)
    (factor, agree), *_ = factors.most_common(1) or [(Fraction(1), 0)]
    return one._replace(tensors=factors.total(), tensors_agree=agree, holds=factor == 1)


def _names(layer: Layer, known: Found) -> Iterator[str]:
    """Names of nodes, so far as the log tells them; else the parts of the layer's name."""
    several = not known.names and myelin_index(layer.name) is not None  # `a+b_myl0_1`
    for part in known.names or parts(layer.name):
        if several and is_myelins(part):
            continue
        if (name := node_name(part)) and not is_weight(name):
            yield from name.split("+") if several else (name,)


def _described(model: OnnxModel, shapes: Mapping[str, Shape], told: Definition) -> Definition:
    """What the log told of the network, with the model's graph in place of the log's."""
    graph = ModelGraph(model)
    graph.initializers = {one.name for one in model.proto.graph.initializer}
    graph.initializers |= {one.values.name for one in model.proto.graph.sparse_initializer}
    dims = {name: ", ".join(map(str, shape)) for name, shape in shapes.items()}
    functions = {one.name for one in model.proto.functions}  # whatever operator they are called as
    for one in model.nodes:
        proto = one.proto
        # A model may hold any text; a log tells nothing but words.
        told_by = _OPERATOR.fullmatch(proto.op_type) and proto.op_type not in functions
        operator = proto.op_type if told_by else ""
        node = Node(one.name, operator, 0)
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
    """The extents of each tensor that layers read, by its name; -1: open, or of each optimisation
    profile another."""
    largest: dict[str, Tensor] = {}  # a record may tell of a slice
    for layer in layers:
        for tensor in layer.inputs:
            if _size(tensor) > _size(largest.setdefault(tensor.name, tensor)):
                largest[tensor.name] = tensor
    found: dict[str, Shape] = {}
    for tensor in largest.values():
        name, own = without_profile(tensor.name), tensor.shape
        known = found.setdefault(name, own)
        if known != own and len(known) == len(own):
            found[name] = tuple(a if a == b else -1 for a, b in zip(known, own))
    return found


def _size(tensor: Tensor) -> float:
    """Its elements; infinite where an extent is open."""
    return math.inf if tensor.elements is None else tensor.elements
