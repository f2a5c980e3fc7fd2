"""The order of findings, the same in every output, and which of them stand on the first screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting.finding import SEVERITIES, Finding
from engine_layer_visualize.linting.totals import inference

Rank: TypeAlias = "tuple[bool, float, int, str]"
SHOWN: Final = 7  # findings of an engine on the first screen
_LEAST: Final = 0.01  # of an inference: what counts less is not on the first screen
_UNPRICED: Final = 0.2  # of what it touches: the weight of a finding that no log can price
_WHOLE: Final = {"hint": 0.02, "warning": 0.05, "error": 1.0}  # of an inference, without layers


def rank(finding: Finding, whole: float = 0.0) -> Rank:
    """A key to sort by: errors first, which are about more than time; then what counts the most.

    Args:
        finding: with its `touches_ms`.
        whole: ms of one inference; 0 where it is unknown.
    """
    severity = finding.rule.severity
    worst = -SEVERITIES.index(severity)
    return severity != "error", -_weight(finding, whole), worst, finding.code


def ranked(findings: Iterable[Finding], costs: Costs) -> tuple[Finding, ...]:
    """The findings in their order, each with its `rank` and whether it is `shown`."""
    whole = inference(costs) or 0.0
    several = sorted(findings, key=lambda finding: (not finding.shown, rank(finding, whole)))
    return tuple(
        finding._replace(
            rank=number, shown=finding.shown and number <= SHOWN and _counts(finding, whole)
        )
        for number, finding in enumerate(several, 1)
    )


def _counts(finding: Finding, whole: float) -> bool:
    return finding.rule.severity == "error" or _weight(finding, whole) >= _LEAST * whole


def _weight(finding: Finding, whole: float) -> float:
    """In ms: what it saves; where no log prices that, a part of what it touches."""
    if finding.ms is not None and not finding.unpriced:
        return finding.ms
    if finding.touches_ms is not None:
        return max(finding.ms or 0.0, finding.touches_ms * _UNPRICED)
    return 0.0 if finding.layers else whole * _WHOLE[finding.rule.severity]
