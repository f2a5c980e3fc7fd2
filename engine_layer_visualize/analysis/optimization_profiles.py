"""Finds the optimisation profile of each layer of an engine."""

from __future__ import annotations

from collections.abc import Sequence

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import myelin_index, profile_in


def optimization_profiles(layers: Sequence[Layer]) -> tuple[int, ...]:
    """The number of the optimisation profile of every layer; empty where there is only one.

    Names end in ` [profile k]` from the second profile on. Some records inside Myelin lack the
    suffix; they belong to the profile of the other records of their Myelin layer.
    """
    named = [_profile(layer) for layer in layers]
    if not any(named):
        return ()
    inside = [myelin_index(layer.name) for layer in layers]
    of_myelin: dict[int, int] = {}
    for index, number in zip(inside, named):
        if number and index is not None:
            of_myelin.setdefault(index, number)
    return tuple(
        number or (0 if index is None else of_myelin.get(index, 0))
        for index, number in zip(inside, named)
    )


def _profile(layer: Layer) -> int:
    """The number in the names of a layer or its tensors; 0 where none has one."""
    for name in (layer.name, *[t.name for t in layer.inputs], *[t.name for t in layer.outputs]):
        if number := profile_in(name):
            return number
    return 0
