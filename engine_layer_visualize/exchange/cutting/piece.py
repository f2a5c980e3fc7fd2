"""Finds the smallest piece of a model that holds some nodes, with the tensors that cross."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.exchange.cutting.graph import NodeGraph, gives_shape, is_standard

# The shape of a tensor; None where an extent of it is not known.
ShapeOf = Callable[[str], "tuple[int, ...] | None"]
# Whether TensorRT can have a quantised tensor of the model as an input.
Takes = Callable[[str], bool]
_QUANTISE: Final = ("QuantizeLinear", "DynamicQuantizeLinear")
_INT64_END: Final = 1 << 63  # an element of Int64 is less
_DEQUANTISE: Final = ("DequantizeLinear",)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a model: numbers of nodes in their order, and names of tensors."""

    named: tuple[int, ...]  # those that were asked for
    neighbours: tuple[int, ...]  # of a quantised layer, what quantises its tensors
    between: tuple[int, ...]  # on a path from one of these to another
    fixed: tuple[int, ...]  # what computes constants and shapes for them
    # outputs of Shape nodes, with their values
    folded: tuple[tuple[str, tuple[int, ...], bool], ...]
    inputs: tuple[str, ...]  # tensors that cross
    outputs: tuple[str, ...]  # tensors that cross
    initial: tuple[str, ...]  # initializers that are read

    @property
    def nodes(self) -> tuple[int, ...]:
        """All of them."""
        return tuple(sorted((*self.named, *self.neighbours, *self.between, *self.fixed)))


@dataclass(frozen=True, slots=True)
class Quantised:
    """How a layer is quantised."""

    reads: bool = False  # whether what it reads is quantised
    writes: bool = False  # whether what it writes is
    inside: bool = False  # whether what makes its quantised values may belong to the piece


NOT_QUANTISED: Final = Quantised()


def cut(
    graph: NodeGraph,
    named: Collection[int],
    shape_of: ShapeOf,
    quantised: Quantised = NOT_QUANTISED,
    takes: Takes = lambda name: True,
) -> Piece:
    """The smallest piece that holds the nodes and that no path leaves to come back."""
    before = _before(graph, named, quantised, takes)
    core = {*named} - before if quantised.reads else {*named}
    running = core | _behind(graph, core, quantised)
    between = _between(graph, running)
    running |= between
    before -= running
    fixed, folded = _fixed(graph, running | before, shape_of)
    inside = running | before | fixed
    values = {name for name, _, _ in folded}
    made = {name for number in inside for name in graph.nodes[number].output if name} | values
    read = dict.fromkeys(name for number in sorted(inside) for name in graph.reads[number])
    return Piece(
        named=tuple(sorted(set(named))),
        neighbours=tuple(sorted(inside - fixed - between - set(named))),
        between=tuple(sorted(between - set(named))),
        fixed=tuple(sorted(fixed)),
        folded=folded,
        inputs=tuple(name for name in read if name not in made and name not in graph.initial),
        outputs=tuple(_outputs(graph, running, inside)),
        initial=tuple(name for name in read if name in graph.initial and name not in made),
    )


def _before(
    graph: NodeGraph, core: Collection[int], quantised: Quantised, takes: Takes
) -> set[int]:
    """The nodes that turn quantised values into those that are read.

    Whatever else reads these values has them on its own in the engine: no path begins here, and
    nothing that is made here leaves.
    """
    makers: set[int] = set()
    if quantised.reads or quantised.inside:
        makers |= _makers(graph, core, *_DEQUANTISE)
    for maker in _makers(graph, {*core, *makers}, *_QUANTISE) - {*core}:
        if quantised.inside or not all(map(takes, graph.nodes[maker].output)):
            makers.add(maker)
    return makers


def _behind(graph: NodeGraph, core: Collection[int], quantised: Quantised) -> set[int]:
    """What turns values that are written into quantised ones."""
    return {
        reader
        for number in (core if quantised.writes else ())
        for name in graph.nodes[number].output
        for reader in graph.readers.get(name, ())
        if is_standard(graph.nodes[reader], *_QUANTISE) and graph.reads[reader][0] == name
    }


def _makers(graph: NodeGraph, nodes: Iterable[int], *operators: str) -> set[int]:
    """The nodes of these operators whose values others read, but for those of constants."""
    return {
        maker
        for number in nodes
        for maker in graph.made_of(number)
        if not graph.fixed[maker] and is_standard(graph.nodes[maker], *operators)
    }


def _between(graph: NodeGraph, core: Collection[int]) -> set[int]:
    """The nodes on a path of values from one of `core` to another."""
    ahead = [False] * len(graph.nodes)
    for number in range(len(graph.nodes)):
        ahead[number] = not graph.fixed[number] and (
            number in core or any(ahead[m] for m in graph.made_of(number))
        )
    behind: set[int] = set()
    for number in range(len(graph.nodes) - 1, -1, -1):
        if ahead[number] and (number in core or number in behind):
            behind.update(maker for maker in graph.made_of(number) if ahead[maker])
    return behind - set(core)


def _fixed(
    graph: NodeGraph, core: Collection[int], shape_of: ShapeOf
) -> tuple[set[int], tuple[tuple[str, tuple[int, ...], bool], ...]]:
    """The nodes that compute constants and shapes for `core`.

    With them come the values of Shape nodes where they are known, and whether these are a scalar.
    """
    nodes: set[int] = set()
    folded: dict[str, tuple[tuple[int, ...], bool]] = {}
    todo = [name for number in core for name in graph.reads[number]]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        maker = graph.maker.get(name)
        if name in seen or maker is None or maker in core or not graph.fixed[maker]:
            continue
        seen.add(name)
        known = _extents(graph, maker, shape_of)
        if known is not None:
            folded[name] = known
        else:
            nodes.add(maker)
            todo += graph.reads[maker]
    return nodes, tuple((name, *value) for name, value in sorted(folded.items()))


def _extents(
    graph: NodeGraph, number: int, shape_of: ShapeOf
) -> tuple[tuple[int, ...], bool] | None:
    """What a Shape or a Size gives."""
    node = graph.nodes[number]
    if not gives_shape(node) or len(node.input) != 1:
        return None
    shape = shape_of(node.input[0])
    if shape is None:
        return None
    if node.op_type == "Size":
        size = math.prod(shape)
        return ((size,), True) if size < _INT64_END else None
    ends = {attribute.name: int(attribute.i) for attribute in node.attribute}
    return shape[slice(ends.get("start"), ends.get("end"))], False


def _outputs(graph: NodeGraph, core: Collection[int], inside: Collection[int]) -> Iterable[str]:
    """What is read outside, or is an output of the model; else what nothing reads.

    Constants are none of these, but where there is nothing else.
    """
    running = [number for number in sorted(core) if not graph.fixed[number]] or sorted(core)
    made = [name for number in running for name in graph.nodes[number].output if name]
    crossing = [
        name
        for name in made
        if name in graph.outputs
        or any(
            reader not in inside and name in graph.data(reader)
            for reader in graph.readers.get(name, ())
        )
    ]
    if crossing:
        return crossing
    return [
        name
        for name in made
        if not any(
            reader in inside and name in graph.data(reader)
            for reader in graph.readers.get(name, ())
        )
    ]
