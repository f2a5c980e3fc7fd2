"""What is compared: the work, roles and keys of an engine's layers, and what is matched so far."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import extents, kinds, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_myelin, is_reformat, runs_kernel
from engine_layer_visualize.analysis.sizes import Convolution
from engine_layer_visualize.comparison.result import Confidence
from engine_layer_visualize.core.limits import by_key, sum_of_known
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.snapshot import KEPT_WEIGHTS
from engine_layer_visualize.trt.names import myelin_index, parts
from engine_layer_visualize.trt.operators import SCALE_NODE, is_weight, node_name, serves

Shape = tuple[int, ...]
Weights = tuple["str | None", ...]  # count, kernel, stride, groups

COMPILED: Final = frozenset(("myelin", "kgen", "runtime_fusion", "runtime_function"))
_AFFIXES: Final = re.compile(r"\A(?:Cask|Cudnn|Cuda|Cublas|Tiled|Fused)+|(?:V\d+|Tiled)+\Z")
_INNER: Final = {
    **{"correlation": "convolution", "avgpool": "pooling", "maxpool": "pooling"},
    **dict.fromkeys(("elementwise", "activation", "scale", "unary"), "pointwise"),
}


class Work(NamedTuple):
    """What a record shows of a layer's work; shapes are without batch and trailing ones.

    Nothing, where a file has times and no listing.
    """

    operator: str
    output: Shape  # of the first output
    inputs: tuple[Shape, ...]
    weights: Weights | None  # what is known of them

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


def work_of(layer: Layer) -> Work:
    """The work that a record shows."""
    operator = "myelin" if is_myelin(layer) else kinds.operation_of(layer) or _plain(layer.type)
    output = shape(layer.outputs[0]) if layer.outputs else ()
    return Work(operator, output, tuple(sorted(set(map(shape, layer.inputs)))), weights(layer))


@lru_cache(maxsize=1 << 12)
def _plain(type: str) -> str:
    """The operator in a word that does not depend on how it is implemented."""
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


Role = Literal["computes", "moves", "serves", "overhead"]

_OVERHEAD: Final = {
    "constant", "shape_call", "shapehosttodevice", "devicetoshapehost", "trainstation", "signal",
    "wait", "jmp", "cjmp", "memset",
}  # fmt: skip
_MOVES: Final = frozenset(("shuffle", "copy", "slice", "concat", "concatenation"))
_COPY: Final = re.compile(r"(?:shapehosttodevice|deviceto?shapehost)copy")
_QUANTISER: Final = re.compile(r"(?:\A|/)(?:Quantize|Dequantize)Linear(?:_\d+)?(?:_clone_\d+)?\Z")
_MAX_WALKED: Final = 32  # layers that are looked at around one


def _keys_of(layer: Layer, role: Role, by_name: bool) -> frozenset[str]:
    """The ONNX nodes by which a layer is known again. What only serves others has none.

    `by_name`: nothing but its name, as the other engine may have nothing else; then each layer of
    the network has one.
    """
    if role == "overhead" or is_reformat(layer):
        return frozenset()
    if by_name:
        return _nodes(parts(layer.name)) or frozenset((layer.name,))
    known = origin.onnx_nodes_of(layer)
    return _nodes(known.all or known.ends or parts(layer.name))


@lru_cache(maxsize=1 << 14)  # the layers of the other engine mostly have the same names
def _nodes(names: tuple[str, ...]) -> frozenset[str]:
    """The names of nodes among these, but for those of weights.

    A reshape for another layer bears that one's name: it is that layer's where it is no other's.
    """
    known = [(name, node) for name in names if (node := node_name(name)) and not is_weight(node)]
    own = [node for name, node in known if not serves(name)]
    return frozenset(own or (node for _, node in known))


class EngineSide:
    """One of the engines that are compared."""

    def __init__(self, costs: Costs, called: str, by_name: bool = False) -> None:
        self.costs, self.called = costs, called
        self.layers = costs.engine.layers
        self.members: Sequence[int] = range(len(self.layers))  # the layers that are compared
        self.home: dict[int, int] = {}  # the match of each layer that is in one
        self.ms = list(map(costs.of, self.layers))
        # Whether a layer runs a kernel whose time is not known.
        self.untimed = [ms is None and runs_kernel(la) for ms, la in zip(self.ms, self.layers)]
        self.role = list(map(role_of, self.layers))
        self.keys = [_keys_of(la, role, by_name) for la, role in zip(self.layers, self.role)]
        self.readers: dict[int, list[int]] = {}  # of what a layer writes
        self.writers: dict[int, list[int]] = {}  # of what a layer reads
        self.outputs: set[int] = set()  # the layers that write an output of the engine
        profile = costs.profile_of
        for edge in costs.engine.graph.edges:
            a, b = edge.source, edge.target
            if a is not None and b is None:
                self.outputs.add(a)
            if a is None or b is None or profile(self.layers[a]) != profile(self.layers[b]):
                continue
            self.readers.setdefault(a, []).append(b)
            self.writers.setdefault(b, []).append(a)
        self.work = list(map(work_of, self.layers))
        self.writes = [frozenset(tensor.name for tensor in la.outputs) for la in self.layers]

    @cached_property
    def by_profile(self) -> dict[int, list[int]]:
        """The layers of each optimisation profile."""
        of = self.costs.of_profile
        return {n: [layer.index for layer in of(n).layers] for n in self.costs.profiles}

    def of_profile(self, number: int) -> EngineSide:
        """The side with the layers of one optimisation profile."""
        part = copy(self)
        part.members, part.home = self.by_profile[number], {}
        return part

    def free(self, *roles: Role) -> list[int]:
        """The layers of these roles that are in no match, in order."""
        return [i for i in self.members if self.role[i] in roles and i not in self.home]

    def beyond(
        self,
        near: Mapping[int, Sequence[int]],
        start: int,
        goes_on: Callable[[int], bool] | None = None,
    ) -> Iterator[int]:
        """The next layers in one direction, through those that only serve, the nearest first.

        `goes_on`: through those of which it is true, instead.
        """
        through = goes_on or (lambda i: self.role[i] == "serves")
        waiting, seen = deque(near.get(start, ())[:_MAX_WALKED]), {start}
        while waiting and len(seen) < _MAX_WALKED:
            i = waiting.popleft()
            if i in seen:
                continue
            seen.add(i)
            if through(i):
                waiting += near.get(i, ())[:_MAX_WALKED]
            else:
                yield i

    def sum(self, indices: Iterable[int]) -> float | None:
        """The sum of the known times in ms; None where none is known."""
        return sum_of_known(self.ms[i] for i in indices)

    def computing(self, indices: Iterable[int]) -> list[int]:
        """Those of these layers that compute."""
        return [i for i in indices if self.role[i] == "computes"]

    def units(self, indices: Iterable[int]) -> dict[int | None, list[int]]:
        """These layers by the Myelin layer that their names are kernels of; None: of none."""
        return by_key((myelin_index(self.layers[i].name), i) for i in indices)

    def has_whole_myelin(self, indices: Iterable[int]) -> bool:
        """Whether one of these is a Myelin layer as a whole, and not one of its kernels."""
        return any(self.work[i].operator == "myelin" for i in indices)

    def elements(self, index: int) -> int | None:
        """How many elements a layer's first output has, those of all samples; None: unknown."""
        outputs = self.layers[index].outputs
        return outputs[0].elements if outputs else None


