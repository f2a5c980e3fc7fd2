"""Findings in; the time that all of them together may gain out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from engine_layer_visualize.analysis.connected import connected
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting.finding import Finding


def at_stake(findings: Iterable[Finding], costs: Costs) -> float | None:
    """The most that all these findings together may gain, in ms; None where nothing is known.

    Findings that share layers gain no more than these layers take. What is about the whole engine
    is none of its layers' time, and several such findings are about the same time: the largest
    counts.
    """
    known = [finding for finding in findings if finding.ms is not None]
    if not known:
        return None
    pairs = (pair for finding in known for pair in pairwise(finding.layers))
    parts = connected(dict.fromkeys(i for finding in known for i in finding.layers), pairs)
    part_of = {index: at for at, part in enumerate(parts) for index in part}
    stakes: list[list[float]] = [[] for _ in parts]
    whole = 0.0
    for finding in known:
        if finding.layers:
            stakes[part_of[finding.layers[0]]].append(finding.ms or 0.0)
        else:
            whole = max(whole, finding.ms or 0.0)
    gain = whole + sum(
        min(math.fsum(stake), costs.sum(costs.engine.layers[index] for index in part) or 0.0)
        for stake, part in zip(stakes, parts)
    )
    return at_most(gain, costs)


def inference(costs: Costs) -> float | None:
    """The ms that one inference takes on the GPU, else its layers' sum; None where neither is
    known."""
    return None if costs.whole is None else at_most(costs.whole, costs)


def at_most(ms: float, costs: Costs) -> float:
    """No more than one inference takes on the GPU, where trtexec measured that: the layers of a
    profile, or of the builder, may sum to more."""
    facts = costs.engine.facts
    row = facts.performance.gpu_compute if facts is not None and facts.performance else None
    took = (row.mean or row.median) if row is not None and len(costs.profiles) == 1 else None
    return ms if not took else min(ms, took)
