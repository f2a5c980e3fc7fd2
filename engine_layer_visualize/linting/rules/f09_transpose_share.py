"""Shuffles and transposes take more than 3 % of the engine's time.

**Found**: layers of type Shuffle or Transpose, and kernels of Myelin that begin with a
transposition (`__myl_Tran…`), together take more than 3 % of the time of all layers. Of less than
10 µs each they do not count: that is mostly the launch of a kernel (H07).

**Why it costs**: they compute nothing. They read a tensor and write its elements in another order.

**What to do**: merge or move the transpositions in the model, so that pairs of them cancel out.
Where one reads an input of the engine, such as a channels-last picture, feed that in the order that
the layers behind it take.

**When to leave it**: where the layers on both sides need different orders and no other
transposition cancels this one.

**Example**:

    Layer(Shuffle): Transpose_1, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,4,4,8)]

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "F09",
    "transpose-share",
    "hint",
    "Shuffles and transposes take more than 3 % of the engine's time.",
    ("NVIDIA, trt-samples-for-hackathon-cn: best practice", "NVIDIA/TensorRT issue 3876"),
)
_LEAST_SHARE: Final = 0.03
_ADVICE: Final = "merge or move transpositions in {model} so that they cancel out"
_AT_INPUT: Final = "; feed the engine's input in the order that the layers behind it take"
_KERNEL: Final = "__myl_Tran"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for the engine."""
    layers = [layer for layer in subject.layers if _moves(layer) and not _is_short(subject, layer)]
    advice = _ADVICE.format(model=subject.frontend.model)
    advice += _AT_INPUT if any(map(subject.at_input, layers)) else ""
    yield from subject.shared(RULE, layers, _LEAST_SHARE, "shuffle", advice)


def _is_short(subject: Subject, layer: Layer) -> bool:
    return (subject.ms(layer) or 0.0) < 2 * LAUNCH


def _moves(layer: Layer) -> bool:
    if layer.type in ("Shuffle", "Transpose"):
        return True
    return layer.name.startswith(_KERNEL) or (layer.kernel or "").startswith(_KERNEL)
