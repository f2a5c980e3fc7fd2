"""A convolution has numbers of channels that do not fill the blocks of tensor cores.

**Found**: a convolution or deconvolution with one group reads more than 4 channels, and the number
that it reads or writes is no multiple of 8 (Half, BFloat16), of 16 (Int8) or of 4 (TF32). Channels
that Myelin appends, by a concatenation with a constant, do not count, nor those that the tensor's
format pads to a multiple already (Half channels last, in 8s). Silent where it has a single
row (one image of one pixel): that is a product with a vector, at the speed of the memory, and where
it has fewer filters than a block and no other such layer reads the same tensor.
A Gemm of the model that runs as a convolution is told in the words of H02, and so is a fully
connected layer in Float, a convolution of one pixel: TF32 kernels read its rows in 16 bytes, by 4.
Silent for it where the device or the newest kernel of the engine is older than TF32 (8.0).

**Why it costs**: the kernel computes whole blocks. The missing channels are computed as zeros, and
some kernels cannot be used at all. At stake is the part of the layer's time that the zeros take at
most: their part of its multiplications, and never more than the layer's time above its bound and
above a kernel's launch (5 µs). Less than 1 µs is the timer's noise: no finding of its own.

**What to do**: train with the next multiple (50 -> 56; for Int8 best one of 32): the zeros become
results. Where several layers of few filters read the same tensor, as the heads of a detector may,
let one convolution write all of their outputs: at stake is their time without the longest one's,
for each block of filters that it fills.

**When to leave it**: where the model cannot be trained again, or where the layers wait for the
memory: more channels are more bytes.

**Example**:

    Name: conv, LayerType: CaskConvolution, Inputs: [ { Name: x, Dimensions: [1,50,56,56], … Half

**Versions**: detailed listings: a classic one has no groups.

**Severity**: hint.

**Sources**: TREx: the linter for tensor cores; NVIDIA deep learning performance documentation:
convolutional layers; NVIDIA/TensorRT issue 3876.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.alignment import Way, is_flat_product, unaligned
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rules.h02_gemm_unaligned import OF_PRODUCTS
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_ADVICE: Final[dict[Way, str]] = {
    "pad": "train with padded channels ({})",
    "join": "let one convolution write the outputs of all that read the same tensor: alone, each "
    "leaves most of a block empty",
}


_PRODUCTS: Final = frozenset(("Gemm", "MatMul"))


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all convolutions with the same odd numbers, or with few filters."""
    by_product: dict[bool, list[Layer]] = {False: [], True: []}
    for layer in subject.convolving:
        by_product[_is_product(subject, layer)].append(layer)
    yield from unaligned(subject, RULE, ("C", "K", "channel"), by_product[False], _ADVICE)
    yield from unaligned(subject, RULE, ("K", "N", "feature"), by_product[True], OF_PRODUCTS)


def _is_product(subject: Subject, layer: Layer) -> bool:
    """Whether the model has a product that the builder runs as a convolution."""
    if is_flat_product(subject, layer):
        return True
    named = any(map(layer.name.__contains__, _PRODUCTS))
    if not named and _PRODUCTS.isdisjoint(subject.known(layer).onnx_operators):
        return False  # most
    operators = subject.operators(layer)
    return bool(operators) and _PRODUCTS.issuperset(operators)
