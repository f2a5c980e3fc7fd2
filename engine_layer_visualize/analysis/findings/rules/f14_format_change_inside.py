"""A reformat between two layers changes the memory format alone.

**Found**: a layer of type Reformat stands between two layers; the data type stays, the memory
format changes.

**Why it costs**: the tensor is read and written once more, because the fastest kernels of its
neighbours want different formats. The builder counted this cost in, so the sum may still be the
best it found.

**What to do**: where the log has the autotuning, the evidence has what each neighbour takes in the
other format. Where each takes longer by more than the reformat, or has no kernel for it, leave it.
Where one would take it for less, its own neighbours want other formats, or it is a fault of the
builder: no option of trtexec holds a format inside of an engine.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x0,
        a[Int8(1,8:32,4,4)] -> r[Int8(1,8:4,4,4)]

**Versions**: all that list reformats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.reformat_kinds import Try, of_kind
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.analysis.reformat_reasons import Reason, Side
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.trt.memory_formats import of_combination

RULE: Final = Rule(
    "F14",
    "format-change-inside",
    "hint",
    "A reformat between two layers changes the memory format alone.",
    ("recorded logs",),
)
_UNKNOWN: Final = (
    "build without a timing cache and with --verbose: then the log has what the neighbours take in "
    "the other format"
)
_LEAVE: Final = (
    "leave it: in the other format the neighbours take longer by more than the reformat, or have "
    "no kernel"
)
_CHEAPER: Final = (
    "a neighbour takes the other format for less than the reformat costs: see which format its own "
    "neighbours want, and whether another size or operation behind it takes that, too"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change."""
    return of_kind(subject, RULE, "format", lambda reason: _try(subject, reason))


def _try(subject: Subject, reason: Reason) -> Try:
    """By what the neighbours take in the other format."""
    build = subject.known(subject.engine.layers[reason.layer]).build_ms
    told: list[Evidence] = []
    more: list[float] = []
    sides = [(reason.sources, 1, reason.after), (reason.targets, 0, reason.before)]
    for neighbours, at, wanted in sides:
        extra = [_more(subject, side, at, wanted, told) for side in neighbours]
        known = [ms for ms in extra if ms is not None]
        if not build or not extra or len(known) < len(extra):
            return Try(_UNKNOWN)
        more.append(max(0.0, sum(known)))
    assert build is not None
    if min(more) >= build:
        return Try(_LEAVE, 0.0, evidence=tuple(told))
    return Try(_CHEAPER, 1 - min(more) / build, evidence=tuple(told))


def _more(subject: Subject, side: Side, at: int, wanted: str, told: list[Evidence]) -> float | None:
    """The builder's ms that a neighbour takes more with what it reads (`at` 0) or writes (1) in
    this format; infinite where no tactic was timed so, None where it was not timed."""
    if side.layer is None:
        return math.inf
    layer = subject.engine.layers[side.layer]
    known, timed = subject.known(layer), subject.tuned(layer).combinations
    own = known.build_ms if runs_kernel(layer) else 0.0
    if not timed or own is None:
        return None
    others = [one.ms for one in timed if wanted in [*of_combination(one.formats or ""), (), ()][at]]
    fastest = f"{milliseconds(min(others))} in {wanted}" if others else f"no tactic in {wanted}"
    line = dict(known.lines).get("candidates", layer.place.line)
    told.append(Evidence(f"{layer.name}: {milliseconds(own)}, {fastest}", line))
    return min(others) - own if others else math.inf
