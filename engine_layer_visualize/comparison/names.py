"""Matches layers that share names: of ONNX nodes where these can be trusted, then of weights.

Names shared by several layers on either side make groups of n and m layers: what one builder split,
the other merged. Equal layers are paired before, so that an engine and itself match one to one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.groups import connected
from engine_layer_visualize.comparison import sequences
from engine_layer_visualize.comparison.result import Confidence
from engine_layer_visualize.comparison.side import EngineSide, Match, Matches, Sides, alike
from engine_layer_visualize.trt.names import myelin_index
from engine_layer_visualize.trt.operators import folded, unnumbered

Keyed = dict[int, frozenset[str]]  # the names of each layer that has some
Both = tuple[list[int], list[int]]  # layers of A and of B
Scale = Mapping[tuple[int, int], float]

MAX_LAYERS: Final = 8  # layers of a group, on a side
_MAX_BEARERS: Final = 4  # layers that may bear one name, or
_MAX_BEARING_PART: Final = 0.02  # this part of all layers: what more bear is no single node
_MAX_ROUNDS: Final = 16  # of giving names back that were cut
_MAX_STEPS: Final = 64  # from layer to layer, for each layer of an engine, of all walks together
_MIN_SHARED: Final = 0.2  # part of the names of the engine with fewer that both have
_MIN_AGREED: Final = 0.9
_MIN_PAIRS: Final = 5  # pairs; of fewer, all must agree
_ALL: Final = (0, 0)  # under which a scale has the factor between all elements


def by_names(found: Matches, always: bool = False) -> None:
    """Adds groups by ONNX nodes, where these can be trusted or `always`, then by weights."""
    kinds: tuple[tuple[Confidence, str], ...] = (
        ("names", "the same ONNX nodes"),
        ("weights", "the same weights"),
    )
    for confidence, why in kinds:
        keyed = _keyed(found, 0, confidence), _keyed(found, 1, confidence)
        groups = _joined_by(found.sides, keyed)
        if groups and ((always and confidence == "names") or _trusted(found.sides, keyed, groups)):
            for a, b in groups:
                works = found.sides[0].work[a[0]], found.sides[1].work[b[0]]
                # A few pairs of names lie: their layers have other weights.
                if len(a) > 1 or len(b) > 1 or not works[0].contradicts(works[1]):
                    found.add(Match(tuple(a), tuple(b), confidence, why))


def _keyed(found: Matches, side: int, confidence: Confidence) -> Keyed:
    """The names of the layers that are in no group."""
    keys, home = found.sides[side].keys, found.home[side]
    free = (i for i in found.sides[side].members if i not in home)
    named = ((i, keys[i].nodes if confidence == "names" else keys[i].weights) for i in free)
    return {i: names for i, names in named if names}


def _joined_by(sides: Sides, keyed: tuple[Keyed, Keyed]) -> list[Both]:
    """Groups of layers that share names, sorted; a layer without a counterpart is in none."""
    shared = _shared(sides, keyed)
    groups: list[Both] = []
    rest = (dict(shared[0]), dict(shared[1]))
    for signature in _SIGNATURES:
        groups += _pairs(sides, rest, signature)
    groups += _components(rest)
    _attach(groups, shared)
    return [(sorted(a), sorted(b)) for a, b in groups]


def _shared(sides: Sides, keyed: tuple[Keyed, Keyed]) -> tuple[Keyed, Keyed]:
    """The layers of both with the names that both engines have, as A has them."""
    counts = [Counter(name for names in own.values() for name in names) for own in keyed]
    most = [max(_MAX_BEARERS, _MAX_BEARING_PART * len(side.layers)) for side in sides]
    same = {
        other: name
        for name, other in _same(set(counts[0]), set(counts[1]))
        if counts[0][name] <= most[0] and counts[1][other] <= most[1]
    }
    kept = set(same.values())
    a = {i: common for i, names in keyed[0].items() if (common := names & kept)}
    b = {
        i: frozenset(same[name] for name in common)
        for i, names in keyed[1].items()
        if (common := names & same.keys())
    }
    return a, b


def _same(mine: set[str], yours: set[str]) -> Iterator[tuple[str, str]]:
    """The names of A, each with the name of B that is the same.

    Literally, or else as Myelin folds them, where that is unique.
    """
    both = mine & yours
    yield from ((name, name) for name in both)
    if len(both) in (len(mine), len(yours)):
        return
    folds: tuple[dict[str, list[str]], ...] = (defaultdict(list), defaultdict(list))
    for by_fold, names in zip(folds, (mine, yours)):
        for name in names:
            by_fold[folded(name)].append(name)
    for fold, own in folds[0].items():
        others = folds[1].get(fold, ())
        if len(own) == len(others) == 1 and own[0] not in both:
            yield own[0], others[0]


# ---- equal layers ------------------------------------------------------------------------------


def _record(side: EngineSide, index: int, names: frozenset[str]) -> Hashable:
    layer = side.layers[index]
    tensors = tuple((t.dtype, t.dims) for t in (*layer.inputs, *layer.outputs))
    return unnumbered(layer.name), layer.type, len(layer.inputs), tensors


# What equal layers have in common, the surest first; the last is of layers at other shapes.
_SIGNATURES: Final[tuple[Callable[[EngineSide, int, frozenset[str]], Hashable], ...]] = (
    _record,
    lambda side, i, names: (unnumbered(side.layers[i].name), side.work[i].operator),
    lambda side, i, names: (names, side.work[i].operator, side.work[i].output),
    lambda side, i, names: (names, side.work[i].operator),
)


def _pairs(
    sides: Sides,
    rest: tuple[Keyed, Keyed],
    signature: Callable[[EngineSide, int, frozenset[str]], Hashable],
) -> Iterator[Both]:
    """Layers of equal signatures in order, where both sides have as many; they leave `rest`."""
    a, b = (
        [(signature(side, index, names), index) for index, names in sorted(layers.items())]
        for side, layers in zip(sides, rest)
    )
    for mine, yours in sequences.equal(a, b):
        if not rest[0][mine].isdisjoint(rest[1][yours]):
            del rest[0][mine], rest[1][yours]
            yield [mine], [yours]


# ---- components --------------------------------------------------------------------------------


def _components(rest: tuple[Keyed, Keyed]) -> list[Both]:
    """The layers that names join, both sides in each."""
    parts = _joined(rest, frozenset())
    if large := [part for part in parts if max(map(len, part)) > MAX_LAYERS]:
        parts = _joined(rest, _articulation(large, rest))
    return [part for part in parts if all(part)]


def _joined(rest: tuple[Keyed, Keyed], cut: frozenset[str]) -> list[Both]:
    """The layers of both sides that names connect, without the names of `cut`."""
    things: list[Hashable] = [(side, i) for side, layers in enumerate(rest) for i in layers]
    pairs: list[tuple[Hashable, Hashable]] = [
        ((side, i), name)
        for side, layers in enumerate(rest)
        for i, names in layers.items()
        for name in names - cut
    ]
    parts = []
    for part in connected([*things, *(name for _, name in pairs)], pairs):
        sides: Both = ([], [])
        for thing in part:
            if isinstance(thing, tuple):
                sides[thing[0]].append(thing[1])
        parts.append(sides)
    return parts


def _articulation(large: Sequence[Both], rest: tuple[Keyed, Keyed]) -> frozenset[str]:
    """Names that alone hold large groups together, where each part without them has both sides."""
    cut: set[str] = set()
    for a, b in large:
        layers = ({i: rest[0][i] for i in a}, {i: rest[1][i] for i in b})
        bridges = _bridging(layers)
        # Where a part would be left with one side alone, its names stay.
        for _ in range(_MAX_ROUNDS):
            broken = [part for part in _joined(layers, frozenset(bridges)) if not all(part)]
            if not broken:
                cut |= bridges
                break
            for part in broken:
                for side, indices in zip(layers, part):
                    bridges.difference_update(*(side[index] for index in indices))
    return frozenset(cut)


def _bridging(sides: tuple[Keyed, Keyed]) -> set[str]:
    """The names that are articulation points of the graph of layers and names.

    Tarjan's algorithm, without recursion.
    """
    near: dict[Hashable, list[Hashable]] = defaultdict(list)
    for number, side in enumerate(sides):
        for index, names in side.items():
            for name in sorted(names):
                near[number, index].append(name)
                near[name].append((number, index))
    depth: dict[Hashable, int] = {}
    low: dict[Hashable, int] = {}
    bridges: set[str] = set()
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
                    bridges.add(above)
    return bridges


def _attach(groups: list[Both], shared: tuple[Keyed, Keyed]) -> None:
    """Gives each layer without a counterpart to the group that it shares most names with.

    Its work is split on its side.
    """
    for side in (0, 1):
        placed = {index for group in groups for index in group[side]}
        left = {index: names for index, names in shared[side].items() if index not in placed}
        wanted = frozenset[str]().union(*left.values())
        homes: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(groups) if left else ():
            for index in group[1 - side]:
                for name in wanted & shared[1 - side][index]:
                    homes[name].append(number)
        for index, names in left.items():
            if votes := Counter(number for name in names for number in homes.get(name, ())):
                home = min(votes, key=lambda number: (-votes[number], number))
                groups[home][side].append(index)


# ---- whether names may be believed -------------------------------------------------------------

# Exporters number nodes anew, and two networks may share names: names count only where the layers
# that they join do the same work.


def _trusted(sides: Sides, keyed: tuple[Keyed, Keyed], groups: Sequence[Both]) -> bool:
    """Whether enough names are shared, and the layers that they pair agree in their work."""
    a, b = (frozenset[str]().union(*names.values()) for names in keyed)
    shared, fewer = len(a & b), min(len(a), len(b))
    if shared < _MIN_SHARED * fewer and len(groups) < _MIN_PAIRS:
        return False
    pairs = [
        (i[0], j[0])
        for i, j in groups
        if len(i) == len(j) == 1
        and all(side.role[at[0]] == "computes" for side, at in zip(sides, (i, j)))
        and all(side.work[at[0]].known for side, at in zip(sides, (i, j)))
    ]
    if not pairs:
        return shared >= 0.5 * fewer
    scale = scales(sides, pairs)
    agreed = sum(agree(sides, i, j, scale) for i, j in pairs)
    return agreed >= (_MIN_AGREED if len(pairs) >= _MIN_PAIRS else 1.0) * len(pairs)


def agree(sides: Sides, i: int, j: int, scale: Scale) -> bool:
    """Whether two layers do the same work, as far as their records show."""
    a, b = sides[0].work[i], sides[1].work[j]
    if not (a.known and b.known):
        return True
    if a.contradicts(b) or not a.may_be(b):
        return False
    if alike(a.output, b.output) or a.is_same_product(b):
        return True
    rank = len(a.output)
    if rank != len(b.output):  # Myelin may take the heads of an attention for a part of the batch
        compiled = a.is_compiled or b.is_compiled
        return compiled and _more_elements(sides, i, j) == scale.get(_ALL, 1)
    return all(
        m == n or m < 0 or n < 0 or n == m * scale.get((rank, axis), 1)
        for axis, (m, n) in enumerate(zip(a.output, b.output))
    )


def scales(sides: Sides, pairs: Iterable[tuple[int, int]]) -> Scale:
    """The factor between nearly all extents of both, by rank and position.

    It is another one than 1 of a network that was built for another resolution.
    """
    votes: dict[tuple[int, int], Counter[float]] = defaultdict(Counter)
    for i, j in pairs:
        a, b = sides[0].work[i].output, sides[1].work[j].output
        if len(a) == len(b):
            for axis, (m, n) in enumerate(zip(a, b)):
                if m > 1 and n > 0:
                    votes[len(a), axis][n / m] += 1
        elif ratio := _more_elements(sides, i, j):
            votes[_ALL][ratio] += 1
    most = {place: counts.most_common(1)[0] for place, counts in votes.items()}
    return {
        place: factor
        for place, (factor, number) in most.items()
        if number >= _MIN_AGREED * votes[place].total()
    }


def _more_elements(sides: Sides, i: int, j: int) -> float | None:
    """How many times as many elements the layer of B writes; None where that is unknown."""
    a, b = sides[0].elements(i), sides[1].elements(j)
    return b / a if a and b else None


# ---- what was compiled as one, of which names tell a part --------------------------------------


def between_ends(found: Matches) -> None:
    """Adds to a ForeignNode what lies between the layers of its two ends on the other side.

    Often only these two ends are named.
    """
    steps = [iter(range(_MAX_STEPS * len(side.members))) for side in found.sides]
    for number, match in enumerate(found.all):
        for side, (own, indices) in enumerate(zip(found.sides, match.both)):
            far, ends = 1 - side, match.both[1 - side]
            if (
                len(indices) == 1 < len(ends)
                and own.has_whole_myelin(indices)
                and origin.onnx_nodes_of(own.layers[indices[0]]).ends
            ):
                inner = _between(found.sides[far], ends, steps[far]) - found.home[far].keys()
                if inner:
                    _grow(found, number, far, inner)
                    break


def _between(side: EngineSide, ends: Sequence[int], steps: Iterator[int]) -> set[int]:
    """The computing layers on the ways from one end to another, within their order.

    None where there are no `steps` left to walk.
    """
    from_, to = (_reached(near, ends, steps) for near in (side.readers, side.writers))
    return {i for i in from_ & to if side.role[i] in ("computes", "moves")}


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


def with_their_kernels(found: Matches) -> None:
    """Adds kernels without names to the others of their Myelin layer.

    Where these are in one group, and the other side alone has that layer as a whole.
    """
    for side, own in enumerate(found.sides):
        homes: dict[int, set[int]] = defaultdict(set)
        for i, home in found.home[side].items():
            if (unit := myelin_index(own.layers[i].name)) is not None:
                homes[unit].add(home)
        grown: dict[int, list[int]] = defaultdict(list)
        for i in found.free(side, "computes", "moves"):
            unit = myelin_index(own.layers[i].name)
            if unit is not None and len(home_of_unit := homes.get(unit, set())) == 1:
                grown[next(iter(home_of_unit))].append(i)
        for number, more in grown.items():
            whole = [
                each.has_whole_myelin(indices)
                for each, indices in zip(found.sides, found.all[number].both)
            ]
            if whole[1 - side] and not whole[side]:
                _grow(found, number, side, more, sure=found.all[number].confidence == "names")


def _grow(found: Matches, number: int, side: int, more: Iterable[int], sure: bool = False) -> None:
    """Adds layers to what was compiled as one; `sure`: its names still tell so."""
    match = found.all[number]
    if sure:
        found.grow(number, side, more, match.confidence, match.why)
        return
    at_ends = " at the ends of what was compiled as one" * (match.confidence == "names")
    found.grow(number, side, more, "region", match.why + at_ends)
