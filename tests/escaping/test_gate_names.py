"""Names of layers in the verdicts of a gate: in a comment, in XML, in a workflow's commands."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from gate import judgements

from engine_layer_visualize.api.draw import render_verdict
from engine_layer_visualize.core.text import shorten, visible
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.reports.gate import GateOptions
from escaping.poison import POISON

pytest.importorskip("markdown_it")
pytest.importorskip("linkify_it")

FOUND = judgements.of_layers(POISON, reasons=[Name(name) for name in POISON])
MORE = " and 1 more"


def text(format: str) -> str:
    return "".join(render_verdict(FOUND, format, GateOptions()))


def test_a_comment_has_our_own_markup_alone() -> None:
    from escaping.test_markdown_names import MARKUP, texts, tokens

    page = text("markdown")
    ours = {"bullet_list_open", "html_block"}
    assert {token.type for token in tokens(page)} & MARKUP == ours
    raw = [token.content for token in tokens(page) if token.type == "html_block"]
    assert [line.strip() for line in raw] == [
        "<!-- elv-gate:engine -->",
        f"<details><summary>{len(POISON) - 10} more groups of layers</summary>",
        "</details>",
    ]
    read = texts(page)
    for name in POISON:
        # The table has it as a cell.
        assert shorten(visible(name), 200).strip() + MORE in [cell.strip() for cell in read]
    # In code nobody is mentioned.
    plain = "".join(
        child.content
        for token in tokens(page)
        for child in token.children or []
        if child.type != "code_inline"
    )
    assert "@" not in plain and any("@" in name for name in POISON)


def test_xml_has_every_name() -> None:
    cases = ElementTree.fromstring(text("junit")).iter("testcase")
    found = [case.get("name") for case in cases]
    assert found[-len(POISON) :] == [f"layers: {visible(name)}{MORE}" for name in POISON]


def test_a_name_is_no_command_of_a_workflow() -> None:
    lines = text("github").split("\n")
    assert lines.pop() == ""
    assert all(line.startswith("::error title=Gate engine") for line in lines)
    assert len(lines) == 10 and all(map(str.isprintable, lines))


@pytest.mark.parametrize("format", ["json", "sarif"])
def test_json_is_json(format: str) -> None:
    found = json.loads(text(format))
    if format == "json":
        assert [group["layers"][0] for group in found["gate"]["groups"]] == list(POISON)


def test_a_terminal_gets_no_control_characters() -> None:
    assert all(line.isprintable() for line in text("text").split("\n"))
