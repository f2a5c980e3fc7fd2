"""Judges groups of layers by their times on two sides, and tells what was not timed.

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
    checked,
    percent,
)
from engine_layer_visualize.core.snapshot import Coverage, Snapshot
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import Name, Words, first_of

ENOUGH: Final = "Give at least three runs on each side."
_MAX_RISK: Final = 0.025
_MAX_UNJUDGED: Final = 0.1  # of the time of its layers is not judged
_OF_ANOTHER: Final = ("ELV202", "ELV209", "ELV210")  # engine, a part of it, or a part of times
_MIN_COVERAGE: Final = 0.9
_MAX_UNTIMED_MORE: Final = 0.02  # part of the layers that one side may time less than the other
_MAX_LOST: Final = 0.02  # part of the time that may be in layers without a time on the other side


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
    alone = [_alone(measured, side) for side in (0, 1)]
    left = [_unjudged(side, one) for side, one in enumerate(alone) if one.groups]
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
            reasons.append((f"{said}{chance}: ", *_listed(names), "."))
    if not reasons:
        reasons.append(f"None of {judged} of layers takes over {allowed(limit)} more time.")
    elif any(sum(group.runs) < MIN_RUNS for group in failed):
        reasons.append(f"With so few runs it is unknown how much of this is noise. {ENOUGH}")
    unsure = doubtful or max(one.share for one in alone) > _MAX_UNJUDGED
    yield Check("layers", "fail" if failed else "unsure" if unsure else "pass", (*reasons, *left))


def _both_times(group: JudgedGroup) -> str:
    return f"{milliseconds(group.baseline_ms)} → {milliseconds(group.new_ms)}"


class _Alone(NamedTuple):
    """Groups that are timed on one side alone, those that take the most first."""

    groups: Sequence[tuple[tuple[str, ...], float]]  # the names of their layers, and ms
    ms: float
    share: float  # of the time of that side


def _alone(measured: Sequence[GroupTimes], side: int, *, paired: bool = False) -> _Alone:
    """The groups that the other side lacks, or of which it has no time: of `paired` no run."""
    here = [(group, mean(group.both[side])) for group in measured if timed(group.both[side])]
    total = fsum(ms for _, ms in here)
    lone = [
        (group.layers, ms)
        for group, ms in here
        if not (group.both[1 - side] if paired else timed(group.both[1 - side]))
        and group.paired >= paired
    ]
    ms = fsum(ms for _, ms in lone)
    return _Alone(sorted(lone, key=lambda one: -one[1]), ms, ms / total if total else 0.0)


def _unjudged(side: int, alone: _Alone) -> Words:
    layers = count(sum(len(layers) for layers, _ in alone.groups), "layer")
    said = f"{layers} of {SIDES[side]}, {milliseconds(alone.ms)} or {percent(alone.share)} of what "
    said += f"was measured, have no counterpart with a time in {SIDES[1 - side]} and are not judged"
    return f"{said}: ", *_listed([(names, milliseconds(ms)) for names, ms in alone.groups]), "."


def _listed(groups: Sequence[tuple[Sequence[str], str]]) -> tuple[str | Name, ...]:
    """The first of these groups of layers, each with its times."""
    each: list[Words] = []
    for layers, times in groups:
        more = f" and {len(layers) - 1:,} more" if len(layers) > 1 else ""
        name = Name(layers[0]) if layers else "layers without a name"
        each.append(("`", name, f"`{more} ({times})"))
    return first_of(each, last=", and ")


# ---- coverage: how much of both engines was timed ------------------------------------------------


def check_coverage(
    both: tuple[Snapshot, Snapshot], measured: Sequence[GroupTimes]
) -> Iterator[Check]:
    """Whether enough of both engines was timed.

    A sum of times says nothing of an engine of which a part has no time: it would look faster.
    """
    few = [*_few(both)]
    against = [*_unfit(both, _OF_ANOTHER), *few]
    lost: list[Words] = []
    if not few and all(snapshot.profiles for snapshot in both):
        against += _fewer(both)
        share, lost = _lost(measured)
        against += lost if share > _MAX_LOST else ()
    less = [*against, *_unfit(both, _OF_ANOTHER, others=True), *lost]
    yield from checked("coverage", "not comparable" if against else "unsure", less)
    known = (
        f"{worst.timed:,} of {worst.layers:,} layers of {which} have a time."
        for which, worst in zip(SIDES, map(_worst, both))
        if worst is not None and worst.timed < worst.layers
    )
    yield from checked("coverage", "pass", () if less else known)


def _by_layers(coverage: Coverage) -> float:
    return coverage.timed / coverage.layers if coverage.layers else 1.0


def _worst(snapshot: Snapshot) -> Coverage | None:
    return min(snapshot.coverage, key=_by_layers, default=None)


def _unfit(
    both: tuple[Snapshot, Snapshot], codes: Sequence[str], others: bool = False
) -> Iterator[Words]:
    for which, snapshot in zip(SIDES, both):
        for code, message in (one for one in snapshot.unfit if (one[0] in codes) != others):
            start = f"{which[0].upper()}{which[1:]} cannot be judged ({code}): "
            yield (start, Name(message), ".")


def _few(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    least = f"at least {allowed(_MIN_COVERAGE)} are needed"
    for which, snapshot in zip(SIDES, both):
        for run, coverage in zip(snapshot.profiles, snapshot.coverage):
            file = Name(run.file)
            if _by_layers(coverage) < _MIN_COVERAGE:
                has = f"{coverage.timed:,} of the {coverage.layers:,} layers of {which}"
                yield ("`", file, f"` has times for {has} that run something: {least}.")
            elif coverage.part < _MIN_COVERAGE:
                has = f"{percent(coverage.part)} of its time is in rows of layers of {which}"
                yield ("Of `", file, f"` {has}: {least}.")


def _fewer(both: tuple[Snapshot, Snapshot]) -> Iterator[Words]:
    a, b = map(_worst, both)
    if a is not None and b is not None and abs(_by_layers(a) - _by_layers(b)) > _MAX_UNTIMED_MORE:
        has = " and ".join(
            f"{worst.timed:,} of {worst.layers:,} layers of {which}"
            for which, worst in zip(SIDES, (a, b))
        )
        yield f"The sums are of different parts of the engines: {has} have a time."


def _lost(measured: Sequence[GroupTimes]) -> tuple[float, list[Words]]:
    """Layers that both have, and one side alone times: their part of the time, and sentences."""
    most, said = 0.0, list[Words]()
    for side in (0, 1):
        lost = _alone(measured, side, paired=True)
        if not lost.groups:
            continue
        most = max(most, lost.share)
        first, _ = lost.groups[0]
        name = Name(first[0]) if first else "one without a name"
        has = f"Groups of layers, {milliseconds(lost.ms)} or {percent(lost.share)} of {SIDES[side]}"
        said.append(
            (f"{has}, are not timed as a whole in {SIDES[1 - side]}, such as `", name, "`.")
        )
    return most, said
