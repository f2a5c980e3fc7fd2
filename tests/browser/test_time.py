"""The view of time, linked with the drawing and the search: an icicle."""

from __future__ import annotations

from typing import Any

from browser.conftest import Pages, window

ESCAPE = "\ue00c"

# The middle of a rectangle of the icicle, by its label, in the first of its rows.
RECT = """const {x, y, w, h, layers} = engineLayers.time.rects.find(
    ({node}) => node?.label === arguments[0]);
return [x + w / 2, y + h / 2, layers];"""


def onto(page: Any, x: float, y: float) -> Any:
    return page.pointer(x, y, "#time canvas")


def rectangle(page: Any, label: str) -> tuple[float, float, list[int]]:
    x, y, layers = page.js(RECT, label)
    return x, y, layers


def labels(page: Any) -> list[str]:
    found: list[str] = page.js("return engineLayers.time.rects.map(({node}) => node?.label)")
    return found


def test_a_module_is_marked_zoomed_into_and_left(page: Any, pages: Pages) -> None:
    page.open(pages("encoder"))
    page.press("i")
    page.settle()
    assert {"all layers", "/encoder", "layer.0", "layer.3", "attention"} <= set(labels(page))
    x, y, layers = rectangle(page, "layer.1")
    onto(page, x, y).perform()
    tip = page.find("#time .tip")
    assert tip.is_displayed() and tip.text.startswith("/encoder/layer.1\n26 layers  ·  ")
    onto(page, x, y).click().perform()
    assert page.js("return engineLayers.hits") == layers
    assert page.text("#time .told").startswith("Marked: 26 layers  ·  ")
    page.shoot("time-icicle")
    onto(page, x, y).double_click().perform()
    assert "layer.0" not in labels(page) and "/encoder" in labels(page)
    button = next(one for one in page.all("#time button") if one.text == "Zoom out")
    assert button.is_displayed()
    page.press(ESCAPE)
    assert "layer.0" in labels(page) and button.is_displayed()  # the encoder is what is around
    button.click()
    assert not button.is_displayed()
    page.js("engineLayers.dark(true)")
    page.shoot("time-icicle-dark")


def test_sums_over_an_unknown_number_of_runs_are_shares(page: Any, pages: Pages) -> None:
    page.open(pages("summed"))
    told = page.text("body")
    assert "19.6 µs in an unknown number of runs" in told
    assert "63.9 %" in told and "12.5 µs" not in told
    page.press("i")
    page.settle()
    words = page.text("#time .tools p")
    assert "no time of a run is known" in words and "Nothing is timed" not in words


def test_layers_without_a_time_are_seen_and_counted(page: Any, pages: Pages) -> None:
    page.open(pages("partial"))
    page.press("i")
    page.settle()
    words = page.text("#time .tools p")
    assert "123 µs, measured" in words and "22 of 24 layers timed" in words
    times = page.js("return engineLayers.engine.layers.ms")
    layers = [at for at, ms in enumerate(times) if not ms]
    button = page.find("#time .keys button")
    assert button.text == f"1 not timed, 1 run no kernel, {times.count(0)} of 0 µs"
    assert times.count(None) == 2
    button.click()
    assert page.js("return engineLayers.hits") == layers


def test_of_two_profiles_the_shown_one_is_drawn(page: Any, pages: Pages) -> None:
    page.open(pages("profiles"))
    page.press("i")
    drawn = """return [...new Set(engineLayers.time.rects.flatMap(({layers}) => layers))]"""
    page.js("engineLayers.profile(0)")
    first = page.js(drawn)
    page.js("engineLayers.profile(1)")
    second = page.js(drawn)
    assert first and second and not set(first) & set(second)
    assert "4.000 ms" in page.text("#time .tools p")


def test_what_the_pointer_is_on_in_the_drawing_is_marked_in_the_icicle(
    page: Any, pages: Pages
) -> None:
    page.open(pages("small"))
    page.press("i")
    page.settle()
    pixels = "return engineLayers.time.canvas.toDataURL()"
    before = page.js(pixels)
    page.js("engineLayers.point(engineLayers.folded.of[20])")
    page.settle()
    assert page.js(pixels) != before
    page.js("engineLayers.point(-1)")
    page.settle()
    assert page.js(pixels) == before


def test_a_row_of_a_large_icicle_has_no_more_rectangles_than_pixels(
    page: Any, pages: Pages
) -> None:
    page.open(pages("largest"))
    page.press("i")
    rects, width = page.js(
        """const {rects, canvas} = engineLayers.time;
        return [rects.map(({row, layers}) => [row, layers.length]), canvas.clientWidth]"""
    )
    for row in {row for row, _ in rects}:
        shown = [layers for at, layers in rects if at == row]
        assert len(shown) <= width and sum(shown) <= 20_000
    assert sum(layers for row, layers in rects if row == 0) == 20_000


def test_hits_fade_what_is_not_found_in_all_views(page: Any, pages: Pages) -> None:
    page.open(pages("roofline"))
    page.press("r")
    page.settle()
    colors = """const {roofline} = engineLayers;
        const canvas = document.querySelector('#roofline canvas');
        const copy = Object.assign(document.createElement('canvas'),
            {width: canvas.width, height: canvas.height});
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
        return roofline.dots.map(({node, x, y}) => [node, at(x, y)])
    """
    before = dict(page.js(colors))
    page.js("engineLayers.search.set('#3')")
    page.settle()
    after = dict(page.js(colors))
    numbered = page.js("return engineLayers.engine.rooflines[0].worst.map(([node]) => node)")
    plain = [node for node in before if node not in numbered and node != 3]
    assert plain and all(before[node] != after[node] for node in plain)
    page.press("i")
    fills = dict(
        page.js("return engineLayers.time.rects.map(({node, fill}) => [node?.layer, fill])")
    )
    page.js("engineLayers.search.set('')")
    back = dict(
        page.js("return engineLayers.time.rects.map(({node, fill}) => [node?.layer, fill])")
    )
    assert fills[3] == back[3] and any(fills[node] != back[node] for node in back if node != 3)


def test_a_small_window_has_it_in_place_of_the_overview(page: Any, pages: Pages) -> None:
    window(page, 390, 844, ratio=2)
    page.open(pages("encoder"))
    page.find("#show-time").click()
    page.settle()
    assert page.find("#time canvas").size["height"] > 60
    assert page.js("return document.documentElement.scrollWidth") == 390
    page.shoot("phone-time")
