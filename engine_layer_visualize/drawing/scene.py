"""Lists the boxes and wires of a picture, without positions.

A wire is an edge of the drawing. Each layer is in exactly one box, or a mark at one. Layers without
a kernel are marks of a large picture, repeated blocks are one, and an engine that is a single
ForeignNode is shown with what is inside of it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from operator import itemgetter
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import inside, kinds, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import Group, folds, groups
from engine_layer_visualize.analysis.inside import Box, Inside
from engine_layer_visualize.analysis.kinds import Kind, kind_of
from engine_layer_visualize.analysis.repeats import Repeat, alike, repeats
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.facts.subgraph import Endpoint, Endpoints, View, dtype_of

_UNFOLDED: Final = 100  # boxes; a larger picture shows the blocks of a repeat as one
MOST: Final = 300  # boxes; where there would be more, blocks and runs of layers are one box each


class Opened(NamedTuple):
    """A layer with its inside."""

    layer: Layer
    inside: Inside
    first: int  # the number of the first box inside: of an item of a scene, of a node of the page

    def between(self) -> Iterator[tuple[int, int, str]]:
        """Yields the edges between boxes inside: from, to, tensor."""
        for a, b, tensor in self.inside.edges:
            if a is not None and b is not None:
                yield self.first + a, self.first + b, tensor

    def ends(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Returns by tensor the boxes inside that read it from outside, and that write it to it."""
        reads: dict[str, list[int]] = defaultdict(list)
        writes: dict[str, list[int]] = defaultdict(list)
        for a, b, tensor in self.inside.edges:
            if a is None and b is not None:
                reads[tensor].append(self.first + b)
            elif a is not None and b is None:
                writes[tensor].append(self.first + a)
        return reads, writes


class SceneBox(NamedTuple):
    """A layer, or the layers at one place of several alike blocks, or an end of the engine.

    Or what is inside of a layer.
    """

    id: str  # unique and ASCII
    kind: Kind
    layers: tuple[Layer, ...]  # empty where there is an `end`
    profile: int
    end: Endpoint | None = None
    marks: tuple[Layer, ...] = ()  # layers without a kernel, which stand on its lines
    inner: tuple[Box, ...] = ()  # inside of the opened layer; it has no layers of its own then
    name: str = ""  # of the group whose layers these are


class Wire(NamedTuple):
    """A tensor from box to box."""

    source: int
    target: int
    tensor: str
    written: Tensor | None  # as the record of its writer prints it
    read: Tensor | None  # as the record of its reader prints it
    jump: bool = False  # a jump of control flow, which carries no tensor
    inner: bool = False  # inside of the opened layer

    @property
    def net(self) -> tuple[bool, bool, str]:
        """What is the same for all wires of one tensor of one box."""
        return self.jump, self.inner, self.tensor

    @property
    def dtype(self) -> str | None:
        """The data type of the tensor."""
        return dtype_of(self.written, self.read)


