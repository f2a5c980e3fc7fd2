"""Tells an engine's findings in drawings: lines of tooltips, and badges of boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.finding import Finding, Rule

_LARGE_SHARE: Final = 0.01  # of the engine's time; a finding of less has few badges
_MOST_BADGES: Final = 40  # of a finding
_MOST_BADGES_OF_SMALL: Final = 3  # of a finding with less at stake
LONGEST_NAME: Final = 120  # characters of a name in a message
LONGEST_MESSAGE: Final = 700  # characters


class EngineFindings:
    """The findings of one engine, of all its optimisation profiles.

    Without `rules` there are none, and of a reformat its reason alone.
    """

    def __init__(self, costs: Costs, rules: bool = True) -> None:
        self.profiles = of_profiles(costs) if rules else ()
        self.subject = Subject(costs)
        self._reasons = self.subject.reasons
        self._of: dict[int, list[Finding]] = defaultdict(list)
        self._badges: dict[int, list[Finding]] = defaultdict(list)
        for costs_of_profile, findings in self.profiles:
            for finding in findings:
                for layer in finding.layers:
                    self._of[layer].append(finding)
                for layer in badged(finding, costs_of_profile):
                    self._badges[layer].append(finding)

    def badges(self, layers: Iterable[Layer]) -> tuple[str, ...]:
        """Returns the codes that stand on the box of these layers, the most to gain first."""
        told = [finding for layer in layers for finding in self._badges.get(layer.index, ())]
        told.sort(key=lambda finding: -(finding.ms or 0.0))
        return tuple(dict.fromkeys(finding.code for finding in told))

    def badged(self, layers: Iterable[Layer]) -> list[Rule]:
        """Returns the rules whose codes stand on the boxes of these layers, in the codes' order."""
        codes = set(self.badges(layers))
        rules = {each.code: each.rule for _, findings in self.profiles for each in findings}
        return [rules[code] for code in sorted(codes)]

    def lines(self, layer: Layer) -> Iterator[str]:
        """Yields lines of its tooltip: why a reformat is there; what is found, and what to try."""
        said: set[str] = set()
        reason = self._reasons.get(layer.index)
        if reason is not None:
            said.add(reason.text)
            yield f"why: {reason.text}"
        # What is about this layer alone comes before what is about many.
        for finding in sorted(
            self._of.get(layer.index, ()), key=lambda finding: len(finding.layers)
        ):
            head, message = _head(finding), finding.message
            yield (
                head
                if message in said
                else f"{head}: {shown(finding.why, LONGEST_NAME, LONGEST_MESSAGE)}"
            )
            if finding.advice not in said:
                yield f"try: {finding.advice}"
            said |= {message, finding.advice}


def badged(finding: Finding, costs: Costs) -> tuple[int, ...]:
    """Returns the layers on whose boxes the code of a finding stands.

    These are all of an error, else those that count, the slowest where they are many: a code on
    each of a hundred small reformats would say nothing. `costs` are of its optimisation profile.
    """
    if finding.rule.severity == "error":
        return finding.layers
    least = _LARGE_SHARE * (costs.whole or 0.0)
    most = _MOST_BADGES if finding.ms is None or finding.ms >= least else _MOST_BADGES_OF_SMALL
    times = {index: costs.of(costs.engine.layers[index]) or 0.0 for index in finding.layers}
    least = min(least, max(times.values(), default=0.0) / 2)
    counting = [index for index in finding.layers if times[index] >= least]
    slowest = sorted(counting, key=lambda index: -times[index])[:most]
    return tuple(index for index in counting if index in slowest)


def _head(finding: Finding) -> str:
    """Returns `warning P01 higher-precision-compute, 20 layers, at most 31.0 µs`."""
    rule, number = finding.rule, len(finding.layers)
    words = [f"{'' if rule.severity == 'hint' else rule.severity + ' '}{rule.code} {rule.name}"]
    words += [f"{number:,} layers"] if number > 1 else []
    if finding.ms:
        estimated = " (estimated)" if finding.ms_kind == "estimated" else ""
        words.append(f"at most {milliseconds(finding.ms)}{estimated}")
    return ", ".join(words)
