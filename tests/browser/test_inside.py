"""A ForeignNode unfolds in the drawing: by a click on its sign, by keys, by a button; and folds."""

from typing import Any

import pytest
from selenium.webdriver import ActionChains

from browser.conftest import AMISS, Pages

HEADS = """const {scene, folded} = engineLayers;
    return Array.from({length: folded.size}, (_, box) => scene.text(box).head)"""
BLOCKS = [f"+ /tower/block.{n}" for n in range(3)]
# Names of the nodes at both ends of each drawn edge.
EDGES = """const {engine, folded, routes} = engineLayers, {edges} = engine;
    const label = (node) => {
      const box = folded.of[node], shown = folded.node[box];
      return shown < 0 ? engine.groups[-1 - shown].label : engine.name(shown) };
    return Array.from(routes.edge, (edge) => [label(edges.from[edge]), label(edges.to[edge])])"""


def click_sign(page: Any, layer: int) -> None:
    """Clicks the sign at the left of a layer's box."""
    page.pointer_on(layer, "folded.x[box] - folded.w[box] / 2 + 16").click().perform()
    page.settle()


def unfold_all(page: Any) -> None:
    page.js("engineLayers.levels.collapse(new Set())")


def test_a_click_on_the_sign_unfolds_and_folds(graph: Any) -> None:
    before = graph.js(HEADS)
    assert len(before) == 6
    assert "Myelin" in before
    graph.settle()
    click_sign(graph, 1)
    heads = graph.js(HEADS)
    assert [head for head in heads if head.startswith("+")] == [*BLOCKS, "+ 3 kernels"]
    others = {head for head in heads if not head.startswith("+")}
    assert sorted(others - {*before}) == ["LayerNormalization", "MatMul"]
    assert graph.js("return engineLayers.selected") is None
    click_sign(graph, 1)
    assert graph.js(HEADS) == before
    graph.click_layer(1)  # beside the sign
    assert graph.js("return engineLayers.selected") == 1
    assert graph.js(HEADS) == before


def test_a_double_click_unfolds(graph: Any) -> None:
    before = graph.js(HEADS)
    graph.pointer_on(1).click().perform()
    ActionChains(graph.driver).double_click().perform()
    graph.settle()
    assert set(BLOCKS) <= set(graph.js(HEADS)) - set(before)
    scale = graph.js("return engineLayers.cam.view.scale")
    ActionChains(graph.driver).move_by_offset(-400, 0).double_click().perform()
    graph.settle()
    assert graph.js("return engineLayers.cam.view.scale") != scale  # elsewhere it zooms


def test_keys_unfold_and_fold_what_is_selected(graph: Any) -> None:
    key = "\ue007"
    graph.js("engineLayers.canvas.focus(); engineLayers.select(1)")
    graph.press(key)
    assert BLOCKS[0] in graph.js(HEADS)
    graph.press(key)
    assert len(graph.js(HEADS)) == 6
    graph.js("engineLayers.select(0)")
    graph.press(key)
    assert len(graph.js(HEADS)) == 6, "it holds nothing"
    down, enter, space = "\ue015", "\ue007", " "
    graph.js("engineLayers.levels.unfold(1); engineLayers.canvas.focus(); engineLayers.select(1)")
    path = "/tower/block.0"
    graph.press(down)
    panel = graph.text("#panel")
    assert panel.startswith("Folded block")
    assert path in panel
    assert f"block {path}" in graph.find("#drawing").get_attribute("aria-label")
    blocks = graph.js(HEADS).count(f"+ {path}")
    for key, there in ((enter, False), (space, True), (space, False), (enter, True)):
        graph.press(key)
        assert graph.js(HEADS).count(f"+ {path}") == blocks - (not there)
        assert graph.text("#panel").startswith("Folded block") is there
    graph.press(enter + down)
    assert graph.text("#panel").startswith("Inside of a layer")
    assert path in graph.text("#panel")


