"""Gathers what the rules saw into causes: what one change of a person takes away.

A layer belongs to one cause, so that times of causes add up. Where several rules see the same
layer, the cause that stands first in `CAUSES` has it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.origin import frontend_of
from engine_layer_visualize.analysis.times import inference
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import first_of, parts
from engine_layer_visualize.linting.rules import SEVERITIES, Finding


class Retired(NamedTuple):
    """A rule that is no more, whose code gets no second meaning: users have it in commands.

    Attributes:
        name: its name.
        why: since when and why it is retired, as a part of a sentence: `retired in 1.0: …`.
    """

    name: str
    why: str


@cache
def retired() -> dict[str, Retired]:
    """Returns the rules that are no more, by their codes."""
    from pkgutil import get_data  # slow to import

    text = get_data(__package__, "retired.tsv")  # a package may lie in a zip file
    assert text is not None
    rows = (line.split("\t") for line in text.decode().splitlines() if not line.startswith("#"))
    return {code: Retired(name, f"retired in {first}: {why}") for code, name, first, why in rows}


class Cause(NamedTuple):
    """What a person changes.

    Attributes:
        key: its name in JSON.
        rules: the codes of the rules that see it.
        action: what to do about it, in a few words.
        stays: whether it is still told, without a time, where other causes have all of its
            layers; others are a clause there, where these take a tenth of an inference.
        first: whether it stands before the others: what it hides, no log tells.
    """

    key: str
    rules: tuple[str, ...]
    action: str
    stays: bool = False
    first: bool = False


CAUSES: Final[tuple[Cause, ...]] = (
    Cause("dla-fallback", ("H06",), "Keep neighbours on one device"),
    Cause("quantisation-border", ("P06",), "Quantise what stands between quantised layers"),
    Cause("precision-not-allowed", ("P15",), "Allow FP16"),
    Cause("constants-at-run-time", ("U07",), "Compute constants before the build"),
    Cause("batch-norm-not-folded", ("U09",), "Fold batch normalisations into weights"),
    Cause("not-fused", ("U01", "U03", "U04"), "Let TensorRT fuse these layers"),
    Cause("transposes-and-casts", ("U11", "F09"), "Take transposes out of the model"),
    Cause("types-at-the-ends", ("F02", "F03"), "Feed and take the engine's own types and formats"),
    Cause("input-preprocessing", ("U13",), "Prepare the input outside of the engine"),
    Cause("format-changes", ("F04",), "Avoid changes of type or format between layers"),
    Cause("higher-precision", ("P01",), "Let these layers compute in fewer bits"),
    Cause("weights-for-few-rows", ("H09",), "Run more rows at once, or keep weights in fewer bits"),
    Cause("channels-unaligned", ("H01",), "Fill whole blocks of channels"),
    Cause("far-from-the-bound", ("H04",), "Rework layers that are far from their bound"),
    Cause("slow-convolutions", ("H10",), "Replace transposed convolutions, join small ones"),
    Cause("siblings-apart", ("H08",), "Join convolutions that read the same tensor"),
    Cause("lower-precision-not-allowed", ("P16",), "Quantise to INT8"),
    Cause("host-synchronisation", ("U08",), "Take out what waits for the host"),
    Cause("plugin", ("U06",), "Look at what the plugins do"),
    Cause("foreign-node-unlisted", ("U05",), "Let the log say what ForeignNodes hold"),
    Cause("workspace-limit", ("T04",), "Allow more workspace", stays=True, first=True),
    Cause("too-small-for-the-gpu", ("H07",), "Launch fewer, larger kernels", stays=True),
)
MOST_WORDS: Final = 16  # of advice
_OF_RULE: Final = {code: cause for cause in CAUSES for code in cause.rules}


def of_rule(code: str) -> Cause:
    """Returns the cause that a rule sees. Raises KeyError for a code that is no rule's."""
    return _OF_RULE[code]


