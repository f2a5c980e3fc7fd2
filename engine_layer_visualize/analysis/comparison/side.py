"""Prepares an engine to be compared.

Its `Costs` in; the role of each layer, its keys, and what its record shows of its work out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import operations
from engine_layer_visualize.analysis.comparison import keys
from engine_layer_visualize.analysis.comparison.keys import Keys
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_kinds import is_myelin, is_reformat
from engine_layer_visualize.analysis.work import extents, macs
from engine_layer_visualize.analysis.work.onnx_lines import Model
from engine_layer_visualize.analysis.work.sizes import Convolution
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor

Role = Literal["computes", "moves", "serves", "overhead", "absent"]
Shape = tuple[int, ...]
Weights = tuple["str | None", ...]  # count, kernel, stride, groups

_OVERHEAD: Final = frozenset(
    (
        *("constant", "shape_call", "shapehosttodevice", "devicetoshapehost", "trainstation"),
        *("signal", "wait", "jmp", "cjmp", "memset"),
    )
)
_MOVES: Final = frozenset(("shuffle", "copy", "slice", "concat", "concatenation"))
_COPY: Final = re.compile(r"\[?(?:ShapeHostToDevice|DeviceTo?ShapeHost)Copy", re.IGNORECASE)
_AFFIXES: Final = re.compile(r"\A(?:Cask|Cudnn|Cuda|Cublas|Tiled|Fused)+|(?:V\d+|Tiled)+\Z")
_INNER: Final = {"correlation": "convolution", "avgpool": "pooling", "maxpool": "pooling"}
_POINTWISE: Final = ("pointwise", "elementwise", "activation", "scale", "unary")
_NO_KEYS: Final = Keys()
_FEW: Final = 4  # readers that are looked at
COMPILED: Final = frozenset(("myelin", "kgen", "runtime_fusion", "runtime_function"))


class Work(NamedTuple):
    """What a record shows of a layer's work: its operator; the first output's and all inputs'
    shapes without batch, vector part and trailing ones; of its weights what is known. `next`: the
    operators that read it, which tell the branches of a block apart."""

    operator: str
    output: Shape
    inputs: tuple[Shape, ...]
    weights: Weights | None
    next: tuple[str, ...] = ()


class Side:
    """An engine; `layers`: its layers, `role` what each is for the comparison."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.layers = costs.engine.layers
        self.role: tuple[Role, ...] = tuple(map(role, self.layers))

    def of_profile(self, number: int) -> Side:
        """The same with the layers of one optimisation profile; others are `absent`."""
        if len(self.costs.profiles) == 1:
            return self
        own = [self.costs.profile_of(layer) == number for layer in self.layers]
        part = copy(self)
        part.role = tuple(role if here else "absent" for role, here in zip(self.role, own))
        part.keys = tuple(keys if here else _NO_KEYS for keys, here in zip(self.keys, own))
        return part

    @cached_property
    def work(self) -> tuple[Work, ...]:
        """Of each layer."""
        same: dict[Work, Work] = {}
        alone = list(map(work, self.layers))
        found = (own._replace(next=self._read_by(i, alone)) for i, own in enumerate(alone))
        return tuple(same.setdefault(own, own) for own in found)

    def _read_by(self, index: int, works: Sequence[Work]) -> tuple[str, ...]:
        """The operators that read a layer, past one reformat."""
        near = self.readers.get(index, ())
        past = (
            further
            for i in near[:_FEW]
            for further in (self.readers.get(i, ()) if self.role[i] == "serves" else (i,))
        )
        return tuple(sorted({works[i].operator for i in past}))[:_FEW]

    @cached_property
    def keys(self) -> tuple[Keys, ...]:
        """Of each layer; what only serves others has none."""
        return tuple(
            _NO_KEYS
            if self.role[layer.index] == "overhead" or is_reformat(layer)
            else keys.of(layer)
            for layer in self.layers
        )

    @cached_property
    def readers(self) -> dict[int, list[int]]:
        """The layers that read what a layer writes."""
        return self._next(forward=True)

    @cached_property
    def writers(self) -> dict[int, list[int]]:
        """The layers that write what a layer reads."""
        return self._next(forward=False)

    def macs(self, indices: Sequence[int]) -> int | None:
        """How many multiplications with additions these layers are; None: unknown."""
        layers = [self.layers[i] for i in indices]
        known = [macs.of(layer, extents.of(layer), self._model) for layer in layers]
        numbers = [number for number in known if isinstance(number, int)]
        return sum(numbers) if len(numbers) == len(known) else None

    @cached_property
    def _model(self) -> Model:
        return macs.model(self.costs.engine)

    def _next(self, forward: bool) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for edge in self.costs.engine.graph.edges:
            if edge.source is not None and edge.target is not None:
                near, far = (edge.source, edge.target) if forward else (edge.target, edge.source)
                found.setdefault(near, []).append(far)
        return found