def walk(page: Any, key: str) -> list[int]:
    """The boxes that a key goes through, to where it leads no further."""
    seen: list[int] = []
    selected = "return engineLayers.folded.of[engineLayers.selected]"
    while (box := page.js(selected)) not in seen:
        seen.append(box)
        page.press(key)
    return seen


@pytest.mark.parametrize("name", ["graph", "box"])
@pytest.mark.parametrize("whole", [False, True])
def test_arrow_keys_reach_each_box(page: Any, pages: Pages, name: str, whole: bool) -> None:
    left, down, right = "\ue012", "\ue015", "\ue014"
    page.open(pages(name))
    layer = page.js("return [...engineLayers.engine.topOf.keys()][0]")
    top = page.js("return engineLayers.engine.topOf.get(arguments[0])", layer)
    if whole:
        unfold_all(page)
    elif top in page.js("return [...engineLayers.collapsed]"):  # else it is open at first
        page.js("engineLayers.levels.unfold(arguments[0])", layer)
    page.js("engineLayers.canvas.focus(); engineLayers.select(arguments[0])", layer)
    page.press(down)
    assert page.js("return engineLayers.engine.owner(engineLayers.selected)") == layer
    assert page.js("return engineLayers.selected") != layer, "down leads into what is unfolded"
    walk(page, left)
    folded = page.js("return [...engineLayers.collapsed]")
    assert sorted(walk(page, right)) == page.js("return [...engineLayers.folded.node.keys()]")
    assert page.js("return [...engineLayers.collapsed]") == folded, "walking unfolds nothing"


def test_the_panel_unfolds_and_tells_of_a_part(graph: Any) -> None:
    graph.js("engineLayers.select(1)")
    find = """return [...document.querySelectorAll("#panel button")].find(
        (one) => one.textContent.includes("in the drawing"))"""
    button = graph.js(find)
    assert button.text == "Unfold in the drawing"
    button.click()
    assert BLOCKS[2] in graph.js(HEADS)
    assert graph.js(find).text == "Fold in the drawing"
    graph.js(find).click()
    node = graph.js("""const {engine} = engineLayers;
        const at = engine.inside.name.findIndex((n) => engine.text(n) === "/tower/block.1/Add");
        engineLayers.select(engine.nodes + at); return engine.nodes + at""")
    assert graph.text("#panel h2") == "Add"
    words = graph.text("#panel")
    assert "/tower/block.1/Add" in words
    assert "Reads (2)" in words
    assert "Read by (3)" in words
    assert "Add" in graph.js(HEADS), "its group is unfolded"
    links = [one.text.split() for one in graph.all("#panel .ends a")]
    assert ["2Sigmoid"] in links
    graph.js("engineLayers.canvas.focus()")
    graph.press("\ue007")  # folds the block around
    assert graph.text("#panel h2") == "/tower/block.1"
    assert graph.js("return engineLayers.selected") == node
    graph.js("engineLayers.levels.unfold(1)")
    assert graph.js("return engineLayers.selected") == 1
    assert graph.js("const {of} = engineLayers.folded; return of[arguments[0]] === of[1]", node)
    for key, layer in (("n", 2), ("p", 0)):
        graph.js("engineLayers.select(engineLayers.engine.nodes)")
        assert graph.js("return engineLayers.engine.owner(engineLayers.selected)") == 1
        graph.press(key)
        assert graph.js("return engineLayers.selected") == layer


def test_edges_go_to_the_parts_that_read_and_write(graph: Any) -> None:
    closed = sorted(graph.js(EDGES))
    box = "{ForeignNode[/tower/block.0/mix/MatMul.../head/fc/MatMul]}"
    assert [box, "/aux/Sigmoid"] in closed
    graph.js("engineLayers.levels.unfold(1)")
    opened = graph.js(EDGES)
    block = "/tower/block.{}".format
    edges = (["/stem/Conv", block(0)], [block(0), block(1)], [block(1), "/aux/Sigmoid"])
    for edge in (*edges, ["/head/fc/MatMul", "y"]):
        assert edge in opened
    assert not any(box in edge for edge in opened)
    unfold_all(graph)
    opened = graph.js(EDGES)
    for name in ("/tower/block.0/mix/MatMul", "/tower/block.0/Add"):
        assert ["/stem/Conv", name] in opened
    assert graph.js(AMISS) == []
    graph.js("engineLayers.levels.unfold(1)")
    assert sorted(graph.js(EDGES)) == closed


