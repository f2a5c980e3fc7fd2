"""Makes the page's findings of an engine: each once, with the numbers of its layers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.drawings.findings import LONGEST_MESSAGE, LONGEST_NAME, badged
from engine_layer_visualize.fields.stakes import stakes
from engine_layer_visualize.linting.causes import action
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.totals import (
    at_most,
    held_in_one,
    inference,
    of_inference,
    ratio,
    saved,
)

_SHOWN_PARTS: Final = ("Found", "Why it costs", "What to do")  # of a rule's page
_HEADING: Final = re.compile(r"^\*\*([^*]+)\*\*:", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n\s*\n|\n(?=[*-] )")


def findings(
    profiles: Sequence[tuple[Costs, Sequence[Finding]]], text: Callable[[str | None], int]
) -> dict[str, JsonValue]:
    """Returns the rules that found something, and what they found in each optimisation profile.

    `rules` is in the order of their codes, `list` profile by profile in their order; `counts` says
    how many each profile has, `gains` the ms that all of one may save, and their share.
    """
    flat = [(of_profile, finding) for of_profile, several in profiles for finding in several]
    codes = sorted({finding.code for _, finding in flat})
    rules = {code: number for number, code in enumerate(codes)}
    return {
        "rules": [_rule(code, text) for code in codes],
        "list": {
            "rule": [rules[each.code] for _, each in flat],
            "stake": [text(_stake(each, of_profile)) for of_profile, each in flat],
            "share": [_share(each.touches_ms, of_profile) for of_profile, each in flat],
            "saves": [each.saves_ms for _, each in flat],
            "shown": [each.shown for _, each in flat],
            "layers": [list(each.layers) for _, each in flat],
            "about": [list(each.about) for _, each in flat],
            "message": [text(shown(each.why, LONGEST_NAME, LONGEST_MESSAGE)) for _, each in flat],
            "advice": [text(each.advice) for _, each in flat],
            "evidence": [
                [value for fact in each.evidence for value in (fact.line, text(fact.text))]
                for _, each in flat
            ],
            "badge": [list(badged(each, of_profile)) for of_profile, each in flat],
        },
        "counts": [len(several) for _, several in profiles],
        "gains": [_gain(of_profile, several) for of_profile, several in profiles],
    }


def _stake(finding: Finding, costs: Costs) -> str:
    """Returns `touches 20.0 µs, 0.8 %  ·  could save 12.0 µs`; empty where unknown.

    Where an inference is less than the sum of the layers, what a search says of them is first.
    """
    words = [*stakes(finding, costs)]
    if finding.touches_ms is not None and ratio(costs) < 1 and held_in_one(costs) is None:
        layers = {*finding.layers, *finding.about}
        alone = math.fsum(costs.of(costs.engine.layers[each]) or 0.0 for each in layers)
        words.insert(0, f"{milliseconds(alone)} timed alone")
    told = "  ·  ".join(words)
    return f"{told} (estimated)" if told and costs.estimated else told


def _gain(costs: Costs, findings: Iterable[Finding]) -> list[JsonValue]:
    """Returns ms and share that all findings together may save, None where nothing is known."""
    ms = saved(findings)
    whole = None if ms is None else at_most(ms, of_inference(costs))
    return [whole, _share(whole, costs)]


def _share(ms: float | None, costs: Costs) -> float | None:
    """Returns a share of an inference from 0 to 1, no longer than it can be shown."""
    part = share(ms, inference(costs))
    return part if part is None else round(part, 6)


def _rule(code: str, text: Callable[[str | None], int]) -> JsonValue:
    """Returns code, name, severity, summary, what to do, and heading, paragraph, … of each part."""
    module = all_rules()[code]
    rule = module.RULE
    _, *pieces = _HEADING.split(module.__doc__ or "")
    parts: list[JsonValue] = [
        list(map(text, (heading, *_paragraphs(body))))
        for heading, body in zip(pieces[::2], pieces[1::2])
        if heading in _SHOWN_PARTS
    ]
    words = (rule.code, rule.name, rule.severity, rule.summary, action(rule))
    return [*map(text, words), parts]


def _paragraphs(body: str) -> list[str]:
    """Returns each on one line, the first with a capital, as it began behind a heading."""
    first, *others = (" ".join(each.split()) for each in _PARAGRAPHS.split(body.strip()))
    return [first[:1].upper() + first[1:], *others]
