"""A reformat between two layers, of which the log has no formats.

**Found**: a layer of type Reformat between two layers keeps the data type, and its record names no
memory formats.

**Why it costs**: it costs its time; what it changes cannot be told from this log.

**What to do**: build with `--profilingVerbosity=detailed` (before TensorRT 8.2:
`--nvtxMode=verbose`): then the log has the formats.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x0,
        a[Half(1,8,4,4)] -> r[Half(1,8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.reformat_kinds import of_kind
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "F16",
    "reformat-unknown-formats",
    "hint",
    "A reformat between two layers, of which the log has no formats.",
    ("recorded logs",),
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change."""
    return of_kind(subject, RULE, "untold")
