"""Names in reports: Markdown is read by a renderer of CommonMark with GitHub's tables and links."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from factories import engine_of
from gate import judgements
from summarised import blocks_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.compare import compare
from engine_layer_visualize.api.draw import LINTS, render_verdict
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Join, Timing
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import shorten, visible
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents.blocks import Grid, Heading, Paragraph
from engine_layer_visualize.documents.markup import set_page, unlinked
from engine_layer_visualize.linting.rules import Evidence, Finding, all_rules
from engine_layer_visualize.linting.selection import Selected, selected
from engine_layer_visualize.reports import gate, lint
from escaping.poison import POISON
from escaping.test_terminal_names import on_a_terminal, sane

markdown_it = pytest.importorskip("markdown_it")
pytest.importorskip("linkify_it")

MARKUP = {
    *("link_open", "image", "html_inline", "html_block", "em_open", "strong_open", "s_open"),
    *("code_block", "fence", "hr", "bullet_list_open", "ordered_list_open"),
    *("softbreak", "hardbreak"),
}
BREAK = "\u200b"  # after a sign that would mention somebody or something


def tokens(text: str) -> Iterator[Any]:
    for token in markdown_it.MarkdownIt("gfm-like").parse(text):
        yield token
        yield from token.children or ()


def texts(text: str) -> list[str]:
    """What is read, block by block."""
    found = markdown_it.MarkdownIt("gfm-like").parse(text)
    lines = ["".join(part.content for part in token.children) for token in found if token.children]
    return [line.replace(BREAK, "") for line in lines]


def as_read(name: str, width: int) -> str:
    return shorten(visible(name), width)


def spans(text: str) -> list[str]:
    return [token.content for token in tokens(text) if token.type == "code_inline"]


def test_a_cell_is_the_name() -> None:
    page = set_page([Grid(("name",), tuple((Name(name),) for name in POISON))])
    assert not {token.type for token in tokens(page)} & MARKUP
    assert spans(page) == [as_read(name, 200) for name in POISON]
    assert texts(page) == ["name", *spans(page)]


@pytest.mark.parametrize(
    "name", ["`", "a`", "``b", "a``b`c", " a ", "   ", "a|b", "a\\|b", "|`|", "\\"]
)
@pytest.mark.parametrize("block", [Paragraph, Grid])
def test_the_quotes_of_a_name_are_its_code_span(block: Any, name: str) -> None:
    said = ("layer `", Name(name), "`, then `", Name("b"), "`")
    page = set_page([Paragraph(said) if block is Paragraph else Grid(("x",), ((said,),))])
    assert spans(page) == [name, "b"]
    assert texts(page)[-1] == f"layer {name}, then b"


def test_what_could_be_a_commit_is_broken() -> None:
    commit = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
    page = set_page([Heading(f"{commit}, {commit}0 and {commit[1:]}", 1)])
    assert page == f"## d&#8203;{commit[1:]}, {commit}0 and {commit[1:]}\n"


def test_what_our_own_words_quote_is_a_code_span() -> None:
    page = set_page([Paragraph("`lint` prints `a|b` of @x"), Paragraph("one ` is `none` <b>")])
    assert spans(page) == ["lint", "a|b"]
    assert texts(page) == ["lint prints a|b of @x", "one ` is `none` <b>"]


def test_a_sentence_that_ends_early_ends_no_code_span() -> None:
    said = ("`", Name("a" * 150), "`, ", *("`", Name("b|" * 75), "`, ") * 40)
    page = set_page([Grid(("x",), ((said,),))])
    (_, text) = texts(page)
    assert text.endswith(" …") and "`" not in text.replace("`b", "b")
    assert set(spans(page)[1:-1]) == {"b|" * 75}


@pytest.mark.parametrize("name", POISON, ids=range(len(POISON)))
@pytest.mark.parametrize("block", [Paragraph, Heading])
def test_a_block_is_the_name(block: Any, name: str) -> None:
    page = set_page([block(Name(name) if block is Paragraph else name)])
    found = list(tokens(page))
    assert not {token.type for token in found} & MARKUP
    assert found[0].type == ("paragraph_open" if block is Paragraph else "heading_open")
    if block is Paragraph:
        assert texts(page) == spans(page) == [as_read(name, 200)]
    else:  # a sentence ends early, but has no hole
        (line,) = texts(page)
        assert visible(name).strip().startswith(line.removesuffix(" …"))
        assert len(line) >= min(1_000, len(visible(name).strip()))
    assert sum(token.level == 0 and token.nesting == 1 for token in found) == 1


def test_nobody_is_mentioned() -> None:
    """GitHub looks for mentions in the text that is left of the markup: entities do not hide it."""
    page = set_page([Paragraph("@someone #1 owner/repo#4 c@d.example GH-3")])
    (line,) = [token for token in tokens(page) if token.type == "inline"]
    read = "".join(part.content for part in line.children)
    assert read == f"@{BREAK}someone #{BREAK}1 owner/repo#{BREAK}4 c@{BREAK}d.example GH-{BREAK}3"


def test_no_name_on_a_page_becomes_markup(poisoned: Engine) -> None:
    estimated = LayerFacts(build_ms=1.0)  # so that layers are named
    layers = tuple(layer._replace(facts=estimated) for layer in poisoned.layers)
    page = set_page(blocks_of(poisoned._replace(layers=layers), top=1000))
    found = [token.type for token in tokens(page)]
    assert not set(found) & MARKUP
    assert {as_read(name, 200) for name in POISON[:8]} <= {*spans(page)}


def test_a_name_in_a_finding_s_sentence_is_one_name() -> None:
    """Whatever quotes it has: it is shortened as a whole, and is one span."""
    name = "a`b` " + "c" * 900
    log = (
        "[V] [TRT] Engine Layer Information:\n"
        "Layer(Reformat): r, Tactic: 1, x[Float(1,3,8,8)] -> a[Half(1,3,8,8)]\n"
        f"Layer(CaskConvolution): {name}, Tactic: 5, a[Half(1,3,8,8)] -> y[Half(1,4,8,8)]\n"
        "[V] [TRT] Total Activation Memory: 4096\n"
    )
    engine = engine_of(log, facts=True)
    page = set_page(lint.blocks(selected(Costs(engine)), full=True))
    (row,) = (line for line in page.split("\n") if line.startswith("why: "))
    found = spans(row)
    assert len(row) < 500 and [each for each in found if each.startswith("a`b` cc")]


# ---- comparisons ---------------------------------------------------------------------------------


def test_no_name_of_a_comparison_is_markup_or_control(poisoned: Engine) -> None:
    number = len(poisoned.layers)
    join = Join("p.json", number, number, number, (), ())
    each = [la._replace(time=Timing(la.index + 1.0)) for la in poisoned.layers]
    one = poisoned._replace(profile=join, layers=tuple(each))
    changed = [la._replace(kernel=f"{la.name} 2", time=Timing(9.0)) for la in each]
    found = compare(one, one._replace(layers=tuple(changed)))
    assert found.groups
    markup = MARKUP - {"code_inline"}  # of the advice how to get times
    assert not {token.type for token in tokens(found.to("markdown", top=999))} & markup
    text = found.to("text", top=999)
    assert all(line.isprintable() for line in text.split("\n"))


def test_no_layer_of_a_comparison_stands_twice(poisoned: Engine) -> None:
    found = compare(poisoned, poisoned)
    places = [i for group in json.loads(found.to("json"))["comparisons"][0]["groups"]
              for i in (*group["a"], *group["a_reformats"])]  # fmt: skip
    assert len(places) == len(set(places))


# ---- verdicts of a gate --------------------------------------------------------------------------


FOUND = judgements.of_layers(POISON, reasons=[Name(name) for name in POISON])
MORE = " and 1 more"


def text(format: str) -> str:
    return "".join(render_verdict(FOUND, format, ReportOptions()))


@pytest.mark.parametrize("start", range(0, len(POISON), gate.WORST))
def test_a_comment_has_our_own_markup_alone(start: int) -> None:
    names = POISON[start : start + gate.WORST]  # a comment has no more
    found = judgements.of_layers(names, reasons=[Name(name) for name in names])
    page = "".join(render_verdict(found, "markdown", ReportOptions()))
    ours = {"bullet_list_open", "html_block"}
    assert {token.type for token in tokens(page)} & MARKUP == ours
    raw = [token.content for token in tokens(page) if token.type == "html_block"]
    assert [line.strip() for line in raw] == ["<!-- elv-gate:engine -->"]
    read = texts(page)
    for name in names:
        # The table has it as a cell.
        assert shorten(visible(name), 200).strip() + MORE in [cell.strip() for cell in read]
    # In code nobody is mentioned.
    inside = (child for token in tokens(page) for child in token.children or [])
    plain = "".join(child.content for child in inside if child.type != "code_inline")
    assert "@" not in plain and any("@" in name for name in POISON)


def test_a_terminal_gets_no_control_characters_and_xml_every_name() -> None:
    assert all(line.isprintable() for line in text("text").split("\n"))
    cases = ElementTree.fromstring(text("junit")).iter("failure")
    said = [case.get("message") or "" for case in cases]
    assert " ".join(map(visible, POISON)) in said


def test_a_name_is_no_command_of_a_workflow() -> None:
    lines = text("github").split("\n")
    assert lines.pop() == ""
    assert all(line.startswith("::error title=Gate engine") for line in lines)
    assert len(lines) == 1 and lines[0].isprintable()


def test_json_is_json() -> None:
    assert json.loads(text("sarif"))
    groups = json.loads(text("json"))["gate"]["groups"]
    assert [group["layers"][0] for group in groups] == list(POISON)


# ---- findings ------------------------------------------------------------------------------------


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
    return "".join(LINTS[format].load()([found, *problems], options))


def test_text_does_nothing_to_a_terminal(poisoned: Engine) -> None:
    sane(rendered(poisoned, "text"))


def test_nothing_but_colors(environment: dict[str, str], poison_file: Path, tmp_path: Path) -> None:
    """The command sends a terminal nothing else."""
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
    assert [one["message"] for one in document["problems"]] == list(POISON)


def test_sarif_has_the_names_spelled_and_no_link_of_them(poisoned: Engine) -> None:
    (run,) = json.loads(rendered(poisoned, "sarif"))["runs"]
    assert len(run["results"]) == len(POISON)
    for name, result in zip(POISON, run["results"]):
        if len(name) < 100:
            text = result["message"]["text"]
            assert f"of `{visible(name)}`" in (ESCAPED.sub(r"\1", text) if "](" in name else text)
    texts = [one["message"]["text"] for one in run["results"]]
    assert [text for text in texts if LINK.search(text)] == []
    assert sum("\\](" in text for text in texts) >= 1


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
    engine = poisoned._replace(source=poisoned.source._replace(file=file))
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
