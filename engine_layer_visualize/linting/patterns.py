"""Rules about patterns of layers that could be one: normalisations, attentions, transposes."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.linting import roles
from engine_layer_visualize.linting.rules import Finding, finding, named, rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import myelin_index

_DIVISIONS: Final = frozenset(("Div", "Reciprocal"))
_FIRST: Final = "ReduceMean"  # without one there is no normalisation
_NEEDED: Final = frozenset((_FIRST, "Sub", "Sqrt"))
_STEPS: Final = _NEEDED | _DIVISIONS | {"Pow"}
_STEP: Final = lazy("|".join(sorted(_STEPS)))
_HEAVY: Final = frozenset(("Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum", "Softmax"))


@rule("U03")
def layernorm_in_pieces(subject: Subject) -> Iterator[Finding]:
    """A layer normalisation runs as several layers.

    **Found**: the ONNX nodes ReduceMean, Sub, Sqrt and Div of one module (`/encoder/norm/…`) are in
    two or more layers of the engine. Layers that also compute a product or a softmax are not
    counted. Silent for a Jetson before Orin: no version that it runs has the operator.

    **Why it costs**: a normalisation in one kernel reads its tensor once or twice. In pieces, each
    layer reads and writes it.

    **What to do**: export with opset 17 or later, where the module is one `LayerNormalization`
    node. Where other normalisations of the engine run as one layer, compare their axes and types.

    **When to leave it**: where the model must keep an opset below 17, or normalises over axes that
    `LayerNormalization` cannot have.

    **Example**:

        Layer(Reduce): /norm/ReduceMean, Tactic: 0x1, x[Half(1,64,256)] -> m[Half(1,64,1)]
        Layer(ElementWise): /norm/Sub, Tactic: 0x1, x[Half(1,64,256)], m[Half(1,64,1)] -> …

    **Versions**: all; needs ONNX nodes whose names have their modules.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issue 3230.
    """
    if subject.is_old_jetson:
        return
    if not any(_FIRST in text for layer in subject.layers for text in _texts(layer)):
        return
    steps: dict[str, set[str]] = defaultdict(set)  # of each module
    pieces: dict[str, set[int]] = defaultdict(set)
    for layer in subject.layers:
        if not any(map(_STEP.search, _texts(layer))) or not runs_kernel(layer):
            continue
        nodes = [node.rpartition("/") for node in subject.nodes(layer)]
        split = [(module, last.partition("_")[0]) for module, _, last in nodes]
        if any(operator in _HEAVY for _, operator in split):
            continue
        for module, operator in split:
            if operator in _STEPS and module:
                steps[module].add(operator)
                pieces[module].add(layer.index)
    every = [pieces[name] for name, own in steps.items() if own >= _NEEDED and own & _DIVISIONS]
    broken = [own for own in every if len(own) > 1]
    whole = len(every) - len(broken)
    whole += sum("LayerNormalization" in subject.operators(layer) for layer in subject.layers)
    if not broken:
        return
    layers = [subject.engine.layers[index] for index in sorted(set().union(*broken))]
    what = f"{count(len(broken), 'layer normalisation')} {plural(len(broken), 'runs', 'run')} as"
    advice = f"make each of them one normalisation in {subject.frontend.model}"
    if whole:
        advice = f"see what sets them apart from the {whole} that run as one layer"
    elif subject.frontend.may_be_onnx:
        advice = "export nn.LayerNorm with opset 17 or later: each becomes one node"
        if trtexec.is_before(subject.engine, (8, 6)):  # its parser has no such operator
            advice = f"build with TensorRT 8.6 or later, and {advice.partition(':')[0]}"
    yield finding(subject, layers, (f"{what} {len(layers)} layers: ", *named(layers)), advice)


def _texts(layer: Layer) -> tuple[str, ...]:
    """Returns the texts with the names of its nodes: they are searched before nodes are read."""
    metadata = next((value for key, value in layer.attributes if key == "Metadata"), None)
    return str(metadata or layer.name), *layer.known.onnx_nodes


_NARROW: Final = frozenset(("Half", "BFloat16", "Int8", "FP8"))
_MOST_LAYERS: Final = 12  # layers that are looked at on one side of the softmax
_MOST_ROWS: Final = 4  # the same of times alone


@rule("U04")
def attention_in_pieces(subject: Subject) -> Iterator[Finding]:
    """An attention runs as several layers: product, softmax, product.

    **Found**: a softmax reads what a matrix product writes, and a second product reads what it
    writes. Only pointwise and layout layers stand between. All are layers of their own. In times
    alone, rows of products stand at most four rows before and behind that of a softmax. Silent
    where the log shows a device below compute capability 7.5, or kernels for GPUs before Volta
    alone.

    **Why it costs**: the scores, one for each pair of positions, are written to memory and read
    again, twice. The fused kernel keeps them on the chip.

    **What to do**: TensorRT from 8.6 on fuses attention, in 16 bits. See its documentation for what
    it fuses as multi-head attention: head sizes, types, where the scaling and the mask stand.
    Remove Casts and Transposes between the products.

    **When to leave it**: where the model needs a head size, a type or a mask that TensorRT does not
    fuse.

    **Example**:

        Layer(MatrixMultiply): /attn/MatMul, Tactic: 0x1, q[Half(8,64,64)], k[Half(8,64,64)] -> s[…]
        Layer(SoftMax): /attn/Softmax, Tactic: 0x1, s[Half(8,64,64)] -> p[Half(8,64,64)]
        Layer(MatrixMultiply): /attn/MatMul_1, Tactic: 0x1, p[Half(8,64,64)], v[Half(8,64,64)] -> …

    **Versions**: all.

    **Severity**: hint.

    **Sources**: TensorRT documentation: multi-head attention fusion.
    """
    if subject.is_before_volta or (subject.compute_capability or (7, 5)) < (7, 5):
        return
    pieces: set[int] = set()
    attentions = 0
    for place, layer in enumerate(subject.layers):
        if not subject.edges:
            before, after = _rows_beside(subject, place)
        elif roles.is_softmax(layer):
            before = _product(subject, layer, subject.writers)
            after = _product(subject, layer, subject.readers)
        else:
            continue
        if before and after:
            attentions += 1
            pieces.update(piece.index for piece in (*before, layer, *after))
    if pieces:
        layers = [subject.engine.layers[index] for index in sorted(pieces)]
        what = f"{count(attentions, 'attention')} {plural(attentions, 'runs', 'run')} as"
        why = (f"{what} {len(layers)} layers: ", *named(layers))
        products = {subject.dtype(la) for la in layers if subject.operation(la) == "product"}
        advice = "compare head size, scaling, mask with those that TensorRT's documentation fuses"
        if any(is_reformat(la) or la.type == "Cast" or roles.is_layout(la) for la in layers):
            advice = (
                "remove what stands between the products but scaling and mask: Casts, Transposes"
            )
        is_new = any(myelin_index(la.name) is not None for la in layers)  # listed from 10 on
        if (subject.version or ((8, 6) if is_new else ())) < (8, 6):
            advice = "build with TensorRT 8.6 or later, which fuses attention in 16 bits"
        elif not products <= _NARROW:
            advice = "let it compute in 16 bits: TensorRT fuses attention in no wider type"
        yield finding(subject, layers, why, advice)


def _rows_beside(subject: Subject, place: int) -> tuple[list[Layer], list[Layer]]:
    """Returns the rows of products in front of a softmax's row, and behind, of times alone."""
    rows = subject.layers
    if {*subject.operators(rows[place])} != {"Softmax"}:
        return [], []
    near = rows[max(0, place - _MOST_ROWS) : place], rows[place + 1 : place + 1 + _MOST_ROWS]
    before, after = ([la for la in own if "MatMul" in subject.operators(la)] for own in near)
    return before[-1:], after[:1]


