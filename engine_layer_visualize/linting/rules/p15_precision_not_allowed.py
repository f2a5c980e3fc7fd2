"""The engine computes in Float on a GPU whose tensor cores multiply FP16.

**Found**: the build allowed FP32 alone, or FP32 and INT8, and layers compute in Float; where the
log has no options of the build (the inspector's JSON, a loaded engine, the API), nothing in the
listing computes in a lower type than Float: three convolutions or products at least, or the builder
timed them in Float alone. The log's device, or the name of a kernel that runs
(`sm80_…`, `ampere_…`), shows a GPU with tensor cores. A layer whose multiplications and bytes take
less than a tenth of its time does not count, by the device's figures or, where they are unknown, by
those of the slowest such GPU; then one of less than 10 µs does not, either: the time goes to the
launch of the kernel, which no type makes shorter. Of a part of a listing without layers in Float,
INT8 without FP16 is told of the whole engine. Where nothing tells the GPU, `lint` asks for
`--device` in the lines before its findings.

**Why it costs**: tensor cores multiply FP16 at a multiple of the speed of FP32, and half of the
bytes are moved. With INT8 and without FP16, what cannot run in INT8 runs in FP32, additions and
pools, too. What could be saved is the time of convolutions and products without what they take
where they reach as much of the device in FP16 as this engine's best layer does now, 60 % of its
multiplications at most, and are launched (5 µs). Without the device's figures it is unknown, and so
it is of layers under 20 µs.

**What to do**: up to TensorRT 10.16 allow FP16 (`trtexec --fp16`, `BuilderFlag.FP16`), and check
the accuracy. From 11 on the types are the model's: convert it by AutoCast of NVIDIA's Model
Optimizer.

**When to leave it**: where the accuracy needs FP32.

**Example**:

    Precision: FP32
    Compute Capability: 8.6
    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: all.

**Severity**: warning.

**Sources**: TensorRT documentation: reduced precision; pytorch/TensorRT issue 93; NVIDIA/TensorRT
issue 3197.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.precisions import computes
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import NOISE_MS, Finding, described
from engine_layer_visualize.linting.roles import has_cuda_graph, mean_of_kernels
from engine_layer_visualize.linting.rule import (
    finding,
    named,
    precision_option,
    record,
    saved_together,
)
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_WITH_CORES: Final = (7, 0)
_FAST_FP16: Final = frozenset(((5, 3), (6, 0), (6, 2)))  # below 7.0
_LEAST_USE: Final = 0.1
_SHORTEST_MS: Final = 2 * LAUNCH  # of a layer on an unknown device: of less the launch takes most
_LEAST_PRODUCTS: Final = 3  # convolutions and products: of fewer, a listing alone tells nothing
_LOWER: Final = re.compile("Half|BFloat16|Int8|FP8|FP4")
# A Jetson Xavier NX: FP32 on CUDA cores, and its memory.
_LEAST_FLOPS: Final = 0.8e12
_LEAST_BANDWIDTH: Final = 51.2e9
_MOST_LINES: Final = 2  # records as evidence
_FLAG: Final = "allow FP16 ({}), and check the accuracy"
_MODEL: Final = "convert the model to FP16 (AutoCast of Model Optimizer), and check the accuracy"
_FLAGS: Final = {
    **dict.fromkeys(("onnx", "unknown"), "trtexec: --fp16"),
    "torch": "enabled_precisions",
}
_UNLISTED: Final = (
    ": what has no Q/DQ computes in Float; no kernel of it is in this part of the listing"
)
_OF_BUILDER: Final = "BuilderFlag.FP16"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    device = subject.capability
    able = device is not None and not subject.lacks_tensor_cores
    if not able or not device or (device < _WITH_CORES and device not in _FAST_FP16):
        return
    why = _why(subject, device)
    floating = [layer for layer in subject.layers if _is_float(subject, layer)]
    if "allowed INT8" in why and not floating and not subject.engine.source.complete:
        why += _UNLISTED
        yield finding(subject, RULE, (), why, _advice(subject), precision_option(subject))
    floating = [layer for layer in floating if not _is_tiny(subject, layer)]
    products = [layer for layer in floating if subject.multiplies(layer)]
    if not why or not (products or "INT8" in why):
        return
    # What else computes in Float does so for the same reason, but only its bytes become fewer.
    layers = floating if "INT8" in why else products
    if not layers:
        return
    # In the listing TF32 is Float; the kernel's name tells.
    dtype = "TF32" if all("tf32" in (layer.kernel or "") for layer in layers) else "Float"
    verb = plural(len(layers), "computes", "compute")
    words = (*named(layers), f" {verb} in {dtype}: {why}{_ends(subject)}")
    evidence = [*precision_option(subject), *map(record, layers[:_MOST_LINES])]
    most = saved_together(subject, products, ("Half",))
    yield finding(subject, RULE, layers, words, _advice(subject), evidence, ms=most)


def waiting(subject: Subject) -> int:
    """Returns how many convolutions and products compute in Float; 0 where the GPU is known.

    It is 0, too, where none of them would count on a GPU with tensor cores.
    """
    is_known = (subject.compute_capability or subject.capability or ()) >= _WITH_CORES
    if is_known or subject.compute_capability or not _why(subject, _WITH_CORES):
        return 0
    floating = [layer for layer in subject.multiplying if _is_float(subject, layer)]
    return 0 if all(_is_tiny(subject, layer) for layer in floating) else len(floating)


def _why(subject: Subject, device: tuple[int, int]) -> str:
    """Returns why no lower type was taken, as far as the log tells; empty: one was allowed."""
    allowed = set(subject.facts.precisions)
    if allowed:
        if allowed == {"FP32", "INT8"}:
            return "the build allowed INT8, but not FP16"
        alone = allowed == {"FP32"} and device >= _WITH_CORES
        return "the build allowed FP32 alone" if alone else ""
    known = [dtype for layer in subject.multiplying if (dtype := subject.dtype(layer))]
    are_few = len(known) < max(_LEAST_PRODUCTS, len(subject.multiplying))
    if device < _WITH_CORES or (are_few and not _timed_in_float(subject)):
        return ""
    used = {subject.dtype(layer) or "" for layer in subject.layers if computes(layer)}
    lower = set(filter(_LOWER.fullmatch, used))
    if not lower:
        return "nothing in the engine computes in a lower type"
    return "INT8 is used, and FP16 nowhere" if lower == {"Int8"} else ""


def _timed_in_float(subject: Subject) -> bool:
    """Whether the builder timed all that multiplies, and nothing in a type below Float."""
    tuned = {layer.index: subject.tuned(layer).combinations for layer in subject.layers}
    timed = all(tuned[layer.index] for layer in subject.multiplying)
    every = (each.formats or "" for each in chain.from_iterable(tuned.values()))
    return timed and not any(map(_LOWER.search, every))


def _is_float(subject: Subject, layer: Layer) -> bool:
    return computes(layer) and subject.dtype(layer) == "Float"


def _ends(subject: Subject) -> str:
    """Returns what to say where ends in Half hide that the engine computes in Float."""
    types = {tensor.dtype for layer in subject.layers for tensor in _at_ends(subject, layer)}
    return "; FP16 at its inputs or outputs does not change that" if "Half" in types else ""


def _at_ends(subject: Subject, layer: Layer) -> Iterator[Tensor]:
    inputs, outputs = subject.engine.graph.inputs, subject.engine.graph.outputs
    yield from (tensor for tensor in layer.inputs if tensor.name in inputs)
    yield from (tensor for tensor in layer.outputs if tensor.name in outputs)


def _advice(subject: Subject) -> str:
    if not trtexec.has_flag(subject.engine, "--fp16") or subject.facts.strongly_typed:
        return _MODEL
    return _FLAG.format(_FLAGS.get(subject.frontend.source, _OF_BUILDER))


def _is_tiny(subject: Subject, layer: Layer) -> bool:
    """Whether a layer takes long for other reasons than what it computes and moves."""
    done, ms = subject.work_of(layer), subject.ms(layer)
    needed = done.bound_ms
    macs = done.macs if subject.multiplies(layer) else 0
    if needed is None and macs is not None and done.bytes is not None:
        needed = max(2 * macs / _LEAST_FLOPS, done.bytes / _LEAST_BANDWIDTH) * 1e3
    # In a CUDA graph a short kernel does not wait for its launch.
    took = mean_of_kernels(subject) if ms is None and not has_cuda_graph(subject) else ms
    if done.bound_ms is None and took is not None and took < _SHORTEST_MS:
        return True
    if needed is None:
        return False
    return needed < (NOISE_MS if ms is None else ms * _LEAST_USE)
