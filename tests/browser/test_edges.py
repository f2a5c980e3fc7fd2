"""Edges of the page: what a pointer on them says, cones, arrow keys, flags."""

from typing import Any

import pytest
from selenium.webdriver import ActionChains, Keys

DOWN, UP, LEFT, RIGHT = "\ue015", "\ue013", "\ue012", "\ue014"
ESCAPE = "\ue00c"
# The middle of the longest piece of an edge's route, in the window.
_ON_ROUTE = """
const {scene, cam, engine} = engineLayers, {points, start, routeOf} = scene.routes;
const route = routeOf[arguments[0]];
let best = [0, 0, 0];
for (let at = start[route]; at + 3 < start[route + 1]; at += 2) {
  const [x, y, u, v] = points.slice(at, at + 4), long = Math.hypot(u - x, v - y);
  if (long > best[0]) best = [long, (x + u) / 2, (y + v) / 2];
}
return [(best[1] - cam.view.x) * cam.view.scale, (best[2] - cam.view.y) * cam.view.scale]"""
_EDGE = """const {engine} = engineLayers;
return [...engine.out(arguments[0])].find((e) => engine.edges.to[e] === arguments[1]) ?? -1"""


def on_edge(page: Any, source: int, reader: int) -> Any:
    edge = page.js(_EDGE, source, reader)
    return page.pointer(*page.js(_ON_ROUTE, edge))


def near(page: Any, node: int) -> None:
    """Brings a node into the window, large, and waits."""
    page.act("engineLayers.drawing.show(arguments[0])", node)


def lit(page: Any) -> list[list[int]]:
    """From and to of the edges that are lit."""
    found: list[list[int]] = page.js("""const {scene, engine} = engineLayers;
        return [...scene.lit].map((route) => scene.routes.edge[route])
          .map((e) => [engine.edges.from[e], engine.edges.to[e]])
          .sort((a, b) => a[0] - b[0] || a[1] - b[1])""")
    return found


@pytest.fixture
def unfolded(encoder: Any) -> Any:
    """An encoder of which all layers are shown."""
    encoder.js("engineLayers.levels.collapse(new Set())")
    return encoder


def test_an_edge_tells_its_tensor_and_a_click_selects_it(unfolded: Any) -> None:
    unfolded.act("engineLayers.drawing.showAll([26, 46])")
    on_edge(unfolded, 26, 46).perform()  # the skip connection of a block
    tip = unfolded.text("#tip")
    assert unfolded.find("#tip").is_displayed()
    for words in ("x1", "Half", "8×384×1024", "6.0 MiB", "written by 26 Add"):
        assert words in tip
    assert "read by 27 LayerNormalization, 46 Add" in tip
    # All routes of the tensor stand out, and none of another.
    routes = unfolded.js("""const {scene, engine} = engineLayers;
        return [...scene.pointed].map((r) => engine.edges.to[scene.routes.edge[r]])""")
    assert sorted(routes) == [27, 46]
    unfolded.pointer(4, 4).perform()
    assert not unfolded.find("#tip").is_displayed()
    assert unfolded.js("return engineLayers.scene.pointed.size") == 0
    near(unfolded, 27)
    on_edge(unfolded, 26, 27).click().perform()
    assert unfolded.text("#panel .top p") == "Tensor"
    assert unfolded.text("#panel h2") == "x1"
    panel = unfolded.text("#panel")
    assert "data typeHalf" in panel and "size6.0 MiB" in panel
    assert "Written by (1)26Add" in panel and "Read by (2)27LayerNormalization46Add" in panel
    assert lit(unfolded) == [[26, 27], [26, 46]]
    assert unfolded.js("return engineLayers.scene.ends.size") == 3
    unfolded.all("#panel .ranking a")[-1].click()
    assert unfolded.text("#panel .top p") == "Layer 46"
    # From a layer's own tensors back to the tensor: by a button, so by the keyboard, too.
    unfolded.find("#panel .tensor .name button").click()
    assert unfolded.text("#panel .top p") == "Tensor"
    unfolded.press(ESCAPE)
    assert unfolded.js("return engineLayers.tensor") is None


