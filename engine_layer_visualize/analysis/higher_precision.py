"""Layers in a higher precision than the lowest one that the build allowed.

A layer that only moves, shapes or holds data has no precision of its own.
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis.measures import precision_of
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.data_types import bits

_PASSIVE: Final = frozenset(
    """
    Constant NoOp Reformat MyelinReformat Shuffle Slice Gather Concat Concatenation Resize
    ShapeHostToDevice DeviceToShapeHost TrainStation Identity Shape copy signal wait
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


def allowed_bits(facts: EngineFacts | None) -> int | None:
    """Bits of the lowest precision that the build allowed; None where the log does not say."""
    allowed = facts.precisions if facts is not None else ()
    return min((width for name in allowed if (width := bits(name)) is not None), default=None)


def computes(layer: Layer) -> bool:
    """Whether a layer has a precision of its own to compute in."""
    return layer.type not in _PASSIVE


def is_higher(layer: Layer, lowest: int) -> bool:
    """Whether a layer computes in more than `lowest` bits."""
    own = bits(precision_of(layer))
    return own is not None and own > lowest and computes(layer)
