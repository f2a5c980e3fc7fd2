"""Tells the operation that a layer computes: a convolution, a matrix product, pooling.

By its record alone: the type, and the parameters of a detailed listing. A layer that Myelin made of
several operators has none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import is_foreign

Operation = Literal["convolution", "deconvolution", "product", "pooling"]

# Deconvolutions first: `GemmDeconvolution` has the parameters of a convolution.
_TYPES: Final[tuple[tuple[Operation, re.Pattern[str]], ...]] = (
    ("deconvolution", re.compile(r"Deconv", re.IGNORECASE)),
    ("convolution", re.compile(r"Conv(?!ert)|\Acorrelation", re.IGNORECASE)),
    ("product", re.compile(r"MatrixMultiply|MatMul|FullyConnected|\Agemm", re.IGNORECASE)),
    ("pooling", re.compile(r"Pooling", re.IGNORECASE)),
)

MULTIPLYING: Final = frozenset(("convolution", "deconvolution", "product"))


def of(layer: Layer) -> Operation | None:
    """The operation of a layer.

    It is None where the record shows none of these, or where Myelin compiled the layer.
    """
    operation = _named(layer.type)
    if operation is None:
        for key, words in layer.attributes:
            if key == "ParameterType":
                operation = _named(str(words))
                break
    if operation is None or layer.raw is not None or is_foreign(layer.name):
        return None
    return operation


@lru_cache(maxsize=1 << 10)
def _named(words: str) -> Operation | None:
    """The operation that a type names."""
    return next((operation for operation, pattern in _TYPES if pattern.search(words)), None)
