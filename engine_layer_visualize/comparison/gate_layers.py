"""Judges groups of layers by their times on two sides, and by the limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import fsum, log
from statistics import fmean
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.comparison.gate_statistics import (
    MIN_RUNS,
    geometric_mean,
    slowdown_chance,
    timed,
    usable,
)
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words, joined

# ---- the limits of a gate, and the text of a flag as a fraction ---------------------------------

_FRACTION: Final = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}) ?(%?)")


class Limits(NamedTuple):
    """What a new engine may cost more than the baseline. None: that is not looked at."""

    slowdown: float | None = 0.03  # of the whole engine, as a fraction of the baseline
    layer_slowdown: float | None = None  # of a group of layers, as a fraction
    min_layer_ms: float = 0.02  # a group that takes less on both sides is not judged
    memory: float | None = None  # growth, as a fraction
    reformats: int | None = None  # how many there may be more


def fraction(text: str) -> float:
    """Reads `3%` or `0.03` as 0.03.

    Raises:
        ValueError: it is no fraction, or is 1 or more without a sign.
    """
    match = _FRACTION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"a fraction such as 3% or 0.03 is wanted, not {text[:40]!r}")
    value = float(match[1])
    if match[2]:
        return value / 100
    return of_number(value)


def of_number(value: float) -> float:
    """Checks a fraction that is given as a number.

    Raises:
        ValueError: it is 1 or more. Who gives 3 most likely means 3 %, and who gives 1 may.
    """
    if not 0 <= value < float("inf"):
        raise ValueError(f"a limit is a fraction from 0 on, such as 0.03, not {value!r}")
    if value >= 1:
        raise ValueError(
            f"{value:g} is {value:g} times the baseline; write {value:g}%, or {value * 100:g}%"
        )
    return value


def percent(value: float, beside: float | None = None) -> str:
    """`5.2 %`; with so many digits that it reads as another number than `beside`, if it is one."""
    for digits in range(1, 7):
        text = f"{value * 100:.{digits}f} %"
        if beside is None or value == beside or float(text[:-2]) != round(beside * 100, digits):
            break
    return text.replace("-0.0 %", "0.0 %")


def signed(value: float, beside: float | None = None) -> str:
    """`+5.2 %`: percents with their sign."""
    text = percent(value, beside)
    return f"−{text[1:]}" if text.startswith("-") else f"+{text}"


def allowed(limit: float) -> str:
    """A limit as it was given: `3 %`, `0.5 %`."""
    return f"{limit * 100:.6g} %"


# ---- judges groups of layers by their times on two sides ----------------------------------------

# Many groups are looked at, so some are slower by chance: Holm's correction keeps the risk that
# any
# group is called slower by chance at 2.5 %.


Verdict = Literal["pass", "unsure", "fail", "not_comparable"]
VERDICTS: Final[tuple[Verdict, ...]] = ("pass", "unsure", "not_comparable", "fail")  # worst last
_MAX_RISK: Final = 0.025

_MAX_NAMED: Final = 3  # groups that a reason names
SIDES: Final = ("the baseline", "the new engine")


class GroupTimes(NamedTuple):
    """The times of layers that belong together on both sides, or that are on one side alone."""

    layers: tuple[str, ...]  # their names in the new engine, else in the baseline
    baseline: tuple[float, ...]  # ms in each run; empty where they are not or were not measured
    new: tuple[float, ...]  # the same of the new engine
    paired: bool = True  # whether they are on both sides


class JudgedGroup(NamedTuple):
    """A group that is measured on both sides."""

    layers: tuple[str, ...]
    baseline_ms: float
    new_ms: float
    runs: tuple[int, int]  # how many on either side
    verdict: Verdict | None = None  # None where no limit holds for it

    @property
    def ms(self) -> float:
        """What it takes more than in the baseline."""
        return self.new_ms - self.baseline_ms

    @property
    def slowdown(self) -> float | None:
        """As a fraction of the baseline's time; None where that is printed as 0."""
        return self.new_ms / self.baseline_ms - 1 if self.baseline_ms else None


class Unjudged(NamedTuple):
    """Layers that are measured on one side alone."""

    number: int  # of layers
    groups: tuple[tuple[tuple[str, ...], float], ...]  # names and ms of each, the longest first
    ms: float
    share: float  # of what is measured on that side


