"""Finds where a series of times changed for good: a step, which noise does not explain.

Every split of many intervals is tested as the gate tests two sides: Student's t on the logs of
times, with one variance for both parts. The intervals are those of seeded binary segmentation
(Kovács and others, 2023): of each length from the whole series down, overlapping by half, so that
all of them together have n log n splits. The narrowest interval that holds a step gives its place,
then the intervals around that place are done. At last each step must stand against the noise of
the whole series. Bonferroni's correction over all splits keeps the risk that a series of pure noise
has any step at `RISK`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import exp, floor, fsum, inf, log, sqrt
from typing import Final, NamedTuple

from engine_layer_visualize.comparison.gate import slowdown, student
from engine_layer_visualize.comparison.gate.slowdown import Interval
from engine_layer_visualize.core.snapshot import GateRun

RISK: Final = 0.0005
LEAST_BUILDS: Final = 3  # on either side of a step: less may be an outlier
# Runs of one engine lie so far apart (docs/gate.md); a step below it is not told.
LEAST_STEP: Final = 0.011
_SHRINK: Final = sqrt(0.5)  # from a length of intervals to the next
_MOST_FREEDOM: Final = 200  # degrees; more change nothing
_NO_NOISE: Final = 1e-12  # a variance of logs that is rounding


class Step(NamedTuple):
    """A change that stayed."""

    place: int  # the first time after it
    before: float  # geometric means, up to the steps beside it
    after: float
    interval: Interval | None  # in which the change lies, as a fraction, with 95 % confidence

    @property
    def change(self) -> float:
        """As a fraction of the time before: 0.05 is 5 % slower."""
        return self.after / self.before - 1


def steps(times: Sequence[float], tests: int = 1) -> list[Step]:
    """The steps of a series, in order; `tests`: how many series are looked at together."""
    if len(times) < 2 * LEAST_BUILDS:
        return []
    sums = _Sums(list(map(log, times)))
    intervals = list(_intervals(len(times)))
    splits = sum(stop - start - 2 * LEAST_BUILDS + 1 for start, stop in intervals)
    risk = RISK / tests / splits
    places = sums.refined(sorted(_places(sums, intervals, risk)))
    while places:
        worst, place = max((_doubt(*each), each[0]) for each in _fitted(sums, places))
        if worst <= risk:
            break
        places = sums.refined([other for other in places if other != place])
    return list(_told(times, places))


def _fitted(sums: _Sums, places: Sequence[int]) -> Iterator[tuple[int, float, float, int]]:
    """Each place with its change of the logs, the standard error of that, and its freedom.

    Noise is that of the whole series: a few quiet builds may be so by chance.
    """
    ends = [0, *places, len(sums)]
    freedom = len(sums) - len(places) - 1
    noise = fsum(sums.rest(a, b) for a, b in pairwise(ends)) / freedom
    for start, place, stop in zip(ends, ends[1:], ends[2:]):
        change = sums.mean(place, stop) - sums.mean(start, place)
        error = sqrt(noise * (1 / (place - start) + 1 / (stop - place)))
        yield place, change, error, freedom


def _doubt(place: int, change: float, error: float, freedom: int) -> float:
    """The chance of such a change without a step; more than any risk where it is too small."""
    if abs(exp(change) - 1) < LEAST_STEP:
        return inf
    if error <= _NO_NOISE:
        return 0.0
    return 2 * student.tail(abs(change) / error, min(freedom, _MOST_FREEDOM))


def _told(times: Sequence[float], places: Sequence[int]) -> Iterator[Step]:
    ends = [0, *places, len(times)]
    for start, place, stop in zip(ends, ends[1:], ends[2:]):
        before, after = times[start:place], times[place:stop]
        both = ([GateRun("", ms) for ms in side] for side in (before, after))
        mean = slowdown.geometric_mean
        yield Step(place, mean(before), mean(after), slowdown.interval(*both))


# ---- where ---------------------------------------------------------------------------------------


class _Sums:
    """Sums of the values up to each place, and of their squares."""

    def __init__(self, values: Sequence[float]) -> None:
        mean = fsum(values) / len(values) if values else 0.0
        off = [value - mean for value in values]
        self.values = [0.0, *accumulate(off)]
        self.squares = [0.0, *accumulate(value * value for value in off)]

    def __len__(self) -> int:
        return len(self.values) - 1

    def mean(self, start: int, stop: int) -> float:
        """The mean of the values between, less the mean of all values."""
        return (self.values[stop] - self.values[start]) / (stop - start)

    def rest(self, start: int, stop: int) -> float:
        """The squares of how far the values between are from their mean."""
        whole = self.values[stop] - self.values[start]
        return max(0.0, self.squares[stop] - self.squares[start] - whole * whole / (stop - start))

    def refined(self, places: Sequence[int]) -> list[int]:
        """Each step where it is clearest between the steps beside it."""
        ends = [0, *places, len(self)]
        for number in range(1, len(ends) - 1):
            if ends[number + 1] - ends[number - 1] >= 2 * LEAST_BUILDS:
                ends[number] = self.best(ends[number - 1], ends[number + 1])[1]
        return ends[1:-1]

    def best(self, start: int, stop: int) -> tuple[float, int]:
        """The largest |t| of a split between the two, and where."""
        values, number = self.values, stop - start
        first, whole = values[start], values[stop] - values[start]
        most, best = -1.0, start
        for place in range(start + LEAST_BUILDS, stop - LEAST_BUILDS + 1):
            left = values[place] - first
            size = place - start
            # Between the parts: what a split explains of the sum of squares.
            over = left - whole * size / number
            explained = over * over * number / (size * (number - size))
            if explained > most:
                most, best = explained, place
        rest = (self.rest(start, stop) - most) / (number - 2)
        if rest <= _NO_NOISE:
            return (inf if most > _NO_NOISE * number else 0.0), best
        return sqrt(most / rest), best


def _places(sums: _Sums, intervals: Iterable[tuple[int, int]], risk: float) -> Iterator[int]:
    """The first values after steps."""
    found: list[tuple[int, float, int, int, int]] = []
    for start, stop in intervals:
        t, place = sums.best(start, stop)
        freedom = min(stop - start - 2, _MOST_FREEDOM)
        if 2 * student.tail(t, freedom) <= risk:
            found.append((stop - start, -t, place, start, stop))
    found.sort()
    done: list[int] = []
    for _, _, place, start, stop in found:
        if all(abs(place - other) >= LEAST_BUILDS for other in done) and not any(
            start < other < stop for other in done
        ):
            done.append(place)
            yield place


def _intervals(number: int) -> Iterator[tuple[int, int]]:
    """Starts and ends, the whole series first."""
    length = float(number)
    while length >= 2 * LEAST_BUILDS:
        wide = floor(length)
        pieces = 1 if wide == number else 2 * -(-number // wide) - 1
        gap = (number - wide) / max(1, pieces - 1)
        starts = dict.fromkeys(round(n * gap) for n in range(pieces))
        yield from ((start, start + wide) for start in starts)
        length *= _SHRINK
