"""Writes a sweep as JSON of schema 1 (docs/sweep.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine_layer_visualize.comparison.sweep.trials import Sweep
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.fields.json import problem_json
from engine_layer_visualize.fields.objects import picked, plain


def render(sweep: Sweep, options: ReportOptions) -> Iterator[str]:
    """`{"schema": 1, "sweep": {...}, "problems": [...]}` in pieces."""
    head = {**picked(sweep, "of", "kind", "base", "best", "told_best", "unfinished")}
    yield '{"schema": 1, "sweep": ' + json.dumps(head)[:-1] + ', "knobs": ['
    for number, knob in enumerate(sweep.knobs):
        row = {
            **picked(knob.effect, "knob", "value", "against", "change", "least", "most", "pairs"),
            "changed": plain(knob.changed),
        }
        yield ("," if number else "") + json.dumps(row)
    yield '], "builds": ['
    for number in range(len(sweep.trials)):
        yield ("," if number else "") + json.dumps(_build(sweep, number))
    left = json.dumps([problem_json(problem) for problem in sweep.problems])
    yield f']}}, "problems": {left}}}\n'


def _build(sweep: Sweep, number: int) -> dict[str, JsonValue]:
    trial = sweep.trials[number]
    return {
        **picked(trial, "name", "route", "failure", "accuracy_loss"),
        "ms": sweep.ms(number),
        "change": sweep.change(number),
        "layers": None if trial.costs is None else len(trial.costs.layers),
        "changed": plain(sweep.changed[number]),
    }