def judge_layers(measured: Sequence[GroupTimes], limits: Limits) -> tuple[JudgedGroup, ...]:
    """The groups that are measured on both sides, those that cost the most first."""
    known = [times for times in measured if timed(times.baseline) and timed(times.new)]
    known = [times for times in known if any((*times.baseline, *times.new))]
    groups = [
        JudgedGroup(names, mean(before), mean(after), (len(before), len(after)))
        for names, before, after, _ in known
    ]
    if limits.layer_slowdown is not None:
        large = [
            number
            for number, group in enumerate(groups)
            if max(group.baseline_ms, group.new_ms) >= limits.min_layer_ms
        ]
        verdicts = _verdicts([known[number] for number in large], limits.layer_slowdown)
        for number, verdict in zip(large, verdicts, strict=True):
            groups[number] = groups[number]._replace(verdict=verdict)
    return tuple(sorted(groups, key=lambda group: -group.ms))


def unjudged(measured: Sequence[GroupTimes]) -> tuple[Unjudged, Unjudged]:
    """What is measured on one side alone, of the baseline and of the new engine."""
    sides = []
    for side in (0, 1):
        times = [(group.layers, (group.baseline, group.new)[side]) for group in measured]
        total = fsum(mean(ms) for _, ms in times if timed(ms))
        alone = sorted(
            (
                (layers, mean(ms))
                for (layers, ms), group in zip(times, measured, strict=True)
                if timed(ms) and not timed((group.new, group.baseline)[side])
            ),
            key=lambda group: -group[1],
        )
        ms = fsum(ms for _, ms in alone)
        number = sum(len(layers) for layers, _ in alone)
        sides.append(Unjudged(number, tuple(alone), ms, ms / total if total else 0.0))
    return sides[0], sides[1]


def mean(ms: Sequence[float]) -> float:
    """The mean of a side; a time that is printed as 0 has no geometric mean."""
    return geometric_mean(ms) if usable(ms) else fmean(ms)


def _verdicts(measured: Sequence[GroupTimes], limit: float) -> Iterator[Verdict]:
    chances = [
        slowdown_chance(times.baseline, times.new, limit)
        if usable(times.baseline) and usable(times.new)
        else None
        for times in measured
    ]
    sure = holm([1.0 if chance_ is None else chance_ for chance_ in chances], _MAX_RISK)
    for times, chance_, is_sure in zip(measured, chances, sure, strict=True):
        if not (usable(times.baseline) and usable(times.new)):
            yield _beside_zero(times, limit)
        elif log(geometric_mean(times.new) / geometric_mean(times.baseline)) <= log(1 + limit):
            yield "pass"
        elif is_sure or chance_ is None:  # too few runs: the limit alone
            yield "fail"
        else:
            yield "unsure"


def _beside_zero(times: GroupTimes, limit: float) -> Verdict:
    """Where a run's time is printed as 0."""
    if mean(times.new) <= mean(times.baseline) * (1 + limit):
        return "pass"
    few = len(times.baseline) + len(times.new) < MIN_RUNS
    return "fail" if few or min(times.new) > max(times.baseline) * (1 + limit) else "unsure"


def holm(chances: Sequence[float], risk: float) -> list[bool]:
    """Which of these p-values hold, so that the risk of any false one is at most `risk`."""
    held = [False] * len(chances)
    for rank, number in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[number] > risk / (len(chances) - rank):
            break
        held[number] = True
    return held


# ---- the words of a reason -----------------------------------------------------------------------


def named_with_times(groups: Sequence[JudgedGroup]) -> tuple[str | Name, ...]:
    """The first of them."""
    return listed(
        [
            (one.layers, f"{milliseconds(one.baseline_ms)} → {milliseconds(one.new_ms)}")
            for one in groups
        ]
    )


def listed(groups: Sequence[tuple[Sequence[str], str]]) -> tuple[str | Name, ...]:
    """The first of them, each with its times."""
    each: list[Words] = []
    for layers, times in groups[:_MAX_NAMED]:
        more = f" and {len(layers) - 1:,} more" if len(layers) > 1 else ""
        name = Name(layers[0]) if layers else "layers without a name"
        each.append(("`", name, f"`{more} ({times})"))
    rest = len(groups) - len(each)
    return (*joined(", ", each), *([f", and {rest:,} more"] if rest else []))
