"""A copy puts one branch of a concatenation into its place.

**Found**: a layer `… copy` of type Reformat writes a part of a tensor of which other layers write
the other parts.

**Why it costs**: the builder lets the branches of a concatenation write straight into its output.
For this branch it could not: its tensor is written, read and written again.

**What to do**: give all branches the same precision and a format that all of them can write. A
branch that also has other readers, or that is an output of the engine, often needs the copy. Where
type and format stay, it is the writer that cannot write a part of a tensor (some deconvolutions
cannot): the log says so behind `Generating copy for`; another operation in its place may.

**Example**:

    Layer(CaskConvolution): conv1, Tactic: 0x1, x[Half(1,8:8,4,4)] -> all[Half(1,8:8,4,4)]
    Layer(Reformat): b copy, Tactic: 0x3ea, b[Half(1,8:8,4,4)] -> all[Half(1,8:8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.trt.layer_names import without_profile

RULE: Final = Rule(
    "F10",
    "concat-copy",
    "hint",
    "A copy puts one branch of a concatenation into its place.",
    ("recorded logs",),
)
_ADVICE: Final = (
    "give the branches of the concatenation the same precision and format; a branch that has other "
    "readers, too, may need the copy"
)
_ALIKE: Final = (
    "type and format are those of the concatenation: its writer cannot write a part of a tensor, "
    "or it has other readers; the log says which behind `Generating copy for`; another operation "
    "in the writer's place, or one reader less, may spare the copy"
)


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each concatenation."""
    found: dict[tuple[str, str], list[Layer]] = {}
    for layer in subject.reformats:
        if is_part_of_concat(subject, layer):
            reason = subject.reasons.get(layer.index)
            alike = reason is not None and "copy" in reason.changes
            key = layer.outputs[0].name, _ALIKE if alike else _ADVICE
            found.setdefault(key, []).append(layer)
    for (tensor, advice), layers in found.items():
        verb = plural(len(layers), "copies a part", "copy a part")
        words = f" {verb} of a concatenation into its place in `"
        why = (*subject.names(layers), words, Name(tensor), "`")
        yield subject.finding(RULE, layers, why, advice)


def is_part_of_concat(subject: Subject, layer: Layer) -> bool:
    """Whether a reformat copies one branch of a concatenation into its place."""
    if not layer.outputs or not without_profile(layer.name).endswith(" copy"):
        return False
    return subject.attribute(layer, "Origin") == "CONCAT" or any(
        subject.is_joined(edge) for edge in subject.writes(layer)
    )
