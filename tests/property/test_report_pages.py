"""Pages of a summary lose no character without an ellipsis, at any width."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import names

from engine_layer_visualize.core.text import ELLIPSIS, NARROWEST, visible
from engine_layer_visualize.core.words import Name, Words, abridged, plain, shown
from engine_layer_visualize.documents import markup
from engine_layer_visualize.documents.blocks import Advice, Grid, Heading, Paragraph
from engine_layer_visualize.documents.terminal import extent, set_page, set_table, wrap
from fuzz import budget

KERNEL = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x128x32_stage4"
widths = st.integers(NARROWEST, 400)
UNITS = st.sampled_from(["µs", "ms", "s", "ns", "%", "B", "KiB", "MiB", "GiB"])


def dense(text: str) -> str:
    """Without the blanks, at which lines break."""
    return "".join(text.split())


# ---- paragraphs ---------------------------------------------------------------------------------


@given(names, st.integers(16, 400))
def test_joined_lines_are_the_whole(name: str, width: int) -> None:
    lines = wrap(visible(name), width)
    assert dense("".join(lines)) == dense(visible(name))
    assert all(extent(line) <= width for line in lines)


@given(st.integers(16, 200))
def test_a_kernel_s_lines_are_its_name_to_the_letter(width: int) -> None:
    assert "".join(wrap(KERNEL, width)) == KERNEL


@given(st.lists(st.tuples(st.integers(-9999, 99999), UNITS), min_size=1), st.integers(16, 60))
def test_a_number_keeps_its_sign_and_unit(numbers: Sequence[tuple[int, str]], width: int) -> None:
    said = [f"{number / 100} {unit}" for number, unit in numbers]
    lines = wrap("; ".join(said), width)
    for text in said:
        assert any(text in line for line in lines), (text, lines)


@pytest.mark.parametrize("unit", ["x", "層", "x ", "9", "_", "1 ms ", "x_9.9/ "])
def test_lines_are_set_in_linear_time(unit: str) -> None:
    budget.linear(lambda size: partial(wrap, unit * (size // len(unit)), 80), 1 << 18, 1 << 21)


# ---- tables -------------------------------------------------------------------------------------

# Every column writes with letters of its own, so that its cells can be read out of the page.
LETTERS = ("abcde_/.", "fghij", "klmno_", "pqrst", "uvwxy.")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[bool], list[list[str]]]:
    count = draw(st.integers(1, len(LETTERS)))
    right = [draw(st.booleans()) for _ in range(count)]
    cells = [
        st.text(letters + " ", max_size=draw(st.sampled_from([8, 30, 300])))
        for letters in LETTERS[:count]
    ]
    rows = draw(st.lists(st.tuples(*cells).map(list), max_size=5))
    heads = [draw(st.sampled_from(["A", "B C", "DDDDDDDD EEEEEEEE"])) for _ in range(count)]
    return heads, right, [[cell.strip() for cell in row] for row in rows]


@given(tables(), widths)
def test_cells_are_read(table: tuple[list[str], list[bool], list[list[str]]], width: int) -> None:
    """Every one of a table can be."""
    heads, right, rows = table
    above, rule, body = set_table(heads, right, rows, width)
    lines = (*above, *body)
    assert all(extent(line) <= width for line in lines) and rule <= width
    for number, letters in enumerate(LETTERS[: len(heads)]):
        own = set(letters) - set("_/.")  # these stand in several columns
        written = "".join(c for line in body for c in line if c in own)
        wanted = "".join(c for row in rows for c in row[number] if c in own)
        assert written == wanted
    every = sorted(dense("".join("".join(row) for row in rows)))
    assert sorted(c for c in dense("".join(body)) if c.islower() or c in "_/.") == every
    for number, head in enumerate(heads):
        if any(row[number] for row in rows):
            assert dense(head) in dense("".join(lines)) or " " in head


@given(st.lists(st.tuples(names, names), max_size=4), widths, st.booleans())
def test_names_are_whole_or_cut(several: Sequence[tuple[str, str]], width: int, full: bool) -> None:
    """Characters are counted: what a name loses, an ellipsis stands for."""
    rows = tuple((Name(a), ("1 ", Name(b), " and no more")) for a, b in several)
    page = set_page([Grid(("A", "B"), rows)], width, False, full)
    longest = None if full else 160
    wanted = [shown(cell, longest, 1_000) for row in rows for cell in row]
    got = list(dense("".join(page.split("\n"))))
    for text in wanted:
        if text != "–":
            for char in dense(text):
                got.remove(char)
    if full:
        assert [dense(t) for t in wanted] == [dense(visible(plain(c))) for r in rows for c in r]
    assert all(extent(line) <= width for line in page.split("\n"))


# ---- names and sentences ------------------------------------------------------------------------


@given(names, st.integers(20, 200))
def test_a_shortened_name_is_its_two_ends(name: str, width: int) -> None:
    shortened = abridged(name, width)
    assert len(shortened) <= width
    if shortened != name:
        cuts = (at for at, char in enumerate(shortened) if char == ELLIPSIS)
        ends = ((shortened[:at], shortened[at + 1 :]) for at in cuts)
        assert any(name.startswith(start) and name.endswith(end) for start, end in ends)


@given(names, names)
def test_a_sentence_has_no_hole(first: str, second: str) -> None:
    words: Words = ("`", Name(first), "` writes Float; `", Name(second), "` reads Int8 in 32s")
    text = shown(words, 60, 1_000)
    a, b = abridged(visible(first), 60), abridged(visible(second), 60)
    assert text == f"`{a}` writes Float; `{b}` reads Int8 in 32s"


def test_what_differs_between_parts_is_not_cut_in_two() -> None:
    name = " || ".join(f"Conv_{n} + Relu_{n + 1}" for n in range(60, 84, 2))
    assert abridged(name, 100) == "Conv_60 + Relu_61 || … || Conv_80 + Relu_81 || Conv_82 + Relu_83"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 400])
def test_blocks_keep_to_the_width(width: int) -> None:
    sentence = "The builder timed `" + KERNEL * 3 + "`, which took 26.9 % of all. " * 9
    head = Heading(f"Engine 0 of {KERNEL}", level=1)
    page = set_page([head, Paragraph(sentence), Advice(sentence)], width, False)
    assert all(extent(line) <= width for line in page.split("\n"))
    assert dense(page.replace("─", "")) == dense(f"Engine 0 of {KERNEL}{sentence}{sentence}")


def test_a_sentence_that_is_too_long_ends_early() -> None:
    grid = Grid(("a",), (("first " + "more " * 900 + "last",),))
    for page in (set_page([grid], 400, False), markup.set_page([grid])):
        assert ELLIPSIS in page and "last" not in page and "first" in page
