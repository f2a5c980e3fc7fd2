"""The layers of an engine in; the number of the optimisation profile of each out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.core.model import Layer

# Names that Myelin derives go on after the suffix: `y [profile 1].1_4_myl15`.
_PROFILE: Final = re.compile(r" \[profile (\d{1,9})\](?=$|[._])")
_MYELIN_RECORD: Final = re.compile(r"_myl(\d+)_\d+$")


def optimization_profiles(layers: Sequence[Layer]) -> tuple[int, ...]:
    """For every layer the optimisation profile that it is of; empty where there is only one.

    Names bear ` [profile k]` from the second profile on. Inside Myelin some records bear it
    nowhere; they go with the others of their Myelin layer.
    """
    own = [_profile(layer) for layer in layers]
    if not any(own):
        return ()
    of_myelin: dict[str, int] = {}
    for layer, number in zip(layers, own):
        if number and (match := _MYELIN_RECORD.search(layer.name)):
            of_myelin.setdefault(match[1], number)
    result = []
    for layer, number in zip(layers, own):
        match = _MYELIN_RECORD.search(layer.name)
        result.append(number or (of_myelin.get(match[1], 0) if match else 0))
    return tuple(result)


def _profile(layer: Layer) -> int:
    tensors = (tensor.name for tensor in (*layer.inputs, *layer.outputs))
    for name in (layer.name, *tensors):
        if " [profile " in name and (match := _PROFILE.search(name)):
            return int(match[1])
    return 0
