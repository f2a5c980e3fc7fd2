"""The words on the boxes of the page's drawing, as the canvas writes them, and its marks."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from logtext import file_of

from browser.conftest import Pages, page_of
from engine_layer_visualize import read
from engine_layer_visualize.drawing.theme import contrast

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
def test_no_two_boxes_have_the_same_words(page: Any, pages: Pages, name: str, width: int) -> None:
    page.sized(width, 844).open(pages(name))
    boxes = [box for box in page.js(_WRITTEN) if box["words"]]
    assert len(boxes) > 2
    labels = Counter(" ".join(w for w in box["words"] if w != box["share"]) for box in boxes)
    assert [label for label, times in labels.items() if times > 1] == []


@pytest.mark.parametrize("mode", ["time", "memory"])
def test_the_share_is_the_last_thing_dropped(small: Any, mode: str) -> None:
    small.js("engineLayers.colorBy(arguments[0])", mode)
    for scale in (0.35, 0.4, 0.5, 0.61, 0.63, 1, 2):
        small.js("engineLayers.cam.set(0, 0, arguments[0])", scale)
        boxes = [box for box in small.js(_WRITTEN) if box["words"]]
        assert len(boxes) > 2
        assert [box for box in boxes if box["share"] and box["share"] not in box["words"]] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_can_be_read_on_their_boxes(page: Any, pages: Pages, scheme: str) -> None:
    page.sized(1440, 900, scheme).open(pages("small"))
    for mode in ("time", "type", "precision", "memory"):
        page.js("engineLayers.colorBy(arguments[0])", mode)
        boxes = page.js(_WRITTEN)
        assert sum(len(box["inks"]) for box in boxes) > 54
        for box in boxes:
            for ink in box["inks"]:
                assert contrast(box["fill"], ink) >= 4.5, (mode, box)


def test_boxes_say_the_bytes_that_colour_them(thousand: Any) -> None:
    thousand.js("engineLayers.colorBy('memory'); engineLayers.cam.set(0, 0, 1)")
    said = [word for box in thousand.js(_WRITTEN) for word in box["words"]]
    assert any(word.endswith((" KiB", " MiB")) for word in said)
    assert not any(word.endswith(" %") for word in said)


def test_a_box_does_not_say_what_its_frame_says(encoder: Any) -> None:
    encoder.js("engineLayers.levels.collapse(new Set()); engineLayers.cam.set(0, 0, 1)")
    subs = encoder.js(
        "const {engine} = engineLayers; return engine.groups.at(-1).nodes.map(engine.within)"
    )
    assert subs[0] == "MatMul" and subs[2] == "Add"


# ---- layers without a kernel as marks on their lines, several selected layers, drawings that fade


LAYERS = 63
CLICK = """const {folded, cam: {view}} = engineLayers, box = folded.of[arguments[0]];
    const canvas = document.getElementById("drawing"), at = canvas.getBoundingClientRect();
    const [x, y] = [folded.x[box], folded.y[box] + (arguments[1] ?? folded.h[box] / 2)];
    const place = {clientX: at.left + (x - view.x) * view.scale,
                   clientY: at.top + (y - view.y) * view.scale, bubbles: true, ...arguments[2]};
    engineLayers.cam.dragged = 0;
    canvas.dispatchEvent(new MouseEvent("click", place));"""


@pytest.fixture
def idle(page: Any, tmp_path: Path) -> Any:
    """A page of 63 layers, of which every seventh is a NoOp, and the last two read one tensor."""
    lines = ["[V] [TRT] Engine Layer Information:"]
    for number in range(LAYERS):
        kind = "NoOp" if number % 7 == 3 else "CaskConvolution"
        reads = f"t{min(number, LAYERS - 2)}[Half(1,8)]"
        writes = f"t{number + 1}[Half(1,8)]"
        lines.append(f"Layer({kind}): part{number}, Tactic: 5, {reads} -> {writes}")
    log = file_of(tmp_path, "\n".join(lines) + "\n")
    return page.open(page_of(read(log).engines, tmp_path / "idle.html"))


def test_layers_without_a_kernel_are_marks_that_are_found_and_selected(idle: Any) -> None:
    marks = "return [...engineLayers.folded.marks.values()].flat().length"
    assert idle.js(marks) == 9
    assert "9 layers without a kernel" in idle.text("#legend")
    idle.js("engineLayers.search.set('type:noop')")
    found = idle.js("""const {scene, hits} = engineLayers;
        return [hits.length, scene.hits.size, scene.foundMarks.size]""")
    assert found == [9, 0, 9]
    idle.act("engineLayers.search.clear(); engineLayers.drawing.moveTo(2, 0, 0, 1)")
    idle.js(CLICK, 2, idle.js("return engineLayers.folded.h[engineLayers.folded.of[2]]"))
    assert idle.text("#panel .top p") == "Layer 3"
    assert idle.text("#panel h2") == "NoOp"


def test_several_layers_are_selected_with_their_sums(small: Any) -> None:
    small.js(CLICK, 1)
    for layer in (2, 3):
        small.js(CLICK, layer, None, {"ctrlKey": True})
    assert small.text("#lens h3") == "Selected"
    sums = small.text("#lens .sums")
    assert sums == "3 layers  ·  133 µs  ·  5.1 %"
    small.written()
    assert "lit=set,1-3" in small.js("return location.hash")
    small.js(CLICK, 2, None, {"ctrlKey": True})
    assert small.js("return engineLayers.lens.nodes") == [1, 3]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_was_drawn_fades_where_a_block_unfolds(small: Any, motion: str) -> None:
    small.media("light", motion)
    levels = "return document.getElementById('tiles').childElementCount"
    there = small.js(f"engineLayers.levels.toggleGroup(0); {levels}")
    assert there == (1 if motion == "no-preference" else 0)  # what is drawn anew comes next
    small.settle()
    small.until(lambda: small.js(levels) == 1)
