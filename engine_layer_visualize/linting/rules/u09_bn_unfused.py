"""A BatchNormalization runs as a layer behind its convolution or product.

**Found**: a layer of its own, made of a BatchNormalization node or of its parts (`running_var` in
its name), reads what a convolution, or a product with constant weights, writes, also behind a
reformat or a change of shape, and nothing else reads that. Where there are times alone, a row that
is named so, or after PyTorch's class, behind the row of a convolution or product: then nothing
is said of what could be saved.

**Why it costs**: the whole tensor is read and written once more. Folded into the weights before it,
the same normalisation costs nothing. A reformat between both goes, too, unless it changes the type
and the log has no timing of the layer before it that writes that type.

**What to do**: export the model in evaluation mode (`model.eval()` in PyTorch), with
`do_constant_folding`: then the exporter folds it into the weights of a convolution, but not of a
transposed one or a product: fold it yourself there. In a model with Q/DQ, fold it before
QuantizeLinear is put on the weights. This holds up to TensorRT 10.16 and from 11 on.

**When to leave it**: where the weights have to stay those of the model, such as for a refit while
the program runs.

**Example**:

    Layer(CaskConvolution): Conv_0, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
    Layer(Scale): BatchNormalization_1, Tactic: 0x1, a[Half(1,8,4,4)] -> y[Half(1,8,4,4)]

**Versions**: all.

**Severity**: hint.

**Sources**: TensorRT documentation: types of fusion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.quantisation import is_explicit
from engine_layer_visualize.linting.roles import is_pointwise
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import of_combination

RULE: Final = described(__name__, __doc__)
_ADVICE: Final = (
    "export the model in evaluation mode, so that the exporter folds BatchNormalization into the "
    "convolution's weights"
)
_QUANTISED: Final = ", before QuantizeLinear is put on these"
_MARKS: Final = ("BatchNorm", "batch_norm", "running_var")
_WORDS: Final = {
    "convolution": "convolution",
    "deconvolution": "transposed convolution",
    "product": "product",
}
# In names of rows in lower case.
_MULTIPLIED: Final = {
    "convtranspose": "transposed convolution",
    "conv": "convolution",
    "matmul": "product",
    "gemm": "product",
    "linear": "product",
}
_MOVED: Final = frozenset(("Flatten", "Reshape", "Squeeze", "Unsqueeze", "Shuffle"))
_OTHERS: Final = "fold BatchNormalization into the {kind}'s weights in {model}"  # no exporter does


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all of them."""
    into = _into if subject.edges else _row_before
    found = [(layer, operation) for layer in subject.layers if (operation := into(subject, layer))]
    layers = [layer for layer, _ in found]
    if layers:
        between = [
            writer
            for layer, _ in found
            for writer in subject.writers(layer)
            if is_reformat(writer) and not _stays(subject, writer)
        ]
        stand = plural(len(layers), "stands", "stand")
        kinds = sorted({operation for _, operation in found})
        why = (
            *named(layers),
            f" {stand} behind a {' or a '.join(kinds)}, not folded into it",
        )
        frontend = subject.frontend
        by_exporter = frontend.may_be_onnx and kinds == ["convolution"]
        others = _OTHERS.format(kind=f"{' or '.join(kinds)}", model=frontend.model)
        advice = _ADVICE if by_exporter else others
        advice += _QUANTISED if is_explicit(subject) else ""
        part = 1.0 if subject.edges else None
        yield finding(subject, RULE, [*layers, *between], why, advice, part=part)


def _stays(subject: Subject, reformat: Layer) -> bool:
    """Whether a reformat stays: the layer in front of it was not timed to write its type itself."""
    before, after = reformat.inputs[0].dtype, reformat.outputs[0].dtype
    timed = [each for la in subject.writers(reformat) for each in subject.tuned(la).combinations]
    written = (words for each in timed for words in of_combination(each.formats or "")[-1])
    return before != after and not any(words.startswith(f"{after} ") for words in written)


def _into(subject: Subject, layer: Layer) -> str | None:
    """Returns the operation that a BatchNormalization could be folded into; None: it is none."""
    if layer.type != "Scale" and not is_pointwise(layer) and layer.type != "kgen":
        return None
    names = (*subject.operators(layer), *subject.nodes(layer), layer.name)
    if not any(mark in name for name in names for mark in _MARKS):
        return None
    writers = subject.writers(layer)
    while len(writers) == 1 and (is_reformat(writers[0]) or writers[0].type == "NoOp"):
        if subject.only_reader(writers[0]) is not layer:
            return None
        layer = writers[0]
        writers = subject.writers(layer)
    for writer in writers:
        operation = subject.operation(writer)
        if operation is None or subject.only_reader(writer) is not layer:
            continue
        if operation != "product" or len(subject.computed(writer)) == 1:
            return _WORDS.get(operation)
    return None


def _row_before(subject: Subject, layer: Layer) -> str | None:
    """Returns the operation in the row in front of a BatchNormalization's, of times alone."""
    if is_reformat(layer) or not any(mark in layer.name for mark in _MARKS):
        return None
    if any(word in layer.name.casefold() for word in _MULTIPLIED):
        return None
    for before in reversed(subject.layers[: layer.index]):
        operators = subject.operators(before)
        if is_reformat(before) or _MOVED.intersection(operators):
            continue
        name = before.name.casefold()
        return next((what for word, what in _MULTIPLIED.items() if word in name), None)
    return None
