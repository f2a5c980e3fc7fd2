"""Rules about convolutions and products with odd numbers of channels.

A kernel works on blocks of channels: of 8 in 16 bits, of 16 in Int8, of 4 in TF32. What is missing
in the last block is computed as zeros. Where a tensor's format pads its channels to whole blocks
already (Half HWC8), a wider model gains nothing.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import counts, extents, precisions, sizes, work
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import FEW
from engine_layer_visualize.linting import roles
from engine_layer_visualize.linting.rules import Evidence, Finding, finding, named, rule
from engine_layer_visualize.linting.subject import Subject, first_data
from engine_layer_visualize.trt.types import canonical

_BLOCKS: Final = {"Half": 8, "BFloat16": 8, "Int8": 16}
_FIRST_WITH_TF32: Final = (8, 0)
_PRODUCTS: Final = frozenset(("Gemm", "MatMul"))


# What a product's padding needs where its result is multiplied again, as far as edges tell, or not.
_INNER: Final = "with zeros in the weights of the next layer"
_LAST: Final = "and drop the additional results before any Softmax"


@rule("H01")
def channels_unaligned(subject: Subject) -> Iterator[Finding]:
    """A convolution has numbers of channels that do not fill the blocks of tensor cores.

    **Found**: a convolution or deconvolution with one group reads more than 4 channels. The number
    that it reads or writes is no multiple of 8 (Half, BFloat16), 16 (Int8) or 4 (TF32). Channels
    that the tensor's format pads anyway do not count. Silent where it has a single row: it waits
    for the memory. Silent where it has fewer filters than a block: H04 and H10 look at these. A
    Gemm that runs as a convolution, and a fully connected layer in Float, get the advice of H02.

    **Why it costs**: the kernel computes whole blocks. The missing channels are computed as zeros,
    and some kernels cannot be used at all. At most the time of the zeros could be saved. It is
    never more than the layer's time above its bound and a launch (5 µs).

    **What to do**: train with the next multiple (50 -> 56; for Int8 best one of 32): the zeros
    become results.

    **When to leave it**: where the model cannot be trained again. Or where the layers wait for the
    memory: more channels are more bytes.

    **Example**:

        Name: conv, LayerType: CaskConvolution, Inputs: [ { Name: x, Dimensions: [1,50,56,56],
            … Half

    **Versions**: detailed listings: a classic one has no groups.

    **Severity**: hint.

    **Sources**: TREx: the linter for tensor cores; NVIDIA deep learning performance documentation:
    convolutional layers; NVIDIA/TensorRT issue 3876.
    """
    products = {la.index: la for la in subject.convolving if _is_product(subject, la)}
    others = (layer for layer in subject.convolving if layer.index not in products)
    yield from _unaligned(subject, others, are_products=False)
    yield from _unaligned(subject, products.values(), are_products=True)


@rule("H02")
def gemm_unaligned(subject: Subject) -> Iterator[Finding]:
    """A matrix product has extents that do not fill the blocks of tensor cores.

    **Found**: the inner extent K or the width N of a product is no multiple of 8 (Half, BFloat16),
    16 (Int8) or 4 (TF32). K is more than 4. Without times, it has 1 % of all multiplications; where
    these are unknown, 131,072 weights. Silent where it has one row: it waits for the weights.
    Silent where both factors are computed, as in attention: padded tokens would change the results
    of a Softmax.

    **Why it costs**: as for convolutions (H01): zeros are computed, and kernels that need aligned
    rows cannot be used.

    **What to do**: pad the features (1001 classes -> 1008, a vocabulary of 50257 -> 50264). Behind
    the last product, leave the additional results out before a Softmax reads them. Else give the
    next layer's weights rows of zeros.

    **When to leave it**: where the product has few rows and waits for its weights: more features
    are more bytes.

    **Example**:

        Layer(MatrixMultiply): fc, Tactic: 0x1, x[Half(64,2048)], w[Half(2048,1001)]
            -> y[Half(64,1001)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: NVIDIA deep learning performance documentation: matrix multiplication; NVIDIA
    trt-samples-for-hackathon-cn cookbook: AlignSize.
    """
    fused = (layer for layer in subject.layers if sizes.multiplied(layer) == "product")
    products = (layer for layer in subject.multiplying if subject.operation(layer) == "product")
    return _unaligned(subject, chain(products, fused), are_products=True)


def _is_product(subject: Subject, layer: Layer) -> bool:
    """Whether the model has a product that the builder runs as a convolution."""
    if _is_flat_product(subject, layer):
        return True
    is_named = any(map(layer.name.__contains__, _PRODUCTS))
    if not is_named and _PRODUCTS.isdisjoint(layer.known.onnx_operators):
        return False  # most
    operators = subject.operators(layer)
    return bool(operators) and _PRODUCTS.issuperset(operators)


class _Odd(NamedTuple):
    """A layer whose numbers of channels do not fill whole blocks.

    Attributes:
        layer: the convolution or product.
        dtype: the type in which it computes.
        block: channels of a block.
        read: how many channels it reads in the model.
        written: how many channels it writes in the model.
        numbers: those of them that are odd, and that no format pads.
    """

    layer: Layer
    dtype: str
    block: int
    read: int
    written: int
    numbers: tuple[int, ...]

    @property
    def used(self) -> float:
        """The part of the multiplications that are not of zeros."""
        return math.prod(n / _up(n, self.block) for n in (self.read, self.written))


def _unaligned(
    subject: Subject, layers: Iterable[Layer], *, are_products: bool
) -> Iterator[Finding]:
    """Yields a finding for all layers with the same odd numbers of channels."""
    if subject.is_before_volta or subject.lacks_tensor_cores:
        return
    alike: dict[tuple[str, int, tuple[int, ...]], list[_Odd]] = defaultdict(list)
    for odd in filter(None, (_odd(subject, layer) for layer in layers)):
        # Fewer filters than a block gain nothing by zeros.
        is_few = not are_products and odd.written < odd.block and not odd.read % odd.block
        if odd.numbers and not is_few and not _is_little(subject, odd, are_products):
            alike[odd.dtype, odd.block, odd.numbers].append(odd)
    read, wrote, unit = ("K", "N", "feature") if are_products else ("C", "K", "channel")
    for (dtype, block, numbers), odds in alike.items():
        if (ms := _lost(subject, odds)) is not None and ms < roles.NOISE_MS:
            continue
        found = [odd.layer for odd in odds]
        listed = f"{', '.join(map(str, numbers))} {plural(numbers[-1], unit)}"
        why = (*named(found), f": {listed}, no multiple of {block}, in {dtype}")
        # A reader's odd channels are most often its writer's filters.
        written = sorted({odd.written for odd in odds if odd.written % block})
        padded = ", ".join(f"{n} -> {_up(n, block)}" for n in written or numbers)
        advice = f"train with padded channels ({padded})"
        if are_products:
            readers = (reader for la in found for reader in roles.behind(subject, la).readers)
            further = _INNER if any(map(subject.multiplies, readers)) else _LAST
            advice = f"pad the model's features ({padded}), {further}"
        evidence = [
            Evidence(f"{read} = {odd.read}, {wrote} = {odd.written}", odd.layer.place.line)
            for odd in odds[:FEW]
        ]
        # In Float no blocks of zeros are computed: only rows are not aligned.
        ms = None if dtype == "Float" else ms
        yield finding(subject, found, why, advice, evidence, ms=ms)


def _odd(subject: Subject, layer: Layer) -> _Odd | None:
    """Returns a layer with its numbers of channels; None where they are unknown.

    None, too, where no tensor core would run the layer: a single row is multiplied as a vector, at
    the speed of the memory.
    """
    known, block = extents.channels(subject.extents(layer)), _block(subject, layer)
    if block is None or known is None or not known.read or not known.written:
        return None
    # Of a fully connected layer the listing has no groups.
    if known.groups != 1 and not (known.groups is None and _is_flat_product(subject, layer)):
        return None
    if known.read <= roles.PICTURE_CHANNELS or known.rows == 1 or _of_activations(subject, layer):
        return None
    # Myelin appends channels to those of the model by concatenating a constant.
    if layer.type == "correlation" and any(map(sizes.constants, subject.writers(layer))):
        return None
    dtype = precisions.computed_in([layer])
    ends = (first_data(layer.inputs), known.read), (first_data(layer.outputs), known.written)
    unpadded = (number for end, number in ends if end is None or counts.vector(end)[1] % block)
    odd = tuple(sorted({number for number in unpadded if number % block}))
    return _Odd(layer, dtype, block, known.read, known.written, odd)


def _is_little(subject: Subject, odd: _Odd, is_product: bool) -> bool:
    """Whether a layer without a time has few of the multiplications, or a product few weights."""
    if subject.ms(odd.layer) is not None:
        return False
    if (macs := subject.work_of(odd.layer).macs) is None:
        return is_product and odd.read * odd.written < 1 << 17  # of unknown rows
    return macs < 0.01 * subject.once(_all_macs)


def _all_macs(subject: Subject) -> int:
    return sum(subject.work_of(layer).macs or 0 for layer in subject.multiplying)


def _is_flat_product(subject: Subject, layer: Layer) -> bool:
    """Whether a convolution in Float is a fully connected layer: of one pixel, into one."""
    known = subject.extents(layer)
    if not isinstance(known, sizes.Convolution) or subject.dtype(layer) != "Float":
        return False
    return {*known.before, *known.after} == {1}


def _block(subject: Subject, layer: Layer) -> int | None:
    """Returns the channels of a block; None where no tensor core takes the layer's type.

    Where the device is unknown, by the kernels as well, a flat product in Float may run in TF32.
    """
    precision = precisions.of(layer)
    may = (subject.capability or _FIRST_WITH_TF32) >= _FIRST_WITH_TF32
    if precision.tf32 or (may and _is_flat_product(subject, layer)):
        return 4
    return _BLOCKS.get(canonical(precision.dtype) or "")


def _of_activations(subject: Subject, layer: Layer) -> bool:
    """Whether layers write both factors of a product, as in attention.

    Then its extents may be numbers of tokens: padded ones take part in a Softmax.
    """
    size = subject.extents(layer)
    if not isinstance(size, sizes.Product) or len(size.inputs) == 1:
        return False
    written = {edge.tensor for edge in subject.computed(layer) if edge.source is not None}
    return all(layer.inputs[place].name in written for place in size.inputs)


def _lost(subject: Subject, odds: Sequence[_Odd]) -> float | None:
    """Returns the ms that the zeros take at most; None where no time is known."""
    known = [(ms, odd) for odd in odds if (ms := subject.ms(odd.layer)) is not None]
    above = [subject.work_of(odd.layer).above_ms for _, odd in known]
    lost = [
        max(0.0, min(ms * (1 - odd.used), (ms if more is None else more) - work.LAUNCH))
        for (ms, odd), more in zip(known, above)
    ]
    return sum(lost) if lost else None


def _up(number: int, block: int) -> int:
    return -(-number // block) * block
