"""Tells how much slower the runs of a new engine are, and how sure that is."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, pairwise
from math import atan, ceil, cos, exp, fsum, hypot, log, pi, sin, sqrt
from random import Random
from statistics import fmean, median
from sys import byteorder
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


def student_quantile(above: float, freedom: int) -> float:
    """The t with P(T > t) = `above`, which is more than 0 and at most 1/2."""
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > above and high < 1e9:
        low, high = high, high * 2
    for _ in range(60):
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


# ---- how far the median of a run may be off, by a moving-block bootstrap of its iterations -----

# Iterations follow one another with much memory, so blocks of them are drawn, not single ones:
# blocks longer than that memory. The median of a resample is found among 256 quantiles of its run.
# How many times of a block are at or below each of these is one large integer, with 32 bits a
# quantile: a resample is then a sum of a few integers.

RESAMPLES: Final = 2_000
KEPT: Final = 50  # values that stand for all resamples
_SEED: Final = 20_211_021
_MIN_BLOCK: Final = 50  # iterations of a block
_MEMORIES: Final = 5  # a block is so many times 1 / (1 - ρ₁), the decay of what a time remembers
_BLOCKS: Final = 100  # of a long run: longer blocks are as good, and fewer draws
_MIN_BLOCKS: Final = 4  # of a short one
_QUANTILES: Final = 256
_PLACES: Final = 4_096  # where a block may begin
_BITS: Final = 32
_MIN_MS: Final = 1e-9  # for what is printed as 0


def bootstrap_deviations(times: Sequence[float]) -> tuple[float, ...]:
    """How far the log of the median may be off, as KEPT equally likely values, sorted and rounded.

    Empty where the run is too short.
    """
    sample = sorted(_of_run(times, RESAMPLES, Random(_SEED)))
    each = len(sample) // KEPT
    means = (fmean(sample[start : start + each]) for start in range(0, each * KEPT, each or 1))
    return tuple(float(f"{mean:.4g}") for mean in means)


def bootstrap_autocorrelation(times: Sequence[float]) -> float:
    """Between a time and the next one, from 0 to 1; single outliers do not hide it."""
    ordered = sorted(times)
    count = len(ordered)
    low, high = ordered[count // 100], ordered[count - 1 - count // 100]
    kept = [min(max(time, low), high) for time in times]
    mean = fmean(kept)
    off = [deviation - mean for deviation in kept]
    square = fsum(deviation * deviation for deviation in off)
    if not square:
        return 0.0
    products = fsum(deviation * after for deviation, after in pairwise(off))
    return min(1.0, max(0.0, products / square))


def block_length(times: Sequence[float]) -> int:
    """Iterations of a block: at least 50 and several 1 / (1 - ρ₁), where the run is that long."""
    count = len(times)
    rest = max(1 - bootstrap_autocorrelation(times), _MEMORIES / count)
    wanted = max(_MIN_BLOCK, ceil(_MEMORIES / rest), count // _BLOCKS)
    return max(1, min(wanted, count // _MIN_BLOCKS))


def _of_run(times: Sequence[float], resamples: int, draw: Random) -> Iterator[float]:
    """The deviation of the log of the median, resample by resample."""
    if len(times) < 2 * _MIN_BLOCKS:
        return
    ordered = sorted(times)
    count = len(ordered)
    picked = {ordered[(count - 1) * part // _QUANTILES] for part in range(_QUANTILES)}
    quantiles = sorted({*picked, ordered[-1]})
    step = max(1, count // _PLACES)
    width = max(1, block_length(times) // step)  # in steps
    blocks = _blocks(times, quantiles, step, width)
    drawn = max(1, round(count / (width * step)))
    half = (drawn * width * step + 1) // 2
    bytes_ = len(quantiles) * _BITS // 8
    logs = [log(max(quantile, _MIN_MS)) for quantile in quantiles]
    middle = logs[bisect_left(quantiles, ordered[(count - 1) // 2])]
    for _ in range(resamples):
        counts = sum(draw.choices(blocks, k=drawn)).to_bytes(bytes_, byteorder)
        place = bisect_left(memoryview(counts).cast("I"), half)
        yield logs[place] - middle


def _blocks(times: Sequence[float], quantiles: Sequence[float], step: int, width: int) -> list[int]:
    """All blocks of `width` steps: how many of its times are at or below each quantile."""
    order = range(len(quantiles)) if byteorder == "little" else range(len(quantiles))[::-1]
    from_here_on = list(accumulate(1 << _BITS * place for place in reversed(order)))[::-1]
    sums, places = 0, [0]
    for number, time in enumerate(times, 1):
        sums += from_here_on[bisect_left(quantiles, time)]
        if number % step == 0:
            places.append(sums)
    return [after - before for before, after in zip(places, places[width:], strict=False)]


# ---- a run: one time, and how far that may be off -----------------------------------------------

# Iterations are not independent (the lag-1 autocorrelation of public files reaches 0.98), so a run
# is one piece of evidence, whatever the number of its iterations.

_WARM_UP: Final = 10  # one part of so many: the first iterations may be a third slower
_PARTS: Final = 8  # of a run, whose medians are compared
_MIN_ITERATIONS: Final = 20  # iterations of a part


def of_iterations(iterations: Iterations) -> GateRun:
    """A run with its median, without the first tenth, in which clocks rise and caches fill."""
    times = warmed_up(iterations)
    whole, p99 = iterations.compute_ms, sorted(times)[len(times) * 99 // 100]
    return GateRun(
        iterations.file, median(times), bootstrap_deviations(times), digest=digest(whole),
        drift=drift(times), iterations=len(whole), mean=fmean(times), p99=p99,
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


def warmed_up(iterations: Iterations) -> array[float]:
    """The times without the first tenth."""
    return iterations.compute_ms[len(iterations.compute_ms) // _WARM_UP :]


# ---- two sides: how much slower the runs of the new engine are, and how sure that is -----------

# A side's time is the geometric mean of its runs. What is uncertain has two parts: how far the
# median of each run may be off (`GateRun.off`), and how far runs of one engine are apart, which
# more iterations do not tell. The second is Student's t on the logs of the runs' times, with one
# variance for both sides, so that one side may have a single run. Both add up as squares.

CONFIDENCE: Final = 0.95
_TAIL: Final = (1 - CONFIDENCE) / 2
_MAX_EXPONENT: Final = 700.0  # whose exponential is a number
MIN_RUNS: Final = 4  # runs of both sides together, from which there is an interval
DRAWS: Final = 2_000  # of a median of each run
_SLOWDOWN_SEED: Final = 20_211_021
_TIMES: Final = (1e-4, 1e9)  # ms that can be times


class Interval(NamedTuple):
    """Where the slowdown lies, with 95 % confidence."""

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


def _spread(baseline: Sequence[float], new: Sequence[float]) -> tuple[float, int] | None:
    """The standard error of the log of new / baseline, and its degrees of freedom.

    None where there are too few runs to know.
    """
    freedom = len(baseline) + len(new) - 2
    if len(baseline) + len(new) < MIN_RUNS:
        return None
    squares = 0.0
    for ms in (baseline, new):
        logs = [log(time) for time in ms]
        mean = fmean(logs)
        squares += fsum((time - mean) ** 2 for time in logs)
    return sqrt(squares / freedom * (1 / len(baseline) + 1 / len(new))), freedom


def slowdown_interval(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> Interval | None:
    """None where there are too few runs to know."""
    before, after = [run.ms for run in baseline], [run.ms for run in new]
    apart = _spread(before, after)
    if apart is None:
        return None
    error, freedom = apart
    change = log(geometric_mean(after) / geometric_mean(before))
    between = student_quantile(_TAIL, freedom) * error
    off = _deviations(baseline, new)
    low, high = off[int(len(off) * _TAIL)], off[-1 - int(len(off) * _TAIL)]
    # A median that may be too high by x means a truth that may be lower by x.
    return Interval(
        _fraction(change - hypot(max(high, 0.0), between)),
        _fraction(change + hypot(max(-low, 0.0), between)),
    )


def _deviations(baseline: Sequence[GateRun], new: Sequence[GateRun]) -> list[float]:
    """How far log(new / baseline) may be off because the medians of runs may.

    One value for each draw, sorted.
    """
    draw = Random(_SLOWDOWN_SEED)
    total = [0.0] * DRAWS
    for runs, sign in ((new, 1.0), (baseline, -1.0)):
        weight = sign / len(runs)
        for run in runs:
            if run.off:
                drawn = draw.choices(run.off, k=DRAWS)
                total = [sum_ + weight * off for sum_, off in zip(total, drawn, strict=True)]
    return sorted(total)


def slowdown_chance(baseline: Sequence[float], new: Sequence[float], limit: float) -> float | None:
    """The chance of such times where the slowdown is `limit`: a one-sided p-value.

    None: there are too few runs.
    """
    apart = _spread(baseline, new)
    if apart is None:
        return None
    error, freedom = apart
    over = log(geometric_mean(new) / geometric_mean(baseline)) - log(1 + limit)
    if not error:
        return 0.0 if over > 0 else 1.0
    return student_tail(over / error, freedom)


def _fraction(change: float) -> float:
    """The slowdown of a log of new / baseline."""
    return exp(min(change, _MAX_EXPONENT)) - 1
