"""A reformat writes only for other reformats.

**Found**: every reader of what a reformat writes is a reformat. Layers of the network that run as a
Reformat (a Slice, a copy into a concatenation) do not count, nor does what puts a part of a tensor
into its place behind another reformat: one may not be able to do the work of both.
Silent where layers are missing in the listing.

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

from engine_layer_visualize.analysis.connected import connected
from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

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
    """A finding for each chain, with all that run into one another; none where layers are missing,
    which may read from one, too."""
    if not subject.engine.source.complete:
        return
    pairs = [
        (layer.index, reader.index)
        for layer in subject.reformats
        if _is_plain(subject, layer)
        for reader in _reformats_alone(subject, layer)
    ]
    later = {reader for _, reader in pairs}
    for chain in connected(sorted({index for pair in pairs for index in pair}), pairs):
        layers = [subject.engine.layers[index] for index in chain]
        why = (*subject.names(layers), " are reformats in a row")
        ms = subject.costs.sum(layer for layer in layers if layer.index in later)
        yield subject.finding(RULE, layers, why, _ADVICE, ms=ms, part=None)


def _reformats_alone(subject: Subject, layer: Layer) -> list[Layer]:
    """The readers of a reformat, if all of them are reformats."""
    if any(edge.target is None for edge in subject.writes(layer)):
        return []
    readers = subject.readers(layer)
    whole = all(
        _is_plain(subject, one) and not subject.reasons[one.index].in_part for one in readers
    )
    return readers if whole else []


def _is_plain(subject: Subject, layer: Layer) -> bool:
    """Whether it only changes a type or a format."""
    reason = subject.reasons.get(layer.index) if is_reformat(layer) else None
    return reason is not None and reason.cause not in ("concat", "network")
