"""Finds the ONNX nodes that became each layer."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from engine_layer_visualize.core.layer_facts import NodesFrom
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.onnx_model import OnnxEdge, OnnxProduct
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.autotuning import Autotuning
from engine_layer_visualize.reading.onnx_graph import OnnxGraph
from engine_layer_visualize.reading.onnx_parser import Definition
from engine_layer_visualize.trt import names as layer_names
from engine_layer_visualize.trt.names import COPY, is_foreign, is_torch, parts, without_profile
from engine_layer_visualize.trt.operators import SCALE_NODE, is_weight, node_name, operands, serves

_SUFFIX: Final = re.compile(rf"(?:{SCALE_NODE}|_clone_\d{{1,6}})\Z")
_MOST_COPIES: Final = 8  # of a tensor, one after the other


class Found(NamedTuple):
    """Names of nodes, the log's line for the first, and what they are from.

    `operators`: of each node, "" where the log does not parse it; empty where it parses none.
    `products`: those that multiply matrices. `edges`: of a ForeignNode's, see `LayerFacts`.
    """

    names: tuple[str, ...] = ()
    line: int | None = None
    source: NodesFrom | None = None
    operators: tuple[str, ...] = ()
    products: tuple[OnnxProduct, ...] = ()
    edges: tuple[OnnxEdge, ...] = ()


def onnx_nodes(layers: Sequence[Layer], tuning: Autotuning, definition: Definition) -> list[Found]:
    """The ONNX nodes of each layer."""
    metadata = {  # read once: each optimisation profile has a layer of the name
        without_profile(decode(name)): Found(
            layer_names.onnx_nodes(decode(printed.words)), printed.line, "metadata"
        )
        for name, printed in tuning.metadata.items()
        if printed.words
    }
    graph = definition.graph

    @cache
    def copies() -> dict[str, _Copy]:
        groups = by_key((layer_names.profile_of(layer.name), layer) for layer in layers)
        return {name: _Copy(several, definition) for name, several in groups.items()}

    def copy_of(layer: Layer) -> _Copy:
        return copies()[layer_names.profile_of(layer.name)]

    of_layers = []
    for layer in layers:
        name = without_profile(layer.name)
        if nodes := layer.onnx_nodes:
            found = Found(nodes, layer.place.line, "metadata")
        elif name in metadata:
            found = metadata[name]
        else:
            searched = any(layer_names.ends(name)) and graph
            inside = copy_of(layer).inside(layer) if searched else None
            found = inside or _by_name(layer, definition)
        of_layers.append(found)
    for place, (layer, found) in enumerate(zip(layers, _with_biases(layers, of_layers, graph))):
        numbers = [graph.number(node) for node in found.names] if graph else []
        operators = tuple("" if n is None else graph.nodes[n].operator for n in numbers)
        if any(operators):
            products = (graph.product(number) for number in numbers if number is not None)
            found = found._replace(operators=operators, products=tuple(filter(None, products)))
        if graph and len(found.names) > 1 and (layer.type == "Myelin" or is_foreign(layer.name)):
            found = found._replace(edges=copy_of(layer).edges(layer, found.names))
        of_layers[place] = found
    return of_layers


def _with_biases(
    layers: Sequence[Layer], found: Sequence[Found], graph: OnnxGraph
) -> Iterator[Found]:
    """The nodes, also additions of a bias that a product took in: its name does not tell them.

    That is so where no layer names the addition, and none is a piece whose nodes are not known.
    """
    named = {name for each in found for name in each.names}
    hidden = any(is_foreign(la.name) and not each.names for la, each in zip(layers, found))
    for each in found:
        if hidden or not graph or each.source != "name":
            yield each
            continue
        names: list[str] = []
        for name in each.names:
            bias = graph.bias_of(name)
            names += [name] if bias is None or bias in named else [name, bias]
        yield each._replace(names=tuple(names))


# ---- by name -----------------------------------------------------------------------------------


def _by_name(layer: Layer, definition: Definition) -> Found:
    """The nodes that the layer's name names."""
    name = without_profile(layer.name)
    if layer_names.myelin_index(name) is not None:
        return Found()  # Myelin invents its names
    if layer.type in layer_names.TRACED and not layer.inputs and not layer.outputs:
        return Found()
    onnx, graph = definition.onnx, definition.graph
    lines: dict[str, int] = {}
    constants = operands(name, layer.type)
    for part in parts(name):
        registered = onnx.get(part) or onnx.get(_original(part))
        if registered is not None:
            if not graph or not graph.is_constant(registered[0]):
                lines.setdefault(registered[0] or part, registered[1])
        elif graph and layer_names.is_foreign(name):
            number = graph.meant(part)
            if number is not None:
                lines.setdefault(graph.nodes[number].name, graph.nodes[number].line)
        elif serves(part):
            continue
        elif (number := _numbered(part, graph)) is not None:  # a quantisation's is not registered
            if not graph.is_constant(graph.nodes[number].name):
                parsed = layer.place.line if graph.of_file else graph.nodes[number].line
                lines.setdefault(graph.nodes[number].name, parsed)
        elif part not in constants and (graph.of_file or not onnx) and _may_be_node(part, graph):
            lines.setdefault(_original(part), layer.place.line)
    names = tuple(lines) if not any(map(is_torch, lines)) else layer_names.one_each(lines)
    line = lines[names[0]] if names else None
    return Found(names, line, "name" if names else None)


