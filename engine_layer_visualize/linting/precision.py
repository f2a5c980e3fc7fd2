"""Rules about layers in more bits than they need."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis import precisions, trtexec
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting import rules
from engine_layer_visualize.linting.roles import NOISE_MS, mean_of_kernels, saved_together
from engine_layer_visualize.linting.rules import Finding, finding, named, rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import is_foreign, myelin_index, without_profile
from engine_layer_visualize.trt.types import bits, canonical

_WIDE_BITS: Final = 32
# e.g. No implementation of layer a obeys the requested constraints in strict mode.
_NO_IMPLEMENTATION: Final = lazy(
    r"No implementation of layer (.*) obeys the requested constraints", re.DOTALL
)
# What the autotuner did, and what to try.
_TRIED: Final[Mapping[str, tuple[str, str]]] = {
    "faster": (
        "a lower precision was timed and was faster: the formats at its borders decided",
        "let the layers before and behind run in the lower precision, too",
    ),
    "never": (
        "no lower precision was timed",
        "see which constraint forbids a lower precision (trtexec: --layerPrecisions)",
    ),
    "inside": (  # Myelin chooses it, and no flag shows the times of others
        "no message says why",
        "convert the model to FP16 (AutoCast of Model Optimizer), and check the accuracy",
    ),
    "unknown": (
        "no message says why",
        "build without a timing cache, with --verbose: the log then has the times of every "
        "precision",
    ),
}


@rule("P01")
def higher_precision_compute(subject: Subject) -> Iterator[Finding]:
    """A convolution or matrix product computes in 32 bits where the build allowed fewer.

    **Found**: a convolution, deconvolution or matrix product computes in Float, and the build
    allowed FP16, BF16 or INT8. Silent where a precision was not kept, or a lower one was timed and
    was not faster.

    **Why it costs**: tensor cores multiply 16-bit types several times as fast as 32-bit types, and
    half the bytes are moved. What could be saved is estimated as for P15. Where a lower precision
    was timed and was faster, no saving is told.

    **What to do**: the message says what the autotuner did. A lower precision was faster, but not
    chosen: its reformats cost more, so let the neighbours run in it, too. None was timed: the
    layer's type or a constraint forbids it (up to TensorRT 10.16 `--layerPrecisions` and
    `--precisionConstraints` of trtexec). Nothing is known: build without a timing cache. From 11 on
    the types are the model's, and this rule finds nothing.

    **When to leave it**: where the accuracy needs 32 bits in these layers.

    **Example**:

        Precision: FP32+FP16
        Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

    **Versions**: weakly typed networks, TensorRT 7 to 10.

    **Severity**: warning.

    **Sources**: NVIDIA/TensorRT issues 4070, 3737, 4020.
    """
    lowest = min(filter(None, map(bits, subject.facts.precisions)), default=None)
    is_slow = (subject.compute_capability or _WITH_CORES) < _WITH_CORES and lowest == 16
    if lowest is None or (is_slow and not has_fast_half(subject)):
        return
    groups: dict[tuple[str, str], list[Layer]] = defaultdict(list)
    noted = _noted(subject)
    for layer in subject.multiplying:
        dtype = subject.dtype(layer) or ""
        if (bits(dtype) or 0) < max(_WIDE_BITS, lowest + 1) or layer.index in noted:
            continue
        reason: str = precisions.why_higher(layer, subject.tuned(layer))
        if reason == "unknown" and myelin_index(layer.name) is not None:
            reason = "inside"
        if reason in _TRIED:
            groups[dtype, reason].append(layer)
    allowed = ", ".join(subject.facts.precisions)
    names = filter(None, map(canonical, subject.facts.precisions))
    lower = [name for name in names if (bits(name) or _WIDE_BITS) < _WIDE_BITS]
    for (_, tried), layers in groups.items():
        told, todo = _TRIED[tried]
        verb = f"{plural(len(layers), 'computes', 'compute')} in {precisions.computed_in(layers)}"
        words = (*named(layers), f" {verb}, the build allowed {allowed}; {told}")
        evidence = [*map(rules.record, layers[:3]), *rules.precision_option(subject)]
        # Where reformats decided, kernels alone do not tell what is saved.
        ms = None if tried == "faster" else saved_together(subject, layers, lower)
        yield finding(subject, layers, words, todo, evidence, ms=ms)


def _noted(subject: Subject) -> set[int]:
    """Returns the layers of which the log says that they run in another precision than asked."""
    noted = {layer.index for layer in subject.layers if layer.known.precision_note}
    for _, match in subject.said(_NO_IMPLEMENTATION):
        if (layer := subject.by_name.get(without_profile(match[1]))) is not None:
            noted.add(layer.index)
    return noted


_WITH_CORES: Final = (7, 0)
_SHORTEST_MS: Final = 2 * LAUNCH  # of a layer on an unknown device: of less the launch takes most
_HALF: Final = lazy("Half|BFloat16")
_LOWER: Final = lazy("Half|BFloat16|Int8|FP8|FP4")
# A Jetson Xavier NX: FP32 on CUDA cores, and its memory.
_LEAST_FLOPS: Final = 0.8e12
_LEAST_BANDWIDTH: Final = 51.2e9


@rule("P15")
def precision_not_allowed(subject: Subject) -> Iterator[Finding]:
    """The engine computes in Float on a GPU that multiplies FP16 faster.

    **Found**: the build allowed FP32 alone, or FP32 and INT8, and layers compute in Float. Where
    the log has no options of the build, nothing in the listing may compute in a lower type. It then
    needs three convolutions or products and no timing in 16 bits, or timings in Float alone. The
    log's device, or the name of a kernel (`sm80_…`, `ampere_…`), shows a GPU with tensor cores, a
    P100, a Jetson Nano or TX2. A layer whose bound is less than a tenth of its time does not count:
    its launch takes the rest. A ForeignNode counts where the builder timed its kernels in Float
    alone. Where nothing tells the GPU, `lint` asks for `--device`.

    **Why it costs**: tensor cores multiply FP16 several times as fast as FP32, and half of the
    bytes are moved. With INT8 and without FP16, what cannot run in INT8 runs in FP32. What could be
    saved is estimated: in FP16 the layers use as much of the device as this engine's best one, at
    most 60 %. It is unknown without the device's figures, and for layers under 20 µs.

    **What to do**: up to TensorRT 10.16 allow FP16 (`trtexec --fp16`, `BuilderFlag.FP16`), and
    check the accuracy. From 11 on the types are the model's: convert the model by AutoCast of
    NVIDIA's Model Optimizer.

    **When to leave it**: where the accuracy needs FP32.

    **Example**:

        Precision: FP32
        Compute Capability: 8.6
        Layer(CaskConvolution): conv1, Tactic: 0x1, x[Float(1,8,4,4)] -> y[Float(1,8,4,4)]

    **Versions**: all.

    **Severity**: warning.

    **Sources**: TensorRT documentation: reduced precision; pytorch/TensorRT issue 93;
    NVIDIA/TensorRT issue 3197.
    """
    if not has_fast_half(subject):
        return
    why = _why(subject)
    floating = [layer for layer in subject.layers if _is_float(subject, layer)]
    floating = [layer for layer in floating if not _is_tiny(subject, layer)]
    products = [la for la in floating if subject.multiplies(la) or is_foreign(la.name)]
    # What else computes in Float does so for the same reason, but only its bytes become fewer.
    layers = floating if "INT8" in why else products
    if not why or not layers:
        return
    verb = plural(len(layers), "computes", "compute")
    words = (*named(layers), f" {verb} in {precisions.computed_in(layers)}: {why}")
    evidence = [*rules.precision_option(subject), *map(rules.record, layers[:2])]
    hidden = any(is_foreign(layer.name) for layer in layers)  # what of it, nothing prices
    most = None if hidden else saved_together(subject, products, ("Half",))
    yield finding(subject, layers, words, _advice(subject), evidence, ms=most)


def has_fast_half(subject: Subject) -> bool:
    """Returns whether the device is known to multiply FP16 faster than FP32."""
    device = subject.capability or (0, 0)
    is_able = device >= _WITH_CORES or device in ((5, 3), (6, 0), (6, 2))
    return is_able and not subject.lacks_tensor_cores


def unlisted(subject: Subject) -> Iterator[str]:
    """Yields what to allow where no Float layer is in the part of the listing that is there."""
    allows_int8 = {*subject.facts.precisions} == {"FP32", "INT8"}
    if subject.engine.source.complete or not allows_int8 or not has_fast_half(subject):
        return
    if not any(_is_float(subject, layer) for layer in subject.layers):
        advice = _advice(subject)
        yield f"{advice[0].upper()}{advice[1:]}: what is not in INT8 computes in Float."


def waiting(subject: Subject) -> int:
    """Returns how many convolutions and products compute in Float; 0 where the GPU is known.

    It is 0, too, where none of them would count on a GPU with tensor cores.
    """
    is_known = (subject.capability or ()) >= _WITH_CORES
    if is_known or subject.compute_capability or not _why(subject):
        return 0
    floating = [layer for layer in subject.multiplying if _is_float(subject, layer)]
    return 0 if all(_is_tiny(subject, layer) for layer in floating) else len(floating)


def _why(subject: Subject) -> str:
    """Returns why no lower type was taken, as far as the log tells; empty: one was allowed."""
    allowed = set(subject.facts.precisions)
    if allowed == {"FP32", "INT8"}:
        return "the build allowed INT8, but not FP16"
    if allowed:
        return "the build allowed FP32 alone" if allowed == {"FP32"} else ""
    known = [dtype for layer in subject.multiplying if (dtype := subject.dtype(layer))]
    # Of fewer than three, a listing alone tells nothing.
    if len(known) < max(3, len(subject.multiplying)) and not _timed_in_float(subject):
        return ""
    every = (la for la in subject.layers if precisions.computes(la) and la.type != "Cast")
    tuned = (each for la in every for each in subject.tuned(la).combinations)
    if any(_HALF.search(each.formats or "") for each in tuned):
        return ""  # it was allowed, and not faster
    used = {subject.dtype(layer) or "" for layer in subject.layers if precisions.computes(layer)}
    lower = set(filter(_LOWER.fullmatch, used))
    if not lower:
        return "no layer of the engine computes in a lower type"
    return "INT8 is used, and FP16 nowhere" if lower == {"Int8"} else ""


def _timed_in_float(subject: Subject) -> bool:
    """Whether the builder timed all that multiplies, and nothing in a type below Float."""
    tuned = {layer.index: subject.tuned(layer).combinations for layer in subject.layers}
    timed = all(tuned[layer.index] for layer in subject.multiplying)
    every = (each.formats or "" for each in chain.from_iterable(tuned.values()))
    return timed and not any(map(_LOWER.search, every))


def _is_float(subject: Subject, layer: Layer) -> bool:
    return precisions.computes(layer) and subject.dtype(layer) == "Float"


def _advice(subject: Subject) -> str:
    if not trtexec.has_flag(subject.engine, "--fp16") or subject.facts.strongly_typed:
        return "convert the model to FP16 (AutoCast of Model Optimizer), and check the accuracy"
    flag = "enabled_precisions" if subject.frontend.source == "torch" else "BuilderFlag.FP16"
    flag = "trtexec: --fp16" if subject.by_trtexec else flag
    return f"allow FP16 ({flag}), and check the accuracy"


def _is_tiny(subject: Subject, layer: Layer) -> bool:
    """Whether a layer takes long for other reasons than what it computes and moves."""
    done, ms = subject.work_of(layer), subject.ms(layer)
    needed = done.bound_ms
    multiplies = subject.multiplies(layer) or is_foreign(layer.name)
    macs = done.macs if multiplies else 0
    if needed is None and macs is not None and done.bytes is not None:
        needed = max(2 * macs / _LEAST_FLOPS, done.bytes / _LEAST_BANDWIDTH) * 1e3
    # In a CUDA graph a short kernel does not wait for its launch.
    took = mean_of_kernels(subject) if ms is None and not subject.has_cuda_graph else ms
    if done.bound_ms is None and took is not None and took < _SHORTEST_MS:
        return True
    return needed is not None and needed < (NOISE_MS if ms is None else ms * 0.1)
