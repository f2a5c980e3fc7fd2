"""Tells an engine's findings in drawings: lines of tooltips, and badges of boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.fields.stakes import stakes
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.causes import action
from engine_layer_visualize.linting.finding import Finding, Rule

_MOST_BADGED: Final = 0.15  # of the layers of the engine
LONGEST_NAME: Final = 120  # characters of a name in a message
LONGEST_MESSAGE: Final = 700  # characters of a message


class EngineFindings:
    """The findings of one engine, of all its optimisation profiles.

    Without `rules` there are none, and of a reformat its reason alone.
    """

    def __init__(self, costs: Costs, rules: bool = True) -> None:
        self.profiles = of_profiles(costs) if rules else ()
        self.subject = Subject(costs)
        self._reasons = self.subject.reasons
        self._of: dict[int, tuple[Finding, Costs]] = {}  # of each layer: its own
        self._badged: dict[int, Finding] = {}
        for own, findings in self.profiles:
            for finding in findings:
                self._of.update(dict.fromkeys(finding.layers, (finding, own)))
                for layer in badged(finding, own):
                    self._badged.setdefault(layer, finding)

    def badges(self, layers: Iterable[Layer]) -> tuple[str, ...]:
        """Returns the codes that stand on the box of these layers, in the order of the findings."""
        told = [self._badged[layer.index] for layer in layers if layer.index in self._badged]
        told.sort(key=lambda finding: finding.rank)
        return tuple(dict.fromkeys(finding.code for finding in told))

    def badged(self, layers: Iterable[Layer]) -> list[Rule]:
        """Returns the rules whose codes stand on the boxes of these layers, in the codes' order."""
        codes = set(self.badges(layers))
        rules = {each.code: each.rule for _, findings in self.profiles for each in findings}
        return [rules[code] for code in sorted(codes)]

    def above(self, costs: Costs) -> Iterator[str]:
        """Yields what to do about causes of too many layers for badges: a line above the boxes."""
        findings = next((each for own, each in self.profiles if own.profile == costs.profile), ())
        for finding in findings:
            if finding.shown and finding.layers and not badged(finding, costs):
                gain = "" if finding.ms is None else f", could save {_ms(finding.ms, costs)}"
                what = action(finding.rule)
                yield f"{what}: {count(len(finding.layers), 'layer')}{gain}"

    def lines(self, layer: Layer) -> Iterator[str]:
        """Yields lines of its tooltip: why a reformat is there; what is found, and what to try."""
        reason = self._reasons.get(layer.index)
        if reason is not None:
            yield f"why: {reason.text}"
        if layer.index not in self._of:
            return
        finding, own = self._of[layer.index]
        is_said = reason is not None and finding.message == reason.text
        head = _head(finding, own)
        yield head if is_said else f"{head}: {shown(finding.why, LONGEST_NAME, LONGEST_MESSAGE)}"
        yield f"try: {finding.advice}"


def badged(finding: Finding, costs: Costs) -> tuple[int, ...]:
    """Returns the layers on whose boxes its code stands.

    None where it is not on the first screen, is about the whole engine or about more than 15 % of
    its layers: a code on many boxes says nothing. Of an error all of them.
    """
    if finding.rule.severity == "error":
        return finding.layers
    layers = finding.layers or finding.about
    few = len(layers) <= max(1, _MOST_BADGED * len(costs.layers))
    return layers if finding.shown and few else ()


def _ms(ms: float, costs: Costs) -> str:
    return f"{'≈ ' if costs.estimated else ''}{milliseconds(ms)}"


def _head(finding: Finding, costs: Costs) -> str:
    """Returns `warning P01 higher-precision-compute, 20 layers, touches 97.0 µs, 4.1 %, …`."""
    rule, number = finding.rule, len(finding.layers)
    words = [f"{'' if rule.severity == 'hint' else rule.severity + ' '}{rule.code} {rule.name}"]
    words += [f"{number:,} layers"] if number > 1 else []
    told = [*stakes(finding, costs)]
    return ", ".join([*words, *told]) + " (estimated)" * bool(told and costs.estimated)
