"""A convolution or matrix product computes in 32 bits where the build allowed fewer.

**Found**: a convolution, deconvolution or matrix product computes in Float, and the build allowed
FP16, BF16 or INT8. Only where no message of the log says that a precision was not kept: that is
P02.

**Why it costs**: tensor cores multiply 16-bit types at a multiple of the speed of 32-bit types, and
half the bytes are moved.

**What to do**: see in the layer's autotuning whether a lower precision was timed. If it was, and
was slower, there is nothing to gain. If it was not, some neighbour or a constraint forbids it.

**Example**:

    Precision: FP32+FP16
    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: weakly typed networks, TensorRT 7 to 10.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.higher_precision import allowed_bits
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.data_types import bits

RULE: Final = Rule(
    "P01",
    "higher-precision-compute",
    "warning",
    "A convolution or matrix product computes in 32 bits where the build allowed fewer.",
    ("NVIDIA/TensorRT issues 4070, 3737, 4020",),
)
_OPTION: Final = "Precision"  # of trtexec's `=== Build Options ===`
_ADVICE: Final = (
    "see in the log whether its autotuning timed a lower precision: that may have been slower"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers of the same precision."""
    lowest = allowed_bits(subject.facts)
    if lowest is None:
        return
    found: dict[str, list[Layer]] = defaultdict(list)
    for layer in subject.multiplying:
        dtype = subject.dtype(layer)
        own = bits(dtype)
        noted = subject.known(layer).precision_note
        if dtype is not None and own is not None and own > lowest and not noted:
            found[dtype].append(layer)
    allowed = ", ".join(subject.facts.precisions)
    option = subject.option(_OPTION)
    options = [] if option is None else [Evidence(f"{_OPTION}: {option.value}", option.line)]
    for dtype, layers in found.items():
        words = subject.names(layers)
        verb = "compute" if len(layers) > 1 else "computes"
        why = (*words, f" {verb} in {dtype}, the build allowed {allowed}; no message says why")
        evidence = [*map(subject.record, layers[:3]), *options]
        yield subject.finding(RULE, layers, why, _ADVICE, evidence, part=0.5)
