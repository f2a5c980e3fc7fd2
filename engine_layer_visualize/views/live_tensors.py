"""Computes the bytes of the tensors that live while each layer runs.

A tensor lives from its writer to its last reader, the engine's own inputs from the first layer on
and its outputs to the last layer. Each writer's part counts with the extents that it prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from engine_layer_visualize.analysis.work import traffic
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.trt.layer_names import without_profile
from engine_layer_visualize.views.endpoints import Tensors


class Live(NamedTuple):
    """The bytes of live tensors."""

    bytes: tuple[int, ...]  # by the layer's index
    unknown: int  # how many tensors have no known size, and do not count


def live(engine: Engine, layers: Sequence[Layer]) -> Live:
    """The bytes of live tensors at each of the layers.

    The layers are those of one optimisation profile, in order: these have tensors of their own.
    """
    inside = {layer.index for layer in layers}
    tensors = Tensors(engine.layers)
    given, outputs = set(engine.inputs), set(engine.outputs)
    sizes: dict[tuple[int | None, str], int | None] = {}
    ends: dict[tuple[int | None, str], int] = {}
    for source, target, name in ((e.source, e.target, e.tensor) for e in engine.graph.edges):
        holder = target if source is None else source
        port = without_profile(name)
        if holder is None or holder not in inside or (source is None and port not in given):
            continue
        if (source, name) not in sizes:
            tensor = tensors.named(holder, source is None, name)
            sizes[source, name] = None if tensor is None else traffic.size(tensor)
        last = target if target is not None else layers[-1].index if port in outputs else holder
        ends[source, name] = max(ends.get((source, name), holder), last)
    change = [0] * (len(engine.layers) + 1)
    for (writer, name), last in ends.items():
        size = sizes[writer, name] or 0
        change[layers[0].index if writer is None else writer] += size
        change[last + 1] -= size
    return Live(tuple(accumulate(change[:-1])), sum(size is None for size in sizes.values()))
