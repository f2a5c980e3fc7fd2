"""Which of a line's readings is meant: names are printed unescaped, so a hostile one can give two.

From what the grammar makes of a record, the names known by then and what the builder says of a
layer come the reading, and whether it is certain. A line with one reading stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.inputs.buildlog.format_combinations import Combination, TensorKind

# Readings of one line that are weighed; a line with more is hostile, and the rest is ignored.
MOST: Final = 16
UNDECIDED: Final = "{} readings, and nothing tells which is meant; the leftmost is drawn"

_STEPS: Final = 4_096  # of a search for groups
# The format combinations that the builder tried for a layer; None: unknown.
Tuned: TypeAlias = Callable[[str], "frozenset[Combination] | None"]
Groups: TypeAlias = tuple[tuple[str, ...], ...]  # the tensors between the arrows

_BETWEEN: Final = re.compile(r"(?:(?<=\)\])|(?<=\]\))), ")  # a descriptor's end, and another name


class Parts(NamedTuple):
    """A record as the grammar reads it: descriptors are still on the tensors' names."""

    type: str
    name: str
    tactic: str | None
    groups: Groups


class Reading(NamedTuple):
    """One way to read a record: its parts, and which of its tensors are inputs, which outputs."""

    parts: Parts
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Known:
    """The tensor names that cannot be doubted: the engine's own, and outputs read so far."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: set[str] = set()
        # Names that could be taken for several tensors, by the first of these.
        self._several: dict[str, list[str]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """From here on the name is known."""
        if name in self._names:
            return
        self._names.add(name)
        if ", " in name and _count(name) > 1:
            self._several.setdefault(_BETWEEN.split(name, maxsplit=1)[0], []).append(name)

    @property
    def doubtful(self) -> bool:
        """Whether any of the names could be taken for several tensors."""
        return bool(self._several)

    def choose(self, candidates: Sequence[Parts], tuned: Tuned) -> tuple[Reading | None, int]:
        """The reading that is meant, and how many are equally likely (1: it is certain).

        `candidates`: the record's parts, for every place where its layer's name could end, the
        first before all. None where no reading makes sense.
        """
        readings = [
            reading
            for parts in candidates[:MOST]
            for reading in _readings(parts, tuple(map(self._joined, parts.groups)))
        ]
        if len(readings) < 2:
            return (readings[0] if readings else None), 1
        readings = fitting(readings, tuned)
        if len(readings) == 1:
            return readings[0], 1
        # Most known names; then fewest tensors, leftmost.
        sure = [self._known_in(reading) for reading in readings]
        left = [reading for reading, number in zip(readings, sure) if number == max(sure)]
        return min(left, key=lambda r: len(r.inputs) + len(r.outputs)), len(left)

    def _known_in(self, reading: Reading) -> int:
        texts = (*reading.inputs, *reading.outputs)
        return sum(split(text)[0] in self._names for text in texts)

    def _joined(self, group: tuple[str, ...]) -> tuple[str, ...]:
        """Neighbours that together bear a known name are one tensor."""
        if not self._several:
            return group
        tensors: list[str] = []
        start = tries = 0
        while start < len(group):
            count = 1
            for name in self._several.get(group[start], ()):
                tries += 1
                if tries > MOST:
                    break
                whole = ", ".join(group[start : start + _count(name)])
                if split(whole)[0] == name:
                    count = _count(name)
            tensors.append(", ".join(group[start : start + count]))
            start += count
        return tuple(tensors)


def fitting(readings: Sequence[Reading], tuned: Tuned) -> list[Reading]:
    """The readings that agree with what the builder says of the layer; all, where it says nothing.

    First the name must be one that it computed costs for, then dtypes and ranks those of a
    combination that it tried; tensors are taken together where it tried fewer.
    """
    said = {reading.parts.name: tuned(reading.parts.name) for reading in readings}
    named = [reading for reading in readings if said[reading.parts.name] is not None]
    left = named or list(readings)
    formed = {
        grouped: None for reading in left for grouped in _grouped(reading, said[reading.parts.name])
    }
    return list(islice(formed, MOST)) or left


def _grouped(reading: Reading, combinations: frozenset[Combination] | None) -> Iterator[Reading]:
    """The reading with its tensors as a combination has them."""
    for inputs, outputs in sorted(combinations or ()):
        for left in _taken(reading.inputs, inputs):
            for right in _taken(reading.outputs, outputs):
                yield Reading(reading.parts, left, right)


def _taken(texts: tuple[str, ...], kinds: tuple[TensorKind, ...]) -> list[tuple[str, ...]]:
    """Every way to take neighbours together so that the tensors are of these kinds."""
    kinds_read = [_kind(text) for text in texts]
    ways: list[tuple[str, ...]] = []
    steps = 0
    todo: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while todo and steps < _STEPS and len(ways) < MOST:
        start, taken = todo.pop()
        wanted = len(kinds) - len(taken)
        if not wanted:
            if start == len(texts):
                ways.append(taken)
            continue
        for end in range(len(texts) - wanted + 1, start, -1):
            steps += 1
            if kinds_read[end - 1] == kinds[len(taken)] and (wanted > 1 or end == len(texts)):
                todo.append((end, (*taken, ", ".join(texts[start:end]))))
    return ways


def _kind(text: str) -> TensorKind:
    """Dtype and rank of a tensor by its descriptor: `Float[1,64:8]` -> Float, 2."""
    descriptor = split(text)[1]
    opening = min(place for place in (descriptor.find("["), descriptor.find("(")) if place >= 0)
    dims = descriptor[opening + 1 : -1]
    return descriptor[:opening], dims.count(",") + 1 if dims else 0


def inseparable(sequences: Callable[[], Iterable[Sequence[str]]]) -> frozenset[tuple[str, str]]:
    """Names that always stand one after the other: they may be one tensor's name.

    The first is never the last one, and has always the same name after it; or several, of which
    each always stands after it, as names that begin alike do.
    """
    after: dict[str, str | None] = {}
    several: set[str] = set()
    for names in sequences():
        for name, following in pairwise(names):
            if after.setdefault(name, following) != following:
                several.add(name)
        if names:
            after[names[-1]] = None
    alike = {name for name in several if after[name] is not None}
    pairs = {(a, b) for a, b in after.items() if b is not None and a not in several}
    if alike:
        before: dict[str, set[str | None]] = {}
        for names in sequences():
            for left, right in zip((None, *names), names):
                before.setdefault(right, set()).add(left)
        for lefts in before.values():
            if len(lefts) > 1:
                alike -= lefts
        for right, (only, *_) in before.items():
            if only is not None and only in alike:
                pairs.add((only, right))
    return frozenset(pairs)


def holds_comma(name: str) -> bool:
    """Whether a name holds `, ` outside of brackets: those of `PWN(a, b)` part nothing."""
    depth = 0
    for offset, char in enumerate(name):
        depth += (char in "([{") - (char in ")]}")
        if depth <= 0 and name.startswith(", ", offset):
            return True
    return False


def split(tensor: str) -> tuple[str, str]:
    """A tensor's name and descriptor, of `270[Int8(1,64)]` and of `270 (Int8[1,64])`."""
    if tensor.endswith("])"):
        opening = tensor.rindex(" (")
        return tensor[:opening], tensor[opening + 2 : -1]
    opening = tensor.rindex("[")
    return tensor[:opening], tensor[opening + 1 : -1]


def _count(name: str) -> int:
    """How many tensors a name could be taken for."""
    return 1 + len(_BETWEEN.findall(name))


def _readings(parts: Parts, groups: Groups) -> Iterator[Reading]:
    """Every choice of the arrow; the others belong to names, which must end in a descriptor."""
    for arrow in range(1, min(len(groups), MOST)):
        left, right = _glued(groups[:arrow]), _glued(groups[arrow:])
        if left is not None and right is not None:
            yield Reading(parts, left, right)


def _glued(groups: Groups) -> tuple[str, ...] | None:
    pieces = [[tensor] for tensor in groups[0]]
    for group in groups[1:]:
        if not group:
            return None
        if not pieces:
            pieces.append([""])
        pieces[-1].append(group[0])
        pieces += [[tensor] for tensor in group[1:]]
    return tuple(" -> ".join(piece) for piece in pieces)
