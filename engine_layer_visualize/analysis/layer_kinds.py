"""Which kind of layer one is: a reformat, a no-op, a constant, a record that could not be read.

A `Layer` in; its `Kind`, which decides how it is drawn, and answers to single questions out.
"""

from __future__ import annotations

from typing import Final, Literal

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import is_foreign

Kind = Literal[
    "layer", "reformat", "constant", "opaque", "hidden", "port", "unresolved", "unused", "stub"
]

# A reformat, listed or not. It bears the name of the layer that it serves.
SERVING: Final = frozenset({"reformat", "hidden"})
QUIET: Final = SERVING | {"constant"}  # drawn small: must be seen, not shine
_REFORMATS: Final = frozenset({"Reformat", "MyelinReformat"})
# Layers that run no kernel: the builder times none for them.
_WITHOUT_KERNEL: Final = frozenset({"NoOp", "Constant"})


def kind(layer: Layer) -> Kind:
    """Which mark a layer bears. A `NoOp` is drawn as a reformat, and not counted as one."""
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


def is_myelin(layer: Layer) -> bool:
    """Whether it is a part of the network that Myelin compiled as one piece."""
    return layer.type == "Myelin" or is_foreign(layer.name)


def runs_kernel(layer: Layer) -> bool:
    """Whether a layer of this type runs anything: a `NoOp` does not."""
    return layer.type not in _WITHOUT_KERNEL
