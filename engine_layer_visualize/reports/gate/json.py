"""Writes a verdict as JSON of schema 1 (docs/gate.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine_layer_visualize.comparison.gate.verdict import Judgement
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.fields.objects import picked
from engine_layer_visualize.reports.gate.options import GateOptions


def render(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One object, and a line break."""
    del options
    yield json.dumps({"schema": 1, "gate": data(judgement)}) + "\n"


def data(judgement: Judgement) -> JsonValue:
    """The object of the key `gate`."""
    total = judgement.total
    return {
        "verdict": judgement.verdict,
        "reasons": [plain(reason) for reason in judgement.reasons],
        "total": {
            **picked(total, "baseline_ms", "new_ms", "slowdown"),
            "interval": None if total.interval is None else [*total.interval],
            "runs": [*total.runs],
        },
        "groups": [
            {**picked(group, "layers", "slowdown", "ms", "verdict")} for group in judgement.groups
        ],
    }
