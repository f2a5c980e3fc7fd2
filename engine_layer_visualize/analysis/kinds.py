"""Tells what a layer is: its operation, how it is drawn, whether it runs a kernel."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal

from engine_layer_visualize.core.model import Edge, Layer
from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.operators import WITHOUT_KERNEL

Operation = Literal["convolution", "deconvolution", "product", "pooling"]

# Deconvolutions first: `GemmDeconvolution` has the parameters of a convolution.
_TYPES: Final[tuple[tuple[Operation, re.Pattern[str]], ...]] = (
    ("deconvolution", re.compile(r"Deconv", re.IGNORECASE)),
    # TensorRT 7 gives families of kernels: `scudnn_winograd`, `fp32_icudnn_int8x4`.
    ("convolution", re.compile(r"Conv(?!ert)|\Acorrelation|(?-i:cudnn)", re.IGNORECASE)),
    ("product", re.compile(r"MatrixMultiply|MatMul|FullyConnected|\Agemm|MLP\Z", re.IGNORECASE)),
    ("pooling", re.compile(r"Pooling", re.IGNORECASE)),
)

MULTIPLYING: Final = frozenset(("convolution", "deconvolution", "product"))


def operation_of(layer: Layer) -> Operation | None:
    """The operation of a layer, by its type or the parameters of a detailed listing.

    It is None where the record shows none of these, or where Myelin compiled the layer.
    """
    if layer.raw is not None or names.is_foreign(layer.name):
        return None
    told = (words for key, words in layer.attributes if key == "ParameterType")
    return _named(layer.type) or _named(str(next(told, "")))


@lru_cache(maxsize=1 << 10)
def _named(words: str) -> Operation | None:
    """The operation that a type names."""
    return next((operation for operation, pattern in _TYPES if pattern.search(words)), None)


# Types of layers at which the host waits for the device: no CUDA graph can capture them.
WAITING: Final = frozenset(("trainstation", "devicetoshapehost", "nonzero"))

Kind = Literal[
    "layer", "reformat", "constant", "opaque", "hidden", "port", "unresolved", "unused", "stub"
]

# A reformat, listed or not: its name holds the name of the layer that it is for.
SERVING: Final = frozenset({"reformat", "hidden"})
QUIET: Final = SERVING | {"constant"}  # drawn small


def kind_of(layer: Layer) -> Kind:
    """How a layer is drawn. A `NoOp` is drawn as a reformat, but not counted as one."""
    if layer.raw is not None:
        return "opaque"
    if not layer.listed:
        return "hidden"
    if is_reformat(layer) or layer.type == "NoOp":
        return "reformat"
    return "constant" if layer.type == "Constant" else "layer"


def is_reformat(layer: Layer) -> bool:
    """Whether a layer only changes type or format. A `NoOp` is not a reformat: it costs nothing."""
    return layer.type in ("Reformat", "MyelinReformat")


def unread(layers: Iterable[Layer]) -> int:
    """How many records could not be read: their edges are missing."""
    return sum(layer.raw is not None for layer in layers)


def waits_for_dla(layer: Layer) -> bool:
    """Whether its time may hold the wait until the DLA is done."""
    return names.waits_for_dla(layer.name)


def on_dla(layer: Layer) -> bool:
    """Whether the DLA runs a layer, as its type or the log's list of devices says."""
    return layer.known.device == names.DLA or layer.type.casefold().startswith("dla")


def is_myelin(layer: Layer) -> bool:
    """Whether Myelin, or the compiler of the DLA, made one piece of several layers."""
    return layer.type == "Myelin" or names.is_foreign(layer.name)


def runs_kernel(layer: Layer) -> bool:
    """Whether a layer of this type runs anything: a `NoOp` does not."""
    return layer.type not in WITHOUT_KERNEL


def optimization_profiles(layers: Sequence[Layer]) -> tuple[int, ...]:
    """The number of the optimisation profile of every layer; empty where there is only one.

    Names end in ` [profile k]` from the second profile on. Some records inside Myelin lack the
    suffix; they belong to the profile of the other records of their Myelin layer.
    """
    named = [_profile(layer) for layer in layers]
    if not any(named):
        return ()
    inside = [names.myelin_index(layer.name) for layer in layers]
    of_myelin: dict[int | None, int] = {}
    for index, number in zip(inside, named):
        if number and index is not None:
            of_myelin.setdefault(index, number)
    return tuple(number or of_myelin.get(index, 0) for index, number in zip(inside, named))


def _profile(layer: Layer) -> int:
    """The number in the names of a layer or its tensors; 0 where none has one."""
    tensors = (tensor.name for tensor in (*layer.inputs, *layer.outputs))
    return next(filter(None, map(names.profile_in, (layer.name, *tensors))), 0)


# ---- marks: layers that take no time, which as boxes would fill a large drawing ------------------

FEWEST: Final = 60  # layers of a drawing that has marks
_KINDS: Final = frozenset({"layer", "reformat", "constant"})
_TOLD_BY_NAMES: Final = ("", "Reformat")  # the types of layers of which a profile alone tells


def hosts_of_marks(
    layers: Sequence[Layer],
    edges: Iterable[Edge],
    jumps: Iterable[Edge],
    timed: Callable[[Layer], float | None],
) -> dict[int, int]:
    """For each layer that is a mark the layer at whose box it stands, both by their indices.

    That is the only layer that writes what it reads, else the only one that reads it: the lines of
    a mark become lines of that box, which is true of one neighbour alone. Others stay boxes. In a
    drawing without edges it is the box before, else the one after.

    Args:
        layers: of the drawing.
        edges: of the drawing.
        jumps: of the drawing: a layer that one touches stays a box.
        timed: The time of a layer; one that takes any stays a box.
    """
    if len(layers) < FEWEST:
        return {}
    read: dict[int | None, set[int | None]] = defaultdict(set)
    written: dict[int | None, set[int | None]] = defaultdict(set)
    for edge in edges:
        written[edge.source].add(edge.target)
        read[edge.target].add(edge.source)
    stay = {end for jump in jumps for end in (jump.source, jump.target)}
    found: dict[int, int] = {}

    def last(index: int) -> int:
        while index in found:
            index = found[index]
        return index

    def is_box(layer: Layer) -> bool:
        # A name alone does not tell what a layer runs; a measured 0 does.
        runs = timed(layer) != 0 if layer.type in _TOLD_BY_NAMES else runs_kernel(layer)
        return runs or kind_of(layer) not in _KINDS or bool(timed(layer)) or layer.index in stay

    if not read:
        boxes = [layer.index for layer in layers if is_box(layer)]
        marks = (layer.index for layer in layers if boxes and not is_box(layer))
        return {index: boxes[max(0, bisect(boxes, index) - 1)] for index in marks}
    for layer in layers:
        index = layer.index
        if is_box(layer) or not written[index]:
            continue
        for beside in (read[index], written[index]):
            (host, *others) = beside or {None}
            if host is not None and not others and last(host) != index:
                found[index] = host
                break
    return {index: last(index) for index in found}
