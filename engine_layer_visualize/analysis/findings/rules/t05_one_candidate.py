"""One tactic alone was timed for a convolution or matrix product.

**Found**: the log has exactly one timing for a convolution, deconvolution or matrix product, and
none of a timing cache.

**Why it costs**: without a second tactic there was nothing to choose. Common shapes have dozens.

**What to do**: see whether tactic sources are off (`--tacticSources`), or an optimisation level is
low (T06). Odd shapes, such as few channels in groups, also leave few tactics.

**Example**:

    Timing Runner: conv1 (CaskConvolution[0x80000009])
    Tactic Name: sm80_xmma_fprop_a Tactic: 0x1 Time: 0.2

**Versions**: all logs with timings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "T05",
    "one-candidate",
    "hint",
    "One tactic alone was timed for a convolution or matrix product.",
    ("TensorRT's logs: tactic sources",),
)
_ADVICE: Final = "see whether --tacticSources turns some off, and whether its shape is an odd one"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all such layers."""
    layers = []
    for layer in subject.multiplying:
        tuned = subject.known(layer).candidates
        if tuned.tried == 1 and not tuned.cached:
            layers.append(layer)
    if layers:
        evidence = [
            Evidence(
                f"{layer.name}: 1 tactic timed",
                dict(subject.known(layer).lines).get("candidates"),
            )
            for layer in layers[:3]
        ]
        why = (*subject.names(layers), ": one tactic alone was timed")
        yield subject.finding(RULE, layers, why, _ADVICE, evidence, part=None)
