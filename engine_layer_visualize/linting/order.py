"""Sorts findings, for all outputs alike, and chooses those of the first screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting.finding import SEVERITIES, Finding
from engine_layer_visualize.linting.totals import inference

Place: TypeAlias = "tuple[bool, bool, float, int, str]"
SHOWN: Final = 7  # findings of an engine on the first screen
_LEAST_SHARE: Final = 0.01  # of an inference: what counts less is not on the first screen
_SHORT_MS: Final = 0.01  # about two launches of a kernel: they have to count more
_SHORT_SHARE: Final = 0.02
_UNPRICED_PART: Final = 0.2  # of what it touches: the weight of a finding that no log can price
_TOUCHED_PART: Final = 0.5  # the same, where it is asked whether a finding counts at all
# The weight of a finding without layers, as a part of an inference.
_ENGINE_WEIGHTS: Final = {"hint": 0.02, "warning": 0.05, "error": 1.0}


def ranked(findings: Iterable[Finding], costs: Costs) -> tuple[Finding, ...]:
    """Returns the findings in their order, each with its `rank` and whether it is `shown`.

    Errors stand first, as they are about more than time; then what counts the most.
    """
    whole = inference(costs)
    full = whole or 1.0  # ms, any number where it is unknown

    def weight(finding: Finding) -> float:
        return _weight(finding, full, costs)

    def place(finding: Finding) -> Place:
        severity = SEVERITIES.index(finding.rule.severity)
        is_last = finding.rule.severity != "error"
        return not finding.shown, is_last, -weight(finding), -severity, finding.code

    def counts(finding: Finding) -> bool:
        is_error = finding.rule.severity == "error"
        touched = 0.0 if finding.ms is not None else (finding.touches_ms or 0.0) * _TOUCHED_PART
        counted = max(weight(finding), touched if touched >= _SHORT_MS else 0.0)
        least = _SHORT_SHARE if counted < _SHORT_MS else _LEAST_SHARE
        return is_error or whole is None or counted >= least * full

    return tuple(
        finding._replace(rank=number, shown=finding.shown and number <= SHOWN and counts(finding))
        for number, finding in enumerate(sorted(findings, key=place), 1)
    )


def _weight(finding: Finding, whole: float, costs: Costs) -> float:
    """Returns how much a finding counts, in ms.

    That is what it saves; where no log prices that, a part of what it touches. A layer without a
    time counts as much as an average one.

    Args:
        finding: with its `touches_ms`.
        whole: ms of one inference.
        costs: the times of layers.
    """
    if finding.ms is not None and not finding.unpriced:
        return finding.ms
    if finding.touches_ms is not None:
        return max(finding.ms or 0.0, finding.touches_ms * _UNPRICED_PART)
    if took := costs.sum(costs.engine.layers[index] for index in finding.about):
        return took * _UNPRICED_PART
    if layers := finding.layers or (finding.about if costs.whole else ()):
        return whole * len(layers) / len(costs.layers) * _UNPRICED_PART
    return whole * _ENGINE_WEIGHTS[finding.rule.severity]
