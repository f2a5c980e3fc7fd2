"""The focus: it is never lost, and Escape closes what stands on top."""

from __future__ import annotations

from typing import Any

import pytest

from browser.conftest import Pages, window

TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
FOCUS = """const {id, ariaLabel, className, dataset} = document.activeElement;
    return id || dataset.key || ariaLabel || className || document.activeElement.tagName"""


def focus_on(page: Any, selector: str, which: int = 0) -> None:
    page.js("document.querySelectorAll(arguments[0])[arguments[1]].focus()", selector, which)


def test_links_and_steps_of_the_panel_keep_the_focus(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    focus_on(page, "#panel .ranking a")
    page.press(ENTER)
    assert page.text("#panel .top p") == "Layer 43"
    assert page.js(FOCUS) == "panel"
    page.press(TAB + ENTER)  # ‹
    assert page.text("#panel .top p") == "Layer 42"
    assert page.js(FOCUS) == "Previous layer (p)"
    page.press(ENTER)
    assert page.text("#panel .top p") == "Layer 41"
    focus_on(page, "#panel .ends a")
    page.press(ENTER)
    assert page.js(FOCUS) == "panel"
    page.js("engineLayers.select(1)")
    focus_on(page, "#panel .top button")
    page.press(ENTER)  # there is none before
    assert page.js("return engineLayers.selected") == 0
    assert page.js(FOCUS) == "panel"
    focus_on(page, "#panel .close")
    page.press(ENTER)
    assert page.js("return engineLayers.selected") is None
    assert page.js(FOCUS) == "panel"


def test_folding_keeps_the_focus(page: Any, pages: Pages) -> None:
    page.open(pages("encoder"))
    page.js("engineLayers.select(engineLayers.engine.groups[0].nodes[0])")
    fold = "#panel button[data-key]"
    name = page.find(fold).get_attribute("data-key")
    for word in ("unfold", "fold"):
        focus_on(page, fold)
        page.press(ENTER)
        assert page.find(fold).text.endswith(f": {word}")
        assert page.js(FOCUS) == name
    page.js("engineLayers.select(null)")
    page.press("b")
    focus_on(page, "#panel p.small .plain")
    page.press(ENTER)  # unfolds all: the sentence is gone
    assert page.js("return engineLayers.collapsed.size") == 0
    assert page.js(FOCUS) == "panel"


def test_a_finding_and_its_end_keep_the_focus(page: Any, pages: Pages) -> None:
    page.open(pages("findings"))
    focus_on(page, "#panel .findings button")
    page.press(ENTER)
    assert page.js(FOCUS) == "panel"
    focus_on(page, "#panel .ranking a")
    page.press(ENTER)
    assert page.js(FOCUS) == "panel"
    page.press(ESCAPE + ESCAPE)  # to the finding, to the engine
    assert page.js(FOCUS) == "panel"
    assert page.js("return [engineLayers.finding, engineLayers.hits]") == [None, None]


def test_a_view_below_gives_the_focus_back(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    focus_on(page, "#show-table")
    page.press(ENTER)
    assert page.js("return document.getElementById('table').contains(document.activeElement)")
    focus_on(page, "#table .close")
    page.press(ENTER)
    assert page.js(FOCUS) == "show-table"
    page.open(pages("roofline"))
    focus_on(page, "#drawing")
    page.press("r")
    assert page.js("return document.getElementById('roofline').contains(document.activeElement)")
    page.press("r")
    assert page.js(FOCUS) == "drawing"
    focus_on(page, "#panel .bars button")
    page.press(ENTER)  # opens the table with what it searches for
    page.js("engineLayers.select(3)")  # the button is gone
    focus_on(page, "#table .body")
    page.press(ESCAPE)
    assert page.js(FOCUS) == "drawing"


def test_a_dialog_and_a_control_give_the_focus_back(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    focus_on(page, "#show-help")
    page.press(ENTER)
    page.press(ESCAPE)
    assert page.js(FOCUS) == "show-help"
    focus_on(page, "#drawing")
    page.press("?")
    page.all("#help dl button")[0].click()  # an example
    assert page.js(FOCUS) == "drawing"
    focus_on(page, "#color")
    page.press(ESCAPE)
    assert page.js(FOCUS) == "drawing"


def test_a_panel_that_closes_gives_the_focus_to_the_drawing(page: Any, pages: Pages) -> None:
    window(page, 800, 600)
    page.open(pages("small"))
    page.js("engineLayers.select(43)")
    focus_on(page, "#panel .close")
    page.press(ENTER)
    assert not page.find("#panel").is_displayed()
    assert page.js(FOCUS) == "drawing"


def test_escape_closes_what_stands_on_top(page: Any, pages: Pages) -> None:
    """List of hits, tip, view below, finding, search, selection: one press each."""
    page.open(pages("findings"))
    state = """const {panes, finding, hits, selected} = engineLayers, shown = (id) =>
            document.getElementById(id).checkVisibility();
        return [shown("found"), shown("tip"), panes.open,
            finding !== null, hits !== null, selected]"""
    page.press("t")
    page.settle()
    page.click_layer(5)  # the tip stands beside it, and the list of hits not above it
    page.press("/FP32")
    page.js("document.getElementById('tip').hidden = false")  # whatever typing did to it
    found = [page.js(state)]
    page.press(ESCAPE)
    found.append(page.js(state))
    page.js("document.getElementById('drawing').focus()")
    for _ in range(4):
        page.press(ESCAPE)
        found.append(page.js(state))
    assert found == [
        [True, True, "table", False, True, 5],
        [False, True, "table", False, True, 5],
        [False, False, "table", False, True, 5],
        [False, False, None, False, True, 5],
        [False, False, None, False, False, 5],
        [False, False, None, False, False, None],
    ]
    page.press("t")
    focus_on(page, "#panel .findings button")
    page.press(ENTER)
    assert page.js(state)[2:5] == ["table", True, True]
    page.press(ESCAPE)
    assert page.js(state)[2:5] == [None, True, True]
    page.press(ESCAPE)
    assert page.js(state)[2:5] == [None, False, False]


def test_n_on_an_input_goes_to_the_first_layer(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    entry = """const {engine} = engineLayers, ports = engine.ports.entry;
        engineLayers.select(engine.count + ports.indexOf(arguments[0]))"""
    selected = "return engineLayers.selected"
    page.js(entry, 1)
    page.press("n")
    assert page.js(selected) == 0
    page.js(entry, 1)
    there = page.js(selected)
    page.press("p")
    assert page.js(selected) == there
    page.js(entry, 0)
    page.press("p")
    assert page.js(selected) == 53


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_the_order_of_tab_is_the_order_of_reading(page: Any, pages: Pages, width: int) -> None:
    """A full round by Tab; every stop shows its focus."""
    window(page, width, 844)
    page.open(pages("findings"))
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


def test_nothing_moves_for_who_wants_no_motion(page: Any, pages: Pages) -> None:
    page.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]},
    )
    page.open(pages("small"))
    before, after = page.js(
        """const scale = () => engineLayers.cam.view.scale, before = scale();
        engineLayers.cam.zoom(1.4);
        return [before, scale()]"""
    )
    assert after == pytest.approx(1.4 * before)
    moving = """return [...document.querySelectorAll("*")].filter((e) =>
        getComputedStyle(e).transitionDuration !== "0s").map((e) => e.id || e.tagName)"""
    assert page.js(moving) == []


def test_a_comparison_keeps_the_focus(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("fixture"))
    focus_on(page, "#waterfall button", 2)
    name = page.js(FOCUS)
    page.press(ENTER)
    assert page.js(FOCUS) == name
    page.js("comparison.select(6)")
    focus_on(page, "#panel .close, #panel .top button")
    page.press(ENTER)
    assert page.js(FOCUS) == "panel"
    focus_on(page, "#table .close")
    page.press(ENTER)
    assert page.js(FOCUS) == "drawing"
    page.press("t")
    focus_on(page, "#table .body")
    page.press(ESCAPE)
    assert not page.find("#table").is_displayed()
    assert page.js(FOCUS) == "drawing"
