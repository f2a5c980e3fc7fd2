"""Makes the page's findings of an engine: each once, with the numbers of its layers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.drawings.findings import LONGEST_MESSAGE, LONGEST_NAME, badged
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.rules import all_rules

_SHOWN_PARTS: Final = ("Found", "Why it costs", "What to do")  # of a rule's page
_HEADING: Final = re.compile(r"^\*\*([^*]+)\*\*:", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n\s*\n|\n(?=[*-] )")


def findings(costs: Costs, text: Callable[[str | None], int]) -> dict[str, JsonValue]:
    """Returns the rules that found something, and what they found.

    `rules` is in the order of their codes, `list` profile by profile in their
    order; `groups` has for each profile a row for each finding.
    """
    profiles = of_profiles(costs)
    flat = [(of_profile, finding) for of_profile, several in profiles for finding in several]
    codes = sorted({finding.code for _, finding in flat})
    rules = {code: number for number, code in enumerate(codes)}
    return {
        "rules": [_rule(code, text) for code in codes],
        "list": {
            "rule": [rules[each.code] for _, each in flat],
            "ms": [each.ms for _, each in flat],
            "share": [_share(each.ms, of_profile) for of_profile, each in flat],
            "layers": [list(each.layers) for _, each in flat],
            "message": [text(shown(each.why, LONGEST_NAME, LONGEST_MESSAGE)) for _, each in flat],
            "advice": [text(each.advice) for _, each in flat],
            "evidence": [
                [value for fact in each.evidence for value in (fact.line, text(fact.text))]
                for _, each in flat
            ],
            "badge": [list(badged(each, of_profile)) for of_profile, each in flat],
        },
        "groups": list(_groups(profiles, rules)),
    }


def _share(ms: float | None, costs: Costs) -> float | None:
    """Returns a share from 0 to 1, no longer than it can be shown."""
    part = share(ms, costs.whole)
    return part if part is None else round(part, 6)


def _rule(code: str, text: Callable[[str | None], int]) -> JsonValue:
    """Returns code, name, severity, summary, and heading, paragraph, … of each part."""
    module = all_rules()[code]
    rule = module.RULE
    _, *pieces = _HEADING.split(module.__doc__ or "")
    parts: list[JsonValue] = [
        list(map(text, (heading, *_paragraphs(body))))
        for heading, body in zip(pieces[::2], pieces[1::2])
        if heading in _SHOWN_PARTS
    ]
    words = (rule.code, rule.name, rule.severity, rule.summary)
    return [*map(text, words), parts]


def _paragraphs(body: str) -> list[str]:
    """Returns each on one line, the first with a capital, as it began behind a heading."""
    first, *others = (" ".join(each.split()) for each in _PARAGRAPHS.split(body.strip()))
    return [first[:1].upper() + first[1:], *others]


def _groups(
    profiles: Sequence[tuple[Costs, Sequence[Finding]]], rules: dict[str, int]
) -> Iterator[JsonValue]:
    """Yields for each profile: rule, ms, share, layers, and the number of each finding."""
    first = 0
    for costs, several in profiles:
        rows: list[JsonValue] = []
        for number, finding in enumerate(several, first):
            row: list[JsonValue] = [rules[finding.code], finding.ms, _share(finding.ms, costs)]
            rows.append([*row, len(finding.layers), [number]])
        yield rows
        first += len(several)
