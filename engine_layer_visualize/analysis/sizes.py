"""Defines the extents of what a layer multiplies, and finds numbers that a log has of them.

They stand in the keys of a layer's record. Those that the listing leaves open follow from the
shapes of inputs in trtexec's options; what is not certain, or contradicts what a layer's own
tensors say, is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import origin, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_reformat, operation_of
from engine_layer_visualize.core.limits import TOO_MANY, product
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.names import myelin_words
from engine_layer_visualize.trt.operators import OPERATORS, PRODUCTS, operators
from engine_layer_visualize.trt.types import canonical, holds_data

Ints = tuple[int, ...]
Sizes = tuple["int | None", ...]


class Convolution(NamedTuple):
    """N `batch`, C `channels`, K `filters`; `before`, `after`: its spatial extents, of any rank.

    `after` is what the convolution gives, before a pooling that is fused with it. A classic
    listing has neither `kernel` nor `groups` nor `stride`. `transposed`: a deconvolution. `input`:
    the number of the input that is convolved.
    """

    batch: int | None
    channels: int | None
    filters: int | None
    groups: int | None
    before: Sizes
    after: Sizes
    kernel: Ints | None = None
    stride: Ints | None = None
    padding: tuple[Ints, Ints] | None = None  # before and after each axis
    dilation: Ints | None = None
    transposed: bool = False
    input: int = 0

    @property
    def depthwise(self) -> bool:
        """Whether each channel is convolved alone."""
        return self.groups is not None and 1 < self.groups == self.channels


class Product(NamedTuple):
    """M×K times K×N, `batch` times. `inputs`: the numbers of those inputs that are multiplied."""

    batch: int | None
    m: int | None
    n: int | None
    k: int | None
    inputs: Ints = (0,)


class Unknown(NamedTuple):
    """What the record does not give, such as the extents of a product, and `why`."""

    why: str


Extents = Convolution | Product | Unknown

ON_DLA: Final = "the DLA runs it as one piece"


def is_data(tensor: Tensor) -> bool:
    """Whether it may hold data: the type is that of data, or not told."""
    return holds_data(tensor.dtype) is not False


def of_shape(shape: Ints) -> Sizes:
    """The extents of a shape; a negative one is unknown."""
    return shape if min(shape, default=0) >= 0 else tuple(map(of_extent, shape))


def of_extent(extent: int) -> int | None:
    """An extent; None where it is negative."""
    return extent if extent >= 0 else None


# ---- the further keys of a record, whose values are text or JSON ---------------------------------


def constants(layer: Layer) -> tuple[Tensor, ...]:
    """The weights that a record of Myelin lists beside its inputs."""
    listed = next((value for key, value in layer.attributes if key == "Constants"), None)
    if isinstance(listed, str):
        return _constants(listed)
    tensors = []
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and (shape := ints(entry.get("Dimensions"))) is not None:
            dtype = canonical(str(entry.get("Datatype", entry.get("Format/Datatype"))))
            tensors.append(Tensor(str(entry.get("Name")), dtype, ",".join(map(str, shape)), shape))
    return tuple(tensors)


@lru_cache(maxsize=1 << 10)
def _constants(words: str) -> tuple[Tensor, ...]:
    """The constants in the words of a detailed listing."""
    tensors = []
    for piece in words.split("{ Name: ")[1:]:
        name, mark, rest = piece.partition(", Dimensions: [")
        dims, _, rest = rest.partition("]")
        shape = ints(f"[{dims}]")
        _, typed, dtype = rest.partition("Datatype: ")
        if mark and shape is not None and typed:
            dtype = dtype.partition(",")[0].partition(" }")[0]
            tensors.append(Tensor(name, canonical(dtype), dims, shape))
    return tuple(tensors)


def ints(value: JsonValue) -> Ints | None:
    """Integers such as `[3,3]`, as text or as JSON; None where it is something else."""
    listed = _parsed(value) if isinstance(value, str) else value
    if not isinstance(listed, list):
        return None
    numbers = tuple([one for one in listed if isinstance(one, int) and abs(one) < TOO_MANY])
    return numbers if len(numbers) == len(listed) else None


def integer(value: JsonValue) -> int | None:
    """An integer such as `64`, as text or as JSON."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None
    return value if isinstance(value, int) and abs(value) < TOO_MANY else None


