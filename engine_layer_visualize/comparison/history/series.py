"""Makes the history of comparable builds: the time, the modules, the reformats, and their steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from math import fsum, log, sqrt
from statistics import fmean, median
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.comparison.gate.slowdown import Interval
from engine_layer_visualize.comparison.history import modules
from engine_layer_visualize.comparison.history.builds import Build, Comparable, best_kind, joined
from engine_layer_visualize.comparison.history.steps import LEAST_BUILDS, steps
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.snapshot import Conditions, Kind
from engine_layer_visualize.core.tuning import Search

_BESIDE: Final = 5  # builds on either side of a step, that tell what came with it
_MOST_NAMED: Final = 3  # modules of a step
_SHARE: Final = 0.05  # of a step, that a module must explain to be told with it


class ModuleChange(NamedTuple):
    """What a module's time became at a step."""

    module: str
    before_ms: float
    after_ms: float


class Step(NamedTuple):
    """Where a time changed for good."""

    build: int  # the first one after it, by its place among the builds
    before_ms: float
    after_ms: float
    change: float  # 0.05: 5 % slower
    interval: Interval | None
    until: int | None  # the build with which the next step came
    tensorrt: tuple[str, str] | None = None  # where the version changed with it
    reformats: tuple[int, int] | None = None  # where their number did
    modules: tuple[ModuleChange, ...] = ()  # those that explain it, the largest change first


class Module(NamedTuple):
    """A module of the network."""

    name: str
    ms: tuple[float | None, ...]  # in each build
    steps: tuple[Step, ...]


class Count(NamedTuple):
    """Where the number of reformats changed, and stayed for builds on either side."""

    build: int
    before: int
    after: int


class Series(NamedTuple):
    """The history of comparable builds."""

    network: int
    builds: tuple[Build, ...]
    kind: Kind | None  # of its times
    ms: tuple[float | None, ...]  # of each build; None where it is not to be compared
    steps: tuple[Step, ...]
    noise: float | None  # how far builds between two steps are apart: a standard deviation
    modules: tuple[Module, ...]
    reformats: tuple[Count, ...]

    @property
    def conditions(self) -> Conditions:
        """What the builds say of how they were measured, the latest first."""
        return reduce(joined, (build.conditions for build in self.builds))


class Histories(NamedTuple):
    """All that a report tells."""

    series: tuple[Series, ...]
    problems: tuple[Problem, ...] = ()  # of snapshots that could not be read
    search: Search = Search()  # of the cache among the files

    @property
    def shown(self) -> tuple[Series, ...]:
        """The series of several builds; if none has several, the first one."""
        return tuple(each for each in self.series if len(each.builds) > 1) or self.series[:1]

    @property
    def alone(self) -> tuple[Series, ...]:
        """Builds that are comparable with no other, one each, that are not shown."""
        return self.series[len(self.shown) :]


def of(known: Comparable) -> Series:
    """The history of these builds."""
    builds, kind = known.builds, best_kind([build for build in known.builds if not build.why])
    ms = tuple(
        None if kind is None or build.why or kind not in build.times else build.times[kind].ms
        for build in builds
    )
    usable = [{} if build.why else build.modules for build in builds]
    paths = modules.chosen(usable)
    each = [(scopes.written(path), modules.times(usable, path)) for path in paths]
    told = tuple(_explained(step, builds, each) for step in _steps(ms))
    shown = tuple(Module(name, tuple(took), tuple(_steps(took, len(each)))) for name, took in each)
    counts = tuple(_counts([build.reformats for build in builds]))
    return Series(known.network, builds, kind, ms, told, _noise(ms, told), shown, counts)


_Times = Sequence["float | None"]


def _steps(ms: _Times, tests: int = 1) -> Iterator[Step]:
    places = [place for place, time in enumerate(ms) if time]
    found = steps([time for time in ms if time], tests)
    stops = [*(places[step.place] for step in found[1:]), None]
    for step, stop in zip(found, stops):
        place = places[step.place]
        yield Step(place, step.before, step.after, step.change, step.interval, stop)


def _explained(step: Step, builds: Sequence[Build], each: Sequence[tuple[str, _Times]]) -> Step:
    """With what came with it, by the builds beside it."""
    before = range(max(0, step.build - _BESIDE), step.build)
    after = range(step.build, min(len(builds), step.build + _BESIDE))
    versions = (_version(builds, reversed(before)), _version(builds, after))
    counts = [round(median(builds[n].reformats for n in part)) for part in (before, after)]
    return step._replace(
        tensorrt=_both(*versions),
        reformats=(counts[0], counts[1]) if counts[0] != counts[1] else None,
        modules=tuple(_largest(step.after_ms - step.before_ms, each, before, after)),
    )


def _version(builds: Sequence[Build], nearest: Iterable[int]) -> str | None:
    """The version of the first of these builds that has one."""
    return next((known for n in nearest if (known := builds[n].conditions.tensorrt)), None)


def _both(before: str | None, after: str | None) -> tuple[str, str] | None:
    return None if before is None or after is None or before == after else (before, after)


def _largest(
    change: float, each: Sequence[tuple[str, _Times]], before: range, after: range
) -> Iterator[ModuleChange]:
    """The modules that explain the most of a step."""
    found = []
    for name, took in each:
        sides = [[ms for n in part if (ms := took[n]) is not None] for part in (before, after)]
        if all(sides):
            found.append(ModuleChange(name, median(sides[0]), median(sides[1])))
    found.sort(key=lambda module: -abs(module.after_ms - module.before_ms))
    for module in found[:_MOST_NAMED]:
        if abs(module.after_ms - module.before_ms) >= _SHARE * abs(change):
            yield module


def _noise(ms: _Times, told: Sequence[Step]) -> float | None:
    """The standard deviation of the logs, around the mean between two steps."""
    ends = [0, *(step.build for step in told), len(ms)]
    squares, freedom = [], 0
    for start, stop in pairwise(ends):
        logs = [log(time) for time in ms[start:stop] if time]
        mean = fmean(logs) if logs else 0.0
        squares += [(value - mean) ** 2 for value in logs]
        freedom += max(0, len(logs) - 1)
    return sqrt(fsum(squares) / freedom) if freedom else None


def _counts(numbers: Sequence[int]) -> Iterator[Count]:
    """Where a number that had stayed became another that stayed."""
    stayed: int | None = None
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[start]:
            if place - start >= LEAST_BUILDS:
                if stayed is not None and stayed != numbers[start]:
                    yield Count(start, stayed, numbers[start])
                stayed = numbers[start]
            start = place
