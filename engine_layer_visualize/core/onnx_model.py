"""The ONNX model that an engine was built from: its nodes, found by the names that TensorRT uses.

The model's `ModelProto` is kept as it is; nothing here imports `onnx`, which only `io` needs.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

from engine_layer_visualize.trt.operators import folded, node_name

Shape = tuple[int, ...]


class OnnxProduct(NamedTuple):
    """A Conv, ConvTranspose, Gemm or MatMul."""

    #: Its name.
    node: str
    #: Its operator.
    operator: str
    #: Of its first two inputs and of its output; a negative extent is unknown. Empty where the log
    #: does not tell them for certain.
    shapes: tuple[Shape, ...] = ()


class OnnxEdge(NamedTuple):
    """A tensor between two ONNX nodes of a layer: indices of its `onnx_nodes`."""

    #: None: `tensor` is an input of the layer, as its record names it.
    source: int | None
    #: None: `tensor` is an output of the layer, as its record names it.
    target: int | None
    #: The tensor's name.
    tensor: str


# Begins the parser's name for a nameless node; its first output follows.
_NAMELESS: Final = "node_of_"


class ModelNode(NamedTuple):
    """A node of a model."""

    #: Its place among all nodes; a parent stands before what it holds.
    number: int
    #: As TensorRT calls it.
    name: str
    #: Its `NodeProto`.
    proto: Any
    #: The number of the If, Loop or Scan that holds it; None: no other node holds it.
    parent: int | None = None


class OnnxModel:
    """The model in a file. `proto`: its `ModelProto`, without external data."""

    def __init__(self, path: str, proto: Any) -> None:
        self.path = path
        self.proto = proto

    @cached_property
    def nodes(self) -> tuple[ModelNode, ...]:
        """All nodes, those of subgraphs too."""
        walked = enumerate(_walk(self.proto.graph))
        return tuple(ModelNode(n, parsed_name(node), node, parent) for n, (node, parent) in walked)

    def named(self, name: str) -> tuple[ModelNode, ...]:
        """The nodes that a name means; none where the model has no such node.

        Looks up the exact name; then the name without what TensorRT adds; then Myelin's spelling,
        if it fits only one name. There are several nodes where they share a name.
        """
        known = self._by_name
        if nodes := known.get(name):
            return nodes
        plain = node_name(name)
        if nodes := known.get(plain) if plain else None:
            return nodes
        return known.get(self._folded.get(folded(plain), ""), ()) if plain else ()

    @cached_property
    def tensors(self) -> frozenset[str]:
        """The names of all tensors: inputs, initializers, and what nodes write."""
        graph = self.proto.graph
        made = (name for node in self.nodes for name in node.proto.output)
        return frozenset((*(tensor.name for tensor in (*graph.input, *graph.initializer)), *made))

    @cached_property
    def inside_functions(self) -> frozenset[str]:
        """The names of nodes in the model's functions, which TensorRT unfolds."""
        todo = [node for function in self.proto.functions for node in function.node]
        names: set[str] = set()
        while todo:
            node = todo.pop()
            names.add(parsed_name(node))
            todo += (inner for graph in subgraphs(node) for inner in graph.node)
        return frozenset(names - {""})

    @cached_property
    def _by_name(self) -> dict[str, tuple[ModelNode, ...]]:
        by_name: dict[str, list[ModelNode]] = {}
        for node in self.nodes:
            if node.name:
                by_name.setdefault(node.name, []).append(node)
        for node in self.nodes:  # older parsers call a nameless node by its output alone
            if not node.proto.name and node.proto.output:
                by_name.setdefault(node.proto.output[0], [node])
        return {name: tuple(nodes) for name, nodes in by_name.items()}

    @cached_property
    def _folded(self) -> dict[str, str]:
        """The name of each folded form; "" where several names have it."""
        originals: dict[str, str] = {}
        for name in self._by_name:
            key = folded(name)
            originals[key] = "" if key in originals else name
        return originals


class JoinedModel(NamedTuple):
    """How well the model that was given and an engine fit each other."""

    #: Whether the engine was built from the model, so far as names and extents tell.
    same: bool = False
    #: Whether it was built with the same batch.
    same_batch: bool = False


def parsed_name(node: Any) -> str:
    """The name that TensorRT's parser gives a `NodeProto`; "" where it gives none."""
    return node.name or (_NAMELESS + node.output[0] if node.output else "")


def subgraphs(node: Any) -> Iterator[Any]:
    """The graphs in a node's attributes: branches of an If, the body of a Loop."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def outer_reads(node: Any) -> Iterator[str]:
    """Names of tensors outside of a node that the graphs inside it read."""
    for graph in subgraphs(node):
        made = {tensor.name for tensor in (*graph.initializer, *graph.input)}
        made.update(tensor.values.name for tensor in graph.sparse_initializer)
        made.update(name for inner in graph.node for name in inner.output)
        for inner in graph.node:
            for name in (*inner.input, *outer_reads(inner)):
                if name and name not in made:
                    yield name
        for output in graph.output:
            if output.name not in made:
                yield output.name


def _walk(graph: Any) -> Iterator[tuple[Any, int | None]]:
    """Each node with the number of the node around it."""
    number = 0
    todo: list[tuple[Any, int | None]] = [(node, None) for node in reversed(graph.node)]
    while todo:
        node, parent = todo.pop()
        yield node, parent
        inner = [child for sub in subgraphs(node) for child in sub.node]
        todo += [(child, number) for child in reversed(inner)]
        number += 1
