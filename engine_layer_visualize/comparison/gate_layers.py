"""Judges groups of layers by their times on two sides, and by the limit.

Many groups are looked at, so some are slower by chance: Holm's correction keeps the risk that any
group is called slower by chance at 2.5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, log
from statistics import fmean
from typing import Final, NamedTuple

from engine_layer_visualize.comparison.gate_statistics import (
    MIN_RUNS,
    geometric_mean,
    slowdown_chance,
    timed,
    usable,
)
from engine_layer_visualize.comparison.verdict import (
    SIDES,
    Check,
    JudgedGroup,
    Limits,
    Verdict,
    allowed,
    listed,
    percent,
)
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Words

ENOUGH: Final = "Give at least three runs on each side."
_MAX_RISK: Final = 0.025
_MAX_UNJUDGED: Final = 0.1  # of the time of its layers is not judged


class GroupTimes(NamedTuple):
    """The times of layers that belong together on both sides, or that are on one side alone."""

    layers: tuple[str, ...]  # their names in the new engine, else in the baseline
    baseline: tuple[float, ...]  # ms in each run; empty where they are not or were not measured
    new: tuple[float, ...]  # the same of the new engine
    paired: bool = True  # whether they are on both sides

    @property
    def both(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The times in the baseline, and in the new engine."""
        return self.baseline, self.new


def mean(ms: Sequence[float]) -> float:
    """The mean of a side; a time that is printed as 0 has no geometric mean."""
    return geometric_mean(ms) if usable(ms) else fmean(ms)


def judge_groups(measured: Sequence[GroupTimes], limits: Limits) -> tuple[JudgedGroup, ...]:
    """The groups that are measured on both sides, those that cost the most first."""
    known = [
        times
        for times in measured
        if all(map(timed, times.both)) and any((*times.baseline, *times.new))
    ]
    groups = [
        JudgedGroup(layers, mean(before), mean(after), (len(before), len(after)))
        for layers, before, after, _ in known
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


def _verdicts(measured: Sequence[GroupTimes], limit: float) -> Iterator[Verdict]:
    chances = [
        slowdown_chance(*times.both, limit) if all(map(usable, times.both)) else None
        for times in measured
    ]
    sure = holm([1.0 if chance is None else chance for chance in chances], _MAX_RISK)
    for times, chance, is_sure in zip(measured, chances, sure, strict=True):
        if not all(map(usable, times.both)):
            yield _beside_zero(times, limit)
        elif log(geometric_mean(times.new) / geometric_mean(times.baseline)) <= log(1 + limit):
            yield "pass"
        else:  # of too few runs the limit alone decides
            yield "fail" if is_sure or chance is None else "unsure"


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


# ---- what is said ------------------------------------------------------------------------------


def check_layers(
    groups: Sequence[JudgedGroup], measured: Sequence[GroupTimes], limits: Limits
) -> Iterator[Check]:
    """Whether a group takes over the limit more time, and which layers are not judged."""
    limit = limits.layer_slowdown
    if limit is None:
        return
    alone = [_unjudged(measured, side) for side in (0, 1)]
    left = [words for _, words in alone if words]
    if not groups:
        said = "The times of layers cannot be judged: none is known on both sides."
        yield Check("layers", "unsure", (said, *left))
        return
    judged = count(sum(group.verdict is not None for group in groups), "group")
    failed, doubtful = (
        [group for group in groups if group.verdict == verdict] for verdict in ("fail", "unsure")
    )
    reasons: list[Words] = []
    for found, chance in ((failed, ""), (doubtful, " in these runs, which may be chance")):
        if found:
            take = "takes" if len(found) == 1 else "take"
            said = f"{len(found):,} of {judged} of layers {take} over {allowed(limit)} more time"
            names = [(one.layers, _both_times(one)) for one in found]
            reasons.append((f"{said}{chance}: ", *listed(names), "."))
    if not reasons:
        reasons.append(f"None of {judged} of layers takes over {allowed(limit)} more time.")
    elif any(sum(group.runs) < MIN_RUNS for group in failed):
        reasons.append(f"With so few runs it is unknown how much of this is noise. {ENOUGH}")
    unsure = doubtful or max(share for share, _ in alone) > _MAX_UNJUDGED
    yield Check("layers", "fail" if failed else "unsure" if unsure else "pass", (*reasons, *left))


def _both_times(group: JudgedGroup) -> str:
    return f"{milliseconds(group.baseline_ms)} → {milliseconds(group.new_ms)}"


def _unjudged(measured: Sequence[GroupTimes], side: int) -> tuple[float, Words]:
    """The share of the time of a side that is of layers measured there alone, and a sentence."""
    total = fsum(mean(group.both[side]) for group in measured if timed(group.both[side]))
    alone = sorted(
        (
            (group.layers, mean(group.both[side]))
            for group in measured
            if timed(group.both[side]) and not timed(group.both[1 - side])
        ),
        key=lambda group: -group[1],
    )
    if not alone:
        return 0.0, ""
    ms = fsum(ms for _, ms in alone)
    share = ms / total if total else 0.0
    layers = count(sum(len(layers) for layers, _ in alone), "layer")
    said = f"{layers} of {SIDES[side]}, {milliseconds(ms)} or {percent(share)} of what was "
    said += f"measured, have no counterpart with a time in {SIDES[1 - side]} and are not judged: "
    return share, (said, *listed([(names, milliseconds(ms)) for names, ms in alone]), ".")
