"""Lists the boxes and wires of a picture, without positions.

A wire is an edge of the drawing. Each layer is in exactly one box, or a
mark at one. Layers without a kernel are marks of a large picture, repeated blocks are one, and an
engine that is one ForeignNode is shown with what is inside of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from operator import itemgetter
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import inside, kinds, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import Group, folds, groups
from engine_layer_visualize.analysis.inside import Box, Inside
from engine_layer_visualize.analysis.kinds import Kind, kind_of, optimization_profiles
from engine_layer_visualize.analysis.repeats import Repeat, alike, repeats
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.facts.endpoints import Endpoint, Endpoints, dtype_of
from engine_layer_visualize.facts.subgraph import View

_UNFOLDED: Final = 100  # boxes; a larger picture shows the blocks of a repeat as one
MOST: Final = 300  # boxes; where there would be more, blocks and runs of layers are one box each


class Opened(NamedTuple):
    """The layer whose inside is shown."""

    layer: Layer
    inside: Inside
    first: int  # the item that is the first box inside


class Gathered:
    """What is drawn of a view.

    Attributes:
        view: What is shown.
        hosts: For each layer that is a mark the layer at whose box it stands.
        opened: The layer whose inside is shown; None: of no layer.
        items: Layers that are boxes, and, after the opened one, what is inside of it.
        blocks: Repeats among the items, to be marked.
        folded: Those of them whose blocks are drawn as one.
        groups: The items that are one box.
        boxes: How many there are.
    """

    def __init__(self, view: View, options: Options, most: int = MOST) -> None:
        self.view = view
        self.hosts: dict[int, int] = {}
        self.opened: Opened | None = None
        costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
        opened = None
        if not view.outside:  # else each layer was asked for
            opened = _opened(view.layers, origin.frontend_of(costs).node)
            if not options.unfold:
                edges = Endpoints(view, ()).edges
                self.hosts = kinds.hosts_of_marks(view.layers, edges, view.jumps, costs.of)
        layers = tuple(layer for layer in view.layers if layer.index not in self.hosts)
        self.items: tuple[Layer | Box, ...] = layers
        found: tuple[Repeat, ...] | None = None
        if opened is not None:
            layer, held = opened
            first = layers.index(layer) + 1
            self.opened = Opened(layer, held, first)
            self.items = (*layers[:first], *held.boxes, *layers[first:])
            found = tuple(repeat.moved(first) for repeat in inside.blocks(held))
        self.folded: tuple[Repeat, ...] = ()
        if len(self.items) > _UNFOLDED and not options.unfold:
            self.folded = alike(layers) if found is None else found
        self.blocks = self.folded or (repeats(layers) if found is None else found)
        again = sum(each != place for repeat in self.folded for each, place in repeat.placed())
        self.boxes = len(self.items) - again
        self.groups: tuple[Together, ...] = ()
        if self.boxes > most and not options.unfold:
            self.folded = self.blocks = ()
            if self.opened is None:
                self.groups = tuple(_folded(view, layers, costs, most))
            else:
                self.groups = tuple(_inner_folded(self.opened, most - len(layers)))
            self.boxes = len(self.items) - sum(len(each.items) - 1 for each in self.groups)


class Together(NamedTuple):
    """Items that are one box."""

    name: str
    items: tuple[int, ...]  # their places


def _folded(view: View, boxes: Sequence[Layer], costs: Costs, most: int) -> Iterator[Together]:
    """Yields what is one box in a picture of few boxes: modules, blocks, runs of layers."""
    layers = view.engine.layers
    profiles = [costs.profile_of(layer) for layer in layers]
    indices = [layer.index for layer in boxes]
    ends = len(Endpoints(view, ()).all)
    place = {index: place for place, index in enumerate(indices)}
    for group in folds(groups(layers, profiles), indices, ends, costs.profile, most).closed():
        inside = tuple(place[index] for index in group.layers if index in place)
        if len(inside) > 1:
            yield Together(group.label, inside)


def _inner_folded(opened: Opened, most: int) -> Iterator[Together]:
    """Yields the same of the boxes inside of the opened layer."""
    held = opened.inside
    made = [
        Group(group.path, group.label, places, None, 0)
        for group, places in zip(held.groups, held.members())
    ]
    for group in folds(made, range(len(held.boxes)), 0, 0, max(1, most)).closed():
        yield Together(group.label, tuple(opened.first + place for place in group.layers))


def _opened(layers: Sequence[Layer], node: str) -> tuple[Layer, Inside] | None:
    """Returns the layer whose inside is shown, and that."""
    known = {layer.index: held for layer in layers if (held := inside.inside(layer, node=node))}
    index = inside.opened(layers, known)
    return next(((layer, known[index]) for layer in layers if layer.index == index), None)


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
    net: int  # the same for all wires of one tensor of one box
    tensor: str
    written: Tensor | None  # as the record of its writer prints it
    read: Tensor | None  # as the record of its reader prints it
    jump: bool = False  # a jump of control flow, which carries no tensor

    @property
    def dtype(self) -> str | None:
        """The data type of the tensor."""
        return dtype_of(self.written, self.read)


class Scene(NamedTuple):
    """The boxes and wires that are drawn of a view."""

    view: View
    # In order of execution: an input before its first reader, an output after its last writer.
    boxes: tuple[SceneBox, ...]
    wires: tuple[Wire, ...]
    # Pairs (from, to) of boxes without a wire, of which the second stands below the first.
    ties: tuple[tuple[int, int], ...]
    places: tuple[int, ...]  # the box of each item of `Gathered`
    folded: tuple[Repeat, ...]  # whose blocks are shown as one
    profiles: tuple[int, ...]  # numbers of the optimisation profiles; empty where there is one


def scene(gathered: Gathered) -> Scene:
    """Returns what is drawn."""
    return _Maker(gathered).scene()


class _Maker:
    """Makes the scene of one view."""

    def __init__(self, gathered: Gathered) -> None:
        self.gathered = gathered
        self.view = view = gathered.view
        self.opened = gathered.opened
        numbers = optimization_profiles(view.engine.layers)
        self.profile_of = dict(enumerate(numbers))
        self.ends = Endpoints(view, numbers)
        self.boxes: tuple[SceneBox, ...] = ()
        self.number: dict[str, int] = {}  # of a box, by its id
        self.of: dict[int, int] = {}  # the number of the box of each layer, by its index
        self.places = [0] * len(gathered.items)  # the number of the box of each item
        # By item: the folded repeat, and which of its blocks.
        self.block_of = {
            position: (number, i)
            for number, repeat in enumerate(gathered.folded)
            for i, (begin, stop) in enumerate(repeat.blocks)
            for position in range(begin, stop)
        }
        self.position = {
            item.index: position
            for position, item in enumerate(gathered.items)
            if isinstance(item, Layer)
        }

    def scene(self) -> Scene:
        """Returns the scene."""
        found = [*self._boxes()]
        for end in self.ends.all:
            found.append((end.place, SceneBox(end.id, end.kind, (), end.profile, end), []))
        found.sort(key=itemgetter(0))
        self.boxes = tuple(box for _, box, _ in found)
        for number, (_, box, items) in enumerate(found):
            self.number[box.id] = number
            self.of.update((layer.index, number) for layer in (*box.layers, *box.marks))
            for item in items:
                self.places[item] = number
        wires = (*self._wires(), *self._inner_wires())
        ties = tuple(self._ties(wires))
        profiles = {box.profile for box in self.boxes} if self.profile_of else set()
        several = tuple(sorted(profiles)) if len(profiles) > 1 else ()
        folded, places = self.gathered.folded, tuple(self.places)
        return Scene(self.view, self.boxes, wires, ties, places, folded, several)

    def _boxes(self) -> Iterator[tuple[float, SceneBox, list[int]]]:
        """Yields place in the order of execution, box and items of what is no end."""
        groups = [[position] for position in range(len(self.places))]
        marks: dict[int, list[Layer]] = defaultdict(list)
        for layer in self.view.layers:
            if layer.index in self.gathered.hosts:
                marks[self.gathered.hosts[layer.index]].append(layer)
        for repeat in self.gathered.folded:
            for position, shown in repeat.placed():
                if position != shown:
                    groups[shown] += groups[position]
                    groups[position] = []
        names: dict[int, str] = {}
        for together in self.gathered.groups:
            first, *others = together.items
            names[first] = together.name
            groups[first] += others
            for position in others:
                groups[position] = []
        for group in filter(None, groups):
            items = [self.gathered.items[position] for position in group]
            layers = tuple(item for item in items if isinstance(item, Layer))
            inner = tuple(item for item in items if isinstance(item, Box))
            if layers:
                index, kind = layers[0].index, kind_of(layers[0])
                own = tuple(mark for layer in layers for mark in marks.get(layer.index, ()))
                profile = self.profile_of.get(index, 0)
                kind, name = ("layer", names[group[0]]) if group[0] in names else (kind, "")
                box = SceneBox(f"layer_{index}", kind, layers, profile, marks=own, name=name)
                yield index, box, group
            elif self.opened is not None:
                index = self.opened.layer.index
                number = group[0] - self.opened.first + 1
                # Before what is half a layer further.
                place = index + number / (2 * len(self.places) + 2)
                profile = self.profile_of.get(index, 0)
                name = names.get(group[0], "")
                box = SceneBox(
                    f"layer_{index}_{number}", "layer", (), profile, inner=inner, name=name
                )
                yield place, box, group

    def _wires(self) -> Iterator[Wire]:
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int, str]] = set()  # source, target, tensor or slot
        for edge, source, target in self._edges():
            # One block stands for all: their equal edges are one, whatever the tensors' names.
            key = source, target, self._slot(edge) if self._inside(edge) else edge.tensor
            if source == target or key in seen or self._carried(edge):
                continue
            seen.add(key)
            net = nets.setdefault((source, edge.tensor), len(nets))
            written, read = self.ends.tensors.of(edge)
            yield Wire(source, target, net, edge.tensor, written, read)
        for end, stub in zip(self.ends.stubs, self.view.stubs):
            for index in stub.inside:
                pair = self.number[end.id], self.of[index]
                source, target = pair if stub.entering else pair[::-1]
                if (source, target, stub.tensor) in seen:
                    continue
                seen.add((source, target, stub.tensor))
                net = nets.setdefault((source, stub.tensor), len(nets))
                tensor = self.ends.tensors.named(index, stub.entering, stub.tensor)
                yield Wire(source, target, net, stub.tensor, tensor, tensor)
        for jump in self.view.jumps:
            if jump.source is None or jump.target is None:
                continue
            source, target = self.of[jump.source], self.of[jump.target]
            net = nets.setdefault((source, f"\0{jump.tensor}"), len(nets))
            if source != target:
                yield Wire(source, target, net, jump.tensor, None, None, jump=True)

    def _edges(self) -> Iterator[tuple[Edge, int, int]]:
        """Yields edges with the numbers of the boxes at both ends.

        An edge of the opened layer ends at the boxes inside that read the tensor, or write it.
        """
        reads: dict[str, list[int]] = defaultdict(list)
        writes: dict[str, list[int]] = defaultdict(list)
        index = -1
        if self.opened is not None:
            index = self.opened.layer.index
            for source, target, tensor in self.opened.inside.edges:
                if source is None and target is not None:
                    reads[tensor].append(self.places[self.opened.first + target])
                elif source is not None and target is None:
                    writes[tensor].append(self.places[self.opened.first + source])
        for edge in self.ends.edges:
            if edge.source is None:
                froms = [self.number[self.ends.entries[edge.tensor].id]]
            else:
                froms = [self.of[edge.source]]
            if edge.target is None:
                tos = [self.number[self.ends.exits[edge.tensor].id]]
            else:
                tos = [self.of[edge.target]]
            if edge.source == index:
                froms = writes.get(edge.tensor) or froms
            if edge.target == index:
                tos = reads.get(edge.tensor) or tos
            for source, target in product(froms, tos):
                yield edge, source, target

    def _inner_wires(self) -> Iterator[Wire]:
        """Yields the wires between the boxes inside of the opened layer."""
        if self.opened is None:
            return
        first = self.opened.first
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int]] = set()
        for a, b, name in self.opened.inside.edges:
            if a is None or b is None or self._leads_on(first + a, first + b):
                continue
            source, target = self.places[first + a], self.places[first + b]
            if source != target and (source, target) not in seen:
                seen.add((source, target))
                net = nets.setdefault((source, name), len(nets))
                yield Wire(source, target, -1 - net, name, None, None)

    def _ties(self, wires: Sequence[Wire]) -> Iterator[tuple[int, int]]:
        """Yields what keeps the inside of the opened layer below its box, and above its readers."""
        if self.opened is None:
            return
        layer, inside, first = self.opened
        last = own = self.of[layer.index]
        read = {wire.target for wire in wires}
        for box in dict.fromkeys(self.places[first : first + len(inside.boxes)]):
            if box not in read:
                yield last, box
                last = box
        yield from ((last, wire.target) for wire in wires if wire.source == own != last)

    def _slot(self, edge: Edge) -> str:
        """Returns the position of a tensor among its reader's inputs, or its writer's outputs."""
        index = edge.source if edge.target is None else edge.target
        layer = self.view.engine.layers[index or 0]
        tensors = layer.outputs if edge.target is None else layer.inputs
        return (
            f"\0{next((i for i, tensor in enumerate(tensors) if tensor.name == edge.tensor), -1)}"
        )

    def _inside(self, edge: Edge) -> bool:
        """Returns whether an edge touches a box that stands for several layers."""
        ends = (index for index in (edge.source, edge.target) if index is not None)
        return any(len(self.boxes[self.of[index]].layers) > 1 for index in ends)

    def _carried(self, edge: Edge) -> bool:
        """Returns whether an edge runs between two blocks of the same folded repeat."""
        if edge.source is None or edge.target is None or not self.block_of:
            return False
        hosts = self.gathered.hosts
        ends = (hosts.get(index, index) for index in (edge.source, edge.target))
        return self._leads_on(*(self.position[index] for index in ends))

    def _leads_on(self, source: int, target: int) -> bool:
        """Returns whether these items are of two blocks of the same folded repeat."""
        a, b = self.block_of.get(source), self.block_of.get(target)
        return bool(a and b and a[0] == b[0] and a[1] != b[1])
