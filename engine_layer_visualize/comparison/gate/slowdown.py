"""Tells how much slower the runs of a new engine are, and how sure that is.

A side's time is the geometric mean of its runs. What is uncertain has two parts: how far the median
of each run may be off (`GateRun.off`), and how far runs of one engine are apart, which more
iterations do not tell. The second is Student's t on the logs of the runs' times, with one variance
for both sides, so that one side may have a single run. Both add up as squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, hypot, log, sqrt
from random import Random
from statistics import fmean
from typing import Final, NamedTuple

from engine_layer_visualize.comparison.gate import student
from engine_layer_visualize.core.snapshot import GateRun

CONFIDENCE: Final = 0.95
_TAIL: Final = (1 - CONFIDENCE) / 2
_MAX_EXPONENT: Final = 700.0  # whose exponential is a number
MIN_RUNS: Final = 4  # runs of both sides together, from which there is an interval
DRAWS: Final = 2_000  # of a median of each run
_SEED: Final = 20_211_021
_TIMES: Final = (1e-9, 1e12)  # ms that can be times


class Interval(NamedTuple):
    """Where the slowdown lies, with 95 % confidence."""

    low: float
    high: float


class Spread(NamedTuple):
    """How far apart runs are."""

    error: float  # standard error of the log of new / baseline
    freedom: int  # its degrees of freedom


def geometric_mean(ms: Sequence[float]) -> float:
    """The geometric mean of times above 0."""
    return exp(fmean(map(log, ms)))


def timed(ms: Sequence[float]) -> bool:
    """Whether there are times, and none is absurd."""
    return bool(ms) and max(ms) <= _TIMES[1]


def usable(ms: Sequence[float]) -> bool:
    """Whether there are times, and none is absurd or 0."""
    return timed(ms) and min(ms) >= _TIMES[0]


def spread(baseline: Sequence[float], new: Sequence[float]) -> Spread | None:
    """None where there are too few runs to know."""
    freedom = len(baseline) + len(new) - 2
    if len(baseline) + len(new) < MIN_RUNS:
        return None
    squares = 0.0
    for ms in (baseline, new):
        logs = [log(time) for time in ms]
        mean = fmean(logs)
        squares += fsum((time - mean) ** 2 for time in logs)
    return Spread(sqrt(squares / freedom * (1 / len(baseline) + 1 / len(new))), freedom)


def interval(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> Interval | None:
    """None where there are too few runs to know."""
    before, after = [run.ms for run in baseline], [run.ms for run in new]
    apart = spread(before, after)
    if apart is None:
        return None
    change = log(geometric_mean(after) / geometric_mean(before))
    between = student.quantile(_TAIL, apart.freedom) * apart.error
    off = deviations(baseline, new)
    low, high = off[int(len(off) * _TAIL)], off[-1 - int(len(off) * _TAIL)]
    # A median that may be too high by x means a truth that may be lower by x.
    return Interval(
        _fraction(change - hypot(max(high, 0.0), between)),
        _fraction(change + hypot(max(-low, 0.0), between)),
    )


def deviations(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> list[float]:
    """How far log(new / baseline) may be off because the medians of runs may.

    One value for each draw, sorted.
    """
    draw = Random(_SEED)
    total = [0.0] * DRAWS
    for runs, sign in ((new, 1.0), (baseline, -1.0)):
        weight = sign / len(runs)
        for run in runs:
            if run.off:
                drawn = draw.choices(run.off, k=DRAWS)
                total = [sum_ + weight * off for sum_, off in zip(total, drawn, strict=True)]
    return sorted(total)


def chance(baseline: Sequence[float], new: Sequence[float], limit: float) -> float | None:
    """The chance of such times where the slowdown is `limit`: a one-sided p-value.

    None: there are too few runs.
    """
    apart = spread(baseline, new)
    if apart is None:
        return None
    over = log(geometric_mean(new) / geometric_mean(baseline)) - log(1 + limit)
    if not apart.error:
        return 0.0 if over > 0 else 1.0
    return student.tail(over / apart.error, apart.freedom)


def _fraction(change: float) -> float:
    """The slowdown of a log of new / baseline."""
    return exp(min(change, _MAX_EXPONENT)) - 1
