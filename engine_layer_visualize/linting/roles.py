"""Tells what rules ask of layers: their part in the graph, how far from a bound they are.

A layer's record and its ONNX operators tell its part. Myelin's kernels tell theirs by name
(`__myl_ResTran_myl0_1`).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions, sizes, times, work
from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.precisions import computes
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.linting.subject import QUANTISER, Subject, first_data
from engine_layer_visualize.trt import names, types
from engine_layer_visualize.trt.operators import added

_LAYOUT_WORDS: Final = frozenset({"Tran", "Resh", "Res", "Move", "Perm", "Sque", "Unsq", "Flat"})
_PRODUCTS: Final = frozenset({"Gemm", "MatMul", "Conv", "ConvTranspose", "Einsum"})
_TAIL: Final = frozenset({"Add", "Relu", "Clip", "LeakyRelu"})  # a bias and what TensorRT fuses


def is_pointwise(layer: Layer) -> bool:
    """Whether each number of its output comes from one number of each input."""
    return layer.type.startswith(("PointWise", "ElementWise", "Elementwise", "Activation", "Unary"))


def moves_only(layer: Layer) -> bool:
    """Whether it gives the same numbers in another order or shape, with a kernel."""
    if layer.type == "kgen":
        words = names.myelin_words(layer.name)
        return bool(words) and _LAYOUT_WORDS.issuperset(words)
    return layer.type.startswith(("Shuffle", "Transpose", "Squeeze", "Unsqueeze", "Reshape"))


def is_layout(layer: Layer) -> bool:
    """Whether it changes an order or a shape, with a kernel or without.

    The layers that TensorRT alone adds around products do not count.
    """
    is_view = False
    if layer.type == "NoOp" and layer.inputs and layer.outputs:  # it may be a cast without effect
        is_view = layer.inputs[0].dims != layer.outputs[0].dims
    return (moves_only(layer) or is_view) and not added(layer.name)


def is_product(subject: Subject, layer: Layer) -> bool:
    """Whether it is a convolution or a matrix product, also one that Myelin runs alone."""
    operators = subject.operators(layer) if layer.type == "Myelin" else ()
    return subject.multiplies(layer) or (bool(operators) and _PRODUCTS.issuperset(operators))


def is_tail(subject: Subject, layer: Layer, product: Layer) -> bool:
    """Whether a pointwise layer is only what TensorRT can fuse into its product.

    That is the product's own bias, or an added constant, and an activation that TensorRT fuses: no
    model has them in a better place.
    """
    nodes, operators = subject.nodes(layer), subject.operators(layer)
    whole = subject.nodes(product)
    if not nodes or len(nodes) != len(operators):
        return bool(operators) and _TAIL.issuperset(operators)
    return all(node in whole or operator in _TAIL for node, operator in zip(nodes, operators))


def read_whole(subject: Subject, layer: Layer) -> str | None:
    """Returns the tensor that a layer reads; None where it reads a slice of it."""
    tensor = first_data(layer.inputs)
    if tensor is None:
        return None
    outputs = (output for writer in subject.writers(layer) for output in writer.outputs)
    is_sliced = any(one.name == tensor.name and _count(one) > _count(tensor) for one in outputs)
    return None if is_sliced else tensor.name


def _count(tensor: Tensor) -> int:
    """Returns the elements, with 1 for each symbolic extent: a slice has the same ones."""
    return math.prod(max(extent, 1) for extent in tensor.shape)


def is_softmax(layer: Layer) -> bool:
    """Whether it computes a softmax and no product."""
    words = layer.type.casefold()
    if "softmax" in words:
        return "topk" not in words
    # a kernel that Myelin wrote
    return layer.type == "kgen" and sizes.has_no_products(layer) and "SubExpSum" in layer.name


QUANTISED: Final = frozenset(("Int8", "FP8", "FP4", "Int4"))
FLOATING: Final = frozenset(("Float", "Half", "BFloat16"))
_MOST_BETWEEN: Final = 8  # layers that compute nothing, one behind the other


def converts(subject: Subject, layer: Layer) -> bool:
    """Whether a layer stands between a quantised type and a floating one: a Q, a DQ, a reformat."""
    read, written = first_data(layer.inputs), first_data(layer.outputs)
    if read is None or written is None:
        return False
    sides = types.canonical(read.dtype), types.canonical(written.dtype)
    if len(QUANTISED.intersection(sides)) != 1 or len(FLOATING.intersection(sides)) != 1:
        return False
    is_quantiser = QUANTISER in layer.name and not subject.multiplies(layer)
    return is_reformat(layer) or layer.type == "Scale" or is_quantiser


class Behind(NamedTuple):
    """What stands behind a layer.

    Attributes:
        between: the layers that only convert or move what it writes.
        readers: the layers that compute on that; none where all of it leaves the engine.
    """

    between: tuple[Layer, ...]
    readers: tuple[Layer, ...]


def behind(subject: Subject, layer: Layer) -> Behind:
    """Returns the layers behind a layer, up to the next ones that compute."""
    between: dict[int, Layer] = {}
    readers: dict[int, Layer] = {}
    waiting = [layer]
    for _ in range(_MOST_BETWEEN):
        near = {reader.index: reader for layer in waiting for reader in subject.readers(layer)}
        moving = {index: la for index, la in near.items() if not computes(la) or moves_only(la)}
        readers.update((index, layer) for index, layer in near.items() if index not in moving)
        waiting = [layer for index, layer in moving.items() if index not in between]
        if not waiting:
            break
        between.update((layer.index, layer) for layer in waiting)
    return Behind(tuple(between.values()), tuple(readers.values()))


def beyond(
    near: Callable[[Layer], list[Layer]], layer: Layer, via: tuple[str, ...]
) -> Iterator[Layer]:
    """Yields the layers on one side of a layer, and those beyond a layer of these types."""
    seen, waiting = {layer.index}, [layer]
    while waiting:
        for other in near(waiting.pop()):
            if other.index not in seen:
                seen.add(other.index)
                waiting += [other] if other.type in via else []
                yield other


# ---- what the device can do, and what other kernels could save -----------------------------------

SHORTEST_MS: Final = 0.02  # of a layer: shorter ones are mostly launched, and nothing prices that
NOISE_MS: Final = 0.001  # of the timer: with less at stake nothing is worth a finding of its own
PICTURE_CHANNELS: Final = 4  # at most: for so few there are kernels of their own
TIMES_BOUND: Final = 3  # how many bounds a layer takes at least
LAUNCH_MS: Final = 0.01  # a kernel of less is short for its launch
LEAST_LAYERS: Final = 10
# Of the device's peak; kernels for tensor cores are not expected to multiply faster.
_USUAL_RATE: Final = 0.6


def is_sure(layer: Layer, done: work.LayerWork) -> bool:
    """Whether the peak is known to be that of the units on which a layer's kernel runs.

    Float may run on two kinds of units. How much a Winograd kernel saves is unknown.
    """
    if names.is_winograd(layer.kernel or ""):
        return False
    precision = precisions.of(layer)
    known = precision.tf32 or layer.kernel is not None or precision.dtype != "Float"
    return known or done.bound_by == "memory"


def bound_of(subject: Subject, layers: Iterable[Layer]) -> float | None:
    """Returns the sum of the layers' bounds in ms; None where one is unknown."""
    known = [subject.work_of(layer).bound_ms for layer in layers]
    return None if None in known else sum(filter(None, known))


