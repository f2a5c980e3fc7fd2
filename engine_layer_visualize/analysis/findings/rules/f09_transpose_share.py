"""Shuffles and transposes take more than 3 % of the engine's time.

**Found**: layers of type Shuffle or Transpose, and kernels of Myelin that begin with a
transposition (`__myl_Tran…`), together take more than 3 % of the time of all layers.

**Why it costs**: they compute nothing. They read a tensor and write its elements in another order.

**What to do**: merge or move the transpositions in the ONNX model, so that pairs of them cancel
out. Where they turn channels-last pictures, feed the engine in that format (`--inputIOFormats`).

**Example**:

    Layer(Shuffle): Transpose_1, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,4,4,8)]

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.model import Layer

RULE: Final = Rule(
    "F09",
    "transpose-share",
    "hint",
    "Shuffles and transposes take more than 3 % of the engine's time.",
    ("NVIDIA, trt-samples-for-hackathon-cn: best practice", "NVIDIA/TensorRT issue 3876"),
)
_MOST: Final = 0.03
_ADVICE: Final = (
    "merge or move transpositions in the ONNX model so that they cancel out; feed channels-last "
    "pictures as they are (trtexec: --inputIOFormats)"
)
_KERNEL: Final = "__myl_Tran"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    layers = [layer for layer in subject.layers if _moves(layer)]
    yield from subject.shared(RULE, layers, _MOST, "shuffle", _ADVICE)


def _moves(layer: Layer) -> bool:
    if layer.type in ("Shuffle", "Transpose"):
        return True
    return layer.name.startswith(_KERNEL) or (layer.kernel or "").startswith(_KERNEL)
