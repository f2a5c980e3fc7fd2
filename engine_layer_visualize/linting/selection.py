"""Chooses the findings that were asked for, and counts those that are left out, with why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs, share
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.linting import decided, header, in_order, lever, seen
from engine_layer_visualize.linting.causes import cut_to, of_rule, ranked
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.inference import inference
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import without_profile

# By it a finding of an earlier build is known: a cause, and the name of a layer without numbers
# that the builder gives anew in each build.
Key = tuple[str, str]
# What the builder numbers: Myelin's layers, copies, layers without a name, tensors of reformats.
_NUMBERED: Final = lazy(
    r"(?P<start>_myl|__mye|_clone_|\(Unnamed Layer\* |Input Tensor |Output Tensor )[\d_]+"
)


class Known:
    """The keys of the earlier findings, by the index of their engine."""

    def __init__(self, keys: Iterable[tuple[int, Key]]) -> None:
        self._keys: Mapping[int, Counter[Key]] = defaultdict(Counter)
        for index, key in keys:
            self._keys[index][key] += 1

    def without(self, findings: Iterable[Finding], costs: Costs) -> Iterator[Finding | None]:
        """Yields each finding about the layers that are new; None where none is.

        Each earlier finding about an engine stands for one finding of this build.
        """
        left = self._keys.get(costs.engine.index, Counter()).copy()
        for finding in findings:
            new = []
            for index, key in keyed(finding, costs.engine):
                left[key] -= 1
                new += [index] if left[key] < 0 else []
            layers = [index for index in new if index is not None]
            yield cut_to(finding, layers, costs, "in the baseline") if new else None


def keyed(finding: Finding, engine: Engine) -> Iterator[tuple[int | None, Key]]:
    """Yields each layer of a finding with its key; None and the cause where it has no layers."""
    cause = finding.cause or of_rule(finding.code).key
    if not finding.layers:
        yield None, key_of(cause, None)
    for index in finding.layers:
        yield index, key_of(cause, engine.layers[index].name)


def key_of(cause: str, layer: str | None) -> Key:
    """Returns the key of a cause, and of the name of one of its layers, if it has any."""
    return cause, "" if layer is None else _NUMBERED.sub(r"\g<start>#", without_profile(layer))


class Codes(NamedTuple):
    """Starts of codes (`P`, `F02`), of which the longer one decides; no `select` means all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Selection(NamedTuple):
    """Which findings are wanted.

    Attributes:
        codes: the rules.
        min_ms: a finding that saves less, or touches less where that is unknown, is left out.
        min_share: the same as a part of one inference, from 0 to 1.
        known: the baseline, of which nothing is told again.
    """

    codes: Codes = Codes()
    min_ms: float = 0.0
    min_share: float = 0.0
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
        small: how many findings touch too little.
        old: how many are in the baseline.
        lever: what is worth most, of all findings, in one sentence; None: there is no layer.
    """

    costs: Costs
    findings: tuple[Finding, ...]
    header: tuple[str, ...] = ()
    in_order: tuple[str, ...] = ()
    costly: tuple[str, ...] = ()
    small: int = 0
    old: int = 0
    lever: str | None = None


def selected(costs: Costs, wanted: Selection) -> Selected:
    """Returns the wanted findings about one engine, in one optimisation profile."""
    subject = Subject(costs)
    small = old = 0
    sightings = seen(subject, lambda code: is_selected(code, wanted.codes))
    found, known = decided(sightings, subject), wanted.known
    whole, shown = inference(costs), list[Finding]()
    for left in found if known is None else known.without(found, costs):
        if left is None:
            old += 1
        elif _is_small(left, wanted, whole):
            small += 1
        else:
            shown.append(left)
    asks_all = all(is_selected(code, wanted.codes) for code in all_rules())
    told = subject.in_inference
    return Selected(
        costs,
        ranked(shown, costs),
        header.of(subject),
        tuple(in_order.of(told)),
        tuple(in_order.costly(told, sightings)) if asks_all else (),
        small,
        old,
        lever.largest(subject, found) if asks_all else lever.of(subject),
    )


def _is_small(finding: Finding, wanted: Selection, whole: float | None) -> bool:
    ms = finding.touches_ms if finding.ms is None else finding.ms
    part = share(ms, whole)
    return (ms is not None and ms < wanted.min_ms) or (part is not None and part < wanted.min_share)


def is_selected(code: str, codes: Codes) -> bool:
    """Whether a rule is wanted: the longest start of its code decides."""
    wanted, unwanted = _longest(code, codes.select), _longest(code, codes.ignore)
    return wanted > unwanted if codes.select or unwanted else True


def _longest(code: str, starts: Sequence[str]) -> int:
    return max((len(start) for start in starts if code.startswith(start)), default=0)
