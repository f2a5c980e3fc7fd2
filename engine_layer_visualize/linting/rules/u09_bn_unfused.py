"""A BatchNormalization runs as a layer behind its convolution.

**Found**: a layer of its own, made of a BatchNormalization node or of its parts (`running_var` in
its name), reads what a convolution writes, also behind a reformat, and nothing else reads that.

**Why it costs**: the whole tensor is read and written once more. Folded into the convolution's
weights, the same normalisation costs nothing.

**What to do**: export the model in evaluation mode (`model.eval()` in PyTorch), with
`do_constant_folding`: then the exporter folds it into the weights of a convolution, but not of a
transposed one: fold it yourself there. In a model with Q/DQ, fold it
before QuantizeLinear is put on the weights. This holds up to TensorRT 10.16 and from 11 on.

**When to leave it**: where the weights have to stay those of the model, such as for a refit while
the program runs.

**Example**:

    Layer(CaskConvolution): Conv_0, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
    Layer(Scale): BatchNormalization_1, Tactic: 0x1, a[Half(1,8,4,4)] -> y[Half(1,8,4,4)]

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.quantisation import is_explicit
from engine_layer_visualize.linting.roles import is_pointwise
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
_QUANTISED: Final = ", before QuantizeLinear is put on these"
_OTHERS: Final = "fold it into the {kind}'s weights in {model}"  # no exporter does


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all of them."""
    found = [(layer, operation) for layer in subject.layers if (operation := _into(subject, layer))]
    layers = [layer for layer, _ in found]
    if layers:
        between = [writer for la in layers for writer in subject.writers(la) if is_reformat(writer)]
        stand = plural(len(layers), "stands", "stand")
        # No exporter folds it into a transposed convolution.
        transposed = any(operation == "deconvolution" for _, operation in found)
        kind = "transposed convolution" if transposed else "convolution"
        why = (*subject.names(layers), f" {stand} behind a {kind}, not folded into it")
        frontend = subject.frontend
        by_exporter = frontend.may_be_onnx and not transposed
        advice = _ADVICE if by_exporter else _OTHERS.format(kind=kind, model=frontend.model)
        advice += _QUANTISED if is_explicit(subject) else ""
        yield subject.finding(RULE, [*layers, *between], why, advice, part=1.0)


def _into(subject: Subject, layer: Layer) -> str | None:
    """Returns the operation that a BatchNormalization could be folded into; None: it is none."""
    if layer.type != "Scale" and not is_pointwise(layer) and layer.type != "kgen":
        return None
    names = (*subject.operators(layer), *subject.nodes(layer), layer.name)
    if not any("BatchNorm" in name or "running_var" in name for name in names):
        return None
    writers = subject.writers(layer)
    while len(writers) == 1 and is_reformat(writers[0]):
        if subject.only_reader(writers[0]) is not layer:
            return None
        layer = writers[0]
        writers = subject.writers(layer)
    operations = (subject.operation(la) for la in writers if subject.only_reader(la) is layer)
    return next((one for one in operations if one in ("convolution", "deconvolution")), None)
