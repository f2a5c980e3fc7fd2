"""A convolution has numbers of channels that do not fill the blocks of tensor cores.

**Found**: a convolution or deconvolution with one group reads more than 4 channels, and the number
that it reads or writes is no multiple of 8 (Half, BFloat16), of 16 (Int8) or of 4 (TF32).

**Why it costs**: the kernel computes whole blocks. The missing channels are computed as zeros, and
some kernels cannot be used at all. The time at stake is that of the zeros.

**What to do**: train with the next multiple (50 -> 56; for Int8 best one of 32). Where each
layer has few filters, as in the heads of a detector, let one convolution write several of them.

**Example**:

    Name: conv, LayerType: CaskConvolution, Inputs: [ { Name: x, Dimensions: [1,50,56,56], … Half

**Versions**: detailed listings: a classic one has no groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.alignment import unaligned
from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "H01",
    "channels-unaligned",
    "hint",
    "A convolution has numbers of channels that do not fill the blocks of tensor cores.",
    (
        "TREx: the linter for tensor cores",
        "NVIDIA deep learning performance documentation: convolutional layers",
        "NVIDIA/TensorRT issue 3876",
    ),
)
_FEW: Final = (
    "where several read the same channels, let one convolution write all of their outputs: alone, "
    "each leaves most of a block empty"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all convolutions with the same odd numbers."""
    return unaligned(subject, RULE, ("C", "K", "channel"), subject.convolving, _advice)


def _advice(padded: str, few: bool) -> str:
    return _FEW if few else f"train with padded channels ({padded})"
