"""A reformat writes only for other reformats.

**Found**: every reader of what a reformat writes is a reformat.

**Why it costs**: the tensor is read and written twice, where one reformat could do both changes.

**What to do**: this is a choice of the builder; the network cannot change it directly. Report it.
It often stands where two separately optimised parts meet, such as two ForeignNodes. Where the
first reformat stands at an input of the engine, feed that input in the type and format that the
second one writes.

**Example**:

    Layer(Reformat): r1, Tactic: 0x3e8, a[Float(1,8,4,4)] -> b[Half(1,8,4,4)]
    Layer(Reformat): r2, Tactic: 0x3e8, b[Half(1,8,4,4)] -> c[Half(1,8:8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.core.model import Layer

RULE: Final = Rule(
    "F05",
    "reformat-chain",
    "hint",
    "A reformat writes only for other reformats.",
    ("recorded logs",),
)
_ADVICE: Final = (
    "one reformat could do this: report it to NVIDIA; it often stands where two separately "
    "optimised parts, such as ForeignNodes, meet"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each chain."""
    following = {
        layer.index: readers
        for layer in subject.reformats
        if (readers := _reformats_alone(subject, layer))
    }
    later = {reader.index for readers in following.values() for reader in readers}
    for first in subject.reformats:
        if first.index not in following or first.index in later:
            continue
        chain = {first.index: first}
        waiting = [first]
        while waiting:
            for reader in following.get(waiting.pop().index, ()):
                if reader.index not in chain:
                    chain[reader.index] = reader
                    waiting.append(reader)
        layers = [*chain.values()]
        why = (*subject.names(layers), " are reformats in a row")
        ms = subject.costs.sum(layers[1:])
        part = None if ms is None else 1.0
        yield subject.finding(RULE, layers, why, _ADVICE, ms=ms, part=part)


def _reformats_alone(subject: Subject, layer: Layer) -> list[Layer]:
    """The readers of a reformat, if all of them are reformats."""
    if any(edge.target is None for edge in subject.writes(layer)):
        return []
    readers = subject.readers(layer)
    return readers if all(map(is_reformat, readers)) else []
