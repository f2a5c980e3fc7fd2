"""A Scale layer converts to or from Int8.

**Found**: a layer of type Scale of which exactly one side is Int8.

**Why it costs**: it is a quantisation or a dequantisation that did not fuse: the tensor is read and
written once more.

**What to do**: inside of the engine as for P04: move the Q/DQ next to the operator that it
quantises. At an input of the engine: quantise where the input is made, and feed Int8.

**Example**:

    Layer(Scale): QuantizeLinear_2_quantize_scale_node, Tactic: 0x0,
        x[Float(1,3,8,8)] -> a[Int8(1,3,8,8)]

**Versions**: up to TensorRT 8; later ones list these layers as Reformat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.quantisation import is_int8
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "P05",
    "scale-one-side-int8",
    "hint",
    "A Scale layer converts to or from Int8.",
    ("TREx, lint.py: QDQLinter",),
)
_INSIDE: Final = (
    "move the Q/DQ next to the operator that it quantises, symmetric and per tensor, so that it "
    "fuses"
)
_AT_INPUT: Final = (
    "take the quantisation of this input out of {model} and feed Int8: then the engine reads fewer "
    "bytes"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all that convert the same types at the same place."""
    found: dict[tuple[str, str, bool], list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if layer.type != "Scale":
            continue
        read, written = subject.data_input(layer), subject.data_output(layer)
        if read is not None and written is not None and is_int8(read) != is_int8(written):
            key = read.dtype or "", written.dtype or "", subject.at_input(layer)
            found[key].append(layer)
    for (before, after, at_input), layers in found.items():
        where = ", at an input of the engine" if at_input else ""
        verb = plural(len(layers), "converts", "convert")
        words = (*subject.names(layers), f" {verb} {before} to {after}{where}")
        fed = _AT_INPUT.format(model=subject.frontend.model)
        yield subject.finding(RULE, layers, words, fed if at_input else _INSIDE, part=1.0)
