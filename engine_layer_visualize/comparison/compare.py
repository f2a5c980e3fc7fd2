"""Compares two engines, layer by layer, and judges one by the other.

`side` prepares an engine and finds the names by which its layers are known again, `pairing` joins
layers that share them, `trust` says whether names may be believed; `structure` matches the rest by
`sequences` of work, `regions` are what was compiled as one, `fused` takes in what the other engine
fused, `satellites` places reformats;
`accounting` explains the difference, `ratio` says how much faster one is, and of how many `samples`
the runs are, `builds` tells the builds apart. `result` has the types, `sentences` and
`cause_words` the words.
`gate` gives a verdict.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import accounting, builds, fused, pairing, result, structure
from engine_layer_visualize.comparison.fused import agree, by_names, scales, surely_agree
from engine_layer_visualize.comparison.pairing import Match
from engine_layer_visualize.comparison.result import (
    CONFIDENCES,
    Comparison,
    Confidence,
    Group,
    Matching,
)
from engine_layer_visualize.comparison.side import EngineSide
from engine_layer_visualize.comparison.structure import by_structure
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.numbers import no_collections

Sides = tuple[EngineSide, EngineSide]


def compare(
    a: Costs,
    b: Costs,
    match: Matching = "auto",
    min_confidence: Confidence = "region",
    *,
    per_sample: bool = False,
) -> Comparison:
    """Compares engine B with engine A.

    Args:
        a: engine A with its times.
        b: engine B with its times.
        match: by names where they can be trusted, else by structure (auto), only by names, or only
            by structure. Of two different networks only what names or weights join is matched.
        min_confidence: layers that are matched with less stay unmatched.
        per_sample: with the times of a sample, where runs are of different numbers of samples.
    """
    if per_sample:
        a, b = result.of_a_sample(a, b)
    with no_collections():
        return _compared(a, b, match, min_confidence)


def _compared(a: Costs, b: Costs, match: Matching, min_confidence: Confidence) -> Comparison:
    if _in_order(a, b):
        sides, matches = _matched(a, b, match)
    else:  # so that A against B is the mirror of B against A
        (second, first), mirrored = _matched(b, a, match)
        sides = first, second
        matches = [match._replace(a=match.b, b=match.a) for match in mirrored]
    same = _same_network(sides, matches)
    most = CONFIDENCES.index(min_confidence)
    if not same and match == "auto":
        most = min(most, CONFIDENCES.index("weights"))
    groups = _groups(sides, [m for m in matches if CONFIDENCES.index(m.confidence) <= most])
    left: dict[bool, list[list[int]]] = {True: [[], []], False: [[], []]}  # overhead, unmatched
    for number, side in enumerate(sides):
        placed = {i for group in groups for i in group.all[number]}
        for i in range(len(side.layers)):
            if i not in placed:
                left[side.role[i] == "overhead"][number].append(i)
    overhead, unmatched = accounting.rest(sides, *left[True]), accounting.rest(sides, *left[False])
    total = accounting.total(sides, groups, overhead, unmatched)
    speed = result.ratio_of(a, b, same, total.delta_ms is not None)
    return Comparison(
        a, b, same, total.delta_ms, speed.speedup, total.unknown,
        builds.differences(a.engine, b.engine), total.waterfall, tuple(groups), overhead, unmatched,
        speed.why, speed.per_sample, speed.inputs,
    )  # fmt: skip


def _in_order(a: Costs, b: Costs) -> bool:
    """Two engines are always matched in the same order, whichever comes first."""
    mine, yours = a.engine.layers, b.engine.layers
    if len(mine) != len(yours):
        return len(mine) < len(yours)
    for first, second in zip(mine, yours):
        if (first.type, first.name) != (second.type, second.name):
            return (first.type, first.name) < (second.type, second.name)
    return _tensors(mine) <= _tensors(yours)


def _tensors(layers: Sequence[Layer]) -> list[list[str]]:
    return [
        [f"{t.name} {t.dtype} {t.dims}" for t in (*layer.inputs, *layer.outputs)]
        for layer in layers
    ]


# ---- matching ----------------------------------------------------------------------------------


def _matched(a: Costs, b: Costs, how: Matching) -> tuple[Sides, list[Match]]:
    """The two sides, and groups of their layers, optimisation profile by optimisation profile."""
    by_name = any(not costs.engine.graph.edges for costs in (a, b))  # times without a listing
    first_side = EngineSide(a, by_name)
    sides = first_side, EngineSide(b, by_name, first_side)
    of_all: list[Match] = []
    for first, second in _profiles(sides):
        part = sides[0].of_profile(first), sides[1].of_profile(second)
        matches = by_names(part, always=how == "names") if how != "structure" else []
        matches = pairing.between_ends(part, matches)
        if how != "names":
            matches = pairing.with_their_kernels(part, by_structure(part, matches))
        matches = fused.taken_in(part, matches)
        of_all += matches
        of_all += structure.idle(part, matches)
    return sides, of_all


def _profiles(sides: Sides) -> Iterator[tuple[int, int]]:
    """The optimisation profiles that belong together.

    First those that totals are of, then those of equal dims, then those of equal numbers.
    """
    a, b = (side.costs for side in sides)
    yield a.profile, b.profile
    mine = [number for number in a.profiles if number != a.profile]
    yours = [number for number in b.profiles if number != b.profile]
    signs: tuple[Callable[[EngineSide, int], Hashable], ...] = (_dims, lambda side, number: number)
    for sign in signs:
        others: dict[Hashable, deque[int]] = defaultdict(deque)
        for other in yours:
            others[sign(sides[1], other)].append(other)
        pairs = {n: same.popleft() for n in mine if (same := others.get(sign(sides[0], n)))}
        yield from pairs.items()
        paired = set(pairs.values())
        mine = [number for number in mine if number not in pairs]
        yours = [number for number in yours if number not in paired]


def _dims(side: EngineSide, profile: int) -> frozenset[str]:
    """The dims of what the layers of an optimisation profile read."""
    return frozenset(t.dims for i in side.by_profile[profile] for t in side.layers[i].inputs)


def _same_network(sides: Sides, matches: Sequence[Match]) -> bool:
    """Whether half of the computing layers of the smaller engine are matched with equal work.

    Without names, half of those of both, with shapes that are known to be equal. Layers are those
    of the optimisation profiles that totals are of.
    """
    sides = sides[0].of_profile(sides[0].costs.profile), sides[1].of_profile(sides[1].costs.profile)
    numbers = [sum(side.role[i] == "computes" for i in side.members) for side in sides]
    pairs = [(m.a[0], m.b[0]) for m in matches if len(m.a) == len(m.b) == 1]
    scale = scales(sides, pairs)
    agreed = [0, 0]
    for match in matches:
        named = match.confidence in ("names", "weights")
        if any(
            agree(sides, i, j, scale) if named else surely_agree(sides, i, j)
            for i, j in product(match.a, match.b)
        ):
            for which, side in enumerate(sides):
                agreed[which] += sum(side.role[i] == "computes" for i in match.both[which])
    half = [2 * layers >= number for layers, number in zip(agreed, numbers)]
    if any(match.confidence in ("names", "weights") for match in matches):
        return any(enough for enough, number in zip(half, numbers) if number == min(numbers))
    return all(half) and (all(numbers) or not any(numbers))


def _groups(sides: Sides, matches: Sequence[Match]) -> list[Group]:
    """The matches with the reformats that serve them, the largest difference first."""
    split = [_apart(sides, match) for match in matches]
    reformats: list[tuple[list[int], list[int]]] = [serving for _, serving in split]
    for number, side in enumerate(sides):
        members = [(*match.both[number], *serving[number]) for match, serving in split]
        for index, home in structure.homes_of_satellites(side, members).items():
            reformats[home][number].append(index)
    groups = [accounting.group(sides, match, serving) for match, serving in split]
    return sorted(groups, key=lambda group: (-abs(group.delta_ms or 0.0), group.a, group.b))


def _apart(sides: Sides, match: Match) -> tuple[Match, tuple[list[int], list[int]]]:
    """The layers, and the no-ops among them, which serve the others."""
    if not any(side.role[i] == "serves" for side, own in zip(sides, match.both) for i in own):
        return match, ([], [])
    kept_layers = [
        tuple(i for i in indices if side.role[i] != "serves")
        for side, indices in zip(sides, match.both)
    ]
    if not all(kept_layers):
        return match, ([], [])
    serving = [
        [i for i in indices if i not in kept] for indices, kept in zip(match.both, kept_layers)
    ]
    return match._replace(a=kept_layers[0], b=kept_layers[1]), (serving[0], serving[1])
