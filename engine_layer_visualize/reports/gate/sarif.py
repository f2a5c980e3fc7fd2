"""Writes a verdict as SARIF 2.1.0: a result for each thing that did not pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.comparison.gate.layers import Verdict
from engine_layer_visualize.comparison.gate.verdict import CheckName, Judgement
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.documents.ci_syntax import artifact_uri
from engine_layer_visualize.reports.gate import page
from engine_layer_visualize.reports.gate.options import GateOptions

_MAX_RESULTS: Final = 5_000  # results of a run that GitHub shows
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[dict[Verdict, str]] = {
    "fail": "error", "unsure": "warning", "not_comparable": "error",
}  # fmt: skip


def render(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One run; of layers those that cost the most."""
    found: list[tuple[CheckName, Verdict, str]] = [
        (check.name, check.verdict, " ".join(map(plain, check.reasons)))
        for check in judgement.checks
        if check.verdict in _LEVELS
    ]
    for group in page.noted(judgement)[: _MAX_RESULTS - len(found)]:
        assert group.verdict is not None
        found.append(("layers", group.verdict, page.sentence(group)))
    artifact: JsonValue = {
        "artifactLocation": {"uri": artifact_uri(judgement.new)},
        "region": {"startLine": 1},  # code hosts show no result without a line
    }
    results: list[JsonValue] = [
        {
            "ruleId": f"gate-{name}",
            "level": _LEVELS[verdict],
            "message": {"text": text},
            "locations": [{"physicalLocation": artifact}],
        }
        for name, verdict, text in found
    ]
    rules: list[JsonValue] = [
        {"id": f"gate-{name}", "shortDescription": {"text": f"The gate: {called}"}}
        for name, called in page.CHECKED.items()
    ]
    driver = {"name": "engine_layer_visualize", "version": options.version, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"
