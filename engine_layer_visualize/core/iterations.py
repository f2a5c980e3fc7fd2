"""`Iterations`: how long each iteration of one run of an engine took."""

from __future__ import annotations

from array import array
from typing import NamedTuple


class Iterations(NamedTuple):
    """A run's iterations in their order. `file`: where they come from; `compute_ms`: GPU time of
    each, without copies from and to the host."""

    file: str
    compute_ms: array[float]