Sides = tuple[EngineSide, EngineSide]


def role_of(layer: Layer) -> Role:
    """The role of a layer in a comparison.

    `serves`: a reformat, a no-op, or it only quantises; `moves`: it only rearranges; `overhead`: it
    runs for no layer of the network.
    """
    kind, end = layer.type.casefold(), layer.name[-200:].casefold()
    if kind in _OVERHEAD or ("copy" in end and _COPY.search(end)):
        return "overhead"
    if is_reformat(layer) or kind == "noop" or not layer.listed or quantises(layer):
        return "serves"
    return "moves" if kind in _MOVES else "computes"


def quantises(layer: Layer) -> bool:
    """Whether a layer only changes between a quantised type and another: Q or DQ on its own."""
    if layer.type in ("Quantize", "Dequantize") or layer.name.endswith(SCALE_NODE):
        return True
    names = origin.onnx_nodes_of(layer).all if layer.type == "kgen" else ()
    if not names and "uantizeLinear" in layer.name:
        names = parts(layer.name)
    return bool(names) and all(map(_QUANTISER.search, names))


class Match(NamedTuple):
    """Layers that belong together."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    confidence: Confidence

    @property
    def both(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The layers of A, and those of B."""
        return self.a, self.b


class Matches:
    """The matches so far; the two sides know in which of them each layer is."""

    def __init__(self, sides: Sides) -> None:
        self.sides = sides
        self.all: list[Match] = []

    def add(self, match: Match) -> None:
        """Adds a match of layers that are in none."""
        for side, own in zip(self.sides, match.both):
            side.home.update(dict.fromkeys(own, len(self.all)))
        self.all.append(match)

    def grow(self, number: int, side: int, more: Iterable[int], sure: Confidence) -> None:
        """Puts more layers of one side into a match."""
        both = [*self.all[number].both]
        both[side] = tuple(sorted({*both[side], *more}))
        self.all[number] = Match(both[0], both[1], sure)
        self.sides[side].home.update(dict.fromkeys(both[side], number))
