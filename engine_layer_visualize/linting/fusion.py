"""Rules about layers that could be a part of what stands beside them."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting import roles
from engine_layer_visualize.linting.rules import Finding, finding, named, rule
from engine_layer_visualize.linting.subject import Subject, first_data
from engine_layer_visualize.trt.types import of_combination

_BETWEEN: Final = ("Cast", "NoOp", "Shuffle")  # what may stand behind the product
# ReLU can replace these, by ONNX's and PyTorch's names: arithmetic is something else.
_ACTIVATIONS: Final = frozenset(
    (
        *("celu", "clamp", "clip", "elu", "erf", "gelu", "hardsigmoid", "hardswish", "hardtanh"),
        *("leakyrelu", "mish", "prelu", "relu", "selu", "sigmoid", "silu", "softplus", "softsign"),
        *("swish", "tanh", "thresholdedrelu"),
    )
)
_TO_TWO: Final = (
    "in {model}, reshape to two dimensions before the chain of products, and back behind"
)


@rule("U01")
def pointwise_unfused(subject: Subject) -> Iterator[Finding]:
    """A pointwise layer stands alone behind the convolution or matrix product that it could be part
    of.

    **Found**: a layer of type PointWise, ElementWise, Activation or Unary alone reads what a
    convolution or matrix product writes. A Cast or a change of shape may stand between: then no
    saving is told. Silent where it joins two computed tensors, as a residual or a gate. Silent
    about a bias or a constant with ReLU, LeakyReLU or Clip, unless its type or the product's
    dimensions prevent the fusion.

    **Why it costs**: the whole tensor is written to memory and read again. Within the product, the
    same operation costs almost nothing.

    **What to do**: TensorRT fuses a bias, one residual addition and some activations (such as ReLU)
    into a product. Put them directly behind it in the model, in the same type. Up to TensorRT 9 a
    product with constant weights takes them in where it has two dimensions: reshape its input to
    these before the chain of products, and back behind it. An engine built in both ways had 83 and
    27 layers. The advice says what stands in the way, where the log shows it.

    **When to leave it**: where the accuracy needs this activation, and TensorRT does not fuse it.

    **Example**:

        Layer(CaskConvolution): conv, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
        Layer(PointWiseV2): PWN(act), Tactic: 0x1, a[Half(1,8,4,4)] -> y[Half(1,8,4,4)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: TensorRT documentation: types of fusion; NVIDIA trt-samples-for-hackathon-cn
    cookbook: Convert3DMMTo2DMM.
    """  # noqa: D205
    groups: dict[tuple[str, bool], list[tuple[Layer, Layer]]] = defaultdict(list)
    for layer, product in _behind_products(subject):
        if advice := _advice(subject, layer, product):
            is_next = product in subject.writers(layer)
            groups[advice, is_next].append((layer, product))
    for (advice, is_priced), pairs in groups.items():
        layers, products = ([*each] for each in zip(*pairs))
        between = "" if is_priced else ", with a Cast or a change of shape between"
        why = (*named(layers), " alone behind ", *named(products), between)
        ms = subject.costs.sum(layers) if is_priced else None
        yield finding(subject, layers, why, advice, ms=ms)


def _behind_products(subject: Subject) -> Iterator[tuple[Layer, Layer]]:
    """Yields each pointwise layer with the product that writes for it alone."""
    for layer in subject.layers:
        for writer in subject.writers(layer) if roles.is_pointwise(layer) else ():
            product, reader = writer, layer
            while product.type in _BETWEEN and subject.only_reader(product) is reader:
                product, reader = next(iter(subject.writers(product)), product), product
            if roles.is_product(subject, product) and subject.only_reader(product) is reader:
                yield layer, product
                break


def _advice(subject: Subject, layer: Layer, product: Layer) -> str:
    """Returns what to try; empty where nothing is to be done."""
    read, written = first_data(product.outputs), first_data(layer.outputs)
    quantises = written is not None and written.dtype in roles.QUANTISED and subject.has_qdq
    if read is not None and written is not None and read.dtype != written.dtype and not quantises:
        return "give the product and this layer one type: they write different ones"
    if len(subject.computed(layer)) > 1:  # the builder alone decides about a residual
        return ""
    if _could_have_two(subject, product):
        is_next = product in subject.writers(layer)
        return _TO_TWO.format(model=subject.frontend.model) if is_next else ""
    operators = [name.casefold().replace("_", "") for name in subject.operators(layer)]
    if roles.is_tail(subject, layer, product) or (operators and _ACTIVATIONS.isdisjoint(operators)):
        return ""
    return "try ReLU directly behind the product: this build did not fuse this activation"


def _could_have_two(subject: Subject, layer: Layer) -> bool:
    """Whether a product has more dimensions than two, and weights to which two are enough."""
    if not layer.type.startswith("MatrixMultiply") or len(layer.inputs) < 2:
        return False
    data, weights = layer.inputs[:2]
    is_flat = all(extent == 1 for extent in weights.shape[:-2])
    if len(data.shape) <= 2 or not is_flat:
        return False
    layers = subject.engine.layers
    sources = (edge.source for edge in subject.reads(layer) if edge.tensor == weights.name)
    return any(source is not None and layers[source].type == "Constant" for source in sources)


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


@rule("U09")
def bn_unfused(subject: Subject) -> Iterator[Finding]:
    """A BatchNormalization runs as a layer behind its convolution or product.

    **Found**: a layer is made of a BatchNormalization node or of its parts (`running_var` in its
    name). It alone reads what a convolution, or a product with constant weights, writes. A reformat
    or a change of shape may stand between. In times alone, a row so named follows that of a
    convolution or product.

    **Why it costs**: the whole tensor is read and written once more. Folded into the weights before
    it, the same normalisation costs nothing. A reformat between both goes, too, unless it has to
    change the type.

    **What to do**: export the model in evaluation mode (`model.eval()` in PyTorch), with
    `do_constant_folding`. That folds it into the weights of a convolution. Fold it yourself into
    those of a transposed one or a product. In a model with Q/DQ, fold it before QuantizeLinear is
    put on the weights.

    **When to leave it**: where the weights have to stay those of the model, such as for a refit.

    **Example**:

        Layer(CaskConvolution): Conv_0, Tactic: 0x1, x[Half(1,8,4,4)] -> a[Half(1,8,4,4)]
        Layer(Scale): BatchNormalization_1, Tactic: 0x1, a[Half(1,8,4,4)] -> y[Half(1,8,4,4)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: TensorRT documentation: types of fusion.
    """
    into = _into if subject.edges else _row_before
    found = {la.index: words for la in subject.layers if (words := into(subject, la))}
    if not found:
        return
    layers = [layer for layer in subject.layers if layer.index in found]
    before = (writer for layer in layers for writer in subject.writers(layer))
    between = [writer for writer in before if is_reformat(writer) and writer.inputs]
    gone = [*layers, *(la for la in between if not _stays(subject, la))]
    stand, kinds = plural(len(layers), "stands", "stand"), sorted({*found.values()})
    why = (*named(layers), f" {stand} behind a {' or a '.join(kinds)}, not folded into it")
    model = subject.frontend.model
    advice = f"fold BatchNormalization into the {' or '.join(kinds)}'s weights in {model}"
    if subject.frontend.may_be_onnx and kinds == ["convolution"]:  # no exporter does it for others
        advice = (
            "export in evaluation mode: that folds BatchNormalization into the convolution's "
            "weights"
        )
    advice += ", before QuantizeLinear" if subject.has_qdq else ""
    saved = subject.costs.sum(gone) if subject.edges else None
    yield finding(subject, [*layers, *between], why, advice, ms=saved)


def _stays(subject: Subject, reformat: Layer) -> bool:
    """Whether a reformat stays: the layer in front of it was not timed to write its type itself."""
    before, after = reformat.inputs[0].dtype, reformat.outputs[0].dtype
    timed = [each for la in subject.writers(reformat) for each in subject.tuned(la).combinations]
    written = (words for each in timed for words in of_combination(each.formats or "")[-1])
    return before != after and not any(words.startswith(f"{after} ") for words in written)


def _into(subject: Subject, layer: Layer) -> str | None:
    """Returns the operation that a BatchNormalization could be folded into; None: it is none."""
    if layer.type not in ("Scale", "kgen") and not roles.is_pointwise(layer):
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
        if is_reformat(before) or _MOVED.intersection(subject.operators(before)):
            continue
        name = before.name.casefold()
        return next((what for word, what in _MULTIPLIED.items() if word in name), None)
    return None
