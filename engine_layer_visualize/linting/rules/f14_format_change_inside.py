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

**Severity**: hint.

**Sources**: recorded logs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.reformat_reasons import Reason, Side
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.reformat_kinds import Try, of_kind
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.memory_formats import of_combination

RULE: Final = described(__name__, __doc__)
_ADVICE: Final = (
    "a neighbour takes the other format for less than the reformat costs: let the builder time "
    "with more repetitions (trtexec: --avgTiming); if it stays, report it to NVIDIA"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all with the same change."""
    return of_kind(subject, RULE, "format", lambda reason: _try(subject, reason))


def _try(subject: Subject, reason: Reason) -> Try | None:
    """Returns what to try, by the neighbours' times in the other format; None: no gain."""
    reformat = subject.engine.layers[reason.layer]
    build = subject.known(reformat).build_ms
    if not build or not reason.targets:
        return None
    told: list[Evidence] = []
    more = [sum(_more(subject, end, 0, reason, told) for end in reason.targets)]
    # What has other readers writes for them, too.
    writers = [subject.engine.layers[end.layer] for end in reason.sources if end.layer is not None]
    if writers and all(subject.only_reader(writer) is reformat for writer in writers):
        more.append(sum(_more(subject, end, 1, reason, told) for end in reason.sources))
    least = max(0.0, min(more))
    return Try(_ADVICE, 1 - least / build, evidence=tuple(told)) if least < build else None


def _more(subject: Subject, end: Side, side: int, reason: Reason, told: list[Evidence]) -> float:
    """Returns the builder's ms that a neighbour takes more with the other format in one tensor.

    Args:
        subject: the engine.
        end: the neighbour and the tensor.
        side: 0 where the neighbour reads the tensor, 1 where it writes it.
        reason: what the reformat changes.
        told: takes the evidence.

    Returns:
        Infinity where it was not timed so.
    """
    if end.layer is None:
        return math.inf
    layer = subject.engine.layers[end.layer]
    known, timed = subject.known(layer), subject.tuned(layer).combinations
    if known.build_ms is None or known.formats is None:
        return math.inf
    chosen = of_combination(known.formats)
    now, wanted = (reason.after, reason.before) if side == 0 else (reason.before, reason.after)
    others = [
        combination.ms
        for combination in timed
        if combination.formats is not None
        and _differs(chosen, of_combination(combination.formats), side, now, wanted)
    ]
    if not others:
        return math.inf
    words = f"{layer.name}: {milliseconds(known.build_ms)}, {milliseconds(min(others))} in {wanted}"
    told.append(Evidence(words, dict(known.lines).get("candidates", layer.place.line)))
    return min(others) - known.build_ms


_Sides = tuple[tuple[str, ...], ...]


def _differs(chosen: _Sides, other: _Sides, side: int, now: str, wanted: str) -> bool:
    """Whether two format combinations differ in one tensor alone, from `now` to `wanted`.

    Args:
        chosen: a combination.
        other: another one.
        side: 0 where that tensor is read, 1 where it is written.
        now: its format in the first.
        wanted: its format in the other.
    """
    if [*map(len, chosen)] != [*map(len, other)] or len(chosen) <= side:
        return False
    changed = [
        (place, before, after)
        for place, (mine, others) in enumerate(zip(chosen, other))
        for before, after in zip(mine, others)
        if before != after
    ]
    return changed == [(side, now, wanted)]
