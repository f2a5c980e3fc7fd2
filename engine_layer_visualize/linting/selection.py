"""Chooses the findings that were asked for, and counts those that are left out, with why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate
from re import compile as compiled
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting import decided, header, in_order, seen
from engine_layer_visualize.linting.causes import cut_to
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.known import Known
from engine_layer_visualize.linting.order import ranked
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.linting.totals import inference


class Suppression(NamedTuple):
    """Findings that are not to be told.

    Attributes:
        code: the rule, or the start of several rules' codes.
        reason: why they are not told.
        layers: a pattern of the layers' names, as of files (`conv*`).
    """

    code: str
    reason: str
    layers: str = "*"


class Codes(NamedTuple):
    """Starts of codes (`P`, `F02`), of which the longer one decides; no `select` means all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Selection(NamedTuple):
    """Which findings are wanted.

    Attributes:
        codes: the rules; the first of these that names a rule decides.
        min_ms: a finding that saves less, or touches less where that is unknown, is left out.
        min_share: the same as a part of one inference, from 0 to 1.
        suppressions: findings that are not wanted.
        known: the baseline, of which nothing is told again.
    """

    codes: tuple[Codes, ...] = ()
    min_ms: float = 0.0
    min_share: float = 0.0
    suppressions: tuple[Suppression, ...] = ()
    known: Known | None = None


class Selected(NamedTuple):
    """The findings about an engine that are to be shown, in their order.

    Attributes:
        costs: the times of the engine.
        findings: each a cause of its own.
        header: what to know before one reads times, a sentence each.
        in_order: what was looked at and is as it should be, a sentence each.
        costly: layers with a tenth of the time that no rule is about; empty where not all rules
            were asked.
        suppressed: how many sightings of rules a suppression left out.
        small: how many findings touch too little.
        old: how many are in the baseline.
        used: the suppressions that met something.
    """

    costs: Costs
    findings: tuple[Finding, ...]
    header: tuple[str, ...] = ()
    in_order: tuple[str, ...] = ()
    costly: tuple[str, ...] = ()
    suppressed: int = 0
    small: int = 0
    old: int = 0
    used: frozenset[Suppression] = frozenset()


def selected(costs: Costs, wanted: Selection) -> Selected:
    """Returns the wanted findings about one engine, in one optimisation profile."""
    subject = Subject(costs)
    kept: list[Finding] = []
    suppressed = small = old = 0
    used: set[Suppression] = set()
    sightings = seen(subject, lambda code: is_selected(code, wanted.codes))
    for sighting in sightings:
        meeting = [rule for rule in wanted.suppressions if _meets(rule, sighting, costs)]
        used.update(meeting)
        left = _without_suppressed(sighting, costs, meeting)
        suppressed += left is None
        kept += [] if left is None else [left]
    known = wanted.known.of(costs.engine) if wanted.known is not None else None
    whole, shown = inference(costs), list[Finding]()
    for finding in decided(kept, subject):
        left = finding if known is None else known.without(finding, costs)
        if left is None:
            old += 1
        elif _is_small(left, wanted, whole):
            small += 1
        else:
            shown.append(left)
    return Selected(
        costs,
        ranked(shown, costs),
        header.of(subject),
        tuple(in_order.of(subject)),
        () if _leaves_out(wanted) else tuple(in_order.costly(subject, sightings)),
        suppressed,
        small,
        old,
        frozenset(used),
    )


def _leaves_out(wanted: Selection) -> bool:
    return not all(is_selected(code, wanted.codes) for code in all_rules())


def _is_small(finding: Finding, wanted: Selection, whole: float | None) -> bool:
    ms = finding.touches_ms if finding.ms is None else finding.ms
    part = share(ms, whole)
    return (ms is not None and ms < wanted.min_ms) or (part is not None and part < wanted.min_share)


def is_selected(code: str, choices: Iterable[Codes]) -> bool:
    """Whether a rule is wanted.

    Args:
        code: the rule's.
        choices: what is wanted; in the first that names the rule, the longest start of its code
            decides.
    """
    for codes in choices:
        wanted, unwanted = _longest(code, codes.select), _longest(code, codes.ignore)
        if codes.select or unwanted:
            return wanted > unwanted
    return True


def _longest(code: str, starts: Sequence[str]) -> int:
    return max((len(start) for start in starts if code.startswith(start)), default=0)


def missed(unused: Iterable[Suppression], wanted: Selection) -> list[Suppression]:
    """Returns those of unused suppressions whose rules were all asked for."""
    return [
        rule
        for rule in unused
        if all(
            is_selected(code, wanted.codes) for code in all_rules() if code.startswith(rule.code)
        )
    ]


def _without_suppressed(
    finding: Finding, costs: Costs, suppressions: Sequence[Suppression]
) -> Finding | None:
    """Returns the finding without its suppressed layers; None where nothing is left of it.

    Args:
        finding: what a rule saw.
        costs: the times of the engine.
        suppressions: those that meet the finding.
    """
    if not suppressions:
        return finding
    is_meant = [_matcher(suppression.layers) for suppression in suppressions]
    layers = (costs.engine.layers[index] for index in finding.layers)
    kept = {layer.index for layer in layers if not any(meant(layer) for meant in is_meant)}
    return cut_to(finding, kept, costs, "suppressed") if kept else None


def _meets(suppression: Suppression, finding: Finding, costs: Costs) -> bool:
    """Whether a suppression leaves out a part of a finding, or all of it.

    A finding about the whole engine has no layers that a pattern could name.
    """
    if not finding.code.startswith(suppression.code):
        return False
    meant = _matcher(suppression.layers)
    layers = (costs.engine.layers[index] for index in finding.layers)
    return suppression.layers == _ALL or any(map(meant, layers))


_ALL: Final = "*"


def _matcher(pattern: str) -> Callable[[Layer], bool]:
    if pattern == _ALL:
        return lambda layer: True
    match = compiled(translate(pattern)).match  # a name may look like a pattern: `x [Shuffle]`
    return lambda layer: layer.name == pattern or match(layer.name) is not None
