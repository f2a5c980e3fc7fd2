"""A slice changes the data type.

**Found**: a layer of type Slice reads one data type and writes another.

**Why it costs**: its neighbours compute in different types, and the slice, which could often be
read in place, must convert each element.

**What to do**: let both neighbours run in one precision.

**Example**:

    Layer(Slice): Slice_3, Tactic: 0x0, a[Float(1,8,4,4)] -> b[Half(1,4,4,4)]

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.text import plural

RULE: Final = Rule(
    "F11",
    "slice-type-change",
    "hint",
    "A slice changes the data type.",
    ("TREx, lint.py: SliceLinter",),
)
_ADVICE: Final = "let the layers on both sides of the slice run in one precision"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all slices that change a type in the same way."""
    found: dict[str, list[int]] = {}
    for layer in subject.layers:
        if layer.type == "Slice":
            read, written = subject.data_input(layer), subject.data_output(layer)
            if read is not None and written is not None and read.dtype != written.dtype:
                found.setdefault(f"{read.dtype} → {written.dtype}", []).append(layer.index)
    for change, indices in found.items():
        layers = [subject.engine.layers[index] for index in indices]
        verb = plural(len(layers), "changes", "change")
        why = (*subject.names(layers), f" {verb} the type: {change}")
        evidence = [Evidence(change, layer.place.line) for layer in layers[:3]]
        yield subject.finding(RULE, layers, why, _ADVICE, evidence)
