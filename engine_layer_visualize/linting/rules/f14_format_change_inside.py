"""A reformat between two layers costs more than a neighbour would lose without it.

**Found**: a layer of type Reformat stands between two layers and changes the memory format alone,
and by the builder's own timings one of its neighbours would take the other format for less than the
reformat costs, with all its other tensors as they are. Nothing is said where a neighbour was not
timed so, where it has other readers, or where the reformat puts a part of a tensor into its place.

**Why it costs**: the tensor is read and written once more.

**What to do**: the builder's sums were close, or its timings unsteady: let it time with more
repetitions (`--avgTiming` of trtexec, `avg_timing_iterations` of the API). The flag is the same up
to TensorRT 10.16 and from 11 on. No option holds a format inside of an engine: if the reformat
stays, report it to NVIDIA.

**When to leave it**: where the reformat takes less time than the builder's timings vary from build
to build.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x0,
        a[Int8(1,8:32,4,4)] -> r[Int8(1,8:4,4,4)]

**Versions**: all that list reformats; the log must have the autotuning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.reformat_reasons import Reason, Side
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.reformat_kinds import Try, of_kind
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.memory_formats import of_combination

RULE: Final = Rule(
    "F14",
    "format-change-inside",
    "hint",
    "A reformat between two layers costs more than a neighbour would lose without it.",
    ("recorded logs",),
)
_ADVICE: Final = (
    "a neighbour takes the other format for less than the reformat costs: let the builder time "
    "with more repetitions (trtexec: --avgTiming); if it stays, report it to NVIDIA"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all with the same change."""
    return of_kind(subject, RULE, "format", lambda reason: _try(subject, reason))


def _try(subject: Subject, reason: Reason) -> Try | None:
    """By what the neighbours take in the other format; None where nothing shows a gain."""
    reformat = subject.engine.layers[reason.layer]
    build = subject.known(reformat).build_ms
    if not build or not reason.targets:
        return None
    told: list[Evidence] = []
    more = [sum(_more(subject, side, 0, reason, told) for side in reason.targets)]
    # What has other readers writes for them, too.
    own = [side.layer for side in reason.sources if side.layer is not None]
    if own and all(subject.only_reader(subject.engine.layers[one]) is reformat for one in own):
        more.append(sum(_more(subject, side, 1, reason, told) for side in reason.sources))
    least = max(0.0, min(more))
    return Try(_ADVICE, 1 - least / build, evidence=tuple(told)) if least < build else None


def _more(subject: Subject, side: Side, at: int, reason: Reason, told: list[Evidence]) -> float:
    """The builder's ms that a neighbour takes more where it reads (`at` 0) or writes (1) the other
    format in this place alone; infinite where it was not timed so."""
    if side.layer is None:
        return math.inf
    layer = subject.engine.layers[side.layer]
    known, timed = subject.known(layer), subject.tuned(layer).combinations
    if known.build_ms is None or known.formats is None:
        return math.inf
    own = of_combination(known.formats)
    now, wanted = (reason.after, reason.before) if at == 0 else (reason.before, reason.after)
    others = [
        one.ms
        for one in timed
        if one.formats is not None and _differs(own, of_combination(one.formats), at, now, wanted)
    ]
    if not others:
        return math.inf
    words = f"{layer.name}: {milliseconds(known.build_ms)}, {milliseconds(min(others))} in {wanted}"
    told.append(Evidence(words, dict(known.lines).get("candidates", layer.place.line)))
    return min(others) - known.build_ms


_Sides = tuple[tuple[str, ...], ...]


def _differs(own: _Sides, other: _Sides, at: int, now: str, wanted: str) -> bool:
    """Whether two format combinations differ in one tensor alone, which is read (`at` 0) or written
    (1), from `now` to `wanted`."""
    if [*map(len, own)] != [*map(len, other)] or len(own) <= at:
        return False
    changed = [
        (side, before, after)
        for side, (mine, others) in enumerate(zip(own, other))
        for before, after in zip(mine, others)
        if before != after
    ]
    return changed == [(at, now, wanted)]
