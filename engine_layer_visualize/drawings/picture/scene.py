"""Lists the boxes and wires of a picture, without positions.

A wire is an edge of the drawing: hidden layers are left out, and blocks that repeat may be folded
into one. Each layer is in exactly one box, or a mark at one.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.layer_kinds import Kind, kind
from engine_layer_visualize.analysis.optimization_profiles import optimization_profiles
from engine_layer_visualize.analysis.repeated_blocks import Repeat
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.views.endpoints import Endpoint, Endpoints, dtype_of
from engine_layer_visualize.views.subgraph import RoutedEdge, View, read_name

_NONE: Final[Mapping[int, int]] = {}


class SceneBox(NamedTuple):
    """A layer, or the layers at one place of several alike blocks, or an end of the engine."""

    id: str  # unique and ASCII
    kind: Kind
    layers: tuple[Layer, ...]  # empty where there is an `end`
    profile: int
    end: Endpoint | None = None
    marks: tuple[Layer, ...] = ()  # layers without a kernel, which stand on its lines


class Wire(NamedTuple):
    """A tensor from box to box."""

    source: int
    target: int
    net: int  # the same for all wires of one tensor of one box
    tensor: str
    written: Tensor | None  # as the record of its writer prints it
    read: Tensor | None  # as the record of its reader prints it
    jump: bool = False  # a jump of control flow, which carries no tensor
    hops: int = 0  # hidden layers that it runs through

    @property
    def dtype(self) -> str | None:
        """The data type of the tensor."""
        return dtype_of(self.written, self.read)


class Scene(NamedTuple):
    """What of a view is drawn."""

    view: View
    layers: tuple[Layer, ...]  # that are boxes
    # In order of execution: an input before its first reader, an output after its last writer.
    boxes: tuple[SceneBox, ...]
    wires: tuple[Wire, ...]
    box_of: dict[int, int]  # of each layer, by its index in the engine
    folded: tuple[Repeat, ...]  # whose blocks are shown as one
    profiles: tuple[int, ...]  # numbers of the optimisation profiles; empty where there is one


def scene(view: View, hosts: Mapping[int, int] = _NONE, folded: Sequence[Repeat] = ()) -> Scene:
    """Returns what of `view` is drawn.

    Args:
        view: What is shown.
        hosts: For each layer that is a mark the layer at whose box it stands.
        folded: Repeats, among the layers that are boxes, whose blocks are drawn as one.
    """
    return _Maker(view, hosts, folded).scene()


class _Maker:
    """Makes the scene of one view."""

    def __init__(self, view: View, hosts: Mapping[int, int], folded: Sequence[Repeat]) -> None:
        self.view = view
        self.hosts = hosts
        self.layers = tuple(layer for layer in view.layers if layer.index not in hosts)
        self.folded = tuple(folded)
        numbers = optimization_profiles(view.engine.layers)
        self.profile_of = dict(enumerate(numbers))
        self.ends = Endpoints(view, numbers)
        self.place: dict[str, float] = {}  # where a box stands in the order of execution
        self.boxes: dict[str, SceneBox] = {}
        self.id_of: dict[int, str] = {}
        self.block_of = {
            self.layers[position].index: (number, i)
            for number, repeat in enumerate(folded)
            for i, (begin, stop) in enumerate(repeat.blocks)
            for position in range(begin, stop)
        }

    def scene(self) -> Scene:
        """Returns the scene."""
        self._layers()
        for end in self.ends.all:
            self._add(SceneBox(end.id, end.kind, (), end.profile, end), end.place)
        order = sorted(self.boxes, key=self.place.__getitem__)
        number = {id: position for position, id in enumerate(order)}
        profiles = sorted({box.profile for box in self.boxes.values()}) if self.profile_of else []
        return Scene(
            self.view,
            self.layers,
            tuple(self.boxes[id] for id in order),
            tuple(self._wires(number)),
            {index: number[id] for index, id in self.id_of.items()},
            self.folded,
            tuple(profiles) if len(profiles) > 1 else (),
        )

    # ---- boxes

    def _layers(self) -> None:
        groups = [[layer] for layer in self.layers]
        marks: dict[int, list[Layer]] = defaultdict(list)
        for layer in self.view.layers:
            if layer.index in self.hosts:
                marks[self.hosts[layer.index]].append(layer)
        for repeat in self.folded:
            for begin, stop in repeat.blocks[1:]:
                for offset in range(stop - begin):
                    groups[repeat.first + offset] += groups[begin + offset]
                    groups[begin + offset] = []
        for group in groups:
            if group:
                index, profile = group[0].index, self.profile_of.get(group[0].index, 0)
                on_lines = tuple(mark for layer in group for mark in marks[layer.index])
                box = SceneBox(
                    f"layer_{index}", kind(group[0]), tuple(group), profile, marks=on_lines
                )
                self._add(box, index)
                self.id_of.update((layer.index, box.id) for layer in (*group, *on_lines))

    def _add(self, box: SceneBox, place: float) -> None:
        self.boxes[box.id] = box
        self.place[box.id] = place

    # ---- wires

    def _wires(self, number: dict[str, int]) -> Iterable[Wire]:
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int, str]] = set()  # source, target, tensor or slot
        for edge in self.ends.edges:
            source, target = number[self._source(edge)], number[self._target(edge)]
            written, read = self.ends.tensors.of(edge)
            # One block stands for all: their equal edges are one, whatever the tensors' names.
            key = source, target, self._slot(edge) if self._inside(edge) else edge.tensor
            if source == target or key in seen or self._carried(edge):
                continue
            seen.add(key)
            net = nets.setdefault((source, edge.tensor), len(nets))
            hops = edge.hops if isinstance(edge, RoutedEdge) else 0
            yield Wire(source, target, net, edge.tensor, written, read, hops=hops)
        for end, stub in zip(self.ends.stubs, self.view.stubs):
            box = number[end.id]
            for index in stub.inside:
                inner = number[self.id_of[index]]
                source, target = (box, inner) if stub.entering else (inner, box)
                if (source, target, stub.tensor) in seen:
                    continue
                seen.add((source, target, stub.tensor))
                net = nets.setdefault((source, stub.tensor), len(nets))
                tensor = self.ends.tensors.named(index, stub.entering, stub.tensor)
                yield Wire(source, target, net, stub.tensor, tensor, tensor)
        for jump in self.view.jumps:
            if jump.source is None or jump.target is None:
                continue
            source, target = number[self.id_of[jump.source]], number[self.id_of[jump.target]]
            net = nets.setdefault((source, f"\0{jump.tensor}"), len(nets))
            if source != target:
                yield Wire(source, target, net, jump.tensor, None, None, jump=True)

    def _source(self, edge: Edge) -> str:
        """Returns the id of the box where an edge begins."""
        if edge.source is None:
            return self.ends.entries[edge.tensor].id
        return self.id_of[edge.source]

    def _target(self, edge: Edge) -> str:
        """Returns the id of the box where an edge ends."""
        if edge.target is None:
            return self.ends.exits[read_name(edge)].id
        return self.id_of[edge.target]

    def _slot(self, edge: Edge) -> str:
        """Returns the position of a tensor among its reader's inputs, or its writer's outputs."""
        index = edge.source if edge.target is None else edge.target
        layer = self.view.engine.layers[index or 0]
        tensors = layer.outputs if edge.target is None else layer.inputs
        name = edge.tensor if edge.target is None else read_name(edge)
        return f"\0{next((i for i, tensor in enumerate(tensors) if tensor.name == name), -1)}"

    def _inside(self, edge: Edge) -> bool:
        """Returns whether an edge touches a box that stands for several layers."""
        return any(
            index is not None and len(self.boxes[self.id_of[index]].layers) > 1
            for index in (edge.source, edge.target)
        )

    def _carried(self, edge: Edge) -> bool:
        """Returns whether an edge runs between two blocks of the same folded repeat."""
        if edge.source is None or edge.target is None or not self.folded:
            return False
        ends = (self.hosts.get(index, index) for index in (edge.source, edge.target))
        source, target = map(self.block_of.get, ends)
        return bool(source and target and source[0] == target[0] and source[1] != target[1])