def test_a_selected_layer_lights_its_own_edges_and_arrows_walk_along_them(unfolded: Any) -> None:
    unfolded.js("engineLayers.select(27)")
    assert lit(unfolded) == [[26, 27], [27, 28], [27, 32], [27, 36]]
    assert unfolded.js("return engineLayers.scene.hits") is None  # no box fades
    assert unfolded.js("return engineLayers.scene.faint") is False
    unfolded.js("engineLayers.select(27); engineLayers.canvas.focus()")
    selected = "return engineLayers.selected"

    def press(key: str) -> int:
        unfolded.press(key)
        assert unfolded.js("return document.activeElement.id") == "drawing"
        found: int = unfolded.js(selected)
        return found

    assert [press(key) for key in (DOWN, RIGHT, RIGHT, LEFT)] == [28, 32, 36, 32]
    assert [press(key) for key in (DOWN, UP, UP, UP)] == [33, 32, 27, 26]
    unfolded.settle()
    x = "return engineLayers.cam.view.x"
    before = unfolded.js(x)
    ActionChains(unfolded.driver).key_down(Keys.SHIFT).send_keys(RIGHT).key_up(Keys.SHIFT).perform()
    unfolded.settle()
    assert unfolded.js(x) > before and unfolded.js(selected) == 26
    unfolded.tap(ESCAPE)
    before = unfolded.js(x)
    unfolded.tap(LEFT)  # the right end may be reached
    assert unfolded.js(x) < before and unfolded.js(selected) is None
    unfolded.press("?")
    keys = unfolded.text("#help")
    assert "↓, ↑in the drawing: to a layer that reads from the selected one" in keys
    assert "Shift+arrow" in keys


def test_the_cone_of_a_layer_is_lit_on_request(unfolded: Any) -> None:
    below = len(unfolded.js("return engineLayers.engine.layers.name"))
    near(unfolded, 45)
    unfolded.pointer_on(45).key_down(Keys.SHIFT).click().key_up(Keys.SHIFT).perform()
    assert unfolded.text("#lens h3") == "Above and below layer 45, with it"
    assert unfolded.text("#lens .sums").startswith(f"{below} layers")
    unfolded.press("d")
    assert unfolded.text("#lens h3") == "Downstream of layer 45, with it"
    assert unfolded.text("#lens .sums").startswith(f"{below - 45} layers")
    unfolded.press("u")
    assert unfolded.text("#lens .sums").startswith("46 layers")
    hits = unfolded.js("return engineLayers.hits")
    assert {44, 45} <= {*hits} and 46 not in hits
    # The same lens in the table: what is lit is what a search would have found.
    unfolded.all("#lens button")[1].click()
    assert unfolded.text("#table .tools .muted").startswith("46 of ")
    unfolded.press("t")
    unfolded.press(ESCAPE)
    assert unfolded.js("return [engineLayers.lens, engineLayers.hits]") == [None, None]
    assert unfolded.js("return engineLayers.selected") == 45
    unfolded.press(ESCAPE)
    assert unfolded.js("return engineLayers.selected") is None


@pytest.fixture
def cut(unfolded: Any) -> Any:
    """An unfolded whose edges all run backwards, so are cut, with each of its blocks as one box."""
    unfolded.act("""const {engine} = engineLayers; engine.layout.netOf.fill(-1);
        engine.layout.row = engine.layout.row.map((row) => 999 - row);
        engineLayers.levels.collapse(new Set(engine.groups.keys()))""")
    return unfolded


_FLAGS = """const {scene, folded} = engineLayers;
return scene.flags(folded.of[arguments[0]]).map(({words}) => words)"""
_AT_FLAG = """const {scene, folded, cam: {view}} = engineLayers, box = folded.of[arguments[0]];
const below = 13 * (arguments[1] - (scene.flags(box).length - 1) / 2);
return [(folded.x[box] + folded.w[box] / 2 + 18 - view.x) * view.scale,
  (folded.y[box] + folded.h[box] / 2 + below - view.y) * view.scale]"""


