"""The readers of one tensor want it in different types or formats.

**Found**: a tensor is reformatted in two or more ways, or it is reformatted for one reader while
another layer reads it as it is.

**Why it costs**: the tensor is written once more for each type and format beyond the first.

**What to do**: give the branches one precision, and channel counts that are multiples of the same
number, so that one format suits all of them.

**Example**:

    Layer(Reformat): r1, Tactic: 0x3e8, a[Half(1,8,4,4)] -> b[Half(1,8:8,4,4)]
    Layer(CaskConvolution): conv1, Tactic: 0x1, b[Half(1,8:8,4,4)] -> c[Half(1,8:8,4,4)]
    Layer(CudaSoftMax): softmax, Tactic: 0x1, a[Half(1,8,4,4)] -> d[Half(1,8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.reformatted_tensors import reformatted
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.words import Name

RULE: Final = Rule(
    "F08",
    "tensor-in-two-formats",
    "hint",
    "The readers of one tensor want it in different types or formats.",
    ("recorded logs",),
)
_ADVICE: Final = (
    "let all readers run in one precision; make the channel counts of the branches multiples of "
    "the same number, so that one format suits all"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each tensor."""
    for one in reformatted(subject):
        ways = dict.fromkeys(reason.after for _, reason in one.reformats)
        # A type without a format may be any of that type.
        known = {way for way in ways if " " in way}
        types = {way.partition(" ")[0] for way in ways}
        if max(len(known), len(types)) + bool(ways and one.others) < 2:
            continue
        layers = [layer for layer, _ in one.reformats]
        is_read = f"` is {one.reformats[0][1].before}; read as {' and '.join(ways)}"
        why: list[str | Name] = ["`", Name(one.tensor), is_read]
        if one.others:
            why += [", and as it is by ", *subject.names(one.others)]
        evidence = [
            Evidence(f"{reason.before} → {reason.after}", layer.place.line)
            for layer, reason in one.reformats
        ]
        yield subject.finding(RULE, layers, tuple(why), _ADVICE, evidence)
