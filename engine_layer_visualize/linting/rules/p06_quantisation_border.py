"""Layers in a floating type stand between quantised ones, and others convert for them.

**Found**: in a network with Q/DQ, layers that compute in Float, Half or BFloat16 beside layers that
compute in Int8 or FP8: residual additions and pools between them, convolutions and products before
or behind them. Silent about softmax, top-k and non-maximum suppression, which TensorRT does not
quantise, about what stands at the engine's ends alone, and where no layer converts.

**Why it costs**: at each border a reformat, a QuantizeLinear or a DequantizeLinear runs as a layer
of its own, a convolution in front of it writes two or four bytes for each value, and an addition
cannot fuse into the convolution before it. What could be saved is the time of the layers that
convert; what the others gain in Int8 is not in the log.

**What to do**: put QuantizeLinear / DequantizeLinear on both inputs of a residual addition, with
the scale of the branch that is quantised already; quantise inputs and weights of the convolutions
and products that are named; let the others read what the same QuantizeLinear writes. Then the
conversions between them go. This is a change of the model, and holds up to TensorRT 10.16 and from
11 on.

**When to leave it**: where the accuracy needs these layers in a floating type.

**Example**:

    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Int8(1,32,8,8)] -> a[Half(1,32,8,8)]
    Layer(ElementWise): add, Tactic: 0x1, a[Half(1,32,8,8)], s[Half(1,32,8,8)] -> b[Half(1,32,8,8)]
    Layer(Reformat): QuantizeLinear_1, Tactic: 0x0, b[Half(1,32,8,8)] -> c[Int8(1,32,8,8)]
    Layer(CaskConvolution): conv2, Tactic: 0x1, c[Int8(1,32,8,8)] -> y[Int8(1,32,8,8)]

**Versions**: all that build networks with Q/DQ.

**Severity**: warning.

**Sources**: TensorRT documentation: placement of Q/DQ; NVIDIA/TensorRT issues 993, 1423, 1895,
4039, 4711.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.precisions import computes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.core.words import Words, joined
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.quantisation import (
    FLOATING,
    QUANTISED,
    Behind,
    behind,
    converts,
    is_explicit,
)
from engine_layer_visualize.linting.roles import is_pointwise
from engine_layer_visualize.linting.rule import finding, named, record
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_NEVER: Final = re.compile("SoftMax|TopK|NMS|NonMax", re.IGNORECASE)  # types of layers
_LAYER: Final = "layer"
_KINDS: Final = (
    ("addition", "put Q/DQ on both inputs of the {}"),
    ("convolution or product", "quantise inputs and weights of the {}"),
    (_LAYER, "put Q/DQ in front of the {}"),
)
_MOST_OPERATORS: Final = 2  # whose names stand in the advice
_PLURALS: Final = ("additions", "convolutions or products", "layers")


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    if not subject.engine.source.complete or not is_explicit(subject):
        return
    floating, converting = _border(subject)
    if not converting:
        return
    groups = [
        [layer for layer in floating if _kind(subject, layer) == n] for n in range(len(_KINDS))
    ]
    told: list[Words] = []
    advice = []
    for layers, (what, todo), many in zip(groups, _KINDS, _PLURALS):
        if layers:
            told.append((f"{count(len(layers), what, many)} (", *named(layers), ")"))
            called = plural(len(layers), what, many)
            advice.append(todo.format(_operators(subject, layers) if what == _LAYER else called))
    types = sorted({subject.dtype(layer) or "" for layer in floating})
    them = plural(len(floating), "it", "them")
    words = (
        *joined(" and ", told),
        f" {plural(len(floating), 'computes', 'compute')} in {' and '.join(types)} beside "
        f"quantised layers; {count(len(converting), 'layer')} "
        f"{plural(len(converting), 'converts', 'convert')} for {them}",
    )
    all_layers = sorted([*converting, *floating], key=lambda layer: layer.index)
    evidence = [record(layer) for layer in (*floating[:3], *converting[:3])]
    times = [subject.ms(layer) for layer in converting]
    known = [ms for ms in times if ms is not None]
    ms = sum(known) if len(known) == len(times) else None
    yield finding(subject, RULE, all_layers, words, "; ".join(advice), evidence, ms=ms)


def _operators(subject: Subject, layers: list[Layer]) -> str:
    """Returns such as `GlobalAveragePool`: what layers compute, where that is told in few words."""
    named = sorted({name for layer in layers for name in subject.operators(layer)})
    if 0 < len(named) <= _MOST_OPERATORS and all(map(subject.operators, layers)):
        return " and ".join(named)
    return plural(len(layers), _LAYER, _PLURALS[-1])


def _border(subject: Subject) -> tuple[list[Layer], list[Layer]]:
    """Returns what computes in a floating type beside quantised layers and could be quantised.

    The second list has the layers that convert around these, also for others that read the same
    tensor.
    """
    after: dict[int, list[Behind]] = defaultdict(list)
    before: dict[int, list[Behind]] = defaultdict(list)
    for layer in subject.layers:
        dtype = subject.dtype(layer)
        if not computes(layer) or dtype not in QUANTISED | FLOATING:
            continue
        followers = behind(subject, layer)
        for reader in followers.readers:
            theirs = subject.dtype(reader)
            if dtype in QUANTISED and theirs in FLOATING:
                after[reader.index].append(followers)
            elif dtype in FLOATING and theirs in QUANTISED:
                before[layer.index].append(followers)
    floating: list[Layer] = []
    converting: dict[int, Layer] = {}
    for layer in subject.layers:
        sides = after.get(layer.index), before.get(layer.index)
        is_meant = any(sides) if subject.multiplies(layer) else all(sides)
        if not is_meant or _NEVER.search(layer.type) or converts(subject, layer):
            continue
        near = {
            between.index: between
            for side in chain(*filter(None, sides))
            for between in side.between
            if (converts(subject, between) or is_reformat(between)) and _inner(subject, between)
        }
        if any(converts(subject, between) for between in near.values()):
            floating.append(layer)
            converting.update(near)
    return floating, [converting[index] for index in sorted(converting)]


def _inner(subject: Subject, layer: Layer) -> bool:
    """Whether a layer stands between layers, not at an input or an output of the engine."""
    leaves = any(edge.target is None for edge in subject.writes(layer))
    return not leaves and not subject.at_input(layer)


def _kind(subject: Subject, layer: Layer) -> int:
    """Returns the place of a layer's kind in `_KINDS`."""
    if subject.multiplies(layer):
        return 1
    added = is_pointwise(layer) and {*subject.operators(layer)} & {"Add", "Sum"}
    return 0 if added else 2
