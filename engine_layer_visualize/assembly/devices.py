"""Tells on which device each layer runs, GPU or DLA, and why one is not on the DLA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine_layer_visualize.core.build_info import DlaUse
from engine_layer_visualize.core.layer_facts import DeviceKind
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.reading.builder import Dla
from engine_layer_visualize.trt.names import is_foreign


class Placed(NamedTuple):
    """Where a layer runs, why it is not on the DLA, and the log's lines of both."""

    device: DeviceKind | None
    line: int | None
    reason: str | None
    reason_line: int | None


def of_layers(
    layers: Sequence[Layer], within: Mapping[str, list[int]], dla: Dla
) -> dict[int, Placed]:
    """By the layer's index; empty where the log says nothing of a DLA.

    `within`: the layers that a name of the network is a part of.
    """
    if not dla:
        return {}
    reasons: dict[int, tuple[str, int]] = {}
    for name, reason in dla.reasons.items():
        for index in within.get(name, ()):
            reasons.setdefault(index, reason)
    on_gpu: dict[int, int] = {}
    for name, line in dla.on_gpu.items():
        for index in within.get(name, ()):
            on_gpu.setdefault(index, line)
    found = {}
    for layer in layers:
        if layer.name in dla.on_dla or layer.type.casefold().startswith("dla"):
            found[layer.index] = Placed("DLA", dla.on_dla.get(layer.name), None, None)
        elif dla.on_dla or layer.index in on_gpu or layer.index in reasons:
            why, line_of_why = reasons.get(layer.index, (None, None))
            found[layer.index] = Placed("GPU", on_gpu.get(layer.index), why, line_of_why)
    return found


def use(layers: Sequence[Layer], dla: Dla) -> DlaUse | None:
    """How an engine uses the DLA; None where the log says nothing of a DLA."""
    on_dla = [la for la in layers if la.facts is not None and la.facts.device == "DLA"]
    if not dla and not on_dla:
        return None
    return DlaUse(len(on_dla), sum(is_foreign(layer.name) for layer in on_dla), dla.limit)
