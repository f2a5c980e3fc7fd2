"""A matrix product of three or more dimensions could have two.

**Found**: a layer of type MatrixMultiply has an input of three or more dimensions, its second input
is a constant without batch dimensions, and a pointwise layer stands alone behind it.

**Why it costs**: TensorRT runs a two-dimensional product with constant weights as a convolution,
and fuses bias and activation into it. With three dimensions it keeps them apart. An engine measured
with both had 83 and 27 layers.

**What to do**: in the model, reshape the input to two dimensions before the chain of products,
and back behind it.

**When to leave it**: where nothing can be reshaped before the chain: the product alone takes as
long in two dimensions, and what is saved are the layers that fuse with it.

**Example**:

    Layer(Constant): w, Tactic: 0x0,  -> w[Float(1,256,512)]
    Layer(MatrixMultiply): /mlp/MatMul, Tactic: 0x1, x[Float(4,32,256)], w[…] -> y[Float(4,32,512)]
    Layer(ElementWise): /mlp/Add, Tactic: 0x1, y[Float(4,32,512)], b[…] -> z[Float(4,32,512)]

**Versions**: those whose listings have MatrixMultiply, up to 9.

**Severity**: hint.

**Sources**: NVIDIA trt-samples-for-hackathon-cn cookbook: Convert3DMMTo2DMM.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import is_pointwise, product_before
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_MATRIX: Final = 2  # dimensions
_ADVICE: Final = (
    "in {model}, reshape to two dimensions before the chain of products and back behind it: then "
    "the layers behind can fuse"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all products and the layers that could fuse with them."""
    pairs = [
        (product, layer)
        for layer in subject.layers
        if (product := product_before(subject, layer) if is_pointwise(layer) else None) is not None
        and could_have_two(subject, product)
        and len(subject.computed(layer)) == 1
    ]
    if not pairs:
        return
    products = [product for product, _ in pairs]
    behind = [layer for _, layer in pairs]
    each = plural(len(products), ",", ", each")
    what = f"{each} a product of three or more dimensions with constant weights, in front of "
    why = (*named(products), what, *named(behind))
    advice = _ADVICE.format(model=subject.frontend.model)
    # The products take as long in two dimensions: what is saved are layers that fuse with them.
    saved = subject.costs.sum(behind)
    yield finding(subject, RULE, [*products, *behind], why, advice, ms=saved)


def could_have_two(subject: Subject, layer: Layer) -> bool:
    """Whether a product has more dimensions than two, and weights to which two are enough."""
    if not layer.type.startswith("MatrixMultiply") or len(layer.inputs) < _MATRIX:
        return False
    data, weights = layer.inputs[:_MATRIX]
    if len(data.shape) <= _MATRIX or not _is_flat(weights):
        return False
    written = (edge for edge in subject.reads(layer) if edge.tensor == weights.name)
    sources = [edge.source for edge in written if edge.source is not None]
    return any(subject.engine.layers[source].type == "Constant" for source in sources)


def _is_flat(tensor: Tensor) -> bool:
    """Whether all its dimensions but the last two are known to be 1."""
    return all(extent == 1 for extent in tensor.shape[:-_MATRIX])
