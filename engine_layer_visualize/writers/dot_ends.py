"""Nodes for what flows into an engine and out of it.

takes: a `View`
gives: a `Port` for every tensor at an end of it
never: draws a layer or a line
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine_layer_visualize.model import Edge, Tensor
from engine_layer_visualize.style import Kind, Theme, profile_of
from engine_layer_visualize.view import View
from engine_layer_visualize.writers.dot_label import described, outline, port_label, quoted, tooltip
from engine_layer_visualize.writers.dot_lines import Tensors, read_name
from engine_layer_visualize.writers.dot_statements import Node


@dataclass(frozen=True, slots=True)
class Port:
    """A node for one tensor at one end of the engine. `entry`: it flows into layers."""

    id: str
    kind: Kind
    name: str
    tensor: Tensor | None
    entry: bool
    profile: int

    @property
    def word(self) -> str:
        if self.kind == "port":
            return "engine input" if self.entry else "engine output"
        return self.kind

    def node(self, theme: Theme) -> Node:
        mark = theme.marks[self.kind]
        told = described(self.tensor) if self.tensor is not None else self.name
        words = self.word if self.kind == "port" else f"{self.word}: {mark.words}"
        attributes = {
            "label": port_label(self.name, self.word, self.tensor, mark.fill, theme),
            "tooltip": tooltip(told, words),
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
        self._find(drawn)

    @property
    def ports(self) -> tuple[Port, ...]:
        return (*self.entries.values(), *self.exits.values())

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
            bare = {profile_of(name)[0] for name in ports}
            for name in names:
                if name not in ports and name not in bare:
                    self._add(name, entry, False, None)

    def _add(self, name: str, entry: bool, loose: bool, layer: int | None) -> None:
        ports = self.entries if entry else self.exits
        kind_: Kind = "port"
        if loose:
            kind_ = "unresolved" if entry else "unused"
        word = kind_ if loose else "input" if entry else "output"
        ports[name] = Port(
            id=f"{word}_{len(ports)}",
            kind=kind_,
            name=name,
            tensor=self._tensors.read(layer, name) if entry else self._tensors.written(layer, name),
            entry=entry,
            profile=self._profiles[layer] if self._profiles and layer is not None else 0,
        )