def saved_together(
    subject: Subject, layers: Iterable[Layer], dtypes: Sequence[str] = ()
) -> float | None:
    """Returns the sum of `saved_by`; None where nothing is known to be saved."""
    return sum(saved_by(subject, layer, dtypes) or 0.0 for layer in layers) or None


def saved_by(subject: Subject, layer: Layer, dtypes: Sequence[str] = ()) -> float | None:
    """Returns the ms that another kernel could save, in one of these types or the present one.

    That kernel multiplies, or moves bytes, as fast as the best layer of this engine; it takes the
    longer of both times, and a launch. None where that is unknown, and for a short layer.
    """
    ms, now = subject.ms(layer), subject.dtype(layer) or ""
    needed = work.needed_ms(subject.work_of(layer), now, dtypes, subject.work.peak)
    if ms is None or ms < SHORTEST_MS or needed is None:
        return None
    compute_ms, memory_ms = needed
    compute_rate, memory_rate = subject.once(_best_rates)
    took = max(compute_ms / compute_rate, memory_ms / memory_rate)
    return max(0.0, ms - took - work.LAUNCH)


def _best_rates(subject: Subject) -> tuple[float, float]:
    """Returns which part of the device's multiplications, and of its bandwidth, a layer reaches."""
    long = [layer for layer in subject.layers if (subject.ms(layer) or 0.0) >= SHORTEST_MS]
    reached = [(done.bound_by, done.efficiency) for done in map(subject.work_of, long)]
    compute = max((rate for by, rate in reached if rate and by == "compute"), default=_USUAL_RATE)
    memory = max((rate for by, rate in reached if rate and by == "memory"), default=_USUAL_RATE)
    return min(compute, _USUAL_RATE), min(memory, 1.0)


def mean_of_kernels(subject: Subject) -> float | None:
    """Returns the ms of a layer in the mean, by the time of an inference on the GPU.

    None where that is not known, or layers are missing.
    """
    took = times.gpu_compute(subject.costs)
    number = sum(map(runs_kernel, subject.layers))
    return took / number if took and number and subject.engine.source.complete else None
