"""Findings and what was asked for in; those to show, and how many were left out and why, out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate
from re import compile as compiled
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting import of
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.known import Known
from engine_layer_visualize.linting.order import in_order, weight
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.totals import at_stake
from engine_layer_visualize.linting.yields import cut_to


class Suppression(NamedTuple):
    """A rule that is not to be told. `layers`: a pattern of their names, as of files (`conv*`)."""

    code: str
    reason: str
    layers: str = "*"


class Codes(NamedTuple):
    """Starts of codes (`P`, `F02`), of which the longer one decides; no `select` is all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Selection(NamedTuple):
    """What is wanted. `codes`: the rules; the first that names a rule decides; `min_ms`,
    `min_share` (0 to 1): findings with less at stake are left out, but not those whose stake is
    unknown; `suppressions`: none of these; `known`: the baseline, of which nothing is told
    again."""

    codes: tuple[Codes, ...] = ()
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
    for finding in of(costs, lambda code: is_selected(code, wanted.codes)):
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


def is_selected(code: str, several: Iterable[Codes]) -> bool:
    """Whether a rule is wanted: the longest start of its code that the first of `several` names
    decides, else the next of them."""
    for one in several:
        wanted, unwanted = _longest(code, one.select), _longest(code, one.ignore)
        if one.select or unwanted:
            return wanted > unwanted
    return True


def _longest(code: str, starts: Sequence[str]) -> int:
    return max((len(start) for start in starts if code.startswith(start)), default=0)


def missed(several: Iterable[Suppression], wanted: Selection) -> list[Suppression]:
    """Those of suppressions that met no finding although each of their rules was asked for."""
    return [
        one
        for one in several
        if all(is_selected(code, wanted.codes) for code in all_rules() if code.startswith(one.code))
    ]


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
