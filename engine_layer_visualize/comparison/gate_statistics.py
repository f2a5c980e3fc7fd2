"""Tells how much slower the runs of a new engine are, and how sure that is."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from math import atan, cos, exp, fsum, log, pi, sin, sqrt
from statistics import fmean, median
from typing import Final, NamedTuple

from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.snapshot import GateRun
from engine_layer_visualize.core.text import count

# ---- Student's t distribution for whole degrees of freedom, in closed form ---------------------


def student_tail(t: float, freedom: int) -> float:
    """P(T > t)."""
    angle = atan(abs(t) / sqrt(freedom))
    inside = _inside(angle, freedom)  # P(|T| < |t|)
    above = max(0.0, (1 - inside) / 2)
    return above if t >= 0 else 1 - above


@lru_cache  # groups of layers share it
def student_quantile(above: float, freedom: int) -> float:
    """The t with P(T > t) = `above`, which is more than 0 and at most 1/2."""
    low, high = 0.0, 1e9
    for _ in range(100):
        middle = (low + high) / 2
        if student_tail(middle, freedom) > above:
            low = middle
        else:
            high = middle
    return high


def _inside(angle: float, freedom: int) -> float:
    """Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    total *= sin(angle)
    return 2 / pi * (angle + total) if odd else total


# ---- a run: one time ----------------------------------------------------------------------------

# Iterations are not independent (the lag-1 autocorrelation of public files reaches 0.98), so a run
# is one piece of evidence, whatever the number of its iterations.

_WARM_UP: Final = 10  # one part of so many: the first iterations may be a third slower
_PARTS: Final = 8  # of a run, whose medians are compared
_MIN_ITERATIONS: Final = 20  # iterations of a part


def of_iterations(iterations: Iterations) -> GateRun:
    """A run with its median, without the first tenth, in which clocks rise and caches fill."""
    whole = iterations.compute_ms
    times = whole[len(whole) // _WARM_UP :]
    p99 = sorted(times)[len(times) * 99 // 100]
    return GateRun(
        iterations.file, median(times), digest=digest(whole), drift=drift(times),
        iterations=len(whole), mean=fmean(times), p99=p99,
    )  # fmt: skip


def drift(times: Sequence[float]) -> float:
    """How much more time the slowest part of a run took than its fastest; 0 of a short run.

    Noise is equal in all parts, but a clock that drops or a device that grows warm is not.
    """
    each = len(times) // _PARTS
    if each < _MIN_ITERATIONS:
        return 0.0
    return runs_between([median(times[part * each : (part + 1) * each]) for part in range(_PARTS)])


def runs_between(parts: Sequence[float] | None) -> float:
    """How much more time the slowest of these parts took than the fastest."""
    if not parts or min(parts) <= 0:
        return 0.0
    return float(f"{max(parts) / min(parts) - 1:.4g}")


def of_runs(numbers: tuple[int, int]) -> str:
    """How many runs both sides have: `1 run each`, `1 and 3 runs`."""
    before, after = numbers
    return "1 run each" if numbers == (1, 1) else f"{before:,} and {count(after, 'run')}"


def digest(times: Iterable[float]) -> str:
    """A text that is the same for the same times in the same order, on every machine."""
    values = array("d", times)
    if sys.byteorder == "big":
        values.byteswap()
    return sha256(values.tobytes()).hexdigest()[:16]


def each_once(runs: Sequence[GateRun]) -> None:
    """Checks that no run is there twice: it would look like two runs that agree.

    Raises:
        ValueError: one is.
    """
    seen: dict[str, str] = {}
    for run in runs:
        other = seen.get(run.digest)
        if other is not None:
            twice = f"{run.file} is given twice"
            same = f"{other} and {run.file} hold the same times"
            raise ValueError(f"{twice if other == run.file else same}; a run counts once")
        if run.digest:
            seen[run.digest] = run.file


# ---- two sides: how much slower the runs of the new engine are, and how sure that is -----------

# A side's time is the geometric mean of its runs. How far runs of one engine are apart, which more
# iterations do not tell, is what is uncertain: Student's t on the logs of the runs' times, with one
# variance for both sides, so that one side may have a single run.

_TAIL: Final = 0.025  # on either side of 95 %
_MAX_EXPONENT: Final = 700.0  # whose exponential is a number
MIN_RUNS: Final = 4  # runs of both sides together, from which there is an interval
_TIMES: Final = (1e-4, 1e9)  # ms that can be times


class Interval(NamedTuple):
    """Where the slowdown lies."""

    low: float
    high: float


def geometric_mean(ms: Sequence[float]) -> float:
    """The geometric mean of times above 0."""
    return exp(fmean(map(log, ms)))


def timed(ms: Sequence[float]) -> bool:
    """Whether there are times, and none is absurd."""
    return bool(ms) and max(ms) <= _TIMES[1]


def usable(ms: Sequence[float]) -> bool:
    """Whether there are times, and none is absurd or 0."""
    return timed(ms) and min(ms) >= _TIMES[0]


def mean_of_side(ms: Sequence[float]) -> float:
    """The mean of a side; a time that is printed as 0 has no geometric mean."""
    return geometric_mean(ms) if usable(ms) else fmean(ms)


def slowdown_interval(
    baseline: Sequence[float], new: Sequence[float], *, tail: float = _TAIL
) -> Interval | None:
    """None where there are too few runs to know.

    Args:
        baseline: ms in each run; one that is printed as 0 is the least that can be a time.
        new: the same of the new engine.
        tail: the chance that the slowdown is below the interval, and that it is above.
    """
    logs = [[log(max(ms, _TIMES[0])) for ms in own] for own in (baseline, new)]
    before, after = map(len, logs)
    freedom = before + after - 2
    if before + after < MIN_RUNS:
        return None
    means = list(map(fmean, logs))
    squares = fsum((one - mean) ** 2 for own, mean in zip(logs, means) for one in own)
    error = sqrt(squares / freedom * (1 / before + 1 / after))
    change = means[1] - means[0]
    off = student_quantile(tail, freedom) * error
    return Interval(_fraction(change - off), _fraction(change + off))


def _fraction(change: float) -> float:
    """The slowdown of a log of new / baseline."""
    return exp(min(change, _MAX_EXPONENT)) - 1
