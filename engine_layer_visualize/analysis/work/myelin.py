"""Tells whether a record inside a Myelin layer multiplies, by what its name lists."""

from __future__ import annotations

from typing import Final, Literal

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.myelin_kernels import (
    CONVOLUTION,
    OTHERS,
    POINTWISE,
    PRODUCT,
    READ_IN_PART,
    SUMS,
    words,
)

_FUSED: Final = frozenset({"kgen", "fusion", "runtime_fusion"})


def multiplied(layer: Layer) -> Literal["product", "convolution"] | None:
    """Whether a kernel is a matrix product or a convolution.

    None unless its name lists exactly one of them, and else element-wise operations alone.
    """
    if layer.type not in _FUSED:
        return None
    named = words(layer.name)
    not_pointwise = [word for word in named if word not in POINTWISE]
    if not_pointwise == [PRODUCT]:
        return "product"
    return "convolution" if not_pointwise == [CONVOLUTION] else None


def has_no_products(layer: Layer) -> bool:
    """Whether all operations of the name are known and none multiplies matrices."""
    named = words(layer.name)
    known = bool(named) and all(word in POINTWISE or word in OTHERS for word in named)
    return known and not sums_products(layer)


def sums_products(layer: Layer) -> bool:
    """Whether it may be a product of matrices, written as a multiplication and a sum.

    Myelin does so with a product of few rows. A sum right behind Exp is of a softmax.
    """
    multiplied, before = False, ""
    for word in words(layer.name):
        if word in SUMS and multiplied and before != "Exp":
            return True
        multiplied = multiplied or word == "Mul"
        before = before if word == "Cast" else word
    return False


def is_one_sum(layer: Layer) -> bool:
    """Whether it is a multiplication and a sum, and element-wise operations."""
    not_pointwise = [word for word in words(layer.name) if word not in POINTWISE]
    return len(not_pointwise) == 1 and sums_products(layer)


def reads_in_part(layer: Layer) -> bool:
    """Whether it may read only a part of its inputs."""
    return any(word in READ_IN_PART for word in words(layer.name))
