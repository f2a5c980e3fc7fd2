"""The tiles that the drawing is made of: what is painted anew, when, and that no seam is seen."""

from pathlib import Path
from typing import Any

import pytest

from browser.conftest import Pages

# Calls of the canvas in frames that each begin with ACT.
CALLS = """
const [frames, done] = arguments, own = {}, kinds = CanvasRenderingContext2D.prototype;
const {cam} = engineLayers;
let calls = 0;
for (const [name, {value}] of Object.entries(Object.getOwnPropertyDescriptors(kinds)))
  if (typeof value === "function" && name !== "constructor") {
    own[name] = value;
    kinds[name] = function (...given) { calls++; return value.apply(this, given); };
  }
let left = frames;
const step = () => {
  if (left--) {
    ACT;
    requestAnimationFrame(step);
  } else requestAnimationFrame(() => { Object.assign(kinds, own); done(calls / frames); });
};
requestAnimationFrame(step);
"""
# How far each level is stretched.
STRETCHED = """return [...document.querySelectorAll("#tiles div")].map((level) =>
  Number(/scale\\((.*)\\)/.exec(level.style.transform)[1]))"""
# How many pixels differ between tiles painted one by one and all at once; how many are not paper.
SEAMS = """
const [scale, x, y] = arguments, {scene} = engineLayers, [wide, tall, side] = [1400, 800, 200];
const paint = (left, top, width, height) => {
  const canvas = Object.assign(document.createElement("canvas"), {width, height});
  const context = canvas.getContext("2d", {alpha: false, willReadFrequently: true});
  const view = {x: (x + left) / scale, y: (y + top) / scale, scale, width, height};
  modules.paint.base(context, scene, view, 1);
  return context.getImageData(0, 0, width, height).data;
};
const whole = new Uint32Array(paint(0, 0, wide, tall).buffer);
let [other, shown] = [0, 0];
for (let top = 0; top < tall; top += side)
  for (let left = 0; left < wide; left += side) {
    const tile = paint(left, top, side, side), rows = new Uint32Array(tile.buffer);
    for (let at = 0; at < side * side; at++) {
      const there = whole[(top + Math.floor(at / side)) * wide + left + at % side];
      if (there !== whole[0]) shown++;
      const part = (color, by) => (color >> by) & 255;
      const apart = [0, 8, 16].map((by) => Math.abs(part(there, by) - part(rows[at], by)));
      if (Math.max(...apart) > 24) other++;
    }
  }
return [other, shown];
"""


def calls(page: Any, act: str, frames: int = 10) -> float:
    """Calls of the canvas in a frame."""
    return float(page.driver.execute_async_script(CALLS.replace("ACT", act), frames))


def settle(page: Any) -> None:
    """Until the tiles around the window are painted, too."""
    page.driver.execute_async_script(
        """const done = arguments[0]; let [was, same] = ["", 0];
        const look = () => {
          const tiles = document.querySelectorAll("#tiles canvas").length;
          const now = tiles + document.querySelector("#tiles").lastChild.style.transform;
          same = now === was ? same + 1 : 0;
          was = now;
          same > 15 ? done() : requestAnimationFrame(look);
        };
        look();"""
    )


def test_a_pan_paints_nothing_that_was_there_and_a_zoom_stretches_it_first(largest: Any) -> None:
    """The whole sheet of 20,000 layers is moved; a new scene is painted."""
    largest.js("engineLayers.levels.collapse(new Set())")
    assert largest.js("return engineLayers.folded.size >= engineLayers.engine.count")
    largest.js("engineLayers.cam.all(true)")
    settle(largest)
    assert calls(largest, "cam.pan(4, 3)") < 40  # the overview's frame
    assert calls(largest, "engineLayers.requestDraw()", 1) > 500
    largest.js("engineLayers.cam.all(true)")
    settle(largest)
    assert largest.js(STRETCHED) == [1]
    assert calls(largest, "cam.zoomAt(1.02, 500, 400)", 4) < 60
    [stretched] = largest.js(STRETCHED)
    assert stretched == pytest.approx(1.02**4, abs=0.03)
    settle(largest)
    assert largest.js(STRETCHED) == [1]


def test_what_comes_into_view_is_painted(thousand: Any) -> None:
    thousand.js("""const {cam, levels} = engineLayers; levels.collapse(new Set());
        cam.stop(); cam.set(0, 0, 1)""")
    settle(thousand)
    assert calls(thousand, "cam.pan(0, 300)", 6) > 100
    settle(thousand)
    view = thousand.js("return engineLayers.cam.view")
    boxes = thousand.js(
        """return [...document.querySelectorAll("#tiles canvas")].map((tile) => {
          const {left, top, right, bottom} = tile.getBoundingClientRect();
          return [left, top, right, bottom] })"""
    )
    stage = thousand.js("return document.querySelector('#tiles').getBoundingClientRect().top")
    for at in (100, 400, 700):
        assert any(
            left <= 100 <= right and top <= at + stage <= bottom
            for left, top, right, bottom in boxes
        ), (at, view)


