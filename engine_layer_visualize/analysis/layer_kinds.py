"""Decides how a layer is drawn, by its `Kind`, and whether it runs a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt import layer_names
from engine_layer_visualize.trt.layer_names import DLA, is_foreign
from engine_layer_visualize.trt.operators import WITHOUT_KERNEL

Kind = Literal[
    "layer", "reformat", "constant", "opaque", "hidden", "port", "unresolved", "unused", "stub"
]

# A reformat, listed or not: its name holds the name of the layer that it is for.
SERVING: Final = frozenset({"reformat", "hidden"})
QUIET: Final = SERVING | {"constant"}  # drawn small
_REFORMATS: Final = frozenset({"Reformat", "MyelinReformat"})


def kind(layer: Layer) -> Kind:
    """How a layer is drawn. A `NoOp` is drawn as a reformat, but not counted as one."""
    if layer.raw is not None:
        return "opaque"
    if not layer.listed:
        return "hidden"
    if is_reformat(layer) or layer.type == "NoOp":
        return "reformat"
    return "constant" if layer.type == "Constant" else "layer"


def is_reformat(layer: Layer) -> bool:
    """Whether a layer only changes type or format. A `NoOp` is not a reformat: it costs nothing."""
    return layer.type in _REFORMATS


def unread(layers: Iterable[Layer]) -> int:
    """How many records could not be read: their edges are missing."""
    return sum(layer.raw is not None for layer in layers)


def is_dla_copy(layer: Layer) -> bool:
    """Whether it copies between the GPU's memory and the DLA's, or waits for such a copy."""
    return layer_names.is_dla_copy(layer.name)


def waits_for_dla(layer: Layer) -> bool:
    """Whether its time may hold the wait until the DLA is done."""
    return layer_names.waits_for_dla(layer.name)


def on_dla(layer: Layer) -> bool:
    """Whether the DLA runs a layer, as its type or the log's list of devices says."""
    return layer.type == DLA or (layer.facts is not None and layer.facts.device == DLA)


def is_myelin(layer: Layer) -> bool:
    """Whether Myelin, or the compiler of the DLA, made one piece of several layers."""
    return layer.type == "Myelin" or is_foreign(layer.name)


def runs_kernel(layer: Layer) -> bool:
    """Whether a layer of this type runs anything: a `NoOp` does not."""
    return layer.type not in WITHOUT_KERNEL
