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

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.quantisation import is_int8
from engine_layer_visualize.analysis.findings.subject import Subject

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
    "take the QuantizeLinear of this input out of the ONNX model and feed Int8: then the engine "
    "reads fewer bytes"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each: each has neighbours of its own."""
    for layer in subject.layers:
        if layer.type != "Scale":
            continue
        read, written = subject.data_input(layer), subject.data_output(layer)
        if read is None or written is None or is_int8(read) == is_int8(written):
            continue
        at_input = subject.at_input(layer)
        where = ", at an input of the engine" if at_input else ""
        words = (*subject.names([layer]), f" converts {read.dtype} to {written.dtype}{where}")
        yield subject.finding(RULE, [layer], words, _AT_INPUT if at_input else _INSIDE)
