"""The times of an engine's layers, and how many of the layers have one.

An `Engine` in; `Costs` out, layer by layer, and `EngineTime`, which every output shows. Measured
times are never mixed with the builder's estimates, nor times of two optimisation profiles added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from typing import Any, Final, TypeVar

from engine_layer_visualize.analysis.layer_kinds import runs_kernel
from engine_layer_visualize.analysis.optimization_profiles import optimization_profiles
from engine_layer_visualize.core.model import (
    Engine,
    EngineTime,
    Layer,
    ProfileTime,
    Statistic,
    TimeKind,
    Timing,
)
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import milliseconds, percent

RANKED: Final = 0.8  # below this coverage no layer is called the slowest
UNSTEADY: Final = 0.1  # mean and median that differ by more are reported
HOTTEST: Final = 0.1  # share of the total: below it nothing gets the hottest colour

_ROUNDED: Final = 0.0499  # percents with one decimal stand for so much less or more
_MANY: Final = 100  # runs

_Made = TypeVar("_Made")


class Costs:
    """Times of one engine's layers: measured or, where no profile has any, the builder's estimates.

    `profile` is the optimisation profile that totals are of (None: the first). Shares are of the
    layer's own optimisation profile: of all rows that the times' file has for it, else of the sum
    of its layers. `statistic`: with `median`, a layer's median where its time has one. `peak`: what
    the user says that the device can do. `samples`: by which all times are divided. `is_sum`: times
    are sums over an unknown number of runs: then there are shares, and no ms of a run. Raises
    ReadError (ELV408) where there is no such optimisation profile.
    """

    def __init__(
        self,
        engine: Engine,
        profile: int | None = None,
        statistic: Statistic = "mean",
        peak: Peak | None = None,
        samples: int = 1,
    ) -> None:
        self.engine = engine
        self._made: dict[Callable[[Costs], Any], Any] = {}  # one of all optimisation profiles
        self.statistic: Statistic = statistic
        self.peak = peak
        self.samples = samples
        self.kind = source(engine)
        self.estimated = self.kind == "estimated"
        # The optimisation profile of each layer; empty where there is one.
        self.profile_of_each = optimization_profiles(engine.layers)
        numbers = self.profile_of_each or (0,) * len(engine.layers)
        self._profile_of = numbers
        self.profiles: tuple[int, ...] = tuple(sorted(set(numbers))) or (0,)
        self.profile = self.profiles[0] if profile is None else profile
        if self.profile not in self.profiles:
            raise _no_profile(engine, self.profile, self.profiles)
        self.is_sum = self.kind == "measured" and any(
            la.time is not None and la.time.average_ms is None for la in engine.layers
        )
        self._ms = {layer.index: self._cost(layer) for layer in engine.layers}
        self._weights = self._ms
        if by_sums := self.is_sum or self._has_exact_sums():
            each = ((la.index, la.time) for la in engine.layers)
            self._weights = {i: None if time is None else time.total_ms for i, time in each}
        layers: dict[int, list[Layer]] = {number: [] for number in self.profiles}
        for layer, number in zip(engine.layers, numbers):
            layers[number].append(layer)
        self._layers = {k: tuple(found) for k, found in layers.items()}
        self._totals = {k: self.sum(own) for k, own in self._layers.items()}
        self._rests = self._rest_of_each(self._totals, by_sums=False)
        self._sums = {k: _sum_of(self._weights, own) for k, own in self._layers.items()}
        self._rest_weights = self._rest_of_each(self._sums, by_sums=by_sums)
        self.each = tuple(
            ProfileTime(
                k,
                self._totals[k],
                sum(self._weights[la.index] is not None for la in own),
                sum(map(self.counts, own)),
            )
            for k, own in self._layers.items()
        )

    # ---- of one optimisation profile ---------------------------------------------------------

    @property
    def now(self) -> ProfileTime:
        """Time and counts of the optimisation profile that totals are of."""
        return next((one for one in self.each if one.profile == self.profile), self.each[0])

    def of_profile(self, number: int) -> Costs:
        """The same with the totals of another optimisation profile."""
        if number == self.profile:
            return self
        if number not in self.profiles:
            raise _no_profile(self.engine, number, self.profiles)
        other = copy(self)
        other.profile = number
        return other

    def once(self, make: Callable[[Costs], _Made]) -> _Made:
        """What `make` returns, called once for the engine: it must not look at `profile`."""
        if make not in self._made:
            self._made[make] = make(self)
        made: _Made = self._made[make]
        return made

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of that optimisation profile."""
        return self._layers[self.profile]

    @property
    def timed(self) -> tuple[Layer, ...]:
        """Those of them that have a time."""
        return tuple(layer for layer in self.layers if self._weights[layer.index] is not None)

    @property
    def total(self) -> float | None:
        """The sum of the layers' times in ms; None where nothing is known."""
        return self._totals.get(self.profile)

    @property
    def shown_total(self) -> float | None:
        """The same as the profile itself prints it, where all of its rows are these layers'."""
        return self.total if self.rows_beyond else self.whole

    @property
    def sum_of_runs(self) -> float | None:
        """The ms of the layers over an unknown number of runs; None of other times."""
        return self._sums.get(self.profile) if self.is_sum else None

    @property
    def has_times(self) -> bool:
        """Whether anything takes time, so that there are shares."""
        return bool(self._sums.get(self.profile))

    @property
    def whole(self) -> float | None:
        """The ms that are 100 % of shares: all rows of the profile, else `total`."""
        total = self.total
        if total is None or (printed := self._printed) is None:
            return None if total is None else total + self._rests[self.profile]
        median = printed.median_ms if self.statistic == "median" else None
        ms = printed.average_ms if median is None else median
        return None if ms is None else ms / self.samples

    @property
    def rest(self) -> float:
        """Milliseconds of `whole` in rows that belong to no layer."""
        return self._rests.get(self.profile, 0.0)

    @property
    def rest_share(self) -> float:
        """The same as a part of `whole`, from 0 to 1."""
        return share(self._rest_weights[self.profile], self._whole_weight(self.profile)) or 0.0

    @property
    def rows_beyond(self) -> bool:
        """Whether the times' file has rows besides those of this optimisation profile's layers."""
        found = self.engine.profile
        others = any(one.timed for one in self.each if one.profile != self.profile)
        return found is not None and (bool(found.unmatched_rows) or others)

    @property
    def coverage(self) -> float:
        """The part of the engine that has a time, 0 to 1: by layers or by time, the smaller."""
        return self._coverage(self.profile)

    @property
    def ranked(self) -> bool:
        """Whether enough is timed to call one layer the slowest."""
        return self.coverage >= RANKED

    @property
    def top(self) -> float:
        """The share that gets the hottest colour, of all optimisation profiles."""
        return top(self.share(layer) or 0.0 for layer in self.engine.layers)

    @property
    def ranking(self) -> tuple[Layer, ...]:
        """The timed layers of the optimisation profile, the slowest first."""
        order = self._weights if self.is_sum else self._ms
        return tuple(sorted(self.timed, key=lambda layer: -(order[layer.index] or 0.0)))

    # ---- of one layer ------------------------------------------------------------------------

    def of(self, layer: Layer) -> float | None:
        """Milliseconds; None where none are known."""
        return self._ms[layer.index]

    def share(self, layer: Layer) -> float | None:
        """Of its optimisation profile's whole, from 0 to 1; what rounds to the percents that the
        profile prints."""
        found = share(self._weights[layer.index], self._whole_weight(self.profile_of(layer)))
        percents = layer.time.percent if layer.time is not None and layer.time.parts == 1 else None
        if found is None or percents is None or self.statistic != "mean" or not self._printed:
            return found
        return min(max(found, (percents - _ROUNDED) / 100), (percents + _ROUNDED) / 100)

    def part(self, layers: Iterable[Layer]) -> float | None:
        """What layers of the optimisation profile take together, from 0 to 1; None: unknown."""
        several = tuple(layers)
        if len(several) == 1:
            return self.share(several[0])
        return share(_sum_of(self._weights, several), self._whole_weight(self.profile))

    def profile_of(self, layer: Layer) -> int:
        """The optimisation profile that a layer is of."""
        return self._profile_of[layer.index]

    def sum(self, layers: Iterable[Layer]) -> float | None:
        """The sum of the known times in ms; None where none is known."""
        return _sum_of(self._ms, layers)

    def counts(self, layer: Layer) -> bool:
        """Whether a layer can have a time of this kind."""
        return not self.estimated or runs_kernel(layer)

    def missing(self, layer: Layer) -> bool:
        """Whether a layer runs a kernel and has no time, while others have one."""
        known = self._sums[self.profile_of(layer)] is not None
        return known and self._weights[layer.index] is None and runs_kernel(layer)

    # ---- in words ----------------------------------------------------------------------------

    @property
    def statistic_words(self) -> str:
        """`by their medians`, or why not all are; empty where times are means."""
        if self.statistic == "mean" or self.kind != "measured" or self.is_sum:
            return ""
        means = sum(la.time is not None and la.time.median_ms is None for la in self.timed)
        if not means:
            return "by their medians"
        if means == len(self.timed):
            return "by their means: the profile gives no medians"
        return f"by their medians, but {means:,} that have none by their means"

    @property
    def share_words(self) -> str:
        """What shares are of: `of what was timed`; empty where times cover the engine."""
        return "" if self.ranked else self._part_words

    def share_of(self, layer: Layer) -> str:
        """What a layer's share is of: `of all`, `of what was timed in optimisation profile 1` …"""
        number = self.profile_of(layer)
        words = self._part_words if self._coverage(number) < RANKED else ""
        if len(self.profiles) < 2:
            return words or "of all"
        return f"{words} in optimisation profile {number}" if words else _of_profile(number)

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

    @property
    def _part_words(self) -> str:
        return "of the profile" if self.kind == "measured" else "of what was timed"

    # ---- made once ---------------------------------------------------------------------------

    def _cost(self, layer: Layer) -> float | None:
        """Milliseconds of one layer; None where unknown."""
        if self.kind == "measured" and layer.time is not None:
            median = layer.time.median_ms if self.statistic == "median" else None
            ms = layer.time.average_ms if median is None else median
        elif self.kind == "estimated" and layer.facts is not None and self.counts(layer):
            ms = layer.facts.build_ms
        else:
            ms = None
        return ms if ms is None or self.samples == 1 else ms / self.samples

    def _coverage(self, profile: int) -> float:
        now = next((one for one in self.each if one.profile == profile), self.each[0])
        own, whole = self._sums[now.profile], self._whole_weight(now.profile)
        by_layers = now.timed / now.layers if now.layers else 0.0
        by_time = (own or 0.0) / whole if whole else 1.0
        return min(by_layers, by_time)

    def _has_exact_sums(self) -> bool:
        """Whether sums over many runs are printed, which tell more digits than rounded means."""
        times = [la.time for la in self.engine.layers if la.time is not None]
        rounded = self.statistic == "mean" and self._printed is not None
        return rounded and all((time.n or 0) > _MANY and time.total_ms for time in times)

    @cached_property
    def _printed(self) -> Timing | None:
        """The sum of all rows as the profile prints it, where one optimisation profile has all."""
        found = self.engine.profile if self.kind == "measured" else None
        timed = (la for la in self.engine.layers if la.time is not None)
        one = len({self.profile_of(layer) for layer in timed}) == 1
        return found.printed if found is not None and one else None

    def _whole_weight(self, profile: int) -> float | None:
        own = self._sums[profile]
        return None if own is None else own + self._rest_weights[profile]

    def _rest_of_each(self, own: dict[int, float | None], by_sums: bool) -> dict[int, float]:
        """What the rows without a layer hold; `own`: the layers of each optimisation profile."""
        found = self.engine.profile
        if self.kind != "measured" or found is None or not found.unmatched_rows:
            return dict.fromkeys(own, 0.0)
        rows = found.total_ms if self.statistic == "mean" else found.median_total_ms
        rows = found.sum_ms if by_sums else (rows or 0.0) / self.samples
        left = (rows or 0.0) - math.fsum(ms for ms in own.values() if ms is not None)
        return {k: max(0.0, left) if ms is not None else 0.0 for k, ms in own.items()}


