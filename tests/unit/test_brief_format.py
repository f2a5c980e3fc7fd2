"""`--format brief`: a few kilobytes for any engine, which say how much they leave out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from factories import chain
from paths import FIXTURES

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render_comparison, render_findings, render_report
from engine_layer_visualize.api.read import read
from engine_layer_visualize.commands import cli
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.model import Engine, Join, Timing
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents.fitting import Listed, Said, fitted
from engine_layer_visualize.linting.selection import Selection, selected
from engine_layer_visualize.reports.brief import ENGINES, MOST

LOG = FIXTURES / "classic" / "8.0-centernet.log"
TIMES = FIXTURES / "classic" / "8.0-centernet.profile.json"
NAMES = {
    "long": "encoder/layer.{}/" + "attention" * 500,
    "wide": "🙂" * 4_000 + "{}",
    "quoted": '\\"' * 2_000 + "{}",
    "control": "\x00\x1b\u202e" * 1_000 + "{}",
}


def summary(*engines: Engine) -> Any:
    text = "".join(render_report(engines, "brief", ReportOptions()))
    assert len(text.encode()) <= MOST
    return json.loads(text)


def lint(*engines: Engine, problems: Iterable[Problem] = ()) -> Any:
    found = [selected(Costs(engine), Selection()) for engine in engines]
    text = "".join(render_findings([*found, *problems], "brief", ReportOptions()))
    assert len(text.encode()) <= MOST
    return json.loads(text)


def compared(a: Engine, *others: Engine) -> Any:
    found = [compare(Costs(a), Costs(b)) for b in others]
    text = render_comparison(found, (), "brief", ReportOptions())
    assert len(text.encode()) <= MOST
    return json.loads(text)


def timed(engine: Engine, ms: float = 0.01) -> Engine:
    layers = tuple(
        replace(layer, time=Timing(ms * (1 + layer.index % 7))) for layer in engine.layers
    )
    number = len(layers)
    return replace(engine, layers=layers, profile=Join("p", number, number, number, (), ()))


def centernet() -> Engine:
    return read(LOG, TIMES).engines[0]


def test_it_has_what_lint_finds_and_where_the_time_is() -> None:
    engine = centernet()
    (found,) = summary(engine)["engines"]
    told = selected(Costs(engine), Selection())
    assert [cause["code"] for cause in found["causes"]] == [one.code for one in told.findings]
    assert found["header"] == list(told.header) and found["header_left"] == 0
    assert found["causes"][0]["layers"] == [39, 41, 43]
    assert found["causes"][0]["lines"] == [53, 55, 57]
    assert found["causes"][0]["touches_ms"] == pytest.approx(0.589672)
    assert found["coverage"] == "54 of 54 layers timed, measured, 961 runs"
    slow = found["slowest"][0]
    assert (slow["index"], slow["line"], slow["does"]) == (43, 57, "ConvTranspose")
    assert len(found["slowest"]) + found["slowest_left"] == 54
    assert [row["module"] for row in found["modules"]][:2] == ["deconv_layers", "layer3"]
    members = [layer for layer in engine.layers if layer.name.startswith("deconv_layers")]
    assert found["modules"][0]["layers"] == len(members)
    assert found["modules"][0]["ms"] == pytest.approx(Costs(engine).sum(members), rel=1e-5)


def test_lint_and_summary_say_the_same_where_nothing_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = []
    for words in (["summary"], ["lint"], ["lint", "--ignore", "H"]):
        assert cli.main([*words, str(LOG), str(TIMES), "--format", "brief"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert [cause["code"] for cause in said[2]["engines"][0]["causes"]] == ["F03"]


def test_a_comparison_has_its_causes_and_groups() -> None:
    a, b = (read(FIXTURES / "comparison" / f"{name}.log").engines[0] for name in ("fp16", "int8"))
    document = compared(a, b)
    (found,) = document["comparisons"]
    assert found["header"].startswith("B is 1.57 × faster (442 µs → 281 µs): 5 layers went from")
    assert sum(cause["ms"] for cause in found["causes"]) == pytest.approx(found["delta_ms"])
    assert found["causes"][0] == {
        "cause": "precision", "says": "other precisions", "ms": -0.146,
        "a": [4, 3, 5, 1, 2], "a_left": 0, "b": [4, 3, 5, 1, 2], "b_left": 0,
    }  # fmt: skip
    assert found["modules"][0]["module"] == "/block1"
    assert (found["modules"][0]["ms_a"], found["modules"][0]["ms_b"]) == (0.172, 0.095)


def test_of_many_engines_the_longest_are_there() -> None:
    engines = [
        replace(timed(chain(*(f"c{at}" for at in range(5))), 0.01 * (1 + number % 6)), index=number)
        for number in range(12)
    ]
    document = summary(*engines)
    shown = [engine["engine"] for engine in document["engines"]]
    assert len(shown) + document["engines_left"] == 12
    assert set(shown) <= {4, 5, 10, 11} and shown == sorted(shown)
    assert lint(*engines)["engines"] == document["engines"]
    others = compared(engines[0], *engines[1:])
    assert len(others["comparisons"]) + others["comparisons_left"] == 11
    assert ENGINES >= len(others["comparisons"]) >= 1


def test_errors_stand_before_warnings() -> None:
    warnings = [Problem(Place("a.log", at + 1), "ELV203", f"warned {at}") for at in range(30)]
    problems = [*warnings, Problem(Place("b.log"), "ELV401", "not there")]
    document = lint(chain("a"), problems=problems)
    assert document["problems"][0]["code"] == "ELV401"
    assert len(document["problems"]) + document["problems_left"] == 31


def test_its_file_is_called_after_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [str(LOG), str(TIMES), "--format", "json,brief", "--output_dir"]
    for _ in range(2):  # the second time what stands there is replaced
        assert cli.main(["lint", *words, str(tmp_path / "out")]) == 0
        assert len(capsys.readouterr().out.split()) == 2
    assert json.loads((tmp_path / "out" / "lint.brief.json").read_text("utf-8"))["more"]
    one = tmp_path / "one.brief.json"
    assert cli.main(["lint", str(LOG), "--output_dir", str(one)]) == 0
    assert json.loads(one.read_text("utf-8"))["more"]


@pytest.mark.parametrize("what", ["brief", "brief_comparison"])
def test_the_commands_that_print_more_run(
    what: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = centernet()
    more = (summary(engine) if what == "brief" else compared(engine, engine))["more"]
    assert len(more) >= 2
    for row in more:
        given = {"LOG": str(LOG), "PROFILE": str(TIMES), "CODE": "H04"}
        assert cli.main([given.get(word, word) for word in row["command"].split()]) == 0
        assert capsys.readouterr().out


def fixtures() -> Iterable[Path]:
    for path in sorted(FIXTURES.glob("*/*")):
        if path.suffix in (".log", ".json") and not path.name.endswith(
            (".expected.json", ".profile.json")
        ):
            yield path


@pytest.mark.slow
def test_no_fixture_gives_more() -> None:
    seen = 0
    other = read(FIXTURES / "comparison" / "fp16.log").engines[0]
    for path in fixtures():
        try:
            engines = read(path, sorted(path.parent.glob(f"{path.stem}.*profile*"))).engines
        except ReadError:
            continue
        seen += len(summary(*engines)["engines"])
        assert lint(*engines)["engines"] and compared(other, *engines)["comparisons"]
    assert seen > 70


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_leave_it_small_and_visible(name: str) -> None:
    engine = timed(chain(*(NAMES[name].format(at) for at in range(40))))
    document = summary(engine)
    assert document["engines"][0]["slowest"]
    for other in (document, lint(engine), compared(engine, engine, engine, engine, engine)):
        assert json.dumps(other, ensure_ascii=False).isprintable()


def test_what_is_cut_is_counted() -> None:
    value = {
        "names": Listed([Name(f"{at} + " + "x" * 300) for at in range(20)], 5),
        "numbers": Listed(list(range(100))),
        "text": Said(("of ", Name("y" * 300), " and so on")),
        "ms": 0.1234567891,
    }
    text = fitted(value, 400)
    found = json.loads(text)
    assert len(text) <= 400
    assert len(found["names"]) + found["names_left"] == 25
    assert len(found["numbers"]) + found["numbers_left"] == 100
    assert all("…" in name for name in found["names"])
    assert found["text"].startswith("of yy") and found["text"].endswith("and so on")
    assert found["ms"] == 0.123457
    with pytest.raises(ValueError, match="cut to 10 bytes"):
        fitted(value, 10)
