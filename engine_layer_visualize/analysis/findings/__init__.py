"""Findings: the `Costs` of an engine go in, reasons for time and what to try come out.

A new rule is an entry in `RULES` of a module with `check(costs)`; a new module, one in `CHECKS`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings import higher_precision, reformats
from engine_layer_visualize.analysis.findings.finding import Finding

CHECKS: Final = (higher_precision, reformats)


def by_layer(costs: Costs) -> Mapping[int, list[Finding]]:
    """The findings about each layer, by its index, of all optimisation profiles."""
    found: dict[int, list[Finding]] = defaultdict(list)
    for module in CHECKS:
        for finding in module.check(costs):
            for layer in finding.layers:
                found[layer].append(finding)
    return dict(found)
