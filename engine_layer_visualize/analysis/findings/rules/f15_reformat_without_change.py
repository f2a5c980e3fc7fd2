"""A reformat changes neither type nor format: it is a copy.

**Found**: a layer of type Reformat reads and writes the same type in the same memory format. A copy
into a concatenation is F10's.

**Why it costs**: the tensor is read and written once more, and nothing is changed.

**What to do**: search the log for `Generating copy for`: it says which layer needs the copy.

**Example**:

    Layer(Reformat): a copy, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,8,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.reformat_kinds import Try, of_kind
from engine_layer_visualize.analysis.findings.rules.f10_concat_copy import is_part_of_concat
from engine_layer_visualize.analysis.findings.subject import Subject

RULE: Final = Rule(
    "F15",
    "reformat-without-change",
    "hint",
    "A reformat changes neither type nor format: it is a copy.",
    ("recorded logs",),
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change; those into a concatenation are F10's."""
    advice = "search the log for `Generating copy for`: it says which layer needs the copy"
    return of_kind(
        subject, RULE, "copy", lambda _: Try(advice), lambda la: not is_part_of_concat(subject, la)
    )
