"""Lists the steps of an engine in order of execution, and the tree of what is around them.

A step is a layer, or, in an engine of few layers, what the log tells of the inside of a
ForeignNode. What runs no kernel, and has no time, is no step.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.groups import groups
from engine_layer_visualize.analysis.inside import Inside, inside
from engine_layer_visualize.analysis.inside_operations import operations
from engine_layer_visualize.analysis.layer_kinds import QUIET, kind, runs_kernel
from engine_layer_visualize.analysis.layer_labels import box_head, change, under_head
from engine_layer_visualize.analysis.scopes import Scope, pattern
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.trt.operators import operators

_NUMBERED: Final = re.compile(r" \d+(?=/\d+$)")  # of the name of a repeated block
_FEW: Final = 12  # layers: a ForeignNode among so few is shown by what is inside

_Range = tuple[str, int, int]  # a name, the first step, the step after the last


class Step(NamedTuple):
    """What runs: a layer, or a box inside of one."""

    head: str  # its operators
    place: str  # where it is in the network
    ms: float | None
    share: float | None  # of one inference, from 0 to 1
    layer: Layer  # that it is, or that it is inside of
    inner: bool = False
    quiet: bool = False  # it only changes type or format


@dataclass(slots=True)
class Node:
    """Steps that follow each other, and the nodes that it consists of; none of a single step."""

    name: str  # of a group; empty of others
    first: int  # its first step
    stop: int  # the step after its last
    children: list[Node] = field(default_factory=list)
    blocks: int = 1  # how many alike groups it stands for


class Steps(NamedTuple):
    """All steps, and the node around all of them."""

    all: tuple[Step, ...]
    root: Node
    edges: tuple[tuple[int, int], ...]  # between steps, forwards
    # By the last step of a ForeignNode that is opened: its rows in the profile, where the log does
    # not say which of its steps they are of.
    kernels: dict[int, tuple[Step, ...]]

    def of(self, node: Node) -> tuple[Step, ...]:
        """Returns the steps of a node."""
        return self.all[node.first : node.stop]


def added(values: Iterable[float | None]) -> float | None:
    """Returns the sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def steps(costs: Costs, node: str, scopes: Sequence[Scope] | None = None) -> Steps:
    """Returns the steps of one optimisation profile.

    Args:
        costs: Times of the optimisation profile.
        node: What a node of the model is called.
        scopes: Those of the engine's layers, where they are known.
    """
    ran = [layer for layer in costs.layers if runs_kernel(layer) or costs.share(layer)]
    layers = ran or list(costs.layers)
    few = sum(kind(layer) not in QUIET for layer in layers) <= _FEW
    made: list[Step] = []
    places: dict[int, tuple[int, int]] = {}  # of each layer: its first step, that after its last
    ranges: list[_Range] = []
    edges: list[tuple[int, int]] = []
    kernels: dict[int, tuple[Step, ...]] = {}
    for layer in layers:
        first = len(made)
        held = inside(layer, node=node) if few else None
        inner = list(_inner_steps(layer, held, costs)) if few else []
        made += inner or [_step(layer, costs)]
        places[layer.index] = first, len(made)
        if inner:
            ranges.append(("", first, len(made)))
            kernels[len(made) - 1] = tuple(_kernels(layer, held, costs))
        if inner and held is not None:
            ranges += _inner_ranges(held, first, len(made))
            edges += (
                (first + edge.source, first + edge.target)
                for edge in held.edges
                if edge.source is not None and edge.target is not None
            )
    edges += _between(costs, places)
    every = costs.engine.layers
    known = groups(every, costs.profile_of_each or (0,) * len(every), scopes)
    for group in known:
        members = [places[index] for index in group.layers if index in places]
        if members and group.profile is None:
            ranges.append((visible(group.path), members[0][0], members[-1][1]))
    forwards = dict.fromkeys((a, b) for a, b in edges if a < b)
    return Steps(tuple(made), _tree(ranges, made), tuple(forwards), kernels)


def _step(layer: Layer, costs: Costs) -> Step:
    quiet = kind(layer) in QUIET
    head, place = visible(box_head(layer)), change(layer) if quiet else visible(under_head(layer))
    return Step(head, place, costs.of(layer), costs.share(layer), layer, quiet=quiet)


