"""Gives reformats and no-ops to the layers that they serve.

A side and its groups in; the group of each reformat out, by the names and the edges of the layers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from engine_layer_visualize.analysis.comparison.pairing import Match
from engine_layer_visualize.analysis.comparison.side import Side
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import COPY, split_profile

_TARGET: Final = re.compile(r"(?:Input|Output) Tensor \d+ to ", re.IGNORECASE)


def homes(side: Side, members: Sequence[Sequence[int]]) -> dict[int, int]:
    """The group of each reformat that serves one. `members`: the layers of each group."""
    home = {index: number for number, own in enumerate(members) for index in own}
    layers = [side.layers[i] for i in side.members]
    named = {layer.name: layer.index for layer in layers if side.role[layer.index] != "serves"}
    found: dict[int, int] = {}
    for layer in layers:
        if side.role[layer.index] == "serves" and layer.index not in home:
            target = _named(layer, named)
            places = [target] if target is not None else _near(side, layer.index)
            number = next((home[place] for place in places if place in home), None)
            if number is not None:
                found[layer.index] = number
    return found


def _named(layer: Layer, named: Mapping[str, int]) -> int | None:
    """The layer that a reformat is named after."""
    if not layer.name.startswith(COPY):
        return None
    match = _TARGET.match(layer.name, len(COPY))
    if match is None:
        return None
    name = layer.name[match.end() :]
    return named.get(name, named.get(split_profile(name)[0]))


def _near(side: Side, start: int) -> list[int]:
    """The layers that read it, then those that write for it, through others that serve."""
    return [*side.beyond(side.readers, start), *side.beyond(side.writers, start)]


def idle(sides: tuple[Side, Side], found: Sequence[Match]) -> list[Match]:
    """Reformats that serve no layer, of an engine that copies its input: pairs by their names."""
    by_name: list[dict[str, list[int]]] = [{}, {}]
    for one, (side, names) in enumerate(zip(sides, by_name)):
        taken = {i for match in found for i in match.both[one]}
        for layer in (side.layers[i] for i in side.members):
            free = side.role[layer.index] == "serves" and layer.index not in taken
            if free and not _near(side, layer.index):
                names.setdefault(layer.name, []).append(layer.index)
    return [
        Match((a,), (b,), "structure", "reformats of the same name")
        for name, mine in by_name[0].items()
        if len(mine) == len(by_name[1].get(name, ()))
        for a, b in zip(mine, by_name[1][name])
    ]
