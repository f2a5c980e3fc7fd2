"""A `Subject` in; its convolutions or products with odd numbers of channels out.

A kernel works on blocks of channels: of 8 in 16 bits, of 16 in Int8, of 4 in TF32. What is missing
in the last block is computed as zeros.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.work.extents import channels
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.trt.data_types import canonical

_BLOCKS: Final = {"Half": 8, "BFloat16": 8, "Int8": 16}
_TF32_BLOCK: Final = 4
_FIRST: Final = 4  # up to so many channels are those of a picture: there are kernels for them
_SHOWN: Final = 3
_FIRST_WITH_CORES: Final = (7, 0)


def unaligned(
    subject: Subject,
    rule: Rule,
    words: tuple[str, str, str],
    wanted: Iterable[Layer],
    advice: Callable[[str, bool], str],
) -> Iterator[Finding]:
    """A finding for all layers with the same odd numbers of channels, and one for all that have
    fewer filters than a block. `words`: what the numbers
    that are read and written are called, and what is counted; `advice`: of words such as
    `50 -> 56`, and of whether nothing is odd but numbers of filters, all less than a block."""
    if (subject.compute_capability or _FIRST_WITH_CORES) < _FIRST_WITH_CORES:
        return
    found: dict[tuple[str, int, tuple[int, ...]], list[tuple[Layer, int, int]]] = defaultdict(list)
    for layer in wanted:
        if (block := _block(layer)) is None:
            continue
        sizes = channels(subject.extents(layer))
        if sizes is None or sizes.groups != 1 or not sizes.read or not sizes.written:
            continue
        odd = sorted({n for n in (sizes.read, sizes.written) if n % block})
        if odd and sizes.read > _FIRST:
            dtype = "TF32" if block == _TF32_BLOCK else subject.dtype(layer) or ""
            few = sizes.written < block and not sizes.read % block
            key = () if few else tuple(odd)
            found[dtype, block, key].append((layer, sizes.read, sizes.written))
    for (dtype, block, key), several in found.items():
        layers = [layer for layer, *_ in several]
        evidence = [
            Evidence(f"{words[0]} = {read}, {words[1]} = {written}", layer.place.line)
            for layer, read, written in several[:_SHOWN]
        ]
        wasted = [_wasted(subject, *one, block) for one in several]
        known = [ms for ms in wasted if ms is not None]
        written = sorted({number for *_, number in several if number % block})
        odd_ones = key or written
        numbers = ", ".join(map(str, odd_ones))
        what = f"{numbers} {plural(odd_ones[-1], words[2])}, no multiple of {block}, in {dtype}"
        why: Words = (*subject.names(layers), f": {what}")
        # A reader's odd channels are most often its writer's filters.
        padded = ", ".join(f"{n} -> {_up(n, block)}" for n in written or odd_ones)
        ms = sum(known) if known else None
        words_of = advice(padded, not key)
        yield subject.finding(rule, layers, why, words_of, evidence, ms=ms, part=None)


def _block(layer: Layer) -> int | None:
    """Channels of a block; None where no tensor core takes the layer's type, or it is unknown."""
    precision = precisions.of(layer)
    return _TF32_BLOCK if precision.tf32 else _BLOCKS.get(canonical(precision.dtype) or "")


def _wasted(subject: Subject, layer: Layer, read: int, written: int, block: int) -> float | None:
    """Milliseconds for the zeros."""
    ms = subject.ms(layer)
    used = read * written / (_up(read, block) * _up(written, block))
    return None if ms is None else ms * (1 - used)


def _up(number: int, block: int) -> int:
    return -(-number // block) * block
