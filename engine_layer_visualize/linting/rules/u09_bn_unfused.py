"""A BatchNormalization runs as a layer behind its convolution.

**Found**: a layer of type Scale, made of a BatchNormalization node, reads what a convolution
writes, and nothing else reads that.

**Why it costs**: the whole tensor is read and written once more. Folded into the convolution's
weights, the same normalisation costs nothing.

**What to do**: export the model in evaluation mode (`model.eval()` in PyTorch), with
`do_constant_folding`: then the exporter folds it into the weights.

**Example**:

    Layer(CaskConvolution): Conv_0, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
    Layer(Scale): BatchNormalization_1, Tactic: 0x1, a[Half(1,8,4,4)] -> y[Half(1,8,4,4)]

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "U09",
    "bn-unfused",
    "hint",
    "A BatchNormalization runs as a layer behind its convolution.",
    ("TensorRT documentation: types of fusion",),
)
_ADVICE: Final = (
    "export the model in evaluation mode, so that the exporter folds it into the convolution's "
    "weights"
)
_OTHERS: Final = "fold it into the convolution's weights in {model}"  # that no exporter made


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all of them."""
    layers = [la for la in subject.layers if la.type == "Scale" and _is_foldable(subject, la)]
    if layers:
        stand = plural(len(layers), "stands", "stand")
        why = (*subject.names(layers), f" {stand} behind a convolution, not folded into it")
        frontend = subject.frontend
        advice = _ADVICE if frontend.may_be_onnx else _OTHERS.format(model=frontend.model)
        yield subject.finding(RULE, layers, why, advice, part=1.0)


def _is_foldable(subject: Subject, layer: Layer) -> bool:
    names = (*subject.operators(layer), *subject.nodes(layer), layer.name)
    if not any("BatchNorm" in name for name in names):
        return False
    for writer in subject.writers(layer):
        if subject.operation(writer) in ("convolution", "deconvolution"):
            return subject.only_reader(writer) is layer
    return False
