"""Decides which matches are trusted, and which layers were fused into others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison.pairing import MAX_LAYERS, Keyed, Match, by_keys
from engine_layer_visualize.comparison.result import CONFIDENCES, Confidence
from engine_layer_visualize.comparison.side import (
    COMPILED,
    EngineSide,
    Shape,
    Work,
    alike,
    beyond,
    contradict,
)

# ---- decides whether names may be believed, and gives the groups that they make -----------------

# Exporters number nodes anew, and two networks may share names: names count only where the layers
# that they join do the same work.


# ---- takes layers without weights into the group whose layers do their work in the other e ------

# What one builder fuses into a convolution, the other runs as a layer of its own: pooling, sums,
# activations, shuffles. Names join most of them; here tensors and neighbours do.

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


_LIGHT: Final = frozenset(("pooling", "pointwise", "kgen"))
_SHUFFLES: Final = re.compile(
    r"(?:\A|[/.])(?:Transpose|Reshape|Squeeze|Unsqueeze|Flatten|Cast|Identity)\Z"
)
_OPERATOR: Final = re.compile(r"_\d+\Z")  # what exporters count nodes with
_MAX_ROUNDS: Final = 4  # of taking in what stands next to what was taken in


def taken_in(sides: tuple[EngineSide, EngineSide], matches: list[Match]) -> list[Match]:
    """The matches, with the layers that the other engine has in one of theirs."""
    homes = _Homes(sides, matches)
    for _ in range(_MAX_ROUNDS):
        found = [
            (index, number, why)
            for number in (0, 1)
            for index in homes.free(number)
            if (why := homes.why(number, index)) is not None
        ]
        joined = [homes.join(index, number, why) for index, number, why in found]
        if not any(joined):
            break
    return matches


class _Reason(NamedTuple):
    """Why a layer belongs to a match."""

    match: int
    confidence: Confidence  # at most
    words: str


class _Homes:
    """Which match each layer is in."""

    def __init__(self, sides: tuple[EngineSide, EngineSide], matches: list[Match]) -> None:
        self.sides, self.matches = sides, matches
        self.home: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for number, match in enumerate(matches):
            for home, indices in zip(self.home, match.both):
                home.update(dict.fromkeys(indices, number))
        self.open = tuple(
            {i for i in side.members if i not in home and _is_light(side, i)}
            for side, home in zip(sides, self.home)
        )

    def free(self, number: int) -> Iterator[int]:
        """The layers without weights that are in no match, in order."""
        return iter(sorted(self.open[number]))

    def join(self, index: int, number: int, why: _Reason) -> bool:
        """Puts a layer into a match; not where that is large already."""
        match = self.matches[why.match]
        if len(match.both[number]) >= MAX_LAYERS:
            return False
        both = [match.a, match.b]
        both[number] = tuple(sorted((*both[number], index)))
        surest = max(match.confidence, why.confidence, key=CONFIDENCES.index)
        words = match.why if why.words in match.why else f"{match.why}, {why.words}"
        self.matches[why.match] = Match(both[0], both[1], surest, words)
        self.home[number][index] = why.match
        self.open[number].discard(index)
        return True

    def why(self, number: int, index: int) -> _Reason | None:
        """Why a layer belongs to a match; None where nothing shows it."""
        side = self.sides[number]
        before = self._around(number, side.writers, index)
        after = self._around(number, side.readers, index)
        if not before:
            return self._starts(number, index, after)
        tests: tuple[Callable[[int, int, int], _Reason | None], ...] = (self._writes, self._shapes)
        for match in before:
            for test in tests:
                if (why := test(number, index, match)) is not None:
                    return why
        if inside := [match for match in before if match in after]:
            return _Reason(inside[0], "region", "and what lies between them")
        if self._is_gone(side, index, before):
            return None
        return self._between(number, before, after)

    def _starts(self, number: int, index: int, after: Sequence[int]) -> _Reason | None:
        """Whether it reads inputs for one group, which reads inputs itself in the other engine."""
        side, other = self.sides[number], self.sides[1 - number]
        if len(after) != 1 or not _reads_inputs(side, index) or self._is_gone(side, index, after):
            return None
        own, theirs = self.matches[after[0]].both[number], self.matches[after[0]].both[1 - number]
        if any(_reads_inputs(side, i) for i in own) or not any(
            _reads_inputs(other, i) for i in theirs
        ):
            return None
        sure = self.matches[after[0]].confidence
        return _Reason(after[0], sure, "and nothing before them but inputs")

    def _is_gone(self, side: EngineSide, index: int, near: Sequence[int]) -> bool:
        """Whether a layer may be no part of the other network, where names tell all of that.

        Shuffles and casts leave an engine without a trace.
        """
        if not any(self.matches[match].confidence == "names" for match in near):
            return False
        operators = [_OPERATOR.sub("", name) for name in side.keys[index].nodes]
        return any(not _SHUFFLES.search(operator) for operator in operators)

    def _around(self, number: int, near: Mapping[int, Sequence[int]], start: int) -> list[int]:
        """The matches next to a layer, through what only serves or is in no match."""
        role, home, passed = self.sides[number].role, self.home[number], self.open[number]
        next_ = beyond(
            near, start, lambda i: i not in home and (role[i] == "serves" or i in passed)
        )
        return list(dict.fromkeys(home[i] for i in next_ if i in home))

    def _writes(self, number: int, index: int, match: int) -> _Reason | None:
        """Whether the other engine's layers write the same tensor, or as this one an output."""
        side, other = self.sides[number], self.sides[1 - number]
        own, theirs = self.matches[match].both[number], self.matches[match].both[1 - number]
        written = {t.name for t in side.layers[index].outputs}
        written -= {t.name for i in own for t in side.layers[i].outputs}
        for i in theirs:
            same = not written.isdisjoint(t.name for t in other.layers[i].outputs)
            same |= index in side.outputs and i in other.outputs and side.outputs.isdisjoint(own)
            if same and alike(side.work[index].output, other.work[i].output):
                return _Reason(match, self.matches[match].confidence, "and the same tensors")
        return None

    def _shapes(self, number: int, index: int, match: int) -> _Reason | None:
        """Whether theirs write what has this one's shape, and what they are matched with has not.

        As a convolution does that pools, too.
        """
        side, other = self.sides[number], self.sides[1 - number]
        own, theirs = self.matches[match].both[number], self.matches[match].both[1 - number]
        shape = side.work[index].output
        if not shape or min(shape) < 0 or any(alike(side.work[i].output, shape) for i in own):
            return None
        if all(other.work[i].output == shape for i in theirs):
            return _Reason(match, "structure", "and the same shapes at their ends")
        return None

    def _between(self, number: int, before: Sequence[int], after: Sequence[int]) -> _Reason | None:
        """Whether it stands between two groups that follow each other in the other engine."""
        other, home = self.sides[1 - number], self.home[1 - number]
        for match in before:
            for i in self.matches[match].both[1 - number]:
                next_of = {home.get(j) for j in self._next(other, i)}
                if None not in next_of and not next_of.isdisjoint({*after} - {match}):
                    return _Reason(match, "structure", "and nothing between them and the next")
        return None

    def _next(self, side: EngineSide, start: int) -> Iterator[int]:
        """What reads a layer, through what runs no kernel."""
        role, layers = side.role, side.layers
        return beyond(
            side.readers, start, lambda i: role[i] == "serves" and not runs_kernel(layers[i])
        )


def _reads_inputs(side: EngineSide, index: int) -> bool:
    """Whether all that a layer reads are inputs of the engine."""
    names = {tensor.name for tensor in side.layers[index].inputs}
    return bool(names) and names.issubset(side.costs.engine.inputs)


def _is_light(side: EngineSide, index: int) -> bool:
    """Whether a layer computes without weights, or only moves."""
    work = side.work[index]
    if side.role[index] == "computes":
        return work.operator in _LIGHT and work.weights is None
    return side.role[index] == "moves"
