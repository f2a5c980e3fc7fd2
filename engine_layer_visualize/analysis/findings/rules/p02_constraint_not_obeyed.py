"""A layer runs in another precision or type than was asked for.

**Found**: a message of the log says that no implementation of a layer obeys the constraint that was
set on it, and that a non-conforming one was chosen.

**Why it costs**: the layer runs in a type that was not asked for, often a slower one, and reformats
around it convert to it and back.

**What to do**: drop the constraint (`--precisionConstraints=prefer` in place of `obey`), or ask for
a type that an implementation of this layer has.

**Example**:

    For layer dense a non-conforming implementation was chosen than was requested i.e. requested
    precision was ignored.

**Versions**: weakly typed networks, TensorRT 7 to 10.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.model import Layer

RULE: Final = Rule(
    "P02",
    "constraint-not-obeyed",
    "warning",
    "A layer runs in another precision or type than was asked for.",
    ("NVIDIA/TensorRT issues 2080, 1196, 1437, 2360, 1231",),
)
_ADVICE: Final = (
    "drop the constraint (trtexec: --precisionConstraints=prefer), or ask for a type that an "
    "implementation of this layer has"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers with the same words of the log."""
    found: dict[str, list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if note := subject.known(layer).precision_note:
            found[note].append(layer)
    for note, layers in found.items():
        lines = [dict(subject.known(layer).lines).get("precision_note") for layer in layers]
        evidence = [Evidence(note, line) for line in lines[:3]]
        words = subject.names(layers)
        yield subject.finding(RULE, layers, (*words, f": {note}"), _ADVICE, evidence)
