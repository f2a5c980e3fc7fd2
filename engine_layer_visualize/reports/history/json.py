"""Writes a history as JSON of schema 1 (docs/history.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine_layer_visualize.comparison.history import sentences
from engine_layer_visualize.comparison.history.series import Histories, Series, Step
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.fields.json import problem_json
from engine_layer_visualize.fields.objects import picked, plain


def render(found: Histories, options: ReportOptions) -> Iterator[str]:
    """`{"schema": 1, "histories": [...], "history": {...}, "problems": [...]}` in pieces."""
    before = '{"schema": 1, "histories": ['
    for series in found.series:
        yield before + json.dumps(_series(series))
        before = ","
    left = json.dumps([problem_json(problem) for problem in found.problems])
    tail = f'], "history": {json.dumps(_first(found))}, "problems": {left}}}\n'
    yield f"{'' if found.series else before}{tail}"


def _first(found: Histories) -> dict[str, JsonValue]:
    """The history of the most builds in short, and the iterations of a search."""
    timed = [each for each in found.search.iterations if each.gpu_time]
    best = min(timed, key=lambda each: each.gpu_time or 0.0, default=None)
    builds: list[JsonValue] = []
    steps: list[JsonValue] = []
    for series in found.series[:1]:
        builds += [
            {"file": build.file, "total_ms": ms} for build, ms in zip(series.builds, series.ms)
        ]
        steps += [
            {"at": step.build, **picked(step, "before_ms", "after_ms")} for step in series.steps
        ]
    iterations: list[JsonValue] = [
        {
            "index": each.number,
            "route": each.route,
            "ms": each.gpu_time,
            "failed": bool(each.failure),
            "error": each.failure or None,
            "kept": each is best,
        }
        for each in found.search.iterations
    ]
    return {"builds": builds, "steps": steps, "iterations": iterations}


def _series(series: Series) -> dict[str, JsonValue]:
    return {
        **picked(series, "network", "kind", "noise"),
        "builds": [_build(series, place) for place in range(len(series.builds))],
        "steps": [_step(step) for step in series.steps],
        "modules": [
            {**picked(module, "name", "ms"), "steps": [_change(step) for step in module.steps]}
            for module in series.modules
        ],
        "reformats": plain(series.reformats),
    }


def _build(series: Series, place: int) -> dict[str, JsonValue]:
    build = series.builds[place]
    run = None if series.kind is None else build.times.get(series.kind)
    return {
        **picked(build, "label", "file", "conditions", "layers", "reformats"),
        "ms": series.ms[place],
        "runs": 0 if run is None else run.number,
        "note": sentences.note(series, place),
    }


def _change(step: Step) -> dict[str, JsonValue]:
    interval: JsonValue = None if step.interval is None else [*step.interval]
    keys = ("build", "until", "before_ms", "after_ms", "change")
    return {**picked(step, *keys), "interval": interval}


def _step(step: Step) -> JsonValue:
    return {**_change(step), **picked(step, "tensorrt", "reformats", "modules")}
