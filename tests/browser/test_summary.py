"""What `summary` knows is on the page, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from paths import FIXTURES
from summarised import blocks_of

from engine_layer_visualize import read
from engine_layer_visualize.analysis.reformat_reasons import reasons
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.documents.blocks import Grid, Heading

Pages = Callable[[str], Path]
ELSEWHERE = {"Findings", "Slowest layers", "Problems"}
LINES = ("By layer type", "By precision")  # its panel has charts of these
LOGS = {"build": "8.6-runs.log", "reformats": "10.3-two-ways.log"}


@pytest.mark.parametrize("name", LOGS)
def test_each_section_of_the_summary_is_on_the_page(page: Any, pages: Pages, name: str) -> None:
    [engine] = read(FIXTURES / "facts" / LOGS[name], facts=True).engines[:1]
    page.open(pages(name))
    page.press("o")
    said = page.text("#report")
    titles = [title.text for title in page.all("#report h3")]
    section, told = "", 0
    for block in blocks_of(engine):
        if isinstance(block, Heading):
            section = block.text
            assert section in (*titles, *ELSEWHERE) or block.level == 1
        elif section in ELSEWHERE:
            continue
        elif isinstance(block, Grid):
            for cell in (cell for row in block.rows for cell in row):
                assert visible(plain(cell)).replace("`", "") in said
                told += 1
        elif not plain(block.text).startswith(LINES):
            assert visible(plain(block.text)).replace("`", "") in said
    assert len(titles) > 5 and told > 20
    assert "`" not in said
    assert page.js("return document.querySelectorAll('#report p code').length") > 1
    page.shoot(f"summary-{name}")


def test_device_options_and_build_time_are_told(page: Any, pages: Pages) -> None:
    [engine] = read(FIXTURES / "facts" / LOGS["build"], facts=True).engines[:1]
    assert engine.facts is not None and engine.facts.options
    page.open(pages("build"))
    assert page.text("#panel .total + p") == (
        "The sum of the layers; an inference took 1.25 ms of GPU time."
    )
    page.find("#panel .actions [title$='(o)']").click()
    assert page.js("return document.activeElement.className") == "sections"
    said = page.text("#report")
    for option in engine.facts.options:
        assert not option.value or f"{visible(option.key)}{visible(option.value)}" in said
    for phase in engine.facts.phases:
        assert f"{visible(phase.name)}{phase.seconds:.3g} s" in said


def test_a_layer_of_the_summary_leads_to_it(page: Any, pages: Pages) -> None:
    page.open(pages("reformats"))
    page.press("o")
    link = page.find("#report td a")
    number = int(link.text.split()[0])
    link.click()
    assert page.js("return engineLayers.selected") == number
    assert page.find("#report").is_displayed()


def test_the_panel_says_why_a_reformat_is_there(page: Any, pages: Pages) -> None:
    [engine] = read(FIXTURES / "facts" / LOGS["reformats"], facts=True).engines[:1]
    found = reasons(engine)
    assert found
    page.open(pages("reformats"))
    for number, why in found.items():
        page.js("engineLayers.select(arguments[0])", number)
        told = visible(str(why.text)).replace("`", "")
        assert f"Why it is there{told}" in page.text("#panel")
