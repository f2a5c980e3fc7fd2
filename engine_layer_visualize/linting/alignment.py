"""Finds convolutions and products with odd numbers of channels.

A kernel works on blocks of channels: of 8 in 16 bits, of 16 in Int8, of 4 in TF32. What is missing
in the last block is computed as zeros. Where a tensor's format pads its channels to whole blocks
already (Half channels last, in 8s), a wider model gains nothing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import extents, precisions, traffic
from engine_layer_visualize.analysis.sizes import Convolution, Product, constants
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.linting.finding import NOISE_MS, Evidence, Finding, Rule
from engine_layer_visualize.linting.roles import passes_on
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import canonical

Way = Literal["pad", "join"]
_BLOCKS: Final = {"Half": 8, "BFloat16": 8, "Int8": 16}
_TF32_BLOCK: Final = 4
_PICTURE_CHANNELS: Final = 4  # at most: for so few there are kernels of their own
_MOST_LINES: Final = 3  # of the log, as evidence
_FIRST_WITH_CORES: Final = (7, 0)
_FIRST_WITH_TF32: Final = (8, 0)


class _Odd(NamedTuple):
    """A layer whose numbers of channels do not fill whole blocks.

    Attributes:
        layer: the convolution or product.
        dtype: the type in which it computes.
        block: channels of a block.
        read: how many channels it reads in the model.
        written: how many channels it writes in the model.
        padded: whether the format of what is read, and of what is written, pads to whole blocks.
        few: whether it has fewer filters than a block.
        way: what can be done: to pad it, or to join it with others that read the same tensor.
    """

    layer: Layer
    dtype: str
    block: int
    read: int
    written: int
    padded: tuple[bool, bool] = (False, False)
    few: bool = False
    way: Way = "pad"

    @property
    def odd(self) -> tuple[int, ...]:
        """The numbers that are no multiple, as read and as written."""
        return tuple(n for n in (self.read, self.written) if n % self.block)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The odd numbers that no format pads; where layers join, all odd ones."""
        if self.way == "join":
            return tuple(sorted({*self.odd}))
        sides = zip((self.read, self.written), self.padded)
        return tuple(sorted({n for n, padded in sides if n % self.block and not padded}))

    @property
    def used(self) -> float:
        """The part of the multiplications that are not of zeros."""
        return math.prod(n / _up(n, self.block) for n in self.odd)


def unaligned(
    subject: Subject,
    rule: Rule,
    words: tuple[str, str, str],
    wanted: Iterable[Layer],
    advice: Mapping[Way, str],
) -> Iterator[Finding]:
    """Yields a finding for all layers with the same odd numbers of channels.

    One more is for all layers that have fewer filters than a block and can be joined: a layer that
    cannot be joined gains nothing.

    Args:
        subject: the engine.
        rule: the rule that asks.
        words: what the numbers that are read and written are called, and what is counted.
        wanted: the layers that are looked at.
        advice: what to try in each way; `{}` stands for `50 -> 56`.
    """
    device = subject.compute_capability or _FIRST_WITH_CORES
    if device < _FIRST_WITH_CORES or subject.lacks_tensor_cores:
        return
    every = [odd for layer in wanted if (odd := _odd(subject, layer)) is not None]
    by_way: dict[tuple[str, int, Way], list[_Odd]] = defaultdict(list)
    for odd in _ways(subject, every):
        joins = "join" in advice
        told = odd if joins else odd._replace(way="pad")
        if told.numbers and not (joins and told.few and told.way == "pad"):
            by_way[told.dtype, told.block, told.way].append(told)
    for (dtype, block, way), odds in by_way.items():
        for group, ms in _causes(subject, odds, way):
            layers = [odd.layer for odd in group]
            evidence = [
                Evidence(_sizes(subject, odd, *words[:2]), odd.layer.place.line)
                for odd in group[:_MOST_LINES]
            ]
            written = sorted({odd.written for odd in group if odd.written % block})
            numbers = sorted({number for odd in group for number in odd.numbers})
            listed = ", ".join(map(str, numbers))
            what = f"{listed} {plural(numbers[-1], words[2])}, no multiple of {block}, in {dtype}"
            why: Words = (*named(layers), f": {what}")
            # A reader's odd channels are most often its writer's filters.
            padded = ", ".join(f"{n} -> {_up(n, block)}" for n in written or numbers)
            ms = None if dtype == "Float" else ms  # no blocks of zeros: only rows are not aligned
            yield finding(
                subject, rule, layers, why, advice[way].format(padded), evidence, ms=ms, part=None
            )


