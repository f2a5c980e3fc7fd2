"""Layers whose names one side does not print join what was compiled as one on the other.

Two sides and groups in; the same groups, some of them larger, out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.comparison.pairing import Match
from engine_layer_visualize.comparison.side import Side
from engine_layer_visualize.trt.layer_names import myelin_index

_WALKS: Final = 64  # steps from layer to layer, for each layer of an engine, of all walks together


def between_ends(sides: tuple[Side, Side], found: list[Match]) -> list[Match]:
    """Of a ForeignNode often only the two ends are named: what lies between the layers of these
    ends on the other side is inside of it."""
    taken = [{i for match in found for i in match.both[one]} for one in (0, 1)]
    steps = [iter(range(_WALKS * len(side.members))) for side in sides]
    for number, match in enumerate(found):
        for one, side in enumerate(sides):
            own, other = match.both[one], match.both[1 - one]
            whole = side.work[own[0]].operator == "myelin" and len(own) == 1
            if whole and len(other) > 1 and onnx_nodes.of(side.layers[own[0]]).ends:
                inner = _between(sides[1 - one], other, steps[1 - one]) - taken[1 - one]
                if inner:
                    taken[1 - one] |= inner
                    found[number] = _with(match, 1 - one, inner)
                    break
    return found


def _between(side: Side, ends: Sequence[int], steps: Iterator[int]) -> set[int]:
    """The computing layers on the ways from one end to another, within their order; none where
    there are no `steps` left to walk."""
    reached = [_reached(near, ends, steps) for near in (side.readers, side.writers)]
    return {i for i in reached[0] & reached[1] if side.role[i] in ("computes", "moves")}


def _reached(near: Mapping[int, list[int]], ends: Sequence[int], steps: Iterator[int]) -> set[int]:
    found: set[int] = set()
    waiting, first, last = list(ends), min(ends), max(ends)
    while waiting:
        for i in near.get(waiting.pop(), ()):
            if next(steps, None) is None:
                return set()
            if first < i < last and i not in found:
                found.add(i)
                waiting.append(i)
    return found


def with_their_kernels(sides: tuple[Side, Side], found: list[Match]) -> list[Match]:
    """Kernels without names join the others of their Myelin layer, where these are in one group
    and the other side alone has that layer as a whole."""
    for one, side in enumerate(sides):
        homes: dict[int, set[int]] = defaultdict(set)
        taken = set()
        for number, match in enumerate(found):
            for i in match.both[one]:
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
                any(own.work[i].operator == "myelin" for i in indices)
                for own, indices in zip(sides, found[number].both)
            ]
            if whole[1 - one] and not whole[one]:
                found[number] = _with(found[number], one, more, found[number].confidence == "names")
    return found


def _with(match: Match, one: int, more: Iterable[int], sure: bool = False) -> Match:
    both = [match.a, match.b]
    both[one] = tuple(sorted({*both[one], *more}))
    if sure:
        return match._replace(a=both[0], b=both[1])
    why = f"{match.why} at the ends of what was compiled as one"
    return Match(both[0], both[1], "region", why if match.confidence == "names" else match.why)
