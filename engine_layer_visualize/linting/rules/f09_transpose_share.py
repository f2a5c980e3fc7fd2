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
queries, keys and values, one in front of the Split moves all parts.

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
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.03
_LEAST_SHARE_SHORT: Final = 0.1  # of all, where layers count that are mostly launched
_ADVICE: Final = "merge or move transpositions in {model} so that they cancel out"
_AT_INPUT: Final = "; feed the engine's input in the order that the layers behind it take"
_OF_PARTS: Final = "; {} of them move parts of {}: move each before it is split"
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
    advice = _ADVICE.format(model=subject.frontend.model)
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
    yield from subject.shared(RULE, layers, _LEAST_SHARE, "shuffle", advice)


def _moves(subject: Subject, layer: Layer) -> bool:
    if layer.type in ("Shuffle", _TRANSPOSE):
        return True
    if not subject.edges and not layer.type:
        operators = subject.operators(layer)
        return _TRANSPOSE in operators and _MOVING.issuperset(operators)
    return layer.name.startswith(_KERNEL) or (layer.kernel or "").startswith(_KERNEL)
