"""Says what a picture shows: the boxes of a View and the wires between them, without positions.

A wire is an edge of the drawing: hidden layers are left out, and blocks that repeat may be folded
into one. Each layer is in exactly one box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine_layer_visualize.analysis.layer_kinds import Kind, kind
from engine_layer_visualize.analysis.optimization_profiles import optimization_profiles
from engine_layer_visualize.analysis.repeated_blocks import Repeat
from engine_layer_visualize.analysis.subgraph import Run, View, read_name
from engine_layer_visualize.core.model import Edge, Layer, Tensor
from engine_layer_visualize.trt.layer_names import split_profile


@dataclass(frozen=True, slots=True)
class Box:
    """A layer, or those of several alike blocks that stand at one place; or an end of the engine.

    `layers` is empty for an end: then `name` is its tensor's, `tensor` what its layer's record
    prints, `word` what it is (`input`). `id` is unique, made of ASCII letters and digits.
    """

    id: str
    kind: Kind
    layers: tuple[Layer, ...]
    profile: int
    name: str = ""
    word: str = ""
    tensor: Tensor | None = None
    more: tuple[str, ...] = ()  # lines for its tooltip


@dataclass(frozen=True, slots=True)
class Wire:
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


@dataclass(frozen=True, slots=True)
class Scene:
    """`boxes` in order of execution, an input before its first reader, an output after its last
    writer; `box_of[i]` is the box of the engine's layer i. `folded` are the repeats whose blocks
    are shown as one."""

    view: View
    boxes: tuple[Box, ...]
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
        # The first print of a name in a record counts; later ones of the same record are views.
        self.reads: dict[tuple[int, str], Tensor] = {}
        self.writes: dict[tuple[int, str], Tensor] = {}
        for layer in view.engine.layers:
            for tensor in layer.inputs:
                self.reads.setdefault((layer.index, tensor.name), tensor)
            for tensor in layer.outputs:
                self.writes.setdefault((layer.index, tensor.name), tensor)
        # Which layer prints a tensor that is an input (True) or output.
        self.prints: dict[tuple[str, bool], int | None] = {}
        for edge in view.engine.graph.edges if view.hidden else ():
            if edge.source is None:
                self.prints.setdefault((edge.tensor, True), edge.target)
            if edge.target is None:
                self.prints.setdefault((edge.tensor, False), edge.source)
        self.place: dict[str, float] = {}  # where a box stands in the order of execution
        self.boxes: dict[str, Box] = {}
        self.id_of: dict[int, str] = {}
        self.count: Counter[str] = Counter()
        self.block_of = {
            view.layers[position].index: (number, i)
            for number, repeat in enumerate(folded)
            for i, (begin, stop) in enumerate(repeat.blocks)
            for position in range(begin, stop)
        }

    def scene(self) -> Scene:
        self._layers()
        ends = self._ends()
        order = sorted(self.boxes, key=self.place.__getitem__)
        at = {id: position for position, id in enumerate(order)}
        numbers = sorted({box.profile for box in self.boxes.values()}) if self.profile_of else []
        return Scene(
            self.view,
            tuple(self.boxes[id] for id in order),
            tuple(self._wires(at, ends)),
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
                box = Box(
                    f"layer_{first.index}",
                    kind(first),
                    tuple(group),
                    self.profile_of.get(first.index, 0),
                )
                self._add(box, first.index)
                self.id_of.update((layer.index, box.id) for layer in group)

    def _add(self, box: Box, place: float) -> None:
        self.boxes[box.id] = box
        self.place[box.id] = place

    def _ends(self) -> dict[tuple[bool, str], str]:
        """Boxes for tensors at the engine's ends: (entering, tensor) -> id."""
        graph = self.view.engine.graph
        loose = {True: frozenset(graph.unresolved), False: frozenset(graph.unused)}
        ends: dict[tuple[bool, str], str] = {}
        for edge in self._drawn():
            for entering, layer in ((True, edge.target), (False, edge.source)):
                if (edge.source if entering else edge.target) is not None or layer is None:
                    continue
                name = edge.tensor if entering else read_name(edge)
                key = entering, name
                if key not in ends:
                    ends[key] = self._end(name, entering, name in loose[entering], layer)
                elif not entering:
                    self.place[ends[key]] = layer + 0.5
        for names, entering in ((self.view.inputs, True), (self.view.outputs, False)):
            drawn = {split_profile(name)[0] for is_in, name in ends if is_in == entering}
            for name in names:
                if (entering, name) not in ends and name not in drawn:
                    ends[entering, name] = self._end(name, entering, False, None)
        for number, stub in enumerate(self.view.stubs):
            self._stub(number, stub.tensor, stub.entering, stub.inside, stub.outside)
        return ends

    def _end(self, name: str, entering: bool, loose: bool, layer: int | None) -> str:
        kind_: Kind = "port"
        word = "input" if entering else "output"
        if loose:
            kind_ = "unresolved" if entering else "unused"
            word = kind_
        id = f"{word}_{self.count[word]}"
        self.count[word] += 1
        tensors = self.reads if entering else self.writes
        prints = self.prints.get((name, entering), layer)  # it may be hidden
        tensor = None if prints is None else tensors.get((prints, name))
        at = self.profile_of.get(layer, 0) if layer is not None else 0
        place = -1.0 if layer is None else layer - 0.5 if entering else layer + 0.5
        self._add(Box(id, kind_, (), at, name, word, tensor), place)
        return id

    def _stub(
        self, number: int, tensor: str, entering: bool, inside: Sequence[int], out: Sequence[int]
    ) -> None:
        tensors = self.reads if entering else self.writes
        printed = next((t for i in inside if (t := tensors.get((i, tensor))) is not None), None)
        layers = self.view.engine.layers
        told = tuple(f"layer {index}: {layers[index].name}" for index in sorted(out))
        word = f"from {_numbers(out)}" if entering else f"to {_numbers(out)}"
        place = min(inside) - 0.5 if entering else max(inside) + 0.5
        box = Box(
            f"stub_{number}",
            "stub",
            (),
            self.profile_of.get(inside[0], 0),
            tensor,
            word,
            printed,
            told,
        )
        self._add(box, place)

    # ---- wires

    def _drawn(self) -> Iterable[Edge]:
        """The edges; Myelin's own weights stay in the tooltips, there would be one on every box."""
        constants = frozenset(self.view.engine.graph.constants)
        for edge in self.view.edges:
            if edge.source is not None or edge.tensor not in constants:
                yield edge

    def _wires(self, at: dict[str, int], ends: dict[tuple[bool, str], str]) -> Iterable[Wire]:
        nets: dict[tuple[int, str], int] = {}
        seen: set[tuple[int, int, str]] = set()  # source, target, tensor or slot
        for edge in self._drawn():
            if edge.source is None:
                source = at[ends[True, edge.tensor]]
            else:
                source = at[self.id_of[edge.source]]
            if edge.target is None:
                target = at[ends[False, read_name(edge)]]
            else:
                target = at[self.id_of[edge.target]]
            tensor = self._told(edge)
            written = (
                self.writes.get((edge.source, edge.tensor)) if edge.source is not None else None
            )
            # One block stands for all: a line for each of its own, whatever their tensors' names.
            key = source, target, self._slot(edge) if self._inside(edge) else edge.tensor
            if source == target or key in seen or self._carried(edge):
                continue
            seen.add(key)
            net = nets.setdefault((source, edge.tensor), len(nets))
            hops = edge.hops if isinstance(edge, Run) else 0
            yield Wire(source, target, net, edge.tensor, written, tensor, hops=hops)
        for number, stub in enumerate(self.view.stubs):
            box = at[f"stub_{number}"]
            for index in stub.inside:
                inner = at[self.id_of[index]]
                source, target = (box, inner) if stub.entering else (inner, box)
                if (source, target, stub.tensor) in seen:
                    continue
                seen.add((source, target, stub.tensor))
                net = nets.setdefault((source, stub.tensor), len(nets))
                tensors = self.reads if stub.entering else self.writes
                told = tensors.get((index, stub.tensor))
                yield Wire(source, target, net, stub.tensor, told, told)
        for jump in self.view.jumps:
            if jump.source is None or jump.target is None:
                continue
            source, target = at[self.id_of[jump.source]], at[self.id_of[jump.target]]
            words = " ".join(filter(None, ("jump", jump.tensor.removeprefix("JumpTarget").lower())))
            net = nets.setdefault((source, f"\0{jump.tensor}"), len(nets))
            if source != target:
                yield Wire(source, target, net, jump.tensor, None, None, words)

    def _told(self, edge: Edge) -> Tensor | None:
        return None if edge.target is None else self.reads.get((edge.target, read_name(edge)))

    def _slot(self, edge: Edge) -> str:
        """The how-manieth of its reader's inputs, or of its writer's outputs, a tensor is."""
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


def _numbers(indices: Sequence[int]) -> str:
    if len(indices) == 1:
        return f"layer {indices[0]}"
    return f"{len(indices)} layers"