def told(sightings: Iterable[Finding], costs: Costs) -> list[Finding]:
    """Returns findings for each cause in the order of `CAUSES`; each layer is in one of them."""
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in sightings:
        cause = of_rule(finding.code)
        groups[cause.key].append(finding._replace(cause=cause.key))
    owners: dict[int, int] = {}  # of each layer the place of its finding
    found: list[Finding] = []
    for cause in CAUSES:
        for row in _rows(groups[cause.key]):
            kept: list[Finding] = []
            for seen in row:
                if (left := _without(seen, owners, costs)) is not None:
                    kept.append(left)
                elif cause.stays:
                    kept.append(seen._replace(layers=(), about=seen.layers, ms=None))
                else:
                    _second(seen, found, owners, costs)
            if kept:
                one = _merged(kept, costs)
                owners.update(dict.fromkeys(one.layers, len(found)))
                layers, touched = tuple(sorted(one.layers)), _sum(one.layers, costs)
                advice = _shown(one.advice, costs)
                kind = None if one.ms is None else costs.kind
                one = one._replace(layers=layers, ms_kind=kind, advice=advice, touches_ms=touched)
                found.append(one)
    return found


def _shown(advice: str, costs: Costs) -> str:
    return trtexec.without_given(advice, costs.engine, not frontend_of(costs).is_of_program)


def _second(seen: Finding, found: list[Finding], owners: Mapping[int, int], costs: Costs) -> None:
    """Puts what else its layers suffer from into the finding that has most of them."""
    if (costs.part(costs.engine.layers[index] for index in seen.layers) or 0.0) >= _LARGE_SHARE:
        ((place, _),) = Counter(owners[index] for index in seen.layers).most_common(1)
        advice = _shown(seen.advice, costs)
        also = [told for told in (*found[place].also, advice) if told != found[place].advice]
        found[place] = found[place]._replace(also=tuple(dict.fromkeys(also)))


def _rows(seen: list[Finding]) -> list[list[Finding]]:
    """Returns what is told together: what the log prices, not with what another rule saw.

    Inputs and outputs are two things to change, unless one sentence has both.
    """
    told = "; ".join(dict.fromkeys(one.advice for one in seen))
    if (codes := {one.code for one in seen}) == {"F02", "F03"} and len(told.split()) > MOST_WORDS:
        return [[one for one in seen if one.code == code] for code in sorted(codes)]
    rows = [one for one in seen if one.ms is not None], [one for one in seen if one.ms is None]
    priced, others = ({finding.code for finding in row} for row in rows)
    is_apart = priced and others and priced.isdisjoint(others)
    return [*rows] if is_apart else [seen]


def _without(finding: Finding, taken: Collection[int], costs: Costs) -> Finding | None:
    """Returns the finding without layers of other causes; None where nothing is left of it."""
    kept = tuple(index for index in finding.layers if index not in taken)
    if len(kept) == len(finding.layers):
        return finding
    if not kept:
        return None
    gone, whole = {*finding.layers} - {*kept}, _sum(finding.layers, costs)
    why = f" ({len(gone):,} of its {count(len(finding.layers), 'layer')} in other findings)"
    left = (_sum(kept, costs) or 0.0) / whole if whole else 0.0
    ms = None if finding.ms is None or not left else finding.ms * left
    lines = {costs.engine.layers[index].place.line for index in gone}
    evidence = tuple(fact for fact in finding.evidence if fact.line not in lines)
    return finding._replace(layers=kept, ms=ms, why=(*parts(finding.why), why), evidence=evidence)


def _sum(layers: Iterable[int], costs: Costs) -> float | None:
    return costs.sum(costs.engine.layers[index] for index in layers)


def _merged(sightings: Sequence[Finding], costs: Costs) -> Finding:
    """Returns one finding for all that rules saw of a cause.

    It has the most severe of the rules, of equally severe ones the rule whose layers take the most
    time, and the words of the first few.
    """
    if len(sightings) == 1:
        return sightings[0]

    def counts(seen: Finding) -> tuple[int, float, int]:
        return _severity(seen), _sum(seen.layers, costs) or 0.0, len(seen.layers)

    ordered = sorted(sightings, key=counts, reverse=True)
    reasons = [*dict.fromkeys(seen.why for seen in ordered)]
    advice = ordered[0].advice
    for seen in ordered[1:]:
        more = f"{advice}; {seen.advice}"
        advice = more if seen.advice not in advice and len(more.split()) <= MOST_WORDS else advice
    return ordered[0]._replace(
        layers=tuple({index for seen in ordered for index in seen.layers}),
        about=tuple(sorted({index for seen in ordered for index in seen.about})),
        ms=_saved(ordered, costs),
        unpriced=any(seen.ms is None for seen in ordered),
        why=first_of(reasons, 3, "; ", "; and "),
        advice=advice,
        evidence=tuple(dict.fromkeys(fact for seen in ordered for fact in seen.evidence)),
    )


