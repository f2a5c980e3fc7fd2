"""Puts the model of `--onnx` in place of the graph that the log has of it.

It is asked first whether the engine was built from this model.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from engine_layer_visualize.assembly import attempts
from engine_layer_visualize.assembly.onnx_layers import Found, onnx_nodes
from engine_layer_visualize.core.limits import by_key, product
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.onnx_model import JoinedModel, OnnxModel, Shape, outer_reads
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.reading.onnx_graph import Node, OnnxGraph
from engine_layer_visualize.reading.onnx_parser import Definition
from engine_layer_visualize.reading.segments import Segment
from engine_layer_visualize.trt.names import myelin_index, parts, without_profile
from engine_layer_visualize.trt.operators import PRODUCTS, is_myelins, is_weight, node_name

# With a smaller part of the names, or of the tensors' extents, the model is another network's.
_NAMES_IN_MODEL: Final = 0.5
_TENSORS_ALIKE: Final = 0.8
_OPERATOR: Final = re.compile(r"\w{1,200}")


class ModelGraph(OnnxGraph):
    """The nodes of a model, which are also found by names that TensorRT changed."""

    of_file = True

    def __init__(self, model: OnnxModel) -> None:
        super().__init__()
        self._model = model

    def number(self, name: str) -> int | None:
        """The number of the last node that a name means; None where it means none."""
        self._prepare()
        nodes = self._model.named(name)
        return nodes[-1].number if nodes else None


def joined(
    model: OnnxModel, layers: Sequence[Layer], segment: Segment, engine: int
) -> tuple[Definition, JoinedModel, list[Problem]]:
    """Puts the model's graph in place of the log's where the engine was built from the model.

    `segment`: what the log says of its build; `engine`: its number. Returns what is known of the
    network, how well the model fits it, and problems.
    """
    told = segment.definition
    taken, _ = attempts.of_engine(segment, {layer.name for layer in layers})
    logged = zip(layers, onnx_nodes(layers, taken.tuning, told))
    names = dict.fromkeys(name for layer, known in logged for name in _names(layer, known))
    others = model.tensors | model.inside_functions
    present = sum(bool(model.named(name)) or name in others for name in names)
    if not names:
        why = f"engine {engine} names no ONNX nodes"
    elif present < _NAMES_IN_MODEL * len(names):
        of = f"{count(len(names), 'name')} of ONNX nodes of engine {engine}"
        why = f"{present:,} of {of} are in the model"
    else:
        shapes = onnx_file.shapes(model, _read(layers))
        factors = _factors(layers, shapes)
        (factor, alike), *_ = factors.most_common(1) or [(Fraction(1), 0)]
        if alike >= _TENSORS_ALIKE * factors.total():
            match = JoinedModel(same=True, same_batch=factor == 1)
            return _described(model, shapes, told), match, []
        of = f"{count(factors.total(), 'tensor')} of engine {engine}"
        why = f"{alike:,} of {of} have the model's extents"
    problem = Problem(Place(model.path, 1), "ELV802", f"{why}: the model is not used")
    return told, JoinedModel(), [problem]


def _factors(layers: Sequence[Layer], shapes: Mapping[str, Shape]) -> Counter[Fraction]:
    """Counts by how much tensors have more elements than the model's, where both know how many.

    A network may have got another batch, which is one factor of all.
    """
    sizes: dict[str, int] = {}  # a record may tell of a slice
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            name = without_profile(tensor.name)
            sizes[name] = max(sizes.get(name, 0), tensor.elements or 0)
    wholes = ((name, product(shape)) for name, shape in shapes.items() if min(shape, default=0) > 0)
    known = {name: whole for name, whole in wholes if whole is not None and whole > 1}
    both = known.keys() & {name for name, size in sizes.items() if size}
    return Counter(Fraction(sizes[name], known[name]) for name in both)


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
    graph.initializers = {tensor.name for tensor in model.proto.graph.initializer}
    graph.initializers |= {tensor.values.name for tensor in model.proto.graph.sparse_initializer}
    dims = {name: ", ".join(map(str, shape)) for name, shape in shapes.items()}
    functions = {function.name for function in model.proto.functions}  # whatever calls them
    for known_node in model.nodes:
        proto = known_node.proto
        # A model may hold any text; a log tells nothing but words.
        told_by = _OPERATOR.fullmatch(proto.op_type) and proto.op_type not in functions
        operator = proto.op_type if told_by else ""
        node = Node(known_node.name, operator, 0)
        node.inputs = [name for name in proto.input if name]
        node.outputs = [name for name in proto.output if name]
        node.outer = list(dict.fromkeys(outer_reads(proto)))
        node.parent = known_node.parent
        tensors = (*proto.input[:2], *proto.output[:1])
        if proto.op_type in PRODUCTS and len(tensors) == 3:
            node.dims = tuple(dims[name] for name in tensors if name in dims)
        graph.nodes.append(node)
    graph.tensors = told.graph.tensors
    of_log = ((layer, told.graph.nodes[place].name) for layer, place in told.graph.layers.items())
    numbered = ((layer, graph.number(name)) for layer, name in of_log)
    graph.layers = {layer: number for layer, number in numbered if number is not None}
    known = Definition()
    known.graph, known.onnx, known.outputs = graph, told.onnx, told.outputs
    known.inputs = told.inputs
    return known


def _read(layers: Sequence[Layer]) -> Mapping[str, Shape]:
    """The extents of each tensor that layers read, by its name.

    An extent is -1 where it is open, or where each optimisation profile has another one.
    """

    def size(tensor: Tensor) -> float:
        return math.inf if tensor.elements is None else tensor.elements

    read = by_key((tensor.name, tensor) for layer in layers for tensor in layer.inputs)
    extents: dict[str, Shape] = {}
    for tensor in (max(several, key=size) for several in read.values()):  # others are slices
        name, shape = without_profile(tensor.name), tensor.shape
        known = extents.setdefault(name, shape)
        if known != shape and len(known) == len(shape):
            extents[name] = tuple(a if a == b else -1 for a, b in zip(known, shape))
    return extents
