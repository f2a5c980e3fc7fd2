"""An attention runs as several layers: product, softmax, product.

**Found**: a softmax reads, through pointwise and layout layers at most, what a matrix product
writes, and a second product reads what it writes. All are layers of their own, in Half or BFloat16,
and the device has compute capability 7.5 or later.

**Why it costs**: the scores, one number for each pair of positions, are written to memory and read
again, twice. The fused kernel keeps them on the chip.

**What to do**: see the documentation for what TensorRT fuses as multi-head attention (head sizes,
types, where the scaling and the mask stand). Remove Casts and Transposes between the products.

**When to leave it**: where the model needs a head size, a type or a mask that TensorRT does not
fuse.

**Example**:

    Layer(MatrixMultiply): /attn/MatMul, Tactic: 0x1, q[Half(8,64,64)], k[Half(8,64,64)] -> s[…]
    Layer(SoftMax): /attn/Softmax, Tactic: 0x1, s[Half(8,64,64)] -> p[Half(8,64,64)]
    Layer(MatrixMultiply): /attn/MatMul_1, Tactic: 0x1, p[Half(8,64,64)], v[Half(8,64,64)] -> …

**Versions**: all; the log must name the device.

**Severity**: hint.

**Sources**: TensorRT documentation: multi-head attention fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import is_layout, is_pointwise, is_softmax
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_CAPABILITY: Final = (7, 5)
_TYPES: Final = frozenset({"Half", "BFloat16"})
_MOST_LAYERS: Final = 12  # layers that are looked at on one side of the softmax
_ADVICE: Final = (
    "compare with what TensorRT's documentation says of multi-head attention fusion: head size, "
    "types, scaling and mask; remove Casts and Transposes between the two products"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all attentions of the engine."""
    capability = subject.compute_capability
    if capability is None or capability < _LEAST_CAPABILITY:
        return
    pieces: dict[int, Layer] = {}
    attentions = 0
    for layer in subject.layers:
        if is_softmax(layer):
            before = _product(subject, layer, subject.writers)
            after = _product(subject, layer, subject.readers)
            if before and after:
                attentions += 1
                pieces.update({piece.index: piece for piece in (*before, layer, *after)})
    if pieces:
        layers = [pieces[index] for index in sorted(pieces)]
        what = count(attentions, "attention")
        runs = "runs as" if attentions == 1 else "run as"
        why = (f"{what} {runs} {len(layers)} layers: ", *named(layers))
        yield finding(subject, RULE, layers, why, _ADVICE)


def _product(
    subject: Subject, softmax: Layer, neighbours: Callable[[Layer], list[Layer]]
) -> list[Layer]:
    """Returns the layers from a softmax to the nearest product of two tensors in 16 bits.

    The product stands last; the list is empty where there is none.
    """
    ways: list[list[Layer]] = [[softmax]]
    seen = {softmax.index}
    while ways and len(seen) < _MOST_LAYERS:
        way = ways.pop(0)
        for layer in neighbours(way[-1]):
            if layer.index in seen:
                continue
            seen.add(layer.index)
            if _multiplies_two(subject, layer):
                return [*way[1:], layer]
            if _is_light(layer):
                ways.append([*way, layer])
    return []


def _multiplies_two(subject: Subject, layer: Layer) -> bool:
    """Whether it is a product of two computed tensors, in 16 bits."""
    if subject.operation(layer) != "product" or subject.dtype(layer) not in _TYPES:
        return False
    return len(subject.computed(layer)) > 1


def _is_light(layer: Layer) -> bool:
    light = is_pointwise(layer) or is_layout(layer) or is_reformat(layer)
    return light or layer.type in ("Scale", "NoOp")
