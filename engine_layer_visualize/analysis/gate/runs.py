"""The iterations of a run in, a `Run` out: one time for the run, and what it rests on.

Iterations are not independent (the lag-1 autocorrelation of public files reaches 0.98), so a run is
one piece of evidence, whatever the number of its iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from engine_layer_visualize.core.iterations import Iterations

_WARM_UP: int = 10  # one part of so many: the first iterations may be a third slower


class Run(NamedTuple):
    """A run of an engine. `label`: its file; `ms`: its median time, or the one time that is known
    of it; `times`: ms of its iterations in order, empty where only `ms` is known."""

    label: str
    ms: float
    times: Sequence[float] = ()


def of_iterations(iterations: Iterations) -> Run:
    """Its median without the first tenth, in which clocks rise and caches fill."""
    times = iterations.compute_ms[len(iterations.compute_ms) // _WARM_UP :]
    return Run(iterations.file, median(times), times)
