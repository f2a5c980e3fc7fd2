"""Finds where a series of times changed for good: a step, which noise does not explain.

Every split of many intervals is tested as the gate tests two sides: Student's t on the logs of
times, with one variance for both parts. The intervals are those of seeded binary segmentation
(Kovács and others, 2023): of each length from the whole series down, overlapping by half, so that
all of them together have n log n splits. The narrowest interval that holds a step gives its place,
then the intervals around that place are done. Bonferroni's correction over all splits keeps the
risk that a series of pure noise has any step at `RISK`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    logs = list(map(log, times))
    places = _refined(logs, sorted(_places(logs, RISK / tests)))
    while small := [n for n, change in enumerate(_changes(logs, places)) if not _is_step(change)]:
        places = _refined(logs, [place for n, place in enumerate(places) if n != small[0]])
    return list(_told(times, places))


def _is_step(change: float) -> bool:
    return abs(exp(change) - 1) >= LEAST_STEP


def _changes(logs: Sequence[float], places: Sequence[int]) -> list[float]:
    ends = [0, *places, len(logs)]
    means = [fsum(logs[a:b]) / (b - a) for a, b in pairwise(ends)]
    return [after - before for before, after in pairwise(means)]


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

    def best(self, start: int, stop: int) -> tuple[float, int]:
        """The largest |t| of a split between the two, and where."""
        values, number = self.values, stop - start
        first, whole = values[start], values[stop] - values[start]
        square = self.squares[stop] - self.squares[start] - whole * whole / number
        most, best = -1.0, start
        for place in range(start + LEAST_BUILDS, stop - LEAST_BUILDS + 1):
            left = values[place] - first
            size = place - start
            # Between the parts: what a split explains of the sum of squares.
            over = left - whole * size / number
            explained = over * over * number / (size * (number - size))
            if explained > most:
                most, best = explained, place
        rest = (square - most) / (number - 2)
        if rest <= _NO_NOISE:
            return (inf if most > _NO_NOISE * number else 0.0), best
        return sqrt(most / rest), best


def _places(logs: Sequence[float], risk: float) -> Iterator[int]:
    """The first values after steps."""
    intervals = list(_intervals(len(logs)))
    splits = sum(stop - start - 2 * LEAST_BUILDS + 1 for start, stop in intervals)
    sums = _Sums(logs)
    found: list[tuple[int, float, int, int, int]] = []
    for start, stop in intervals:
        t, place = sums.best(start, stop)
        if 2 * student.tail(t, stop - start - 2) * splits <= risk:
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


def _refined(logs: Sequence[float], places: Sequence[int]) -> list[int]:
    """Each step where it is clearest between the steps beside it."""
    sums, ends = _Sums(logs), [0, *places, len(logs)]
    for number in range(1, len(ends) - 1):
        if ends[number + 1] - ends[number - 1] >= 2 * LEAST_BUILDS:
            ends[number] = sums.best(ends[number - 1], ends[number + 1])[1]
    return ends[1:-1]
