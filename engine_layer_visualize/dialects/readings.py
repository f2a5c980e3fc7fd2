"""Which of a line's readings is meant: names are printed unescaped, so a hostile one can give two.

takes: what the classic grammar makes of a record, and the tensor names that are known by then
gives: the reading, and whether anything told
never: parses; a line of one reading passes untouched
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

MOST: Final = 16  # readings of one line that are weighed; a line of more is made to hurt

Groups: TypeAlias = tuple[tuple[str, ...], ...]  # the tensors between the arrows

_BETWEEN: Final = re.compile(r"(?:(?<=\)\])|(?<=\]\))), ")  # a descriptor's end, and another name


@dataclass(frozen=True, slots=True)
class Parts:
    """A record as the grammar reads it: descriptors are still on the tensors' names."""

    type: str
    name: str
    tactic: str
    groups: Groups


@dataclass(frozen=True, slots=True)
class Reading:
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
        if name in self._names:
            return
        self._names.add(name)
        if ", " in name and _count(name) > 1:
            self._several.setdefault(_BETWEEN.split(name, maxsplit=1)[0], []).append(name)

    @property
    def doubtful(self) -> bool:
        """Whether any of the names could be taken for several tensors."""
        return bool(self._several)

    def choose(self, candidates: Sequence[Parts]) -> tuple[Reading | None, int]:
        """The reading that is meant, and how many nothing tells apart (1: it is decided).

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


def split(tensor: str) -> tuple[str, str]:
    """`270[Int8(1,64)]` -> `270`, `Int8(1,64)`; `270 (Int8[1,64])` -> `270`, `Int8[1,64]`."""
    if tensor.endswith("])"):
        at = tensor.rindex(" (")
        return tensor[:at], tensor[at + 2 : -1]
    at = tensor.rindex("[")
    return tensor[:at], tensor[at + 1 : -1]


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
