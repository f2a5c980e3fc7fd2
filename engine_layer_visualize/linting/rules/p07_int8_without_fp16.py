"""INT8 was allowed and FP16 was not: what cannot run in INT8 runs in FP32.

**Found**: the build allowed FP32 and INT8 alone, and at least one convolution, deconvolution or
matrix product computes in Float. Silent where the log shows a device without fast FP16.

**Why it costs**: a layer without scales, or without an INT8 kernel, falls back to FP32. With FP16
allowed it would fall back to FP16, at twice the speed or more.
At stake is the layers' time without what the device needs for them in FP16; all of it where that is
unknown.

**What to do**: add `--fp16` (or `--best`) to the build. Check the accuracy of the layers that the
message names.

**Example**:

    Precision: FP32+INT8
    Layer(CaskConvolution): conv9, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: weakly typed networks, TensorRT 5 to 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "P07",
    "int8-without-fp16",
    "warning",
    "INT8 was allowed and FP16 was not: what cannot run in INT8 runs in FP32.",
    ("pytorch/TensorRT issue 93", "NVIDIA/TensorRT issue 3197"),
)
_FAST_FP16: Final = frozenset(((5, 3), (6, 0), (6, 2)))  # below 7.0


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers in Float."""
    device = subject.compute_capability
    slow = device is not None and device < (7, 0) and device not in _FAST_FP16
    if slow or set(subject.facts.precisions) != {"FP32", "INT8"}:
        return
    layers = [layer for layer in subject.multiplying if subject.dtype(layer) == "Float"]
    if not layers:
        return
    evidence = [*map(subject.record, layers[:3]), *subject.precision_option]
    verb = plural(len(layers), "computes", "compute")
    words = (*subject.names(layers), f" {verb} in Float: the build allowed INT8, but not FP16")
    advice = "add --fp16 to the build (trtexec; --best allows all precisions)"
    most = subject.most_saved(layers, ("Half",))
    yield subject.finding(RULE, layers, words, advice, evidence, ms=most, part=None)
