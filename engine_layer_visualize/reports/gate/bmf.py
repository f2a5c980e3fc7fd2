"""Writes the time of the new engine in Bencher's Metric Format, for its history.

The verdict is not in there: Bencher has its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.gate.verdict import Judgement
from engine_layer_visualize.reports.gate.options import GateOptions

_NANOSECONDS: Final = 1e6  # of a millisecond: the unit of Bencher's `latency`


def render(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One benchmark, with the name of the gate; none where no time was measured."""
    ms = judgement.total.new_ms
    found = {} if ms is None else {options.name: {"latency": {"value": ms * _NANOSECONDS}}}
    yield json.dumps(found) + "\n"