def _sum_of(known: dict[int, float | None], layers: Iterable[Layer]) -> float | None:
    values = [value for layer in layers if (value := known[layer.index]) is not None]
    return math.fsum(values) if values else None


def _of_profile(number: int) -> str:
    return f"of optimisation profile {number}"


def _no_profile(engine: Engine, number: int, there: tuple[int, ...]) -> ReadError:
    place = Place(engine.source.file, engine.source.first_line)
    numbers = ", ".join(map(str, there))
    message = f"engine {engine.index} has no optimisation profile {number}; it has {numbers}"
    return ReadError(Problem(place, "ELV408", message))


def source(engine: Engine) -> TimeKind | None:
    """Whether the engine's times are measured or estimated; None where there are none."""
    if engine.profile is not None and engine.profile.matched:
        return "measured"
    facts = ((layer, layer.facts) for layer in engine.layers)
    timed = any(
        known is not None and known.build_ms is not None and runs_kernel(layer)
        for layer, known in facts
    )
    return "estimated" if timed else None


def top(shares: Iterable[float]) -> float:
    """The share that gets the hottest colour: the largest of `shares`, but at least 10 %.

    So an engine of many equally fast layers is not painted red.
    """
    return max(HOTTEST, max(shares, default=0.0))


def share(ms: float | None, whole: float | None) -> float | None:
    """From 0 to 1; None where either is not known, 0 of a whole of 0."""
    if ms is None or whole is None:
        return None
    return ms / whole if whole > 0 else 0.0


def engine_time(engine: Engine) -> EngineTime:
    """The engine's time as every output shows it."""
    return time_of(Costs(engine))


def time_of(costs: Costs) -> EngineTime:
    """The same of one optimisation profile, mean or median."""
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
    return abs(mean - median) > UNSTEADY * min(mean, median)
