"""The focus: it is never lost, and Escape closes what stands on top."""

from typing import Any

import pytest

from browser.conftest import Pages

TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
FOCUS = """const {id, ariaLabel, className, dataset} = document.activeElement;
    return id || dataset.key || ariaLabel || className || document.activeElement.tagName"""


def focus_on(page: Any, selector: str, which: int = 0) -> None:
    page.js("document.querySelectorAll(arguments[0])[arguments[1]].focus()", selector, which)


def enter_on(page: Any, selector: str, which: int = 0) -> None:
    focus_on(page, selector, which)
    page.press(ENTER)


def test_what_is_pressed_keeps_the_focus_or_gives_it_back(small: Any) -> None:
    enter_on(small, "#panel .ranking a")
    assert small.text("#panel .top p") == "Layer 43"
    assert small.js(FOCUS) == "panel"
    small.press(TAB + ENTER)  # ‹
    assert small.text("#panel .top p") == "Layer 42"
    assert small.js(FOCUS) == "Previous layer (p)"
    small.press(ENTER)
    assert small.text("#panel .top p") == "Layer 41"
    enter_on(small, "#panel .ends a")
    assert small.js(FOCUS) == "panel"
    small.js("engineLayers.select(1)")
    enter_on(small, "#panel .top button")  # there is none before
    assert small.js("return engineLayers.selected") == 0
    assert small.js(FOCUS) == "panel"
    enter_on(small, "#panel .close")
    assert small.js("return engineLayers.selected") is None
    assert small.js(FOCUS) == "panel"
    enter_on(small, "#show-help")
    small.press(ESCAPE)
    assert small.js(FOCUS) == "show-help"
    focus_on(small, "#drawing")
    small.press("?")
    small.all("#help dl button")[0].click()  # an example
    assert small.js(FOCUS) == "drawing"
    focus_on(small, "#color")
    small.press(ESCAPE)
    assert small.js(FOCUS) == "drawing"
    entry = """const {engine} = engineLayers, ports = engine.ports.entry;
        engineLayers.select(engine.count + ports.indexOf(arguments[0]))"""
    selected = "return engineLayers.selected"
    small.js(entry, 1)
    small.press("n")
    assert small.js(selected) == 0
    small.js(entry, 1)
    there = small.js(selected)
    small.press("p")
    assert small.js(selected) == there
    small.js(entry, 0)
    small.press("p")
    assert small.js(selected) == 53


def test_folding_keeps_the_focus(encoder: Any) -> None:
    encoder.js("engineLayers.select(engineLayers.engine.groups[0].nodes[0])")
    fold = "#panel button[data-key]"
    name = encoder.find(fold).get_attribute("data-key")
    for word in ("unfold", "fold"):
        focus_on(encoder, fold)
        encoder.press(ENTER)
        assert encoder.find(fold).text.endswith(f": {word}")
        assert encoder.js(FOCUS) == name
    encoder.js("engineLayers.select(null)")
    encoder.press("b")
    enter_on(encoder, "#panel p.small .plain")  # unfolds all: the sentence is gone
    assert encoder.js("return engineLayers.collapsed.size") == 0
    assert encoder.js(FOCUS) == "panel"


def test_a_finding_and_its_end_keep_the_focus(findings: Any) -> None:
    enter_on(findings, "#panel .findings button")
    assert findings.js(FOCUS) == "panel"
    enter_on(findings, "#panel .ranking a")
    assert findings.js(FOCUS) == "panel"
    findings.press(ESCAPE + ESCAPE)  # to the finding, to the engine
    assert findings.js(FOCUS) == "panel"
    assert findings.js("return [engineLayers.finding, engineLayers.hits]") == [None, None]


def test_a_view_below_gives_the_focus_back(small: Any, pages: Pages) -> None:
    enter_on(small, "#show-table")
    assert small.js("return document.getElementById('table').contains(document.activeElement)")
    enter_on(small, "#table .close")
    assert small.js(FOCUS) == "show-table"
    small.open(pages("roofline"))
    focus_on(small, "#drawing")
    small.press("r")
    assert small.js("return document.getElementById('roofline').contains(document.activeElement)")
    small.press("r")
    assert small.js(FOCUS) == "drawing"
    enter_on(small, "#panel .bars button")  # opens the table with what it searches for
    small.js("engineLayers.select(3)")  # the button is gone
    focus_on(small, "#table .body")
    small.press(ESCAPE)
    assert small.js(FOCUS) == "drawing"


