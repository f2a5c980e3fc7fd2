"""Lists the boxes and wires of a picture, without positions.

A wire is an edge of the drawing: hidden layers are left out, and blocks that repeat may be folded
into one, as `Gathered` says. Each layer is in exactly one box, or a mark at one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import kinds, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.inside import Box, Inside, blocks, inside, opened
from engine_layer_visualize.analysis.kinds import Kind, kind_of
from engine_layer_visualize.analysis.repeats import Repeat, alike, repeats
from engine_layer_visualize.analysis.times import optimization_profiles
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.core.options import Options
from engine_layer_visualize.facts.endpoints import Endpoint, Endpoints, dtype_of
from engine_layer_visualize.facts.subgraph import RoutedEdge, View, read_name

# ---- chooses what of a view gets a box in a picture ---------------------------------------------

# Layers without a kernel are marks of a large picture, repeated blocks are one, and an engine
# that is
# one ForeignNode is shown with what is inside of it.


_UNFOLDED: Final = 100  # boxes; a larger picture shows the blocks of a repeat as one


class Gathered:
    """What is drawn of a view.

    Attributes:
        view: What is shown.
        hosts: For each layer that is a mark the layer at whose box it stands.
        opened: The layer whose inside is shown; None: of no layer.
        inside: What is inside of it.
        items: Layers that are boxes, and, after the opened one, what is inside of it.
        blocks: Repeats among the items, to be marked.
        folded: Those of them whose blocks are drawn as one.
    """

    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
        self.hosts: dict[int, int] = {}
        self.opened: Layer | None = None
        self.inside: Inside | None = None
        if not view.outside:  # else each layer was asked for
            self._open(origin.frontend_of(costs).node)
        if not view.outside and not options.unfold:
            edges = Endpoints(view, ()).edges
            self.hosts = kinds.hosts_of_marks(view.layers, edges, view.jumps, costs.of)
        layers = tuple(layer for layer in view.layers if layer.index not in self.hosts)
        self.items: tuple[Layer | Box, ...] = layers
        found = None
        if self.opened is not None and self.inside is not None:
            after = layers.index(self.opened) + 1
            self.items = (*layers[:after], *self.inside.boxes, *layers[after:])
            found = tuple(_moved(self.inside, after))
        self.folded: tuple[Repeat, ...] = ()
        if len(self.items) > _UNFOLDED and not options.unfold:
            self.folded = alike(layers) if found is None else found
        self.blocks = self.folded or (repeats(layers) if found is None else found)
        again = sum((len(repeat.blocks) - 1) * repeat.size for repeat in self.folded)
        self.boxes = len(self.items) - again

    def _open(self, node: str) -> None:
        """Sets the layer whose inside is shown."""
        layers = self.view.layers
        known = {layer.index: held for layer in layers if (held := inside(layer, node=node))}
        index = opened(layers, known)
        if index is not None:
            self.inside = known[index]
            self.opened = next(layer for layer in layers if layer.index == index)


def _moved(held: Inside, by: int) -> Iterator[Repeat]:
    """Yields the repeats among the boxes inside of a layer, by their places among the items."""
    for name, spans in blocks(held):
        yield Repeat(name, tuple((first + by, stop + by) for first, stop in spans), True)


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
        self.hosts = gathered.hosts
        numbers = optimization_profiles(view.engine.layers)
        self.profile_of = dict(enumerate(numbers))
        self.ends = Endpoints(view, numbers)
        self.place: dict[str, float] = {}  # where a box stands in the order of execution
        self.boxes: dict[str, SceneBox] = {}
        self.id_of: dict[int, str] = {}  # by the indices of layers
        self.inner_ids: list[str] = []  # of the boxes inside of the opened layer
        self.item_ids = [""] * len(gathered.items)
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
        self._items()
        for end in self.ends.all:
            self._add(SceneBox(end.id, end.kind, (), end.profile, end), end.place)
        order = sorted(self.boxes, key=self.place.__getitem__)
        number = {id: position for position, id in enumerate(order)}
        profiles = sorted({box.profile for box in self.boxes.values()}) if self.profile_of else []
        wires = (*self._wires(number), *self._inner_wires(number))
        return Scene(
            self.view,
            tuple(self.boxes[id] for id in order),
            wires,
            tuple(self._ties(number, wires)),
            tuple(number[id] for id in self.item_ids),
            self.gathered.folded,
            tuple(profiles) if len(profiles) > 1 else (),
        )

    # ---- boxes

    def _items(self) -> None:
        groups = [[position] for position in range(len(self.item_ids))]
        marks: dict[int, list[Layer]] = defaultdict(list)
        for layer in self.view.layers:
            if layer.index in self.hosts:
                marks[self.hosts[layer.index]].append(layer)
        for repeat in self.gathered.folded:
            for begin, stop in repeat.blocks[1:]:
                for offset in range(stop - begin):
                    groups[repeat.first + offset] += groups[begin + offset]
                    groups[begin + offset] = []
        for group in filter(None, groups):
            items = [self.gathered.items[position] for position in group]
            layers = tuple(item for item in items if isinstance(item, Layer))
            inner = tuple(item for item in items if isinstance(item, Box))
            box = self._of_layers(layers, marks) if layers else self._of_inner(group[0], inner)
            for position in group:
                self.item_ids[position] = box.id
        inside = self.gathered.inside
        if inside is not None and self.gathered.opened is not None:
            first = self.position[self.gathered.opened.index] + 1
            self.inner_ids = self.item_ids[first : first + len(inside.boxes)]

    def _of_layers(self, layers: Sequence[Layer], marks: Mapping[int, list[Layer]]) -> SceneBox:
        index = layers[0].index
        on_lines = tuple(mark for layer in layers for mark in marks.get(layer.index, ()))
        profile = self.profile_of.get(index, 0)
        box = SceneBox(f"layer_{index}", kind_of(layers[0]), tuple(layers), profile, marks=on_lines)
        self._add(box, index)
        self.id_of.update((layer.index, box.id) for layer in (*layers, *on_lines))
        return box

    def _of_inner(self, position: int, inner: tuple[Box, ...]) -> SceneBox:
        assert self.gathered.opened is not None
        index = self.gathered.opened.index
        number = position - self.position[index]
        profile = self.profile_of.get(index, 0)
        box = SceneBox(f"layer_{index}_{number}", "layer", (), profile, inner=inner)
        # Before what is half a layer further.
        self._add(box, index + number / (2 * len(self.item_ids) + 2))
        return box

    def _add(self, box: SceneBox, place: float) -> None:
        self.boxes[box.id] = box
        self.place[box.id] = place

    # ---- wires

    def _wires(self, number: dict[str, int]) -> Iterable[Wire]:
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int, str]] = set()  # source, target, tensor or slot
        for edge, from_id, to_id in self._edges():
            source, target = number[from_id], number[to_id]
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

    def _edges(self) -> Iterator[tuple[Edge, str, str]]:
        """Yields edges with the ids of the boxes at both ends.

        An edge of the opened layer ends at the boxes inside that read the tensor, or write it.
        """
        reads: dict[str, list[str]] = defaultdict(list)
        writes: dict[str, list[str]] = defaultdict(list)
        inside, opened = self.gathered.inside, self.gathered.opened
        for source, target, tensor in inside.edges if inside is not None else ():
            if source is None and target is not None:
                reads[tensor].append(self.inner_ids[target])
            elif source is not None and target is None:
                writes[tensor].append(self.inner_ids[source])
        index = opened.index if opened is not None else -1
        for edge in self.ends.edges:
            own = self._source(edge), self._target(edge)
            froms = writes.get(edge.tensor) if edge.source == index else None
            tos = reads.get(read_name(edge)) if edge.target == index else None
            for pair in product(froms or own[:1], tos or own[1:]):
                yield edge, *pair

    def _inner_wires(self, number: dict[str, int]) -> Iterator[Wire]:
        """Yields the wires between the boxes inside of the opened layer."""
        inside, opened = self.gathered.inside, self.gathered.opened
        if inside is None or opened is None:
            return
        first = self.position[opened.index] + 1
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int]] = set()
        for a, b, name in inside.edges:
            if a is None or b is None or self._leads_on(first + a, first + b):
                continue
            source, target = number[self.inner_ids[a]], number[self.inner_ids[b]]
            if source != target and (source, target) not in seen:
                seen.add((source, target))
                net = nets.setdefault((source, name), len(nets))
                yield Wire(source, target, -1 - net, name, None, None)

    def _ties(self, number: dict[str, int], wires: Sequence[Wire]) -> Iterator[tuple[int, int]]:
        """Yields what keeps the inside of the opened layer below its box, and above its readers."""
        opened = self.gathered.opened
        if opened is None:
            return
        last = own = number[self.id_of[opened.index]]
        read = {wire.target for wire in wires}
        for box in dict.fromkeys(number[id] for id in self.inner_ids):
            if box not in read:
                yield last, box
                last = box
        yield from ((last, wire.target) for wire in wires if wire.source == own != last)

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
        if edge.source is None or edge.target is None or not self.block_of:
            return False
        ends = (self.hosts.get(index, index) for index in (edge.source, edge.target))
        return self._leads_on(*(self.position[index] for index in ends))

    def _leads_on(self, source: int, target: int) -> bool:
        """Returns whether these items are of two blocks of the same folded repeat."""
        a, b = self.block_of.get(source), self.block_of.get(target)
        return bool(a and b and a[0] == b[0] and a[1] != b[1])
