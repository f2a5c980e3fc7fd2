"""Small windows: half a screen, 200 % zoom, a phone. All is reachable, the chosen layer is seen."""

from typing import Any

import pytest

from browser.conftest import Pages

SMALL = [(800, 600), (720, 450), (390, 844)]
sizes = pytest.mark.parametrize(("width", "height"), SMALL)

_OUTSIDE = """
const seen = (e) => {
    const {left, right, top, bottom} = e.getBoundingClientRect();
    const inside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    return inside && e.checkVisibility();
};
return arguments[0].filter((id) => !seen(document.getElementById(id)));"""
_BAR = ["title", "search", "show-table", "show-panel", "show-more"]
_MENU = {"page": ["profile", "color", "dark", "show-help"], "comparison": ["dark", "show-help"]}


@sizes
@pytest.mark.parametrize("name", ["page", "comparison"])
def test_every_control_is_reachable(
    page: Any, pages: Pages, comparisons: Pages, name: str, width: int, height: int
) -> None:
    page.sized(width, height).open(pages("profiles") if name == "page" else comparisons("fixture"))
    assert page.js("return document.documentElement.scrollWidth") == width
    assert page.js(_OUTSIDE, [*_BAR, "in", "out", "all"]) == []
    assert not page.find("#dark").is_displayed()
    page.find("#show-more").click()
    assert page.js(_OUTSIDE, _MENU[name]) == []
    page.find("#show-help").click()
    assert page.find("#help").is_displayed()
    page.press("\ue00c")  # Escape: the dialog, then the menu
    assert page.js("return document.activeElement.id") == "show-help"
    page.press("\ue00c")
    assert not page.find("#dark").is_displayed()
    assert page.js("return document.activeElement.id") == "show-more"
    page.find("#show-more").click()
    page.find("#search").click()  # elsewhere
    assert not page.find("#dark").is_displayed()


@pytest.mark.parametrize("name", ["profiles", "partial"])
def test_the_total_in_the_bar_is_never_cut(page: Any, pages: Pages, name: str) -> None:
    for width in (1440, 1366, 1290, 910):
        page.sized(width, 700).open(pages(name))
        page.find("#search").click()
        assert page.js("return document.documentElement.scrollWidth") == width
        cut = """const {right} = document.getElementById("title").getBoundingClientRect();
            return document.querySelector("#title i").getBoundingClientRect().right - right"""
        assert page.js(cut) <= 0, width


@sizes
def test_overview_has_totals_and_problems(page: Any, pages: Pages, width: int, height: int) -> None:
    page.sized(width, height).open(pages("partial"))
    assert not page.find("#panel").is_displayed()
    page.find("#show-panel").click()
    told = page.find("#panel").text
    assert "22 of 24 layers timed" in told and "Slowest layers" in told
    assert "Rows of the profile without a layer" in told
    page.press("\ue00c")
    assert not page.find("#panel").is_displayed()


def test_the_legend_has_a_button(page: Any, pages: Pages) -> None:
    page.sized(*SMALL[0]).open(pages("small"))
    for size in SMALL:
        page.sized(*size)
        assert not page.find("#legend").is_displayed()
        page.find("#show-legend").click()
        assert page.js(_OUTSIDE, ["legend"]) == [], size
        assert "reformat or no-op" in page.find("#legend").text
        page.find("#show-legend").click()


_CHOSEN = """
const {folded, cam: {view}, canvas, selected} = engineLayers;
const box = folded.of[selected], at = canvas.getBoundingClientRect();
const [x, y] = [(folded.x[box] - view.x) * view.scale, (folded.y[box] - view.y) * view.scale];
const half = folded.w[box] * view.scale / 2;
const covers = [...document.querySelectorAll("#panel, #table, .foot")].filter((e) => {
    const r = e.getBoundingClientRect();
    return e.checkVisibility() && r.left < at.left + x && at.left + x < r.right
        && r.top < at.top + y + 10 && at.top + y < r.bottom;
});
return [x - half >= 0, x + half <= view.width, y >= 0, y + 20 <= view.height,
    canvas.clientHeight === view.height, covers.map((e) => e.id || e.className)];"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080), (390, 844)])
def test_nothing_lies_over_the_drawing(page: Any, pages: Pages, width: int, height: int) -> None:
    page.sized(width, height).open(pages("small"))
    page.js("engineLayers.cam.zoomAt(4, 100, 100)")
    over = page.js(
        """const {left, top, right, bottom} = engineLayers.canvas.getBoundingClientRect();
        const found = [];
        for (let x = left + 4; x < right; x += 8) for (let y = top + 4; y < bottom; y += 8) {
            const {id} = document.elementFromPoint(x, y);
            if (id !== "drawing") found.push([x, y, id]);
        }
        return found"""
    )
    assert over == []


def test_on_a_phone_a_large_engine_opens_at_its_beginning(page: Any, pages: Pages) -> None:
    page.sized(390, 844).open(pages("thousand"), "#engine=0&blocks=")
    row, shown, scale = page.js(
        """const {engine, folded, cam} = engineLayers;
        const box = folded.of[engine.layout.row.indexOf(0)];
        return [folded.row[box], cam.sees({left: folded.x[box] - folded.w[box] / 2,
            top: folded.y[box], width: folded.w[box], height: folded.h[box]}), cam.view.scale]"""
    )
    assert row == 0 and shown and scale >= 0.6
    page.find("#all").click()
    page.settle()
    assert page.js("return engineLayers.cam.seesAll")


@sizes
def test_nothing_covers_the_chosen_layer(page: Any, pages: Pages, width: int, height: int) -> None:
    """Without the table, then with it."""
    page.sized(width, height).open(pages("small"))
    for below in ("nothing", "table"):
        for layer in (0, 43, 53):
            page.act("engineLayers.select(arguments[0])", layer)
            assert page.js(_CHOSEN) == [True] * 5 + [[]], (layer, below)
        assert page.text("#show-panel") == "Details"
        page.js("engineLayers.panes.show('table')")


def test_on_a_phone_the_panel_and_a_view_below_take_turns(page: Any, pages: Pages) -> None:
    page.sized(390, 844, ratio=2).open(pages("roofline"))
    for pane in ("roofline", "time"):
        page.find("#show-panel").click()
        page.act("engineLayers.panes.show(arguments[0])", pane)
        assert not page.find("#panel").is_displayed()
        assert page.find(f"#{pane} canvas").size["height"] > 60
        assert page.js("return document.documentElement.scrollWidth") == 390
    page.open(pages("small"))
    page.find("#show-panel").click()
    assert page.find("#panel").is_displayed()
    page.find("#show-table").click()
    assert page.find("#table").is_displayed() and not page.find("#panel").is_displayed()
    page.find("#table .line").click()  # selects; the rows stay in view
    assert page.js("return engineLayers.selected") is not None
    assert page.find("#table").is_displayed() and not page.find("#panel").is_displayed()
    page.find("#show-panel").click()
    assert page.find("#panel .top p").text.startswith("Layer")
    assert not page.find("#table").is_displayed()
    page.find("#panel .close").click()
    assert not page.find("#panel").is_displayed()
