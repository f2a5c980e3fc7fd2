"""Finds the edges of a view that are drawn, and the tensors at its ends.

`Endpoints` are for DOT, pictures and the page: inputs, outputs, unresolved and unused tensors, and
the ends of cut edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine_layer_visualize.analysis.kinds import Kind
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.facts.subgraph import Stub, View
from engine_layer_visualize.trt.names import without_profile


class Tensors:
    """A layer's tensors by name. Where a record has a name twice, the first counts."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = layers
        self._by_name: dict[tuple[int, bool], dict[str, Tensor]] = {}

    def of(self, edge: Edge) -> tuple[Tensor | None, Tensor | None]:
        """The tensor of an edge in the record of its source, and in that of its target."""
        written = self.named(edge.source, False, edge.tensor)
        return written, self.named(edge.target, True, edge.tensor)

    def named(self, layer: int | None, read: bool, name: str) -> Tensor | None:
        """The tensor `name` among the inputs (`read`) or the outputs of a layer."""
        if layer is None:
            return None
        tensors = self._by_name.get((layer, read))
        if tensors is None:
            record = self._layers[layer]
            listed = record.inputs if read else record.outputs
            tensors = {tensor.name: tensor for tensor in reversed(listed)}
            self._by_name[layer, read] = tensors
        return tensors.get(name)


def seen(written: Tensor | None, read: Tensor | None) -> Tensor | None:
    """The tensor of an edge as its reader prints it.

    It is as its writer prints it where only that has a dtype.
    """
    return written if read is None or (read.dtype is None and written is not None) else read


def dtype_of(written: Tensor | None, read: Tensor | None) -> str | None:
    """The dtype of an edge: the reader's, else the writer's."""
    tensor = seen(written, read)
    return None if tensor is None else tensor.dtype


class Endpoint(NamedTuple):
    """A tensor at one end of the engine, or of the view."""

    id: str  # unique in a drawing
    # `port`: an end of the engine; `unresolved`, `unused`: the other side is missing; `stub`: the
    # edges go on outside the view
    kind: Kind
    name: str
    entry: bool  # whether it flows into layers
    tensor: Tensor | None  # as its layer prints it
    # the first that reads it or the last that writes it; where none does, -1 or the number of
    # layers
    layer: int
    profile: int
    beyond: tuple[Layer, ...] = ()  # of a `stub` the layers outside the view

    @property
    def place(self) -> float:
        """Its position in the order of execution: half a layer before or after `layer`."""
        return self.layer - 0.5 if self.entry else self.layer + 0.5

    @property
    def word(self) -> str:
        """What it is, such as `input`, `no writer listed`, `from layer 3` or `to 2 layers`."""
        if self.beyond:
            several = len(self.beyond) > 1
            whom = f"{len(self.beyond)} layers" if several else f"layer {self.beyond[0].index}"
            return f"{'from' if self.entry else 'to'} {whom}"
        if self.kind == "port":
            return _side(self.entry)
        return "no writer listed" if self.kind == "unresolved" else "no reader listed"


class Endpoints:
    """What is drawn of a view besides its layers.

    Attributes:
        edges: The edges that are drawn.
        entries: The endpoints that flow into layers, by their tensors' names.
        exits: The endpoints that layers write, by their tensors' names.
        stubs: An endpoint for each stub of the view.
    """

    def __init__(self, view: View, profiles: Sequence[int]) -> None:
        self._view, self._profiles = view, profiles
        self.tensors = Tensors(view.engine.layers)
        # Myelin's own weights stay in the tooltips: there would be one on every box.
        constants = frozenset(view.engine.graph.constants)
        self.edges = tuple(
            edge for edge in view.edges if edge.source is not None or edge.tensor not in constants
        )
        touched: dict[bool, dict[str, list[int]]] = {True: {}, False: {}}
        for edge in self.edges:
            if edge.source is None:
                layers = touched[True].setdefault(edge.tensor, [])
                layers += [] if edge.target is None else [edge.target]
            if edge.target is None:
                layers = touched[False].setdefault(edge.tensor, [])
                layers += [] if edge.source is None else [edge.source]
        graph = view.engine.graph
        self.entries = self._side(True, touched[True], view.inputs, graph.unresolved)
        self.exits = self._side(False, touched[False], view.outputs, graph.unused)
        self.stubs = tuple(map(self._stub, range(len(view.stubs)), view.stubs))

    @property
    def all(self) -> tuple[Endpoint, ...]:
        """Entries, exits, stubs."""
        return (*self.entries.values(), *self.exits.values(), *self.stubs)

    def _side(
        self, entry: bool, touched: dict[str, list[int]], names: Sequence[str], loose: Sequence[str]
    ) -> dict[str, Endpoint]:
        """Inputs or outputs by name. `touched`: their layers; `loose`: unresolved or unused."""
        without_other_side = frozenset(loose)
        endpoints: dict[str, Endpoint] = {}
        for name, layers in touched.items():
            kind: Kind = "port"
            if name in without_other_side:
                kind = "unresolved" if entry else "unused"
            endpoints[name] = self._end(len(endpoints), kind, name, entry, layers)
        # Inputs and outputs that no layer reads or writes, such as shape tensors.
        bare = {without_profile(name) for name in endpoints}
        for name in names:
            if name not in endpoints and name not in bare:
                endpoints[name] = self._end(len(endpoints), "port", name, entry, ())
        return endpoints

    def _end(
        self, number: int, kind: Kind, name: str, entry: bool, layers: Sequence[int]
    ) -> Endpoint:
        first, layer = None, -1 if entry else len(self._view.engine.layers)
        if layers:
            first, layer = layers[0], layers[0 if entry else -1]
        return Endpoint(
            f"{_side(entry) if kind == 'port' else kind}_{number}",
            kind,
            name,
            entry,
            self.tensors.named(first, entry, name),
            layer,
            self._profiles[first] if self._profiles and first is not None else 0,
        )

    def _stub(self, number: int, stub: Stub) -> Endpoint:
        first = stub.inside[0]
        return Endpoint(
            f"stub_{number}",
            "stub",
            stub.tensor,
            stub.entering,
            self.tensors.named(first, stub.entering, stub.tensor),
            first if stub.entering else stub.inside[-1],
            self._profiles[first] if self._profiles else 0,
            tuple(self._view.engine.layers[index] for index in stub.outside),
        )


def _side(entry: bool) -> str:
    return "input" if entry else "output"
