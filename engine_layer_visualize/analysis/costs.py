"""The times of an engine's layers, and how many of the layers have one.

An `Engine` in; `Costs` out, layer by layer, and `EngineTime`, which every output shows. Measured
times are never mixed with the builder's estimates, nor times of two optimisation profiles added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from copy import copy
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
)
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.trt.layer_names import split_profile

RANKED: Final = 0.8  # below this coverage no layer is called the slowest
UNSTEADY: Final = 0.1  # mean and median that differ by more are reported
HOTTEST: Final = 0.1  # share of the total: below it nothing gets the hottest colour

_Made = TypeVar("_Made")


class Costs:
    """Times of one engine's layers: measured or, where no profile has any, the builder's estimates.

    `profile` is the optimisation profile that totals are of (None: the first). Shares are of the
    layer's own optimisation profile: of all rows that the times' file has for it, else of the sum
    of its layers. `statistic`: with `median`, a layer's median where its time has one. `peak`: what
    the user says that the device can do. Raises ReadError (ELV408) where there is no such
    optimisation profile.
    """

    def __init__(
        self,
        engine: Engine,
        profile: int | None = None,
        statistic: Statistic = "mean",
        peak: Peak | None = None,
    ) -> None:
        self.engine = engine
        self._made: dict[Callable[[Costs], Any], Any] = {}  # one of all optimisation profiles
        self.statistic: Statistic = statistic
        self.peak = peak
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
        self._ms = {layer.index: self._cost(layer) for layer in engine.layers}
        known = dict.fromkeys(self.profiles, 0)
        counted = dict.fromkeys(self.profiles, 0)
        sums: dict[int, list[float]] = {number: [] for number in self.profiles}
        layers: dict[int, list[Layer]] = {number: [] for number in self.profiles}
        for layer, number in zip(engine.layers, numbers):
            layers[number].append(layer)
            counted[number] += self.counts(layer)
            if (took := self._ms[layer.index]) is not None:
                known[number] += 1
                sums[number].append(took)
        self._layers = {k: tuple(found) for k, found in layers.items()}
        self._totals = {k: math.fsum(found) if found else None for k, found in sums.items()}
        self._wholes = {k: self._whole(k) for k in self.profiles}
        self.each = tuple(
            ProfileTime(k, self._totals[k], known[k], counted[k]) for k in self.profiles
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
        return tuple(layer for layer in self.layers if self._ms[layer.index] is not None)

    @property
    def total(self) -> float | None:
        """The sum of the layers' times in ms; None where nothing is known."""
        return self._totals.get(self.profile)

    @property
    def whole(self) -> float | None:
        """The ms that are 100 % of shares: all rows of the profile, else `total`."""
        return self._wholes.get(self.profile)

    @property
    def rest(self) -> float:
        """Milliseconds of `whole` in rows that belong to no layer."""
        return max(0.0, (self.whole or 0.0) - (self.total or 0.0))

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
        return tuple(sorted(self.timed, key=lambda layer: -(self.of(layer) or 0.0)))

    # ---- of one layer ------------------------------------------------------------------------

    def of(self, layer: Layer) -> float | None:
        """Milliseconds; None where none are known."""
        return self._ms[layer.index]

    def share(self, layer: Layer) -> float | None:
        """Of its optimisation profile's whole, from 0 to 1."""
        return share(self._ms[layer.index], self._wholes[self.profile_of(layer)])

    def profile_of(self, layer: Layer) -> int:
        """The optimisation profile that a layer is of."""
        return self._profile_of[layer.index]

    def sum(self, layers: Iterable[Layer]) -> float | None:
        """The sum of the known times in ms; None where none is known."""
        known = [ms for layer in layers if (ms := self._ms[layer.index]) is not None]
        return math.fsum(known) if known else None

    def counts(self, layer: Layer) -> bool:
        """Whether a layer can have a time of this kind."""
        return not self.estimated or runs_kernel(layer)

    def missing(self, layer: Layer) -> bool:
        """Whether a layer runs a kernel and has no time, while others have one."""
        known = self._totals[self.profile_of(layer)] is not None
        return known and self._ms[layer.index] is None and runs_kernel(layer)

    # ---- in words ----------------------------------------------------------------------------

    @property
    def coverage_words(self) -> str:
        """`6 of 26 layers timed (built from a timing cache)`."""
        now = self.now
        words = f"{now.timed:,} of {count(now.layers, 'layer')} timed"
        return f"{words} ({why})" if (why := self._why_partial()) else words

    @property
    def statistic_words(self) -> str:
        """`by their medians`, or why not all are; empty where times are means."""
        if self.statistic == "mean" or self.kind != "measured":
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
        if not self.rest or not self.whole:
            return ""
        return (
            f"The rest of the profile, {milliseconds(self.rest)} or "
            f"{percent(self.rest / self.whole)}, is in rows that have no layer here"
        )

    @property
    def _part_words(self) -> str:
        return "of the profile" if self.kind == "measured" else "of what was timed"

    def _why_partial(self) -> str:
        """Why not every layer has a time; empty where each has one."""
        measured = self.kind == "measured"
        return "; ".join(self._why_no_profile_row() if measured else self._why_no_estimate())

    def _why_no_estimate(self) -> Iterator[str]:
        """Reasons for layers without an estimate."""
        if self.now.timed < self.now.layers:
            pieces = self._pieces()
            if cached := self._why_cached():
                yield cached
            elif self.estimated and not pieces:
                yield "the log has no timing of the others"
            if pieces:
                ms, number = milliseconds(math.fsum(pieces)), len(pieces)
                what = "a ForeignNode was" if number == 1 else f"{number} ForeignNodes were"
                yield f"{what} timed as one piece, {ms}, and listed as several layers"
        if self.estimated and (idle := sum(not self.counts(layer) for layer in self.layers)):
            yield f"NoOps and constants, {idle:,}, do not count"

    def _why_cached(self) -> str:
        """What the timing cache explains; empty where it explains nothing."""
        cache = self.engine.facts.timing_cache if self.engine.facts is not None else None
        if cache is None:
            return ""
        if cache.loaded:
            return "built from a timing cache"
        if cache.hits and not cache.cached_results:
            return "results in the timing cache are not printed again"
        use = "a timing cache is in use: what is in it is not timed again"
        return use if cache.kind == "global" else ""

    def _why_no_profile_row(self) -> Iterator[str]:
        """Reasons for layers without a row, and for rows without a layer."""
        if self.now.timed < self.now.layers:
            yield self._why_no_row()
        profile = self.engine.profile
        if profile is not None and (number := len(profile.unmatched_rows)):
            have = "has" if number == 1 else "have"
            rows = f"{number:,} of {profile.rows:,} profile rows {have} no layer"
            yield rows if self.rest == 0 else f"{rows}, {self._rest_words()}"

    def _why_no_row(self) -> str:
        """Why layers have no row in the profile."""
        if self.now.timed == 0 and len(self.profiles) > 1:
            ran = [one.profile for one in self.each if one.timed]
            return f"the times are of optimisation profile {ran[0]}" if ran else ""
        if not any(self.missing(layer) for layer in self.layers):
            return "the others run no kernel"
        return "the profile gives no time for the others"

    def _pieces(self) -> list[float]:
        """Milliseconds of ForeignNodes of this optimisation profile that were timed as one and are
        listed as several layers."""
        facts, first = self.engine.facts, self.profile == self.profiles[0]
        own = {str(self.profile), None} if first else {str(self.profile)}  # the first has none
        return [
            piece.ms
            for piece in (facts.pieces if facts is not None else ())
            if split_profile(piece.name)[1] in own
        ]

    def _rest_words(self) -> str:
        """The share of the profile's time in rows without a layer."""
        return f"{100 * self.rest / self.whole:.1f} % of its time" if self.whole else "0 ms"

    # ---- made once ---------------------------------------------------------------------------

    def _cost(self, layer: Layer) -> float | None:
        """Milliseconds of one layer; None where unknown."""
        if self.kind == "measured" and layer.time is not None:
            median = layer.time.median_ms if self.statistic == "median" else None
            return layer.time.average_ms if median is None else median
        if self.kind == "estimated" and layer.facts is not None and self.counts(layer):
            return layer.facts.build_ms
        return None

    def _coverage(self, profile: int) -> float:
        now = next((one for one in self.each if one.profile == profile), self.each[0])
        whole = self._wholes[now.profile]
        by_layers = now.timed / now.layers if now.layers else 0.0
        by_time = (now.total_ms or 0.0) / whole if whole else 1.0
        return min(by_layers, by_time)

    def _whole(self, profile: int) -> float | None:
        """The ms of all rows of the times' file without those of other optimisation profiles."""
        total, found = self._totals[profile], self.engine.profile
        if total is None or self.kind != "measured" or found is None or not found.unmatched_rows:
            return total
        others = math.fsum(ms for k, ms in self._totals.items() if k != profile and ms is not None)
        rows = found.total_ms if self.statistic == "mean" else found.median_total_ms
        return max(total, rows - others)


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
        of_profile = engine.profile.total_ms if costs.rows_beyond else costs.whole
    return EngineTime(costs.kind, now.total_ms, now.timed, now.layers, of_profile, costs.each)


def is_unsteady(mean: float | None, median: float | None) -> bool:
    """Whether mean and median differ so much that a single number misleads."""
    if mean is None or median is None or max(mean, median) <= 0:
        return False
    return abs(mean - median) > UNSTEADY * min(mean, median)
