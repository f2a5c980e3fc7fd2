"""A convolution or matrix product in a narrow type runs on CUDA cores.

**Found**: a convolution, deconvolution or matrix product computes in less than 32 bits, its
kernel's name says that it does not use tensor cores, and the GPU has tensor cores for this type.
Where the log does not name the GPU, a kernel of another layer must show that. Depthwise
convolutions, and products with one row, are left out: tensor cores do not help them. So is a layer
for which a kernel on tensor cores was timed and was no faster: its shape does not suit them. Where
the listing has no groups, as a classic one, a convolution is taken for a depthwise one by its type
or its kernel's name alone.

**Why it costs**: tensor cores multiply these types at four or more times the speed of CUDA cores.
At stake is the layers' time without what they would take where they reach as much of the device as
this engine's best layer does, as P15 finds it; unknown without the device's figures.

**What to do**: make the channel counts multiples of 8 (Half, BFloat16) or of 16, better 32 (Int8):
H01 and H02 name them. Where they are already: a larger batch, and leave all `--tacticSources` on.
The flag is the same up to TensorRT 10.16 and from 11 on.

**When to leave it**: where the channels are those of a picture (3 or 4) and the layer takes little
of the time.

**Example**:

    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Half(8,3,64,64)] -> y[Half(8,50,64,64)]
    conv1 Set Tactic Name: ampere_fp16x2_hcudnn_fp16x2_128x64_relu_small_nn_v1 Tactic: 0x1

**Versions**: all that name kernels; GPUs from compute capability 7.0 on.

**Severity**: warning.

**Sources**: TREx, lint.py: tc_lint; NVIDIA documentation: deep learning performance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.extents import channels
from engine_layer_visualize.analysis.sizes import Convolution, Product
from engine_layer_visualize.core.layer_facts import Candidate
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.rule import finding, named, saved_together
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernels import architecture, on_tensor_cores

RULE: Final = described(__name__, __doc__)
# The first compute capability with tensor cores for a type.
_SINCE: Final = {
    "Half": (7, 0),
    "Int8": (7, 2),
    "BFloat16": (8, 0),
    "FP8": (8, 9),
    "FP4": (10, 0),
}
_BLOCKS: Final = {"Half": 8, "BFloat16": 8, "Int8": 32}
_PICTURE_CHANNELS: Final = 4
_GROUPED: Final = ("depthwise", "group")  # in types and kernels; classic listings have no groups
_ADVICE: Final = (
    "make the channel counts multiples of 8 (Half) or 32 (Int8), see H01 and H02; try a larger "
    "batch; leave all tactic sources on"
)
_ALIGNED: Final = "the channels fill the blocks: try a larger batch; leave all tactic sources on"
_PICTURE: Final = (
    "the channels of a picture are too few for tensor cores: fold pixels into channels "
    "(SpaceToDepth), or leave it"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all layers of the same type."""
    device = subject.compute_capability or _shown(subject)
    if device is None or subject.lacks_tensor_cores:
        return
    by_type: dict[tuple[str, str], list[Layer]] = defaultdict(list)
    for layer in subject.multiplying:
        if layer.kernel and on_tensor_cores(layer.kernel) is False:
            dtype = subject.dtype(layer)
            since = _SINCE.get(dtype or "")
            if dtype and since and device >= since and _suits(subject, layer):
                by_type[dtype, _advice(subject, layer, dtype)].append(layer)
    for (dtype, advice), layers in by_type.items():
        verb = plural(len(layers), "computes", "compute")
        words = f" {verb} in {dtype}, but not on tensor cores"
        evidence = [fact for layer in layers[:3] for fact in _evidence(subject, layer)]
        why = (*named(layers), words)
        most = saved_together(subject, layers)
        yield finding(subject, RULE, layers, why, advice, evidence, ms=most, part=None)


def _advice(subject: Subject, layer: Layer, dtype: str) -> str:
    sizes = channels(subject.extents(layer))
    if sizes is None or not sizes.read or not sizes.written:
        return _ADVICE
    if sizes.read <= _PICTURE_CHANNELS:
        return _PICTURE
    block = _BLOCKS.get(dtype, 0)
    aligned = block and not sizes.read % block and not sizes.written % block
    return _ALIGNED if aligned else _ADVICE


def _shown(subject: Subject) -> tuple[int, int] | None:
    """Returns the least compute capability of a GPU that runs these kernels on tensor cores."""
    kernels = {la.kernel for la in subject.multiplying if la.kernel and on_tensor_cores(la.kernel)}
    return max((made for kernel in kernels if (made := architecture(kernel))), default=None)


def _suits(subject: Subject, layer: Layer) -> bool:
    """Whether tensor cores could help: many rows, and channels that are multiplied together."""
    extents = subject.extents(layer)
    if isinstance(extents, Convolution):
        sizes = (extents.batch, *extents.after)
        read, written = extents.channels, extents.filters
        alone = extents.depthwise
        if extents.groups is None:
            words = f"{layer.type} {layer.kernel}".casefold()
            alone = not read or not written or any(word in words for word in _GROUPED)
    elif isinstance(extents, Product):
        sizes, alone = (extents.batch, extents.m), False
    else:
        return False
    if _no_faster(subject, layer):
        return False
    return not alone and any(size is not None and size > 1 for size in sizes)


def _evidence(subject: Subject, layer: Layer) -> Iterator[Evidence]:
    """Yields a layer's kernel, and the fastest one on tensor cores that was timed."""
    known = subject.known(layer)
    yield Evidence(f"kernel {layer.kernel}", dict(known.lines).get("kernel", layer.place.line))
    if (fastest := _timed(subject, layer)) is not None:
        text = f"timed on tensor cores: {fastest.kernel}, {milliseconds(fastest.ms)}"
        yield Evidence(text, dict(known.lines).get("candidates"))


def _timed(subject: Subject, layer: Layer) -> Candidate | None:
    """Returns the fastest kernel on tensor cores that was timed for a layer."""
    tuned = subject.known(layer).candidates
    others = (
        candidate
        for candidate in (*tuned.best, *tuned.combinations)
        if on_tensor_cores(candidate.kernel or "")
    )
    return min(others, key=lambda candidate: candidate.ms, default=None)


def _no_faster(subject: Subject, layer: Layer) -> bool:
    """Whether a kernel on tensor cores was timed, and was no faster than the one that runs."""
    chosen_ms, fastest = subject.known(layer).build_ms, _timed(subject, layer)
    return chosen_ms is not None and fastest is not None and fastest.ms >= chosen_ms
