"""Defines the extents of what a layer multiplies, and reads numbers from its record's keys."""

import json
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.core.limits import TOO_MANY
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.trt import names
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
    not_pointwise = [word for word in names.myelin_words(layer.name) if word not in names.POINTWISE]
    if not_pointwise == [names.PRODUCT]:
        return "product"
    return "convolution" if not_pointwise == [names.CONVOLUTION] else None


def has_no_products(layer: Layer) -> bool:
    """Whether all operations of the name are known and none multiplies matrices."""
    named = names.myelin_words(layer.name)
    known = bool(named) and all(word in names.POINTWISE or word in names.OTHERS for word in named)
    return known and not sums_products(layer)


def sums_products(layer: Layer) -> bool:
    """Whether it may be a product of matrices, written as a multiplication and a sum.

    Myelin does so with a product of few rows. A sum right behind Exp is of a softmax.
    """
    multiplied, before = False, ""
    for word in names.myelin_words(layer.name):
        if word in names.SUMS and multiplied and before != "Exp":
            return True
        multiplied = multiplied or word == "Mul"
        before = before if word == "Cast" else word
    return False


def reads_in_part(layer: Layer) -> bool:
    """Whether it may read only a part of its inputs."""
    return any(word in names.READ_IN_PART for word in names.myelin_words(layer.name))
