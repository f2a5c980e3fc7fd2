"""Tells the times of an engine: totals, shares, sums by type and precision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Final, NamedTuple, get_args

from engine_layer_visualize.analysis import peaks, precisions
from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.analysis.reformat_reasons import cause
from engine_layer_visualize.analysis.times import RANKED, LayerTimes, share
from engine_layer_visualize.core.model import (
    Engine,
    EngineTime,
    Layer,
    ProfileTime,
    Statistic,
    Timing,
)
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import milliseconds, must_be, not_among, percent

# ---- tells the times of an engine, with the totals of one of its optimisation profiles ----------

# `Costs` is the one source of times: every output shows what it says.

_TICK_MS: Final = 0.001024  # of the timer that trtexec asks: a median is a multiple of it
UNSTEADY: Final = 0.1  # the part by which mean and median differ where it is reported


class Costs(LayerTimes):
    """The times of an engine's layers, and the totals of one optimisation profile.

    Shares are of the layer's own optimisation profile: of all rows that the times' file has for it,
    else of the sum of its layers.

    Args:
        engine: The engine whose times are asked for.
        profile: The optimisation profile that totals are of; None: the first.
        statistic: With `median`, a layer's median where its time has one.
        peak: What the user says that the device can do.
        samples: The number by which all times are divided.

    Raises:
        ReadError: (ELV408) There is no such optimisation profile.
    """

    def __init__(
        self,
        engine: Engine,
        profile: int | None = None,
        statistic: Statistic = "mean",
        peak: Peak | None = None,
        samples: float = 1,
    ) -> None:
        super().__init__(engine, statistic, peak, samples)
        self._choose(self.profiles[0] if profile is None else profile)

    def scaled(self, factor: float) -> Costs:
        """Returns these times, each multiplied by a factor."""
        samples = self.samples / factor
        other = Costs(self.engine, self.profile, self.statistic, self.peak, samples)
        other._timeless = self._timeless
        return other

    def without(self, layer: Layer, ms: float) -> Costs:
        """Returns these times with one layer's shorter by `ms`; the profile has no other rows."""
        known = self.engine.profile
        layers = list(self.engine.layers)
        for each in self.timed:
            left = (self.of(each) or 0.0) - (ms if each is layer else 0.0)
            runs = each.time.n if each.time is not None else None
            layers[each.index] = replace(each, time=Timing(left, n=runs))
        rows = known and replace(known, printed=None)
        engine = replace(self.engine, layers=tuple(layers), profile=rows)
        return Costs(engine, self.profile, peak=self.peak)

    def of_profile(self, number: int) -> Costs:
        """Returns these times with the totals of another optimisation profile."""
        other = copy(self)
        other._choose(number)
        return other

    def _choose(self, number: int) -> None:
        if number not in self.profiles:
            place = Place(self.engine.source.file, self.engine.source.first_line)
            what = f"engine {self.engine.index} has no optimisation profile {number}"
            message = f"{what}; it has {', '.join(map(str, self.profiles))}"
            raise ReadError(Problem(place, "ELV408", message))
        self.profile = number
        self._chosen = self._sums[number]

    # ---- totals ------------------------------------------------------------------------------

    @property
    def now(self) -> ProfileTime:
        """The time and the counts of the optimisation profile that totals are of."""
        return self._chosen.time

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of the optimisation profile."""
        return self._chosen.layers

    @property
    def timed(self) -> tuple[Layer, ...]:
        """The layers of the optimisation profile that have a time."""
        return tuple(layer for layer in self.layers if self._weights[layer.index] is not None)

    @property
    def total(self) -> float | None:
        """The sum of the layers' times in ms; None where nothing is known."""
        return self.now.total_ms

    @property
    def shown_total(self) -> float | None:
        """The total as the profile itself prints it, where all of its rows are these layers'."""
        return self.total if self.rows_beyond else self.whole

    @property
    def sum_of_runs(self) -> float | None:
        """The ms of the layers over an unknown number of runs; None of other times."""
        return self._chosen.weight if self.is_sum else None

    @property
    def has_times(self) -> bool:
        """Whether anything takes time, so that there are shares."""
        return bool(self._chosen.weight)

    @property
    def whole(self) -> float | None:
        """The ms that are 100 % of shares: all rows of the profile, else `total`."""
        if self.total is None or self._printed is None:
            return None if self.total is None else self.total + self.rest
        median = self._printed.median_ms if self.statistic == "median" else None
        ms = self._printed.average_ms if median is None else median
        return None if ms is None else ms / self.samples

    @property
    def rest(self) -> float:
        """The ms of `whole` in rows that belong to no layer."""
        return self._chosen.rest_ms

    @property
    def rest_share(self) -> float:
        """The part of `whole` in rows that belong to no layer, from 0 to 1."""
        return share(self._chosen.rest_weight, self._chosen.whole_weight) or 0.0

    @property
    def rows_beyond(self) -> bool:
        """Whether the times' file has rows besides those of this optimisation profile's layers."""
        profile = self.engine.profile
        others = any(time.timed for time in self.each if time.profile != self.profile)
        return profile is not None and (bool(profile.unmatched_rows) or others)

    @property
    def coverage(self) -> float:
        """The part of the engine whose time is known, 0 to 1: by layers or by time, the smaller.

        Layers that run no kernel need none.
        """
        return self._coverage(self.profile)

    @property
    def ranked(self) -> bool:
        """Whether enough is timed to call one layer the slowest."""
        return self.coverage >= RANKED

    @property
    def ranking(self) -> tuple[Layer, ...]:
        """The timed layers of the optimisation profile, the slowest first."""
        order = self._weights if self.is_sum else self._ms
        return tuple(sorted(self.timed, key=lambda layer: -(order[layer.index] or 0.0)))

    def part(self, layers: Iterable[Layer]) -> float | None:
        """The part of the time that layers take together, from 0 to 1; None: unknown."""
        several = tuple(layers)
        if len(several) == 1:
            return self.share(several[0])
        return share(self._weight_of(several), self._chosen.whole_weight)

    # ---- in words ----------------------------------------------------------------------------

    @property
    def statistic_words(self) -> str:
        """What times are, such as `by their medians`; empty where they are means."""
        if self.statistic == "mean" or self.kind != "measured" or self.is_sum:
            return ""
        means = sum(layer.time is not None and layer.time.median_ms is None for layer in self.timed)
        if not means:
            return "by their medians"
        if means == len(self.timed):
            return "by their means: the profile gives no medians"
        return f"by their medians, but {means:,} that have none by their means"

    @property
    def share_words(self) -> str:
        """What shares are of: `of the timed layers`; empty where times cover the engine."""
        return "" if self.ranked else self._part_words

    @property
    def rest_words(self) -> str:
        """A sentence about the part of the profile without layers; empty where there is none."""
        if not self.rest_share:
            return ""
        ms = f"{milliseconds(self.rest)} or " if self.rest else ""
        return (
            f"The rest of the profile, {ms}{percent(self.rest_share)}, is in rows that have no "
            "layer here"
        )


