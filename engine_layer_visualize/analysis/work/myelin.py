"""A record inside a Myelin layer in; whether it multiplies, by the operations that its name lists.

`__myl_MaxrSubExpSumDiv_myl0_11` is a kernel of five operations, each by its first letters.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.myelin_operations import (
    MULTIPLIED,
    OTHERS,
    POINTWISE,
    READ_IN_PART,
)

_NAME: Final = re.compile(r"__myl_((?:[A-Z][a-z0-9]*)+)_myl[0-9]+_[0-9]+\Z")
_WORD: Final = re.compile(r"[A-Z][a-z0-9]*")
_FUSED: Final = frozenset({"kgen", "fusion", "runtime_fusion"})


def words(layer: Layer) -> tuple[str, ...]:
    """The operations that the name of a generated kernel lists; () of any other layer."""
    match = _NAME.fullmatch(layer.name) if layer.name.startswith("__myl_") else None
    return tuple(_WORD.findall(match[1])) if match else ()


def multiplied(layer: Layer) -> Literal["product", "convolution"] | None:
    """What a kernel multiplies, where it is one product or convolution and element-wise
    operations."""
    if layer.type not in _FUSED:
        return None
    several = [MULTIPLIED[word] for word in words(layer) if word in MULTIPLIED]
    others = all(word in MULTIPLIED or word in POINTWISE for word in words(layer))
    return several[0] if len(several) == 1 and others else None


def adds_only(layer: Layer) -> bool:
    """Whether the name lists no operation that multiplies matrices, nor an unknown one."""
    known = words(layer)
    return bool(known) and all(word in POINTWISE or word in OTHERS for word in known)


def reads_in_part(layer: Layer) -> bool:
    """Whether it may read only a part of what it names."""
    return any(word in READ_IN_PART for word in words(layer))
