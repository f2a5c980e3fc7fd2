"""The words on the boxes of the page's drawing, as the canvas is told to write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import window
from engine_layer_visualize.drawing.theme import contrast

Pages = Callable[[str], Path]

# For each box of a layer in the window: the words on it, with their colours.
_WRITTEN = """
const {drawing, engine, folded, scene} = engineLayers, {prototype} = CanvasRenderingContext2D;
const {fillText} = prototype, said = [];
prototype.fillText = function (words, x, y, ...rest) {
    said.push([words, x, y, this.fillStyle]);
    fillText.call(this, words, x, y, ...rest);
};
drawing.paintOn(document.createElement("canvas").getContext("2d"));
prototype.fillText = fillText;
return Array.from({length: folded.size}, (_, box) => box)
    .filter((box) => folded.node[box] < 0 || engine.isLayer(folded.node[box]))
    .map((box) => {
        const [left, right] = [-1, 1].map((side) => folded.x[box] + side * folded.w[box] / 2);
        const on = said.filter(([, x, y]) => x >= left && x <= right
            && y > folded.y[box] + 4 && y <= folded.y[box] + folded.h[box]);
        return {words: on.map(([words]) => words.trim()), inks: on.map((each) => each[3]),
            share: scene.text(box).share, fill: scene.fill(box), quiet: scene.text(box).quiet};
    });"""


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", ["small", "partial", "profiles", "encoder"])
def test_no_two_boxes_of_the_first_view_have_the_same_words(
    page: Any, pages: Pages, name: str, width: int
) -> None:
    window(page, width, 844)
    page.open(pages(name))
    boxes = [box for box in page.js(_WRITTEN) if box["words"]]
    assert len(boxes) > 2
    labels = Counter(" ".join(w for w in box["words"] if w != box["share"]) for box in boxes)
    assert [label for label, times in labels.items() if times > 1] == []


@pytest.mark.parametrize("mode", ["time", "memory"])
def test_the_share_is_the_last_thing_dropped(page: Any, pages: Pages, mode: str) -> None:
    page.open(pages("small"))
    page.js("engineLayers.colorBy(arguments[0])", mode)
    for scale in (0.35, 0.4, 0.5, 0.61, 0.63, 1, 2):
        page.js("engineLayers.cam.set(0, 0, arguments[0])", scale)
        boxes = [box for box in page.js(_WRITTEN) if box["words"]]
        assert len(boxes) > 2
        assert [box for box in boxes if box["share"] and box["share"] not in box["words"]] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_can_be_read_on_their_boxes(page: Any, pages: Pages, scheme: str) -> None:
    window(page, 1440, 900, scheme)
    page.open(pages("small"))
    for mode in ("time", "type", "precision", "memory"):
        page.js("engineLayers.colorBy(arguments[0])", mode)
        boxes = page.js(_WRITTEN)
        assert sum(len(box["inks"]) for box in boxes) > 54
        for box in boxes:
            for ink in box["inks"]:
                assert contrast(box["fill"], ink) >= 4.5, (mode, box)


def test_boxes_say_the_bytes_that_colour_them(page: Any, pages: Pages) -> None:
    page.open(pages("thousand"))
    page.js("engineLayers.colorBy('memory'); engineLayers.cam.set(0, 0, 1)")
    said = [word for box in page.js(_WRITTEN) for word in box["words"]]
    assert any(word.endswith((" KiB", " MiB")) for word in said)
    assert not any(word.endswith(" %") for word in said)


def test_a_box_does_not_say_what_its_frame_says(page: Any, pages: Pages) -> None:
    page.open(pages("encoder"))
    page.js("engineLayers.levels.collapse(new Set()); engineLayers.cam.set(0, 0, 1)")
    subs = page.js(
        "const {engine} = engineLayers; return engine.groups.at(-1).nodes.map(engine.within)"
    )
    assert subs[0] == "MatMul" and subs[2] == "Add"
