"""Groups of any depth in the page: levels, frames, sums, parts that blocks share, ForeignNodes."""

from typing import Any

import pytest
from selenium.webdriver import ActionChains

from browser.conftest import AMISS, Pages

BOXES = """const {scene, folded} = engineLayers;
    return Array.from({length: folded.size}, (_, box) => scene.text(box).head)"""
FOLDED = "return [engineLayers.collapsed.size, engineLayers.folded.size]"
BLOCKS = [f"+ /encoder/layer.{n}" for n in range(4)]


def folded(page: Any) -> list[str]:
    """The boxes of collapsed groups."""
    return [words for words in page.js(BOXES) if words.startswith("+ ")]


def test_each_level_is_a_choice_and_b_folds_all_and_goes_back(encoder: Any) -> None:
    assert [one.text for one in encoder.all("#level option")[:4]] == [
        "level 1: 8 boxes",
        "level 2: 24 boxes",
        "level 3: 84 boxes",
        "all: 108 boxes",
    ]
    attention = [f"+ layer.{n}/attention" for n in range(4)]
    assert folded(encoder) == attention  # of which 20 layers each would be too many
    assert len(encoder.js(BOXES)) == 32
    encoder.choose("level", "0")
    assert folded(encoder) == BLOCKS
    assert len(encoder.js(BOXES)) == 8
    encoder.choose("level", "1")
    parts = [f"+ layer.{n}/{part}" for n in range(4) for part in ("attention", "output")]
    assert folded(encoder) == parts
    encoder.choose("level", "2")
    assert folded(encoder) == [f"+ attention/{part}" for part in "qkv"] * 4
    encoder.choose("level", "3")
    assert folded(encoder) == []
    encoder.choose("level", "1")
    encoder.press("b")
    assert folded(encoder) == BLOCKS
    encoder.press("b")
    assert folded(encoder) == parts


def test_b_unfolds_nothing_where_all_is_folded_from_the_first(thousand: Any) -> None:
    before = thousand.js(FOLDED)
    thousand.press("b")
    assert thousand.js(FOLDED) == before
    thousand.js("engineLayers.levels.toggleGroup(0)")
    opened = thousand.js(FOLDED)
    thousand.press("bb")
    assert thousand.js(FOLDED) == opened != before


def test_a_tooltip_goes_with_what_it_was_about(encoder: Any) -> None:
    tip = encoder.find("#tip")
    for act, how in ((encoder.press, "b"), (encoder.wheel, 40)):
        encoder.click_layer(0)
        ActionChains(encoder.driver).move_by_offset(3, 0).perform()
        assert tip.is_displayed()
        act(how)
        encoder.settle()
        assert not tip.is_displayed()


@pytest.mark.parametrize("name", ["encoder", "masked"])
def test_a_frame_is_around_its_own_boxes_and_no_others(page: Any, pages: Pages, name: str) -> None:
    """Boxes of groups that are folded inside of it, too; not the mask that every block reads."""
    page.open(pages(name))
    for level in ("1", "2", "3"):
        page.choose("level", level)
        assert page.js(AMISS) == [], level
        assert page.js("return engineLayers.frames.length") > 0


def test_a_group_says_its_sums_opens_and_has_a_colour_when_folded(encoder: Any) -> None:
    encoder.choose("level", "1")
    encoder.js("""const {cam, frames} = engineLayers, [frame] = frames;
        cam.set(frame.x - 20, frame.y - 20, 1);
        engineLayers.canvas.dispatchEvent(new MouseEvent("pointermove", {clientX: 0, clientY: 0}));
        const place = engineLayers.canvas.getBoundingClientRect();
        engineLayers.canvas.dispatchEvent(new PointerEvent("pointermove",
          {clientX: place.left + frame.x + 20 - cam.view.x,
           clientY: place.top + frame.y + 4 - cam.view.y}))""")
    assert encoder.text("#tip b") == "/encoder/layer.0"
    assert encoder.text("#tip span") == "26 layers  ·  1.06 ms  ·  24.7 %"
    encoder.js("engineLayers.select(3)")
    told = [" ".join(one.text.split()) for one in encoder.all("#panel .row") if "block" in one.text]
    block = "block /encoder/layer.0{}: fold {}".format
    assert told == [
        block("", "26 layers · 1.06 ms · 24.7 %"),
        block("/attention", "20 layers · 586 µs · 13.6 %"),
        block("/attention/q", "3 layers · 82.0 µs · 1.9 %"),
    ]
    encoder.choose("level", "0")
    for mode, words in (("type", "CaskGemmMatrixMultiply"), ("precision", "Half")):
        encoder.js("engineLayers.colorBy(arguments[0])", mode)
        fill, paper, sub = encoder.js("""const {scene, folded} = engineLayers, box = folded.of[5];
            return [scene.fill(box), scene.colors.paper, scene.text(box).sub]""")
        assert fill != paper
        assert sub == f"26 layers, mostly {words}"
    encoder.choose("level", "0")
    encoder.settle()
    encoder.click_layer(30)
    assert folded(encoder) == [BLOCKS[0], "+ layer.1/attention", "+ layer.1/output", *BLOCKS[2:]]
    chosen = "return document.getElementById('level').selectedOptions[0].textContent"
    assert encoder.js(chosen) == f"{encoder.js('return engineLayers.folded.size')} boxes"
    encoder.js("engineLayers.levels.toggleGroup(engineLayers.engine.groups.findIndex("
            "(group) => group.path === '/encoder/layer.1'))")  # fmt: skip
    assert folded(encoder) == BLOCKS, "a collapsed group hides those inside"


def test_what_a_foreign_node_holds(box: Any) -> None:
    assert box.js("return engineLayers.scene.text(engineLayers.folded.of[0]).sub") == "3 × block"
    box.js("engineLayers.select(0)")
    assert [" ".join(one.text.split()) for one in box.all("#panel .inside li")] == [
        "3 × /tower/block.0–2 3 nodes: 1 MatMul, 1 Add, 1 Relu",
        "/head 2 nodes: 1 LayerNormalization, 1 MatMul",
    ]
