"""The two fastest tactics of a layer differ by less than 1 %.

**Found**: at least two tactics were timed for a layer, the two fastest run different kernels, their
times differ by less than 1 %, and the layer runs one of them. Layers below 5 µs stand in one
finding of their own: there, such a difference is noise of the timer.

**Why it costs**: no time. The next build of the same network may choose the other kernel: its
numbers, its memory and its speed may differ a little from this build's.

**What to do**: where builds must be equal, keep the timing cache (`--timingCacheFile`) and build
with it. `--avgTiming=16` makes each timing steadier. TensorRT 10 can hold a choice
(`BuilderFlag.EDITABLE_TIMING_CACHE`).

**Example**:

    Tactic Name: sm80_xmma_fprop_a Tactic: 0x1 Time: 0.2004
    Tactic Name: sm80_xmma_fprop_b Tactic: 0x2 Time: 0.2

**Versions**: all logs with timings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.build_info import Candidate
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds

RULE: Final = Rule(
    "T02",
    "near-tie",
    "hint",
    "The two fastest tactics of a layer differ by less than 1 %.",
    (
        "NVIDIA/TensorRT issues 4730, 1071, 3316",
        "TensorRT documentation: deterministic tactic selection",
    ),
)
_TIE: Final = 1.01
_NOISE_MS: Final = 0.005
_ADVICE: Final = (
    "where builds must be equal, keep the timing cache (trtexec: --timingCacheFile); "
    "--avgTiming=16 makes timings steadier"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all such layers, and one for those that are too fast to be told apart."""
    tied = [layer for layer in subject.layers if _differ(subject.known(layer).candidates.best)]
    for short in (False, True):
        layers = [layer for layer in tied if _runs_one(subject, layer, short)]
        if layers:
            noise = f", below {milliseconds(_NOISE_MS)}: noise of the timer" if short else ""
            words = ": the two fastest tactics differ by less than 1 %"
            why = (*subject.names(layers), words, noise)
            evidence = [_evidence(subject, layer) for layer in layers[:3]]
            yield subject.finding(RULE, layers, why, _ADVICE, evidence, ms=0.0)


def _differ(best: tuple[Candidate, ...]) -> bool:
    """Whether the two fastest tactics run different kernels, as far as that is known."""
    if len(best) < 2:
        return False
    first, second = best[:2]
    return first.kernel != second.kernel if first.kernel and second.kernel else True


def _runs_one(subject: Subject, layer: Layer, short: bool) -> bool:
    """Whether the two tactics are tied, below the timer's noise or not, and the layer runs one."""
    tuned = subject.known(layer).candidates
    first, second = tuned.best[:2]
    return (
        second.ms <= first.ms * _TIE
        and (first.ms < _NOISE_MS) == short
        and tuned.chosen is not None
        and tuned.chosen.tactic in (first.tactic, second.tactic)
    )


def _evidence(subject: Subject, layer: Layer) -> Evidence:
    known = subject.known(layer)
    times = [
        f"{one.kernel or one.tactic} {milliseconds(one.ms)}" for one in known.candidates.best[:2]
    ]
    return Evidence(f"{layer.name}: {', '.join(times)}", dict(known.lines).get("candidates"))
