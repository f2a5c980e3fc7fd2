"""Judges groups of layers by their times on two sides.

Many groups are looked at, so some are slower by chance: Holm's correction keeps the risk that any
group is called slower by chance at 2.5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, log
from statistics import fmean
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.comparison.gate.limits import Limits
from engine_layer_visualize.comparison.gate.slowdown import (
    MIN_RUNS,
    chance,
    geometric_mean,
    timed,
    usable,
)
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words, joined

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
        chance(times.baseline, times.new, limit)
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
