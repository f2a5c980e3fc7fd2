"""Reformats take more than a tenth of the engine's time.

**Found**: all layers of type Reformat together take more than 10 % of the time of all layers.

**Why it costs**: a reformat computes nothing. It reads a tensor and writes it in another type or
memory format.

**What to do**: look at the findings F02 to F16 of this engine, those with the most time first: they
say what each reformat is for. This one only sums them up, and stands behind them.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv1, Tactic: 0x3e8,
        x[Float(1,3,8,8)] -> r[Half(1,3,8,8)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "F01",
    "reformat-share",
    "warning",
    "Reformats take more than a tenth of the engine's time.",
    ("NVIDIA/TensorRT issue 4039",),
)
_MOST: Final = 0.1
_ADVICE: Final = "see the findings F02 to F16: they say what each reformat is for"
_UNKNOWN: Final = "nothing is known of what these reformats are for: their records name no tensors"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    advice = _ADVICE if subject.reasons else _UNKNOWN
    yield from subject.shared(RULE, subject.reformats, _MOST, "reformat", advice)
