"""Times of a layer run by run, where a profile has them, and what statistics come of them."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypedDict

_NANOSECONDS: Final = 1e6  # of a millisecond
_HIGH: Final = 0.95


@dataclass(frozen=True, slots=True)
class LaunchedKernel:
    """What a layer launched under one name: a kernel, a copy, a set."""

    #: The name.
    name: str
    #: How often it was launched in a run, on average.
    launches: float
    #: How long its launches took in a run, on average.
    average_ms: float


@dataclass(frozen=True, slots=True)
class RunSamples:
    """The times of a range in each run of an engine."""

    #: Which runs these are; rows of the same runs can be added up.
    runs: int
    #: On the GPU in each run, in order of time.
    nanoseconds: Sequence[float]
    #: (name, launches, nanoseconds) of all runs together.
    launched: tuple[tuple[str, int, int], ...]


class Launches(NamedTuple):
    """What a GPU ran, launch by launch, in order of time."""

    #: The number of the profile's row that each launch belongs to.
    rows: array[int]
    #: How long each took.
    nanoseconds: array[float]


class Statistics(TypedDict):
    """What is said of `n` runs, in milliseconds."""

    #: How many runs there were.
    n: int
    average_ms: float
    median_ms: float
    min_ms: float
    max_ms: float
    #: At least 95 % of the runs took no longer.
    p95_ms: float
    total_ms: float
    kernels: tuple[LaunchedKernel, ...]


def statistics(samples: Sequence[RunSamples]) -> Statistics:
    """The statistics of one layer's rows; those of the same runs are added up, run by run."""
    by_runs: dict[int, list[RunSamples]] = defaultdict(list)
    for sample in samples:
        by_runs[sample.runs].append(sample)
    times = sorted(ns for same in by_runs.values() for ns in _added(same))
    n, total = len(times), sum(times)
    return {
        "n": n,
        "average_ms": total / n / _NANOSECONDS,
        "median_ms": (times[(n - 1) // 2] + times[n // 2]) / 2 / _NANOSECONDS,
        "min_ms": times[0] / _NANOSECONDS,
        "max_ms": times[-1] / _NANOSECONDS,
        "p95_ms": times[math.ceil(_HIGH * n) - 1] / _NANOSECONDS,
        "total_ms": total / _NANOSECONDS,
        "kernels": _kernels((row for sample in samples for row in sample.launched), n),
    }


def _added(same: Sequence[RunSamples]) -> Iterable[float]:
    if len(same) == 1:
        return same[0].nanoseconds
    return map(sum, zip(*(sample.nanoseconds for sample in same)))


def _kernels(rows: Iterable[tuple[str, int, int]], runs: int) -> tuple[LaunchedKernel, ...]:
    """The kernels of one name together, in the order of their first launch."""
    sums: dict[str, list[int]] = {}
    for name, launches, ns in rows:
        held = sums.setdefault(name, [0, 0])
        held[0] += launches
        held[1] += ns
    return tuple(
        LaunchedKernel(name, launches / runs, ns / runs / _NANOSECONDS)
        for name, (launches, ns) in sums.items()
    )


class Iterations(NamedTuple):
    """A run's iterations in their order."""

    #: Where they come from.
    file: str
    #: The GPU time of each, without copies from and to the host.
    compute_ms: array[float]
