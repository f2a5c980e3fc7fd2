"""Findings: an engine goes in, what is wrong with it and what to try come out.

A rule is a file in `rules`; `Subject` answers what rules ask of an engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine_layer_visualize.analysis import asked
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.garbage import no_collections
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.order import in_order, weight
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.linting.whole_engine import WholeEngine
from engine_layer_visualize.linting.yields import told_once

_NOT_READ: Final = (
    "build info was not read (facts=False): most rules need it, so that there may be more to find"
)


def findings(
    engine: Engine,
    *,
    optimization_profile: int | None = None,
    time: Statistic = "mean",
    peak: str | None = None,
) -> tuple[Finding, ...]:
    """What may be wrong with an engine, those with the most to gain first.

    Each has a `code` (docs/rules/README.md), a `message`, `advice`, the indices of its `layers`,
    its `evidence` in the log, and `ms`: the most that there is to gain, None where it is unknown.
    The times are measured or the builder's estimates, as in `engine.time`. Most rules need build
    info: warns (`warnings.warn`) of an engine that was read with `facts=False`.

    `optimization_profile`: the one that is looked at (None: the first). `time`: mean or median of a
    layer's measured times. `peak`: what the device can do, as in the flag `--peak` (None: what the
    log says). Raises TypeError where `engine` is another value, ValueError for an unknown `time` or
    `peak`, ReadError (ELV408) where the engine has no such optimisation profile.
    """
    costs = asked.costs(engine, optimization_profile, time, peak)
    if engine.facts is None:
        import warnings

        warnings.warn(_NOT_READ, stacklevel=2)
    return of(costs)


def of(
    costs: Costs,
    is_wanted: Callable[[str], bool] = lambda code: True,
    whole: WholeEngine | None = None,
) -> tuple[Finding, ...]:
    """The same of one optimisation profile, by the rules with these codes. `whole`: where several
    are asked for."""
    subject = Subject(costs, whole)
    with no_collections():
        rules = [rule for code, rule in all_rules().items() if is_wanted(code)]
        found = [finding for rule in rules for finding in rule.check(subject)]
    return tuple(in_order(told_once(found, costs), weight))


def of_profiles(costs: Costs) -> tuple[tuple[Costs, tuple[Finding, ...]], ...]:
    """The times and the findings of each optimisation profile."""
    each, whole = map(costs.of_profile, costs.profiles), WholeEngine(costs)
    return tuple((own, of(own, whole=whole)) for own in each)
