"""Findings in; the time that all of them together may gain out."""

from __future__ import annotations

from collections.abc import Iterable

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings.finding import Finding


def at_stake(findings: Iterable[Finding], costs: Costs) -> float | None:
    """The most that all these findings together may gain, in ms; None where nothing is known.

    Findings that share layers gain no more than these layers take. What is about the whole engine
    is none of its layers' time, and several such findings are about the same time: the largest
    counts.
    """
    stakes: list[float] = []  # of each group of findings that share layers
    members: list[list[int]] = []
    group_of: dict[int, int] = {}
    whole: list[float] = []
    for finding in findings:
        if finding.ms is None:
            continue
        if not finding.layers:
            whole.append(finding.ms)
            continue
        met = {group_of[index] for index in finding.layers if index in group_of}
        into = max(met, key=lambda group: len(members[group]), default=len(stakes))
        if into == len(stakes):
            stakes.append(0.0)
            members.append([])
        stakes[into] += finding.ms
        for other in met - {into}:  # the smaller goes into the larger
            stakes[into] += stakes[other]
            stakes[other] = 0.0
            _join(members[other], into, members, group_of)
            members[other] = []
        _join([i for i in finding.layers if group_of.get(i) != into], into, members, group_of)
    if not stakes and not whole:
        return None
    bound = sum(
        min(stake, costs.sum(costs.engine.layers[index] for index in own) or 0.0)
        for stake, own in zip(stakes, members)
    )
    return bound + max(whole, default=0.0)


def _join(
    layers: Iterable[int], into: int, members: list[list[int]], group_of: dict[int, int]
) -> None:
    for index in layers:
        group_of[index] = into
        members[into].append(index)
