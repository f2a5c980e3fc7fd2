"""A matrix product of three or more dimensions could have two.

**Found**: a layer of type MatrixMultiply has an input of three or more dimensions, and either its
second input is a constant without batch dimensions, or the result has a batch of 1.

**Why it costs**: TensorRT runs a two-dimensional product with constant weights as a convolution,
and fuses bias and activation into it. With three dimensions it keeps them apart. An engine measured
with both had 83 and 27 layers.

**What to do**: in the model, reshape the input to two dimensions before the chain of products,
and back behind it.

**When to leave it**: where no layer behind the product could fuse with it: the product alone takes
as long in two dimensions.

**Example**:

    Layer(Constant): w, Tactic: 0x0,  -> w[Float(1,256,512)]
    Layer(MatrixMultiply): /mlp/MatMul, Tactic: 0x1, x[Float(4,32,256)], w[…] -> y[Float(4,32,512)]

**Versions**: those whose listings have MatrixMultiply, up to 9.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.roles import is_pointwise
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "U10",
    "batched-small-matmul",
    "hint",
    "A matrix product of three or more dimensions could have two.",
    ("NVIDIA trt-samples-for-hackathon-cn cookbook: Convert3DMMTo2DMM",),
)
_MATRIX: Final = 2  # dimensions
TO_TWO_DIMENSIONS: Final = (
    "in {model}, reshape to two dimensions before the chain of products and back behind it"
)
THEN_FUSED: Final = ": then the layers behind can fuse"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for those with constant weights, one for those of one batch."""
    by_reason: dict[str, list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if layer.type.startswith("MatrixMultiply") and (words := _why(subject, layer)):
            by_reason[words].append(layer)
    for words, layers in by_reason.items():
        each = plural(len(layers), ",", ", each")
        what = f"{each} a product of three or more dimensions with {words}"
        unfused = any(is_pointwise(reader) for la in layers for reader in subject.readers(la))
        # The products take as long in two dimensions: what is saved are layers that fuse with them.
        advice = TO_TWO_DIMENSIONS.format(model=subject.frontend.model)
        advice += THEN_FUSED if unfused else ""
        why = (*subject.names(layers), what)
        yield subject.finding(RULE, layers, why, advice, part=None)


def _why(subject: Subject, layer: Layer) -> str:
    """Returns why two dimensions are enough; empty where they are not, or that is unknown."""
    if not layer.outputs or len(layer.inputs) < _MATRIX:
        return ""
    data, weights = layer.inputs[:_MATRIX]
    if len(data.shape) > _MATRIX and _is_flat(weights):
        written = (edge for edge in subject.reads(layer) if edge.tensor == weights.name)
        sources = [edge.source for edge in written if edge.source is not None]
        if any(subject.engine.layers[source].type == "Constant" for source in sources):
            return "constant weights"
    result = layer.outputs[0]
    return "a batch of 1" if len(result.shape) > _MATRIX and _is_flat(result) else ""


def _is_flat(tensor: Tensor) -> bool:
    """Whether all its dimensions but the last two are known to be 1."""
    return all(extent == 1 for extent in tensor.shape[:-_MATRIX])
