"""Findings in; the same without what another rule says of the same layers, out.

Rules that look at the same reformat, Q or DQ see one cause: the rule that says the most tells it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.core.words import parts
from engine_layer_visualize.linting.finding import Finding

# A rule, and those that say more of the same layer, the most first.
_SAID_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "P04": ("P06", "F03"),
    "P05": ("P06", "P04"),
    "F03": ("F02",),  # a reformat that is all between an input and an output
    "F04": ("P06", "P04", "F12"),
    "U02": ("U01",),
}


def told_once(found: Iterable[Finding], costs: Costs) -> Iterator[Finding]:
    """Each layer of a finding, unless a rule that says more names it, too."""
    several = tuple(found)
    named: dict[str, set[int]] = defaultdict(set)
    for finding in several:
        named[finding.code].update(finding.layers)
    for finding in several:
        said: dict[int, str] = {}  # of a layer, the rule that says the most
        for code in reversed(_SAID_BY.get(finding.code, ())):
            said.update(dict.fromkeys(named[code].intersection(finding.layers), code))
        kept = [index for index in finding.layers if index not in said]
        if kept or not finding.layers:
            by = " and ".join(sorted(set(said.values())))
            yield cut_to(finding, kept, costs, f"in {by}")


def cut_to(finding: Finding, layers: Collection[int], costs: Costs, others: str) -> Finding:
    """The finding about these of its layers alone; `others`: where the others are."""
    gone = len(finding.layers) - len(layers)
    if not gone:
        return finding
    kept = tuple(index for index in finding.layers if index in layers)
    whole = costs.sum(costs.engine.layers[index] for index in kept)
    ms = None if finding.ms is None or whole is None else min(finding.ms, whole)
    lines = {costs.engine.layers[index].place.line for index in set(finding.layers) - set(kept)}
    are = plural(gone, "is", "are")
    why = f" ({gone:,} of its {count(len(finding.layers), 'layer')} {are} {others})"
    return finding._replace(
        layers=kept,
        ms=ms,
        ms_kind=None if ms is None else finding.ms_kind,
        why=(*parts(finding.why), why),
        evidence=tuple(fact for fact in finding.evidence if fact.line not in lines),
    )
