"""A `View` in; a `Scene` out: the boxes and wires of a picture, without positions.

A wire is an edge of the drawing: hidden layers are left out, and blocks that repeat may be folded
into one. Each layer is in exactly one box.
"""

# Annotations are no texts here: a NamedTuple would compile each of them.

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine_layer_visualize.analysis.layer_kinds import Kind, kind
from engine_layer_visualize.analysis.optimization_profiles import optimization_profiles
from engine_layer_visualize.analysis.repeated_blocks import Repeat
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.views.endpoints import Endpoint, Endpoints
from engine_layer_visualize.views.subgraph import RoutedEdge, View, read_name


class SceneBox(NamedTuple):
    """A layer, or those of several alike blocks that stand at one place; or an end of the engine.

    `layers` is empty where there is an `end`. `id` is unique and ASCII.
    """

    id: str
    kind: Kind
    layers: tuple[Layer, ...]
    profile: int
    end: Endpoint | None = None


class Wire(NamedTuple):
    """A tensor from box to box (indices). `net` is the same for wires of one tensor of one box.

    `written` and `read`: as the records at its ends print it. `jump`: the words of a jump of
    control flow, which carries no tensor. `hops`: hidden layers that it runs through.
    """

    source: int
    target: int
    net: int
    tensor: str
    written: Tensor | None
    read: Tensor | None
    jump: str = ""
    hops: int = 0


class Scene(NamedTuple):
    """`boxes` in order of execution, an input before its first reader, an output after its last
    writer; `box_of[i]` is the box of the engine's layer i. `folded` are the repeats whose blocks
    are shown as one."""

    view: View
    boxes: tuple[SceneBox, ...]
    wires: tuple[Wire, ...]
    box_of: dict[int, int]
    folded: tuple[Repeat, ...]
    profiles: tuple[int, ...]  # numbers of the optimisation profiles; empty where there is one


def scene(view: View, folded: Sequence[Repeat] = ()) -> Scene:
    """What of `view` is drawn; the blocks of each of `folded` (of the view's layers, by position)
    as one."""
    return _Maker(view, folded).scene()


class _Maker:
    def __init__(self, view: View, folded: Sequence[Repeat]) -> None:
        self.view = view
        self.folded = tuple(folded)
        numbers = optimization_profiles(view.engine.layers)
        self.profile_of = dict(enumerate(numbers))
        self.ends = Endpoints(view, numbers)
        self.place: dict[str, float] = {}  # where a box stands in the order of execution
        self.boxes: dict[str, SceneBox] = {}
        self.id_of: dict[int, str] = {}
        self.block_of = {
            view.layers[position].index: (number, i)
            for number, repeat in enumerate(folded)
            for i, (begin, stop) in enumerate(repeat.blocks)
            for position in range(begin, stop)
        }

    def scene(self) -> Scene:
        self._layers()
        for end in self.ends.all:
            self._add(SceneBox(end.id, end.kind, (), end.profile, end), end.place)
        order = sorted(self.boxes, key=self.place.__getitem__)
        at = {id: position for position, id in enumerate(order)}
        numbers = sorted({box.profile for box in self.boxes.values()}) if self.profile_of else []
        return Scene(
            self.view,
            tuple(self.boxes[id] for id in order),
            tuple(self._wires(at)),
            {index: at[id] for index, id in self.id_of.items()},
            self.folded,
            tuple(numbers) if len(numbers) > 1 else (),
        )

    # ---- boxes

    def _layers(self) -> None:
        groups = [[layer] for layer in self.view.layers]
        for repeat in self.folded:
            for begin, stop in repeat.blocks[1:]:
                for offset in range(stop - begin):
                    groups[repeat.first + offset] += groups[begin + offset]
                    groups[begin + offset] = []
        for group in groups:
            if group:
                first = group[0]
                box = SceneBox(
                    f"layer_{first.index}",
                    kind(first),
                    tuple(group),
                    self.profile_of.get(first.index, 0),
                )
                self._add(box, first.index)
                self.id_of.update((layer.index, box.id) for layer in group)

    def _add(self, box: SceneBox, place: float) -> None:
        self.boxes[box.id] = box
        self.place[box.id] = place

    # ---- wires

    def _wires(self, at: dict[str, int]) -> Iterable[Wire]:
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int, str]] = set()  # source, target, tensor or slot
        for edge in self.ends.edges:
            source, target = at[self._source(edge)], at[self._target(edge)]
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
            box = at[end.id]
            for index in stub.inside:
                inner = at[self.id_of[index]]
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
            source, target = at[self.id_of[jump.source]], at[self.id_of[jump.target]]
            words = " ".join(filter(None, ("jump", jump.tensor.removeprefix("JumpTarget").lower())))
            net = nets.setdefault((source, f"\0{jump.tensor}"), len(nets))
            if source != target:
                yield Wire(source, target, net, jump.tensor, None, None, words)

    def _source(self, edge: Edge) -> str:
        """The id of the box where an edge begins."""
        if edge.source is None:
            return self.ends.entries[edge.tensor].id
        return self.id_of[edge.source]

    def _target(self, edge: Edge) -> str:
        """The id of the box where an edge ends."""
        if edge.target is None:
            return self.ends.exits[read_name(edge)].id
        return self.id_of[edge.target]

    def _slot(self, edge: Edge) -> str:
        """The position of a tensor among its reader's inputs, or its writer's outputs."""
        index = edge.source if edge.target is None else edge.target
        layer = self.view.engine.layers[index or 0]
        tensors = layer.outputs if edge.target is None else layer.inputs
        name = edge.tensor if edge.target is None else read_name(edge)
        return f"\0{next((i for i, tensor in enumerate(tensors) if tensor.name == name), -1)}"

    def _inside(self, edge: Edge) -> bool:
        """Whether an edge touches a box that stands for several layers."""
        return any(
            index is not None and len(self.boxes[self.id_of[index]].layers) > 1
            for index in (edge.source, edge.target)
        )

    def _carried(self, edge: Edge) -> bool:
        """Whether an edge runs from one block to a later one of the same folded repeat."""
        if edge.source is None or edge.target is None or not self.folded:
            return False
        a, b = self.block_of.get(edge.source), self.block_of.get(edge.target)
        return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]
