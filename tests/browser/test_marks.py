"""Layers without a kernel as marks on their lines, several selected layers, drawings that fade."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine_layer_visualize import read
from engine_layer_visualize.page import html

Pages = Callable[[str], Path]
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
    log = tmp_path / "idle.log"
    log.write_text("\n".join(lines) + "\n", "utf-8")
    out = tmp_path / "idle.html"
    out.write_bytes(b"".join(html.pieces(read(log).engines)))
    return page.open(out)


def marks(page: Any) -> int:
    return int(page.js("return [...engineLayers.folded.marks.values()].flat().length"))


def test_layers_without_a_kernel_are_marks(idle: Any) -> None:
    assert marks(idle) == 9
    assert "9 layers without a kernel" in idle.text("#legend")


def test_a_mark_is_found_and_selected(idle: Any) -> None:
    idle.js("engineLayers.search.set('type:noop')")
    found = idle.js("""const {scene, hits} = engineLayers;
        return [hits.length, scene.hits.size, scene.foundMarks.size]""")
    assert found == [9, 0, 9]
    idle.js("engineLayers.search.clear(); engineLayers.drawing.moveTo(2, 0, 0, 1)")
    idle.settle()
    idle.js(CLICK, 2, idle.js("return engineLayers.folded.h[engineLayers.folded.of[2]]"))
    assert idle.text("#panel .top p") == "Layer 3"
    assert idle.text("#panel h2") == "NoOp"


def test_several_layers_are_selected_with_their_sums(page: Any, pages: Pages) -> None:
    page.open(pages("small"))
    page.js(CLICK, 1)
    for layer in (2, 3):
        page.js(CLICK, layer, None, {"ctrlKey": True})
    assert page.text("#lens h3") == "Selected"
    sums = page.text("#lens .sums")
    assert sums == "3 layers  ·  133 µs  ·  5.1 %"
    page.written()
    assert "lit=set,1-3" in page.js("return location.hash")
    page.js(CLICK, 2, None, {"ctrlKey": True})
    assert page.js("return engineLayers.lens.nodes") == [1, 3]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_was_drawn_fades_where_a_block_unfolds(page: Any, pages: Pages, motion: str) -> None:
    page.open(pages("small"))
    features = [{"name": "prefers-reduced-motion", "value": motion}]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    levels = "return document.getElementById('tiles').childElementCount"
    there = page.js(f"engineLayers.levels.toggleGroup(0); {levels}")
    assert there == (1 if motion == "no-preference" else 0)  # what is drawn anew comes next
    page.settle()
    page.until(lambda: page.js(levels) == 1)
