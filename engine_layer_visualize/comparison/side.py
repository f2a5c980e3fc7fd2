"""Prepares an engine to be compared: roles and keys of its layers, and what their work is."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from math import fsum
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import extents, kinds, macs, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_myelin, is_reformat, runs_kernel
from engine_layer_visualize.analysis.onnx_lines import Model
from engine_layer_visualize.analysis.sizes import Convolution
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.snapshot import KEPT_WEIGHTS
from engine_layer_visualize.trt.names import parts
from engine_layer_visualize.trt.operators import SCALE_NODE, is_weight, node_name, serves


class Keys(NamedTuple):
    """The names by which a layer is known again."""

    nodes: frozenset[str] = frozenset()  # of ONNX nodes
    weights: frozenset[str] = frozenset()


_Told = tuple[str, tuple[str, ...]]  # the name of a layer, and its ONNX nodes


def keys_of(layer: Layer, by_name: bool = False, seen: dict[_Told, Keys] | None = None) -> Keys:
    """The keys of a layer; a reformat, which is named after another layer, has none.

    Args:
        layer: the layer.
        by_name: nothing but its name, as the other engine may have nothing else.
        seen: the keys of layers so far: those of the other engine mostly have the same names.
    """
    known = origin.onnx_nodes_of(layer)
    listed = () if by_name else known.all or known.ends
    if seen is not None and (keys := seen.get((layer.name, listed))) is not None:
        return keys
    named = parts(layer.name)
    nodes, weights = _by_kind(named)
    if listed and listed != named:
        nodes = _by_kind(listed)[0]
    keys = Keys(nodes, weights)
    if seen is not None:
        seen[layer.name, listed] = keys
    return keys


def _by_kind(names: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of nodes, and those of weights.

    A reshape for another layer bears that one's name: it is that layer's where it is no other's.
    """
    nodes: list[str] = []
    weights: list[str] = []
    served: list[str] = []
    for name in names:
        if plain := node_name(name):
            names_of_kind = weights if is_weight(plain) else served if serves(name) else nodes
            names_of_kind.append(plain)
    return frozenset(nodes or served), frozenset(weights)


Role = Literal["computes", "moves", "serves", "overhead"]
Shape = tuple[int, ...]
Weights = tuple["str | None", ...]  # count, kernel, stride, groups

_OVERHEAD: Final = frozenset(
    (
        *("constant", "shape_call", "shapehosttodevice", "devicetoshapehost", "trainstation"),
        *("signal", "wait", "jmp", "cjmp", "memset"),
    )
)
_MOVES: Final = frozenset(("shuffle", "copy", "slice", "concat", "concatenation"))
_COPY: Final = re.compile(r"(?:shapehosttodevice|deviceto?shapehost)copy")
_QUANTISER: Final = re.compile(r"(?:\A|/)(?:Quantize|Dequantize)Linear(?:_\d+)?\Z")
_AFFIXES: Final = re.compile(r"\A(?:Cask|Cudnn|Cuda|Cublas|Tiled|Fused)+|(?:V\d+|Tiled)+\Z")
_INNER: Final = {"correlation": "convolution", "avgpool": "pooling", "maxpool": "pooling"}
_POINTWISE: Final = ("pointwise", "elementwise", "activation", "scale", "unary")
_NO_KEYS: Final = Keys()
_MAX_READERS: Final = 4  # readers that are looked at
_MAX_WALKED: Final = 32  # layers that are looked at around one
COMPILED: Final = frozenset(("myelin", "kgen", "runtime_fusion", "runtime_function"))


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


def beyond(
    near: Mapping[int, Sequence[int]], start: int, goes_on: Callable[[int], bool]
) -> Iterator[int]:
    """The next layers in one direction, through those where it goes on, the nearest first."""
    waiting, seen = deque(near.get(start, ())[:_MAX_WALKED]), {start}
    while waiting and len(seen) < _MAX_WALKED:
        i = waiting.popleft()
        if i in seen:
            continue
        seen.add(i)
        if goes_on(i):
            waiting += near.get(i, ())[:_MAX_WALKED]
        else:
            yield i