class Scene:
    """The boxes and wires that are drawn of a view.

    Attributes:
        view: What is shown.
        opened: The layer whose inside is shown; None: of no layer.
        items: Layers that are boxes, and, after the opened one, what is inside of it.
        blocks: Repeats among the items, to be marked.
        folded: Those of them whose blocks are drawn as one.
        grouped: Whether several items are one box each, with a name.
        boxes: In order of execution: an input before its first reader, an output after its last
            writer.
        places: The box of each item.
        wires: Each from box to box.
        ties: Pairs (from, to) of boxes without a wire, of which the second stands below the first.
        profiles: Numbers of the optimisation profiles; empty where there is one.
    """

    def __init__(self, view: View, costs: Costs, unfold: bool = False, most: int = MOST) -> None:
        self.view, self._costs = view, costs
        self._ends = Endpoints(view, costs.profile_of_each)
        self._choose(unfold, most)
        self.grouped = bool(self._names)
        # By layer: its item; of a mark that of the layer at whose box it stands.
        places = enumerate(self.items)
        self._item_of = {item.index: n for n, item in places if isinstance(item, Layer)}
        self._item_of |= {mark: self._item_of[host] for mark, host in self._hosts.items()}
        # By item: the folded repeat, and which of its blocks.
        self._block_of = {
            position: (number, i)
            for number, repeat in enumerate(self.folded)
            for i, (begin, stop) in enumerate(repeat.blocks)
            for position in range(begin, stop)
        }
        found = sorted(self._boxes(), key=itemgetter(0))
        self.boxes = tuple(box for _, box, _ in found)
        self._number = {box.id: number for number, box in enumerate(self.boxes)}
        place_of = {item: number for number, (_, _, items) in enumerate(found) for item in items}
        self.places = tuple(place_of[item] for item in range(len(self.items)))
        wires: dict[tuple[int, int, bool, bool, object], Wire] = {}
        for key, wire in self._wires():
            if wire.source != wire.target:
                between = wire.source, wire.target, wire.jump, wire.inner
                wires.setdefault((*between, key), wire)
        self.wires = tuple(wires.values())
        self.ties = tuple(self._ties())
        profiles = sorted({box.profile for box in self.boxes})
        self.profiles = tuple(profiles) if len(profiles) > 1 else ()

    def _choose(self, unfold: bool, most: int) -> None:
        """Chooses the items, and which of them are one box."""
        view, costs = self.view, self._costs
        self._hosts: dict[int, int] = {}  # of each layer that is a mark the layer at whose box
        self._names: dict[int, str] = {}  # of boxes that are groups, by their first item
        if not view.outside and not unfold:  # else each layer was asked for
            edges = self._ends.edges
            self._hosts = kinds.hosts_of_marks(view.layers, edges, view.jumps, costs.of)
        layers = tuple(layer for layer in view.layers if layer.index not in self._hosts)
        self.items: tuple[Layer | Box, ...] = layers
        self.opened = None if view.outside else _opened(costs, view.layers, layers)
        found: tuple[Repeat, ...] | None = None
        if self.opened is not None:
            _, held, first = self.opened
            self.items = (*layers[:first], *held.boxes, *layers[first:])
            found = tuple(repeat.moved(first) for repeat in inside.blocks(held))
        self.folded: tuple[Repeat, ...] = ()
        if len(self.items) > _UNFOLDED and not unfold:
            self.folded = alike(layers) if found is None else found
        self.blocks = self.folded or (repeats(layers) if found is None else found)
        self._first_of = list(range(len(self.items)))  # the first of the items that are one box
        for repeat in self.folded:
            for position, shown in repeat.placed():
                self._first_of[position] = shown
        if len(set(self._first_of)) > most and not unfold:
            self.folded = self.blocks = ()
            self._first_of = list(range(len(self.items)))
            for name, (first, *others) in self._groups(layers, most):
                self._names[first] = name
                for other in others:
                    self._first_of[other] = first

    def _groups(self, layers: Sequence[Layer], most: int) -> Iterator[tuple[str, list[int]]]:
        """Yields what is one box in a picture of few boxes: modules, blocks, runs of layers."""
        if self.opened is not None:
            _, held, first = self.opened
            made = [
                Group(group.path, group.label, places)
                for group, places in zip(held.groups, held.members())
            ]
            room = max(1, most - len(layers))
            for inner in folds(made, range(len(held.boxes)), 0, 0, room).closed():
                yield inner.label, [first + place for place in inner.layers]
            return
        costs, every = self._costs, self.view.engine.layers
        place = {layer.index: place for place, layer in enumerate(layers)}
        of_layers = groups(every, [costs.profile_of(layer) for layer in every])
        ends = len(self._ends.all)
        for group in folds(of_layers, [*place], ends, costs.profile, most).closed():
            members = [place[index] for index in group.layers if index in place]
            if len(members) > 1:
                yield group.label, members

    def _boxes(self) -> Iterator[tuple[float, SceneBox, list[int]]]:
        """Yields boxes with their place in the order of execution, and their items."""
        for end in self._ends.all:
            yield end.place, SceneBox(end.id, end.kind, (), end.profile, end), []
        marks: dict[int, list[Layer]] = defaultdict(list)
        for layer in self.view.layers:
            if layer.index in self._hosts:
                marks[self._hosts[layer.index]].append(layer)
        members: dict[int, list[int]] = defaultdict(list)
        for position, first in enumerate(self._first_of):
            members[first].append(position)
        profile_of = self._costs.profile_of
        for first, positions in members.items():
            items = [self.items[position] for position in positions]
            layers = tuple(item for item in items if isinstance(item, Layer))
            inner = tuple(item for item in items if isinstance(item, Box))
            own = tuple(mark for layer in layers for mark in marks[layer.index])
            name = self._names.get(first, "")
            kind: Kind = kind_of(layers[0]) if layers and not name else "layer"
            if self.opened is None or layers:
                outer, number, id = layers[0], 0, f"layer_{layers[0].index}"
            else:
                outer, number = self.opened.layer, first - self.opened.first + 1
                id = f"layer_{outer.index}_{number}"
            # What is inside of a layer stands before what is half a layer further.
            place = outer.index + number / (2 * len(self.items) + 2)
            profile = profile_of(outer)
            yield place, SceneBox(id, kind, layers, profile, None, own, inner, name), positions

    def _wires(self) -> Iterator[tuple[object, Wire]]:
        """Yields wires with keys: of those of one key between two boxes the first is kept."""
        tensors = self._ends.tensors
        for edge, source, target in self._edges():
            # One block stands for all: their equal edges are one, whatever the tensors' names.
            is_several = any(len(self.boxes[end].layers) > 1 for end in (source, target))
            if not self._carried(edge):
                wire = Wire(source, target, edge.tensor, *tensors.of(edge))
                yield self._slot(edge) if is_several else edge.tensor, wire
        for end, stub in zip(self._ends.stubs, self.view.stubs):
            for index in stub.inside:
                pair = self._number[end.id], self._box_of(index)
                source, target = pair if stub.entering else pair[::-1]
                tensor = tensors.named(index, stub.entering, stub.tensor)
                yield stub.tensor, Wire(source, target, stub.tensor, tensor, tensor)
        for number, jump in enumerate(self.view.jumps):
            if jump.source is not None and jump.target is not None:
                source, target = self._box_of(jump.source), self._box_of(jump.target)
                yield number, Wire(source, target, jump.tensor, None, None, jump=True)
        for a, b, name in self.opened.between() if self.opened is not None else ():
            if not self._leads_on(a, b):  # of several tensors the first
                yield "", Wire(self.places[a], self.places[b], name, None, None, inner=True)

    def _edges(self) -> Iterator[tuple[Edge, int, int]]:
        """Yields edges with the numbers of the boxes at both ends.

        An edge of the opened layer ends at the boxes inside that read the tensor, or write it.
        """
        ends = self._ends
        reads, writes = ({}, {}) if self.opened is None else self.opened.ends()

        def boxes(
            index: int | None, tensor: str, outer: dict[str, Endpoint], inner: dict[str, list[int]]
        ) -> list[int]:
            """Returns those at one side of an edge."""
            if index is None:
                return [self._number[outer[tensor].id]]
            is_opened = self.opened is not None and self.opened.layer.index == index
            items = inner.get(tensor) if is_opened else None
            return [self.places[item] for item in items or [self._item_of[index]]]

        for edge in ends.edges:
            sources = boxes(edge.source, edge.tensor, ends.entries, writes)
            targets = boxes(edge.target, edge.tensor, ends.exits, reads)
            yield from ((edge, *pair) for pair in product(sources, targets))

    def _ties(self) -> Iterator[tuple[int, int]]:
        """Yields what keeps the inside of the opened layer below its box, and above its readers."""
        if self.opened is None:
            return
        layer, held, first = self.opened
        last = own = self._box_of(layer.index)
        read = {wire.target for wire in self.wires}
        for box in dict.fromkeys(self.places[first : first + len(held.boxes)]):
            if box not in read:
                yield last, box
                last = box
        yield from ((last, wire.target) for wire in self.wires if wire.source == own != last)

    def _box_of(self, layer: int) -> int:
        """Returns the number of the box of a layer, by its index."""
        return self.places[self._item_of[layer]]

    def _slot(self, edge: Edge) -> str:
        """Returns the position of a tensor among its reader's inputs, or its writer's outputs."""
        index = edge.source if edge.target is None else edge.target
        layer = self.view.engine.layers[index or 0]
        tensors = layer.outputs if edge.target is None else layer.inputs
        names = [tensor.name for tensor in tensors]
        return f"\0{names.index(edge.tensor) if edge.tensor in names else -1}"

    def _carried(self, edge: Edge) -> bool:
        """Returns whether an edge runs between two blocks of the same folded repeat."""
        if edge.source is None or edge.target is None:
            return False
        return self._leads_on(self._item_of[edge.source], self._item_of[edge.target])

    def _leads_on(self, source: int, target: int) -> bool:
        """Returns whether these items are of two blocks of the same folded repeat."""
        a, b = self._block_of.get(source), self._block_of.get(target)
        return bool(a and b and a[0] == b[0] and a[1] != b[1])


def _opened(costs: Costs, layers: Sequence[Layer], boxes: Sequence[Layer]) -> Opened | None:
    """Returns the layer whose inside is shown, with that; `boxes` are those that are no marks."""
    node = origin.frontend_of(costs).node
    known = {layer.index: held for layer in layers if (held := inside.inside(layer, node=node))}
    index = inside.opened(layers, known)
    found = (Opened(la, known[index], n) for n, la in enumerate(boxes, 1) if la.index == index)
    return next(found, None)
