"""A convolution reads Int8 and writes a floating type.

**Found**: a convolution or deconvolution reads Int8 and writes Float or Half, and another layer of
the engine computes on what it writes. Silent in front of an output of the engine, and where only
layers follow that TensorRT does not run in Int8 (softmax, top-k, NMS).

**Why it costs**: the convolution writes two or four bytes for each value in place of one, and its
reader reads them. Most often a layer behind it quantises again. At stake is the part of the
convolution's time that these bytes are of all that it moves: where it waits for its
multiplications, less. What the layers behind may gain is theirs: P04, P06, F04 and F14 have it.

**What to do**: look at the readers that the message names. Put QuantizeLinear / DequantizeLinear
behind the convolution's last fused operator (behind the activation; in front of a residual
addition, on both of its inputs), so that the quantisation fuses into the convolution.

**Example**:

    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Int8(1,32,8,8)] -> a[Half(1,32,8,8)]
    Layer(CudaPooling): pool, Tactic: 0x1, a[Half(1,32,8,8)] -> b[Half(1,32,1,1)]

**Versions**: all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.quantisation import FLOATING, consumers, is_int8
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.work import traffic
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.trt.data_types import canonical, width

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
_UNFUSED: Final = (
    "the model quantises right behind, and the builder runs that in a kernel of its own: try a "
    "newer version of TensorRT"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all convolutions that write the same type for the same kinds of readers."""
    found: dict[tuple[str, tuple[str, ...], bool], _Found] = defaultdict(lambda: _Found([], {}))
    for (dtype, _), alike in _read_alike(subject).items():
        behind = consumers(subject, alike[0])
        if any(not _NEVER_INT8.search(reader.type) for reader in behind):
            types = tuple(sorted({reader.type for reader in behind}))
            quantised = all("QuantizeLinear" in subject.operators(one) for one in behind)
            one = found[dtype, types, quantised]
            one.layers.extend(alike)
            one.readers.update((reader.index, reader) for reader in behind)
    for (dtype, _, quantised), (several, told) in found.items():
        layers, readers = sorted(several, key=lambda layer: layer.index), [*told.values()]
        verb = plural(len(layers), "reads Int8 and writes", "read Int8 and write")
        why = (*subject.names(layers), f" {verb} {dtype} for ", *subject.names(readers))
        known = [ms * _part(subject, la) for la in layers if (ms := subject.ms(la)) is not None]
        stake = sum(known) if known else None
        todo = _UNFUSED if quantised else _ADVICE
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
            readers = tuple(reader.index for reader in subject.readers(layer))
            found[dtype, readers].append(layer)
    return found


def _part(subject: Subject, layer: Layer) -> float:
    """The part of what a layer moves that it would not write as Int8."""
    several = {tensor.name: tensor for tensor in (*layer.inputs, *layer.outputs)}
    sizes = [size for tensor in several.values() if (size := traffic.size(tensor)) is not None]
    moved = subject.work(layer).bytes or sum(sizes)  # without the weights the part is larger
    written = subject.data_output(layer)
    bits = None if written is None else width(written.dtype)
    if written is None or not bits or not moved or len(sizes) < len(several):
        return 1.0
    return (traffic.size(written) or 0) * (1 - 8 / bits) / moved
