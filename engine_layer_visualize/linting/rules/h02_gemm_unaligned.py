"""A matrix product has extents that do not fill the blocks of tensor cores.

**Found**: the inner extent K or the width N of a matrix product is no multiple of 8 (Half,
BFloat16), of 16 (Int8) or of 4 (TF32), and K is more than 4. Silent where it has one row: a
product with a vector does not run on tensor cores, and waits for the weights. Silent, too, where
both factors are computed, as in attention: then the odd number may be one of tokens, and padded
tokens would change the results of a Softmax.

**Why it costs**: as for convolutions (H01): zeros are computed, and kernels that need aligned rows
cannot be used. What is at stake is found as there.

**What to do**: pad the features (1001 classes -> 1008, a vocabulary of 50257 -> 50264), and leave
the additional results out, before a Softmax reads them.

**When to leave it**: where the product has few rows and waits for its weights: more features are
more bytes.

**Example**:

    Layer(MatrixMultiply): fc, Tactic: 0x1, x[Half(64,2048)], w[Half(2048,1001)] -> y[Half(64,1001)]

**Versions**: all.

**Severity**: hint.

**Sources**: NVIDIA deep learning performance documentation: matrix multiplication; NVIDIA
trt-samples-for-hackathon-cn cookbook: AlignSize.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis import sizes
from engine_layer_visualize.linting.alignment import Way, unaligned
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
OF_PRODUCTS: Final[dict[Way, str]] = {
    "pad": "pad the features of the model ({}) and leave out the additional results, before any "
    "Softmax"
}


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all products with the same odd numbers."""
    fused = (layer for layer in subject.layers if sizes.multiplied(layer) == "product")
    products = (layer for layer in subject.multiplying if subject.operation(layer) == "product")
    return unaligned(subject, RULE, ("K", "N", "feature"), chain(products, fused), OF_PRODUCTS)
