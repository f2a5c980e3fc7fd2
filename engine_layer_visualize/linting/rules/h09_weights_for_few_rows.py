"""Fully connected layers read all their weights for a few rows.

**Found**: matrix products with constant weights, also those that run as convolutions into one
pixel, of at most 8 rows each, whose weights are at least 4 MiB and nine tenths of the bytes that
they move. Together they take more than 10 % of the time, each no more than three times as long
as their bytes need, where the device is known. Where nothing is timed, their bytes are more than
half of those that all layers move.

**Why it costs**: the time is that of reading the weights, however many rows they are multiplied
with. One row takes as long as several.

**What to do**: a larger batch: it reads the weights once for all of its rows. Or fewer bits for the
weights: FP16 (P15), INT8 (P16). This holds up to TensorRT 10.16 and from 11 on. How much a batch
gains depends on the requests that there are: no time is at stake.

**When to leave it**: where requests come one by one, and each has to be answered at once.

**Example**:

    Layer(CaskGemmConvolution): fc6, Tactic: 0x1, x[Half(1,9216,1,1)] -> y[Half(1,4096,1,1)]

**Versions**: all; the log must tell the batch.

**Severity**: hint.

**Sources**: NVIDIA deep learning performance documentation: linear layers; TensorRT documentation:
batching.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.extents import channels
from engine_layer_visualize.analysis.sizes import Convolution
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import amount, count, milliseconds, percent, plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import TIMES_BOUND
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import width

RULE: Final = described(__name__, __doc__)
_MOST_ROWS: Final = 8
_LEAST_BYTES: Final = 4 << 20  # of the weights of a layer: of less the launch of its kernel counts
_LEAST_PART: Final = 0.9  # of the bytes that the layer moves
_LEAST_SHARE: Final = 0.1  # of the time of the engine
_LEAST_SHARE_OF_BYTES: Final = 0.5  # of those of all layers, where nothing is timed
_BITS: Final = 8
_ADVICE: Final = "use a larger batch: the weights of {} are read once for all of its rows"
_LAYER: Final = "fully connected layer"
_QUANTISED: Final = "; or quantise these layers: INT8 weights are {} of the bytes"
_PARTS: Final = {"Half": "half", "BFloat16": "half", "Float": "a quarter"}


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    read = {layer.index: rows for layer in subject.multiplying if (rows := _rows(subject, layer))}
    layers = [layer for layer in subject.multiplying if layer.index in read]
    if not layers or not (part := _part(subject, layers)):
        return
    weights = amount(math.fsum(_weights(subject, la, read[la.index]) for la in layers))
    most = count(max(read.values()), "row")
    most = most if len({*read.values()}) == 1 else f"at most {most}"
    reads = plural(len(layers), "reads", "read")
    why = (*named(layers), f" {reads} {weights} of weights for {most}: {part}")
    fewer = {_PARTS.get(subject.dtype(layer) or "", "") for layer in layers}
    layers.sort(key=lambda layer: -(subject.ms(layer) or 0.0))
    advice = _ADVICE.format(count(len(layers), _LAYER))
    advice += _QUANTISED.format(*fewer) if len(fewer) == 1 and "" not in fewer else ""
    yield finding(subject, RULE, layers, why, advice)


def _rows(subject: Subject, layer: Layer) -> int | None:
    """Returns for how many rows a layer reads its weights; None for many, or few weights."""
    extents, done = subject.extents(layer), subject.work_of(layer)
    sizes = channels(extents)
    if sizes is None or not sizes.rows or sizes.rows > _MOST_ROWS:
        return None
    is_picture = isinstance(extents, Convolution) and {*extents.after} != {1}
    if is_picture or len(subject.computed(layer)) > 1:
        return None
    weights, ms = _weights(subject, layer, sizes.rows), subject.ms(layer)
    moved = done.bytes or 0  # fewer than the weights where these have fewer bits than the layer
    if not max(_LEAST_BYTES, _LEAST_PART * moved) <= weights <= moved:
        return None
    is_far = ms is not None and done.bound_ms is not None and ms > TIMES_BOUND * done.bound_ms
    return None if is_far else sizes.rows


def _weights(subject: Subject, layer: Layer, rows: int) -> float:
    """Returns the bytes of a layer's weights: each is multiplied once for a row; 0: unknown."""
    return (subject.work_of(layer).macs or 0) / rows * (width(subject.dtype(layer)) or 0) / _BITS


def _part(subject: Subject, layers: list[Layer]) -> str:
    """Returns `380 µs, 72.5 % of all`, or the share of bytes; empty where that is too little."""
    ms, whole = subject.costs.sum(layers), subject.costs.whole
    if ms and whole:
        is_much = ms > _LEAST_SHARE * whole and subject.costs.ranked
        return f"{milliseconds(ms)}, {percent(ms / whole)} {subject.of_all}" if is_much else ""
    known = [subject.work_of(layer).bytes for layer in subject.layers]
    if None in known or not subject.engine.source.complete:
        return ""
    own = math.fsum(subject.work_of(layer).bytes or 0 for layer in layers)
    part = own / sum(filter(None, known))
    is_most = part > _LEAST_SHARE_OF_BYTES
    move = plural(len(layers), "it moves", "they move") + ", with inputs and outputs,"
    return f"{move} {percent(part)} of the bytes of all layers" if is_most else ""
