"""Joins layers whose names one side does not print to what was compiled as one on the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.comparison.pairing import Match
from engine_layer_visualize.comparison.side import EngineSide
from engine_layer_visualize.trt.layer_names import myelin_index

_MAX_STEPS: Final = (
    64  # steps from layer to layer, for each layer of an engine, of all walks together
)


def between_ends(sides: tuple[EngineSide, EngineSide], matches: list[Match]) -> list[Match]:
    """Adds to a ForeignNode what lies between the layers of its two ends on the other side.

    Often only these two ends are named.
    """
    taken = [{i for match in matches for i in match.both[side_number]} for side_number in (0, 1)]
    steps = [iter(range(_MAX_STEPS * len(side.members))) for side in sides]
    for number, match in enumerate(matches):
        for side_number, side in enumerate(sides):
            indices, other = match.both[side_number], match.both[1 - side_number]
            whole = side.work[indices[0]].operator == "myelin" and len(indices) == 1
            if whole and len(other) > 1 and onnx_nodes.of(side.layers[indices[0]]).ends:
                inner = (
                    _between(sides[1 - side_number], other, steps[1 - side_number])
                    - taken[1 - side_number]
                )
                if inner:
                    taken[1 - side_number] |= inner
                    matches[number] = _with(match, 1 - side_number, inner)
                    break
    return matches


def _between(side: EngineSide, ends: Sequence[int], steps: Iterator[int]) -> set[int]:
    """The computing layers on the ways from one end to another, within their order.

    None where there are no `steps` left to walk.
    """
    reached = [_reached(near, ends, steps) for near in (side.readers, side.writers)]
    return {i for i in reached[0] & reached[1] if side.role[i] in ("computes", "moves")}


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


def with_their_kernels(sides: tuple[EngineSide, EngineSide], matches: list[Match]) -> list[Match]:
    """Adds kernels without names to the others of their Myelin layer.

    Where these are in one group, and the other side alone has that layer as a whole.
    """
    for side_number, side in enumerate(sides):
        homes: dict[int, set[int]] = defaultdict(set)
        taken = set()
        for number, match in enumerate(matches):
            for i in match.both[side_number]:
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
                any(side_.work[i].operator == "myelin" for i in indices)
                for side_, indices in zip(sides, matches[number].both)
            ]
            if whole[1 - side_number] and not whole[side_number]:
                matches[number] = _with(
                    matches[number], side_number, more, matches[number].confidence == "names"
                )
    return matches


def _with(match: Match, side: int, more: Iterable[int], sure: bool = False) -> Match:
    both = [match.a, match.b]
    both[side] = tuple(sorted({*both[side], *more}))
    if sure:
        return match._replace(a=both[0], b=both[1])
    why = f"{match.why} at the ends of what was compiled as one"
    return Match(both[0], both[1], "region", why if match.confidence == "names" else match.why)
