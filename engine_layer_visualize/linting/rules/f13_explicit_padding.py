"""A layer pads a tensor for the convolution or pooling behind it.

**Found**: a layer of type Padding, or one whose nodes are all Pad, writes for a convolution,
deconvolution or pooling layer.

**Why it costs**: the whole tensor is read and written once more. A convolution pads for nothing
while it reads.

**What to do**: if it pads with zeros, remove it from the model and add its amounts to the padding
of the convolution. For a pooling layer that holds only where the padding does not count.

**When to leave it**: where it pads with other values than zeros, such as the edge of the tensor: a
convolution pads with zeros alone.

**Example**:

    Layer(Slice): Pad_1, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,8,6,6)]
    Layer(CaskConvolution): Conv_2, Tactic: 0x1, b[Half(1,8,6,6)] -> c[Half(1,8,4,4)]

**Versions**: all.

**Severity**: hint.

**Sources**: recorded logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import runs_alone
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_TAKE_PADS: Final = frozenset(("convolution", "deconvolution", "pooling"))
_ADVICE: Final = (
    "if it pads with zeros, remove it from {model} and add its amounts to the padding of the "
    "convolution"
)
_POOLING: Final = "; of a pooling layer only where padding does not count in its result"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all such layers."""
    padding: list[Layer] = []
    served: dict[int, Layer] = {}
    for layer in subject.layers:
        if layer.type.startswith("Padding") or runs_alone(subject, layer, "Pad"):
            readers = [la for la in _readers(subject, layer) if subject.operation(la) in _TAKE_PADS]
            if readers:
                padding.append(layer)
                served.update((reader.index, reader) for reader in readers)
    if padding:
        verb = plural(len(padding), "pads for ", "pad for ")
        names = named([*served.values()])
        pools = any(subject.operation(reader) == "pooling" for reader in served.values())
        advice = _ADVICE.format(model=subject.frontend.model) + (_POOLING if pools else "")
        yield finding(
            subject, RULE, padding, (*named(padding), f" {verb}", *names), advice, part=1.0
        )


def _readers(subject: Subject, layer: Layer) -> Iterator[Layer]:
    """Yields the layers that read the padded tensor, also behind a reformat."""
    for reader in subject.readers(layer):
        yield from subject.readers(reader) if is_reformat(reader) else (reader,)
