"""Lays out the boxes, groups and edges that a drawing unfolds a ForeignNode into.

A box is an ONNX node, a scope that stays folded for want of room, the nodes of a scope together
where the log does not say what reads what, or a kernel that the profile timed. None is a layer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import labels, origin, precisions
from engine_layer_visualize.analysis.groups import relative
from engine_layer_visualize.analysis.kinds import QUIET, is_myelin, kind_of
from engine_layer_visualize.core.model import Layer, ProfileRow, TimeKind
from engine_layer_visualize.core.onnx_model import OnnxEdge
from engine_layer_visualize.core.text import count
from engine_layer_visualize.trt import names

MOST: Final = 600  # boxes of one layer
_GROUP_NODES: Final = 3  # nodes of a scope that gets a group
_KERNEL_BOXES: Final = 200
_OPERATORS_IN_BOX: Final = 2  # operators that a box names


class InnerTime(NamedTuple):
    """One operation inside a ForeignNode.

    Attributes:
        name: as the log or the profile has it.
        onnx_nodes: names of its ONNX nodes.
        ms: of one run; None: unknown.
        ms_kind: whether that is measured; None where `ms` is.
        kernel: None: unknown.
        precision: that its kernel computes in, as of a layer; None: unknown.
        tactics: how many the builder timed; None: it prints no table.
        line: the log's; None: it is only in the profile.
    """

    name: str
    onnx_nodes: tuple[str, ...] = ()
    ms: float | None = None
    ms_kind: TimeKind | None = None
    kernel: str | None = None
    precision: str | None = None
    tactics: int | None = None
    line: int | None = None


def operations(layer: Layer) -> tuple[InnerTime, ...]:
    """The operations of a ForeignNode in the log's order, then rows that only the profile has.

    What has no row has the builder's estimate, which is never added to a measured time.
    """
    if not is_myelin(layer):
        return ()
    measured: dict[str, float] = defaultdict(float)
    for row in layer.time.rows if layer.time is not None else ():
        if row.time.average_ms is not None:
            measured[names.without_myelin(row.name)] += row.time.average_ms
    found = []
    for one in layer.known.inside:
        ms, kernel = measured.pop(one.name, None), one.kernel
        kind: TimeKind | None = "measured" if ms is not None else "estimated" if one.ms else None
        ms = one.ms if ms is None else ms
        dtype = None if kernel is None else precisions.of_kernel(kernel).dtype
        inner = InnerTime(one.name, one.onnx_nodes, ms, kind, kernel, dtype, one.tactics, one.line)
        found.append(inner)
    left = (InnerTime(name, ms=ms, ms_kind="measured") for name, ms in measured.items())
    return (*found, *left)


class Box(NamedTuple):
    """A box inside of a ForeignNode."""

    head: str  # an operator, a kernel, or the label of a scope
    sub: str  # where in its group a node is, or what it stands for
    path: str  # the name of the node or kernel, or the scope
    nodes: int  # how many ONNX nodes it stands for
    group: int | None  # the number of the group around it; None: the layer itself
    ms: float | None = None  # of a kernel, else None


class InnerGroup(NamedTuple):
    """A group of boxes inside of a ForeignNode."""

    path: str  # the scope
    label: str  # what of the scope the group around does not say
    words: str  # what it holds
    brief: str  # the same for its box
    parent: int | None  # the number of the group around it; None: the layer itself


class Inside(NamedTuple):
    """What a ForeignNode unfolds into, an outer box or group before what is inside."""

    boxes: tuple[Box, ...]
    groups: tuple[InnerGroup, ...]
    # between boxes by their places; None: the layer's own input or output
    edges: tuple[OnnxEdge, ...]
    words: str  # what all of it is, and what is not known of it

    def members(self) -> list[list[int]]:
        """The boxes of each group by their places, those of the groups inside too."""
        found: list[list[int]] = [[] for _ in self.groups]
        for place, box in enumerate(self.boxes):
            number = box.group
            while number is not None:
                found[number].append(place)
                number = self.groups[number].parent
        return found


def inside(layer: Layer, most: int = MOST, *, node: str) -> Inside | None:
    """What a ForeignNode unfolds into; None where nothing is known that could be drawn.

    `most` limits the boxes of nodes and scopes; `node` is what a node of its frontend is called.
    """
    if not is_myelin(layer):
        return None
    nodes = origin.onnx_nodes_of(layer).all
    timed = layer.time.rows if layer.time is not None else ()
    if len(nodes) < 2 and len(timed) < 2:
        return None
    made = _Making(layer, nodes, most, node)
    if len(nodes) > 1:
        made.scopes()
    if len(timed) > 1:
        made.kernels(timed)
    return Inside(tuple(made.boxes), tuple(made.groups), tuple(made.edges()), made.words)


def opened(layers: Sequence[Layer], known: Collection[int]) -> int | None:
    """The layer that a drawing opens at first: without it the drawing would be one box.

    It is the only one whose inside is known, and beside it only reformats and constants run.

    Args:
        layers: of the engine.
        known: The indices of those whose inside is known.
    """
    if len(known) != 1:
        return None
    (index,) = known
    alone = all(layer.index == index or kind_of(layer) in QUIET for layer in layers)
    return index if alone else None


class _Scope(NamedTuple):
    """A scope that may get a group."""

    path: str
    inner: list[_Scope]
    own: list[int]  # the nodes that are in no scope inside of it
    nodes: Sequence[int]


class _Making:
    """What is drawn of one layer, as it is put together."""

    def __init__(self, layer: Layer, nodes: Sequence[str], most: int, node: str) -> None:
        self._node = node
        self._nodes = nodes
        self._most = most
        self._parts = labels.contents(layer)
        self._operators = labels.node_operators(layer)
        self._edges = layer.known.onnx_edges
        self._box_of: dict[int | None, int | None] = {None: None}  # by node
        self.boxes: list[Box] = []
        self.groups: list[InnerGroup] = []
        self.words = ""

    def scopes(self) -> None:
        """Boxes and groups of the ONNX nodes."""
        root = self._tree()
        crowded = len(root.inner) + bool(root.own) > self._most
        if crowded:
            root = root._replace(inner=[], own=list(root.nodes))
        said = [labels.several_of(self._parts), count(len(self._nodes), self._node)]
        if crowded or self._size(root) > self._most:
            self._edges = ()
            said.append(f"more than the {self._most} that are drawn")
        elif not self._edges:
            said.append("edges not in the log")
        self.words = ", ".join(filter(None, said))
        self._add(root, None, self._depths(root))

    def _tree(self) -> _Scope:
        """The scopes that get a group.

        None of them has most of the nodes and several scopes inside, as `contents.alike` has them.
        """
        known = labels.scopes_inside(self._nodes)
        dissolved: set[int | None] = set()
        for number in labels.outermost(self._parts):  # 1 is the first scope
            parent = known[number - 1].parent
            while parent is not None and parent not in dissolved:
                dissolved.add(parent)
                parent = known[parent].parent
        root = _Scope("", [], [], range(len(self._nodes)))
        made: dict[int | None, _Scope] = {None: root}
        around = dict.fromkeys(root.nodes, root)
        for number, scope in enumerate(known):  # the innermost last
            outer = made[scope.parent]
            if number in dissolved or len(scope.layers) < _GROUP_NODES:
                made[number] = outer
            else:
                made[number] = _Scope(scope.path, [], [], scope.layers)
                outer.inner.append(made[number])
            around.update(dict.fromkeys(scope.layers, made[number]))
        for node, scope_around in around.items():
            scope_around.own.append(node)
        return root

    def _depths(self, root: _Scope) -> int:
        """How many depths of scopes are opened.

        They are as long as there is room for all of a depth, so that equal parts are drawn alike.
        """
        level, total, opened = [root], self._size(root), 0
        while level := [inner for scope in level for inner in scope.inner]:
            total += sum(self._size(scope) - 1 for scope in level)
            if total > self._most:
                break
            opened += 1
        return opened

    def _size(self, scope: _Scope) -> int:
        """How many boxes are directly inside."""
        return len(scope.inner) + (len(scope.own) if self._edges else bool(scope.own))

    def _add(self, scope: _Scope, group: int | None, depths: int) -> None:
        """The boxes of a scope that is drawn open, as are so many depths inside."""
        boxes = [[node] for node in scope.own] if self._edges else [scope.own] if scope.own else []
        own = {members[0]: members for members in boxes}  # by the first node
        inner = {one.nodes[0]: one for one in scope.inner}
        for node in sorted([*inner, *own]):
            if node in own:
                self._box(own[node], scope.path, group)
                continue
            one = inner[node]
            label, (whole, few) = relative(one.path, scope.path), self._counts(one.nodes)
            if depths and self._size(one) > 1:
                self.groups.append(InnerGroup(one.path, label, whole, few, group))
                self._add(one, len(self.groups) - 1, depths - 1)
            else:
                self._put(one.nodes, label, few, one.path, group)

    def _box(self, members: Sequence[int], path: str, group: int | None) -> None:
        """The box of a node, or of the nodes of a scope together."""
        if len(members) > 1:
            head = "further nodes" if path else "nodes"
            self._put(members, head, self._counts(members)[1], path, group)
            return
        name = self._nodes[members[0]]
        sub = name.removeprefix(path).lstrip("/.")
        head = self._operators[members[0]] or sub
        self._put(members, head, sub.removesuffix(head).rstrip("/."), name, group)

    def _put(self, nodes: Sequence[int], head: str, sub: str, path: str, group: int | None) -> None:
        self._box_of.update(dict.fromkeys(nodes, len(self.boxes)))
        self.boxes.append(Box(head, sub, path, len(nodes), group))

    def _counts(self, nodes: Sequence[int]) -> tuple[str, str]:
        """The nodes by operator, such as `29 nodes: 8 MatMul, 5 Add`; then fewer of them."""
        counts = labels.counted(self._operators[node] for node in nodes)
        kinds = [f"{number} {name}" for name, number in counts]
        few = [*kinds[:_OPERATORS_IN_BOX], "…"] if len(kinds) > _OPERATORS_IN_BOX else kinds
        size = count(len(nodes), "node")
        whole, brief = (f"{size}: {', '.join(some)}" if some else size for some in (kinds, few))
        return whole, brief

    def edges(self) -> Iterable[OnnxEdge]:
        """The edges between different boxes, and across the layer's border."""
        of = self._box_of
        drawn = (OnnxEdge(of[one.source], of[one.target], one.tensor) for one in self._edges)
        return dict.fromkeys(edge for edge in drawn if edge.source != edge.target)

    def kernels(self, rows: Sequence[ProfileRow]) -> None:
        """The rows of the profile that the layer's time is the sum of, in order of execution."""
        words = f"{count(len(rows), 'kernel')} of the profile"
        group = None
        if self.boxes:
            group, label = len(self.groups), count(len(rows), "kernel")
            said = f"{words}: which nodes each runs is not in it"
            self.groups.append(InnerGroup("kernels", label, said, "nodes of each not known", None))
        else:
            self.words = f"{words}, edges not in it"
        for number, row in enumerate(rows[:_KERNEL_BOXES], 1):
            head = " + ".join(names.myelin_words(row.name)) or row.name
            sub = f"kernel {number} of {len(rows)}"
            self.boxes.append(Box(head, sub, row.name, 0, group, row.time.average_ms))
        if rest := rows[_KERNEL_BOXES:]:
            each = [ms for row in rest if (ms := row.time.average_ms) is not None]
            ms = sum(each) if len(each) == len(rest) else None
            self.boxes.append(Box(f"{len(rest):,} more kernels", "", "", 0, group, ms))
