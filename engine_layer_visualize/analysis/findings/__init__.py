"""Findings: the Costs of an engine go in, reasons for time and what to try come out.

A new rule is a module with `check(costs)`, and an entry in `RULES`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings import higher_precision, reformats
from engine_layer_visualize.analysis.findings.finding import Finding

RULES: Final = (higher_precision, reformats)


def by_layer(costs: Costs) -> Mapping[int, list[Finding]]:
    """All findings about an engine, of all its optimisation profiles, by the layer's index."""
    found: dict[int, list[Finding]] = defaultdict(list)
    for rule in RULES:
        for finding in rule.check(costs):
            found[finding.layer].append(finding)
    return dict(found)
