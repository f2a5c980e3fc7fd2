"""Decides which layers without a kernel a drawing shows as marks on their lines.

NoOps, constants and shape arithmetic cost nothing, and as boxes they would fill a large drawing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import kind, runs_kernel
from engine_layer_visualize.core.model import Edge, Layer

FEWEST: Final = 60  # layers of a drawing that has marks
_KINDS: Final = frozenset({"layer", "reformat", "constant"})


def hosts(
    layers: Sequence[Layer],
    edges: Iterable[Edge],
    jumps: Iterable[Edge],
    timed: Callable[[Layer], float | None],
) -> dict[int, int]:
    """For each layer that is a mark the layer at whose box it stands, both by their indices.

    That is the only layer that writes what it reads, else the only one that reads it: the lines of
    a mark become lines of that box, which is true of one neighbour alone. Others stay boxes.

    Args:
        layers: of the drawing.
        edges: of the drawing.
        jumps: of the drawing: a layer that one touches stays a box.
        timed: The time of a layer; one that has any stays a box.
    """
    if len(layers) < FEWEST:
        return {}
    read: dict[int | None, set[int | None]] = defaultdict(set)
    written: dict[int | None, set[int | None]] = defaultdict(set)
    for edge in edges:
        written[edge.source].add(edge.target)
        read[edge.target].add(edge.source)
    stay = {end for jump in jumps for end in (jump.source, jump.target)}
    found: dict[int, int] = {}

    def last(index: int) -> int:
        while index in found:
            index = found[index]
        return index

    for layer in layers:
        index = layer.index
        boxed = runs_kernel(layer) or kind(layer) not in _KINDS or timed(layer)
        if boxed or index in stay or not written[index]:
            continue
        for beside in (read[index], written[index]):
            (host, *others) = beside or {None}
            if host is not None and not others and last(host) != index:
                found[index] = host
                break
    return {index: last(index) for index in found}
