"""A layer does not run the fastest tactic that was timed for it.

**Found**: the builder's time of the chosen tactic is more than 10 % above that of the fastest
tactic, over all types and formats that were timed for this layer.

**Why it costs**: the fastest tactic reads or writes other types or formats. The builder chooses for
the whole engine: with that tactic, reformats for the neighbours would have cost more. Where the log
has their times, the message has them, too.

**What to do**: where these reformats take less than the fastest tactic saves, the choice may be the
timer's noise: build again with `--avgTiming=16`. Else see which type or format it wants. Where the
neighbours could have it, too, for example with channel counts that are multiples of 8, all of them
can run it. F06 and F14 name the reformats that the choice already costs.

**Example**:

    Tactic: 0x1 Time: 0.3      (in Float linear, chosen)
    Tactic: 0x2 Time: 0.2      (in Half channels last, in 8s)

**Versions**: all logs with timings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.build_info import Candidate
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, plural
from engine_layer_visualize.trt.memory_formats import of_combination, split

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
    "the types and formats of the engine's inputs and outputs decide: give them those of the "
    "fastest tactic where trtexec has them (--inputIOFormats, --outputIOFormats), else leave it"
)
_SAME_ADVICE: Final = "it may be noise of the timer: build again with --avgTiming=16"
_CHEAPER: Final = (
    "reformats for the fastest tactic would take less than it saves: build again with "
    "--avgTiming=16, and report it to NVIDIA where it stays"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all layers with the same formats, chosen and fastest."""
    found: dict[tuple[str, str, bool], list[_Slower]] = defaultdict(list)
    reformats = dict(subject.facts.reformats)
    for layer in subject.layers:
        tuned = subject.known(layer).candidates
        if tuned.chosen is not None and tuned.best:
            around = _around(tuned.chosen, tuned.best[0], reformats)
            one = _Slower(layer, tuned.chosen, tuned.best[0], around)
            if one.chosen.ms > _SLOWER * one.fastest.ms > 0:
                cheap = around is not None and around < one.chosen.ms - one.fastest.ms
                found[_formats(one.chosen), _formats(one.fastest), cheap].append(one)
    for (own, other, cheap), several in found.items():
        layers = [one.layer for one in several]
        verb = plural(len(layers), "runs", "run")
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
                f"the fastest {milliseconds(one.fastest.ms)}"
                + (f", reformats for it {milliseconds(one.around)}" if one.around else ""),
                dict(subject.known(one.layer).lines).get("build_ms"),
            )
            for one in several[:3]
        ]
        inner = [one for la in layers for one in (*subject.writers(la), *subject.readers(la))]
        advice = _SAME_ADVICE if same else _ADVICE if inner else _END_ADVICE
        times = [one.around for one in several if one.around is not None]
        if not same and len(times) == len(several):
            advice = _CHEAPER if cheap else advice
            words += f"; the reformats for it would take {milliseconds(sum(times))}"
        why = (*subject.names(layers), words)
        yield subject.finding(RULE, layers, why, advice, evidence, ms=sum(saved))


class _Slower(NamedTuple):
    layer: Layer
    chosen: Candidate
    fastest: Candidate
    around: float | None  # ms of the reformats that the fastest one would need


def _around(chosen: Candidate, fastest: Candidate, reformats: Mapping[str, float]) -> float | None:
    """The builder's ms of the reformats from the formats of the one to those of the other, for the
    neighbours as they are; None where one was not timed."""
    sides = [(one.formats or "").split("->") for one in (chosen, fastest)]
    if len(sides[0]) != 2 or len(sides[1]) != 2:
        return None
    (read, written), (wanted, given) = ([split(side) for side in own] for own in sides)
    if len(read) != len(wanted) or len(written) != len(given):
        return None
    changes = [(a.strip(), b.strip()) for a, b in (*zip(read, wanted), *zip(given, written))]
    times = [reformats.get(f"{a} -> {b}") for a, b in changes if a != b]
    known = [ms for ms in times if ms is not None]
    return sum(known) if len(known) == len(times) else None


def _formats(one: Candidate) -> str:
    """What a tactic reads and writes, in words; empty where it is unknown."""
    sides = [" and ".join(dict.fromkeys(side)) for side in of_combination(one.formats or "")]
    return " → ".join(sides if len({*sides}) > 1 else sides[:1])
