"""Queries: what `--query` finds, and what is said of those that cannot be read.

tests/viewer/test_viewer.py holds the page to the same cases.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from factories import layer, linked
from paths import ROOT
from queries import CASES, ERRORS, REGEXES, engine

from engine_layer_visualize import part
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import cli
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.facts.query import COMPARED, FIELDS, parse
from engine_layer_visualize.facts.search import Searched
from engine_layer_visualize.linting.subject import Subject


@pytest.fixture(scope="module")
def searched() -> Searched:
    return Searched(Subject(Costs(engine())))


@pytest.mark.parametrize(("query", "found"), CASES)
def test_a_query_finds(query: str, found: list[int], searched: Searched) -> None:
    assert sorted(searched.find(parse(query))) == found


@pytest.mark.parametrize(("query", "column", "message"), ERRORS)
def test_a_query_that_cannot_be_read_says_where(query: str, column: int, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse(query)
    problem = caught.value.problem
    assert (problem.code, problem.place.column) == ("ELV410", column)
    assert problem.message.startswith(message)
    assert problem.excerpt[: problem.caret] == query[: column - 1]
    assert problem.expected


@pytest.mark.parametrize(("query", "regex"), REGEXES)
def test_signs_of_a_regular_expression_are_seen(query: str, regex: str) -> None:
    assert parse(query).as_regex == regex


def test_every_field_has_an_example_and_a_case_and_stands_in_the_docs() -> None:
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    for name, field in FIELDS.items():
        assert parse(field.example).any_of[0][0].field == name
        assert f"| `{field.example}` | {field.about}" in text
        assert any(query.lower().lstrip("-").startswith(name) for query, _ in CASES)


def test_the_docs_name_no_other_field() -> None:
    """In queries, which stand where queries and searches are told of."""
    found = set()
    for path in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"):
        section = ""
        for line in path.read_text("utf-8").splitlines():
            section = line if line.startswith("#") else section
            if not re.search("quer|search|queries", f"{section} {line}", re.IGNORECASE):
                continue
            known = COMPARED if path.name == "compare.md" else FIELDS
            for query in re.findall(r'`([^`]+)`|--query "(.+)"', line):
                names = re.findall(r"(?:^|\s)-?([a-z]+)(?=:|[<>]=?)", "".join(query))
                found |= {(path.name, name) for name in names if name in known}
                unknown = [name for name in names if name not in known]
                assert unknown in ([], ["aten"], ["precision"], ["memory"]), (path.name, line)
    assert {name for page, name in found if page == "reference.md"} == set(FIELDS)
    assert {("reading-the-picture.md", "type"), ("compare.md", "change")} <= found


def test_no_name_of_a_field_is_written_for_another() -> None:
    instead = [word for field in FIELDS.values() for word in field.instead]
    assert len({*instead, *FIELDS}) == len(instead) + len(FIELDS)


def test_times_are_of_the_statistic() -> None:
    costs = Costs(engine(), statistic="median")
    assert Searched(Subject(costs)).find(parse("time<150us")) == {0, 1}


def test_a_text_is_searched_as_it_is_shown() -> None:
    of = linked(layer(0, "a\x1b[31m", [], ["t"]), layer(1, "b", ["t"], []))
    assert Searched(Subject(Costs(of))).find(parse(r"\x1b[31m")) == {0}


def test_part_takes_queries_and_patterns() -> None:
    of = engine()
    assert [layer.index for layer in part(of, query="type:conv -relu").layers] == [2, 3]
    found = part(of, query=re.compile("^Conv_1$"))  # capitals count, as its flags say
    assert [layer.index for layer in found.layers] == [2]
    assert "--query /^Conv_1$/" in found.words
    with pytest.raises(ReadError, match=r"/\^conv_1\$/ leaves no layer to show$"):
        part(of, query=re.compile("^conv_1$"))


def test_the_command_line_points_at_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text(
        "Engine Layer Information:\n"
        "Layer(Conv): Conv_1, Tactic: 1, x[Float(1)] -> y[Float(1)]\n"
        "Layer(Pool): end, Tactic: 1, y[Float(1)] -> z[Float(1)]\n"
    )
    assert cli.main(["--log_file", "a.log", "--query", "end tpye:pool"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("--query:1:5: error[ELV410]: no field 'tpye'; did you mean type? ")
    assert told[1] == "  end tpye:pool"
    assert told[2].startswith("      ^ expected a field")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log"]
    assert cli.main(["--log_file", "a.log", "--query", "Conv_1.*"]) == 3
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith("no layer to show; write /Conv_1.*/ for a regular expression")
    assert cli.main(["--log_file", "a.log", "--query", "/conv_1.*/"]) == 0
    assert "1 of 2 layers shown (--query /conv_1.*/)" in capsys.readouterr().out


def test_a_query_reads_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates stand in messages that drawing as dot does not read by itself."""
    monkeypatch.chdir(tmp_path)
    log = (
        "[V] [TRT] *************** Autotuning format combination: Float(1) -> Float(1) ******\n"
        "[V] [TRT] --------------- Timing Runner: {0} (CaskConvolution)\n"
        "[V] [TRT] Tactic: 1 Time: {1}\n"
        "[V] [TRT] Fastest Tactic: 1 Time: {1}\n"
        "[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 1\n"
    )
    Path("a.log").write_text(
        log.format("slow", "0.5") + log.format("fast", "0.1") + "[V] [TRT] Engine Layer "
        "Information:\n"
        "[V] [TRT] Layer(CaskConvolution): slow, Tactic: 1, x[Float(1)] -> y[Float(1)]\n"
        "[V] [TRT] Layer(CaskConvolution): fast, Tactic: 1, y[Float(1)] -> z[Float(1)]\n"
    )
    assert cli.main(["--log_file", "a.log", "--query", "time>50%"]) == 0
    assert "slow" in Path("EngineLayers_0.dot").read_text()
    assert "1 of 2 layers shown" in Path("EngineLayers_0.dot").read_text()