def test_flags_stand_apart_and_lead_to_boxes_that_exist(cut: Any) -> None:
    page = cut
    last = page.js("return engineLayers.engine.count - 1")
    assert page.js(_FLAGS, last) == ["← layer.3", "→ pooled"]
    near(page, last)
    places = page.js(
        """const {scene, folded, engine} = engineLayers, found = [];
        for (let box = 0; box < folded.size; box++) scene.flags(box).forEach(({words, node}, at) =>
          found.push([box, at, node < 0 || folded.of[node] !== box]));
        return found"""
    )
    assert places and all(other for _, _, other in places)
    page.pointer(*page.js(_AT_FLAG, last, 1)).perform()
    assert "pooled" in page.text("#tip") and f"written by {last} MatMul" in page.text("#tip")
    page.pointer(*page.js(_AT_FLAG, last, 0)).click().perform()  # to a folded block
    assert page.text("#panel .top p") == "Tensor" and page.text("#panel h2") == "x4"
    curves = "return [...new Set(engineLayers.scene.curves.map(({edge}) => edge))].length"
    assert page.js(curves) == 1
    near(page, last)
    page.pointer(*page.js(_AT_FLAG, last, 1)).click().perform()
    assert page.text("#panel h2") == "pooled"  # to a node's own box
    assert page.js("return engineLayers.selected") == last + 2


def test_more_flags_than_fit_are_counted_and_listed(unfolded: Any) -> None:
    unfolded.js("""const {engine} = engineLayers; engine.layout.netOf.fill(-1);
        engineLayers.layOut()""")
    # 27 reads from 26, and is read by three.
    assert unfolded.js(_FLAGS, 27) == ["← 26 Add", "+ 3 more"]
    lines = unfolded.js("return engineLayers.scene.lines")
    assert lines["all"] == lines["cut"] == unfolded.js("return engineLayers.engine.edges.to.length")
    near(unfolded, 27)
    unfolded.pointer(*unfolded.js(_AT_FLAG, 27, 1)).click().perform()
    assert unfolded.text("#lens h3") == "Lines of layer 27 that are not drawn"
    assert unfolded.text("#lens p") == "They lead to 4 other boxes."
    assert unfolded.js("return engineLayers.hits") == [27, 26, 28, 32, 36]
    assert unfolded.js("return engineLayers.scene.curves.length") == 4
    unfolded.js("engineLayers.select(null)")
    assert f"{lines['all']} between boxes, {lines['cut']} of them as flags" in unfolded.text(
        "#panel"
    )


def test_what_folding_makes_short_is_drawn(masked: Any) -> None:
    """Of the lines that are cut with all layers shown."""
    masked.js("engineLayers.levels.collapse(new Set())")
    lines = "return engineLayers.scene.lines"
    assert masked.js(lines) == {"all": 1491, "cut": 39}  # from the mask to blocks far from it
    masked.js("""const {engine} = engineLayers, outer = [...engine.groups.keys()];
        engineLayers.levels.collapse(new Set(outer.filter((g) => !engine.groups[g].depth)))""")
    assert masked.js("return engineLayers.folded.size") == 53
    # Some are too long even so, and to the first block the line would run backwards.
    assert masked.js(lines) == {"all": 99, "cut": 8}
    assert masked.js("return engineLayers.folded.nets.filter((net) => !net.readers.length)") == []


def test_pointing_is_cheap_in_a_large_engine(largest: Any) -> None:
    """What is looked at for one move of the pointer does not grow with the engine."""
    largest.js("engineLayers.levels.collapse(new Set()); engineLayers.cam.all(true)")
    looked = largest.js("""const {scene, canvas} = engineLayers; let most = 0;
        const {routes} = scene.grid;
        scene.grid.routes = (...box) => {
          const found = routes(...box);
          most = Math.max(most, found.length);
          return found;
        };
        for (let x = 5; x < canvas.clientWidth; x += 7) canvas.dispatchEvent(
          new PointerEvent("pointermove", {clientX: x, clientY: 300 + x % 50}));
        return [most, scene.routes.count]""")
    assert looked[0] < 1500 < 15_000 < looked[1]
