"""Decides whether names may be believed, and gives the groups that they make.

Exporters number nodes anew, and two networks may share names: names count only where the layers
that they join do the same work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from engine_layer_visualize.comparison.pairing import Keyed, Match, by_keys
from engine_layer_visualize.comparison.result import Confidence
from engine_layer_visualize.comparison.side import (
    COMPILED,
    EngineSide,
    Shape,
    Work,
    alike,
    contradict,
)

_MIN_SHARED: Final = 0.2  # part of the names of the engine with fewer that both have
_MIN_AGREED: Final = 0.9
_MIN_PAIRS: Final = 5  # pairs; of fewer, all must agree
Scale = Mapping[tuple[int, int], float]
_NO_SCALE: Final[Scale] = {}
_ALL: Final = (0, 0)  # under which a scale has the factor between all elements
_WHY: Final[dict[Confidence, str]] = {
    "names": "the same ONNX nodes",
    "weights": "the same weights",
}


def by_names(sides: tuple[EngineSide, EngineSide], always: bool = False) -> list[Match]:
    """Groups by ONNX nodes, where these can be trusted (`always`: in any case), then by weights."""
    matches: list[Match] = []
    steps: tuple[Confidence, ...] = ("names", "weights")
    for confidence in steps:
        taken = [{i for match in matches for i in match.both[side]} for side in (0, 1)]
        keyed = _keyed(sides, taken, weights=confidence == "weights")
        more = by_keys(sides, keyed, confidence, _WHY[confidence])
        if more and ((always and confidence == "names") or _trusted(sides, keyed, more)):
            matches += [match for match in more if not _false(sides, match)]
    return matches


def _keyed(
    sides: tuple[EngineSide, EngineSide], taken: Sequence[set[int]], weights: bool
) -> tuple[Keyed, Keyed]:
    """The keys of the layers that are in no group."""
    keyed = [
        {
            index: keys
            for index in side.members
            if index not in taken_layers
            and (keys := side.keys[index].weights if weights else side.keys[index].nodes)
        }
        for side, taken_layers in zip(sides, taken)
    ]
    return keyed[0], keyed[1]


def _trusted(
    sides: tuple[EngineSide, EngineSide], keyed: tuple[Keyed, Keyed], matches: Sequence[Match]
) -> bool:
    """Whether enough names are shared, and the layers that they pair agree in their work."""
    a, b = ({key for keys in keys_of_side.values() for key in keys} for keys_of_side in keyed)
    if len(a & b) < _MIN_SHARED * min(len(a), len(b)) and len(matches) < _MIN_PAIRS:
        return False
    pairs = [
        (m.a[0], m.b[0])
        for m in matches
        if len(m.a) == len(m.b) == 1
        and sides[0].role[m.a[0]] == sides[1].role[m.b[0]] == "computes"
        and sides[0].work[m.a[0]].known
        and sides[1].work[m.b[0]].known
    ]
    if not pairs:
        return len(a & b) >= 0.5 * min(len(a), len(b))
    scale = scales(sides, pairs)
    agreed = sum(agree(sides, i, j, scale) for i, j in pairs)
    return agreed >= (_MIN_AGREED if len(pairs) >= _MIN_PAIRS else 1.0) * len(pairs)


def _false(sides: tuple[EngineSide, EngineSide], match: Match) -> bool:
    """Whether a pair of names is one of the few that lie: its layers have other weights."""
    if len(match.a) > 1 or len(match.b) > 1:
        return False
    return contradict(sides[0].work[match.a[0]].weights, sides[1].work[match.b[0]].weights)


def agree(sides: tuple[EngineSide, EngineSide], i: int, j: int, scale: Scale = _NO_SCALE) -> bool:
    """Whether two layers do the same work, as far as their records show."""
    a, b = sides[0].work[i], sides[1].work[j]
    if not (a.known and b.known):
        return True
    if contradict(a.weights, b.weights) or not like(a.operator, b.operator):
        return False
    if alike(a.output, b.output) or _same_product(a, b):
        return True
    rank = len(a.output)
    if rank != len(b.output):  # Myelin may take the heads of an attention for a part of the batch
        sizes = sides[0].elements(i), sides[1].elements(j)
        compiled = a.operator in COMPILED or b.operator in COMPILED
        return compiled and _ratio(*sizes) == scale.get(_ALL, 1)
    return all(
        m == n or m < 0 or n < 0 or n == m * scale.get((rank, axis), 1)
        for axis, (m, n) in enumerate(zip(a.output, b.output))
    )


def _ratio(a: int | None, b: int | None) -> float | None:
    """How many times as many elements B has; None where that is unknown."""
    return b / a if a and b else None


def _same_product(a: Work, b: Work) -> bool:
    """Whether both may be one matrix product."""
    if not flattened(a.operator, a.output, b.operator, b.output):
        return False
    ends = [[shape[-1] for shape in layer_work.inputs[:1] if shape] for layer_work in (a, b)]
    return len(ends[0]) == 1 and ends[0] == ends[1] and min(ends[0]) > 0


def flattened(a: str, output: Shape, b: str, other: Shape) -> bool:
    """Whether two operators may write one matrix, whose rows are flattened into the batch."""
    if not products(a, b) or len(output) == len(other) or not output or not other:
        return False
    return output[-1] == other[-1] > 0


def surely_agree(sides: tuple[EngineSide, EngineSide], i: int, j: int) -> bool:
    """Whether two layers do the same work, and no extent is taken for equal as it is unknown."""
    a, b = sides[0].work[i], sides[1].work[j]
    return a.output == b.output and agree(sides, i, j)


def like(a: str, b: str) -> bool:
    """Whether two operators may be one: what was compiled may be any."""
    return a == b or products(a, b) or a in COMPILED or b in COMPILED


def products(a: str, b: str) -> bool:
    """Whether both multiply: a fully connected layer may run as a convolution."""
    return {a, b} <= {"convolution", "product"}


def scales(sides: tuple[EngineSide, EngineSide], pairs: Sequence[tuple[int, int]]) -> Scale:
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
        elif ratio := _ratio(sides[0].elements(i), sides[1].elements(j)):
            votes[_ALL][ratio] += 1
    factors = {}
    for place, counts in votes.items():
        factor, count = counts.most_common(1)[0]
        if count >= _MIN_AGREED * counts.total():
            factors[place] = factor
    return factors
