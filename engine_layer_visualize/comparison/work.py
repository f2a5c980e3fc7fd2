"""What a layer's record shows of its work, and whether the work of two layers may be one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import extents, kinds
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.analysis.sizes import Convolution
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.snapshot import KEPT_WEIGHTS

Shape = tuple[int, ...]
Weights = tuple["str | None", ...]  # count, kernel, stride, groups

COMPILED: Final = frozenset(("myelin", "kgen", "runtime_fusion", "runtime_function"))
_AFFIXES: Final = re.compile(r"\A(?:Cask|Cudnn|Cuda|Cublas|Tiled|Fused)+|(?:V\d+|Tiled)+\Z")
_POINTWISE: Final = ("pointwise", "elementwise", "activation", "scale", "unary")
_INNER: Final = {
    "correlation": "convolution", "avgpool": "pooling", "maxpool": "pooling",
    **dict.fromkeys(_POINTWISE, "pointwise"),
}  # fmt: skip


class Work(NamedTuple):
    """What a record shows of a layer's work; shapes are without batch and trailing ones.

    Nothing, where a file has times and no listing.
    """

    operator: str
    output: Shape  # of the first output
    inputs: tuple[Shape, ...]
    weights: Weights | None  # what is known of them
    next: tuple[str, ...] = ()  # operators that read it, which tell the branches of a block apart

    @property
    def known(self) -> bool:
        """Whether the record shows a tensor."""
        return bool(self.output or self.inputs)

    @property
    def is_compiled(self) -> bool:
        """Whether it may be any operator, or several."""
        return self.operator in COMPILED

    def may_be(self, other: Work) -> bool:
        """Whether two operators may be one: what was compiled may be any."""
        same = self.operator == other.operator or self.multiplies_as(other)
        return same or self.is_compiled or other.is_compiled

    def multiplies_as(self, other: Work) -> bool:
        """Whether both multiply: a fully connected layer may run as a convolution."""
        return {self.operator, other.operator} <= {"convolution", "product"}

    def contradicts(self, other: Work) -> bool:
        """Whether two layers cannot have the same weights."""
        both = zip(self.weights or (), other.weights or ())
        return any(m != n and m is not None and n is not None for m, n in both)

    def is_same_product(self, other: Work) -> bool:
        """Whether both may be one matrix product, whose rows are flattened into the batch."""
        a, b = self.output, other.output
        if not self.multiplies_as(other) or len(a) == len(b) or not a or not b:
            return False
        depths = [[shape[-1] for shape in work.inputs[:1] if shape] for work in (self, other)]
        known = len(depths[0]) == 1 and depths[0] == depths[1] and min(depths[0]) > 0
        return known and a[-1] == b[-1] > 0


def operator(layer: Layer) -> str:
    """What the layer computes, in a word that does not depend on how it is implemented."""
    if is_myelin(layer):
        return "myelin"
    return kinds.operation_of(layer) or _plain(layer.type)


@lru_cache(maxsize=1 << 12)
def _plain(type: str) -> str:
    word = (_AFFIXES.sub("", type) or type).casefold()
    return _INNER.get(word, word)


def shape(tensor: Tensor) -> Shape:
    """The extents without batch and trailing ones; an unknown extent is -1."""
    return _without_batch(tensor.shape)


@lru_cache(maxsize=1 << 12)
def _without_batch(extents: Shape) -> Shape:
    dims = [max(extent, -1) for extent in extents]
    dims = dims[1:] if len(dims) > 1 else dims
    while dims and dims[-1] == 1:
        dims.pop()
    return tuple(dims)


@lru_cache(maxsize=1 << 16)
def alike(a: Shape, b: Shape) -> bool:
    """Whether two shapes may be equal."""
    return a == b or (len(a) == len(b) and all(m == n or m < 0 or n < 0 for m, n in zip(a, b)))


def weights(layer: Layer) -> Weights | None:
    """What is known of the layer's weights: count, kernel, stride, groups."""
    if not layer.attributes:
        return None
    known = dict(layer.attributes)
    if isinstance(kept := known.get(KEPT_WEIGHTS), list):
        return tuple(map(_text, kept))
    for prefix in ("", "Conv"):
        listed = known.get(f"{prefix}Weights")
        count = listed.get("Count") if isinstance(listed, dict) else None
        if count:
            more = (known.get(prefix + key) for key in ("Kernel", "Stride", "Groups"))
            return (str(count), *map(_text, more))
    if "Constants" in known:  # a record of Myelin, which may pad what it stores
        convolution = extents.of(layer)
        if isinstance(convolution, Convolution) and convolution.kernel is not None:
            return (None, _text(list(convolution.kernel)), None, _text(convolution.groups))
    return None


def _text(value: JsonValue) -> str | None:
    """`[3, 3]` and `[3,3]` alike."""
    return None if value is None else str(value).replace(" ", "")
