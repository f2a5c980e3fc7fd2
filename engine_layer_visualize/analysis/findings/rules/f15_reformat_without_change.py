"""A reformat changes neither type nor format: it is a copy.

**Found**: a layer of type Reformat reads and writes the same type in the same memory format.

**Why it costs**: the tensor is read and written once more, and nothing is changed.

**What to do**: search the log for `Generating copy for`: it says which layer needs the copy.

**Example**:

    Layer(Reformat): a copy, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.reformat_kinds import Try, of_kind
from engine_layer_visualize.analysis.findings.rules.f10_concat_copy import is_part_of_concat
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "F15",
    "reformat-without-change",
    "hint",
    "A reformat changes neither type nor format: it is a copy.",
    ("recorded logs",),
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change; those into a concatenation are F10's."""
    advice = "search the log for `Generating copy for`: it says which layer needs the copy"
    for finding in of_kind(subject, RULE, "copy", lambda _: Try(advice)):
        layers = [subject.engine.layers[index] for index in finding.layers]
        if not all(is_part_of_concat(subject, layer) for layer in layers):
            yield finding
