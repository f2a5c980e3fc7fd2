"""A layer does not run the fastest tactic that was timed for it.

**Found**: the builder's time of the chosen tactic is more than 10 % above that of the fastest
tactic, over all types and formats that were timed for this layer.

**Why it costs**: the fastest tactic reads or writes other types or formats. The builder chooses for
the whole engine: with that tactic, reformats for the neighbours would have cost more.

**What to do**: see which type or format the fastest tactic wants. Where the neighbours could have
it, too, for example with channel counts that are multiples of 8, all of them can run it. F06 and
F14 name the reformats that the choice already costs.

**Example**:

    Tactic: 0x1 Time: 0.3      (in Float linear, chosen)
    Tactic: 0x2 Time: 0.2      (in Half channels last, in 8s)

**Versions**: all logs with timings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.build_info import Candidate
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.trt.memory_formats import of_combination

RULE: Final = Rule(
    "T03",
    "not-the-fastest",
    "hint",
    "A layer does not run the fastest tactic that was timed for it.",
    ("recorded logs",),
)
_SLOWER: Final = 1.1
_ADVICE: Final = (
    "the types and formats of the neighbours decide: see whether they could have those of the "
    "fastest tactic"
)
_END_ADVICE: Final = (
    "the types and formats of the engine's inputs and outputs decide: a reformat would cost time"
)
_SAME_ADVICE: Final = "it may be noise of the timer: build again with --avgTiming=16"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers with the same formats, chosen and fastest."""
    found: dict[tuple[str, str], list[_Slower]] = defaultdict(list)
    for layer in subject.layers:
        tuned = subject.known(layer).candidates
        if tuned.chosen is not None and tuned.best:
            one = _Slower(layer, tuned.chosen, tuned.best[0])
            if one.chosen.ms > _SLOWER * one.fastest.ms > 0:
                found[_formats(one.chosen), _formats(one.fastest)].append(one)
    for (own, other), several in found.items():
        layers = [one.layer for one in several]
        verb = "run" if len(layers) > 1 else "runs"
        words = f" {verb} in {own}; the fastest tactic was timed in {other}"
        same = own == other or not own or not other
        if same:
            words = f" {verb} a tactic that was not the fastest one timed"
        saved = [
            ms * (1 - one.fastest.ms / one.chosen.ms)
            for one in several
            if (ms := subject.ms(one.layer)) is not None
        ]
        evidence = [
            Evidence(
                f"{one.layer.name}: {milliseconds(one.chosen.ms)}, "
                f"the fastest {milliseconds(one.fastest.ms)}",
                dict(subject.known(one.layer).lines).get("build_ms"),
            )
            for one in several[:3]
        ]
        inner = [one for la in layers for one in (*subject.writers(la), *subject.readers(la))]
        advice = _SAME_ADVICE if same else _ADVICE if inner else _END_ADVICE
        why = (*subject.names(layers), words)
        yield subject.finding(RULE, layers, why, advice, evidence, ms=sum(saved))


class _Slower(NamedTuple):
    layer: Layer
    chosen: Candidate
    fastest: Candidate


def _formats(one: Candidate) -> str:
    """What a tactic reads and writes, in words; empty where it is unknown."""
    sides = [" and ".join(dict.fromkeys(side)) for side in of_combination(one.formats or "")]
    return " → ".join(sides if len({*sides}) > 1 else sides[:1])
