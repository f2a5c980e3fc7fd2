"""Nodes for what flows into an engine and out of it.

takes: a `View`
gives: a `Port` for every tensor at an end of it
never: draws a layer or a line
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import Kind
from engine_layer_visualize.analysis.subgraph import Stub, View, read_name
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.outputs.dot.edges import Tensors
from engine_layer_visualize.outputs.dot.labels import (
    described,
    outline,
    port_label,
    quoted,
    tooltip,
)
from engine_layer_visualize.outputs.dot.syntax import Node
from engine_layer_visualize.outputs.theme import Theme
from engine_layer_visualize.trt.layer_names import split_profile

_LISTED: Final = 24  # layers beyond a stub that its tooltip names


@dataclass(frozen=True, slots=True)
class Port:
    """A node for one tensor at one end of the engine, or of the view. `entry`: it flows into
    layers."""

    id: str
    kind: Kind
    name: str
    tensor: Tensor | None
    entry: bool
    profile: int
    beyond: tuple[Layer, ...] = ()  # of a stub: the layers that are not shown

    @property
    def word(self) -> str:
        if self.beyond:
            whom = f"layer {self.beyond[0].index}"
            if len(self.beyond) > 1:
                whom = f"{len(self.beyond)} layers"
            return f"{'from' if self.entry else 'to'} {whom}, not shown"
        if self.kind == "port":
            return "engine input" if self.entry else "engine output"
        return self.kind

    def node(self, theme: Theme) -> Node:
        mark = theme.marks[self.kind]
        told = described(self.tensor) if self.tensor is not None else self.name
        words = self.word if self.kind == "port" else f"{self.word}: {mark.words}"
        others = [f"layer {layer.index}: {layer.name}" for layer in self.beyond[:_LISTED]]
        if len(self.beyond) > _LISTED:
            others.append(f"and {len(self.beyond) - _LISTED} more layers")
        attributes = {
            "label": port_label(self.name, self.word, self.tensor, mark.fill, theme),
            "tooltip": tooltip(told, words, *others),
            "fillcolor": quoted(mark.fill),
            **outline(mark, "rounded,filled"),
        }
        return Node(self.id, attributes)


class Ends:
    """The ports of a view, by the tensors' names. `drawn`: the edges that have a line."""

    def __init__(
        self, view: View, drawn: Iterable[Edge], tensors: Tensors, profiles: Sequence[int]
    ) -> None:
        self._view, self._tensors, self._profiles = view, tensors, profiles
        self.entries: dict[str, Port] = {}
        self.exits: dict[str, Port] = {}
        # Which layer prints a tensor that is an input (True) or output: it may be hidden.
        self._printed: dict[tuple[str, bool], int | None] = {}
        if view.hidden:
            for edge in view.engine.graph.edges:
                if edge.source is None:
                    self._printed.setdefault((edge.tensor, True), edge.target)
                if edge.target is None:
                    self._printed.setdefault((edge.tensor, False), edge.source)
        self._find(drawn)
        self.stubs = tuple(map(self._stub, range(len(view.stubs)), view.stubs))

    @property
    def ports(self) -> tuple[Port, ...]:
        return (*self.entries.values(), *self.exits.values(), *self.stubs)

    def _find(self, drawn: Iterable[Edge]) -> None:
        graph = self._view.engine.graph
        unresolved, unused = frozenset(graph.unresolved), frozenset(graph.unused)
        for edge in drawn:
            if edge.source is None and edge.tensor not in self.entries:
                self._add(edge.tensor, True, edge.tensor in unresolved, edge.target)
            if edge.target is None and (name := read_name(edge)) not in self.exits:
                self._add(name, False, name in unused, edge.source)
        # Named by the log and touched by no layer (shape tensors): they are there all the same.
        for names, ports, entry in (
            (self._view.inputs, self.entries, True),
            (self._view.outputs, self.exits, False),
        ):
            bare = {split_profile(name)[0] for name in ports}
            for name in names:
                if name not in ports and name not in bare:
                    self._add(name, entry, False, None)

    def _add(self, name: str, entry: bool, loose: bool, layer: int | None) -> None:
        ports = self.entries if entry else self.exits
        kind_: Kind = "port"
        if loose:
            kind_ = "unresolved" if entry else "unused"
        word = kind_ if loose else "input" if entry else "output"
        prints = self._printed.get((name, entry), layer)
        named = self._tensors.read if entry else self._tensors.written
        ports[name] = Port(
            id=f"{word}_{len(ports)}",
            kind=kind_,
            name=name,
            tensor=named(prints, name),
            entry=entry,
            profile=self._profiles[layer] if self._profiles and layer is not None else 0,
        )

    def _stub(self, number: int, stub: Stub) -> Port:
        named = self._tensors.read if stub.entering else self._tensors.written
        return Port(
            id=f"stub_{number}",
            kind="stub",
            name=stub.tensor,
            tensor=named(stub.inside[0], stub.tensor),
            entry=stub.entering,
            profile=self._profiles[stub.inside[0]] if self._profiles else 0,
            beyond=tuple(self._view.engine.layers[index] for index in stub.outside),
        )
