"""Findings: the `Costs` of an engine go in, reasons for time and what to try come out.

A new rule is an entry in `RULES` of a module with `check(costs)`; a new module, one in `CHECKS`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings import higher_precision, reformats
from engine_layer_visualize.analysis.findings.finding import Finding
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.wrong_values import must_be

CHECKS: Final = (higher_precision, reformats)


def findings(engine: Engine) -> tuple[Finding, ...]:
    """Reasons why layers take time, those with the most to gain first.

    Each has a `code` (docs/findings.md), a `message`, `advice`, the indices of its `layers`, its
    `evidence` in the log, and `ms`: the most that there is to gain, None where it is unknown. The
    times are measured or the builder's estimates, as in `engine.time`. Some rules need build info:
    read the log with `facts=True`. Raises TypeError where `engine` is another value.
    """
    must_be((Engine,), engine)
    return tuple(sorted(_all(Costs(engine)), key=lambda one: -(one.ms or 0.0)))


def by_layer(costs: Costs) -> Mapping[int, list[Finding]]:
    """The findings about each layer, by its index, of all optimisation profiles."""
    found: dict[int, list[Finding]] = defaultdict(list)
    for finding in _all(costs):
        for layer in finding.layers:
            found[layer].append(finding)
    return dict(found)


def _all(costs: Costs) -> Iterator[Finding]:
    for module in CHECKS:
        yield from module.check(costs)
