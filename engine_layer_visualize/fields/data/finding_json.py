"""A finding in; its JSON out, the same in `lint` and in `summary`."""

from __future__ import annotations

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import Sentence
from engine_layer_visualize.fields.objects import picked
from engine_layer_visualize.linting.finding import Finding


def finding_json(finding: Finding) -> dict[str, JsonValue]:
    """A finding with all its keys. The message is a `Sentence`."""
    return {
        "code": finding.code,
        **picked(finding.rule, "name", "severity"),
        **picked(finding, "cause", "rank", "shown", "layers"),
        **picked(finding, "touches_ms", "saves_ms", "ms", "ms_kind"),
        "message": Sentence.of(finding.why),
        "advice": finding.advice,
        "evidence": [{"line": fact.line, "text": fact.text} for fact in finding.evidence],
        "source": list(finding.rule.sources),
    }
