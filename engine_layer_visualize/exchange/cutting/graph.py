"""Tells what the nodes of an ONNX model read and write, and which values are fixed.

Nodes of subgraphs (branches of an If, the body of a Loop) are parts of the node that holds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from engine_layer_visualize.core.onnx_model import (
    OnnxModel,
    function_key,
    functions,
    outer_reads,
    subgraphs,
)

_STANDARD: Final = ("", "ai.onnx")
_GIVE_SHAPES: Final = frozenset({"Shape", "Size"})
_RANDOM: Final = frozenset(
    """
    Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


class NodeGraph:
    """The nodes of a model, numbered by their places in `nodes`.

    Attributes:
        nodes: `NodeProto` in an order in which each stands behind those whose tensors it reads.
        initial: The names of initializers.
        inputs: The names of the model's inputs.
        outputs: The names of the model's outputs.
        in_circle: Whether there is no such order, so that nothing can be cut out.
    """

    def __init__(self, model: OnnxModel) -> None:
        self.model = model
        graph = model.proto.graph
        self.initial = {tensor.name for tensor in graph.initializer}
        self.initial |= {tensor.values.name for tensor in graph.sparse_initializer}
        self.inputs = [entry.name for entry in graph.input if entry.name not in self.initial]
        self.outputs = {entry.name for entry in graph.output}
        made = _written_by(graph.node)
        order, self.in_circle = in_order(graph.node)
        self.nodes: list[Any] = [graph.node[at] for at in order]
        self._places = {at: place for place, at in enumerate(order)}
        self.reads = [tuple(dict.fromkeys(_reads(node))) for node in self.nodes]
        self.maker = {name: self._places[at] for name, at in made.items()}
        self.readers: dict[str, list[int]] = {}
        for at, names in enumerate(self.reads):
            for name in names:
                self.readers.setdefault(name, []).append(at)

    @cached_property
    def holder(self) -> list[int]:
        """The node of this graph that each node of `model.nodes` is, or that holds it."""
        holders: list[int] = []
        top = 0
        for node in self.model.nodes:
            if node.parent is None:
                holders.append(self._places[top])
                top += 1
            else:
                holders.append(holders[node.parent])
        return holders

    @cached_property
    def fixed(self) -> list[bool]:
        """Whether a node's values depend on no input's data: on constants and shapes alone."""
        bodies = functions(self.model.proto)
        known: list[bool] = []
        for node, reads in zip(self.nodes, self.reads):
            steady = gives_shape(node) or all(
                name in self.initial
                or ((maker := self.maker.get(name)) is not None and known[maker])
                for name in reads
            )
            known.append(steady and _is_steady(node, bodies))
        return known

    def name(self, number: int) -> str:
        """What to call a node."""
        node = self.nodes[number]
        return str(node.name or next(filter(None, node.output), node.op_type))

    def data(self, number: int) -> tuple[str, ...]:
        """The tensors whose values a node reads: a Shape needs its input's shape alone."""
        return () if gives_shape(self.nodes[number]) else self.reads[number]

    def made_of(self, number: int) -> Iterator[int]:
        """The nodes whose values a node reads."""
        for name in self.data(number):
            if (maker := self.maker.get(name)) is not None:
                yield maker


def gives_shape(node: Any) -> bool:
    """Whether it reads the shape of its input, and no value."""
    return node.op_type in _GIVE_SHAPES and node.domain in _STANDARD


def is_standard(node: Any, *operators: str) -> bool:
    """Whether it is one of these operators of ONNX."""
    return node.op_type in operators and node.domain in _STANDARD


def _is_steady(node: Any, bodies: Mapping[tuple[str, ...], Any]) -> bool:
    """Whether equal inputs give equal outputs.

    It is not known of operators that are neither ONNX's nor functions of the model (`bodies`).
    """
    todo, seen = [node], set()
    while todo:
        inner_node = todo.pop()
        if (key := function_key(inner_node)) in bodies:
            todo += bodies[key].node if key not in seen else ()
            seen.add(key)
        elif inner_node.domain not in _STANDARD or inner_node.op_type in _RANDOM:
            return False
        todo += (inner for graph in subgraphs(inner_node) for inner in graph.node)
    return True


def _reads(node: Any) -> Iterator[str]:
    """What a node reads, and what the nodes inside of it read from outside."""
    yield from filter(None, node.input)
    yield from outer_reads(node)


def _written_by(nodes: Iterable[Any]) -> dict[str, int]:
    """The place of the node that writes each tensor."""
    return {name: place for place, node in enumerate(nodes) for name in node.output if name}


def in_order(nodes: Iterable[Any]) -> tuple[list[int], bool]:
    """The places of the nodes, each behind those whose tensors it reads.

    The order stays as it is where that holds. The second value says whether nodes read what comes
    of them.
    """
    listed = list(nodes)
    made = _written_by(listed)
    before = [{made[name] for name in _reads(node) if name in made} for node in listed]
    if all(max(makers, default=-1) < place for place, makers in enumerate(before)):
        return list(range(len(listed))), False
    waiting = [len(makers) for makers in before]
    after: dict[int, list[int]] = {}
    for place, makers in enumerate(before):
        for maker in makers:
            after.setdefault(maker, []).append(place)
    order = [place for place, count in enumerate(waiting) if not count]
    for place in order:  # it grows
        for reader in after.get(place, ()):
            waiting[reader] -= 1
            if not waiting[reader]:
                order.append(reader)
    rest = [place for place, count in enumerate(waiting) if count]
    return order + rest, bool(rest)
