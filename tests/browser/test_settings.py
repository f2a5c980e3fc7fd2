"""What the browser keeps of a person's choices, and what the wheel does."""

from typing import Any

import pytest

from browser.conftest import Pages

TURN = """const {cam, canvas} = engineLayers;
    cam.set(100, 20, 1);
    const before = {...cam.view};
    canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 60, ctrlKey: arguments[0]}));
    return [cam.view.y - before.y, cam.view.scale / before.scale]"""


def test_the_wheel_moves_and_with_ctrl_zooms(small: Any) -> None:
    moved, by = small.js(TURN, False)
    assert (moved, by) == (60, 1)
    assert 0.7 < small.js(TURN, True)[1] < 0.8  # one step of a wheel is no leap


def test_the_theme_is_remembered(small: Any, pages: Pages) -> None:
    was = small.js("return document.documentElement.dataset.theme")
    small.js("document.getElementById('dark').click()")
    small.open(pages("small"))
    assert small.js("return document.documentElement.dataset.theme") != was


def test_a_link_shows_a_layer_at_the_scale_of_before(small: Any, pages: Pages) -> None:
    """The drawing had been near another layer before, and a pane moved it."""
    view = """const {drawing, cam: {view: {x, y, scale}}} = engineLayers, at = drawing.place(50);
        return [(at.x - x) * scale, (at.y - y) * scale, scale * 100].map(Math.round)"""
    small.act("engineLayers.select(2); engineLayers.cam.zoom(3)")
    small.act("engineLayers.select(50)")
    small.js("engineLayers.panes.show('table')")
    small.written()
    was, link = small.js(view), small.js("return location.hash")
    small.open(pages("small"), link)
    small.settle()
    assert small.js(view) == pytest.approx(was, abs=1)
