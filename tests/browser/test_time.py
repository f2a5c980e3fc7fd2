"""The view of time, linked with the drawing and the search: an icicle."""

from typing import Any

from browser.conftest import Pages

# The middle of a rectangle of the icicle, by its label, in the first of its rows.
RECT = """const {x, y, w, h, layers} = engineLayers.time.rects.find(
    ({node}) => node?.label === arguments[0]);
return [x + w / 2, y + h / 2, layers];"""


def onto(page: Any, x: float, y: float) -> Any:
    return page.pointer(x, y, "#time canvas")


def labels(page: Any) -> list[str]:
    found: list[str] = page.js("return engineLayers.time.rects.map(({node}) => node?.label)")
    return found


def test_a_module_is_marked_zoomed_into_and_left(encoder: Any) -> None:
    encoder.tap("i")
    assert {"all layers", "/encoder", "layer.0", "layer.3", "attention"} <= set(labels(encoder))
    x, y, layers = encoder.js(RECT, "layer.1")
    onto(encoder, x, y).perform()
    tip = encoder.find("#time .tip")
    assert tip.is_displayed() and tip.text.startswith("/encoder/layer.1\n26 layers  ·  ")
    onto(encoder, x, y).click().perform()
    assert encoder.js("return engineLayers.hits") == layers
    assert encoder.text("#time .told").startswith("Marked: 26 layers  ·  ")
    encoder.settle()
    onto(encoder, x, y).double_click().perform()
    assert "layer.0" not in labels(encoder) and "/encoder" in labels(encoder)
    button = next(one for one in encoder.all("#time button") if one.text == "Zoom out")
    assert button.is_displayed()
    encoder.press("\ue00c")  # Escape
    assert "layer.0" in labels(encoder) and button.is_displayed()  # the encoder is what is around
    button.click()
    assert not button.is_displayed()


def test_sums_over_an_unknown_number_of_runs_are_shares(page: Any, pages: Pages) -> None:
    page.open(pages("summed"))
    told = page.text("body")
    assert "19.6 µs in an unknown number of runs" in told
    assert "63.9 %" in told and "12.5 µs" not in told
    page.tap("i")
    words = page.text("#time .tools p")
    assert "no time of a run is known" in words and "Nothing is timed" not in words


def test_layers_without_a_time_are_seen_and_counted(partial: Any) -> None:
    partial.tap("i")
    words = partial.text("#time .tools p")
    assert "123 µs, measured" in words and "22 of 24 layers timed" in words
    times = partial.js("return engineLayers.engine.layers.ms")
    layers = [at for at, ms in enumerate(times) if not ms]
    button = partial.find("#time .keys button")
    assert button.text == f"1 not timed, 1 run no kernel, {times.count(0)} of 0 µs"
    assert times.count(None) == 2
    button.click()
    assert partial.js("return engineLayers.hits") == layers


def test_of_two_profiles_the_shown_one_is_drawn(profiles: Any) -> None:
    profiles.press("i")
    drawn = """return [...new Set(engineLayers.time.rects.flatMap(({layers}) => layers))]"""
    profiles.js("engineLayers.profile(0)")
    first = profiles.js(drawn)
    profiles.js("engineLayers.profile(1)")
    second = profiles.js(drawn)
    assert first and second and not set(first) & set(second)
    assert "4.000 ms" in profiles.text("#time .tools p")


def test_what_the_pointer_is_on_in_the_drawing_is_marked_in_the_icicle(small: Any) -> None:
    small.tap("i")
    pixels = "return engineLayers.time.canvas.toDataURL()"
    before = small.js(pixels)
    small.act("engineLayers.point(engineLayers.folded.of[20])")
    assert small.js(pixels) != before
    small.act("engineLayers.point(-1)")
    assert small.js(pixels) == before


def test_a_row_of_a_large_icicle_has_no_more_rectangles_than_pixels(largest: Any) -> None:
    largest.press("i")
    rects, width = largest.js(
        """const {rects, canvas} = engineLayers.time;
        return [rects.map(({row, layers}) => [row, layers.length]), canvas.clientWidth]"""
    )
    for row in {row for row, _ in rects}:
        shown = [layers for at, layers in rects if at == row]
        assert len(shown) <= width and sum(shown) <= 20_000
    assert sum(layers for row, layers in rects if row == 0) == 20_000


def test_hits_fade_what_is_not_found_in_all_views(roofline: Any) -> None:
    roofline.tap("r")
    colors = """const {roofline} = engineLayers;
        const canvas = document.querySelector('#roofline canvas');
        const copy = Object.assign(document.createElement('canvas'),
            {width: canvas.width, height: canvas.height});
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
        return roofline.dots.map(({node, x, y}) => [node, at(x, y)])
    """
    before = dict(roofline.js(colors))
    roofline.act("engineLayers.search.set('#3')")
    after = dict(roofline.js(colors))
    numbered = roofline.js("return engineLayers.engine.rooflines[0].worst")
    plain = [node for node in before if node not in numbered and node != 3]
    assert plain and all(before[node] != after[node] for node in plain)
    roofline.press("i")
    drawn = "return engineLayers.time.rects.map(({node, fill}) => [node?.layer, fill])"
    fills = dict(roofline.js(drawn))
    roofline.js("engineLayers.search.set('')")
    back = dict(roofline.js(drawn))
    assert fills[3] == back[3] and any(fills[node] != back[node] for node in back if node != 3)
