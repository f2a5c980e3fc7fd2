"""One engine, all outputs: the same causes, in the same order, with the same numbers."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from logtext import exported, file_of, listing_of
from paths import FIXTURES
from program import Printed
from rendered import page_data

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.drawing.tooltips import EngineFindings
from engine_layer_visualize.facts.sentences import stakes

LOGS = ("classic/8.5-new-descriptors.log", "detailed/8.5-merged-dump.log", "comparison/int8.log")


class Outputs(NamedTuple):
    """`findings`: as Python has them; `words`: the files, as the commands take them."""

    findings: tuple[elv.Finding, ...]
    words: list[str]
    costs: Costs


@pytest.fixture(params=LOGS)
def given(request: pytest.FixtureRequest) -> Outputs:
    log: Path = FIXTURES / request.param
    profiles = [path for path in [log.with_suffix(".profile.json")] if path.exists()]
    (engine,) = elv.read(log, profiles, facts=True).engines
    found = elv.findings(engine)
    assert len(found) > 1 and any(one.saves_ms is not None for one in found)
    return Outputs(found, [str(log), *map(str, profiles)], Costs(engine))


def told(found: tuple[elv.Finding, ...]) -> list[tuple[Any, ...]]:
    return [(f.rank, f.code, [*f.layers], f.touches_ms, f.saves_ms, f.advice) for f in found]


def test_json_and_sarif(given: Outputs, printed: Printed) -> None:
    (lint,) = json.loads(printed("lint", *given.words, "--format", "json"))["engines"]
    (summary,) = json.loads(printed("summary", *given.words, "--format", "json"))["engines"]
    keys = ("rank", "code", "layers", "touches_ms", "saves_ms", "advice")
    for rows in (lint["findings"], summary["findings"]):
        assert [tuple(row[key] for key in keys) for row in rows] == told(given.findings)
        assert [row["cause"] for row in rows] == [one.cause for one in given.findings]
        assert [row["shown"] for row in rows] == [one.shown for one in given.findings]
    (run,) = json.loads(printed("lint", *given.words, "--format", "sarif"))["runs"]
    results = [{"code": one["ruleId"], **one["properties"]} for one in run["results"]]
    assert [tuple(row[key] for key in keys) for row in results] == told(given.findings)


def test_the_table(given: Outputs, tmp_path: Path, printed: Printed) -> None:
    words = ("--tables", "findings", "--format", "csv", "--output_dir", str(tmp_path))
    printed("table", *given.words, *words)
    (path,) = tmp_path.glob("*.csv")
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    for row, one in zip(rows, given.findings, strict=True):
        assert (row["rank"], row["code"], row["advice"]) == (str(one.rank), one.code, one.advice)
        for key, ms in (("touches_ms", one.touches_ms), ("ms", one.saves_ms)):
            assert float(row[key] or -1) == pytest.approx(-1 if ms is None else ms)


@pytest.mark.parametrize(
    "words",
    [
        ("lint",),
        ("lint", "--format", "markdown"),
        ("summary", "--sections", "findings"),
        ("summary", "--format", "markdown", "--sections", "findings"),
    ],
    ids=" ".join,
)
def test_first_screens(given: Outputs, words: tuple[str, ...], printed: Printed) -> None:
    """A row for each finding that is shown."""
    command, *flags = words
    text = printed(command, *given.words, *flags, "--width", "200")
    rows = [line.replace("|", " ").split() for line in text.split("\n")]
    codes = {one.code for one in given.findings}
    rows = [row for row in rows if row and row[0].isdigit() and codes.intersection(row)]
    shown = [one for one in given.findings if one.shown]
    assert [row[0] for row in rows] == [str(one.rank) for one in shown]
    for row, one in zip(rows, shown):
        line = " ".join(row)
        assert one.code in row
        for ms in (one.touches_ms, one.saves_ms):
            assert ms is None or milliseconds(ms) in line, line


def test_pages_with_all_that_is_known(given: Outputs, printed: Printed) -> None:
    for flags in (("--format", "text"), ("--format", "markdown")):
        text = printed("lint", *given.words, *flags, "--full", "--width", "200")
        heads = re.findall(r"^\W*(\d+)\\?\. ([A-Z]\d\d) (.*)$", text, re.MULTILINE)
        assert [(rank, code) for rank, code, _ in heads] == [
            (str(one.rank), one.code) for one in given.findings
        ]
        for (*_, rest), one in zip(heads, given.findings):
            assert all(words in rest for words in stakes(one, given.costs))


def test_the_interactive_page(given: Outputs, tmp_path: Path, printed: Printed) -> None:
    printed("draw", *given.words, "--format", "html", "--output_dir", str(tmp_path))
    (path,) = tmp_path.glob("*.html")
    (data,) = page_data(path.read_text("utf-8"), "engine-data")
    found, strings = data["findings"], data["strings"]
    codes = [strings[rule[0]] for rule in found["rules"]]
    rows = found["list"]
    assert found["counts"] == [len(given.findings)]
    assert [codes[number] for number in rows["rule"]] == [one.code for one in given.findings]
    given_of = {"saves": "saves_ms", "shown": "shown"}
    for key, name in given_of.items():
        assert rows[key] == [getattr(one, name) for one in given.findings], key
    assert rows["layers"] == [[*one.layers] for one in given.findings]
    words = ["  ·  ".join(stakes(one, given.costs)) for one in given.findings]
    estimated = " (estimated)" * given.costs.estimated
    assert [strings[n] for n in rows["stake"]] == [each and each + estimated for each in words]
    assert [strings[text] for text in rows["advice"]] == [one.advice for one in given.findings]


def test_tooltips(given: Outputs) -> None:
    """Each layer's has its finding, with the time of all of its layers."""
    shown = EngineFindings(given.costs)
    for one in given.findings:
        for index in one.layers:
            head = "\n".join(shown.lines(given.costs.engine.layers[index]))
            assert f"{one.code} {one.rule.name}" in head and f"try: {one.advice}" in head
            assert ", ".join(stakes(one, given.costs)) in head


def test_a_finding_of_which_a_layer_has_no_time(tmp_path: Path, printed: Printed) -> None:
    names = [f"c{number}" for number in range(4)]
    log = file_of(
        tmp_path,
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx\n"
        "[I] === Build Options ===\n[I] Precision: FP32\n"
        "[I] === Device Information ===\n[I] Compute Capability: 8.6\n"
        + listing_of(*names, tensor="Float[1,64,32,32]"),
    )
    for timed in (names, names[:3]):
        profile = file_of(tmp_path, exported(*((name, 0.1) for name in timed)), "profile.json")
        (engine,) = elv.read(log, profile).engines
        costs = Costs(engine)
        (one,) = (each for each in elv.findings(engine) if each.code == "P15")
        least = "at least " if timed != names else ""
        (words,) = stakes(one, costs)
        assert words.startswith(f"touches {least}{milliseconds(one.touches_ms or 0)}, 100.0 %")
        assert words in " ".join(EngineFindings(costs).lines(engine.layers[0]))
        text = printed("summary", str(log), str(profile), "--sections", "findings")
        assert ("≥ " in text) is bool(least)
