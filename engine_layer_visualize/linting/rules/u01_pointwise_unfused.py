"""A pointwise layer stands alone behind the convolution or matrix product that it could be part of.

**Found**: a layer of type PointWise, ElementWise, Activation or Unary reads what a convolution or
matrix product writes, and nothing else reads that. Silent where it is the product's own bias, or
an added constant, with ReLU, LeakyReLU or Clip, and neither its type nor the product's dimensions
stand in the way: then the model has it in the right place, and the builder alone decided.

**Why it costs**: the whole tensor is written to memory and read again. Within the product, the same
operation costs almost nothing.

**What to do**: TensorRT fuses a bias, one addition of a residual and some activations (such as
ReLU) into a product. Put them directly behind it in the model, in the same type. The advice
says what stands in the way, where the log shows it.

**When to leave it**: where the accuracy needs this activation, and TensorRT does not fuse it.

**Example**:

    Layer(CaskConvolution): conv, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
    Layer(PointWiseV2): PWN(act), Tactic: 0x1, a[Half(1,8,4,4)] -> y[Half(1,8,4,4)]

**Versions**: all.

**Severity**: hint.

**Sources**: TensorRT documentation: types of fusion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import kinds as operations
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import is_pointwise, is_tail, product_before
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.rules.u10_batched_small_matmul import could_have_two
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_TYPE: Final = "give the product and this layer one type: they write different ones"
_BRANCHES: Final = (
    "keep it directly behind the product in {model}, before other operations; it joins two "
    "computed tensors, and TensorRT can fuse one such addition into a product"
)
_OTHER: Final = (
    "where the accuracy allows, take another operation in {model}; TensorRT fuses a bias, ReLU and "
    "few other activations into a convolution or product; no message says why not this one"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all layers with the same reason."""
    by_advice: dict[str, list[tuple[Layer, Layer]]] = defaultdict(list)
    for layer in subject.layers:
        product = product_before(subject, layer) if is_pointwise(layer) else None
        if product is not None and (advice := _advice(subject, layer, product)):
            by_advice[advice.format(model=subject.frontend.model)].append((layer, product))
    for advice, pairs in by_advice.items():
        layers = [layer for layer, _ in pairs]
        if len(layers) > 1:
            kinds = {
                "product" if operations.operation_of(p) == "product" else "convolution"
                for _, p in pairs
            }
            what = f", each alone behind the {' or '.join(sorted(kinds))} that it reads"
            why = (*named(layers), what)
        else:
            why = (*named(layers), " alone behind ", *named([pairs[0][1]]))
        yield finding(subject, RULE, layers, why, advice, part=1.0)


def _advice(subject: Subject, layer: Layer, product: Layer) -> str:
    """Returns what to try; empty where nothing is to be done."""
    read, written = subject.data_output(product), subject.data_output(layer)
    if read is not None and written is not None and read.dtype != written.dtype:
        return _TYPE
    if len(subject.computed(layer)) > 1:
        return _BRANCHES
    if could_have_two(subject, product) or is_tail(subject, layer, product):
        return ""
    return _OTHER
