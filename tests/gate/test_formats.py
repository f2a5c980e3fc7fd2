"""Each format of a verdict, read by what it is made for; the words of each verdict."""

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
import sarif_schema

from engine_layer_visualize.api.draw import GATES, render_verdict
from engine_layer_visualize.comparison.gate import judge
from engine_layer_visualize.comparison.verdict import Limits
from engine_layer_visualize.core.options import ReportOptions
from gate import judgements
from gate.made_runs import of_runs


def shown(verdict: str, format: str, **options: Any) -> str:
    found = judgements.ALL[verdict]
    return "".join(render_verdict(found, format, ReportOptions(width=100, **options)))


@pytest.mark.parametrize("format", tuple(GATES))
def test_every_verdict_is_shown(format: str) -> None:
    nothing = judge(of_runs("a"), of_runs("b"), Limits(slowdown=None))
    for verdict in (*judgements.ALL.values(), nothing):
        assert "".join(render_verdict(verdict, format, ReportOptions())).endswith("\n")
    assert all(verdict == one.verdict for verdict, one in judgements.ALL.items())


# ---- text, Markdown ----------------------------------------------------------------------------


def test_text() -> None:
    text = shown("fail", "text")
    assert "Gate engine failed: 1.00 ms → 1.10 ms (+10.0 %), 3 and 3 runs" in text
    assert "P01 in conv" in text
    assert re.search(r"\+50\.0 % +\+500 µs +1\.00 ms +1\.50 ms +conv and 1 more", text)
    assert "not comparable (1.00 ms → 3.00 ms" in shown("not comparable", "text")


def test_markdown() -> None:
    text = shown("fail", "markdown", name="resnet/int8")
    first, head, *_ = text.split("\n")
    assert first == "<!-- elv-gate:resnet/int8 -->"
    assert head == "### Gate resnet/int8 failed: 1.00 ms → 1.10 ms (+10.0 %), 3 and 3 runs"
    assert "\n* The engine takes 10.0 % more time" in text
    assert "\n\n| change |" in text


def test_the_ten_worst_stand_first() -> None:
    found = judgements.of_layers([f"layer {number}" for number in range(25)])
    text = "".join(render_verdict(found, "markdown", ReportOptions()))
    assert text.count("\n| +50.0 %") == 10
    assert text.endswith("\n15 groups of layers more: `--full` has all.\n")
    text = "".join(render_verdict(found, "markdown", ReportOptions(full=True)))
    assert text.count("\n| +50.0 %") == 25 and "groups of layers more" not in text


@pytest.mark.parametrize("name", ["", "-->", "a--b", "a\nb", "<b>", "x" * 101, "@you", "a>b", "é"])
def test_a_name_that_would_end_the_marker(name: str) -> None:
    with pytest.raises(ValueError, match="name of a gate"):
        shown("pass", "markdown", name=name)


# ---- for programs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "style"), [("pass", "1;32"), ("fail", "1;31"), ("unsure", "1")]
)
def test_a_terminal_shows_pass_green_and_fail_red(verdict: str, style: str) -> None:
    said = shown(verdict, "text", color=True)
    assert f"\x1b[{style}mGate engine" in said


def test_junit() -> None:
    tree = ElementTree.fromstring(shown("fail", "junit"))
    (suite,) = tree
    assert {**suite.attrib} == {
        "name": "gate engine", "tests": "3", "failures": "2", "errors": "0", "skipped": "0",
    }  # fmt: skip
    assert [[child.tag for child in case] for case in suite].count(["failure"]) == 2
    for verdict, tag in (("unsure", "skipped"), ("not comparable", "error")):
        assert f"<{tag} message=" in shown(verdict, "junit")
    assert "><" not in shown("pass", "junit")


def test_sarif() -> None:
    for verdict in judgements.ALL:
        sarif_schema.validate(shown(verdict, "sarif"))
    found = json.loads(shown("fail", "sarif", version="1.2.3"))
    (run,) = found["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert found["version"] == "2.1.0" and run["tool"]["driver"]["version"] == "1.2.3"
    assert {result["ruleId"] for result in run["results"]} <= known
    assert [result["level"] for result in run["results"]] == ["error"] * 2
    (place,) = run["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "logs/new%20build.log"
    assert place["physicalLocation"]["region"] == {"startLine": 1}
    assert json.loads(shown("pass", "sarif"))["runs"][0]["results"] == []
    named = judgements.of_layers(["[a](b)"])
    assert "[a](b)" not in "".join(render_verdict(named, "sarif", ReportOptions()))


def test_github() -> None:
    (first,) = shown("fail", "github").splitlines()
    assert first.startswith(
        "::error title=Gate engine failed%3A 1.00 ms → 1.10 ms (+10.0 %25)%2C 3 and 3 runs,"
        "file=logs/new build.log::P01 in conv%0AThe engine takes 10.0 %25 more time"
    )
    assert "%0A" in first
    assert shown("unsure", "github").startswith("::warning ")
    assert shown("pass", "github").startswith("::notice ")
