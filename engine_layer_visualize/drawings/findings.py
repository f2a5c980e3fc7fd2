"""What drawings and the page show of an engine's findings.

The `Costs` of an engine in; the lines of a layer's tooltip, and the badges of boxes out.
"""

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

BADGED: Final = 0.01  # of the time of the engine; below it a finding gives few badges
MANY: Final = 40  # badges of a finding
FEW: Final = 3  # of one with less at stake
NAME: Final = 120  # characters of a name in a message
MESSAGE: Final = 700  # characters of a message


class EngineFindings:
    """The findings of one engine, of all its optimisation profiles. Without `rules` there are none,
    and of a reformat its reason alone."""

    def __init__(self, costs: Costs, rules: bool = True) -> None:
        self.profiles = of_profiles(costs) if rules else ()
        self.subject = Subject(costs)
        self._reasons = self.subject.reasons
        self._of: dict[int, list[Finding]] = defaultdict(list)
        self._badges: dict[int, list[Finding]] = defaultdict(list)
        for own, several in self.profiles:
            for finding in several:
                for layer in finding.layers:
                    self._of[layer].append(finding)
                for layer in badged(finding, own):
                    self._badges[layer].append(finding)

    def badges(self, layers: Iterable[Layer]) -> tuple[str, ...]:
        """The codes that stand on the box of these layers, the most to gain first."""
        told = [one for layer in layers for one in self._badges.get(layer.index, ())]
        told.sort(key=lambda one: -(one.ms or 0.0))
        return tuple(dict.fromkeys(one.code for one in told))

    def badged(self, layers: Iterable[Layer]) -> list[Rule]:
        """The rules whose codes stand on the boxes of these layers, in the codes' order."""
        codes = set(self.badges(layers))
        rules = {one.code: one.rule for _, several in self.profiles for one in several}
        return [rules[code] for code in sorted(codes)]

    def lines(self, layer: Layer) -> Iterator[str]:
        """Lines of its tooltip: why a reformat is there; what is found, and what to try."""
        said: set[str] = set()
        reason = self._reasons.get(layer.index)
        if reason is not None:
            said.add(reason.text)
            yield f"why: {reason.text}"
        # What is about this layer alone comes before what is about many.
        for finding in sorted(self._of.get(layer.index, ()), key=lambda one: len(one.layers)):
            head, message = _head(finding), finding.message
            yield head if message in said else f"{head}: {shown(finding.why, NAME, MESSAGE)}"
            if finding.advice not in said:
                yield f"try: {finding.advice}"
            said |= {message, finding.advice}


def badged(finding: Finding, costs: Costs) -> tuple[int, ...]:
    """The layers on whose boxes its code stands: all of an error; else those that count, the
    slowest where they are many, as a code on each of a hundred small reformats would say nothing.
    `costs`: of its optimisation profile."""
    if finding.rule.severity == "error":
        return finding.layers
    least = BADGED * (costs.whole or 0.0)
    most = MANY if finding.ms is None or finding.ms >= least else FEW
    times = {index: costs.of(costs.engine.layers[index]) or 0.0 for index in finding.layers}
    least = min(least, max(times.values(), default=0.0) / 2)
    counting = [index for index in finding.layers if times[index] >= least]
    slowest = sorted(counting, key=lambda index: -times[index])[:most]
    return tuple(index for index in counting if index in slowest)


def _head(finding: Finding) -> str:
    """`warning P01 higher-precision-compute, 20 layers, at most 31.0 µs`."""
    rule, several = finding.rule, len(finding.layers)
    words = [f"{'' if rule.severity == 'hint' else rule.severity + ' '}{rule.code} {rule.name}"]
    words += [f"{several:,} layers"] if several > 1 else []
    if finding.ms:
        estimated = " (estimated)" if finding.ms_kind == "estimated" else ""
        words.append(f"at most {milliseconds(finding.ms)}{estimated}")
    return ", ".join(words)
