"""Names in findings: text, Markdown, JSON, SARIF and annotations, each read by its reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render_findings
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents.markup import unlinked
from engine_layer_visualize.linting.finding import Evidence, Finding
from engine_layer_visualize.linting.rules import all_rules
from engine_layer_visualize.linting.selection import Selected
from escaping.poison import POISON
from escaping.test_markdown_names import MARKUP, tokens
from escaping.test_terminal_names import on_a_terminal, sane

# As SARIF 2.1.0 has it: in the text of a link, brackets and backslashes are escaped.
LINK = re.compile(r"(?<!\\)(?:\\\\)*\[(?:[^\\\[\]]|\\.)+\]\([^)]+\)")
ESCAPED = re.compile(r"\\([\\\[\]])")
RULE = all_rules()["F02"].rule


def findings(engine: Engine) -> Iterator[Finding]:
    """A finding for each layer, with its name in each text that may have one."""
    for layer in engine.layers:
        why = ("of `", Name(layer.name), "`")
        evidence = (Evidence(layer.name, layer.place.line),)
        yield Finding(RULE, (layer.index,), 0.01, why, "do this", evidence, "measured")


def rendered(engine: Engine, format: str) -> str:
    found = Selected(Costs(engine), tuple(findings(engine)))
    problems = (Problem(Place(name, 1), "ELV101", name) for name in POISON)
    options = ReportOptions(full=True)
    return "".join(render_findings([found, *problems], format, options))


def test_text_does_nothing_to_a_terminal(poisoned: Engine) -> None:
    sane(rendered(poisoned, "text"))


def test_the_command_sends_the_terminal_nothing_but_colors(
    environment: dict[str, str], poison_file: Path, tmp_path: Path
) -> None:
    for format in ("text", "github"):
        words = ("lint", "--log_file", str(poison_file), "--format", format)
        code, text = on_a_terminal(environment, tmp_path, *words, "--quiet")
        assert code == 0
        sane(text)


def test_markdown_has_no_markup_of_a_name(poisoned: Engine) -> None:
    found = {token.type for token in tokens(rendered(poisoned, "markdown"))}
    assert not found & (MARKUP - {"code_inline"})  # our own advice names commands


def test_json_has_the_names_as_they_are(poisoned: Engine) -> None:
    document = json.loads(rendered(poisoned, "json"))
    (engine,) = document["engines"]
    assert [one["message"] for one in engine["findings"]] == [f"of `{name}`" for name in POISON]
    assert [one["evidence"][0]["text"] for one in engine["findings"]] == list(POISON)
    assert list(engine["layer_names"].values()) == list(POISON)
    assert [one["message"] for one in document["problems"]] == list(POISON)


def test_sarif_has_the_names_spelled(poisoned: Engine) -> None:
    (run,) = json.loads(rendered(poisoned, "sarif"))["runs"]
    assert len(run["results"]) == len(POISON)
    for name, result in zip(POISON, run["results"]):
        if len(name) < 100:
            text = result["message"]["text"]
            assert f"of `{visible(name)}`" in (ESCAPED.sub(r"\1", text) if "](" in name else text)


def test_sarif_has_no_link_of_a_name(poisoned: Engine) -> None:
    (run,) = json.loads(rendered(poisoned, "sarif"))["runs"]
    (invocation,) = run["invocations"]
    told = [*run["results"], *invocation["toolExecutionNotifications"]]
    texts = [one["message"]["text"] for one in told]
    assert len(texts) == 2 * len(POISON)
    assert [text for text in texts if LINK.search(text)] == []
    assert sum("\\](" in text for text in texts) >= 2


@pytest.mark.parametrize(
    "name", ["a [b](c)", r"a [b\](c)", r"a \[b](c)", r"a [b\\](c)", "[[a](b)](c)"]
)
def test_what_would_be_a_link_is_none(name: str) -> None:
    assert not LINK.search(unlinked(name))
    assert ESCAPED.sub(r"\1", unlinked(name)) == name
    assert LINK.search("a [b](c)") and unlinked("{ForeignNode[a...b]}") == "{ForeignNode[a...b]}"


@pytest.mark.parametrize("file", ["build.log", "a,b:c%0A\n::error::x.log"])
def test_an_annotation_is_one_command(poisoned: Engine, file: str) -> None:
    """As the runner of GitHub Actions reads them: line by line, the first `::` ends the head."""
    engine = replace(poisoned, source=replace(poisoned.source, file=file))
    lines = rendered(engine, "github").split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(POISON)
    for name, line in zip(POISON, lines):
        head, data = re.fullmatch(r"::notice ([^\x00-\x1f]*?)::(.*)", line).groups()  # type: ignore[union-attr]
        properties = dict(part.split("=", 1) for part in head.split(","))
        assert list(properties) == ["file", "line", "title"]
        assert decoded(properties["file"]) == visible(file)
        assert len(name) > 100 or f"of `{visible(name)}`" in decoded(data)


def decoded(text: str) -> str:
    """As the runner does."""
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text
