"""Only FP32 was allowed, on a GPU whose tensor cores multiply FP16.

**Found**: the build allowed FP32 alone, the log shows a GPU of compute capability 7.0 or higher,
and convolutions or matrix products compute in Float.

**Why it costs**: tensor cores multiply FP16 at a multiple of the speed of FP32, and half of the
bytes are moved.

**What to do**: allow FP16 (`--fp16`), and check the accuracy. TensorRT 10.12 and later would have
the precisions in the model: convert it by AutoCast of NVIDIA's Model Optimizer, and build it with
`--stronglyTyped`.

**Example**:

    Precision: FP32
    Compute Capability: 8.6
    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: weakly typed networks, TensorRT 7 to 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.text import plural

RULE: Final = Rule(
    "P15",
    "only-fp32",
    "hint",
    "Only FP32 was allowed, on a GPU whose tensor cores multiply FP16.",
    ("TensorRT documentation: reduced precision", "recorded logs"),
)
_WITH_CORES: Final = (7, 0)
_STRONGLY: Final = (10, 12)
_FLAG: Final = "allow FP16 (trtexec: --fp16), and check the accuracy"
_MODEL: Final = (
    "convert the model to FP16 (AutoCast of Model Optimizer), and build it --stronglyTyped"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all that compute in Float."""
    option, device = subject.precision_option, subject.compute_capability
    if not option or subject.facts.precisions != ("FP32",):
        return
    if device is None or device < _WITH_CORES:
        return
    layers = [layer for layer in subject.multiplying if subject.dtype(layer) == "Float"]
    if not layers:
        return
    verb = plural(len(layers), "computes", "compute")
    what = f" {verb} in Float: the build allowed FP32 alone, and the GPU has tensor cores"
    evidence = [*option, *map(subject.record, layers[:2])]
    advice = _MODEL if (subject.version or ()) >= _STRONGLY else _FLAG
    yield subject.finding(RULE, layers, (*subject.names(layers), what), advice, evidence, part=0.5)
