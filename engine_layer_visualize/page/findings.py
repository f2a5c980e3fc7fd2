"""The page's findings of an engine: each once, with the numbers of its layers.

The `Costs` of an engine in; the rules that found something, with their words, and what they found
in each optimisation profile out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs, share
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.drawings.findings import LONGEST_MESSAGE, LONGEST_NAME, badged
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.order import by_rule
from engine_layer_visualize.linting.rules import all_rules

_SHOWN: Final = ("Found", "Why it costs", "What to do")  # of a rule's page
_HEADING: Final = re.compile(r"^\*\*([^*]+)\*\*:", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n\s*\n|\n(?=[*-] )")


def findings(costs: Costs, text: Callable[[str | None], int]) -> dict[str, JsonValue]:
    """`rules`, in the order of their codes; `list`, in the order of `ms`, profile by profile;
    `groups`: for each profile the findings of each rule, what counts the most first."""
    profiles = of_profiles(costs)
    codes = sorted({one.code for _, several in profiles for one in several})
    rules = {code: number for number, code in enumerate(codes)}
    flat = [(own, one) for own, several in profiles for one in several]
    return {
        "rules": [_rule(code, text) for code in codes],
        "list": {
            "rule": [rules[one.code] for _, one in flat],
            "ms": [one.ms for _, one in flat],
            "share": [_share(one.ms, own) for own, one in flat],
            "layers": [list(one.layers) for _, one in flat],
            "message": [text(shown(one.why, LONGEST_NAME, LONGEST_MESSAGE)) for _, one in flat],
            "advice": [text(one.advice) for _, one in flat],
            "evidence": [
                [each for fact in one.evidence for each in (fact.line, text(fact.text))]
                for _, one in flat
            ],
            "badge": [list(badged(one, own)) for own, several in profiles for one in several],
        },
        "groups": list(_groups(profiles, rules)),
    }


def _share(ms: float | None, costs: Costs) -> float | None:
    """From 0 to 1, no longer than it can be shown."""
    part = share(ms, costs.whole)
    return part if part is None else round(part, 6)


def _rule(code: str, text: Callable[[str | None], int]) -> JsonValue:
    """Code, name, severity, summary, and heading, paragraph, paragraph … of each part."""
    module = all_rules()[code]
    rule = module.RULE
    _, *pieces = _HEADING.split(module.__doc__ or "")
    parts: list[JsonValue] = [
        list(map(text, (heading, *_paragraphs(body))))
        for heading, body in zip(pieces[::2], pieces[1::2])
        if heading in _SHOWN
    ]
    words = (rule.code, rule.name, rule.severity, rule.summary)
    return [*map(text, words), parts]


def _paragraphs(body: str) -> list[str]:
    """Each on one line, the first with a capital: it began behind a heading."""
    first, *others = (" ".join(each.split()) for each in _PARAGRAPHS.split(body.strip()))
    return [first[:1].upper() + first[1:], *others]


def _groups(
    profiles: Sequence[tuple[Costs, Sequence[Finding]]], rules: dict[str, int]
) -> Iterator[JsonValue]:
    """Of each profile: rule, ms, share, layers, and the numbers of its findings."""
    first = 0
    for costs, several in profiles:
        rows: list[JsonValue] = []
        for ms, numbers in by_rule(several, costs):
            own = [several[number] for number in numbers]
            layers = {index for one in own for index in one.layers}
            row: list[JsonValue] = [rules[own[0].code], ms, _share(ms, costs), len(layers)]
            rows.append([*row, [first + number for number in numbers]])
        yield rows
        first += len(several)
