"""The findings for machines: SARIF 2.1.0, and annotations of GitHub Actions."""

import json
from pathlib import Path
from typing import Any

import pytest
import sarif_schema
from paths import CENTERNET
from program import Patch, Printed, Program

from engine_layer_visualize.documents.markup import artifact_uri
from engine_layer_visualize.linting.rules import all_rules
from lint.test_command import log_of, times_of


def run_of(here: Program, *words: str, code: int = 0) -> Any:
    document = json.loads(here("lint", *words, "--format", "sarif", code=code).stdout)
    assert document["version"] == "2.1.0" and len(document["runs"]) == 1
    return document["runs"][0]


@pytest.fixture
def folder(folder: Path) -> Path:
    """A folder with `logs/build.log` and `prof.txt`, which is the working directory."""
    (folder / "logs").mkdir()
    (folder / "logs" / "build.log").write_text(log_of("conv1"))
    (folder / "prof.txt").write_text(times_of("conv1"))
    return folder


# ---- SARIF -------------------------------------------------------------------------------------


def test_sarif_is_what_its_schema_says(folder: Path, printed: Printed) -> None:
    for words in (["logs/build.log", "prof.txt"], [CENTERNET], [CENTERNET, "logs/build.log"]):
        sarif_schema.validate(printed("lint", *words, "--format", "sarif"))


def test_a_rule_s_page_is_a_link(folder: Path, monkeypatch: Patch, here: Program) -> None:
    pages = "https://code.example/blob/v1/docs/findings.md"
    monkeypatch.setattr("engine_layer_visualize.linting.rules.PAGES", pages)
    rules = run_of(here, "logs/build.log")["tool"]["driver"]["rules"]
    (rule,) = (one for one in rules if one["id"] == "F02")
    assert rule["helpUri"] == f"{pages}#f02-reformat-at-input"


def test_sarif_names_rule_log_line_and_stake(folder: Path, here: Program) -> None:
    run = run_of(here, "logs/build.log", "prof.txt", "--select", "F02,F03")
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(all_rules())
    (result,) = run["results"]
    assert result["ruleId"] == "F03"
    rule = rules[result["ruleIndex"]]
    assert rule["id"] == "F03"
    assert "helpUri" not in rule, "a relative one is none"
    assert rule["help"]["markdown"].startswith("A reformat stands between")
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "logs/build.log"}, "region": {"startLine": 4}}
    assert result["level"] == "note"
    start = "touches 100 µs, 10.0 % (measured); could save 100 µs\nlayers 0 `"
    assert result["message"]["text"].startswith(start)
    assert "\ntry: take this output" in result["message"]["text"]
    assert result["properties"]["cause"] == "types-at-the-ends"
    assert run["invocations"][0]["executionSuccessful"] is True


def test_a_finding_keeps_its_fingerprint_in_another_build(folder: Path, here: Program) -> None:
    def prints(name: str) -> list[str]:
        text = log_of("conv0", name).replace("a_conv0[Half", "a_conv0[Int8")  # two changes
        (folder / "logs" / "build.log").write_text(text)
        results = run_of(here, "logs/build.log", "--select", "F02")["results"]
        return [one["partialFingerprints"]["layers/v1"] for one in results]

    one, other = prints("__myl_Conv_myl0_3"), prints("__myl_Conv_myl2_7")
    assert one == other and len(one) == 1
    assert prints("conv2") != one != prints("__myl_Add_myl0_3")


TORN = log_of("conv1").replace("Tactic: 5, ", "")


@pytest.mark.parametrize(
    ("text", "strict", "exit"),
    [(TORN, (), 1), ("no listing\n", (), 3), ("no listing\n", ("--strict",), 3)],
)
def test_sarif_says_that_something_could_not_be_read(
    folder: Path, here: Program, text: str, strict: tuple[str, ...], exit: int
) -> None:
    (folder / "logs" / "build.log").write_text(text)
    shown = here("lint", "logs/build.log", *strict, "--format", "sarif", code=exit).stdout
    sarif_schema.validate(shown)
    (run,) = json.loads(shown)["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False and (exit == 1 or run["results"] == [])


def test_an_unreadable_log_is_told_beside_another(folder: Path, here: Program) -> None:
    (folder / "logs" / "build.log").write_text("no listing\n")
    (folder / "good.log").write_text(log_of("conv1"))
    for others in ([], ["good.log"]):
        told = here("lint", *others, "logs/build.log", "--format", "json", code=3).stdout
        document = json.loads(told)
        assert len(document["engines"]) == len(others)
        problems = [(one["file"], one["code"]) for one in document["problems"]]
        assert problems == [("build.log", "ELV402")]


@pytest.mark.parametrize("format", ["text", "markdown", "github"])
def test_without_an_engine_nothing_is_printed(folder: Path, format: str, here: Program) -> None:
    assert here("lint", "--log_file", "none.log", "--format", format, code=2).stdout == ""


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/c%.log", "a%20b/c%25.log"),
        ("<stdin>", "%3Cstdin%3E"),
        ("/x/ä.log", "file:///x/%C3%A4.log"),
        ("\udcff.log", "%5Cudcff.log"),
    ],
)
def test_a_path_is_a_uri(path: str, uri: str) -> None:
    assert artifact_uri(path) == uri


# ---- GitHub ------------------------------------------------------------------------------------


def test_an_annotation_has_its_file_and_line(folder: Path, printed: Printed) -> None:
    text = printed("lint", "logs/build.log", "prof.txt", "--select", "F02", "--format", "github")
    assert text.startswith(
        "::notice file=logs/build.log,line=2,title=F02 reformat-at-input::"
        "touches 20.0 µs, 2.0 %25 (measured); could save 20.0 µs%0Alayer 0 `"
    )
    assert text.count("\n") == 1
