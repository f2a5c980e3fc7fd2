"""The order in which findings stand, in every output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting.finding import SEVERITIES, Finding
from engine_layer_visualize.linting.totals import at_stake

T = TypeVar("T")
Rank: TypeAlias = "tuple[bool, float, int, str]"


class Weight(NamedTuple):
    """What decides where a finding, or a group of them, stands."""

    ms: float | None
    severity: str
    code: str


def weight(finding: Finding) -> Weight:
    """Of one finding."""
    return Weight(finding.ms, finding.rule.severity, finding.code)


def rank(one: Weight) -> Rank:
    """A key to sort by: errors first, which are about more than time; then the most at stake, then
    the worst, then the rules' codes."""
    severity = -SEVERITIES.index(one.severity)
    return one.severity != "error", -(one.ms or 0.0), severity, one.code


def in_order(several: Iterable[T], weigh: Callable[[T], Weight]) -> list[T]:
    """By `rank`."""
    return sorted(several, key=lambda one: rank(weigh(one)))


class OfRule(NamedTuple):
    """The findings of one rule. `ms`: what they may gain together; `numbers`: their places."""

    ms: float | None
    numbers: tuple[int, ...]


def by_rule(findings: Sequence[Finding], costs: Costs) -> list[OfRule]:
    """Those of each rule together, what they gain together decides where they stand."""
    found: dict[str, list[int]] = {}
    for number, finding in enumerate(findings):
        found.setdefault(finding.code, []).append(number)
    groups = [
        OfRule(at_stake((findings[number] for number in own), costs), tuple(own))
        for own in found.values()
    ]
    return in_order(groups, lambda one: weight(findings[one.numbers[0]])._replace(ms=one.ms))
