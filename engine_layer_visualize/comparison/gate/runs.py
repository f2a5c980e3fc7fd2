"""Makes of the iterations of a run one time, and how far that may be off.

Iterations are not independent (the lag-1 autocorrelation of public files reaches 0.98), so a run is
one piece of evidence, whatever the number of its iterations.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from hashlib import sha256
from statistics import median
from typing import Final

from engine_layer_visualize.comparison.gate import bootstrap
from engine_layer_visualize.core.run_samples import Iterations
from engine_layer_visualize.core.snapshot import GateRun
from engine_layer_visualize.core.text import count

_WARM_UP: Final = 10  # one part of so many: the first iterations may be a third slower
_PARTS: Final = 8  # of a run, whose medians are compared
_MIN_ITERATIONS: Final = 20  # iterations of a part


def of_iterations(iterations: Iterations) -> GateRun:
    """A run with its median, without the first tenth, in which clocks rise and caches fill."""
    times = warmed_up(iterations)
    off = bootstrap.deviations(times)
    whole = digest(iterations.compute_ms)
    return GateRun(iterations.file, median(times), off, digest=whole, drift=drift(times))


def drift(times: Sequence[float]) -> float:
    """How much more time the slowest part of a run took than its fastest; 0 of a short run.

    Noise is equal in all parts, but a clock that drops or a device that grows warm is not.
    """
    each = len(times) // _PARTS
    if each < _MIN_ITERATIONS:
        return 0.0
    return between([median(times[part * each : (part + 1) * each]) for part in range(_PARTS)])


def between(parts: Sequence[float] | None) -> float:
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
