"""Only FP32 was allowed, on a GPU whose tensor cores multiply FP16.

**Found**: the build allowed FP32 alone, the log shows a GPU of compute capability 7.0 or higher,
and convolutions or matrix products compute in Float. A layer whose multiplications and bytes take
less than a tenth of its time does not count, by the device's figures or, where they are unknown, by
those of the slowest such GPU: its time goes to the launch of its kernel, which no type makes
shorter.

**Why it costs**: tensor cores multiply FP16 at a multiple of the speed of FP32, and half of the
bytes are moved. At stake is the layers' time without what the device needs for them in FP16; all of
it where that is unknown. Where TF32 was timed on tensor cores, the message does not name these.

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

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import NOISE_MS, Finding, Rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernel_names import on_tensor_cores

RULE: Final = Rule(
    "P15",
    "only-fp32",
    "hint",
    "Only FP32 was allowed, on a GPU whose tensor cores multiply FP16.",
    ("TensorRT documentation: reduced precision", "recorded logs"),
)
_WITH_CORES: Final = (7, 0)
_STRONGLY: Final = (10, 12)
_TENTH: Final = 0.1
# A Jetson Xavier NX: FP32 on CUDA cores, and its memory.
_LEAST_FLOPS: Final = 0.8e12
_LEAST_BANDWIDTH: Final = 51.2e9
_FLAG: Final = "allow FP16 (trtexec: --fp16), and check the accuracy"
_MODEL: Final = (
    "convert the model to FP16 (AutoCast of Model Optimizer), and build it --stronglyTyped"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all that compute in Float."""
    option, device = subject.precision_option, subject.compute_capability
    if not option or subject.facts.precisions != ("FP32",):
        return
    if device is None or device < _WITH_CORES or subject.lacks_tensor_cores:
        return
    layers = [
        layer
        for layer in subject.multiplying
        if subject.dtype(layer) == "Float" and not _is_tiny(subject, layer)
    ]
    if not layers:
        return
    verb = plural(len(layers), "computes", "compute")
    what = f" {verb} in Float: the build allowed FP32 alone"
    # Where TF32 was timed on tensor cores, these are no news: it was taken, or it lost.
    what += "" if any(_on_cores(subject, la) for la in layers) else ", and the GPU has tensor cores"
    evidence = [*option, *map(subject.record, layers[:2])]
    advice = _MODEL if (subject.version or ()) >= _STRONGLY else _FLAG
    most = subject.most_saved(layers, ("Half",))
    why = (*subject.names(layers), what)
    yield subject.finding(RULE, layers, why, advice, evidence, ms=most, part=None)


def _on_cores(subject: Subject, layer: Layer) -> bool:
    """Whether a kernel on tensor cores runs a layer, or was timed for it."""
    tuned = subject.tuned(layer)
    kernels = [layer.kernel, *(one.kernel for one in (*tuned.best, *tuned.combinations))]
    return any(map(on_tensor_cores, filter(None, kernels)))


def _is_tiny(subject: Subject, layer: Layer) -> bool:
    """Whether a layer takes long for other reasons than what it computes and moves."""
    done, ms = subject.work(layer), subject.ms(layer)
    needed = done.bound_ms
    if needed is None and done.macs is not None and done.bytes is not None:
        needed = max(2 * done.macs / _LEAST_FLOPS, done.bytes / _LEAST_BANDWIDTH) * 1e3
    if needed is None:
        return False
    return needed < (NOISE_MS if ms is None else ms * _TENTH)
