"""The iterations of a run in, a `Run` out: one time for the run, and how far that may be off.

Iterations are not independent (the lag-1 autocorrelation of public files reaches 0.98), so a run is
one piece of evidence, whatever the number of its iterations.
"""

from __future__ import annotations

from array import array
from statistics import median
from typing import Final

from engine_layer_visualize.analysis.gate import bootstrap
from engine_layer_visualize.core.iterations import Iterations
from engine_layer_visualize.core.snapshot import Run

_WARM_UP: Final = 10  # one part of so many: the first iterations may be a third slower


def of_iterations(iterations: Iterations) -> Run:
    """Its median without the first tenth, in which clocks rise and caches fill."""
    times = warmed_up(iterations)
    return Run(iterations.file, median(times), bootstrap.deviations(times))


def warmed_up(iterations: Iterations) -> array[float]:
    """The times without the first tenth."""
    return iterations.compute_ms[len(iterations.compute_ms) // _WARM_UP :]
