"""A reformat between two layers changes the data type.

**Found**: a layer of type Reformat stands between two layers and writes another data type than it
reads. Not meant are layers of the network that run as a Reformat, such as a Slice.

**Why it costs**: the tensor is read and written once more, only because two neighbours compute in
different types.

**What to do**: let both neighbours run in one precision: the message names them with their types.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x3e8,
        a[Half(1,8,4,4)] -> r[Float(1,8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.reformat_kinds import Try, of_kind
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "F04",
    "type-change-inside",
    "hint",
    "A reformat between two layers changes the data type.",
    ("TREx, lint.py: ReformatLinter",),
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change."""
    return of_kind(
        subject,
        RULE,
        "type",
        lambda _: Try("let the layers on both sides run in one precision"),
    )