def _product(
    subject: Subject, softmax: Layer, neighbours: Callable[[Layer], list[Layer]]
) -> list[Layer]:
    """Returns the layers from a softmax to the nearest product of two computed tensors.

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
            if subject.operation(layer) == "product" and len(subject.computed(layer)) > 1:
                return [*way[1:], layer]
            is_light = roles.is_pointwise(layer) or roles.is_layout(layer) or is_reformat(layer)
            if is_light or layer.type in ("Scale", "NoOp", "Cast"):
                ways.append([*way, layer])
    return []


_LONGEST_CHAIN: Final = 16  # layers


@rule("U11")
def squeeze_transpose_chain(subject: Subject) -> Iterator[Finding]:
    """Layers that only move numbers follow one another, or stand around a pointwise layer.

    **Found**: two or more layers follow one another whose kernels only change a tensor's order or
    shape (Shuffle, some Myelin kernels). Or such a change stands behind a convolution or matrix
    product, then pointwise layers, then a change back. There a NoOp that gives another shape
    counts, too.

    **Why it costs**: each such layer reads and writes the whole tensor. What stands between two
    changes is not fused into the product. An engine built with and without them had 57 and 12
    layers.

    **What to do**: in the model, merge transposes that follow one another. Apply the pointwise
    operation before the change, with its constant in the other order: then both changes can go.

    **When to leave it**: where the model cannot be changed: no flag of the builder removes these
    layers.

    **Example**:

        Layer(CaskConvolution): Conv_0, Tactic: 0x1, x[Float(1,32,16,16)] -> a[Float(1,32,16,16)]
        Layer(Shuffle): Transpose_1, Tactic: 0x0, a[Float(1,32,16,16)] -> b[Float(1,16,16,32)]
        Layer(ElementWise): Add_2, Tactic: 0x1, b[…], w[Float(1,1,1,32)] -> c[Float(1,16,16,32)]
        Layer(Shuffle): Transpose_3, Tactic: 0x0, c[Float(1,16,16,32)] -> y[Float(1,32,16,16)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: NVIDIA trt-samples-for-hackathon-cn cookbook: EliminateSqueezeUnsqueezeTranspose.
    """
    model = subject.frontend.model
    rows: dict[tuple[str, ...], list[Layer]] = defaultdict(list)
    arounds: dict[tuple[str, ...], list[Layer]] = defaultdict(list)
    kept: set[int] = set()  # one of a row that is merged stays
    for layer in subject.layers:
        if roles.is_layout(layer) and _starts(subject, layer):
            chain = [*takewhile(roles.is_layout, islice(_line(subject, layer), _LONGEST_CHAIN))]
            if sum(map(roles.moves_only, chain)) >= 2:
                rows[tuple(link.type for link in chain)] += chain
                kept.add(max(chain, key=lambda link: subject.ms(link) or 0.0).index)
        elif roles.is_product(subject, layer) and (chain := _around(subject, layer)):
            arounds[tuple(link.type for link in chain)] += chain
    row = " follow one another and only move numbers"
    merge = f"merge the Transposes and Reshapes that follow one another in {model}"
    around = ": changes of order or shape around pointwise layers, behind a product"
    move = f"in {model}, move the pointwise operation before the first change: then both can go"
    for chains, what, advice in ((rows, row, merge), (arounds, around, move)):
        for layers in chains.values():
            why = (*named(layers), what)
            gone = [layer for layer in layers if layer.index not in kept]
            yield finding(subject, layers, why, advice, ms=subject.costs.sum(gone))


def _starts(subject: Subject, layer: Layer) -> bool:
    """Whether no layout layer stands before it that has it as its only reader."""
    before = filter(roles.is_layout, subject.writers(layer))
    return not any(subject.only_reader(writer) is layer for writer in before)


def _line(subject: Subject, layer: Layer | None) -> Iterator[Layer]:
    """Yields a layer, the only reader of what it writes, the only reader of that, and so on."""
    while layer is not None:
        yield layer
        layer = subject.only_reader(layer)


def _around(subject: Subject, product: Layer) -> list[Layer]:
    """Returns a change, pointwise layers and the change back; empty where there are none."""
    chain: list[Layer] = []
    has_pointwise = False
    for layer in islice(_line(subject, product), 1, _LONGEST_CHAIN + 1):
        is_change = roles.is_layout(layer)
        if not is_change and not (chain and _is_alone(subject, layer)):
            break
        chain.append(layer)
        if is_change and has_pointwise:
            return chain if _dims(layer) == _dims(product) else []
        has_pointwise = not is_change
    return []


def _is_alone(subject: Subject, layer: Layer) -> bool:
    """Whether it is pointwise, and all that it reads but one tensor is constant."""
    is_pointwise = layer.type == "Scale" or roles.is_pointwise(layer)
    return is_pointwise and len(subject.computed(layer)) == 1


def _dims(layer: Layer) -> str:
    return layer.outputs[0].dims if layer.outputs else ""
