"""Lists the boxes and wires of a picture, without positions.

A wire is an edge of the drawing. Each layer is in exactly one box, or a mark at one. In a large
picture layers without a kernel are marks, and modules, blocks or runs of layers are one box each.
"""

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import kinds
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import Group, folds, groups
from engine_layer_visualize.analysis.kinds import Kind, kind_of
from engine_layer_visualize.analysis.repeats import repeats
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.facts.subgraph import Endpoint, Endpoints, View, dtype_of

_UNFOLDED: Final = 100  # boxes; in a larger picture groups of layers are one box each


class SceneBox(NamedTuple):
    """A layer, or a group of layers, or an end of the engine."""

    id: str  # unique and ASCII
    kind: Kind
    layers: tuple[Layer, ...]  # empty where there is an `end`
    profile: int
    end: Endpoint | None = None
    marks: tuple[Layer, ...] = ()  # layers without a kernel, which stand on its lines
    name: str = ""  # of the group


class Wire(NamedTuple):
    """A tensor from box to box."""

    source: int
    target: int
    tensor: str
    written: Tensor | None  # as the record of its writer prints it
    read: Tensor | None  # as the record of its reader prints it
    jump: bool = False  # a jump of control flow, which carries no tensor

    @property
    def dtype(self) -> str | None:
        """The data type of the tensor."""
        return dtype_of(self.written, self.read)


class Scene:
    """The boxes and wires that are drawn of a view.

    Attributes:
        view: What is shown.
        items: Layers that are boxes.
        blocks: Repeats among the items, to be marked.
        grouped: Whether several items are one box each, with a name.
        boxes: In order of execution: an input before its first reader, an output after its last
            writer.
        places: The box of each item.
        wires: Each from box to box.
        profiles: Numbers of the optimisation profiles; empty where there is one.
    """

    def __init__(
        self, view: View, costs: Costs, unfold: bool = False, most: int | None = None
    ) -> None:
        """Groups are open that `most` boxes have room for; None: as `folds` decides."""
        self.view, self._costs = view, costs
        self._ends = Endpoints(view, costs.profile_of_each)
        self._choose(unfold, most)
        self.grouped = bool(self._names)
        # By layer: its item; of a mark that of the layer at whose box it stands.
        places = enumerate(self.items)
        self._item_of: dict[int | None, int] = {layer.index: place for place, layer in places}
        self._item_of |= {mark: self._item_of[host] for mark, host in self._hosts.items()}
        found = sorted(self._boxes(), key=itemgetter(0))
        self.boxes = tuple(box for _, box, _ in found)
        self._number = {box.id: number for number, box in enumerate(self.boxes)}
        place_of = {item: number for number, (_, _, items) in enumerate(found) for item in items}
        self.places = tuple(place_of[item] for item in range(len(self.items)))
        wires: dict[tuple[int, int, bool, object], Wire] = {}
        for key, wire in self._wires():
            if wire.source != wire.target:
                wires.setdefault((wire.source, wire.target, wire.jump, key), wire)
        self.wires = tuple(wires.values())
        profiles = sorted({box.profile for box in self.boxes})
        self.profiles = tuple(profiles) if len(profiles) > 1 else ()

    def _choose(self, unfold: bool, most: int | None) -> None:
        """Chooses the items, and which of them are one box."""
        view, costs = self.view, self._costs
        self._hosts: dict[int, int] = {}  # of each layer that is a mark the layer at whose box
        if not view.outside and not unfold:  # else each layer was asked for
            edges = self._ends.edges
            self._hosts = kinds.hosts_of_marks(view.layers, edges, view.jumps, costs.of)
        self.items = tuple(layer for layer in view.layers if layer.index not in self._hosts)
        is_large = len(self.items) > (most or _UNFOLDED) and not unfold
        found = list(self._groups(most)) if is_large else []
        self.blocks = () if found else repeats(self.items)
        # The names of boxes that are groups, by their first item.
        self._names = {members[0]: name for name, members in found}
        # Of each item that shares a box, the first one there.
        first_of = {item: members[0] for _, members in found for item in members}
        each = range(len(self.items))
        self._members = by_key((first_of.get(item, item), item) for item in each)

    def _groups(self, most: int | None) -> Iterator[tuple[str, list[int]]]:
        """Yields what is one box in a picture of few boxes: modules, blocks, runs of layers."""
        costs, every = self._costs, self.view.engine.layers
        place = {layer.index: place for place, layer in enumerate(self.items)}
        of_layers = groups(every, [costs.profile_of(layer) for layer in every])
        ends = len(self._ends.all)
        closed = list(folds(of_layers, [*place], ends, costs.profile, most).closed())
        labels = Counter(group.label for group in closed)
        for group in closed:
            members = [place[index] for index in group.layers if index in place]
            if len(members) > 1:
                yield _head(group, labels[group.label] == 1), members

    def _boxes(self) -> Iterator[tuple[float, SceneBox, list[int]]]:
        """Yields boxes with their place in the order of execution, and their items."""
        for end in self._ends.all:
            yield end.place, SceneBox(end.id, end.kind, (), end.profile, end), []
        hosts = self._hosts
        marks = by_key((hosts[la.index], la) for la in self.view.layers if la.index in hosts)
        for first, members in self._members.items():
            layers = tuple(self.items[item] for item in members)
            own = tuple(mark for layer in layers for mark in marks.get(layer.index, ()))
            name, outer = self._names.get(first, ""), layers[0]
            kind: Kind = "layer" if name else kind_of(outer)
            id, profile = f"layer_{outer.index}", self._costs.profile_of(outer)
            yield outer.index, SceneBox(id, kind, layers, profile, None, own, name), members

    def _wires(self) -> Iterator[tuple[object, Wire]]:
        """Yields wires with keys: of those of one key between two boxes the first is kept."""
        for edge, entry, exit in self._ends.lines():
            source, target = self._box_of(edge.source, entry), self._box_of(edge.target, exit)
            yield edge.tensor, Wire(source, target, edge.tensor, *self._ends.tensors.of(edge))
        for number, jump in enumerate(self.view.jumps):
            source, target = self._box_of(jump.source), self._box_of(jump.target)
            yield number, Wire(source, target, jump.tensor, None, None, jump=True)

    def _box_of(self, layer: int | None, end: Endpoint | None = None) -> int:
        """Returns the number of the box of a layer, by its index; without one of that endpoint."""
        return self.places[self._item_of[layer]] if end is None else self._number[end.id]


def _head(group: Group, alone: bool) -> str:
    """Returns the first line of a group's box: with the name around it, if not alone of its label.

    On the page the same words stand on such a box; here no frame around it says them.
    """
    if group.profile is not None:
        return f"profile {group.profile}"
    return group.label if alone else "/".join(group.path.split("/")[-2:])
