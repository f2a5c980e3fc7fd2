"""Names in Markdown, read by a renderer of CommonMark with GitHub's tables and links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from summarised import blocks_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.text import shorten, visible
from engine_layer_visualize.core.words import Name
from engine_layer_visualize.documents.blocks import Grid, Heading, Paragraph
from engine_layer_visualize.documents.markup import set_page
from engine_layer_visualize.linting.selection import selected
from engine_layer_visualize.reports.lint import blocks
from escaping.poison import POISON

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
    layers = tuple(replace(layer, facts=estimated) for layer in poisoned.layers)
    page = set_page(blocks_of(replace(poisoned, layers=layers), top=1000))
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
    (engine,) = Log("b.log", chunks=[log.encode()], facts=True).engines()
    page = set_page(blocks(selected(Costs(engine)), full=True))
    (row,) = (line for line in page.split("\n") if line.startswith("why: "))
    found = spans(row)
    assert len(row) < 500 and [each for each in found if each.startswith("a`b` cc")]
