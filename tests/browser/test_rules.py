"""Colours by query: the first rule that finds a layer colours it, in every view, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser import page_logs

Pages = Callable[[str], Path]
FILL = "return engineLayers.scene.fill(engineLayers.folded.of[arguments[0]])"


def add(page: Any, query: str) -> None:
    page.js("engineLayers.search.set(arguments[0])", query)
    page.press("f")
    page.js("engineLayers.search.set('')")


def chips(page: Any) -> list[str]:
    return [one.text.replace("\n", " ") for one in page.all("#rules .key")]


def test_a_query_becomes_a_colour_and_is_removed(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    assert not page.find("#rules").is_displayed()
    plain = [page.js(FILL, n) for n in (2, 3)]
    page.js("engineLayers.search.set('#2')")
    button = page.find("#rules > button")
    assert button.text == "Colour #2"
    button.click()
    assert not page.all("#rules > button")
    add(page, "#2 | #3")
    rules = page.js("return [engineLayers.rules, engineLayers.colors.rules]")
    assert rules[0] == [{"query": "#2", "color": 0}, {"query": "#2 | #3", "color": 1}]
    assert page.js(FILL, 2) == rules[1][0][0]  # the first that finds it
    assert page.js(FILL, 3) == rules[1][1][0]
    assert chips(page) == ["1 #2 1 layer ×", "2 #2 | #3 1 layer ×"]
    told = "const {scene, folded} = engineLayers; return scene.text(folded.of[3]).sub"
    assert page.js(told).startswith("[2] ")
    page.shoot("rules")
    page.js("engineLayers.dark(true)")
    page.shoot("rules-dark")
    page.js("engineLayers.dark(false)")
    page.find("#rules .key button").click()
    assert chips(page) == ["1 #2 | #3 2 layers ×"]
    assert page.js(FILL, 2) == rules[1][1][0]
    page.find("#rules .key button").click()
    assert [page.js(FILL, n) for n in (2, 3)] == plain
    assert page.js("return document.activeElement.id") == "drawing"


def test_all_views_have_the_colour(page: Any, pages: Pages) -> None:
    page.open(pages("encoder"))
    add(page, "softmax")
    color, part = page.js("return engineLayers.colors.rules[0]")
    found = page.js("return [...engineLayers.coloring.ruled.of].indexOf(0)")
    page.press("i")
    rects = """return engineLayers.time.icicle.rects
        .filter(({layers}) => layers.includes(arguments[0])).map(({fill}) => fill)"""
    fills = page.js(rects, found)
    assert fills[-1] == color and not {color, part} & set(fills[:-1])
    page.press("s")
    bars = """return engineLayers.time.strip.bins
        .find(({layers}) => layers.includes(arguments[0])).fill"""
    assert page.js(bars, found) == color
    page.js("engineLayers.levels.toggle()")
    folded = """const {scene, folded} = engineLayers, box = folded.of[arguments[0]];
        return [scene.far(box), scene.text(box).sub]"""
    assert page.js(folded, found) == [part, "[1] 1 of 26 layers"]
    page.shoot("rules-folded")


def test_text_can_be_read_on_every_colour(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    for dark in (False, True):
        page.js("engineLayers.dark(arguments[0])", dark)
        lows = page.js(_CONTRASTS)
        assert len(lows) == 12 and min(lows) >= 4.5, dark


_CONTRASTS = """const {colors} = engineLayers;
        const light = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
            .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
        return colors.rules.flat().map((fill) => {
            const [a, b] = [light(fill), light(colors.on(fill))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05); })"""


def test_six_rules_at_most_and_names_stay_text(page: Any, pages: Pages) -> None:
    page.open(pages("hostile"))
    names = [f'"{name}"' for name in page_logs.HOSTILE[:2]]
    for query in (*names, "#1", "#2", "#3", "#4"):
        add(page, query)
    assert page.js("return engineLayers.rules.map(({color}) => color)") == [0, 1, 2, 3, 4, 5]
    assert page_logs.HOSTILE[0] in page.text("#rules")
    page.js("engineLayers.search.set('#5')")
    assert not page.find("#rules > button").is_enabled()
    page.press("f")
    assert page.js("return engineLayers.rules.length") == 6
    page.js("engineLayers.coloring.remove(2)")
    page.press("f")
    assert page.js("return engineLayers.rules.at(-1)") == {"query": "#5", "color": 2}
    assert page.js("return window.pwned === undefined")


def test_rules_stay_in_another_engine_and_a_wrong_one_colours_nothing(
    page: Any, pages: Pages
) -> None:
    page.open(pages("two"))
    page.js(
        "engineLayers.coloring.set([{query: 'type:(', color: 0}, {query: '#0', color: 1}, "
        "{query: '#1', color: 9}])"
    )
    assert page.js("return engineLayers.rules.length") == 2
    second = page.js("return engineLayers.colors.rules[1][0]")
    for engine in ("0", "1"):
        page.js(
            "const list = document.getElementById('engines'); list.value = arguments[0];"
            "list.dispatchEvent(new Event('change'))",
            engine,
        )
        assert page.js(FILL, 0) == second
    assert [chip.split()[-3] for chip in chips(page)] == ["0", "1"]
