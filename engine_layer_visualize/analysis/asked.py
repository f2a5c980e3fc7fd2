"""An engine, and words from Python about its times, in; its `Costs` out."""

from __future__ import annotations

from typing import get_args

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import peaks
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.wrong_values import must_be, not_among


def costs(
    engine: Engine, optimization_profile: int | None, time: Statistic, peak: str | None
) -> Costs:
    """Raises TypeError where `engine` is another value, ValueError for a `time` or `peak` that is
    none, ReadError (ELV408) where there is no such optimisation profile."""
    must_be((Engine,), engine)
    if time not in get_args(Statistic):
        raise ValueError(not_among("time", time, get_args(Statistic)))
    return Costs(engine, optimization_profile, time, peaks.parse(peak))
