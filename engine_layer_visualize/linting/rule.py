"""Makes the findings of rules: each with the time that can be saved, and its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Final

from engine_layer_visualize.analysis.work import LAUNCH, needed_ms
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.linting.finding import SHORTEST_MS, Evidence, Finding, Rule
from engine_layer_visualize.linting.inference import at_most
from engine_layer_visualize.linting.subject import Subject

# cap on the fraction of a device's peak: no more is expected of kernels for tensor cores
_REACHED: Final = 0.6
_MOST_NAMES: Final = 3  # layers whose names stand in a sentence


def finding(
    subject: Subject,
    rule: Rule,
    layers: Iterable[Layer],
    why: Words,
    advice: str,
    evidence: Iterable[Evidence] = (),
    *,
    ms: float | None = None,
    part: float | None = None,
    about: Iterable[Layer] = (),
) -> Finding:
    """Returns what a rule saw, with the time that can be saved.

    That time is never more than the layers take, nor than an inference takes.

    Args:
        subject: the engine.
        rule: the rule.
        layers: the layers that it is about; none: the whole engine.
        why: a sentence with the names apart.
        advice: what to try.
        evidence: what it rests on; none: the records of the layers.
        ms: the time that can be saved.
        part: that time as a part of the layers' time, where `ms` is None.
        about: layers that it mentions without counting their time.

    Raises:
        ValueError: `ms` is no finite number.
    """
    if ms is not None and not isfinite(ms):
        raise ValueError(f"ms is {ms}")
    unique = tuple({layer.index: layer for layer in layers}.values())
    whole = subject.costs.sum(unique)
    stake = None if unique else ms
    if ms is None and part is None:
        stake = None
    elif whole is not None:
        stake = whole * (part or 0.0) if ms is None else max(0.0, min(ms, whole))
    stake = None if stake is None else at_most(stake, subject.costs)
    given = tuple(evidence) or tuple(record(layer) for layer in unique[:_MOST_NAMES])
    kind = None if stake is None else subject.costs.kind
    own, others = ((*(layer.index for layer in each),) for each in (unique, about))
    found = Finding(rule, own, stake, why, advice, given, kind)
    return found._replace(about=tuple(sorted(others)))


def shared(
    subject: Subject,
    rule: Rule,
    layers: Sequence[Layer],
    least_share: float,
    what: str,
    advice: str,
) -> Iterator[Finding]:
    """Yields a finding where layers together take more than a share of the engine's time.

    Args:
        subject: the engine.
        rule: the rule.
        layers: the layers.
        least_share: from 0 to 1; there is none up to it, or where too little time is known.
        what: the word for one of the layers.
        advice: what to try.
    """
    timed = [layer for layer in layers if subject.ms(layer)]
    ms, whole = subject.costs.sum(timed), subject.costs.whole
    if ms is None or not whole or ms <= least_share * whole or not subject.costs.ranked:
        return
    took = f"{plural(len(timed), 'takes', 'take')} {milliseconds(ms)}, {percent(ms / whole)}"
    took += f" {subject.of_all}"
    timed.sort(key=lambda layer: -(subject.ms(layer) or 0.0))
    why = (f"{count(len(timed), what)} {took}: ", *named(timed))
    yield finding(subject, rule, timed, why, advice)


def record(layer: Layer, text: str = "") -> Evidence:
    """Returns a layer's record as evidence, with what it shows."""
    return Evidence(text or f"{layer.type} {layer.name}".strip(), layer.place.line)


def named(layers: Sequence[Layer]) -> tuple[str | Name, ...]:
    """Returns a list of names: `conv1`, `conv2`, `conv3` and 17 more layers."""
    words = joined(", ", [("`", Name(layer.name), "`") for layer in layers[:_MOST_NAMES]])
    more = len(layers) - _MOST_NAMES
    return (*words, f" and {count(more, 'more layer')}") if more > 0 else words


def precision_option(subject: Subject) -> list[Evidence]:
    """Returns the precisions that trtexec was allowed; empty where the log has no options."""
    option = subject.option("Precision")
    return [] if option is None else [Evidence(f"Precision: {option.value}", option.line)]


def saved_together(
    subject: Subject, layers: Iterable[Layer], dtypes: Iterable[str] = ()
) -> float | None:
    """Returns the sum of `saved_by`; None where nothing is known to be saved."""
    wanted = tuple(dtypes)
    return sum(saved_by(subject, layer, wanted) or 0.0 for layer in layers) or None


def saved_by(subject: Subject, layer: Layer, dtypes: Iterable[str] = ()) -> float | None:
    """Returns the ms that another kernel could save, in one of these types or the present one.

    It assumes one launch, and the efficiency of this engine's best layer. None where that is
    unknown, and for a short layer.
    """
    ms, now = subject.ms(layer), subject.dtype(layer) or ""
    needed = needed_ms(subject.work_of(layer), now, dtypes, subject.work.peak)
    if ms is None or ms < SHORTEST_MS or needed is None:
        return None
    took = max(ms / rate for ms, rate in zip(needed, subject.once(_reached)))
    return max(0.0, ms - took - LAUNCH)


def _reached(subject: Subject) -> tuple[float, float]:
    """The most of the device's multiplications, and of its bandwidth, that a layer reaches."""
    best = {"compute": 0.0, "memory": 0.0}
    for layer in subject.layers:
        done = subject.work_of(layer)
        if done.bound_by in best and (subject.ms(layer) or 0.0) >= SHORTEST_MS:
            best[done.bound_by] = max(best[done.bound_by], done.efficiency or 0.0)
    return min(_REACHED, best["compute"] or 1.0), min(1.0, best["memory"] or _REACHED)
