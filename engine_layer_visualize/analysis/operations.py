"""A `Layer` in; the `Operation` that it computes out: a convolution, a matrix product, pooling.

By its record alone: the type, and the parameters of a detailed listing. A layer that Myelin made of
several operators has none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.core.model import Layer

Operation = Literal["convolution", "deconvolution", "product", "pooling"]

# Deconvolutions first: `GemmDeconvolution` has the parameters of a convolution.
_TYPES: Final[tuple[tuple[Operation, re.Pattern[str]], ...]] = (
    ("deconvolution", re.compile(r"Deconv", re.IGNORECASE)),
    ("convolution", re.compile(r"Conv(?!ert)|\Acorrelation", re.IGNORECASE)),
    ("product", re.compile(r"MatrixMultiply|MatMul|FullyConnected|\Agemm", re.IGNORECASE)),
    ("pooling", re.compile(r"Pooling", re.IGNORECASE)),
)


def of(layer: Layer) -> Operation | None:
    """None where the record shows none of these, or where Myelin compiled the layer."""
    if is_myelin(layer) or layer.raw is not None:
        return None
    return _named(layer.type) or next(
        (_named(str(words)) for key, words in layer.attributes if key == "ParameterType"), None
    )


@lru_cache(maxsize=1 << 10)
def _named(words: str) -> Operation | None:
    """The operation that a type names."""
    return next((operation for operation, pattern in _TYPES if pattern.search(words)), None)


def multiplies(layer: Layer) -> bool:
    """Whether a layer is a convolution, a deconvolution or a matrix product."""
    return of(layer) in ("convolution", "deconvolution", "product")
