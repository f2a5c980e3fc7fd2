"""The rule about convolutions with odd numbers of channels.

A kernel works on blocks of channels: of 8 in 16 bits, of 16 in Int8, of 4 in TF32. What is missing
in the last block is computed as zeros. Where a tensor's format pads its channels to whole blocks
already (Half HWC8), a wider model gains nothing.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
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
_FEW_WEIGHTS: Final = 1 << 17  # of a fully connected layer


@rule("H01")
def channels_unaligned(subject: Subject) -> Iterator[Finding]:
    """A convolution has numbers of channels that do not fill the blocks of tensor cores.

    **Found**: a convolution or deconvolution with one group reads more than 4 channels. The number
    that it reads or writes is no multiple of 8 (Half, BFloat16), 16 (Int8) or 4 (TF32). Channels
    that the tensor's format pads anyway do not count. Silent where it has a single row: it waits
    for the memory. Silent where it reads whole blocks and has fewer filters than one: H04 and H10
    look at these. A fully connected layer in Float, which runs as a convolution, counts as one in
    TF32. Without times, a layer counts from 1 % of all multiplications on; where these are unknown,
    this one from 131,072 weights on.

    **Why it costs**: the kernel computes whole blocks. The missing channels are computed as zeros,
    and some kernels cannot be used at all. At most the time of the zeros could be saved. It is
    never more than the layer's time above its bound and a launch (5 µs).

    **What to do**: train with the next multiple (50 -> 56; for Int8 best one of 32): the zeros
    become results. Zeros in the weights are enough for a fully connected layer in Float.

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
    if subject.is_before_volta or subject.lacks_tensor_cores:
        return
    alike: dict[tuple[str, int, tuple[int, ...]], list[_Odd]] = defaultdict(list)
    for odd in filter(None, (_odd(subject, layer) for layer in subject.convolving)):
        is_few = odd.written < odd.block and not odd.read % odd.block
        if odd.numbers and not is_few and not _is_little(subject, odd):
            alike[odd.dtype, odd.block, odd.numbers].append(odd)
    for (dtype, block, numbers), odds in alike.items():
        if (ms := _lost(subject, odds)) is not None and ms < roles.NOISE_MS:
            continue
        found = [odd.layer for odd in odds]
        listed = f"{', '.join(map(str, numbers))} {plural(numbers[-1], 'channel')}"
        why = (*named(found), f": {listed}, no multiple of {block}, in {dtype}")
        # A reader's odd channels are most often its writer's filters.
        written = sorted({odd.written for odd in odds}.intersection(numbers))
        padded = ", ".join(f"{n} -> {_up(n, block)}" for n in written or numbers)
        advice = f"train with padded channels ({padded})"
        if dtype == "Float":  # no blocks of zeros are computed: only rows are not aligned
            ms = None
            zeros = "with zeros, and drop additional results before a Softmax"
            advice = f"pad the model's features ({padded}) {zeros}"
        evidence = [
            Evidence(f"C = {odd.read}, K = {odd.written}", odd.layer.place.line)
            for odd in odds[:FEW]
        ]
        yield finding(subject, found, why, advice, evidence, ms=ms)


class _Odd(NamedTuple):
    """A layer whose numbers of channels do not fill whole blocks.

    Attributes:
        layer: the convolution.
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
        """The part of the multiplications that are not of zeros which no format pads."""
        ends = (number for number in (self.read, self.written) if number in self.numbers)
        return math.prod(number / _up(number, self.block) for number in ends)


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
    if known.rows == 1 or known.read <= roles.PICTURE_CHANNELS:
        return None
    # Myelin appends channels to those of the model by concatenating a constant.
    if layer.type == "correlation" and any(map(sizes.constants, subject.writers(layer))):
        return None
    ends = (first_data(layer.inputs), known.read), (first_data(layer.outputs), known.written)
    unpadded = (number for end, number in ends if end is None or counts.vector(end)[1] % block)
    odd = tuple(sorted({number for number in unpadded if number % block}))
    return _Odd(layer, precisions.told_of(layer), block, known.read, known.written, odd)


def _is_little(subject: Subject, odd: _Odd) -> bool:
    """Whether a layer without a time has few of the multiplications, or of the weights."""
    if subject.ms(odd.layer) is not None:
        return False
    if (macs := subject.work_of(odd.layer).macs) is None:  # of unknown rows
        return _is_flat_product(subject, odd.layer) and odd.read * odd.written < _FEW_WEIGHTS
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


def _lost(subject: Subject, odds: Sequence[_Odd]) -> float | None:
    """Returns the ms that the zeros take at most; None where no time is known."""
    lost = []
    for odd in odds:
        if (ms := subject.ms(odd.layer)) is not None:
            above = subject.work_of(odd.layer).above_ms
            most = (ms if above is None else above) - work.LAUNCH
            lost.append(max(0.0, min(ms * (1 - odd.used), most)))
    return sum(lost) if lost else None


def _up(number: int, block: int) -> int:
    return -(-number // block) * block
