"""Which layers the builder tuned, and with which formats: it tells what a doubtful line means.

takes: stretches of a build's log, as bytes of whole lines
gives: by a layer's name the format combinations that were tried: dtype and rank of each tensor
never: keeps a line, or more than a bounded number of combinations
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from engine_layer_visualize.source import decode, line_end

Kind: TypeAlias = tuple[str, int]  # dtype and rank of a tensor
Combination: TypeAlias = tuple[tuple[Kind, ...], tuple[Kind, ...]]  # what is read, what is written

_COSTS: Final = b"=============== Computing costs for "
_STARS: Final = b"*************** Autotuning format combination: "
_COMBINATION: Final = re.compile(rb"\*{15} Autotuning format combination: ([^\n]*?) \*{15}")
_KIND: Final = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_MOST_NAMES: Final = 200_000
_MOST: Final = 96  # combinations of one layer
_LONGEST: Final = 1 << 13  # of a name, with what may stand around it


class Tuning:
    """The tuned layers of one build."""

    def __init__(self) -> None:
        self._combinations: dict[bytes, set[bytes]] = {}
        self._now: set[bytes] | None = None

    def read(self, data: bytes, at: int, end: int) -> None:
        """Takes in `data[at:end]`."""
        while (found := data.find(_COSTS, at, end)) >= 0:
            self._collect(data, at, found)
            start, stop = found + len(_COSTS), line_end(data, found)
            # A name may hold newlines: the first combination stands on a line of its own after it.
            stars = data.find(_STARS, start, min(end, start + _LONGEST))
            other = data.find(_COSTS, start, stars) if stars >= 0 else -1
            if stars >= 0 and other < 0:
                stop = max(data.rfind(b"\n", start, stars) + 1, start)
            name = data[start:stop].rstrip(b"\r\n")
            at = stop
            if len(self._combinations) < _MOST_NAMES:
                self._now = self._combinations.setdefault(name, set())
        self._collect(data, at, end)

    def _collect(self, data: bytes, at: int, end: int) -> None:
        if self._now is not None and len(self._now) < _MOST and data.find(_STARS, at, end) >= 0:
            self._now.update(_COMBINATION.findall(data, at, end))

    def of(self, name: str) -> frozenset[Combination] | None:
        """The combinations of the layer; None where the log has no word of it."""
        key = name.encode("utf-8", "backslashreplace")
        found = self._combinations.get(key)
        if found is None:  # other lines may stand between the name and its first combination
            for text, combinations in self._combinations.items():
                if text.startswith((key + b"\n", key + b"\r\n")):
                    found = combinations
        if found is None:
            return None
        return frozenset(filter(None, map(_parsed, map(decode, found))))


def _parsed(text: str) -> Combination | None:
    """`Float(8,1), Half(4,1) -> Float(8,1)`; None where it is something else."""
    left, arrow, right = text.partition("->")
    sides = _kinds(left), _kinds(right)
    if not arrow or sides[0] is None or sides[1] is None:
        return None
    return sides[0], sides[1]


def _kinds(text: str) -> tuple[Kind, ...] | None:
    kinds = []
    for part in _split(text):
        match = _KIND.fullmatch(part.strip())
        if match is None:
            return None
        kinds.append((match[1], len(_split(match[2]))))
    return tuple(kinds)


def _split(text: str) -> list[str]:
    """At the commas outside of all brackets; strides may be `(* 3 E0)`."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    last = text[start:]
    return [*parts, last] if parts or last.strip() else []
