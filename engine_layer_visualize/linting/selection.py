"""Chooses the findings that were asked for, and gathers what else is said of an engine."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.linting import decided, header, lever, seen
from engine_layer_visualize.linting.rules import Finding, all_rules
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import without_profile

# What the builder numbers: Myelin's layers, copies, layers without a name, tensors of reformats.
_NUMBERED: Final = lazy(
    r"(?P<start>_myl|__mye|_clone_|\(Unnamed Layer\* |Input Tensor |Output Tensor )[\d_]+"
)


def lasting_names(finding: Finding, engine: Engine) -> list[str]:
    """Returns the names of its layers, without what the builder numbers anew in each build."""
    return sorted(lasting_name(engine.layers[index].name) for index in finding.layers)


def lasting_name(name: str) -> str:
    """Returns the name of a layer without the numbers that the builder gives anew."""
    return _NUMBERED.sub(r"\g<start>#", without_profile(name))


class Codes(NamedTuple):
    """Starts of codes (`P`, `F02`), of which the longer one decides; no `select` means all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


ALL: Final = Codes()


class Selected(NamedTuple):
    """The findings about an engine that are to be shown, in their order.

    Attributes:
        costs: the times of the engine.
        findings: each a cause of its own.
        header: what to know before one reads times, a sentence each.
        in_order: what was looked at and is as it should be, a sentence each.
        costly: layers with a tenth of the time that no rule is about; empty where not all rules
            were asked.
        lever: what is worth most, of all findings, in one sentence; None: there is no layer.
    """

    costs: Costs
    findings: tuple[Finding, ...]
    header: tuple[str, ...] = ()
    in_order: tuple[str, ...] = ()
    costly: tuple[str, ...] = ()
    lever: str | None = None


def selected(costs: Costs, wanted: Codes = ALL) -> Selected:
    """Returns the wanted findings about one engine, in one optimisation profile."""
    subject = Subject(costs)
    sightings = seen(subject, lambda code: is_selected(code, wanted))
    found = decided(sightings, subject)
    asks_all = all(is_selected(code, wanted) for code in all_rules())
    told = subject.in_inference
    slow = tuple(lever.costly(told, sightings)) if asks_all else ()
    most = lever.of(subject) if wanted.select else lever.largest(subject, found)
    return Selected(costs, found, header.of(subject), tuple(lever.in_order(told)), slow, most)


def is_selected(code: str, codes: Codes) -> bool:
    """Whether a rule is wanted: the longest start of its code decides."""
    wanted, unwanted = _longest(code, codes.select), _longest(code, codes.ignore)
    return wanted > unwanted if codes.select or unwanted else True


def _longest(code: str, starts: Sequence[str]) -> int:
    return max((len(start) for start in starts if code.startswith(start)), default=0)
