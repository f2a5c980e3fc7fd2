"""A kernel of its own only quantises or dequantises.

**Found**: a layer that runs a kernel and whose ONNX nodes are QuantizeLinear and DequantizeLinear
alone, whatever its type (Scale, Reformat, Myelin's `kgen`), and that does not read an input of the
engine: something has to quantise that one.

**Why it costs**: the tensor is read and written once more, only to change its type. A Q or a DQ
next to the operator that it is for costs nothing: it fuses.

**What to do**: move the Q/DQ pair next to the operator that it quantises, with nothing between
them. Quantise activations symmetrically (zero point 0) and per tensor: other kinds do not fuse. A
neighbour that is not quantised (the message names both sides) needs Q/DQ, too, or none around it.

**Example**:

    Layer(Scale): QuantizeLinear_9_quantize_scale_node, Tactic: 0x0,
        a[Half(1,32,8,8)] -> b[Int8(1,32,8,8)]

**Versions**: all that have explicit quantisation (8.0 and later).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.quantisation import is_quantiser
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "P04",
    "standalone-qdq",
    "warning",
    "A kernel of its own only quantises or dequantises.",
    (
        "TREx, lint.py: QDQLinter",
        "TensorRT documentation: placement of Q/DQ",
        "NVIDIA/TensorRT issue 993",
    ),
)
_ADVICE: Final = (
    "move the Q/DQ next to the operator that it quantises, symmetric and per tensor, so that it "
    "fuses; or quantise the neighbour that is not"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all that stand between layers of the same types."""
    found: dict[tuple[tuple[str, ...], ...], list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if is_quantiser(subject, layer) and not subject.at_input(layer):
            sides = subject.writers(layer), subject.readers(layer)
            found[tuple(tuple(sorted({one.type for one in side})) for side in sides)].append(layer)
    for layers in found.values():
        before = {one.index: one for layer in layers for one in subject.writers(layer)}
        behind = {one.index: one for layer in layers for one in subject.readers(layer)}
        words = (
            *subject.names(layers),
            f" only {plural(len(layers), 'quantises or dequantises', 'quantise or dequantise')}"
            ", between ",
            *subject.names(list(before.values())),
            " and ",
            *(subject.names(list(behind.values())) or ("an output of the engine",)),
        )
        yield subject.finding(RULE, layers, words, _ADVICE, part=1.0)
