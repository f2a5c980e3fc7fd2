"""One tensor is reformatted twice in the same way.

**Found**: two or more reformats read the same tensor and write all of it in the same type and
memory format. Only those that the builder added count: two Slices may take different parts. Nor do
those from or to a quantised type, which may have different scales (two QuantizeLinears), and what
writes a part of a concatenation.

**Why it costs**: one of them would do for all readers.

**What to do**: this is a choice of the builder: report it. An `Identity` in the model, between the
tensor and all readers that need the other format, may let them share one reformat.

**Example**:

    Layer(Reformat): r1, Tactic: 0x3e8, a[Float(1,8,4,4)] -> b[Half(1,8:8,4,4)]
    Layer(Reformat): r2, Tactic: 0x3e8, a[Float(1,8,4,4)] -> c[Half(1,8:8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.quantisation import QUANTISED
from engine_layer_visualize.linting.reformatted_tensors import reformatted
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.data_types import canonical

RULE: Final = Rule(
    "F07",
    "same-reformat-twice",
    "hint",
    "One tensor is reformatted twice in the same way.",
    ("recorded logs",),
)
_ADVICE: Final = (
    "report it to NVIDIA; in {model}, an Identity in front of the readers may let them share one "
    "reformat"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each tensor and each type and format that it is given."""
    for one in reformatted(subject):
        found: dict[tuple[str, str], list[Layer]] = defaultdict(list)
        for layer, reason in one.reformats:
            if " " in reason.after and _can_be_shared(layer, reason):  # its format is known
                found[reason.after, layer.outputs[0].dims].append(layer)
        for (after, _), layers in found.items():
            if len(layers) > 1:
                why = (*subject.names(layers), " all write `", Name(one.tensor), f"` as {after}")
                times = [ms for layer in layers if (ms := subject.ms(layer)) is not None]
                known = len(times) == len(layers)
                ms = sum(times) - min(times) if known else None
                advice = _ADVICE.format(model=subject.frontend.model)
                yield subject.finding(RULE, layers, why, advice, ms=ms, part=None)


def _can_be_shared(layer: Layer, reason: Reason) -> bool:
    """Whether nothing but the type and the format says what a reformat writes: no scale, no part
    that it takes or writes."""
    read, written = layer.inputs[0], layer.outputs[0]
    types = {canonical(read.dtype), canonical(written.dtype)}
    scaled = len(types) > 1 and types & QUANTISED
    return reason.is_builders and not reason.in_part and not scaled and read.shape == written.shape
