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

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.work import extents, traffic
from engine_layer_visualize.analysis.work.records import constants
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.linting.finding import NOISE_MS, Evidence, Finding, Rule
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.data_types import canonical

Way = Literal["pad", "join"]
_BLOCKS: Final = {"Half": 8, "BFloat16": 8, "Int8": 16}
_TF32_BLOCK: Final = 4
_FIRST: Final = 4  # up to so many channels are those of a picture: there are kernels for them
_SHOWN: Final = 3
_FIRST_WITH_CORES: Final = (7, 0)


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
        several = zip((self.read, self.written), self.padded)
        return tuple(sorted({n for n, padded in several if n % self.block and not padded}))

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
    odd = [one for layer in wanted if (one := _odd(subject, layer)) is not None]
    found: dict[tuple[str, int, Way], list[_Odd]] = defaultdict(list)
    for one in _ways(subject, odd):
        joins = "join" in advice
        own = one if joins else one._replace(way="pad")
        if own.numbers and not (joins and own.few and own.way == "pad"):
            found[own.dtype, own.block, own.way].append(own)
    for (dtype, block, way), several in found.items():
        for group, ms in _causes(subject, several, way):
            layers = [one.layer for one in group]
            evidence = [
                Evidence(_sizes(subject, one, *words[:2]), one.layer.place.line)
                for one in group[:_SHOWN]
            ]
            written = sorted({one.written for one in group if one.written % block})
            numbers = sorted({number for one in group for number in one.numbers})
            told = ", ".join(map(str, numbers))
            what = f"{told} {plural(numbers[-1], words[2])}, no multiple of {block}, in {dtype}"
            why: Words = (*subject.names(layers), f": {what}")
            # A reader's odd channels are most often its writer's filters.
            padded = ", ".join(f"{n} -> {_up(n, block)}" for n in written or numbers)
            yield subject.finding(
                rule, layers, why, advice[way].format(padded), evidence, ms=ms, part=None
            )


def _odd(subject: Subject, layer: Layer) -> _Odd | None:
    """Returns a layer with its odd numbers; None where nothing is odd, or that is unknown.

    None, too, where no tensor core would run the layer: a single row is multiplied as a vector, at
    the speed of the memory.
    """
    sizes, block = extents.channels(subject.extents(layer)), _block(layer)
    if block is None or sizes is None or sizes.groups != 1 or not sizes.read or not sizes.written:
        return None
    if sizes.read <= _FIRST or sizes.rows == 1:
        return None
    dtype = "TF32" if block == _TF32_BLOCK else subject.dtype(layer) or ""
    ends = subject.data_input(layer), subject.data_output(layer)
    read, written = (one is not None and traffic.vector(one) % block == 0 for one in ends)
    model = _of_model(subject, layer, sizes.read), sizes.written
    one = _Odd(layer, dtype, block, *model, (read, written))
    return one if one.odd else None


def _sizes(subject: Subject, one: _Odd, read: str, written: str) -> str:
    """Returns `C = 50, K = 64`, and how the listing has it."""
    listed = extents.channels(subject.extents(one.layer))
    more = "" if listed is None or listed.read == one.read else f", listed as {listed.read}"
    return f"{read} = {one.read}{more}, {written} = {one.written}"


def _block(layer: Layer) -> int | None:
    """Returns the channels of a block; None where no tensor core takes the layer's type."""
    precision = precisions.of(layer)
    return _TF32_BLOCK if precision.tf32 else _BLOCKS.get(canonical(precision.dtype) or "")


def _of_model(subject: Subject, layer: Layer, read: int) -> int:
    """Returns the channels without those that Myelin appends by concatenating a constant."""
    for writer in subject.writers(layer) if layer.type == "correlation" else ():
        appended = [one for one in constants(writer) if len(one.shape) > 1]
        for tensor in writer.inputs:
            if any(_fills(tensor, constant, read) for constant in appended):
                return tensor.shape[1]
    return read


def _fills(tensor: Tensor, constant: Tensor, channels: int) -> bool:
    """Whether a tensor and a constant together have so many channels."""
    own, more = tensor.shape, constant.shape
    alike = len(own) == len(more) > 1 and own[:1] + own[2:] == more[:1] + more[2:]
    return alike and own[1] + more[1] == channels


def _ways(subject: Subject, several: Sequence[_Odd]) -> Iterator[_Odd]:
    """Yields each layer with what can be done to it."""
    whole = [_read_whole(subject, one.layer) for one in several]
    few = [one.written < one.block and not one.read % one.block for one in several]
    readers = Counter(tensor for tensor, is_few in zip(whole, few) if is_few)
    for one, tensor, is_few in zip(several, whole, few):
        joined = is_few and tensor is not None and readers[tensor] > 1
        yield one._replace(few=is_few, way="join" if joined else "pad")


def _read_whole(subject: Subject, layer: Layer) -> str | None:
    """Returns the tensor that a layer reads; None where it reads a slice of it."""
    tensor = subject.data_input(layer)
    if tensor is None:
        return None
    written = (one for writer in subject.writers(layer) for one in writer.outputs)
    sliced = any(one.name == tensor.name and _count(one) > _count(tensor) for one in written)
    return None if sliced else tensor.name


def _count(tensor: Tensor) -> int:
    return tensor.elements or 0


# ---- what is at stake ----------------------------------------------------------------------------


def _causes(
    subject: Subject, several: Sequence[_Odd], way: Way
) -> Iterator[tuple[list[_Odd], float | None]]:
    """Yields the layers of each finding, with the ms at stake.

    What is only the timer's noise stands with the largest finding; where all are noise, there is
    none.
    """
    found: dict[tuple[int, ...], list[_Odd]] = defaultdict(list)
    for one in several:
        found[one.numbers if way == "pad" else ()].append(one)
    stake = _joined if way == "join" else _lost
    stakes = [(group, stake(subject, group)) for group in found.values()]
    small = [one for one in stakes if one[1] is not None and one[1] < NOISE_MS]
    large = [one for one in stakes if one not in small]
    if large and small:
        most = max(range(len(large)), key=lambda at: large[at][1] or 0.0)
        group, ms = large[most]
        more, added = zip(*small)
        large[most] = [*group, *chain(*more)], None if ms is None else ms + sum(added)
    yield from large


def _joined(subject: Subject, several: Sequence[_Odd]) -> float | None:
    """Returns the ms that joined convolutions save at most; None where no time is known.

    One that writes for all readers of a tensor takes at least as long as the longest of them.
    """
    found: dict[str | None, list[float]] = defaultdict(list)
    for one in several:
        if (ms := subject.ms(one.layer)) is not None:
            found[_read_whole(subject, one.layer)].append(ms)
    return sum(sum(own) - max(own) for own in found.values()) if found else None


def _lost(subject: Subject, several: Sequence[_Odd]) -> float | None:
    """Returns the ms that the zeros take at most; None where no time is known."""
    known = []
    for one in several:
        if (ms := subject.ms(one.layer)) is not None:
            done = subject.work(one.layer)
            above = ms if done.above_ms is None else done.above_ms
            known.append(min(ms * (1 - one.used), above))
    return sum(known) if known else None


def _up(number: int, block: int) -> int:
    return -(-number // block) * block
