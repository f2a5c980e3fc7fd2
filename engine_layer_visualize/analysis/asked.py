"""Makes the `Costs` that Python users ask for in words."""

from __future__ import annotations

from typing import get_args

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import peaks
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.wrong_values import must_be, not_among


def costs(
    engine: Engine, optimization_profile: int | None, time: Statistic, peak: str | None
) -> Costs:
    """The times of an engine as the arguments of a public function ask for them.

    Raises:
        TypeError: `engine` is another value.
        ValueError: `time` or `peak` has no such words.
        ReadError: (ELV408) There is no such optimisation profile.
    """
    must_be((Engine,), engine)
    if time not in get_args(Statistic):
        raise ValueError(not_among("time", time, get_args(Statistic)))
    return Costs(engine, optimization_profile, time, peaks.parse(peak))
