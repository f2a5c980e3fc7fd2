"""Shuffles and transposes take more than 3 % of the engine's time.

**Found**: layers of type Shuffle or Transpose, and kernels of Myelin that begin with a
transposition (`__myl_Tran…`), together take more than 3 % of the time of all layers. Of less than
10 µs each, which is mostly the launch of a kernel (H07), they count only where all together take
more than 10 %. Of times alone the rows count whose names have a Transpose and else only changes of
shape.

**Why it costs**: they compute nothing. They read a tensor and write its elements in another order.

**What to do**: merge or move the transpositions in the model, so that pairs of them cancel out.
Where one reads an input of the engine, such as a channels-last picture, feed that in the order that
the layers behind it take. Where several read parts of one tensor, as those of an attention's
queries, keys and values, one in front of the Split moves all parts. Of times alone those count that
stand two or three in a row in front of MatMul, Softmax and MatMul.

**When to leave it**: where the layers on both sides need different orders and no other
transposition cancels this one.

**Example**:

    Layer(Shuffle): Transpose_1, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,4,4,8)]

**Versions**: all.

**Severity**: hint.

**Sources**: NVIDIA, trt-samples-for-hackathon-cn: best practice; NVIDIA/TensorRT issue 3876.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count
from engine_layer_visualize.linting.alignment import read_whole
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rule import shared
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.03
_LEAST_SHARE_SHORT: Final = 0.1  # of all, where layers count that are mostly launched
_ADVICE: Final = "merge or move transpositions in {model} so that they cancel out"
_AT_INPUT: Final = "; feed the engine's input in the order that the layers behind it take"
_OF_PARTS: Final = "; {} of them move parts of {}: move each before it is split"
_ATTENTION: Final = "in {model}, transpose queries, keys and values before their Split, at once"
_FUSED: Final = "; TensorRT from 8.6 on fuses attention in FP16"
_FUSED_SINCE: Final = (8, 6)
_IN_ATTENTION: Final = ("MatMul", "Softmax", "MatMul")
_MOST_LAYERS: Final = 12  # of an attention: two products, a softmax, what stands between
_KERNEL: Final = "__myl_Tran"
_TRANSPOSE: Final = "Transpose"
_MOVING: Final = frozenset((_TRANSPOSE, "Reshape", "Shuffle", "Squeeze", "Unsqueeze", "Flatten"))


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for the engine."""
    moving = [layer for layer in subject.layers if _moves(subject, layer)]
    every = [layer for layer in moving if subject.ms(layer)]
    took, whole = subject.costs.sum(every) or 0.0, subject.costs.whole or 0.0
    are_many = took > _LEAST_SHARE_SHORT * whole
    layers = [layer for layer in every if are_many or (subject.ms(layer) or 0.0) >= 2 * LAUNCH]
    # Where no edges tell parts of a tensor, the order of the layers does.
    is_attention = not subject.edges and 2 * _before_products(subject, layers) > len(layers)
    advice = (_ATTENTION if is_attention else _ADVICE).format(model=subject.frontend.model)
    advice += _FUSED if is_attention and (subject.version or ()) < _FUSED_SINCE else ""
    advice += _AT_INPUT if any(map(subject.at_input, layers)) else ""
    # What is not timed moves parts, too.
    parts = [la for la in moving if subject.data_input(la) and read_whole(subject, la) is None]
    readers = Counter(layer.inputs[0].name for layer in parts)
    told = {layer.index for layer in layers}
    several = [
        la.inputs[0].name for la in parts if la.index in told and readers[la.inputs[0].name] > 1
    ]
    tensors = count(len({*several}), "tensor")
    advice += _OF_PARTS.format(len(several), tensors) if several else ""
    yield from shared(subject, RULE, layers, _LEAST_SHARE, "shuffle", advice)


def _before_products(subject: Subject, layers: list[Layer]) -> int:
    """Returns how many stand, two or three in a row, in front of an attention."""
    moving, number, run = {layer.index for layer in layers}, 0, 0
    for place, layer in enumerate(subject.layers):
        if layer.index in moving:
            run += 1
            continue
        if run in (2, 3):
            behind = subject.layers[place : place + _MOST_LAYERS]
            every = (each for la in behind for each in subject.operators(la))
            found = [each for each in every if each in _IN_ATTENTION]
            number += run if (*found[:3],) == _IN_ATTENTION else 0
        run = 0
    return number


def _moves(subject: Subject, layer: Layer) -> bool:
    if layer.type in ("Shuffle", _TRANSPOSE):
        return True
    if not subject.edges and not layer.type:
        operators = subject.operators(layer)
        return _TRANSPOSE in operators and _MOVING.issuperset(operators)
    return layer.name.startswith(_KERNEL) or (layer.kernel or "").startswith(_KERNEL)
