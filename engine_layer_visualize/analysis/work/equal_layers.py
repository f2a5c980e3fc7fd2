"""Groups layers that compute the same with the same kernel.

Of equal heads, or of the blocks of a transformer, each layer alone ranks low: what is gained in one
is gained in all.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_labels import headline
from engine_layer_visualize.analysis.work import EngineWork, LayerWork
from engine_layer_visualize.core.model import Layer, Tensor


class EqualLayers(NamedTuple):
    """Layers that compute the same. A sum is None where a layer's value is unknown."""

    layers: tuple[Layer, ...]  # in order
    done: LayerWork  # the work of the first
    ms: float | None
    bound_ms: float | None
    above_ms: float | None

    @property
    def efficiency(self) -> float | None:
        """The bounds as a part of the times."""
        return self.bound_ms / self.ms if self.bound_ms is not None and self.ms else None

    @property
    def macs(self) -> int | None:
        """The MACs of all of them."""
        return None if self.done.macs is None else len(self.layers) * self.done.macs

    @property
    def bytes(self) -> int | None:
        """The bytes that all of them move."""
        return None if self.done.bytes is None else len(self.layers) * self.done.bytes


def ranked(layers: Iterable[Layer], work: EngineWork, costs: Costs) -> list[EqualLayers]:
    """The groups, those first that are farthest above their bounds.

    Where no bounds are known it is those with the most MACs.
    """
    members: dict[Hashable, list[Layer]] = {}
    for layer in layers:
        members.setdefault(_sign(layer, work.of(layer)), []).append(layer)
    groups = [_group(tuple(several), work, costs) for several in members.values()]
    if any(group.above_ms is not None for group in groups):
        return sorted(groups, key=lambda group: -(group.above_ms or 0.0))
    return sorted(groups, key=lambda group: -(group.macs or 0))


def _group(layers: tuple[Layer, ...], work: EngineWork, costs: Costs) -> EqualLayers:
    done = [work.of(layer) for layer in layers]
    return EqualLayers(
        layers,
        done[0],
        _sum([costs.of(layer) for layer in layers]),
        _sum([work_of.bound_ms for work_of in done]),
        _sum([work_of.above_ms for work_of in done]),
    )


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _sign(layer: Layer, done: LayerWork) -> Hashable:
    """Equal for layers that compute the same with the same kernel."""
    if not layer.inputs and not layer.outputs:
        return layer.index  # nothing tells what it computes
    tensors = tuple(map(_tensor, layer.inputs)), tuple(map(_tensor, layer.outputs))
    tactic = layer.kernel or layer.tactic
    return layer.type, headline(layer), tactic, tensors, done.macs, done.bytes, done.bound_ms


def _tensor(tensor: Tensor) -> Hashable:
    return tensor.dtype, tensor.dims, tensor.format