def test_a_panel_that_closes_gives_the_focus_to_the_drawing(page: Any, pages: Pages) -> None:
    page.sized(800, 600).open(pages("small"))
    page.js("engineLayers.select(43)")
    enter_on(page, "#panel .close")
    assert not page.find("#panel").is_displayed()
    assert page.js(FOCUS) == "drawing"


def test_escape_closes_what_stands_on_top(findings: Any) -> None:
    """List of hits, tip, view below, finding, search, selection: one press each."""
    state = """const {panes, finding, hits, selected} = engineLayers, shown = (id) =>
            document.getElementById(id).checkVisibility();
        return [shown("found"), shown("tip"), panes.open,
            finding !== null, hits !== null, selected]"""
    findings.tap("t")
    findings.click_layer(5)  # the tip stands beside it, and the list of hits not above it
    findings.press("/FP32")
    findings.js("document.getElementById('tip').hidden = false")  # whatever typing did to it
    found = [findings.js(state)]
    findings.press(ESCAPE)
    found.append(findings.js(state))
    findings.js("document.getElementById('drawing').focus()")
    for _ in range(4):
        findings.press(ESCAPE)
        found.append(findings.js(state))
    assert found == [
        [True, True, "table", False, True, 5],
        [False, True, "table", False, True, 5],
        [False, False, "table", False, True, 5],
        [False, False, None, False, True, 5],
        [False, False, None, False, False, 5],
        [False, False, None, False, False, None],
    ]
    findings.press("t")
    enter_on(findings, "#panel .findings button")
    assert findings.js(state)[2:5] == ["table", True, True]
    findings.press(ESCAPE)
    assert findings.js(state)[2:5] == [None, True, True]
    findings.press(ESCAPE)
    assert findings.js(state)[2:5] == [None, False, False]


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_the_order_of_tab_is_the_order_of_reading(page: Any, pages: Pages, width: int) -> None:
    """A full round by Tab; every stop shows its focus."""
    page.sized(width, 844).open(pages("findings"))
    if width < 1000:
        page.find("#show-panel").click()
    page.js("document.activeElement.blur()")
    stops: list[Any] = []
    for _ in range(80):
        page.press(TAB)
        stop = page.js(
            """const e = document.activeElement, r = e.getBoundingClientRect();
            if (e === document.body) return null;
            const region = ["bar", "stage", "panel"].find((r) => e.closest(`.${r}, #${r}`));
            const {outlineStyle} = getComputedStyle(e);
            return [region, Math.round(r.top / 12), r.left, outlineStyle, r.width > 0]"""
        )
        if stop is None or (stops and stop == stops[0]):
            break
        stops.append(stop)
    assert {stop[3] for stop in stops} <= {"solid", "auto"}
    assert all(stop[4] for stop in stops)
    regions = [stop[0] for stop in stops]
    assert list(dict.fromkeys(regions)) == ["bar", "stage", "panel"]
    bar = [stop[1:3] for stop in stops if stop[0] == "bar"]
    assert bar == sorted(bar)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_nothing_moves_for_who_wants_no_motion(page: Any, pages: Pages, motion: str) -> None:
    page.media("light", motion)
    page.open(pages("small"))
    still = motion == "reduce"
    scale = "engineLayers.cam.view.scale"
    before, begun = page.js(f"const s = {scale}; engineLayers.cam.zoom(1.4); return [s, {scale}]")
    assert begun == pytest.approx(1.4 * before if still else before)
    page.settle()
    assert page.js(f"return {scale}") == pytest.approx(1.4 * before)
    moving = """return [...document.querySelectorAll("*")].filter((e) =>
        getComputedStyle(e).transitionDuration !== "0s").map((e) => e.id || e.tagName)"""
    assert (page.js(moving) == []) == still


def test_a_comparison_keeps_the_focus(compared: Any) -> None:
    focus_on(compared, "#waterfall button", 2)
    name = compared.js(FOCUS)
    compared.press(ENTER)
    assert compared.js(FOCUS) == name
    compared.js("comparison.select(6)")
    enter_on(compared, "#panel .close, #panel .top button")
    assert compared.js(FOCUS) == "panel"
    enter_on(compared, "#table .close")
    assert compared.js(FOCUS) == "drawing"
    compared.press("t")
    focus_on(compared, "#table .body")
    compared.press(ESCAPE)
    assert not compared.find("#table").is_displayed()
    assert compared.js(FOCUS) == "drawing"