def _numbered(part: str, graph: OnnxGraph) -> int | None:
    """The node that a part of a layer's name names; a copy of it is numbered."""
    number = graph.number(part)
    return graph.number(_original(part)) if number is None else number


def _may_be_node(part: str, graph: OnnxGraph) -> bool:
    """Whether a part that names no node of the graph may name one: of a function, another model."""
    name = node_name(part)
    is_known = is_weight(name) or name in graph.initializers or graph.knows(name)
    return is_torch(part) or (bool(name) and not is_known)


def _original(part: str) -> str:
    """A part of a name without what the builder adds to a name that it uses again."""
    return part[:-32] + _SUFFIX.sub("", part[-32:])


# ---- in the graph ------------------------------------------------------------------------------


class _Copy:
    """The layers of one optimisation profile: each profile has a copy of the network."""

    def __init__(self, layers: Sequence[Layer], definition: Definition) -> None:
        self._definition = definition
        self._graph = definition.graph
        self._originals: dict[str, str] = {}  # of a copied tensor
        for layer in layers:
            if layer.name.startswith(COPY) and len(layer.inputs) == len(layer.outputs) == 1:
                read, wrote = (without_profile(t.name) for t in (*layer.inputs, *layer.outputs))
                if wrote.startswith(layer_names.REFORMATTED):
                    self._originals[wrote] = read
                elif read.startswith(layer_names.REFORMATTED):
                    self._originals[read] = wrote
        self._written: set[str] = set()  # the model's tensors that layers write
        self._claimed: set[int] = set()  # nodes that layers' names name
        for layer in layers:
            if not layer_names.is_reformat(layer.name):
                self._written.update(filter(None, map(self._model, layer.outputs)))
                registered = [part for part in parts(layer.name) if part in definition.onnx]
                named = (self._graph.number(definition.onnx[one][0] or one) for one in registered)
                self._claimed.update(number for number in named if number is not None)

    def inside(self, layer: Layer) -> Found | None:
        """The nodes of a ForeignNode; None where the log does not have all of the graph."""
        graph = self._graph
        ends = (map(graph.meant, names) for names in layer_names.ends(layer.name))
        first, last = ([number for number in end if number is not None] for end in ends)
        sources = {self._model(tensor) for tensor in layer.inputs}
        targets = self._targets(layer, last)
        if targets is None:
            return None
        numbers = graph.between(
            {name for name in sources if name is not None},
            targets,
            self._written,
            inputs=self._definition.inputs,
            starts={*first, *last},
            shut=self._claimed,
            loose=None in sources or not (sources or first),
        )
        if numbers is None:
            return None
        names = dict.fromkeys(graph.nodes[number].name for number in numbers)
        return Found(tuple(names), graph.nodes[numbers[0]].line, "graph")

    def edges(self, layer: Layer, names: Sequence[str]) -> tuple[OnnxEdge, ...]:
        """The tensors between these nodes of a ForeignNode, and those that cross its border.

        The latter where the log says which of the layer's tensors they are.
        """
        graph = self._graph
        numbers = (graph.certain(name) for name in names)
        place = {number: at for at, number in enumerate(numbers) if number is not None}
        entries = {self._model(tensor): tensor.name for tensor in reversed(layer.inputs)}
        edges: list[OnnxEdge] = []
        for number, target in place.items():
            for tensor in dict.fromkeys((*graph.nodes[number].inputs, *graph.nodes[number].outer)):
                source = place.get(-1 if (maker := graph.maker(tensor)) is None else maker)
                if source is not None:
                    edges.append(OnnxEdge(source, target, tensor))
                elif tensor in entries:
                    edges.append(OnnxEdge(None, target, entries[tensor]))
        exits = {tensor.name: self._model(tensor) for tensor in layer.outputs}
        for name, known in exits.items():
            maker = None if known is None else graph.maker(known)
            if maker is not None and maker in place:
                edges.append(OnnxEdge(place[maker], None, name))
        return tuple(edges)

    def _targets(self, layer: Layer, last: Sequence[int]) -> set[str] | None:
        """The model's tensors that the layer writes; None where one has no name in the model.

        `last`: the nodes that end its name. They give the one output whose name is TensorRT's own.
        """
        given = {name for number in last[-1:] for name in self._graph.nodes[number].outputs}
        names = {tensor: self._model(tensor) for tensor in layer.outputs}
        targets = {name for name in names.values() if name is not None}
        unnamed = [tensor for tensor in layer.outputs if names[tensor] is None]
        if unnamed and not (len(unnamed) == 1 and given and not given & targets):
            return None
        return targets | given

    def _model(self, tensor: Tensor) -> str | None:
        """The model's name of a tensor or what it copies; None of a tensor that TensorRT made."""
        name = without_profile(tensor.name)
        for _ in range(_MOST_COPIES):
            name = self._originals.get(name, name)
        name = self._graph.tensors.get(name, name)
        return name if self._graph.knows(name) or name in self._definition.inputs else None