class EngineSide:
    """One of the engines that are compared."""

    def __init__(
        self, costs: Costs, by_name: bool = False, other: EngineSide | None = None
    ) -> None:
        self.costs = costs
        self.layers = costs.engine.layers
        self.members: Sequence[int] = range(len(self.layers))  # the layers that are compared
        self.ms: tuple[float | None, ...] = tuple(map(costs.of, self.layers))
        # Whether a layer runs a kernel whose time is not known.
        self.untimed: tuple[bool, ...] = tuple(
            ms is None and runs_kernel(layer) for ms, layer in zip(self.ms, self.layers)
        )
        self.role: tuple[Role, ...] = tuple(map(role_of, self.layers))
        self._seen: dict[_Told, Keys] = {} if other is None else other._seen
        # What only serves others has none.
        self.keys: tuple[Keys, ...] = tuple(
            _NO_KEYS
            if role == "overhead" or is_reformat(layer)
            else keys_of(layer, by_name, self._seen)
            for role, layer in zip(self.role, self.layers)
        )
        self.readers: dict[int, list[int]] = {}  # of what a layer writes
        self.writers: dict[int, list[int]] = {}  # of what a layer reads
        self.outputs: set[int] = set()  # the layers that write an output of the engine
        self._connect()
        self.work: tuple[Work, ...] = self._works()

    def _connect(self) -> None:
        profile = self.costs.profile_of
        for edge in self.costs.engine.graph.edges:
            a, b = edge.source, edge.target
            if a is not None and b is None:
                self.outputs.add(a)
            if a is None or b is None or profile(self.layers[a]) != profile(self.layers[b]):
                continue
            self.readers.setdefault(a, []).append(b)
            self.writers.setdefault(b, []).append(a)

    def _works(self) -> tuple[Work, ...]:
        same: dict[Work, Work] = {}
        operators = list(map(operator, self.layers))
        read_by: list[Sequence[str]] = [
            sorted({operators[i] for i in self.readers.get(index, ())})[:_MAX_READERS]
            if role == "serves"
            else (own,)
            for index, (role, own) in enumerate(zip(self.role, operators))
        ]
        works = []
        for index, (layer, own) in enumerate(zip(self.layers, operators)):
            past = {word for i in self.readers.get(index, ())[:_MAX_READERS] for word in read_by[i]}
            outputs = layer.outputs
            work = Work(
                own,
                shape(outputs[0]) if outputs else (),
                tuple(sorted({shape(tensor) for tensor in layer.inputs})),
                weights(layer),
                tuple(sorted(past)[:_MAX_READERS]),
            )
            works.append(same.setdefault(work, work))
        return tuple(works)

    @cached_property
    def by_profile(self) -> dict[int, list[int]]:
        """The layers of each optimisation profile."""
        layers: dict[int, list[int]] = {number: [] for number in self.costs.profiles}
        for layer in self.layers:
            layers[self.costs.profile_of(layer)].append(layer.index)
        return layers

    def of_profile(self, number: int) -> EngineSide:
        """The side with the layers of one optimisation profile."""
        part = copy(self)
        part.members = self.by_profile[number]
        return part

    def beyond(self, near: Mapping[int, Sequence[int]], start: int) -> Iterator[int]:
        """The next layers in one direction, through those that only serve, the nearest first."""
        return beyond(near, start, lambda i: self.role[i] == "serves")

    def sum(self, indices: Iterable[int]) -> float | None:
        """The sum of the known times in ms; None where none is known."""
        known = [ms for i in indices if (ms := self.ms[i]) is not None]
        return fsum(known) if known else None

    def main(self, indices: Sequence[int]) -> int:
        """The first of these layers that computes, else the first."""
        if len(indices) == 1:
            return indices[0]
        return next((i for i in indices if self.role[i] == "computes"), indices[0])

    def elements(self, index: int) -> int | None:
        """How many elements a layer's first output has, those of all samples; None: unknown."""
        outputs = self.layers[index].outputs
        return outputs[0].elements if outputs else None

    def macs(self, indices: Sequence[int]) -> int | None:
        """How many multiplications with additions these layers are; None: unknown."""
        layers = [self.layers[i] for i in indices]
        known = [macs.of(layer, extents.of(layer), self._model) for layer in layers]
        numbers = [number for number in known if isinstance(number, int)]
        return sum(numbers) if len(numbers) == len(known) else None

    @cached_property
    def _model(self) -> Model:
        return macs.model(self.costs.engine)


def role_of(layer: Layer) -> Role:
    """The role of a layer in a comparison.

    `serves`: a reformat, a no-op, or it only quantises; `moves`: it only rearranges; `overhead`: it
    runs for no layer of the network.
    """
    kind = layer.type.casefold()
    if kind in _OVERHEAD or _copies_shapes(layer.name[-200:].casefold()):
        return "overhead"
    if is_reformat(layer) or kind == "noop" or not layer.listed or quantises(layer):
        return "serves"
    return "moves" if kind in _MOVES else "computes"


def _copies_shapes(name: str) -> bool:
    return "copy" in name and _COPY.search(name) is not None


def quantises(layer: Layer) -> bool:
    """Whether a layer only changes between a quantised type and another: Q or DQ on its own."""
    if layer.type in ("Quantize", "Dequantize") or layer.name.endswith(SCALE_NODE):
        return True
    names = origin.onnx_nodes_of(layer).all if layer.type == "kgen" else ()
    if not names and "uantizeLinear" in layer.name:
        names = parts(layer.name)
    return bool(names) and all(map(_QUANTISER.search, names))


def operator(layer: Layer) -> str:
    """What the layer computes, in a word that does not depend on how it is implemented."""
    if is_myelin(layer):
        return "myelin"
    return kinds.operation_of(layer) or _plain(layer.type)


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


def contradict(a: Weights | None, b: Weights | None) -> bool:
    """Whether two layers cannot have the same weights."""
    if a is None or b is None:
        return False
    return any(m != n and m is not None and n is not None for m, n in zip(a, b))


@lru_cache(maxsize=1 << 12)
def _plain(type: str) -> str:
    word = (_AFFIXES.sub("", type) or type).casefold()
    return "pointwise" if word in _POINTWISE else _INNER.get(word, word)


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