def role(layer: Layer) -> Role:
    """`serves`: a reformat or a no-op; `moves`: a layer that only rearranges; `overhead`: what
    runs for no layer of the network; `absent`: it is of another optimisation profile."""
    kind = layer.type.casefold()
    if kind in _OVERHEAD or _COPY.search(layer.name[-200:]) is not None:
        return "overhead"
    if is_reformat(layer) or kind == "noop" or not layer.listed:
        return "serves"
    return "moves" if kind in _MOVES else "computes"


def work(layer: Layer) -> Work:
    """What the layer's record shows."""
    outputs = layer.outputs
    inputs = sorted({shape(tensor) for tensor in layer.inputs})
    return Work(
        operator(layer), shape(outputs[0]) if outputs else (), tuple(inputs), _weights(layer)
    )


def operator(layer: Layer) -> str:
    """What the layer computes, in a word that does not depend on how it is implemented."""
    if is_myelin(layer):
        return "myelin"
    return operations.of(layer) or _plain(layer.type)


def shape(tensor: Tensor) -> Shape:
    """Without batch and trailing ones; an unknown extent is -1."""
    dims = [max(extent, -1) for extent in tensor.shape]
    dims = dims[1:] if len(dims) > 1 else dims
    while dims and dims[-1] == 1:
        dims.pop()
    return tuple(dims)


@lru_cache(maxsize=1 << 16)
def alike(a: Shape, b: Shape) -> bool:
    """Whether two shapes may be equal."""
    return a == b or (len(a) == len(b) and all(m == n or m < 0 or n < 0 for m, n in zip(a, b)))


def contradict(a: Weights | None, b: Weights | None) -> bool:
    """Whether two layers cannot have the same weights."""
    if a is None or b is None:
        return False
    return any(m != n and m is not None and n is not None for m, n in zip(a, b))


@lru_cache(maxsize=1 << 12)
def _plain(type: str) -> str:
    word = (_AFFIXES.sub("", type) or type).casefold()
    return "pointwise" if word in _POINTWISE else _INNER.get(word, word)


def _weights(layer: Layer) -> Weights | None:
    if not layer.attributes:
        return None
    known = dict(layer.attributes)
    for prefix in ("", "Conv"):
        listed = known.get(f"{prefix}Weights")
        count = listed.get("Count") if isinstance(listed, dict) else None
        if count:
            more = (known.get(prefix + key) for key in ("Kernel", "Stride", "Groups"))
            return (str(count), *map(_text, more))
    if "Constants" in known:  # a record of Myelin, which may pad what it stores
        found = extents.of(layer)
        if isinstance(found, Convolution) and found.kernel is not None:
            return (None, _text(list(found.kernel)), None, _text(found.groups))
    return None


def _text(value: JsonValue) -> str | None:
    """`[3, 3]` and `[3,3]` alike."""
    return None if value is None else str(value).replace(" ", "")
