"""Says what a sweep found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.gate import limits
from engine_layer_visualize.comparison.history.steps import LEAST_STEP
from engine_layer_visualize.comparison.sweep.knobs import KnobEffect, parsed
from engine_layer_visualize.comparison.sweep.trials import Changed, Kind, Sweep
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words, joined

_KINDS: Final[dict[Kind, str]] = {
    "search": "Times are those by which the search compares",
    "compute": "Times are trtexec's GPU compute time",
    "layers": "Times are sums of the layers",
}
_REASONS: Final = 5  # why builds failed


def title(sweep: Sweep) -> str:
    """`Sweep of 8 build routes`."""
    number = len(sweep.trials)
    what = count(number, "build route" if sweep.of == "routes" else "log")
    return f"Sweep of {what}"


def first(sweep: Sweep) -> Words:
    """What matters most."""
    base, best = sweep.base, sweep.best
    if len(sweep.failed) == len(sweep.trials):
        return "Every build failed."
    if base is None or best is None or (ms := sweep.ms(best)) is None:
        return "No build has a measured time."
    change = sweep.change(best)
    start: tuple[str, Name] = ("Iteration " if sweep.of == "routes" else "", name(sweep, best))
    if best == base or change is None:
        return (*start, f" is the fastest: {milliseconds(ms)}; all are compared with it.")
    if knobs := " ".join(differing(sweep, best)) if sweep.of == "routes" else "":
        start = (start[0], Name(f"{start[1].text} ({knobs})"))
    verdict = "" if abs(change) >= LEAST_STEP else ": no more than runs of one engine differ"
    return (
        *start,
        f" is the fastest: {milliseconds(ms)}, {limits.percent(-change)} less than ",
        "iteration " if sweep.of == "routes" else "",
        name(sweep, base),
        f" ({milliseconds(sweep.ms(base) or 0.0)}){verdict}.",
    )


def remarks(sweep: Sweep) -> Iterator[Words]:
    """What is to be known: what failed, how times were taken, which engines were compared."""
    if sweep.unfinished:
        yield sweep.unfinished
    if sweep.failed:
        reasons = Counter(sweep.trials[n].failure for n in sweep.failed)
        each: list[Words] = [
            (f"{number:,} × ", Name(reason)) for reason, number in reasons.most_common(_REASONS)
        ]
        if len(reasons) > _REASONS:
            each.append(count(len(reasons) - _REASONS, "other reason"))
        whole = f"{count(len(sweep.failed), 'build')} of {len(sweep.trials):,} failed: "
        yield (whole, *joined("; ", each), ".")
    best = None if sweep.best is None else sweep.trials[sweep.best].route
    if sweep.told_best is not None and best is not None and sweep.told_best != best:
        yield ("The search itself calls another route the best: ", Name(sweep.told_best), ".")
    if sweep.kind is not None:
        yield (
            f"{_KINDS[sweep.kind]}. Each build was measured once, runs of one engine differ by up "
            f"to {limits.percent(LEAST_STEP)}, and the fastest of many is so by chance, too: "
            "measure it again."
        )


def name(sweep: Sweep, number: int) -> Name:
    """The number of an iteration, or the log."""
    return Name(sweep.trials[number].name)


def called(sweep: Sweep, number: int) -> str:
    """A build by its name, and by the knobs in which it differs from the first."""
    if sweep.of != "routes":
        return sweep.trials[number].name
    knobs = " ".join(differing(sweep, number))
    return f"iteration {sweep.trials[number].name}{f', {knobs}' if knobs else ''}"


def differing(sweep: Sweep, number: int) -> Iterator[str]:
    """`copy_ppg=off` for each knob that is not as in the first; all knobs where there is none."""
    base = {} if sweep.base in (None, number) else parsed(sweep.trials[sweep.base or 0].route)
    own = parsed(sweep.trials[number].route)
    for knob in dict.fromkeys((*own, *base)):
        if own.get(knob) != base.get(knob):
            yield (
                f"{knob}={own[knob]}"
                if own.get(knob)
                else f"{knob} {'not ' * (knob not in own)}set"
            )


def setting(effect: KnobEffect) -> str:
    """`copy_ppg=off, not on`."""
    value = f"={effect.value}" if effect.value else " not set"
    against = f"not {effect.against}" if effect.against else "where it is not set"
    return f"{effect.knob}{value}, {against}"


def change(value: float | None) -> str:
    """`−5.1 %`; `~` within what runs of one engine differ by."""
    if value is None:
        return "–"
    return "~" if abs(value) < LEAST_STEP else limits.signed(value)


def numbers(changed: Changed | None) -> tuple[str, str, str, str, str, str]:
    """Cells: layers, reformats, groups with another fusion, kernel, precision, and the rest."""
    if changed is None:
        return ("–", "–", "–", "–", "–", "–")
    several = (changed.fusions, changed.kernels, changed.precisions, changed.unmatched)
    of_groups = ["–" if number is None else f"{number:,}" if number else "" for number in several]
    fusions, kernels, precisions, unmatched = of_groups
    return (
        _both(changed.layers),
        _both(changed.reformats),
        fusions,
        kernels,
        precisions,
        unmatched,
    )


def _both(numbers: tuple[int, int]) -> str:
    before, after = numbers
    return f"{after:,}" if before == after else f"{before:,} → {after:,}"
