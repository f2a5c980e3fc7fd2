"""Rules about convolutions and products that read a tensor or weights more often than they need."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.extents import Channels, channels
from engine_layer_visualize.analysis.sizes import Convolution, Product
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, count, percent, plural
from engine_layer_visualize.linting.bounds import TIMES_BOUND
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.roles import is_explicit, read_whole
from engine_layer_visualize.linting.rules import finding, longest_first, named, rule, taken
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import width

_LEAST_SHARE: Final = 0.05  # of the time of the engine
_FILTERS: Final = range(8, 128)  # of blocks that kernels compute: they fill a part
_SIBLINGS_BOUND: Final = 2  # how many bounds they take at least


@rule("H08")
def sibling_convolutions(subject: Subject) -> Iterator[Finding]:
    """Convolutions of few filters read one tensor, and could be one convolution.

    **Found**: two or more convolutions of one group and 8 to 127 filters read the same whole tensor
    in the same type. Their outputs differ only in the filters. They have the same kernel, stride
    and padding; where the listing has none of these, the same tactic. Together they take more than
    5 % of the time. Silent where the device is known and they take less than twice what it needs
    for them.

    **Why it costs**: each reads the whole tensor again, and each fills a part of the blocks of
    filters that kernels compute. No log tells what one layer would save.

    **What to do**: in the model, put the filters of these convolutions behind one another in one
    convolution, and split its output. The builder does so by itself in FP32 and FP16 where it can.
    It does not where each has a Q/DQ of its own: then give them one scale. This holds up to
    TensorRT 10.16 and from 11 on.

    **When to leave it**: where their outputs need scales that differ much.

    **Example**:

        Layer(CaskConvolution): hm.0, Tactic: 0x1, x[Int8(1,256,128,128)] -> a[Int8(1,64,128,128)]
        Layer(CaskConvolution): wh.0, Tactic: 0x1, x[Int8(1,256,128,128)] -> b[Int8(1,64,128,128)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: TensorRT documentation: types of fusion; NVIDIA documentation: deep learning
    performance.
    """
    groups: dict[Hashable, list[Layer]] = defaultdict(list)
    for layer in subject.convolving:
        if (alike := _alike(subject, layer)) is not None:
            groups[alike].append(layer)
    scale = " give them one scale," if is_explicit(subject) else ""
    advice = f"join the convolutions that read one tensor,{scale} and split the output"
    for layers in groups.values():
        took, ms = taken(subject, layers, _LEAST_SHARE), subject.costs.sum(layers) or 0.0
        bounds = [subject.work_of(layer).bound_ms for layer in layers]
        is_near = None not in bounds and ms < _SIBLINGS_BOUND * sum(filter(None, bounds))
        if len(layers) > 1 and took and not is_near:
            why = (*named(layers), f" read one tensor and have equal shapes: they take {took}")
            yield finding(subject, layers, why, advice)


def _alike(subject: Subject, layer: Layer) -> Hashable | None:
    """Returns what convolutions have to have in common to be one; None for no such layer."""
    sizes, tensor = subject.extents(layer), read_whole(subject, layer)
    if not isinstance(sizes, Convolution) or sizes.transposed or tensor is None:
        return None
    if sizes.groups not in (None, 1) or sizes.filters not in _FILTERS:
        return None
    shape: Hashable = (sizes.kernel, sizes.stride, sizes.padding, sizes.dilation, sizes.after)
    if sizes.kernel is None:
        shape = (layer.kernel or layer.tactic, sizes.filters, sizes.after)
    written = subject.data_output(layer)
    return tensor, subject.dtype(layer), shape, written.dtype if written else None


_MOST_ROWS: Final = 8  # of Float; in fewer bits tensor cores compute more for each byte
_MOST_ROWS_NARROW: Final = 96
_STREAMED: Final = 1e8  # bytes of weights in a ms: so many are read for few rows alone
_LEAST_BYTES: Final = 4 << 20  # of the weights of all such layers
_LEAST_OF_LAYER: Final = 1 << 18  # bytes: of less the launch of its kernel counts
_LEAST_PART: Final = 0.9  # of the bytes that the layer moves
_LEAST_SHARE_OF_WEIGHTS: Final = 0.1  # of the time of the engine
_LEAST_SHARE_OF_BYTES: Final = 0.5  # of those of all layers, where nothing is timed
_OF_INT8: Final = {"Half": "half", "BFloat16": "half", "Float": "a quarter"}


@rule("H09")
def weights_for_few_rows(subject: Subject) -> Iterator[Finding]:
    """Fully connected layers read all their weights for a few rows.

    **Found**: matrix products with constant weights, and convolutions, have at most 8 rows (pixels
    of all images), in fewer bits than Float 96. Their weights are at least nine tenths of the bytes
    that they move, and 4 MiB together. A product has 256 KiB or more, a convolution 4 MiB. Where
    the batch is symbolic, a product counts that reads 100 GB of weights a second. They take more
    than 10 % of the time. Where nothing is timed, their bytes are more than half of all that is
    moved.

    **Why it costs**: reading the weights takes the time: one row takes as long as several.

    **What to do**: a larger batch: it reads the weights once for all of its rows. Or fewer bits for
    the weights: FP16 (P15), INT8 (P16). That does not help layers that take more than three times
    as long as their bytes need. This holds up to TensorRT 10.16 and from 11 on. How much a batch
    saves depends on your requests.

    **When to leave it**: where requests come one by one, and each has to be answered at once.

    **Example**:

        Layer(CaskGemmConvolution): fc6, Tactic: 0x1, x[Half(1,9216,1,1)] -> y[Half(1,4096,1,1)]

    **Versions**: all; the log must tell the batch.

    **Severity**: hint.

    **Sources**: NVIDIA deep learning performance documentation: linear layers; TensorRT
    documentation: batching.
    """
    rows = {
        layer.index: number
        for layer in subject.multiplying
        if (number := _rows(subject, layer)) is not None
    }
    layers = [layer for layer in subject.multiplying if layer.index in rows]
    each = [(la, sizes) for la in layers if (sizes := channels(subject.extents(la)))]
    read = math.fsum(_weights(subject, *one) for one in each)
    bounds = [subject.work_of(layer).bound_ms for layer in layers]
    needed = sum(filter(None, bounds)) if None not in bounds else math.inf
    is_far = (subject.costs.sum(layers) or 0.0) > TIMES_BOUND * needed
    if read < _LEAST_BYTES or not (part := _part(subject, layers)):
        return
    weights = amount(read)
    most = count(max(rows.values()), "row") if 0 not in rows.values() else "few rows"
    most = f"at most {most}" if len({*rows.values()} - {0}) > 1 and 0 not in rows.values() else most
    reads = plural(len(layers), "reads", "read")
    why = (*named(layers), f" {reads} {weights} of weights for {most}: {part}")
    advice = "use a larger batch: it reads the weights once"
    parts = {_OF_INT8.get(subject.dtype(layer) or "", "") for layer in layers}
    if len(parts) == 1 and "" not in parts and not is_far:
        advice = f"use a larger batch, or INT8 weights ({parts.pop()} of the bytes)"
    yield finding(subject, longest_first(subject, layers), why, advice)


def _rows(subject: Subject, layer: Layer) -> int | None:
    """Returns for how many rows a layer reads its weights; None for many, or few weights.

    It is 0 where the batch is symbolic, and the time is that of reading the weights.
    """
    extents, done = subject.extents(layer), subject.work_of(layer)
    sizes, is_wide = channels(extents), subject.dtype(layer) == "Float"
    factors = extents.inputs if isinstance(extents, Product) else ()
    computed = {edge.tensor for edge in subject.computed(layer)}
    if sizes is None or len(computed.intersection(layer.inputs[at].name for at in factors)) > 1:
        return None
    weights = _weights(subject, layer, sizes)
    if sizes.rows is None:  # the batch is symbolic
        is_flat = not isinstance(extents, Convolution) or {*extents.after} == {1}
        ms = subject.ms(layer)
        return 0 if is_flat and ms and weights >= _STREAMED * ms else None
    if not 0 < sizes.rows <= (_MOST_ROWS if is_wide else _MOST_ROWS_NARROW):
        return None
    is_picture = isinstance(extents, Convolution) and {*extents.after} != {1}
    least = _LEAST_BYTES if is_picture else _LEAST_OF_LAYER
    moved = done.bytes or 0  # fewer than the weights where these have fewer bits than the layer
    is_weights = max(least, _LEAST_PART * moved) <= weights <= moved
    return sizes.rows if is_weights else None


def _weights(subject: Subject, layer: Layer, sizes: Channels) -> float:
    """Returns the bytes of a layer's weights: each is multiplied once for a row; 0: unknown."""
    number = (subject.work_of(layer).macs or 0) / sizes.rows if sizes.rows else 0
    if sizes.rows is None:
        number = (sizes.read or 0) * (sizes.written or 0)
    return number * (width(subject.dtype(layer)) or 0) / 8


def _part(subject: Subject, layers: Sequence[Layer]) -> str:
    """Returns `380 µs, 72.5 % of all`, or the share of bytes; empty where that is too little."""
    if subject.costs.sum(layers) and subject.costs.whole:
        return taken(subject, layers, _LEAST_SHARE_OF_WEIGHTS)
    known = [subject.work_of(layer).bytes for layer in subject.layers]
    if None in known or not subject.engine.source.complete:
        return ""
    own = math.fsum(subject.work_of(layer).bytes or 0 for layer in layers)
    part = own / sum(filter(None, known))
    move = plural(len(layers), "it moves", "they move")
    told = f"{move}, with inputs and outputs, {percent(part)} of the bytes of all layers"
    return told if part > _LEAST_SHARE_OF_BYTES else ""
