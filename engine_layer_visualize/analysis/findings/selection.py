"""Findings and what was asked for in; those to show, and how many were left out and why, out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import translate
from re import compile as compiled
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs, share
from engine_layer_visualize.analysis.findings import of
from engine_layer_visualize.analysis.findings.finding import Finding
from engine_layer_visualize.analysis.findings.known import Known
from engine_layer_visualize.analysis.findings.order import in_order, weight
from engine_layer_visualize.analysis.findings.totals import at_stake
from engine_layer_visualize.analysis.findings.yields import cut_to
from engine_layer_visualize.core.model import Layer


class Suppression(NamedTuple):
    """A rule that is not to be told. `layers`: a pattern of their names, as of files (`conv*`)."""

    code: str
    reason: str
    layers: str = "*"


class Selection(NamedTuple):
    """What is wanted. `select`, `ignore`: the starts of codes (`P`, `F01`), where the longer one
    decides, and no `select` is all; `min_ms`, `min_share` (0 to 1): findings with less at stake are
    left out, but not those whose stake is unknown; `suppressions`: none of these; `known`: the
    baseline, of which nothing is told again."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_ms: float = 0.0
    min_share: float = 0.0
    suppressions: tuple[Suppression, ...] = ()
    known: Known | None = None


class Selected(NamedTuple):
    """The findings about an engine that are to be shown, the worst first. `suppressed`, `small`,
    `old`: how many were left out by a suppression, by their stake, by the baseline; `total_ms`: the
    most that all together may gain, None where nothing is known of it; `used`: the suppressions
    that met a finding."""

    costs: Costs
    findings: tuple[Finding, ...]
    suppressed: int = 0
    small: int = 0
    old: int = 0
    used: frozenset[Suppression] = frozenset()

    @property
    def total_ms(self) -> float | None:
        return at_stake(self.findings, self.costs)


def selected(costs: Costs, wanted: Selection) -> Selected:
    """The findings about one engine, in one optimisation profile."""
    shown: list[Finding] = []
    suppressed = small = old = 0
    used: set[Suppression] = set()
    known = wanted.known.of(costs.engine) if wanted.known is not None else None
    for finding in of(costs, lambda code: is_selected(code, wanted.select, wanted.ignore)):
        own = [one for one in wanted.suppressions if _meets(one, finding, costs)]
        used.update(own)
        left = _without_suppressed(finding, costs, own)
        if left is None:
            suppressed += 1
            continue
        if known is not None:
            new = known.new(left, costs.engine)
            if new is None:
                old += 1
                continue
            left = cut_to(left, new, costs, "in the baseline")
        part = share(left.ms, costs.whole)
        if (left.ms is not None and left.ms < wanted.min_ms) or (
            part is not None and part < wanted.min_share
        ):
            small += 1
            continue
        shown.append(left)
    return Selected(costs, tuple(in_order(shown, weight)), suppressed, small, old, frozenset(used))


def is_selected(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether a rule is wanted: the longest start of its code that is named decides."""
    wanted = max((len(start) for start in select if code.startswith(start)), default=-1)
    if not select:
        wanted = 0
    unwanted = max((len(start) for start in ignore if code.startswith(start)), default=-1)
    return wanted > unwanted


def _without_suppressed(
    finding: Finding, costs: Costs, suppressions: Sequence[Suppression]
) -> Finding | None:
    """The finding without its suppressed layers; None where nothing is left of it. All of the
    suppressions meet it."""
    if not suppressions:
        return finding
    is_meant = [_matcher(one.layers) for one in suppressions]
    layers = (costs.engine.layers[index] for index in finding.layers)
    kept = {layer.index for layer in layers if not any(meant(layer) for meant in is_meant)}
    return cut_to(finding, kept, costs, "suppressed") if kept else None


def _meets(one: Suppression, finding: Finding, costs: Costs) -> bool:
    """Whether a suppression leaves out a part of a finding, or all of it. A finding about the whole
    engine has no layers that a pattern could name."""
    if not finding.code.startswith(one.code):
        return False
    meant = _matcher(one.layers)
    layers = (costs.engine.layers[index] for index in finding.layers)
    return one.layers == _ALL or any(map(meant, layers))


_ALL: Final = "*"


def _matcher(pattern: str) -> Callable[[Layer], bool]:
    if pattern == _ALL:
        return lambda layer: True
    match = compiled(translate(pattern)).match  # a name may look like a pattern: `x [Shuffle]`
    return lambda layer: layer.name == pattern or match(layer.name) is not None
