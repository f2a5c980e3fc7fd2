"""Makes the page's groups, and its data of what ForeignNodes unfold into: boxes, groups, edges.

`analysis.inside` decides what they hold. Boxes are nodes after the layers and the endpoints.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, product
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis import inside
from engine_layer_visualize.analysis.groups import Folds, Group
from engine_layer_visualize.analysis.groups import nested as nested_scopes
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.analysis.scopes import Scope
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawing.rows import layered
from engine_layer_visualize.page.data import EngineColumns

_MOST_BOXES: Final = 3_000  # of all layers of an engine
_MOST_BOXES_OF_EACH: Final = 20  # at least, however many layers there are
_MOST_EDGES: Final = 64  # in place of one
HIGH, LOW = 46, 26  # heights of a box with two rows of text, and of another


class _Unfolded(NamedTuple):
    """A layer with its inside."""

    layer: Layer
    held: inside.Inside
    first: int  # the number of the node of its first box

    def ends(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Returns by tensor the boxes inside that read it from outside, and that write it to it."""
        first, edges = self.first, self.held.edges
        reads = ((tensor, first + b) for a, b, tensor in edges if a is None and b is not None)
        writes = ((tensor, first + a) for a, b, tensor in edges if a is not None and b is None)
        return by_key(reads), by_key(writes)


class InnerWire(NamedTuple):
    """An edge from or to a box inside of a layer, by the numbers of nodes."""

    source: int
    target: int
    tensor: int
    # The number of the edge whose place it takes while a layer at its end is unfolded; -1: it is
    # inside of one layer.
    edge: int


