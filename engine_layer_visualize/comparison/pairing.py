"""Joins layers of two engines that share keys.

Keys shared by several layers on either side make groups of n and m layers: what one builder split,
the other merged. Equal layers are paired before, so that an engine and itself match one to one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.groups import connected
from engine_layer_visualize.comparison import sequences
from engine_layer_visualize.comparison.result import Confidence
from engine_layer_visualize.comparison.side import EngineSide
from engine_layer_visualize.trt.names import myelin_index
from engine_layer_visualize.trt.operators import base_name, folded

Keyed = Mapping[int, frozenset[str]]  # the keys of each layer that has some
_MAX_BEARERS: Final = 4  # layers that may bear one key, or
_MAX_BEARING_PART: Final = 0.02  # this part of all layers
_MAX_ROUNDS: Final = 16  # of giving keys back that were cut
MAX_LAYERS: Final = 8  # layers of a group, on a side


class Match(NamedTuple):
    """Layers that belong together."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    confidence: Confidence
    why: str

    @property
    def both(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The layers of A, and those of B."""
        return self.a, self.b


def by_keys(
    sides: tuple[EngineSide, EngineSide],
    keyed: tuple[Keyed, Keyed],
    confidence: Confidence,
    why: str,
) -> list[Match]:
    """The groups; a layer without a counterpart is in none."""
    shared = _shared(sides, keyed)
    if not any(shared):
        return []
    groups: list[tuple[list[int], list[int]]] = []
    rest = (dict(shared[0]), dict(shared[1]))
    for signature in _SIGNATURES:
        groups += _pairs(sides, rest, signature)
    groups += _components(rest)
    _attach(groups, shared)
    return [
        Match(tuple(sorted(a)), tuple(sorted(b)), confidence, why) for a, b in groups if a and b
    ]


# ---- keys --------------------------------------------------------------------------------------


def _shared(
    sides: tuple[EngineSide, EngineSide], keyed: tuple[Keyed, Keyed]
) -> tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]]:
    """The layers of both with the keys that both engines have."""
    counts = tuple(
        Counter(key for keys in keyed_layers.values() for key in keys) for keyed_layers in keyed
    )
    same = same_names(counts[0].keys(), counts[1].keys())
    kept = set()
    most = [glued_at_most(len(side.layers)) for side in sides]
    for key, other in same.items():
        if counts[0][key] <= most[0] and counts[1][other] <= most[1]:
            kept.add(key)
    back = {other: key for key, other in same.items()}
    a = {i: common for i, keys in keyed[0].items() if (common := keys & kept)}
    b = {
        i: common
        for i, keys in keyed[1].items()
        if (common := frozenset(back[k] for k in keys if back.get(k) in kept))
    }
    return a, b


def glued_at_most(layers: int) -> float:
    """So many layers of an engine one key may join: what more of them bear is no single node."""
    return max(_MAX_BEARERS, _MAX_BEARING_PART * layers)


def same_names(a: Iterable[str], b: Iterable[str]) -> dict[str, str]:
    """The keys of A, each with the key of B that is the same.

    Literally, or else as Myelin folds them, where that is unique.
    """
    mine, yours = set(a), set(b)
    same = {key: key for key in mine & yours}
    if len(same) in (len(mine), len(yours)):
        return same
    folds = []
    for names in (mine, yours):
        by_fold: dict[str, list[str]] = defaultdict(list)
        for key in names:
            by_fold[folded(key)].append(key)
        folds.append(by_fold)
    for fold, keys in folds[0].items():
        others = folds[1].get(fold, ())
        if len(keys) == len(others) == 1 and keys[0] not in same:
            same[keys[0]] = others[0]
    return same


# ---- equal layers ------------------------------------------------------------------------------


def _record(side: EngineSide, index: int, keys: frozenset[str]) -> Hashable:
    layer = side.layers[index]
    tensors = tuple((t.dtype, t.dims) for t in (*layer.inputs, *layer.outputs))
    return base_name(layer.name), layer.type, len(layer.inputs), tensors


def _name(side: EngineSide, index: int, keys: frozenset[str]) -> Hashable:
    return base_name(side.layers[index].name), side.work[index].operator


def _task(side: EngineSide, index: int, keys: frozenset[str]) -> Hashable:
    work = side.work[index]
    return keys, work.operator, work.output


def _nodes(side: EngineSide, index: int, keys: frozenset[str]) -> Hashable:
    return keys, side.work[index].operator  # at other shapes


_SIGNATURES: Final[tuple[Callable[[EngineSide, int, frozenset[str]], Hashable], ...]] = (
    _record,
    _name,
    _task,
    _nodes,
)


def _pairs(
    sides: tuple[EngineSide, EngineSide],
    rest: tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]],
    signature: Callable[[EngineSide, int, frozenset[str]], Hashable],
) -> list[tuple[list[int], list[int]]]:
    """Layers of equal signatures in order, where both sides have as many; they leave `rest`."""
    a, b = (
        [(signature(side, index, keys), index) for index, keys in sorted(layers.items())]
        for side, layers in zip(sides, rest)
    )
    pairs = []
    for mine, yours in sequences.equal(a, b):
        if not rest[0][mine].isdisjoint(rest[1][yours]):
            pairs.append(([mine], [yours]))
            del rest[0][mine], rest[1][yours]
    return pairs


# ---- components --------------------------------------------------------------------------------


def _components(
    rest: tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]],
) -> list[tuple[list[int], list[int]]]:
    """The layers that keys join, both sides in each; those that are found leave `rest`."""
    cut = frozenset[str]()
    groups = []
    parts = joined(rest, cut)
    if large := [part for part in parts if max(map(len, part)) > MAX_LAYERS]:
        cut = _articulation(large, rest)
        parts = joined(rest, cut) if cut else parts
    for part in parts:
        if all(part):
            groups.append(part)
            for layers, indices in zip(rest, part):
                for index in indices:
                    del layers[index]
    return groups


def joined(
    rest: tuple[Mapping[int, frozenset[str]], Mapping[int, frozenset[str]]], cut: frozenset[str]
) -> list[tuple[list[int], list[int]]]:
    """The layers of both sides that keys connect, without the keys of `cut`."""
    layers: list[Hashable] = [(side, index) for side, layers in enumerate(rest) for index in layers]
    pairs: list[tuple[Hashable, Hashable]] = [
        ((side, index), key)
        for side, layers in enumerate(rest)
        for index, keys in layers.items()
        for key in keys - cut
    ]
    parts = []
    for part in connected([*layers, *(key for _, key in pairs)], pairs):
        sides: tuple[list[int], list[int]] = ([], [])
        for thing in part:
            if isinstance(thing, tuple):
                sides[thing[0]].append(thing[1])
        parts.append(sides)
    return parts


def _articulation(
    large: Sequence[tuple[list[int], list[int]]],
    rest: tuple[Mapping[int, frozenset[str]], Mapping[int, frozenset[str]]],
) -> frozenset[str]:
    """Keys that alone hold large groups together, where each part without them has both sides."""
    cut: set[str] = set()
    for a, b in large:
        layers = ({i: rest[0][i] for i in a}, {i: rest[1][i] for i in b})
        bridges = _bridging_keys(layers)
        # Where a part would be left with one side alone, its keys stay.
        for _ in range(_MAX_ROUNDS):
            broken = [part for part in joined(layers, frozenset(bridges)) if not all(part)]
            if not broken:
                break
            needed = {
                key
                for part in broken
                for side, indices in zip(layers, part)
                for index in indices
                for key in side[index]
            }
            bridges -= needed
        else:  # not all of them are given back
            bridges = set()
        cut |= bridges
    return frozenset(cut)


def _bridging_keys(sides: tuple[Mapping[int, frozenset[str]], ...]) -> set[str]:
    """The keys that are articulation points of the graph of layers and keys.

    Tarjan's algorithm, without recursion.
    """
    near: dict[Hashable, list[Hashable]] = defaultdict(list)
    for number, side in enumerate(sides):
        for index, keys in side.items():
            for key in sorted(keys):
                near[number, index].append(key)
                near[key].append((number, index))
    depth: dict[Hashable, int] = {}
    low: dict[Hashable, int] = {}
    keys_found: set[str] = set()
    for start in list(near):
        if start in depth:
            continue
        depth[start] = low[start] = 0
        stack: list[tuple[Hashable, Hashable, int]] = [(start, None, 0)]
        while stack:
            node, above, neighbour = stack.pop()
            if neighbour < len(near[node]):
                stack.append((node, above, neighbour + 1))
                other = near[node][neighbour]
                if other not in depth:
                    depth[other] = low[other] = depth[node] + 1
                    stack.append((other, node, 0))
                elif other != above:
                    low[node] = min(low[node], depth[other])
            elif above is not None:
                low[above] = min(low[above], low[node])
                if low[node] >= depth[above] and above != start and isinstance(above, str):
                    keys_found.add(above)
    return keys_found


def _attach(groups: list[tuple[list[int], list[int]]], shared: tuple[Keyed, Keyed]) -> None:
    """Gives each layer without a counterpart to the group that it shares most keys with.

    Its work is split on its side.
    """
    for side in (0, 1):
        placed = {index for group in groups for index in group[side]}
        left = {index: keys for index, keys in shared[side].items() if index not in placed}
        wanted = {key for keys in left.values() for key in keys}
        homes: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(groups) if left else ():
            for index in group[1 - side]:
                for key in wanted & shared[1 - side][index]:
                    homes[key].append(number)
        for index, keys in left.items():
            votes = Counter(number for key in keys for number in homes.get(key, ()))
            if votes:
                most = max(votes.values())
                home = min(number for number, count in votes.items() if count == most)
                groups[home][side].append(index)


# ---- joins layers whose names one side does not print to what was compiled as one on the o ------


_MAX_STEPS: Final = (
    64  # steps from layer to layer, for each layer of an engine, of all walks together
)


def between_ends(sides: tuple[EngineSide, EngineSide], matches: list[Match]) -> list[Match]:
    """Adds to a ForeignNode what lies between the layers of its two ends on the other side.

    Often only these two ends are named.
    """
    taken = [{i for match in matches for i in match.both[side_number]} for side_number in (0, 1)]
    steps = [iter(range(_MAX_STEPS * len(side.members))) for side in sides]
    for number, match in enumerate(matches):
        for side_number, side in enumerate(sides):
            indices, other = match.both[side_number], match.both[1 - side_number]
            whole = side.work[indices[0]].operator == "myelin" and len(indices) == 1
            if whole and len(other) > 1 and origin.onnx_nodes_of(side.layers[indices[0]]).ends:
                inner = (
                    _between(sides[1 - side_number], other, steps[1 - side_number])
                    - taken[1 - side_number]
                )
                if inner:
                    taken[1 - side_number] |= inner
                    matches[number] = _with(match, 1 - side_number, inner)
                    break
    return matches


def _between(side: EngineSide, ends: Sequence[int], steps: Iterator[int]) -> set[int]:
    """The computing layers on the ways from one end to another, within their order.

    None where there are no `steps` left to walk.
    """
    reached = [_reached(near, ends, steps) for near in (side.readers, side.writers)]
    return {i for i in reached[0] & reached[1] if side.role[i] in ("computes", "moves")}


def _reached(near: Mapping[int, list[int]], ends: Sequence[int], steps: Iterator[int]) -> set[int]:
    reached: set[int] = set()
    waiting, first, last = list(ends), min(ends), max(ends)
    while waiting:
        for i in near.get(waiting.pop(), ()):
            if next(steps, None) is None:
                return set()
            if first < i < last and i not in reached:
                reached.add(i)
                waiting.append(i)
    return reached


def with_their_kernels(sides: tuple[EngineSide, EngineSide], matches: list[Match]) -> list[Match]:
    """Adds kernels without names to the others of their Myelin layer.

    Where these are in one group, and the other side alone has that layer as a whole.
    """
    for side_number, side in enumerate(sides):
        homes: dict[int, set[int]] = defaultdict(set)
        taken = set()
        for number, match in enumerate(matches):
            for i in match.both[side_number]:
                taken.add(i)
                if (unit := myelin_index(side.layers[i].name)) is not None:
                    homes[unit].add(number)
        grown: dict[int, list[int]] = defaultdict(list)
        for i in side.members:
            if side.role[i] in ("computes", "moves") and i not in taken:
                unit = myelin_index(side.layers[i].name)
                if unit is not None and len(home := homes.get(unit, set())) == 1:
                    grown[next(iter(home))].append(i)
        for number, more in grown.items():
            whole = [
                any(side_.work[i].operator == "myelin" for i in indices)
                for side_, indices in zip(sides, matches[number].both)
            ]
            if whole[1 - side_number] and not whole[side_number]:
                matches[number] = _with(
                    matches[number], side_number, more, matches[number].confidence == "names"
                )
    return matches


def _with(match: Match, side: int, more: Iterable[int], sure: bool = False) -> Match:
    both = [match.a, match.b]
    both[side] = tuple(sorted({*both[side], *more}))
    if sure:
        return match._replace(a=both[0], b=both[1])
    why = f"{match.why} at the ends of what was compiled as one"
    return Match(both[0], both[1], "region", why if match.confidence == "names" else match.why)
