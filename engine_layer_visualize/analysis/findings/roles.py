"""A `Layer` in; the part that it plays in a graph out: pointwise, layout, softmax, product.

By its record and its ONNX operators alone. Myelin's kernels tell theirs by name
(`__myl_ResTran_myl0_1`).
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.analysis import operations
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.model import Layer

LAUNCH_MS: Final = 0.005  # a layer that is shorter spends its time on being launched

_POINTWISE: Final = ("PointWise", "ElementWise", "Elementwise", "Activation", "Unary")
_LAYOUT: Final = ("Shuffle", "Transpose", "Squeeze", "Unsqueeze", "Reshape")
_KERNEL: Final = "__myl_"
_STEPS: Final = re.compile(r"__myl_((?:[A-Z][a-z]+)+)_myl\d")
_LAYOUT_STEPS: Final = re.compile(r"(?:Tran|Tra|Resh|Res|Move|Unsq|Sque)+")
_PRODUCTS: Final = frozenset({"Gemm", "MatMul", "Conv", "ConvTranspose", "Einsum"})
_PRODUCT_STEPS: Final = re.compile(r"Fc|Gemm|MatMul|Mm[A-Z]|Conv|Dot|Mha|Mul[Mm]at", re.ASCII)
# How TensorRT names the layout layers that it adds around its own convolutions.
_OWN: Final = (
    "reshape_before_",
    "reshape_after_",
    "squeeze_",
    "unsqueeze_node_",
    "unsqueeze_after",
)


def is_pointwise(layer: Layer) -> bool:
    """Whether each number of its output comes from one number of each input."""
    return layer.type.startswith(_POINTWISE)


def is_generated(layer: Layer) -> bool:
    """Whether it is a kernel that Myelin wrote, in which no product is seen."""
    if layer.type != "kgen" or _PRODUCTS.intersection(Subject.operators(layer)):
        return False
    steps = _STEPS.match(layer.name)
    return steps is not None and _PRODUCT_STEPS.search(steps[1]) is None


def moves_only(layer: Layer) -> bool:
    """Whether it gives the same numbers in another order or shape, with a kernel."""
    if layer.type == "kgen":
        steps = _STEPS.match(layer.name)
        return steps is not None and _LAYOUT_STEPS.fullmatch(steps[1]) is not None
    return layer.type.startswith(_LAYOUT)


def is_layout(layer: Layer) -> bool:
    """The same with or without a kernel; not the layers that TensorRT adds around products."""
    own = layer.name.startswith(_OWN)
    return not own and (layer.type == "NoOp" or moves_only(layer))


def is_product(layer: Layer) -> bool:
    """Whether it is a convolution or a matrix product, also one that Myelin runs alone."""
    if operations.multiplies(layer):
        return True
    if layer.type != "Myelin":
        return False
    found = Subject.operators(layer)
    return bool(found) and _PRODUCTS.issuperset(found)


def is_softmax(layer: Layer) -> bool:
    """Whether it computes a softmax and no product."""
    words = layer.type.casefold()
    if "softmax" in words:
        return "topk" not in words
    return is_generated(layer) and ("Softmax" in Subject.operators(layer) or _sums_exp(layer.name))


def _sums_exp(name: str) -> bool:
    return name.startswith(_KERNEL) and "Max" in name and "SubExpSum" in name
