"""Computes the time of each layer, and the sums of each optimisation profile."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.core.model import (
    Engine,
    Layer,
    ProfileTime,
    Statistic,
    TimeKind,
    Timing,
)
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.trt.names import myelin_index, profile_in

# ---- finds the optimisation profile of each layer of an engine ----------------------------------


def optimization_profiles(layers: Sequence[Layer]) -> tuple[int, ...]:
    """The number of the optimisation profile of every layer; empty where there is only one.

    Names end in ` [profile k]` from the second profile on. Some records inside Myelin lack the
    suffix; they belong to the profile of the other records of their Myelin layer.
    """
    named = [_profile(layer) for layer in layers]
    if not any(named):
        return ()
    inside = [myelin_index(layer.name) for layer in layers]
    of_myelin: dict[int, int] = {}
    for index, number in zip(inside, named):
        if number and index is not None:
            of_myelin.setdefault(index, number)
    return tuple(
        number or (0 if index is None else of_myelin.get(index, 0))
        for index, number in zip(inside, named)
    )


def _profile(layer: Layer) -> int:
    """The number in the names of a layer or its tensors; 0 where none has one."""
    for name in (layer.name, *[t.name for t in layer.inputs], *[t.name for t in layer.outputs]):
        if number := profile_in(name):
            return number
    return 0


# ---- computes the time of each layer of an engine, and the sums of each optimisation profi ------

# Times are measured or, where no profile has any, the builder's estimates. The two are never
# mixed,
# and times of two optimisation profiles are never added.


RANKED: Final = 0.8  # the coverage below which no layer is called the slowest
HOTTEST: Final = 0.1  # the share of the total below which nothing gets the hottest colour
_PERCENT_ERROR: Final = 0.0499  # how much a percentage with one decimal may differ from the truth
_ENOUGH_RUNS: Final = 100  # runs from which a printed sum has more digits than a printed mean

_Made = TypeVar("_Made")
_Values = dict[int, float | None]  # by the layer's index


class _Sums(NamedTuple):
    """The sums of one optimisation profile.

    A weight is what shares are computed from. It is the time in ms, or the sum over all runs where
    that is known better or alone.
    """

    layers: tuple[Layer, ...]
    time: ProfileTime
    covered: float  # the part of the layers that are timed, or run no kernel
    weight: float | None  # of the layers; None where no layer has one
    rest_ms: float  # of the rows of the profile that belong to no layer
    rest_weight: float  # of the same rows

    @property
    def whole_weight(self) -> float | None:
        """The weight that is a share of 1."""
        return None if self.weight is None else self.weight + self.rest_weight


class LayerTimes:
    """The times of an engine's layers: all that does not depend on one optimisation profile."""

    def __init__(
        self,
        engine: Engine,
        statistic: Statistic = "mean",
        peak: Peak | None = None,
        samples: float = 1,
    ) -> None:
        self.engine = engine
        self.statistic: Statistic = statistic
        self.peak = peak
        self.samples = samples
        self.kind = source(engine)
        self.estimated = self.kind == "estimated"
        # The optimisation profile of each layer; empty where the engine has one.
        self.profile_of_each = optimization_profiles(engine.layers)
        self._profile_of = self.profile_of_each or (0,) * len(engine.layers)
        self.profiles: tuple[int, ...] = tuple(sorted(set(self._profile_of))) or (0,)
        # Whether times are sums over an unknown number of runs: then only shares are known.
        self.is_sum = self.kind == "measured" and any(
            layer.time is not None and layer.time.average_ms is None for layer in engine.layers
        )
        self._ms: _Values = {layer.index: self._time_of(layer) for layer in engine.layers}
        self._by_sums = self.is_sum or self._has_exact_sums()
        self._weights = self._ms
        if self._by_sums:
            times = ((layer.index, layer.time) for layer in engine.layers)
            self._weights = {i: None if time is None else time.total_ms for i, time in times}
        self._sums = self._sums_of_profiles()
        self.each: tuple[ProfileTime, ...] = tuple(sums.time for sums in self._sums.values())
        self._results: dict[Callable[[LayerTimes], Any], Any] = {}
        # Of what depends on no time: the same times scaled share it.
        self._timeless: dict[Callable[[LayerTimes], Any], Any] = {}

    @property
    def top(self) -> float:
        """The share that gets the hottest colour, of all optimisation profiles."""
        return top(self.share(layer) or 0.0 for layer in self.engine.layers)

    def once(self, compute: Callable[[LayerTimes], _Made]) -> _Made:
        """Calls a function at the first request, and returns that result from then on.

        All optimisation profiles share the results, which is why the function gets no `Costs`.
        """
        if compute not in self._results:
            self._results[compute] = compute(self)
        result: _Made = self._results[compute]
        return result

    def timeless(self, compute: Callable[[LayerTimes], _Made]) -> _Made:
        """As `once`, of a function that reads the engine and `peak` alone."""
        if compute not in self._timeless:
            self._timeless[compute] = compute(self)
        result: _Made = self._timeless[compute]
        return result

    # ---- of one layer ------------------------------------------------------------------------

    def of(self, layer: Layer) -> float | None:
        """The time of a layer in ms; None where none is known."""
        return self._ms[layer.index]

    def share(self, layer: Layer) -> float | None:
        """The part of its optimisation profile's time that a layer takes, from 0 to 1.

        It is a number that rounds to the percentage that the profile prints.
        """
        whole = self._sums[self.profile_of(layer)].whole_weight
        exact = share(self._weights[layer.index], whole)
        percent = layer.time.percent if layer.time is not None and layer.time.parts == 1 else None
        if exact is None or percent is None or self.statistic != "mean" or not self._printed:
            return exact
        return min(max(exact, (percent - _PERCENT_ERROR) / 100), (percent + _PERCENT_ERROR) / 100)

    def profile_of(self, layer: Layer) -> int:
        """The optimisation profile that a layer belongs to."""
        return self._profile_of[layer.index]

    def sum(self, layers: Iterable[Layer]) -> float | None:
        """The sum of the known times in ms; None where none is known."""
        return _sum_of(self._ms, layers)

    def _weight_of(self, layers: Iterable[Layer]) -> float | None:
        return _sum_of(self._weights, layers)

    def counts(self, layer: Layer) -> bool:
        """Whether a layer can have a time of this kind."""
        return not self.estimated or runs_kernel(layer)

    def missing(self, layer: Layer) -> bool:
        """Whether a layer runs a kernel and has no time, while others have one."""
        known = self._sums[self.profile_of(layer)].weight is not None
        return known and self._weights[layer.index] is None and runs_kernel(layer)

    def share_of(self, layer: Layer) -> str:
        """What a layer's share is of: `of all`, `of the timed layers in optimisation profile 1`."""
        number = self.profile_of(layer)
        words = self._part_words if self._coverage(number) < RANKED else ""
        if len(self.profiles) < 2:
            return words or "of all"
        return f"{f'{words} in' if words else 'of'} optimisation profile {number}"

    # ---- how they are computed ---------------------------------------------------------------

    @property
    def _part_words(self) -> str:
        return "of the profile" if self.kind == "measured" else "of the timed layers"

    @cached_property
    def _printed(self) -> Timing | None:
        """The sum of all rows as the profile prints it, where one optimisation profile has all."""
        profile = self.engine.profile if self.kind == "measured" else None
        timed = (layer for layer in self.engine.layers if layer.time is not None)
        is_single = len({self.profile_of(layer) for layer in timed}) == 1
        return profile.printed if profile is not None and is_single else None

    def _time_of(self, layer: Layer) -> float | None:
        if self.kind == "measured" and layer.time is not None:
            median = layer.time.median_ms if self.statistic == "median" else None
            ms = layer.time.average_ms if median is None else median
        elif self.kind == "estimated" and layer.facts is not None and self.counts(layer):
            ms = layer.facts.build_ms
        else:
            ms = None
        return ms if ms is None or self.samples == 1 else ms / self.samples

    def _has_exact_sums(self) -> bool:
        """Whether sums over many runs are printed, which have more digits than rounded means."""
        times = [layer.time for layer in self.engine.layers if layer.time is not None]
        is_rounded = self.statistic == "mean" and self._printed is not None
        return is_rounded and all((time.n or 0) > _ENOUGH_RUNS and time.total_ms for time in times)

    def _sums_of_profiles(self) -> dict[int, _Sums]:
        layers: dict[int, list[Layer]] = {number: [] for number in self.profiles}
        for layer, number in zip(self.engine.layers, self._profile_of):
            layers[number].append(layer)
        totals = {number: self.sum(inside) for number, inside in layers.items()}
        weights = {number: self._weight_of(inside) for number, inside in layers.items()}
        rest_ms = self._rest(totals.values(), by_sums=False)
        rest_weight = self._rest(weights.values(), by_sums=self._by_sums)
        sums: dict[int, _Sums] = {}
        for number, inside in layers.items():
            timed = sum(self._weights[layer.index] is not None for layer in inside)
            countable = sum(map(self.counts, inside))
            lacking = sum(self._weights[la.index] is None and runs_kernel(la) for la in inside)
            sums[number] = _Sums(
                tuple(inside),
                ProfileTime(number, totals[number], timed, countable),
                1 - lacking / countable if timed else 0.0,
                weights[number],
                0.0 if totals[number] is None else rest_ms,
                0.0 if weights[number] is None else rest_weight,
            )
        return sums

    def _rest(self, of_layers: Iterable[float | None], *, by_sums: bool) -> float:
        """The time in rows of the profile without a layer, where layers take `of_layers`."""
        profile = self.engine.profile
        if self.kind != "measured" or profile is None or not profile.unmatched_rows:
            return 0.0
        rows = profile.total_ms if self.statistic == "mean" else profile.median_total_ms
        rows = profile.sum_ms if by_sums else (rows or 0.0) / self.samples
        return max(0.0, (rows or 0.0) - math.fsum(ms for ms in of_layers if ms is not None))

    def _coverage(self, number: int) -> float:
        sums = self._sums[number]
        by_time = (sums.weight or 0.0) / sums.whole_weight if sums.whole_weight else 1.0
        return min(sums.covered, by_time)


def _sum_of(known: _Values, layers: Iterable[Layer]) -> float | None:
    values = [value for layer in layers if (value := known[layer.index]) is not None]
    return math.fsum(values) if values else None


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
    """A part from 0 to 1; None where either is not known, 0 of a whole of 0."""
    if ms is None or whole is None:
        return None
    return ms / whole if whole > 0 else 0.0