def _inner_steps(layer: Layer, held: Inside | None, costs: Costs) -> Iterator[Step]:
    """Yields the nodes of a ForeignNode, else what the builder timed of it, else its kernels.

    A time is told where it is of the same kind as the layer's own.
    """
    ran = [one for one in operations(layer) if one.ms_kind == costs.kind]
    told = {one.onnx_nodes[0]: one.ms for one in ran if one.onnx_nodes}
    boxes = [box for box in held.boxes if box.nodes] if held is not None else []
    if len(boxes) > 1:
        for box in boxes:
            ms = told.get(box.path) if box.nodes == 1 else None
            yield _inner(layer, box.head, box.sub, ms, costs)
    elif len(ran) > 1:
        for one in ran:
            heads = [head for name in one.onnx_nodes for head in operators(name)]
            yield _inner(layer, " + ".join(heads) or one.name, one.name, one.ms, costs)
    elif held is not None:
        yield from _kernels(layer, held, costs)


def _kernels(layer: Layer, held: Inside | None, costs: Costs) -> Iterator[Step]:
    """Yields the rows that a profile has of a ForeignNode."""
    for box in held.boxes if held is not None else ():
        if not box.nodes:
            yield _inner(layer, box.head, box.sub, box.ms, costs)


def _inner(layer: Layer, head: str, place: str, ms: float | None, costs: Costs) -> Step:
    whole, share = costs.of(layer), costs.share(layer)
    part = ms / whole * share if ms is not None and whole and share is not None else None
    return Step(visible(head), visible(place), ms, part, layer, inner=True)


def _inner_ranges(held: Inside, first: int, stop: int) -> Iterator[_Range]:
    """Yields the groups of a ForeignNode, without those of what is no step."""
    spans: dict[int, tuple[int, int]] = {}
    for place, box in zip(range(first, stop), held.boxes):
        number = box.group
        while number is not None:
            spans[number] = spans.get(number, (place, place))[0], place + 1
            number = held.groups[number].parent
    for number, span in spans.items():
        yield visible(held.groups[number].path), *span


def _between(costs: Costs, places: dict[int, tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields edges between steps of different layers, through layers that are no step, too.

    An edge of a ForeignNode that is opened begins at its last step, and ends at its first.
    """
    read: dict[int, list[int]] = defaultdict(list)
    for edge in costs.engine.graph.between:
        if edge.source is not None and edge.target is not None:
            read[edge.target].append(edge.source)
    written: dict[int, set[int]] = {}  # by layer: the last steps before what it writes
    for layer in costs.layers:
        sources = {step for index in read[layer.index] for step in written.get(index, ())}
        if layer.index in places:
            first, stop = places[layer.index]
            yield from ((source, first) for source in sources)
            sources = {stop - 1}
        written[layer.index] = sources


# ---- the tree ----------------------------------------------------------------------------------


def _tree(ranges: Sequence[_Range], made: Sequence[Step]) -> Node:
    """Returns the node around all steps; of two that overlap the first counts."""
    root = Node("", 0, len(made))
    around = [root]
    for name, first, stop in sorted(ranges, key=lambda span: (span[1], -span[2])):
        while around[-1].stop <= first:
            around.pop()
        outer = around[-1]
        if stop > outer.stop or (outer.children and outer.children[-1].stop > first):
            continue
        if (first, stop) == (outer.first, outer.stop):  # the inner name says more
            outer.name = name or outer.name
            continue
        outer.children.append(Node(name, first, stop))
        around.append(outer.children[-1])
    _fill(root, made)
    root.name = ""
    return root


def _fill(node: Node, made: Sequence[Step]) -> None:
    """Adds the steps between the groups of a node, and puts groups that are alike into one."""
    if node.stop - node.first < 2:
        return
    filled: list[Node] = []
    at = node.first
    for child in [*node.children, Node("", node.stop, node.stop)]:
        loose = list(_singles(at, child.first, made))
        if len(loose) > 1 and node.children:
            loose = [Node("", at, child.first, loose)]
        filled += loose
        if child.first < child.stop:
            _fill(child, made)
            filled.append(child)
        at = child.stop
    node.children = list(_stacked(filled)) if len(filled) > 1 else []


def _singles(first: int, stop: int, made: Sequence[Step]) -> Iterator[Node]:
    """Yields each step between; those that only change type or format stand with the one behind."""
    begin = first
    for place in range(first, stop):
        if not made[place].quiet or place == stop - 1:
            yield Node("", begin, place + 1)
            begin = place + 1


def _stacked(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yields the nodes; neighbours whose names differ in a number alone are one."""
    for key, several in groupby(nodes, lambda node: kind_of(node.name)):
        alike = list(several)
        if not key or len(alike) == 1 or len(alike) == len(nodes):
            yield from alike
        else:
            yield Node(key, alike[0].first, alike[-1].stop, alike, len(alike))


def kind_of(name: str) -> str:
    """Returns what names of groups that are alike have in common; empty without a name."""
    return pattern(_NUMBERED.sub("", name))
