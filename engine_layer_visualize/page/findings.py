"""The page's findings of an engine: each once, with the numbers of its layers.

The `Costs` of an engine in; the rules that found something, with their words, and what they found
in each optimisation profile out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.drawings.findings import MESSAGE, NAME, badged
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.totals import inference

_SHOWN: Final = ("Found", "Why it costs", "What to do")  # of a rule's page
_HEADING: Final = re.compile(r"^\*\*([^*]+)\*\*:", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n\s*\n|\n(?=[*-] )")


def findings(costs: Costs, text: Callable[[str | None], int]) -> dict[str, JsonValue]:
    """`rules`, in the order of their codes; `list`, profile by profile, in their order; `counts`:
    how many each profile has."""
    profiles = of_profiles(costs)
    flat = [(own, one) for own, several in profiles for one in several]
    codes = sorted({one.code for _, one in flat})
    rules = {code: number for number, code in enumerate(codes)}
    return {
        "rules": [_rule(code, text) for code in codes],
        "list": {
            "rule": [rules[one.code] for _, one in flat],
            "touches": [one.touches_ms for _, one in flat],
            "share": [_share(one.touches_ms, own) for own, one in flat],
            "saves": [one.saves_ms for _, one in flat],
            "shown": [one.shown for _, one in flat],
            "layers": [list(one.layers) for _, one in flat],
            "message": [text(shown(one.why, NAME, MESSAGE)) for _, one in flat],
            "advice": [text(one.advice) for _, one in flat],
            "evidence": [
                [each for fact in one.evidence for each in (fact.line, text(fact.text))]
                for _, one in flat
            ],
            "badge": [list(badged(one, own)) for own, one in flat],
        },
        "counts": [len(several) for _, several in profiles],
    }


def _share(ms: float | None, costs: Costs) -> float | None:
    """Of an inference, from 0 to 1, no longer than it can be shown."""
    part = share(ms, inference(costs))
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
