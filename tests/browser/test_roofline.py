"""The roofline in the page: dots that tell and select their layers, and why there are none."""

import re
from typing import Any

from browser import page_logs
from browser.conftest import Pages
from engine_layer_visualize.core.text import visible

CONVOLUTIONS = len(page_logs.HOSTILE)


def at_dot(page: Any, node: int, click: bool) -> None:
    """The pointer onto the dot of a layer."""
    place = page.js(
        "const dot = engineLayers.roofline.dots.find(({node}) => node === arguments[0]);"
        "return [dot.x, dot.y]",
        node,
    )
    moved = page.pointer(*place, "#roofline canvas")
    (moved.click() if click else moved).perform()


def in_view(page: Any, node: int) -> bool:
    return bool(
        page.js(
            """const {cam: {view}, folded} = engineLayers, box = folded.of[arguments[0]];
            const x = (folded.x[box] - view.x) * view.scale;
            const y = (folded.y[box] - view.y) * view.scale;
            return x > 0 && x < view.width && y > 0 && y < view.height""",
            node,
        )
    )


def test_what_limits_a_layer_stands_beside_its_time(roofline: Any) -> None:
    roofline.all("#panel .ranking a")[1].click()
    cost, best, work = (roofline.find(f"#panel .cost{' + p' * n}") for n in range(3))
    assert cost.text.endswith("180 µs · 16.4 %")
    assert re.match(r"At best .* [nµ]s, (memory|launch|compute)-bound.*; .* efficiency ", best.text)
    assert "MACs, moves" in work.text
    assert work.rect["y"] + work.rect["height"] < 300, "far above the fold"
    assert roofline.text("#panel").count("-bound") == 1, "and stands there once"


def test_a_dot_tells_and_selects_its_layer(roofline: Any) -> None:
    button = next(one for one in roofline.all("#panel button") if one.text == "Show the roofline")
    roofline.driver.execute_script("arguments[0].scrollIntoView()", button)
    button.click()
    roofline.settle()
    assert roofline.js("return engineLayers.roofline.dots.length") == CONVOLUTIONS
    words = roofline.text("#roofline .tools p")
    assert f"{CONVOLUTIONS} of {CONVOLUTIONS + 1} layers are drawn" in words
    assert "(dense, maximum clock)" in words
    assert roofline.text("#roofline .keys") == "Int8Half"
    last = CONVOLUTIONS - 1
    at_dot(roofline, last, click=False)
    tip = roofline.find("#roofline .tip")
    assert tip.is_displayed() and visible(page_logs.HOSTILE[last]) in tip.text
    assert "MACs" in tip.text and "at best" in tip.text
    at_dot(roofline, last, click=True)
    roofline.settle()
    assert roofline.js("return engineLayers.selected") == last and in_view(roofline, last)
    assert roofline.js("return window.pwned === undefined")


def test_an_unknown_device_is_said(page: Any, pages: Pages) -> None:
    page.open(pages("no-device"))
    page.press("r")
    assert "There are no roofs" in page.text("#roofline .tools p")
    assert page.find("#roofline .plot").is_displayed()


def test_an_engine_without_dots_has_no_roofline(untimed: Any, pages: Pages) -> None:
    untimed.press("r")
    assert not untimed.find("#roofline").is_displayed()
    assert "Roofline" not in untimed.find("#panel").text
    untimed.press("ir")
    assert untimed.find("#time").is_displayed(), "what is open stays so"
    untimed.press("?")
    assert "roofline" not in untimed.text("#help dl")
    untimed.press("\ue00c")
    untimed.open(pages("untimed"), "#pane=roofline")
    assert "pane=roofline" in untimed.text("#notice p")