def _severity(finding: Finding) -> int:
    return SEVERITIES.index(finding.rule.severity)


def _saved(findings: Iterable[Finding], costs: Costs) -> float | None:
    """Returns the ms that all save; of a layer in several findings the most that one saves."""
    of_layer: dict[int, float] = {}
    for finding in findings:
        if finding.ms is not None and (whole := _sum(finding.layers, costs)):
            for index in finding.layers:
                saved = (_sum([index], costs) or 0.0) / whole * finding.ms
                of_layer[index] = max(saved, of_layer.get(index, 0.0))
    return math.fsum(of_layer.values()) if of_layer else None


SHOWN: Final = 7  # findings of an engine on the first screen
_LEAST_SHARE: Final = 0.01  # of an inference: what counts less is not on the first screen
_SHORT_MS: Final = 0.01  # about two launches of a kernel: they have to count more
_SHORT_SHARE: Final = 0.02
_LARGE_SHARE: Final = 0.1  # of an inference: a second cause of so much is told, too
_TOUCHED_PART: Final = 0.5  # the same, where it is asked whether a finding counts at all
_USUAL_WORTH: Final = 0.2  # of what a cause touches: its weight where no log prices it
_WORTH: Final = {
    "quantisation-border": 0.3,  # half of the time of its layers, of which their launches stay
    "precision-not-allowed": 0.3,  # the same
    "too-small-for-the-gpu": 0.1,  # short kernels compute, too
}


def ranked(findings: Iterable[Finding], costs: Costs) -> tuple[Finding, ...]:
    """Returns the findings in their order, each with its `rank` and whether it is `shown`."""
    whole = inference(costs)

    def place(finding: Finding) -> tuple[bool, float, int, str]:
        is_first, weighs = is_root(finding, costs), weight(finding, costs)
        return not is_first, -weighs, -_severity(finding), finding.code

    def counts(finding: Finding) -> bool:
        touched = 0.0 if finding.ms is not None else (finding.touches_ms or 0.0) * _TOUCHED_PART
        counted = max(weight(finding, costs), touched if touched >= _SHORT_MS else 0.0)
        least = _SHORT_SHARE if counted < _SHORT_MS else _LEAST_SHARE
        return whole is None or counted >= least * whole

    ordered = enumerate(sorted(findings, key=place), 1)
    return tuple(one._replace(rank=n, shown=n <= SHOWN and counts(one)) for n, one in ordered)


def is_root(finding: Finding, costs: Costs) -> bool:
    """Whether it may hide other causes, in layers that take a part of an inference."""
    part = costs.part(costs.engine.layers[index] for index in finding.layers or finding.about)
    return of_rule(finding.code).first and (part is None or part >= _LARGE_SHARE)


def weight(finding: Finding, costs: Costs) -> float:
    """Returns how much a finding with its `touches_ms` counts, in ms.

    That is what it saves; where no log prices that, a part of what it touches. A layer without a
    time counts as much as an average one; where no layer has one, an inference takes 1 ms.
    """
    whole, worth = inference(costs) or 1.0, _WORTH.get(of_rule(finding.code).key, _USUAL_WORTH)
    if finding.ms is not None and not finding.unpriced:
        return finding.ms
    if finding.touches_ms is not None:
        return max(finding.ms or 0.0, finding.touches_ms * worth)
    if took := _sum(finding.about, costs):
        return took * worth
    layers = len(finding.layers or finding.about)
    return whole * layers / max(layers, sum(map(runs_kernel, costs.layers)), 1) * worth
