"""Tells the part that a layer plays in a graph: pointwise, layout, softmax, product.

Its record and its ONNX operators tell that. Myelin's kernels tell theirs by name
(`__myl_ResTran_myl0_1`).
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis.layer_kinds import SERVING, kind
from engine_layer_visualize.analysis.work import myelin
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import myelin_kernels

_POINTWISE: Final = ("PointWise", "ElementWise", "Elementwise", "Activation", "Unary")
_LAYOUT: Final = ("Shuffle", "Transpose", "Squeeze", "Unsqueeze", "Reshape")
_LAYOUT_WORDS: Final = frozenset({"Tran", "Resh", "Res", "Move", "Perm", "Sque", "Unsq", "Flat"})
_PRODUCTS: Final = frozenset({"Gemm", "MatMul", "Conv", "ConvTranspose", "Einsum"})
_TAIL: Final = frozenset({"Add", "Relu", "Clip", "LeakyRelu"})  # a bias and what TensorRT fuses
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
    """Whether it is a kernel that Myelin wrote, and that holds no product."""
    return layer.type == "kgen" and myelin.has_no_products(layer)


def moves_only(layer: Layer) -> bool:
    """Whether it gives the same numbers in another order or shape, with a kernel."""
    if layer.type == "kgen":
        words = myelin_kernels.words(layer.name)
        return bool(words) and _LAYOUT_WORDS.issuperset(words)
    return layer.type.startswith(_LAYOUT)


def passes_on(layer: Layer) -> bool:
    """Whether it gives the same numbers in another type, format, order or shape, or as they are."""
    return kind(layer) in SERVING or layer.type in ("Identity", "copy") or moves_only(layer)


def is_layout(layer: Layer) -> bool:
    """Whether it changes an order or a shape, with a kernel or without.

    The layers that TensorRT adds around products do not count.
    """
    return (moves_only(layer) or _is_view(layer)) and not layer.name.startswith(_OWN)


def _is_view(layer: Layer) -> bool:
    """Whether it gives another shape without a kernel.

    A NoOp may be a cast that changes nothing, too.
    """
    if layer.type != "NoOp" or not layer.inputs or not layer.outputs:
        return False
    return layer.inputs[0].dims != layer.outputs[0].dims


def is_product(subject: Subject, layer: Layer) -> bool:
    """Whether it is a convolution or a matrix product, also one that Myelin runs alone."""
    if subject.multiplies(layer):
        return True
    if layer.type != "Myelin":
        return False
    operators = subject.operators(layer)
    return bool(operators) and _PRODUCTS.issuperset(operators)


def product_before(subject: Subject, layer: Layer) -> Layer | None:
    """Returns the product that writes for a pointwise layer alone; None where there is none."""
    for writer in subject.writers(layer):
        if is_product(subject, writer) and subject.only_reader(writer) is layer:
            return writer
    return None


def is_tail(subject: Subject, layer: Layer, product: Layer) -> bool:
    """Whether a pointwise layer is only what TensorRT can fuse into its product.

    That is the product's own bias, or an added constant, and an activation that TensorRT fuses: no
    model has them in a better place.
    """
    if len(subject.computed(layer)) > 1:
        return False
    nodes, operators = subject.nodes(layer), subject.operators(layer)
    whole = subject.nodes(product)
    if not nodes or len(nodes) != len(operators):
        return bool(operators) and _TAIL.issuperset(operators)
    return all(node in whole or operator in _TAIL for node, operator in zip(nodes, operators))


def is_softmax(layer: Layer) -> bool:
    """Whether it computes a softmax and no product."""
    words = layer.type.casefold()
    if "softmax" in words:
        return "topk" not in words
    return is_generated(layer) and "SubExpSum" in layer.name