def test_the_pointer_paints_no_tile(thousand: Any) -> None:
    settle(thousand)
    thousand.js("engineLayers.scene.hover = 5; engineLayers.drawing.requestOver()")
    assert calls(thousand, "engineLayers.scene.hover++; engineLayers.drawing.requestOver()") < 60
    edge = thousand.js(
        """const {scene, folded, cam} = engineLayers, canvas = document.getElementById("drawing");
        const [box, {view}] = [scene.hover, cam];
        const x = (folded.x[box] - view.x) * view.scale, y = (folded.y[box] - view.y) * view.scale;
        const data = canvas.getContext("2d").getImageData(x - 30, y - 9, 60, 18).data;
        return data.some((part) => part > 0)"""
    )
    assert edge


def test_what_a_search_found_is_painted_in_all_tiles(thousand: Any) -> None:
    settle(thousand)
    look = (
        """return [...document.querySelectorAll("#tiles canvas")].map((tile) => tile.toDataURL())"""
    )
    before = thousand.js(look)
    thousand.js("engineLayers.showHits([3])")
    settle(thousand)
    during = thousand.js(look)
    assert len(before) == len(during) > 3
    assert sum(a != b for a, b in zip(before, during)) > 3
    thousand.js("engineLayers.showHits(null)")
    settle(thousand)
    assert thousand.js(look) == before


def test_far_from_the_scale_of_its_tiles_nothing_is_stretched(thousand: Any) -> None:
    settle(thousand)
    thousand.js("const {cam} = engineLayers; cam.zoomAt(4, 500, 400)")
    thousand.driver.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
    )
    assert thousand.js(STRETCHED)[-1] == 1


@pytest.mark.parametrize("ratio", [1, 1.25, 1.5, 3])
def test_a_pixel_of_a_tile_is_one_of_the_screen(page: Any, pages: Pages, ratio: float) -> None:
    page.sized(800, 600, ratio=ratio).open(pages("small"))
    page.js("const {cam} = engineLayers; cam.set(33.3, 77.7, 0.9)")
    settle(page)
    found = page.js(
        """return [...document.querySelectorAll("#tiles canvas")].map((tile) => {
          const {left, top, width} = tile.getBoundingClientRect();
          return [width * devicePixelRatio - tile.width, left * devicePixelRatio % 1] })"""
    )
    assert found
    for wider, beside in found:
        assert abs(wider) < 1e-2
        assert min(abs(beside), 1 - abs(beside)) < 0.05


def test_tiles_far_from_the_window_give_their_memory_back(page: Any, pages: Pages) -> None:
    page.sized(3840, 2160).open(pages("thousand"))
    page.js("const {cam} = engineLayers; cam.set(0, 0, 3)")
    for _ in range(6):
        page.js("engineLayers.cam.pan(1500, 1100)")
        settle(page)
    held = page.js(
        """return [...document.querySelectorAll("canvas")].reduce(
          (sum, {width, height}) => sum + 4 * width * height, 0)"""
    )
    assert held < 150_000_000


@pytest.mark.parametrize("name", ["transformer", "findings"])
def test_no_seam_is_seen(page: Any, pages: Pages, tmp_path: Path, name: str) -> None:
    """Tiles painted one by one are what is painted at once: names, dims and badges go across."""
    text = pages(name).read_text("utf-8")
    start = text.index('<meta http-equiv="Content-Security-Policy"')
    text = text[:start] + text[text.index(">", start) + 1 :]
    out = tmp_path / "open.html"
    out.write_text(
        text.replace("const modules = {};", "const modules = globalThis.modules = {};"), "utf-8"
    )
    page.open(out)
    page.js("engineLayers.levels.collapse(new Set())")
    for scale in (0.07, 0.2, 0.35, 0.75, 1.4):
        other, shown = page.js(SEAMS, scale, -40, -30)
        assert shown > 300
        assert other <= 0.002 * shown, scale


def test_files_stay_small(pages: Pages) -> None:
    """Those of detailed listings have the same bound as the others."""
    for kind in ("thousand", "thousand detailed"):
        assert pages(kind).stat().st_size < 700_000
    assert pages("largest").stat().st_size < 8_000_000