LIT = """const {engine, folded, scene} = engineLayers;
    return [...scene.hits].map((box) => folded.node[box]).filter(engine.isInner).map(engine.name)"""


def test_a_tensor_is_told_of_once_and_a_search_lights_what_is_meant_inside(graph: Any) -> None:
    """Of layers, by their numbers, where it is between layers; else of what is inside."""
    unfold_all(graph)
    select = """const {engine} = engineLayers, {edges, tensors} = engine;
        const ends = [edges.from, edges.to].map((list) => (at) => engine.isInner(list[at]));
        engineLayers.selectTensor([...edges.from.keys()].find((at) =>
          engine.text(tensors.name[edges.tensor[at]]) === arguments[0] &&
          ends.every((isInner, side) => isInner(at) === arguments[1][side])))"""
    links = (
        "return [...document.querySelectorAll('#panel .ranking a')].map((one) => one.textContent)"
    )
    for tensor, inner, told in (
        ("s", (False, True), ["0Conv", "1Myelin"]),
        ("d1", (True, False), ["1Myelin", "2Sigmoid"]),
        ("d1", (True, True), ["Add", "MatMul", "Add", "2Sigmoid"]),
    ):
        graph.js(select, tensor, inner)
        assert graph.js(links) == told
    assert graph.js("return engineLayers.scene.lit.size") == 3
    everything = graph.js("return engineLayers.engine.inside.of.length")
    for query, all in (
        ("onnx:block.1", "block.1"), ("block.1 time>1us", "block.1"),
        ("-block.1", None), ("time>1us", ""), ("nowhere", None),
    ):  # fmt: skip
        graph.find("#search").clear()
        graph.find("#search").send_keys(query)
        graph.settle()
        lit = graph.js(LIT)
        assert (1 in graph.js("return engineLayers.hits")) == bool(lit) == (all is not None), query
        if all is not None:
            assert [name for name in lit if all not in name] == []
            assert len(lit) < everything / 2 if all else len(lit) == everything


def test_without_a_graph_the_frame_says_so(box: Any) -> None:
    """Nothing else runs beside this one: it opens unfolded."""
    assert box.js("return engineLayers.engine.groups[0].label") == (
        "3 × block, 11 ONNX nodes, edges not in the log"
    )
    assert box.js(HEADS)[-4:] == [*(f"/tower/block.{n}" for n in range(3)), "nodes"]


def test_what_the_builder_measured_inside_is_an_estimate(page: Any, pages: Pages) -> None:
    """It stands on the node with which the operation begins, and is part of no sum."""
    page.open(pages("estimates"))
    unfold_all(page)
    shown = page.js("""const {engine, scene, folded} = engineLayers;
        return engine.inside.estimate.flatMap((ms, at) => ms === null ? [] :
          [[engine.name(engine.nodes + at), scene.text(folded.of[engine.nodes + at]).share]])""")
    assert shown == [["fc1", "≈ 4.00 µs"], ["fc2", "≈ 2.00 µs"]]
    assert page.js("return engineLayers.engine.inside.share.every((share) => share === null)")
    page.js("""const {engine} = engineLayers, {estimate} = engine.inside;
        engineLayers.select(engine.nodes + estimate.findIndex((ms) => ms !== null))""")
    panel = page.text("#panel")
    assert f"{shown[0][1]}, which the builder measured of its fastest kernel" in panel
    assert "it is part of no sum" in panel
    assert "runs togetherfc1 + relu1" in panel
    assert "sm80_xmma_gemm_f16f16" in panel
