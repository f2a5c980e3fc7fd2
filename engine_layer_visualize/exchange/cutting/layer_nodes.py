"""Finds the nodes of a model that a layer runs, by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.onnx_model import function_key, functions, parsed_name, subgraphs
from engine_layer_visualize.exchange.cutting.graph import NodeGraph
from engine_layer_visualize.exchange.cutting.piece import Quantised
from engine_layer_visualize.trt import data_types, layer_names
from engine_layer_visualize.trt.layer_names import without_profile


@dataclass(slots=True)
class Found:
    """The nodes of layers, and what is special about them."""

    nodes: set[int] = field(default_factory=set)  # numbers in the graph
    missing: dict[str, None] = field(default_factory=dict)  # names that no node of the model has
    # names of If, Loop or function nodes that hold nodes of the layer
    held: dict[str, None] = field(default_factory=dict)
    # names of several nodes, all of which are taken: nothing tells which are meant
    shared: dict[str, None] = field(default_factory=dict)

    def add(self, other: Found) -> None:
        """Adds the nodes of another layer."""
        self.nodes |= other.nodes
        for mine, theirs in (
            (self.missing, other.missing),
            (self.held, other.held),
            (self.shared, other.shared),
        ):
            mine.update(theirs)


class LayerNodes:
    """Finds the nodes of layers."""

    def __init__(self, graph: NodeGraph) -> None:
        self._graph = graph

    def of(self, layer: Layer) -> Found:
        """The nodes of a layer; none where nothing names any.

        A ForeignNode may give only its two ends: what is between them comes with the piece.
        """
        found, known = Found(), onnx_nodes.of(layer)
        words = dict(layer.attributes).get("Metadata") if layer.attributes else None
        holders: dict[str, dict[str, None]] = {}
        for name, holder in layer_names.onnx_holders(words) if isinstance(words, str) else ():
            holders.setdefault(name, {})[holder] = None
        parts = layer_names.parts(layer.name)
        times = Counter(parts) | Counter(known.all)  # the greater of both counts
        named = (part for part in parts if self._graph.model.named(part))
        for name in dict.fromkeys(known.all or known.ends or named):
            found.nodes |= self._named(name, layer, found, holders.get(name, {}), times[name])
        return found

    def _named(
        self, name: str, layer: Layer, found: Found, holders: Collection[str], times: int
    ) -> set[int]:
        """The nodes that a name means.

        For nodes inside of an If, a Loop or a function it is the nodes that hold them. `times` is
        how often the layer has the name.
        """
        model, places = self._graph.model, self._graph.holder
        tops = {places[node.number]: node.parent is not None for node in model.named(name)}
        for number in self._inside_functions.get(name, ()):
            tops.setdefault(number, True)
        around = {places[n.number] for holder in holders if holder for n in model.named(holder)}
        if around and (outer := around & tops.keys() or around):
            outside = (number for number, inside in tops.items() if not inside and "" in holders)
            tops = {**dict.fromkeys(outer, True), **dict.fromkeys(outside, False)}
        if not tops:
            found.missing[name] = None
            return set()
        if len(tops) > max(1, len(holders)):
            beside = [number for number in tops if self._beside(number, layer)]
            if len(beside) == times and not is_myelin(layer):
                tops = {number: tops[number] for number in beside}
            else:
                found.shared[name] = None
        for number, inside in tops.items():
            if inside:
                found.held[f"{self._graph.name(number)} ({self._graph.nodes[number].op_type})"] = (
                    None
                )
        return set(tops)

    def _beside(self, number: int, layer: Layer) -> bool:
        """Whether the node reads or writes a tensor of the layer."""
        read, written = (_names(side) for side in (layer.inputs, layer.outputs))
        outputs = self._graph.nodes[number].output
        return not read.isdisjoint(self._graph.reads[number]) or not written.isdisjoint(outputs)

    @cached_property
    def _inside_functions(self) -> dict[str, list[int]]:
        """The nodes that call the function that has a node of each name."""
        known = functions(self._graph.model.proto)
        callers: dict[str, list[int]] = {}
        for number, node in enumerate(self._graph.nodes if known else ()):
            names: dict[str, None] = {}
            todo = [node]
            seen = set()
            while todo:
                inner = todo.pop()
                key = function_key(inner)
                body = list(known[key].node) if key in known and key not in seen else []
                seen.add(key)
                body += [node_inside for graph in subgraphs(inner) for node_inside in graph.node]
                names.update(
                    (name, None) for node_inside in body if (name := parsed_name(node_inside))
                )
                todo += body
            if function_key(node) in known:
                for name in names:
                    callers.setdefault(name, []).append(number)
        return callers


def quantised(layers: Iterable[Layer]) -> Quantised:
    """Whether the layers read and write quantised values."""
    listed = list(layers)
    reads = list(_quantised(tensor for layer in listed for tensor in layer.inputs))
    writes = _quantised(tensor for layer in listed for tensor in layer.outputs)
    return Quantised(
        reads=True in reads,
        writes=True in writes,
        inside=True not in reads and None in reads,
    )


def _quantised(tensors: Iterable[Tensor]) -> Iterator[bool | None]:
    """Whether each tensor is quantised; None where its type is not known."""
    for tensor in tensors:
        bits = data_types.bits(tensor.dtype)
        yield None if tensor.dtype is None else bits is not None and bits <= 8


def _names(tensors: Iterable[Tensor]) -> set[str]:
    return {without_profile(tensor.name) for tensor in tensors}