def stored(value: JsonValue) -> tuple[str, int] | None:
    """Type and number of `{"Type": "Half", "Count": 9408}`, as text or as JSON."""
    weights = _parsed(value) if isinstance(value, str) else value
    if not isinstance(weights, dict):
        return None
    dtype, count = weights.get("Type"), integer(weights.get("Count"))
    return (dtype, count) if isinstance(dtype, str) and count is not None else None


@lru_cache(maxsize=1 << 12)
def _parsed(words: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(words)
    except (ValueError, RecursionError):
        return None
    return value


# ---- which operations multiply matrices: by ONNX nodes, and by the names of Myelin's kernels -----


_MULTIPLY: Final = PRODUCTS | frozenset(
    "Attention DeformConv Einsum GRU If LSTM Loop MoE RNN Scan".split()  # noqa: SIM905
)


def multiplying_nodes_of(layer: Layer) -> list[str]:
    """The operators that are, or may hold, a convolution or a product."""
    return [word for word in operators_of(layer) if word in _MULTIPLY]


def operators_of(layer: Layer) -> tuple[str, ...]:
    """The operators of all of a layer's ONNX nodes; () where one is unknown."""
    known = layer.known.onnx_operators
    nodes = origin.onnx_nodes_of(layer).all
    if layer.raw is not None or not nodes:
        return ()
    if len(known) != len(nodes) or not all(known):
        known = tuple(word for node in nodes for word in operators(node) or ("",))
    return known if OPERATORS.issuperset(known) else ()


def multiplied(layer: Layer) -> Literal["product", "convolution"] | None:
    """Whether a kernel is a matrix product or a convolution.

    None unless its name lists exactly one of them, and else element-wise operations alone.
    """
    if layer.type not in ("kgen", "fusion", "runtime_fusion"):
        return None
    not_pointwise = [word for word in myelin_words(layer.name) if word not in names.POINTWISE]
    if not_pointwise == [names.PRODUCT]:
        return "product"
    return "convolution" if not_pointwise == [names.CONVOLUTION] else None


def has_no_products(layer: Layer) -> bool:
    """Whether all operations of the name are known and none multiplies matrices."""
    named = myelin_words(layer.name)
    known = bool(named) and all(word in names.POINTWISE or word in names.OTHERS for word in named)
    return known and not sums_products(layer)


def sums_products(layer: Layer) -> bool:
    """Whether it may be a product of matrices, written as a multiplication and a sum.

    Myelin does so with a product of few rows. A sum right behind Exp is of a softmax.
    """
    multiplied, before = False, ""
    for word in myelin_words(layer.name):
        if word in names.SUMS and multiplied and before != "Exp":
            return True
        multiplied = multiplied or word == "Mul"
        before = before if word == "Cast" else word
    return False


def reads_in_part(layer: Layer) -> bool:
    """Whether it may read only a part of its inputs."""
    return any(word in names.READ_IN_PART for word in myelin_words(layer.name))


# ---- extents that the listing leaves open --------------------------------------------------------

# A listing prints a dynamic extent as a negative number: up to TensorRT 8.4 one number for each
# extent, of which equal ones are equal extents; later -1 for all. Other tensors' follow where a
# layer can only give one: convolutions and products keep the batch, element-wise layers all
# extents, a reshape the number of elements.
_POINTWISE: Final = frozenset({"PointWise", "PointWiseV2", "ElementWise", "Activation", "Scale"})


class InputShape(NamedTuple):
    """An input with an extent that the listing leaves open, and the shape that it had."""

    name: str
    shape: Ints


class Told(NamedTuple):
    """The layers of an engine, with the extents that the log tells.

    Attributes:
        layers: all of them, in order.
        at: the inputs whose shapes the listing leaves open; empty: no extent is taken from it.
        of_times: whether the layers' times are of these extents, too.
    """

    layers: tuple[Layer, ...]
    at: tuple[InputShape, ...] = ()
    of_times: bool = True


class _Contradiction(Exception):
    """Raised where an extent has two values: then nothing is certain."""


def by_inputs(costs: Costs) -> Told:
    """The layers with the extents that their times are of, else with those of the run."""
    engine, facts = costs.engine, costs.engine.known
    ends = frozenset(engine.graph.inputs)
    reads = [one for layer in engine.layers for one in layer.inputs if one.name in ends]
    if len(costs.profiles) > 1 or not any(map(_is_open, reads)):
        return Told(engine.layers)
    built = trtexec.of_build(facts) if costs.estimated else None
    shapes = built or trtexec.of_run(facts) or {}
    known = _Known({name: shape for name, shape in shapes.items() if name in ends})
    try:
        at = known.read_inputs(reads)
        layers = tuple(map(known.told, engine.layers)) if at else engine.layers
    except _Contradiction:
        return Told(engine.layers)
    return Told(layers, at, not at or built is not None or not costs.estimated)


def _is_open(tensor: Tensor) -> bool:
    return min(tensor.shape, default=0) < 0


class _Known:
    """The extents that are known so far: by tensor, and of the numbers that stand for one."""

    def __init__(self, shapes: dict[str, Ints]) -> None:
        self._shapes = shapes
        self._extents: dict[int, int] = {}

    def read_inputs(self, tensors: Iterable[Tensor]) -> tuple[InputShape, ...]:
        """Takes the extents of the inputs, and returns the inputs that leave one open."""
        at: dict[str, InputShape] = {}
        for tensor in tensors:
            shape = self._shapes.get(tensor.name)
            if shape is not None and _is_open(tensor):
                self._learn(tensor.shape, shape)
                at[tensor.name] = InputShape(tensor.name, shape)
        return tuple(at.values())

    def told(self, layer: Layer) -> Layer:
        """A layer with the extents that are known."""
        if not any(map(_is_open, (*layer.inputs, *layer.outputs))):
            return layer
        inputs = tuple(map(self._tensor, layer.inputs))
        for tensor in layer.outputs:  # another writer may give a tensor another shape
            self._shapes.pop(tensor.name, None)
        for tensor in layer.outputs:
            shape = self._by_numbers(tensor.shape)
            if min(shape, default=0) < 0:
                shape = _written(layer, inputs, shape) or shape
            if min(shape, default=0) >= 0:
                self._learn(tensor.shape, shape)
                self._shapes[tensor.name] = shape
        outputs = tuple(map(self._tensor, layer.outputs))
        return replace(layer, inputs=inputs, outputs=outputs)

    def _tensor(self, tensor: Tensor) -> Tensor:
        """A tensor with the extents that are known of it, by its name or by its numbers."""
        if not _is_open(tensor):
            return tensor
        shape = self._by_numbers(tensor.shape)
        told = self._shapes.get(tensor.name)
        if min(shape) < 0 and told is not None and _may_be(shape, told):
            shape = told
        return replace(tensor, shape=shape)

    def _by_numbers(self, shape: Ints) -> Ints:
        return tuple(self._extents.get(extent, extent) for extent in shape)

    def _learn(self, printed: Ints, shape: Ints) -> None:
        """Takes the extents of a tensor that is printed with open ones."""
        if not _may_be(printed, shape):
            raise _Contradiction
        for number, extent in zip(printed, shape):
            if number < -1 and self._extents.setdefault(number, extent) != extent:
                raise _Contradiction


def _may_be(printed: Ints, shape: Ints) -> bool:
    """Whether a tensor that is printed so may have a shape."""
    agree = all(number < 0 or number == extent for number, extent in zip(printed, shape))
    return len(printed) == len(shape) and agree


def _written(layer: Layer, inputs: Sequence[Tensor], shape: Ints) -> Ints | None:
    """The shape of what a layer writes; None where its inputs do not tell."""
    if not inputs or any(map(_is_open, inputs)):
        return None
    found: Ints | None = None
    read, operation = inputs[0].shape, operation_of(layer)
    ranks = {len(shape), *(len(tensor.shape) for tensor in inputs)}
    if layer.type in ("Shuffle", "NoOp"):
        return _reshaped(read, shape)
    if layer.type in _POINTWISE:
        same_rank = len({len(tensor.shape) for tensor in inputs}) == 1
        found = tuple(map(max, zip(*(tensor.shape for tensor in inputs)))) if same_rank else None
    elif is_reformat(layer) and names.is_reformat(layer.name):
        found = read
    elif operation in ("convolution", "deconvolution", "pooling"):
        found = read[:1] + shape[1:]
    elif operation == "product" and len(ranks) == 1 and min(ranks) > 2:  # of two, none is a batch
        found = (max(tensor.shape[0] for tensor in inputs), *shape[1:])
    fits = found is not None and min(found, default=0) >= 0 and _may_be(shape, found)
    return found if fits else None


def _reshaped(read: Ints, shape: Ints) -> Ints | None:
    """Fills the one open extent of a shape, so that it has as many elements as `read`."""
    elements, others = product(read), product(extent for extent in shape if extent >= 0)
    if sum(extent < 0 for extent in shape) != 1 or not elements or not others:
        return None
    extent, rest = divmod(elements, others)
    return None if rest else tuple(extent if one < 0 else one for one in shape)