def _odd(subject: Subject, layer: Layer) -> _Odd | None:
    """Returns a layer with its odd numbers; None where nothing is odd, or that is unknown.

    None, too, where no tensor core would run the layer: a single row is multiplied as a vector, at
    the speed of the memory.
    """
    sizes, block = extents.channels(subject.extents(layer)), _block(subject, layer)
    if block is None or sizes is None or not sizes.read or not sizes.written:
        return None
    # Of a fully connected layer the listing has no groups.
    if sizes.groups != 1 and not (sizes.groups is None and is_flat_product(subject, layer)):
        return None
    if sizes.read <= _PICTURE_CHANNELS or sizes.rows == 1 or _of_activations(subject, layer):
        return None
    dtype = "TF32" if precisions.of(layer).tf32 else subject.dtype(layer) or ""
    ends = subject.data_input(layer), subject.data_output(layer)
    read, written = (end is not None and traffic.vector(end) % block == 0 for end in ends)
    model = _of_model(subject, layer, sizes.read), sizes.written
    odd = _Odd(layer, dtype, block, *model, (read, written))
    return odd if odd.odd else None


def _sizes(subject: Subject, odd: _Odd, read: str, written: str) -> str:
    """Returns `C = 50, K = 64`, and how the listing has it."""
    listed = extents.channels(subject.extents(odd.layer))
    more = "" if listed is None or listed.read == odd.read else f", listed as {listed.read}"
    return f"{read} = {odd.read}{more}, {written} = {odd.written}"


def is_flat_product(subject: Subject, layer: Layer) -> bool:
    """Whether a convolution in Float is a fully connected layer: of one pixel, into one."""
    sizes = subject.extents(layer)
    if not isinstance(sizes, Convolution) or subject.dtype(layer) != "Float":
        return False
    return {*sizes.before, *sizes.after} == {1}


def _block(subject: Subject, layer: Layer) -> int | None:
    """Returns the channels of a block; None where no tensor core takes the layer's type.

    Where the device is unknown, by the kernels as well, a flat product in Float may run in TF32.
    """
    precision = precisions.of(layer)
    may = (subject.capability or _FIRST_WITH_TF32) >= _FIRST_WITH_TF32
    if precision.tf32 or (may and is_flat_product(subject, layer)):
        return _TF32_BLOCK
    return _BLOCKS.get(canonical(precision.dtype) or "")


def _of_activations(subject: Subject, layer: Layer) -> bool:
    """Whether both factors of a product are computed, as in attention.

    Then its extents may be numbers of tokens: padded ones take part in a Softmax.
    """
    multiplied = subject.extents(layer)
    if not isinstance(multiplied, Product) or len(multiplied.inputs) == 1:
        return False
    sources = {edge.tensor: edge.source for edge in subject.reads(layer)}
    factors = (layer.inputs[place].name for place in multiplied.inputs)
    return all(_is_computed(subject, sources.get(name)) for name in factors)


def _is_computed(subject: Subject, source: int | None) -> bool:
    """Whether a layer writes numbers that depend on other layers, and are no weights."""
    while source is not None:
        layer = subject.engine.layers[source]
        before = subject.computed(layer)
        if not before or not passes_on(layer):
            return bool(before)
        source = before[0].source
    return False


def _of_model(subject: Subject, layer: Layer, read: int) -> int:
    """Returns the channels without those that Myelin appends by concatenating a constant."""
    for writer in subject.writers(layer) if layer.type == "correlation" else ():
        appended = [constant for constant in constants(writer) if len(constant.shape) > 1]
        for tensor in writer.inputs:
            if any(_fills(tensor, constant, read) for constant in appended):
                return tensor.shape[1]
    return read