class Insides:
    """What the ForeignNodes of an engine hold. It takes numbers of tensors and texts."""

    def __init__(self, columns: EngineColumns) -> None:
        self._columns = columns
        layers = columns.engine.layers
        number = sum(map(is_myelin, layers))
        most = max(_MOST_BOXES_OF_EACH, min(inside.MOST, _MOST_BOXES // max(1, number)))
        self._each: list[_Unfolded] = []
        first = len(layers) + len(columns.ends)
        for layer in layers:
            held = inside.inside(layer, most, node=columns.subject.frontend.node)
            if held is not None:
                self._each.append(_Unfolded(layer, held, first))
                first += len(held.boxes)
        self.wires = list(self._wires())

    def boxes(self) -> dict[str, JsonValue]:
        """Returns the boxes in columns; `of` is the layer.

        `estimate` is what the builder measured of the operation that a box's node begins. It is no
        part of `ms`, which is of the profile.
        """
        text = self._columns.strings
        each = [(layer, box) for layer, held, _ in self._each for box in held.boxes]
        told = {
            (layer.index, one.onnx_nodes[0]): one
            for layer, _, _ in self._each
            for one in inside.operations(layer)
            if one.onnx_nodes
        }
        found = [told.get((layer.index, box.path if box.nodes == 1 else "")) for layer, box in each]
        return {
            "of": [layer.index for layer, _ in each],
            "title": [text(box.head) for _, box in each],
            "subtitle": [text(box.sub) for _, box in each],
            "name": [text(box.path) for _, box in each],
            "ms": [box.ms for _, box in each],
            "share": [self._share(layer, box.ms) for layer, box in each],
            "estimate": [one.ms if one and one.ms_kind == "estimated" else None for one in found],
            "kernel": [text(one and one.kernel) for one in found],
            "precision": [text(one and one.precision) for one in found],
            "runs": [
                text(" + ".join(one.onnx_nodes) if one and one.onnx_nodes[1:] else None)
                for one in found
            ],
        }

    def _share(self, layer: Layer, ms: float | None) -> float | None:
        """Returns a box's share of what the layer's own share is of."""
        share, whole = self._columns.share(layer), self._columns.costs.of(layer)
        if ms is None or not whole or share is None:
            return None
        return float(f"{ms / whole * share:.6g}")

    def groups(self, folded: Folds) -> Iterator[dict[str, Any]]:
        """Yields groups that can be folded, an outer one before what is inside.

        Those of layers come first; then, for each layer that unfolds, a group of all its boxes
        (`top`) and the groups inside of it.
        """
        depths: dict[int, int] = {}  # inside of the groups around each layer
        for number, of_layers in enumerate(folded.groups):
            depth, nodes = of_layers.depth, spans(of_layers.layers)
            depths.update(dict.fromkeys(of_layers.layers, depth + 1))
            is_profile, is_open = of_layers.profile is not None, number in folded.open
            yield _group(of_layers, depth=depth, profile=is_profile, opened=is_open, nodes=nodes)
        layers = [layer.index for layer, _, _ in self._each]
        shown = inside.opened(self._columns.engine.layers, layers)
        for layer, held, first in self._each:
            owner, depth = layer.index, depths.get(layer.index, 0)
            whole = inside.InnerGroup(held.words, held.words, "", "", None)
            nodes = spans(range(first, first + len(held.boxes)))
            top = _group(whole, depth=depth, nodes=nodes, owner=owner, top=True)
            yield top | ({"opened": True} if owner == shown else {})
            inner: list[int] = []
            for group, places in zip(held.groups, held.members()):
                inner.append(1 + (depth if group.parent is None else inner[group.parent]))
                nodes = spans(first + place for place in places)
                yield _group(group, depth=inner[-1], nodes=nodes, owner=owner)

    def layout(self) -> Iterator[tuple[int, int, int]]:
        """Yields height, row (from 1) and slot (from 0) of each box, at the layer's own box."""
        for _, held, _ in self._each:
            placed = nested(
                [box.group for box in held.boxes],
                [group.parent for group in held.groups],
                [(a, b) for a, b, _ in held.edges if a is not None and b is not None],
            )
            for box, (row, slot) in zip(held.boxes, placed):
                yield LOW if box.nodes == 1 else HIGH, row + 1, slot

    def _wires(self) -> Iterator[InnerWire]:
        """Yields those inside of each layer, then those in the place of edges between layers."""
        columns = self._columns
        for _, held, first in self._each:
            for a, b, name in held.edges:
                if a is not None and b is not None:
                    tensor = columns.tensor(Tensor(name, None, "", ()))
                    yield InnerWire(first + a, first + b, tensor, -1)
        ends = {each.layer.index: each.ends() for each in self._each}
        for number, ((a, b, tensor), name) in enumerate(zip(columns.edges, columns.edge_names)):
            sources = ends[a][1].get(name, [a]) if a in ends else [a]
            targets = ends[b][0].get(name, [b]) if b in ends else [b]
            if (sources, targets) != ([a], [b]) and len(sources) * len(targets) <= _MOST_EDGES:
                for source, target in product(sources, targets):
                    yield InnerWire(source, target, tensor, number)


def _group(group: Group | inside.InnerGroup, **more: JsonValue) -> dict[str, JsonValue]:
    """Returns a group without what is false, and without a label that is the path."""
    told: dict[str, JsonValue] = {"path": visible(group.path), "label": visible(group.label)}
    if isinstance(group, inside.InnerGroup):
        more |= {"words": visible(group.words), "brief": visible(group.brief)}
    return {
        key: value
        for key, value in (told | more).items()
        if value is not False and (key != "label" or value != told["path"])
    }


def nested(
    group_of: Sequence[int | None],
    parent_of: Sequence[int | None],
    edges: Sequence[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Returns row and slot of each box, from 0.

    Each group has rows and slots that it shares with no box outside of it, so its frame is around
    its own boxes alone, whichever groups are folded. Boxes without edges come one below the other.

    Args:
        group_of: The group around each box; None for none.
        parent_of: The group around each group, which has a lower number; None for none.
        edges: Pairs (from, to) of boxes.
    """
    # Of each group, the groups from the outermost to itself.
    around: dict[int | None, tuple[int, ...]] = {None: ()}
    for number, parent in enumerate(parent_of):
        around[number] = (*around[parent], number)
    path_of = [around[group] for group in group_of]

    def placed(
        boxes: Sequence[int], edges: Sequence[tuple[int, int]], depth: int
    ) -> tuple[int, int, list[tuple[int, int, int]]]:
        """Returns how many rows and slots boxes take, and (box, row, slot) of each."""
        # By group, or ~ the number of a box alone.
        parts = by_key((path_of[b][depth] if path_of[b][depth:] else ~b, b) for b in boxes)
        part_of = {box: number for number, part in enumerate(parts.values()) for box in part}
        within = defaultdict[int, list[tuple[int, int]]](list)
        between: list[tuple[int, int]] = []
        for edge in edges:
            source, target = part_of[edge[0]], part_of[edge[1]]
            if source == target:
                within[source].append(edge)
            else:
                between.append((source, target))
        nodes = layered([(1.0, 1.0)] * len(parts), between).nodes if between else ()
        cells = [(node.row, node.slot) for node in nodes] or [(n, 0) for n in range(len(parts))]
        held = [
            (1, 1, [(~group, 0, 0)]) if group < 0 else placed(part, within[number], depth + 1)
            for number, (group, part) in enumerate(parts.items())
        ]
        tall, wide = defaultdict[int, int](int), defaultdict[int, int](int)
        for (row, slot), (high, broad, _) in zip(cells, held):
            tall[row], wide[slot] = max(tall[row], high), max(wide[slot], broad)
        tops, lefts = _starts(tall), _starts(wide)
        found = [
            (box, tops[row] + down, lefts[slot] + across)
            for (row, slot), (_, _, inner) in zip(cells, held)
            for box, down, across in inner
        ]
        return sum(tall.values()), sum(wide.values()), found

    return [(row, slot) for _, row, slot in sorted(placed(range(len(group_of)), edges, 0)[2])]


def _starts(sizes: dict[int, int]) -> dict[int, int]:
    """Returns where each row or slot begins."""
    keys = sorted(sizes)
    return dict(zip(keys, accumulate((sizes[key] for key in keys), initial=0)))


def scoped(
    layers: Sequence[Layer], text: Callable[[str], int], known: Sequence[Scope]
) -> dict[str, JsonValue]:
    """Returns all scopes, however small, an outer one before what is inside.

    `parent` is -1 of none; `of` is the innermost scope of the layers, -1 for none, as scope, number
    of layers, scope, number …
    """
    scopes = nested_scopes(layers, known)
    scope_of = [-1] * len(layers)
    for number, scope in enumerate(scopes):
        for layer in scope.layers:
            scope_of[layer] = number
    return {
        "path": [text(scope.path) for scope in scopes],
        "label": [text(scope.label) for scope in scopes],
        "parent": [-1 if scope.parent is None else scope.parent for scope in scopes],
        "of": [each for number, run in groupby(scope_of) for each in (number, len(list(run)))],
    }


def spans(numbers: Iterable[int]) -> list[JsonValue]:
    """Returns ascending numbers as start, length, start, length …."""
    flat: list[int] = []
    for number in numbers:
        if flat and number == flat[-2] + flat[-1]:
            flat[-1] += 1
        else:
            flat += (number, 1)
    return list(flat)
