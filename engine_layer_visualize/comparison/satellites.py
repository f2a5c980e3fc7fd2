"""Gives reformats and no-ops to the layers that they serve, by their tensors.

The name of a reformat holds that of a neighbour, but in the next build that may be the other one.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Final

from engine_layer_visualize.comparison import sequences
from engine_layer_visualize.comparison.pairing import Match
from engine_layer_visualize.comparison.side import EngineSide
from engine_layer_visualize.trt.layer_names import COPY

_SERVED: Final = re.compile(rf"{COPY}\w+ Tensor \d+ to (.+)")


def homes(side: EngineSide, members: Sequence[Sequence[int]]) -> dict[int, int]:
    """The group of each reformat that serves one.

    The first of those that read it, else of those that write for it; where no tensors are known,
    that which its name tells. `members`: the layers of each group.
    """
    home = {index: number for number, layers in enumerate(members) for index in layers}
    if not side.costs.engine.graph.edges:
        return _by_name(side, home)
    home_of: dict[int, int] = {}
    for index in side.members:
        if side.role[index] == "serves" and index not in home:
            for near in (side.readers, side.writers):
                places = [home[i] for i in side.beyond(near, index) if i in home]
                if places:
                    home_of[index] = min(places)
                    break
    return home_of


def _by_name(side: EngineSide, home: Mapping[int, int]) -> dict[int, int]:
    named = {side.layers[index].name: number for index, number in home.items()}
    served = {
        index: match[1]
        for index in side.members
        if index not in home and (match := _SERVED.match(side.layers[index].name))
    }
    return {index: named[name] for index, name in served.items() if name in named}


def idle(sides: tuple[EngineSide, EngineSide], matches: Sequence[Match]) -> list[Match]:
    """Pairs of layers that only move or reformat, and serve no layer of a group.

    Such as a copy of an input or a slice of constants: those of the same tensors, then of the same
    names.
    """
    free = [
        _idle(side, {i for match in matches for i in match.both[number]})
        for number, side in enumerate(sides)
    ]
    pairs: list[tuple[int, int]] = []
    for sign in (_record, _tensors, _name):
        a, b = ([(sign(side, i), i) for i in layers] for side, layers in zip(sides, free))
        pairs += sequences.equal(a, b)
        for layers, used in zip(free, ({a for a, _ in pairs}, {b for _, b in pairs})):
            layers[:] = [i for i in layers if i not in used]
    return [Match((a,), (b,), "structure", "the same tensors, and no neighbour") for a, b in pairs]


def _idle(side: EngineSide, taken: set[int]) -> list[int]:
    def serves_one(i: int) -> bool:
        near = chain(side.beyond(side.readers, i), side.beyond(side.writers, i))
        return side.role[i] == "serves" and any(layer in taken for layer in near)

    return [
        i
        for i in side.members
        if side.role[i] in ("serves", "moves") and i not in taken and not serves_one(i)
    ]


def _record(side: EngineSide, index: int) -> Hashable:
    return _name(side, index), _tensors(side, index)


def _tensors(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    both = (layer.inputs, layer.outputs)
    return side.role[index], tuple(tuple((t.name, t.dims) for t in own) for own in both)


def _name(side: EngineSide, index: int) -> Hashable:
    layer = side.layers[index]
    return layer.name, layer.type
