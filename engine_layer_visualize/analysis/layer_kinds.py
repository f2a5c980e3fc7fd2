"""Which kind of layer one is: a reformat, a constant, a record that could not be read."""

from __future__ import annotations

from typing import Final, Literal

from engine_layer_visualize.core.model import Layer

Kind = Literal[
    "layer", "reformat", "constant", "opaque", "hidden", "port", "unresolved", "unused", "stub"
]

_REFORMATS: Final = frozenset({"Reformat", "MyelinReformat"})


def kind(layer: Layer) -> Kind:
    """Which mark a layer bears."""
    if layer.raw is not None:
        return "opaque"
    if not layer.listed:
        return "hidden"
    if is_reformat(layer) or layer.type == "NoOp":
        return "reformat"
    return "constant" if layer.type == "Constant" else "layer"


def is_reformat(layer: Layer) -> bool:
    """Whether it does nothing but change type or format. A `NoOp` costs nothing: it is none."""
    return layer.type in _REFORMATS
