"""A depthwise convolution in INT8 is no faster than it would be in FP16.

**Found**: a depthwise convolution (as many groups as channels) reads Int8, its kernel is one
of CUDA cores, and the autotuner timed it in FP16 at the same time or faster. Silent where FP16 was
not timed, or the kernel's name does not tell.

**Why it costs**: a depthwise convolution multiplies little and moves much; without tensor cores
INT8 gains nothing, and the layer loses accuracy.

**What to do**: leave it in FP16: no Q/DQ in front of it. Its neighbours then take FP16, too:
build both and compare, as the reformats count.

**Example**:

    Layer(CudaDepthwiseConvolution): conv2, Tactic: 0x1, a[Int8(1,32,8,8)] -> b[Int8(1,32,8,8)]

**Versions**: all that log the autotuning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.quantisation import is_int8
from engine_layer_visualize.analysis.findings.subject import Subject, timed_in
from engine_layer_visualize.analysis.work.sizes import Convolution
from engine_layer_visualize.core.build_info import Candidate
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.trt.kernel_names import on_tensor_cores

RULE: Final = Rule(
    "P13",
    "int8-depthwise",
    "hint",
    "A depthwise convolution in INT8 is no faster than it would be in FP16.",
    ("NVIDIA/TensorRT issue 2067",),
)
_CUDA_CORES: Final = "CudaDepthwise"  # the beginning of such a layer's type
_ADVICE: Final = (
    "take the Q/DQ in front of it out, so that it runs in FP16, and compare the two engines"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all such layers."""
    found = [
        (layer, half)
        for layer in subject.multiplying
        if is_int8(subject.data_input(layer))
        and (half := _in_half(subject, layer)) is not None
        and _is_depthwise(subject, layer)
    ]
    if not found:
        return
    layers = [layer for layer, _ in found]
    gain, evidence = 0.0, []
    for layer, half in found:
        own, ms = subject.known(layer).build_ms or 0.0, subject.ms(layer)
        gain += ms * (1 - half.ms / own) if ms and own > 0 else 0.0
        times = f"{layer.name}: {milliseconds(own)} in Int8, {milliseconds(half.ms)} in Half"
        evidence.append(Evidence(times, dict(subject.known(layer).lines).get("candidates")))
    verb = plural(len(layers), "is", "are")
    why = (*subject.names(layers), f" {verb} depthwise in Int8, and FP16 was no slower")
    yield subject.finding(RULE, layers, why, _ADVICE, evidence[:3], ms=gain)


def _is_depthwise(subject: Subject, layer: Layer) -> bool:
    """Whether it is a depthwise convolution, on kernels without tensor cores."""
    if layer.type.startswith(_CUDA_CORES):
        return True
    shape = subject.extents(layer)
    depthwise = isinstance(shape, Convolution) and shape.depthwise
    return depthwise and on_tensor_cores(layer.kernel or "") is False


def _in_half(subject: Subject, layer: Layer) -> Candidate | None:
    """The fastest tactic in FP16, where it is no slower than the chosen one."""
    own = subject.known(layer).build_ms
    timed = subject.tuned(layer).combinations
    half = next((one for one in timed if timed_in(one) == "Half"), None)
    return half if half is not None and own is not None and half.ms <= own else None
