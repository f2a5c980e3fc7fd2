"""`--format brief` of real logs: at most 6 kB, with the findings that `lint` has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded_logs import LOGS, build_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render_comparison, render_findings, render_report
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.linting.selection import selected
from engine_layer_visualize.reports.brief import MOST

pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")


def small(text: str) -> Any:
    assert len(text.encode("utf-8", "backslashreplace")) <= MOST
    assert text.isprintable()
    return json.loads(text)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_it_is_small_and_true(path: Path) -> None:
    build = build_of(path)
    engines = [engine_words.with_shown_files(engine, full_paths=False) for engine in build.engines]
    told = [selected(Costs(engine)) for engine in engines]
    document = small("".join(render_report(engines, "brief", ReportOptions())))
    found = small("".join(render_findings([*told, *build.problems], "brief", ReportOptions())))
    by_number = {one.costs.engine.index: one for one in told}
    for of_log in (document, found):
        assert len(of_log["engines"]) + of_log["engines_left"] == len(engines)
    for engine in (*document["engines"], *found["engines"]):
        one = by_number[engine["engine"]]
        assert len(engine["causes"]) + engine["causes_left"] == len(one.findings)
        for cause, finding in zip(engine["causes"], one.findings):
            assert cause["code"] == finding.code
            assert tuple(cause["layers"]) == finding.layers[: len(cause["layers"])]
            assert len(cause["layers"]) + cause["layers_left"] == len(finding.layers)
    both = compare(Costs(engines[0]), Costs(engines[-1]))
    small(render_comparison([both], build.problems, "brief", ReportOptions()))


@pytest.mark.parametrize(
    # Line 266 of 147; the other two measure no inference while they profile.
    ("number", "ms"),
    [("147", 0.498791), ("128", None), ("131", None)],
)
def test_layers_are_not_summed_to_an_inference(number: str, ms: float | None) -> None:
    (path,) = (path for path in LOGS if path.name.startswith(number))
    told = small("".join(render_report(build_of(path).engines, "brief", ReportOptions())))
    assert [engine["inference_ms"] for engine in told["engines"]] == [ms]
