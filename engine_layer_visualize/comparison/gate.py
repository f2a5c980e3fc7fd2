"""Judges a new engine by what was measured on two sides, and by what is allowed.

Nothing that was asked for passes because it could not be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, log1p
from typing import Final

from engine_layer_visualize.comparison.gate_conditions import (
    TIMES,
    SideMeasurements,
    Sides,
    check_conditions,
    check_iterations,
    check_measured,
    check_network,
    check_new,
)
from engine_layer_visualize.comparison.gate_layers import (
    ENOUGH,
    GroupTimes,
    check_layers,
    judge_groups,
)
from engine_layer_visualize.comparison.gate_statistics import (
    geometric_mean,
    of_runs,
    runs_between,
    slowdown_interval,
    usable,
)
from engine_layer_visualize.comparison.verdict import (
    SIDES,
    VERDICTS,
    Check,
    EngineTotal,
    JudgedGroup,
    Judgement,
    Limits,
    Verdict,
    allowed,
    more_or_less,
    percent,
    signed,
    unknown_side,
)
from engine_layer_visualize.core.snapshot import GateRun
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import Name, Words

_MAX_NOISE: Final = 0.05  # between parts of one run; noise stays below 2 %
_TOO_GOOD: Final = -0.9  # no change of an engine saves so much
_TAIL: Final = "99th percentile"
_OF_TAIL: Final = 5  # limits that the 99th percentile may be over


def judge(
    baseline: SideMeasurements,
    new: SideMeasurements,
    limits: Limits,
    *,
    measured: Sequence[GroupTimes] = (),
    same_network: bool = True,
    checks: Sequence[Check] = (),
) -> Judgement:
    """Judges the measurements of two sides.

    Args:
        baseline: what was measured of the baseline.
        new: what was measured of the new engine.
        limits: what the new engine may cost more.
        measured: layers that belong together on both sides.
        same_network: whether both engines are of one network.
        checks: what else was looked at, of whether the sides are comparable.
    """
    sides = baseline, new
    total = _total(baseline.runs, new.runs)
    groups = judge_groups(measured, limits)
    checks = [
        *(check_measured(sides) if limits.slowdown is not None else ()),
        *check_new(sides, limits),
        *check_network(same_network),
        *check_conditions(baseline.conditions, new.conditions),
        *checks,
    ]
    worst = max((check.verdict for check in checks), key=VERDICTS.index, default=VERDICTS[0])
    # Where one side does not tell its batch, its run may be of another number of samples.
    batch_known_once = (baseline.conditions.batch is None) != (new.conditions.batch is None)
    if worst == "not comparable" or batch_known_once:
        # No time is judged: neither the engine's nor any group's.
        total = total._replace(interval=None)
        groups = tuple(group._replace(verdict=worst) for group in groups)
    else:
        checks += check_iterations(sides) if limits.slowdown is not None else ()
        checks += _check_time(total, limits, sides, groups)
        checks += _check_statistics(total, limits, sides)
        checks += check_layers(groups, measured, limits)
    if same_network:  # memory needs no times
        checks += _check_memory(baseline.memory, new.memory, limits)
    worst = max((check.verdict for check in checks), key=VERDICTS.index, default=VERDICTS[0])
    return Judgement(worst, tuple(checks), total, groups, baseline.file, new.file)


def _total(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> EngineTotal:
    a, b = (
        geometric_mean(ms) if usable(ms := [run.ms for run in runs]) else None
        for runs in (baseline, new)
    )
    interval = None if a is None or b is None else slowdown_interval(baseline, new)
    return EngineTotal(a, b, (len(baseline), len(new)), interval)


# ---- time of the engine ------------------------------------------------------------------------


def _check_time(
    total: EngineTotal, limits: Limits, sides: Sides, groups: Sequence[JudgedGroup]
) -> Iterator[Check]:
    limit, slowdown = limits.slowdown, total.slowdown
    if limit is None:
        return
    if slowdown is None:
        lacking = " and ".join(
            f"{which} has a run of {milliseconds(min(run.ms for run in own.runs))}"
            for which, ms, own in zip(SIDES, (total.baseline_ms, total.new_ms), sides)
            if ms is None
        )
        yield Check("time", "unsure", (f"The time cannot be judged: {lacking}.",))
        return
    verdict, reasons = _slower(total, slowdown, limit)
    if drifting := tuple(_drifting(sides)):
        most = log1p(max(run.drift for side in sides for run in side.runs))
        # The verdict may be another one if runs had been as slow or as fast throughout.
        if abs(log1p(slowdown) - log1p(limit)) <= most:
            verdict = "unsure"
            reasons = (f"{reasons[0]} It may be the drift within a run.", *reasons[1:])
    kind = sides[0].runs[0].kind
    more = [
        f"Compared is what both have, {TIMES[kind]}: only {which} has {own.unused}."
        for which, own in zip(SIDES, sides)
        if own.unused
    ]
    if groups and kind != "layers":
        before, after = (max(numbers) for numbers in zip(*(one.runs for one in groups)))
        runs = of_runs((before, after))
        more.append(f"The times of layers are of profiles, {runs}: not of the runs above.")
    if slowdown < _TOO_GOOD:
        verdict = "unsure"
        reasons = (reasons[0], "This is too good to be true: see whether the same was measured.")
    yield Check("time", verdict, (*reasons, *drifting, *more))


def _slower(total: EngineTotal, slowdown: float, limit: float) -> tuple[Verdict, tuple[str, ...]]:
    took = f"{milliseconds(total.baseline_ms or 0.0)} → {milliseconds(total.new_ms or 0.0)}"
    change = f"The engine takes {more_or_less(slowdown, limit)} time than the baseline ({took})"
    limited = f"{change}; the limit is {allowed(limit)}."
    held = total.interval
    if held is None:
        noise = f"With {of_runs(total.runs)} the noise is unknown: the limit alone decides."
        return "fail" if slowdown > limit else "pass", (limited, f"{noise} {ENOUGH}")
    span = f"With 95 % confidence the change lies between {signed(held.low, limit)} "
    span += f"and {signed(held.high, limit)}"
    if held.low > limit or held.high <= limit:
        return "fail" if held.low > limit else "pass", (f"{limited} {span}.",)
    said = f"{change}. {span}, so it may be over the limit of {allowed(limit)} or not."
    more = "More runs would tell: the spread between runs counts, not the number of iterations."
    return "unsure", (said, more)


def _drifting(sides: Sides) -> Iterator[Words]:
    """Runs in which times changed by more than noise does."""
    for which, own in zip(SIDES, sides):
        for run in own.runs:
            if run.drift > _MAX_NOISE:
                more = f"` of {which} one part took {percent(run.drift)} more time than another"
                why = ", as where a clock drops: lock the clocks, and measure again."
                yield ("Within `", Name(run.file), more + why)


def _check_statistics(total: EngineTotal, limits: Limits, sides: Sides) -> Iterator[Check]:
    """No other statistic of the runs says slower by more than the limit where the time does not."""
    limit = limits.slowdown
    if limit is None or total.slowdown is None or total.slowdown > limit:
        return
    before, after = (_statistics(side.all_runs) for side in sides)
    said = []
    for name in sorted(before.keys() & after.keys()):
        a, b = before[name], after[name]
        slower = geometric_mean(b) / geometric_mean(a) - 1 if usable(a) and usable(b) else 0.0
        most = limit
        if name.startswith(_TAIL):
            most = max(_OF_TAIL * limit, runs_between(a))
        if slower > most:
            times = f"{milliseconds(geometric_mean(a))} → {milliseconds(geometric_mean(b))}"
            said.append(f"But the {name} is {percent(slower, most)} more ({times}).")
    if said:
        yield Check("statistics", "unsure", tuple(said))


def _statistics(runs: Sequence[GateRun]) -> dict[str, list[float]]:
    """What is known of the runs beside the time that is compared, each in all runs that have it."""
    found: dict[str, list[float]] = {}
    for run in runs:
        of = "iterations" if run.kind == "iterations" else "trtexec's summary"
        called = "sum of the layers" if run.kind == "layers" else f"median of {of}"
        if run.kind != "summary mean":
            found.setdefault(called, []).append(run.ms)
        for name, ms in ((f"mean of {of}", run.mean), (f"{_TAIL} of {of}", run.p99)):
            if ms is not None:
                found.setdefault(name, []).append(ms)
    return found


# ---- what needs no times -----------------------------------------------------------------------


def _check_memory(before: int | None, after: int | None, limits: Limits) -> Iterator[Check]:
    limit = limits.memory
    if limit is None:
        return
    if before is None or after is None:
        said = f"The memory cannot be judged: that of {unknown_side(before, after)} is not known."
        yield Check("memory", "unsure", (said,))
        return
    if before:
        growth = after / before - 1
        change = more_or_less(growth, limit)
    else:
        growth, change = (inf, "more") if after else (0.0, "no more")
    said = f"The engine needs {change} memory than the baseline ({before:,} → {after:,} bytes); "
    verdict: Verdict = "fail" if growth > limit else "pass"
    yield Check("memory", verdict, (f"{said}the limit is {allowed(limit)}.",))
