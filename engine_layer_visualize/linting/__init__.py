"""Finds what makes an engine slow or wrong, and what to try.

A rule is a function with `@rule`, a family of rules a file. `Subject` answers what rules ask of an
engine.
"""

from collections.abc import Callable, Iterable
from typing import Final

from engine_layer_visualize.analysis.costs import Costs, costs_asked
from engine_layer_visualize.core.limits import no_collections
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.linting.causes import ranked, told
from engine_layer_visualize.linting.rules import Finding, all_rules
from engine_layer_visualize.linting.subject import Subject

_NOT_READ: Final = (
    "build info was not read (facts=False): most rules need it, so that there may be more to find"
)


def findings(
    engine: Engine, *, optimization_profile: int | None = None, peak: str | None = None
) -> tuple[Finding, ...]:
    """Returns what may be wrong with an engine, what counts the most first.

    Each finding is one cause with a `code` (docs/findings.md), a `message`, `advice`, the
    indices of its `layers`, which no other finding has, its `evidence` in the log, `touches_ms`,
    the time of these layers, and `saves_ms`, what the log shows can be saved, None where it is
    unknown. The times are measured or the builder's estimates, as in `engine.time`. Most rules
    need build info: warns (`warnings.warn`) of an engine that was read with `facts=False`.

    Args:
        engine: the engine.
        optimization_profile: the number of the one that is looked at; None: the first.
        peak: what the device can do, as in the flag `--peak`; None: what the log says.

    Raises:
        TypeError: where `engine` is another value.
        ValueError: for an unknown `peak`.
        ReadError: ELV408, where the engine has no such optimisation profile.
    """
    costs = costs_asked(engine, optimization_profile, peak)
    if engine.facts is None:
        import warnings

        warnings.warn(_NOT_READ, stacklevel=2)
    return findings_of(Subject(costs))


def findings_of(subject: Subject) -> tuple[Finding, ...]:
    """Returns the findings of one optimisation profile, in their order, found once."""
    return subject.once(_findings)


def _findings(subject: Subject) -> tuple[Finding, ...]:
    return decided(subject.once(seen), subject)


def seen(subject: Subject, is_wanted: Callable[[str], bool] = lambda code: True) -> list[Finding]:
    """Returns what each rule sees by itself, before causes gather it.

    Args:
        subject: the engine.
        is_wanted: the rules with these codes alone are asked.
    """
    with no_collections():
        rules = [rule for code, rule in all_rules().items() if is_wanted(code)]
        return [finding for rule in rules for finding in rule.check(subject.in_inference)]


def decided(sightings: Iterable[Finding], subject: Subject) -> tuple[Finding, ...]:
    """Returns what rules saw as causes, in order; each layer is in one of them."""
    costs = subject.in_inference.costs
    return ranked(told(sightings, costs), costs)


def of_profiles(costs: Costs) -> tuple[tuple[Costs, tuple[Finding, ...]], ...]:
    """Returns the times and the findings of each optimisation profile."""
    return tuple((own, findings_of(Subject(own))) for own in map(costs.of_profile, costs.profiles))
