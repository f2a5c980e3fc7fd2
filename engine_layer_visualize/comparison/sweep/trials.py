"""Gathers what is known of many builds, and compares each with the one that they began from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.analysis import breakdown
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import compare
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.sweep import knobs
from engine_layer_visualize.comparison.sweep.knobs import KnobEffect
from engine_layer_visualize.core.problems import Problem

Kind = Literal["search", "compute", "layers"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)  # of times, the best first
COMPARED: Final = 200  # engines that are compared layer by layer; of more, those of the best times


class Trial(NamedTuple):
    """A build of a sweep."""

    name: str  # `3` of a search, else its log
    route: str
    times: dict[Kind, float]  # ms
    failure: str = ""
    accuracy_loss: float | None = None
    costs: Costs | None = None  # its engine


class Changed(NamedTuple):
    """What differs in an engine: numbers of layers before and after, and of groups of layers."""

    layers: tuple[int, int]
    reformats: tuple[int, int]
    fusions: int | None  # None: the engines were not compared
    kernels: int | None
    precisions: int | None
    unmatched: int | None  # layers of either that have no counterpart


class Knob(NamedTuple):
    """What a knob changes in time, and in an engine."""

    effect: KnobEffect
    changed: Changed | None  # None: no pair has both listings


class Sweep(NamedTuple):
    """All builds."""

    of: Literal["routes", "logs"]
    trials: tuple[Trial, ...]
    kind: Kind | None  # of the times that are compared
    base: int | None  # what all are compared with
    best: int | None
    changed: tuple[Changed | None, ...]
    knobs: tuple[Knob, ...]
    told_best: str | None  # the route that the search calls the best
    unfinished: str  # why not all iterations are there; empty where they are
    problems: tuple[Problem, ...]

    def ms(self, number: int | None) -> float | None:
        """The time of a build."""
        if number is None or self.kind is None or self.trials[number].failure:
            return None
        return self.trials[number].times.get(self.kind)

    def change(self, number: int) -> float | None:
        """As a fraction of the time of the first: -0.05 is 5 % faster."""
        ms, base = self.ms(number), self.ms(self.base)
        return ms / base - 1 if ms and base else None

    @property
    def failed(self) -> tuple[int, ...]:
        """The builds that failed."""
        return tuple(number for number, trial in enumerate(self.trials) if trial.failure)

    @property
    def ranking(self) -> list[int]:
        """All builds, the fastest first, those without a time last."""
        each = range(len(self.trials))
        return sorted(each, key=lambda n: (self.ms(n) is None, self.ms(n) or 0.0, n))


def swept(
    trials: Sequence[Trial],
    default_route: str | None,
    *,
    of: Literal["routes", "logs"],
    told_best: str | None = None,
    unfinished: str = "",
    problems: Sequence[Problem] = (),
) -> Sweep:
    """Compares all builds with the first, or with that of the route that is the default."""
    kind = _kind(trials)
    base = _base(trials, default_route, kind)
    timed = [n for n, trial in enumerate(trials) if not trial.failure and kind in trial.times]
    best = min(timed, key=lambda n: trials[n].times[kind], default=None) if kind else None
    routes = [None if t.failure else knobs.parsed(t.route) if t.route else {} for t in trials]
    ms = [None if kind is None or t.failure else t.times.get(kind) for t in trials]
    listed = [trial.costs is not None for trial in trials]
    found = knobs.effects(routes, ms, listed, base) if of == "routes" else []
    return Sweep(
        of,
        tuple(trials),
        kind,
        base,
        best,
        tuple(_changes(trials, base, ms)),
        tuple(Knob(effect, _of_pair(trials, effect)) for effect in found),
        told_best,
        unfinished,
        tuple(problems),
    )


def _kind(trials: Sequence[Trial]) -> Kind | None:
    """The kind of times that the most builds have."""
    number = {kind: sum(kind in t.times for t in trials if not t.failure) for kind in KINDS}
    kind = max(KINDS, key=lambda kind: number[kind])
    return kind if number[kind] else None


def _base(trials: Sequence[Trial], default: str | None, kind: Kind | None) -> int | None:
    usable = [
        number
        for number, trial in enumerate(trials)
        if not trial.failure and (kind in trial.times or trial.costs is not None)
    ]
    if default is not None:
        wanted = knobs.parsed(default)
        for number in usable:
            if knobs.parsed(trials[number].route) == wanted:
                return number
    return next(iter(usable), None)


# ---- engines -------------------------------------------------------------------------------------


def _changes(
    trials: Sequence[Trial], base: int | None, ms: Sequence[float | None]
) -> Iterator[Changed | None]:
    a = None if base is None else trials[base].costs
    engines = [n for n, trial in enumerate(trials) if trial.costs is not None]
    closely = set(sorted(engines, key=lambda n: (ms[n] is None, ms[n] or 0.0))[:COMPARED])
    for number, trial in enumerate(trials):
        if a is None or trial.costs is None:
            yield None
        else:
            yield changed(a, trial.costs, closely=number in closely)


def _of_pair(trials: Sequence[Trial], effect: KnobEffect) -> Changed | None:
    if effect.listed is None:
        return None
    a, b = (trials[number].costs for number in effect.listed)
    return None if a is None or b is None else changed(a, b)


def changed(a: Costs, b: Costs, *, closely: bool = True) -> Changed:
    """What differs; `closely`: also layer by layer."""
    sizes = (len(a.layers), len(b.layers))
    reformats = (breakdown.reformats(a).layers, breakdown.reformats(b).layers)
    if not closely:
        return Changed(sizes, reformats, None, None, None, None)
    found = compare(a, b)
    kinds = [change for group in found.groups for change in group.changes]
    alone = [*counted(a, found.unmatched.a), *counted(b, found.unmatched.b)]
    return Changed(
        sizes,
        reformats,
        kinds.count("fusion"),
        kinds.count("kernel"),
        kinds.count("precision"),
        len(alone),
    )
