"""`Costs`, the one source of times: of layers, of optimisation profiles, as shares and totals.

Times are measured or, where no profile has any, the builder's estimates; the two are never mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.analysis.kinds import optimization_profiles, runs_kernel
from engine_layer_visualize.core.limits import sum_of_known
from engine_layer_visualize.core.model import (
    Engine,
    Layer,
    ProfileTime,
    TimeKind,
    Timing,
)
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import must_be

HOTTEST: Final = 0.1  # the share of the total below which nothing gets the hottest colour
_RANKED: Final = 0.8  # the coverage below which no layer is called the slowest
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
    coverage: float  # the part of the layers whose time is known, by number or time, the smaller
    weight: float | None  # of the layers; None where no layer has one
    whole_weight: float | None  # that is a share of 1


class Costs:
    """The times of an engine's layers, and the totals of one optimisation profile.

    Shares are of the layer's own optimisation profile: of all rows that the times' file has for it,
    else of the sum of its layers.

    Args:
        engine: The engine whose times are asked for.
        profile: The optimisation profile that totals are of; None: the first.
        peak: What the user says that the device can do.
        samples: The number by which all times are divided.

    Attributes:
        layers: Those of the optimisation profile.
        timed: Those of them that have a time.
        now: The time and the counts of the optimisation profile.
        total: The sum of its layers' times in ms; None where nothing is known.
        sum_of_runs: The same over an unknown number of runs; None of other times.
        has_times: Whether anything takes time, so that there are shares.
        rest: The ms of `whole` in rows that belong to no layer.
        rest_share: The part of `whole` in these rows, from 0 to 1.
        coverage: The part of the engine whose time is known, 0 to 1; layers without a kernel need
            none.
        ranked: Whether enough is timed to call one layer the slowest.
        share_words: What shares are of: `of the timed layers`; empty where times cover the engine.

    Raises ReadError (ELV408) where there is no such optimisation profile.
    """

    def __init__(
        self,
        engine: Engine,
        profile: int | None = None,
        peak: Peak | None = None,
        samples: float = 1,
    ) -> None:
        self.engine = engine
        self.peak = peak
        self.samples = samples
        self.kind = _kind(engine)
        self.estimated = self.kind == "estimated"
        # The optimisation profile of each layer; empty where the engine has one.
        self.profile_of_each = optimization_profiles(engine.layers)
        self._profile_of = self.profile_of_each or (0,) * len(engine.layers)
        self.profiles: tuple[int, ...] = tuple(sorted(set(self._profile_of))) or (0,)
        # Whether times are sums over an unknown number of runs: then only shares are known.
        times = [layer.time for layer in engine.layers if layer.time is not None]
        self.is_sum = self.kind == "measured" and any(time.average_ms is None for time in times)
        self._ms: _Values = {layer.index: self._time_of(layer) for layer in engine.layers}
        # Sums over many runs are printed with more digits than means.
        is_exact = all((time.n or 0) > _ENOUGH_RUNS and time.total_ms for time in times)
        self._by_sums = self.is_sum or (self._printed is not None and is_exact)
        self._weights = self._ms
        if self._by_sums:
            each = ((layer.index, layer.time) for layer in engine.layers)
            self._weights = {i: None if time is None else time.total_ms for i, time in each}
        self._sums = self._sums_of_profiles()
        self.each: tuple[ProfileTime, ...] = tuple(sums.time for sums in self._sums.values())
        self._results: dict[Callable[[Costs], Any], Any] = {}
        self._results_of_times = dict(self._results)
        self._choose(self.profiles[0] if profile is None else profile)

    def scaled(self, factor: float) -> Costs:
        """Returns these times, each multiplied by a factor."""
        samples = self.samples / factor
        other = Costs(self.engine, self.profile, self.peak, samples)
        other._results = self._results
        return other

    def without(self, layer: Layer, ms: float) -> Costs:
        """Returns these times with one layer's shorter by `ms`; the profile has no other rows."""
        layers = list(self.engine.layers)
        for each in self.timed:
            left = (self.of(each) or 0.0) - (ms if each is layer else 0.0)
            runs = each.time.n if each.time is not None else None
            layers[each.index] = each._replace(time=Timing(left, n=runs))
        rows = self.engine.profile and self.engine.profile._replace(printed=None)
        engine = self.engine._replace(layers=tuple(layers), profile=rows)
        return Costs(engine, self.profile, self.peak)

    def of_profile(self, number: int) -> Costs:
        """Returns these times with the totals of another optimisation profile."""
        other = object.__new__(Costs)
        vars(other).update(vars(self))
        other._choose(number)
        return other

    def _choose(self, number: int) -> None:
        if number not in self.profiles:
            place = Place(self.engine.source.file, self.engine.source.first_line)
            has = f"no optimisation profile {number}; it has {', '.join(map(str, self.profiles))}"
            raise ReadError(Problem(place, "ELV408", f"engine {self.engine.index} has {has}"))
        self.profile = number
        chosen = self._sums[number]
        self.layers, self.now, self.total = chosen.layers, chosen.time, chosen.time.total_ms
        self.timed = tuple(la for la in chosen.layers if self._weights[la.index] is not None)
        self.sum_of_runs = chosen.weight if self.is_sum else None
        self.has_times = bool(chosen.weight)
        self.rest = 0.0 if self.total is None else self._rest_ms
        self.rest_share = share(self._rest_weight, chosen.whole_weight) or 0.0
        self.coverage, self.ranked = chosen.coverage, chosen.coverage >= _RANKED
        self.share_words = self._part_words(chosen)

    def once(self, compute: Callable[[Costs], _Made], *, of_times: bool = False) -> _Made:
        """The result of a function that reads the engine and `peak` alone, computed once.

        All optimisation profiles share it, and the same times scaled; not so `of_times`, of one
        that reads times of layers.
        """
        results = self._results_of_times if of_times else self._results
        if compute not in results:
            results[compute] = compute(self)
        result: _Made = results[compute]
        return result

    def of(self, layer: Layer) -> float | None:
        """The time of a layer in ms; None where none is known."""
        return self._ms[layer.index]

    def share(self, layer: Layer) -> float | None:
        """The part of its optimisation profile's time that a layer takes, from 0 to 1.

        It is a number that rounds to the percentage that the profile prints.
        """
        whole = self._sums[self.profile_of(layer)].whole_weight
        exact, time = share(self._weights[layer.index], whole), self.engine.layers[layer.index].time
        percent = time.percent if time is not None and time.parts == 1 else None
        if exact is None or percent is None or not self._is_single:
            return exact
        return min(max(exact, (percent - _PERCENT_ERROR) / 100), (percent + _PERCENT_ERROR) / 100)

    def profile_of(self, layer: Layer) -> int:
        """The optimisation profile that a layer belongs to."""
        return self._profile_of[layer.index]

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
        words = self._part_words(self._sums[number])
        if len(self.profiles) < 2:
            return words or "of all"
        return f"{f'{words} in' if words else 'of'} optimisation profile {number}"

    def sum(self, layers: Iterable[Layer]) -> float | None:
        """The sum of the known times in ms, of all as the profile prints it; None: unknown."""
        several = tuple(layers)
        timed = sum(self._weights[layer.index] is not None for layer in several)
        is_all = self._is_single and timed == self.now.timed
        return self.shown_total if is_all else _sum_of(self._ms, several)

    def part(self, layers: Iterable[Layer]) -> float | None:
        """The part of the time that layers take together, from 0 to 1; None: unknown."""
        several = tuple(layers)
        if len(several) == 1:
            return self.share(several[0])
        return share(_sum_of(self._weights, several), self._sums[self.profile].whole_weight)

    @property
    def ranking(self) -> tuple[Layer, ...]:
        """The timed layers of the optimisation profile, the slowest first."""
        order = self._weights if self.is_sum else self._ms
        return tuple(sorted(self.timed, key=lambda layer: -(order[layer.index] or 0.0)))

    @property
    def top(self) -> float:
        """The share that gets the hottest colour: 10 % at least, so that equal layers stay pale."""
        return max(HOTTEST, *(self.share(layer) or 0.0 for layer in self.engine.layers), 0.0)

    @property
    def shown_total(self) -> float | None:
        """The total as the profile itself prints it, where all of its rows are these layers'."""
        return self.total if self.rows_beyond else self.whole

    @property
    def whole(self) -> float | None:
        """The ms that are 100 % of shares: all rows of the profile, else `total`."""
        if self.total is None:
            return None
        if self._printed is None:
            return self.total + self.rest
        ms = self._printed.average_ms
        return None if ms is None else ms / self.samples

    @property
    def rows_beyond(self) -> bool:
        """Whether the times' file has rows besides those of this optimisation profile's layers."""
        profile = self.engine.profile
        if profile is None or profile.unmatched_rows or profile.is_part:
            return profile is not None
        return any(time.timed for time in self.each if time.profile != self.profile)

    def _part_words(self, sums: _Sums) -> str:
        if sums.coverage >= _RANKED:
            return ""
        return "of the profile" if self.kind == "measured" else "of the timed layers"

    @property
    def _printed(self) -> Timing | None:
        """The sum of all rows as the profile prints it, where one optimisation profile has all."""
        profile = self.engine.profile
        return profile.printed if profile is not None and self._is_single else None

    @cached_property
    def _is_single(self) -> bool:
        """Whether times are measured, all of one optimisation profile."""
        timed = (self.profile_of(layer) for layer in self.engine.layers if layer.time is not None)
        return self.kind == "measured" and len({*timed}) == 1

    def _time_of(self, layer: Layer) -> float | None:
        ms = None
        if self.kind == "measured" and layer.time is not None:
            ms = layer.time.average_ms
        elif self.estimated and self.counts(layer):
            ms = layer.known.build_ms
        return ms if ms is None or self.samples == 1 else ms / self.samples

    def _sums_of_profiles(self) -> dict[int, _Sums]:
        layers: dict[int, list[Layer]] = {number: [] for number in self.profiles}
        for layer, number in zip(self.engine.layers, self._profile_of):
            layers[number].append(layer)
        totals = {number: _sum_of(self._ms, inside) for number, inside in layers.items()}
        weights = {number: _sum_of(self._weights, inside) for number, inside in layers.items()}
        # What rows of the profile take that belong to no layer.
        self._rest_ms = self._rest(totals.values(), by_sums=False)
        self._rest_weight = self._rest(weights.values(), by_sums=self._by_sums)
        sums: dict[int, _Sums] = {}
        for number, inside in layers.items():
            untimed = [layer for layer in inside if self._weights[layer.index] is None]
            timed, countable = len(inside) - len(untimed), sum(map(self.counts, inside))
            covered = 1 - sum(map(runs_kernel, untimed)) / countable if timed else 0.0
            weight = weights[number]
            whole = None if weight is None else weight + self._rest_weight
            coverage = min(covered, (weight or 0.0) / whole if whole else 1.0)
            time = ProfileTime(number, totals[number], timed, countable)
            sums[number] = _Sums(tuple(inside), time, coverage, weight, whole)
        return sums

    def _rest(self, of_layers: Iterable[float | None], *, by_sums: bool) -> float:
        """The time in rows of the profile without a layer, where layers take `of_layers`."""
        profile = self.engine.profile
        beyond = profile is not None and (profile.unmatched_rows or profile.is_part)
        if self.kind != "measured" or profile is None or not beyond:
            return 0.0
        rows = profile.sum_ms if by_sums else (profile.total_ms or 0.0) / self.samples
        return max(0.0, (rows or 0.0) - (sum_of_known(of_layers) or 0.0))


def _kind(engine: Engine) -> TimeKind | None:
    """Whether the engine's times are measured or estimated; None where there are none."""
    if engine.profile is not None and engine.profile.matched:
        return "measured"
    timed = any(layer.known.build_ms is not None and runs_kernel(layer) for layer in engine.layers)
    return "estimated" if timed else None


def _sum_of(known: _Values, layers: Iterable[Layer]) -> float | None:
    return sum_of_known(known[layer.index] for layer in layers)


def share(ms: float | None, whole: float | None) -> float | None:
    """A part from 0 to 1; None where either is not known, 0 of a whole of 0."""
    if ms is None or whole is None:
        return None
    return ms / whole if whole > 0 else 0.0


def costs_asked(engine: Engine, optimization_profile: int | None, peak: str | None) -> Costs:
    """The times of an engine as the arguments of a public function ask for them.

    Raises TypeError (`engine` is another value), ValueError (`peak` has no such words) and
    ReadError (ELV408: there is no such optimisation profile).
    """
    must_be((Engine,), engine)
    return Costs(engine, optimization_profile, peaks.parse(peak))
