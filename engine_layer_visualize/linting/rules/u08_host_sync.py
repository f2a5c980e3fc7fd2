"""Sizes or branches are decided while the engine runs, with the host's help.

**Found**: layers of type TrainStation, DeviceToShapeHost or NonZero (sizes that depend on data),
ShapeHostToDevice (sizes that the host computes), or control flow (If, Loop).

**Why it costs**: where a size depends on data, the host waits for the device before it can launch
the next layer, and no CUDA graph can capture the engine. Copies of sizes from the host are cheaper,
but are launched in every inference.

**What to do**: replace operators with results of unknown size by ones of a fixed size (NonZero by
TopK or a mask, NonMaxSuppression by the plugin EfficientNMS_TRT); build with static shapes where
all inputs have the same size; export without If and Loop where the branch or the count is known.

**When to leave it**: where a size has to depend on the data, and the model knows no upper bound of
it.

**Example**:

    Layer(TrainStation): [trainStation1], Tactic: 0x0000000000000000,  ->

**Versions**: 8.0 and later.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issue 3585.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_DATA: Final = (
    "sizes depend on data: the host waits for the device",
    "replace operators with results of unknown size (NonZero) by ones of a fixed size (TopK, a "
    "mask): a CUDA graph cannot capture this engine",
)
_NMS: Final = (
    "how many boxes are left depends on data: the host waits for the device",
    "in the ONNX model, put the plugin EfficientNMS_TRT in the place of NonMaxSuppression: its "
    "results have a fixed size",
)
_SHAPES: Final = (
    "sizes go from the host to the device in every inference",
    "build with static shapes where the sizes of all inputs are known",
)
_CONTROL: Final = (
    "a branch or a loop is decided in every inference",
    "export the model without If and Loop where the branch or the count is known",
)
_TYPES: Final = {
    "trainstation": _DATA,
    "devicetoshapehost": _DATA,
    "nonzero": _DATA,
    "nms": _NMS,
    "nonmaxsuppression": _NMS,
    "shapehosttodevice": _SHAPES,
    "cjmp": _CONTROL,
    "conditional": _CONTROL,
    "if": _CONTROL,
    "loop": _CONTROL,
}


def check(subject: Subject) -> Iterator[Finding]:
    """Yields a finding for sizes that depend on data, one for the host's, one for control flow."""
    by_reason: dict[tuple[str, str], list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if kind := _TYPES.get(layer.type.casefold()):
            by_reason[kind].append(layer)
    for (what, advice), layers in by_reason.items():
        why = (f"{what}: ", *named(layers))
        yield finding(subject, RULE, layers, why, advice, part=None)
