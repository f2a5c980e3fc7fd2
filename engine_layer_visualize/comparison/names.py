"""Matches layers by what names tell: ONNX nodes, ends of ForeignNodes, the Myelin layer of kernels.

Names of nodes count where they can be trusted. Those that several layers on either side share make
groups of n and m layers: what one builder split, the other merged. Equal layers are paired before,
so that an engine and itself match one to one.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.comparison import structure
from engine_layer_visualize.comparison.result import Confidence
from engine_layer_visualize.comparison.side import EngineSide, Match, Matches, Sides, alike
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.trt.names import ends, parts
from engine_layer_visualize.trt.operators import unnumbered

Keyed = dict[int, frozenset[str]]  # the names of each layer that has some
Both = tuple[list[int], list[int]]  # layers of A and of B
Scale = Mapping[tuple[int, int], float]

_MAX_BEARERS: Final = 4  # layers that may bear one name, or
_MAX_BEARING_PART: Final = 0.02  # this part of all layers: what more bear is no single node
_MIN_SHARED: Final = 0.2  # part of the names of the engine with fewer that both have
_MIN_AGREED: Final = 0.9
_MIN_PAIRS: Final = 5  # pairs; of fewer, all must agree
_ALL: Final = (0, 0)  # under which a scale has the factor between all elements


def by_names(found: Matches) -> None:
    """Adds groups of layers that share names which can be trusted."""
    a, b = ({i: side.keys[i] for i in side.members if side.keys[i]} for side in found.sides)
    groups = _joined_by(found.sides, (a, b))
    if groups and _trusted(found.sides, (a, b), groups):
        for mine, yours in groups:
            works = found.sides[0].work[mine[0]], found.sides[1].work[yours[0]]
            # A few pairs of names lie: their layers have other weights.
            if len(mine) > 1 or len(yours) > 1 or not works[0].contradicts(works[1]):
                found.add(Match(tuple(mine), tuple(yours), "names"))


def _joined_by(sides: Sides, keyed: tuple[Keyed, Keyed]) -> list[Both]:
    """Groups of layers that share names, sorted; a layer without a counterpart is in none."""
    rest = dict(keyed[0]), dict(keyed[1])
    groups = [*_pairs(sides, rest, _name_and_tensors)]
    groups += _pairs(sides, rest, lambda side, i, names: unnumbered(side.layers[i].name))
    shared = _shared(sides, keyed)
    a, b = ({i: own[i] for i in left if i in own} for own, left in zip(shared, rest))
    groups += _pairs(sides, (a, b), lambda side, i, names: (names, side.work[i].operator))
    groups += _components((a, b))
    _attach(groups, shared)
    return [(sorted(mine), sorted(yours)) for mine, yours in groups]


def _name_and_tensors(side: EngineSide, index: int, names: frozenset[str]) -> Hashable:
    layer = side.layers[index]
    tensors = tuple((t.dtype, t.dims) for t in (*layer.inputs, *layer.outputs))
    return unnumbered(layer.name), tensors


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
    for mine, yours in structure.equal(a, b):
        if not rest[0][mine].isdisjoint(rest[1][yours]):
            del rest[0][mine], rest[1][yours]
            yield [mine], [yours]


def _shared(sides: Sides, keyed: tuple[Keyed, Keyed]) -> tuple[Keyed, Keyed]:
    """The layers of both with the names that both engines have."""
    bearers = [Counter(name for names in own.values() for name in names) for own in keyed]
    most = [max(_MAX_BEARERS, _MAX_BEARING_PART * len(side.layers)) for side in sides]
    few = [{name for name, number in own.items() if number <= at} for own, at in zip(bearers, most)]
    kept = few[0] & few[1]
    a, b = ({i: common for i, names in own.items() if (common := names & kept)} for own in keyed)
    return a, b


def _components(rest: tuple[Keyed, Keyed]) -> list[Both]:
    """The layers of both sides that names connect, both sides in each."""
    bearers: dict[str, list[tuple[int, int]]] = defaultdict(list)  # side and layer
    for side, layers in enumerate(rest):
        for i, names in layers.items():
            for name in names:
                bearers[name].append((side, i))
    found, seen = list[Both](), set[tuple[int, int]]()
    for start in rest[0]:
        part: Both = ([], [])
        waiting = [(0, start)]
        while waiting:
            side, i = layer = waiting.pop()
            if layer not in seen:
                seen.add(layer)
                part[side].append(i)
                for name in rest[side][i]:
                    waiting += bearers.pop(name, ())
        found.append(part)
    return [part for part in found if all(part)]


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
    single = [(i[0], j[0]) for i, j in groups if len(i) == len(j) == 1]
    pairs = [
        pair
        for pair in single
        if all(s.role[i] == "computes" and s.work[i].known for s, i in zip(sides, pair))
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
    return {
        place: factor
        for place, counts in votes.items()
        for factor, number in counts.most_common(1)
        if number >= _MIN_AGREED * counts.total()
    }


def _more_elements(sides: Sides, i: int, j: int) -> float | None:
    """How many times as many elements the layer of B writes; None where that is unknown."""
    a, b = sides[0].elements(i), sides[1].elements(j)
    return b / a if a and b else None


# ---- ForeignNodes, of which names tell the two ends ----------------------------------------------

_MAX_STEPS: Final = 64  # from layer to layer, for each layer of an engine, of all walks together


def between_ends(found: Matches) -> None:
    """Adds to a matched ForeignNode what lies between its two ends on the other side."""
    steps = [iter(range(_MAX_STEPS * len(side.members))) for side in found.sides]
    bearers = [  # the layers that bear a name
        by_key((name, i) for i in side.members for name in parts(side.layers[i].name))
        for side in found.sides
    ]
    for number, match in enumerate(found.all):
        for far in (1, 0):
            named, other = _ends(found.sides[1 - far], match.both[1 - far]), found.sides[far]
            if not named:
                continue
            bear = {i for name in named for i in bearers[far].get(name, ()) if i not in other.home}
            inner = _between(other, bear.union(match.both[far]), steps[far])
            if inner := inner.difference(other.home):
                found.grow(number, far, inner, "region")
                break


def _ends(side: EngineSide, indices: Sequence[int]) -> set[str]:
    """The names at the ends of a Myelin layer that stands alone here as a whole."""
    if len(indices) != 1 or not side.has_whole_myelin(indices):
        return set()
    layer = side.layers[indices[0]]
    printed = {part for end in ends(layer.name) for part in end}
    return printed | {*origin.onnx_nodes_of(layer).ends}


def _between(side: EngineSide, ends: set[int], steps: Iterator[int]) -> set[int]:
    """The layers on the ways from one end to another, and ends on them, within their order.

    Empty where no `steps` are left to walk.
    """
    from_, to = (_reached(near, ends, steps) for near in (side.readers, side.writers))
    inner = (from_ | ends) & (to | ends) if from_ and to else set[int]()
    return {i for i in inner if side.role[i] in ("computes", "moves")}


def _reached(near: Mapping[int, list[int]], ends: set[int], steps: Iterator[int]) -> set[int]:
    reached: set[int] = set()
    waiting, first, last = sorted(ends), min(ends), max(ends)
    while waiting:
        for i in near.get(waiting.pop(), ()):
            if next(steps, None) is None:
                return set()
            if first <= i <= last and i not in reached:
                reached.add(i)
                waiting.append(i)
    return reached


# ---- kernels, whose names tell the index of their Myelin layer -----------------------------------


def kernels_of_one(found: Matches, by_name: bool) -> None:
    """Adds kernels without names to the Myelin layer that the other side has as a whole.

    It is that of their unit's other kernels. `by_name`: one file has no edges; where all units with
    names bear the index of their layer, so do those without.
    """
    for number, (side, other) in enumerate(zip(found.sides, reversed(found.sides))):
        units = {unit: own for unit, own in side.units(side.members).items() if unit is not None}
        homes = {unit: {side.home[i] for i in own if i in side.home} for unit, own in units.items()}
        whole = {other.layers[i].position: i for i in other.members if other.has_whole_myelin([i])}
        told = [at == {other.home.get(whole.get(unit, -1))} for unit, at in homes.items() if at]
        by_index = by_name and told and all(told)
        free = {*side.free("computes", "moves")}
        for unit, own in units.items():
            at = whole.get(unit) if by_index and not homes[unit] else None
            if len(homes[unit]) == 1:
                (home,) = homes[unit]
                match, more = found.all[home], free.intersection(own)
                mine, yours = side.has_whole_myelin, other.has_whole_myelin
                if more and yours(match.both[1 - number]) and not mine(match.both[number]):
                    sure: Confidence = "names" if match.confidence == "names" else "region"
                    found.grow(home, number, more, sure)
            elif at is not None and at not in other.home:
                both = ((at,), tuple(own))
                found.add(Match(both[number - 1], both[number], "names"))
