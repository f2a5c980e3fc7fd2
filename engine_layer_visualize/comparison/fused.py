"""Takes layers without weights into the group whose layers do their work in the other engine.

What one builder fuses into a convolution, the other runs as a layer of its own: pooling, sums,
activations, shuffles. Names join most of them; here tensors and neighbours do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.comparison.names import MAX_LAYERS
from engine_layer_visualize.comparison.result import CONFIDENCES, Confidence
from engine_layer_visualize.comparison.side import EngineSide, Matches, beyond
from engine_layer_visualize.comparison.work import alike

_LIGHT: Final = frozenset(("pooling", "pointwise", "kgen"))
_SHUFFLES: Final = re.compile(
    r"(?:\A|[/.])(?:Transpose|Reshape|Squeeze|Unsqueeze|Flatten|Cast|Identity)\Z"
)
_COUNTED: Final = re.compile(r"_\d+\Z")  # what exporters count nodes with
_MAX_ROUNDS: Final = 4  # of taking in what stands next to what was taken in


class _Reason(NamedTuple):
    """Why a layer belongs to a match."""

    match: int
    confidence: Confidence  # at most
    words: str


def take_in(found: Matches) -> None:
    """Puts layers that the other engine has in one of its groups into that group."""
    sides = _Open(found, 0), _Open(found, 1)
    for _ in range(_MAX_ROUNDS):
        reasons = [
            (side, index, why)
            for side in sides
            for index in sorted(side.open)
            if (why := side.why(index)) is not None
        ]
        joined = [side.join(index, why) for side, index, why in reasons]
        if not any(joined):
            break


class _Open:
    """The layers of one side that may be put into a match, and what stands around them."""

    def __init__(self, found: Matches, number: int) -> None:
        self.found, self.number = found, number
        self.side, self.other = found.sides[number], found.sides[1 - number]
        self.home, self.home_of_other = found.home[number], found.home[1 - number]
        self.open = {i for i in found.free(number, "computes", "moves") if _is_light(self.side, i)}

    def join(self, index: int, why: _Reason) -> bool:
        """Puts a layer into a match; not where that is large already."""
        match = self.found.all[why.match]
        if len(match.both[self.number]) >= MAX_LAYERS:
            return False
        least_sure = max(match.confidence, why.confidence, key=CONFIDENCES.index)
        words = match.why if why.words in match.why else f"{match.why}, {why.words}"
        self.found.grow(why.match, self.number, [index], least_sure, words)
        self.open.discard(index)
        return True

    def why(self, index: int) -> _Reason | None:
        """Why a layer belongs to a match; None where nothing shows it."""
        before = self._near(self.side.writers, index)
        after = self._near(self.side.readers, index)
        if not before:
            return self._starts(index, after)
        for match in before:
            if (why := self._writes(index, match) or self._shapes(index, match)) is not None:
                return why
        if inside := [match for match in before if match in after]:
            return _Reason(inside[0], "region", "and what lies between them")
        return None if self._is_gone(index, before) else self._between(before, after)

    def _near(self, near: Mapping[int, Sequence[int]], start: int) -> list[int]:
        """The matches next to a layer, through what only serves or is in no match."""
        role, home = self.side.role, self.home
        next_ = beyond(
            near, start, lambda i: i not in home and (role[i] == "serves" or i in self.open)
        )
        return list(dict.fromkeys(home[i] for i in next_ if i in home))

    def _own_and_theirs(self, match: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        both = self.found.all[match].both
        return both[self.number], both[1 - self.number]

    def _starts(self, index: int, after: Sequence[int]) -> _Reason | None:
        """Whether it reads inputs for one group, which reads inputs itself in the other engine."""
        if len(after) != 1 or not _reads_inputs(self.side, index) or self._is_gone(index, after):
            return None
        own, theirs = self._own_and_theirs(after[0])
        if any(_reads_inputs(self.side, i) for i in own):
            return None
        if not any(_reads_inputs(self.other, i) for i in theirs):
            return None
        sure = self.found.all[after[0]].confidence
        return _Reason(after[0], sure, "and nothing before them but inputs")

    def _is_gone(self, index: int, near: Sequence[int]) -> bool:
        """Whether a layer may be no part of the other network, where names tell all of that.

        Shuffles and casts leave an engine without a trace.
        """
        if not any(self.found.all[match].confidence == "names" for match in near):
            return False
        operators = (_COUNTED.sub("", name) for name in self.side.keys[index].nodes)
        return any(not _SHUFFLES.search(operator) for operator in operators)

    def _writes(self, index: int, match: int) -> _Reason | None:
        """Whether the other engine's layers write the same tensor, or as this one an output."""
        side, other = self.side, self.other
        own, theirs = self._own_and_theirs(match)
        written = {t.name for t in side.layers[index].outputs}
        written -= {t.name for i in own for t in side.layers[i].outputs}
        ends = index in side.outputs and side.outputs.isdisjoint(own)
        for i in theirs:
            same = not written.isdisjoint(t.name for t in other.layers[i].outputs)
            same |= ends and i in other.outputs
            if same and alike(side.work[index].output, other.work[i].output):
                return _Reason(match, self.found.all[match].confidence, "and the same tensors")
        return None

    def _shapes(self, index: int, match: int) -> _Reason | None:
        """Whether theirs write what has this one's shape, and what they are matched with has not.

        As a convolution does that pools, too.
        """
        own, theirs = self._own_and_theirs(match)
        shape = self.side.work[index].output
        if not shape or min(shape) < 0 or any(alike(self.side.work[i].output, shape) for i in own):
            return None
        if all(self.other.work[i].output == shape for i in theirs):
            return _Reason(match, "structure", "and the same shapes at their ends")
        return None

    def _between(self, before: Sequence[int], after: Sequence[int]) -> _Reason | None:
        """Whether it stands between two groups that follow each other in the other engine."""
        for match in before:
            for i in self._own_and_theirs(match)[1]:
                next_of = {self.home_of_other.get(j) for j in self._next(i)}
                if None not in next_of and not next_of.isdisjoint({*after} - {match}):
                    return _Reason(match, "structure", "and nothing between them and the next")
        return None

    def _next(self, start: int) -> Iterator[int]:
        """What reads a layer of the other engine, through what runs no kernel."""
        role, layers = self.other.role, self.other.layers
        return beyond(
            self.other.readers, start, lambda i: role[i] == "serves" and not runs_kernel(layers[i])
        )


def _is_light(side: EngineSide, index: int) -> bool:
    """Whether a layer computes without weights, or only moves."""
    work = side.work[index]
    return side.role[index] == "moves" or (work.operator in _LIGHT and work.weights is None)


def _reads_inputs(side: EngineSide, index: int) -> bool:
    """Whether all that a layer reads are inputs of the engine."""
    names = {tensor.name for tensor in side.layers[index].inputs}
    return bool(names) and names.issubset(side.costs.engine.inputs)
