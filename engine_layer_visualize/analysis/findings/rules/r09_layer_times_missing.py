"""Layers have no measured time.

**Found**: no profile was read with the log; or a profile was, and it has rows of no layer, or
layers that run a kernel have no row.

**Why it costs**: without measured times the most expensive layer is a guess: the builder's timings
are of each kernel alone.

**What to do**: `--exportProfile=prof.json --separateProfileRun` of trtexec, and give the file with
the log of the same build. Rows without a layer are often another build's, or kernels inside of a
ForeignNode: for those, `--profilingVerbosity=detailed`.

**Example**:

    147 rows of the profile, 12 of them without a layer

**Versions**: all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.text import count

RULE: Final = Rule(
    "R09",
    "layer-times-missing",
    "hint",
    "Layers have no measured time.",
    ("this program",),
)
_MEASURE: Final = "measure the layers (trtexec: --exportProfile=prof.json --separateProfileRun)"
_SAME: Final = (
    "see that the profile is of this build; kernels inside of a ForeignNode have rows of their "
    "own: build with --profilingVerbosity=detailed"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    profile = subject.engine.profile
    listing = subject.engine.source.first_line
    if profile is None:
        if not subject.layers:
            return
        kind = "the builder's estimates" if subject.costs.kind == "estimated" else "unknown"
        why = f"no profile was given: the layers' times are {kind}"
        lines = [Evidence(f"{count(len(subject.layers), 'layer')}, no profile", listing)]
        yield subject.finding(RULE, (), why, _MEASURE, lines)
        return
    untimed = [layer for layer in subject.layers if subject.costs.missing(layer)]
    rows = len(profile.unmatched_rows)
    if not untimed and not rows:
        return
    parts = [f"{rows:,} of {count(profile.rows, 'row')} without a layer"] if rows else []
    parts += [f"{count(len(untimed), 'layer')} without a row"] if untimed else []
    why = f"the profile and the listing differ: {'; '.join(parts)}"
    lines = [Evidence(f"row without a layer: {name}") for name in profile.unmatched_rows[:3]]
    lines += [subject.record(layer) for layer in untimed[:3]]
    yield subject.finding(RULE, (), why, _SAME, lines)