def engine_time(engine: Engine) -> EngineTime:
    """The engine's time as every output shows it."""
    return time_of(Costs(engine))


def time_of(costs: Costs) -> EngineTime:
    """The time of one optimisation profile, by mean or median."""
    engine = costs.engine
    now, of_profile = costs.now, None
    if costs.kind == "measured" and engine.profile is not None:
        printed = engine.profile.printed
        rows = engine.profile.total_ms if printed is None else printed.average_ms
        of_profile = rows if costs.rows_beyond else costs.whole
    return EngineTime(costs.kind, now.total_ms, now.timed, now.layers, of_profile, costs.each)


def is_unsteady(mean: float | None, median: float | None) -> bool:
    """Whether mean and median differ so much that a single number misleads."""
    if mean is None or median is None or max(mean, median) <= 0:
        return False
    return abs(mean - median) > max(UNSTEADY * min(mean, median), _TICK_MS)


# ---- sums an engine's time by layer type, by precision and in reformats -------------------------

# A layer without a time is not counted as 0 ms, a `NoOp` not as a reformat.


class Row(NamedTuple):
    """Layers of one type or precision, of one optimisation profile."""

    name: str | None  # the type or the precision; None: unknown
    layers: int
    timed: int  # how many of the layers have a time
    ms: float | None  # the sum of these; None where none is
    share: float | None  # of the profile's `whole`, from 0 to 1
    idle: int  # how many of the layers run no kernel


def by_type(costs: Costs) -> tuple[Row, ...]:
    """A row for each type, the costliest first; together all layers of the optimisation profile."""
    return _rows(costs, lambda layer: layer.type or None)


def by_precision(costs: Costs) -> tuple[Row, ...]:
    """A row for each precision that layers compute in, the costliest first.

    It is `unknown` where nothing gives the precision.
    """
    return _rows(costs, precisions.precision_of)


def reformats(costs: Costs) -> Row:
    """All reformats of the optimisation profile."""
    return _row("reformat", [layer for layer in costs.layers if is_reformat(layer)], costs)


def of_network(costs: Costs) -> tuple[int, int]:
    """How many of the reformats come from a Q or a DQ, and how many copy for a Concat."""
    causes = [cause(layer) for layer in costs.layers if is_reformat(layer)]
    return causes.count("quantiser"), causes.count("concat")


def half(costs: Costs) -> int:
    """How many of the slowest layers take half of the time together."""
    spent = 0.0
    for number, layer in enumerate(costs.ranking, 1):
        spent += costs.share(layer) or 0.0
        if spent >= 0.5:
            return number
    return len(costs.timed)


def _rows(costs: Costs, of: Callable[[Layer], str | None]) -> tuple[Row, ...]:
    """Groups of the profile's layers as rows, the costliest first."""
    groups: dict[str | None, list[Layer]] = defaultdict(list)
    for layer in costs.layers:
        groups[of(layer)].append(layer)
    rows = (_row(name, layers, costs) for name, layers in groups.items())
    return tuple(sorted(rows, key=lambda row: (-(row.share or 0.0), -row.layers, str(row.name))))


def _row(name: str | None, layers: Sequence[Layer], costs: Costs) -> Row:
    took = costs.sum(layers)
    timed = sum(costs.share(layer) is not None for layer in layers)
    idle = sum(not runs_kernel(layer) for layer in layers)
    return Row(name, len(layers), timed, took, costs.part(layers), idle)


# ---- makes the `Costs` that Python users ask for in words ---------------------------------------


def costs_asked(
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
