"""A reformat between two layers changes the memory format alone.

**Found**: a layer of type Reformat stands between two layers; the data type stays, the memory
format changes.

**Why it costs**: the tensor is read and written once more, because the fastest kernels of its
neighbours want different formats. The builder counted this cost in, so the sum may still be the
best it found.

**What to do**: look at the candidates of both neighbours: their times in the other format. A
neighbour that could take it for less than the reformat costs is a fault of the builder.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x0,
        a[Int8(1,8:32,4,4)] -> r[Int8(1,8:4,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.reformat_kinds import Try, of_kind
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "F14",
    "format-change-inside",
    "hint",
    "A reformat between two layers changes the memory format alone.",
    ("recorded logs",),
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change."""
    return of_kind(
        subject,
        RULE,
        "format",
        lambda _: Try("see in the neighbours' autotuning what they take in the other format"),
    )
