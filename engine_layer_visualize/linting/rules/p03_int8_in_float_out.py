"""A convolution reads Int8 and writes a floating type.

**Found**: a convolution or deconvolution reads Int8 and writes Float or Half, and another layer of
the engine computes on what it writes. Silent in front of an output of the engine, and where only
layers follow that TensorRT does not run in Int8 (softmax, top-k, NMS).

**Why it costs**: the convolution writes two or four bytes for each value in place of one, and its
reader reads them. Most often a layer behind it quantises again. At stake is what the convolution
takes less where it writes Int8, by the builder's own timings, and nothing is said where it takes no
less; without such timings it is unknown: another kernel runs then, and other reformats. What the
layers behind may gain is theirs: P04, P06, F04 and F14 have it.

**What to do**: look at the readers that the message names: those that read a floating type. Put
QuantizeLinear / DequantizeLinear behind the convolution's last fused operator (behind the
activation; in front of a residual addition, on both of its inputs), so that the quantisation fuses
into the convolution. Where other readers are quantised already, the named ones are to be, too.

**Example**:

    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Int8(1,32,8,8)] -> a[Half(1,32,8,8)]
    Layer(CudaPooling): pool, Tactic: 0x1, a[Half(1,32,8,8)] -> b[Half(1,32,1,1)]

**Versions**: all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.quantisation import FLOATING, consumers, is_int8
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.data_types import canonical
from engine_layer_visualize.trt.memory_formats import of_combination

RULE: Final = Rule(
    "P03",
    "int8-in-float-out",
    "warning",
    "A convolution reads Int8 and writes a floating type.",
    (
        "TREx, lint.py: ConvLinter",
        "TensorRT documentation: placement of Q/DQ",
        "NVIDIA/TensorRT issue 4039",
    ),
)
_NEVER_INT8: Final = re.compile("SoftMax|TopK|NMS", re.IGNORECASE)  # types of layers
_ADVICE: Final = (
    "put QuantizeLinear / DequantizeLinear behind the last operator that fuses with the "
    "convolution (before a residual addition: on both inputs), so that it writes Int8"
)
_OTHERS: Final = (
    "the model quantises what other layers read of this: quantise the inputs of the named ones, "
    "too, by the same QuantizeLinear"
)
_UNFUSED: Final = (
    "the model quantises right behind, and the builder runs that in a kernel of its own: try a "
    "newer version of TensorRT"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all convolutions that write the same type for the same kinds of readers."""
    found: dict[tuple[str, tuple[str, ...], str], _Found] = defaultdict(lambda: _Found([], {}))
    for (dtype, _), alike in _read_alike(subject).items():
        readers = consumers(subject, alike[0])
        behind = [one for one in readers if _reads_floating(one)] or readers
        if any(not _NEVER_INT8.search(reader.type) for reader in behind):
            types = tuple(sorted({reader.type for reader in behind}))
            quantised = all("QuantizeLinear" in subject.operators(one) for one in behind)
            todo = _OTHERS if len(behind) < len(readers) else _UNFUSED if quantised else _ADVICE
            one = found[dtype, types, todo]
            one.layers.extend(alike)
            one.readers.update((reader.index, reader) for reader in behind)
    for (dtype, _, todo), (several, told) in found.items():
        layers, readers = sorted(several, key=lambda layer: layer.index), [*told.values()]
        verb = plural(len(layers), "reads Int8 and writes", "read Int8 and write")
        why = (*subject.names(layers), f" {verb} {dtype} for ", *subject.names(readers))
        known = [gain for layer in layers if (gain := _gain(subject, layer)) is not None]
        stake = sum(known) if len(known) == len(layers) else None
        yield subject.finding(RULE, layers, why, todo, ms=stake, part=None)


class _Found(NamedTuple):
    layers: list[Layer]
    readers: dict[int, Layer]


def _read_alike(subject: Subject) -> dict[tuple[str, tuple[int, ...]], list[Layer]]:
    """Convolutions from Int8 to another type, by this and by their readers: the parts of a
    concatenation have the same."""
    found: dict[tuple[str, tuple[int, ...]], list[Layer]] = defaultdict(list)
    for layer in subject.convolving:
        written = subject.data_output(layer)
        dtype = None if written is None else canonical(written.dtype)
        if dtype in FLOATING and dtype and is_int8(subject.data_input(layer)):
            if _gain(subject, layer) == 0.0:
                continue
            readers = tuple(reader.index for reader in subject.readers(layer))
            found[dtype, readers].append(layer)
    return found


def _reads_floating(layer: Layer) -> bool:
    return any(canonical(tensor.dtype) in FLOATING for tensor in layer.inputs)


def _gain(subject: Subject, layer: Layer) -> float | None:
    """The ms that a layer takes less where it writes Int8, and reads what it reads now: by the
    builder's timings; None where there are none."""
    ms, known = subject.ms(layer), subject.known(layer)
    if ms is None or not known.build_ms or known.formats is None:
        return None
    read = of_combination(known.formats)[:1]
    others = [
        one.ms
        for one in subject.tuned(layer).combinations
        if (sides := of_combination(one.formats or ""))[:1] == read
        and any(words.startswith("Int8") for words in chain(*sides[1:]))
    ]
    return max(0.0, ms * (1 - min(others) / known.build_ms)) if others else None