def _fills(tensor: Tensor, constant: Tensor, channels: int) -> bool:
    """Whether a tensor and a constant together have so many channels."""
    shape, more = tensor.shape, constant.shape
    alike = len(shape) == len(more) > 1 and shape[:1] + shape[2:] == more[:1] + more[2:]
    return alike and shape[1] + more[1] == channels


def _ways(subject: Subject, odds: Sequence[_Odd]) -> Iterator[_Odd]:
    """Yields each layer with what can be done to it."""
    whole = [read_whole(subject, odd.layer) for odd in odds]
    few = [odd.written < odd.block and not odd.read % odd.block for odd in odds]
    readers = Counter(tensor for tensor, is_few in zip(whole, few) if is_few)
    for odd, tensor, is_few in zip(odds, whole, few):
        joined = is_few and tensor is not None and readers[tensor] > 1
        yield odd._replace(few=is_few, way="join" if joined else "pad")


def read_whole(subject: Subject, layer: Layer) -> str | None:
    """Returns the tensor that a layer reads; None where it reads a slice of it."""
    tensor = subject.data_input(layer)
    if tensor is None:
        return None
    outputs = (output for writer in subject.writers(layer) for output in writer.outputs)
    sliced = any(
        output.name == tensor.name and _count(output) > _count(tensor) for output in outputs
    )
    return None if sliced else tensor.name


def _count(tensor: Tensor) -> int:
    """Returns the elements, with 1 for each symbolic extent: a slice has the same ones."""
    return math.prod(max(extent, 1) for extent in tensor.shape)


# ---- what is at stake ----------------------------------------------------------------------------


def _causes(
    subject: Subject, odds: Sequence[_Odd], way: Way
) -> Iterator[tuple[list[_Odd], float | None]]:
    """Yields the layers of each finding, with the ms at stake.

    What is only the timer's noise stands with the largest finding; where all are noise, there is
    none.
    """
    groups: dict[tuple[int, ...], list[_Odd]] = defaultdict(list)
    for odd in odds:
        groups[odd.numbers if way == "pad" else ()].append(odd)
    stake = _joined if way == "join" else _lost
    stakes = [(group, stake(subject, group)) for group in groups.values()]
    small = [(group, ms) for group, ms in stakes if ms is not None and ms < NOISE_MS]
    large = [pair for pair in stakes if pair not in small]
    if large and small:
        most = max(range(len(large)), key=lambda place: large[place][1] or 0.0)
        group, ms = large[most]
        more, added = zip(*small)
        large[most] = [*group, *chain(*more)], None if ms is None else ms + sum(added)
    yield from large


def _joined(subject: Subject, odds: Sequence[_Odd]) -> float | None:
    """Returns the ms that joined convolutions save; None where no time is known."""
    by_tensor: dict[str | None, list[_Odd]] = defaultdict(list)
    for odd in odds:
        by_tensor[read_whole(subject, odd.layer)].append(odd)
    saved = [
        joined(
            subject, [odd.layer for odd in each], sum(odd.written for odd in each), each[0].block
        )
        for each in by_tensor.values()
    ]
    return None if {*saved} == {None} else sum(filter(None, saved))


def joined(subject: Subject, layers: Iterable[Layer], filters: int, block: int) -> float | None:
    """Returns the ms that one convolution in place of several saves; None where none is timed.

    For each block of filters it takes as long as the longest of them.
    """
    times = [ms for layer in layers if (ms := subject.ms(layer)) is not None]
    return max(0.0, sum(times) - max(times) * -(-filters // block)) if times else None


def _lost(subject: Subject, odds: Sequence[_Odd]) -> float | None:
    """Returns the ms that the zeros take at most; None where no time is known."""
    known = []
    for odd in odds:
        if (ms := subject.ms(odd.layer)) is not None:
            done = subject.work_of(odd.layer)
            above = ms if done.above_ms is None else done.above_ms
            known.append(max(0.0, min(ms * (1 - odd.used), above - LAUNCH)))
    return sum(known) if known else None


def _up(number: int, block: int) -> int:
    return -(-number // block) * block
