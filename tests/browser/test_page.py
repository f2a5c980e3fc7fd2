"""The page in a browser: what a person does with it, and what they see then."""

import re
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Keys

from browser.conftest import Pages


def test_an_engine_at_a_glance(small: Any, pages: Pages) -> None:
    assert small.text("#title b") == "Engine 0 of 8.0-centernet  ·  2.596 ms"
    overview = small.text("#panel")
    assert "layers54" in overview.replace("\n", "")
    assert "CaskConvolution1.92 ms  74.0 %" in overview
    first = small.text("#panel .ranking li")
    assert first == "43ConvTransposedeconv_layers.8397 µs  15.3 %"
    assert "reformat or no-op" in small.text("#legend")
    assert small.js("return document.fonts.status") == "loaded"
    label = "return document.getElementById('drawing').getAttribute('aria-label')"
    whole = small.js(label)
    assert "54 layers" in whole and "69 edges" in whole and "selected" not in whole
    small.js("engineLayers.select(43)")
    assert small.js(label) == f"{whole}, selected: layer 43: ConvTranspose deconv_layers.8, 15.3 %"
    small.js("engineLayers.select(null)")
    assert small.js(label) == whole
    paper = "return getComputedStyle(document.body).backgroundColor"
    assert small.js(paper) == "rgb(255, 255, 255)"
    small.find("#dark").click()
    shown = small.js(paper)
    small.open(pages("small"))
    assert small.js(paper) == shown, "it is remembered"
    red, green, blue = map(int, re.findall(r"\d+", shown))
    assert max(red, green, blue) < 60


def test_search_walks_through_what_it_finds(small: Any) -> None:
    small.press("/")
    assert small.js("return document.activeElement.id") == "search"
    assert small.find("#search").get_attribute("type") == "search"
    small.press("deconv_layers")
    assert small.text("#hit-count") == "6 found"
    assert small.js("return engineLayers.scene.hits.size") == 6
    left, end = small.js("""return [document.getElementById("found").getBoundingClientRect().left,
        document.getElementById("drawing").getBoundingClientRect().right]""")
    assert left >= end, "the list leaves the drawing free"
    small.press("\ue007")  # Enter
    assert small.text("#panel h2") == "ConvTranspose"
    assert small.text("#hit-count") == "1 of 6"
    small.press("\ue015\ue015\ue013")  # down, down, up
    assert small.text("#hit-count") == "2 of 6"
    small.written()
    assert small.js("return location.hash").startswith("#engine=0&q=deconv_layers&layer=40")
    small.press("\ue00c")  # Escape closes the list
    assert not small.find("#found").is_displayed()
    assert small.find('#hit-count[role="status"]').is_displayed()
    small.press("\ue00c\ue00c")  # empties the field
    assert small.js("return engineLayers.scene.hits") is None


def test_the_panel_lists_the_further_keys_of_a_detailed_record(page: Any, pages: Pages) -> None:
    page.open(pages("thousand detailed"))
    for layer in (0, 900):
        page.js("engineLayers.select(arguments[0])", layer)
        panel = page.text("#panel")
        assert "AttributesParameterTypeConvolutionKernel33Groups1" in panel
        assert "ONNX nodes (1)" in panel and "Metadata" not in panel


def test_a_click_tells_everything_and_links_lead_on(small: Any) -> None:
    small.click_layer(43)
    told = small.text("#panel")
    for words in (
        "ConvTranspose",
        "8.0-centernet.log:57",
        "deconv_layers.8.weight",
        "15.3 %",
        "Int8, from its",
    ):
        assert words in told
    assert "-2621193268472024213" in told
    link = small.find("#panel .tensor .ends a")
    assert link.get_attribute("href").endswith("#engine=0&layer=42")
    link.click()
    assert small.text("#panel .top p") == "Layer 42"
    small.written()
    # The layer was in the window, which did not move.
    assert small.js("return location.hash") == "#engine=0&layer=42"


def test_letters_are_keys_of_the_page_after_a_choice(small: Any) -> None:
    chosen = "return [document.getElementById('color').value, engineLayers.selected]"
    before = small.js(chosen)
    small.js("document.getElementById('color').focus()")
    small.press("t")
    assert small.find("#table").is_displayed()
    assert small.js(chosen) == before


def test_keys_move_and_zoom_the_drawing(small: Any) -> None:
    scale = "return engineLayers.cam.view.scale"
    before = small.js(scale)
    small.tap("+")
    once = small.js(scale) / before
    assert once > 1.2
    small.tap("0")
    small.tap("+++++")  # each while the last one still moves
    assert small.js(scale) == pytest.approx(before * once**5, rel=0.01)
    small.tap("0")
    assert small.js(scale) == pytest.approx(before)
    small.press("nnp")
    assert small.text("#panel .top p") == "Layer 0"
    small.press("\ue00c")
    assert small.js("return engineLayers.selected") is None
    small.settle()
    left = "return engineLayers.cam.view.x"
    small.js("engineLayers.cam.set(0, 0, 1); document.getElementById('drawing').focus()")
    x = small.js(left)
    small.press("\ue014")  # right
    assert small.js(left) > x
    small.press("t")
    assert small.find("#table").is_displayed()


@pytest.mark.parametrize("width", [1700, 1440, 800, 390])
def test_all_controls_have_names_and_can_be_reached(page: Any, pages: Pages, width: int) -> None:
    """By Tab alone; Enter opens the menu, which holds what the bar has no room for."""
    page.sized(width, 844).open(pages("small"))
    seen: list[str] = []
    while "drawing" not in seen and len(seen) < 30:
        page.press("\ue004")  # Tab
        seen.append(page.js("return document.activeElement.id"))
        if seen[-1] == "show-more":
            page.press("\ue007")  # Enter
    page.press("t")
    if width < 1281:
        page.find("#show-more").click()
    shown = page.js("""
        return [...document.querySelectorAll(".bar :is(button, input, select), #drawing")]
          .filter((e) => e.checkVisibility()).map((e) => e.id)""")
    assert seen == shown
    for id in ("search", "color", "show-table", "dark", "drawing"):
        assert id in seen
    unnamed = page.js("""
        return [...document.querySelectorAll("button, input, select, canvas[tabindex], [role]")]
          .filter((e) => e.offsetParent && !["presentation", "row", "rowgroup", "gridcell",
            "columnheader", "search", "status"].includes(e.getAttribute("role")))
          .filter((e) => !e.textContent.trim() && !e.getAttribute("aria-label"))
          .filter((e) => !e.labels?.length)
          .map((e) => e.outerHTML.slice(0, 80))""")
    assert unnamed == []


@pytest.mark.parametrize("name", ["small", "two", "thousand", "transformer", "masked"])
def test_no_boxes_or_lines_overlap(page: Any, pages: Pages, name: str) -> None:
    """No two boxes meet, no line runs behind a box, no two nets share a stretch."""
    page.open(pages(name))
    collapse = "engineLayers.levels.collapse(new Set({}))".format
    for how in ("", collapse("engineLayers.engine.groups.keys()"), collapse("")):
        page.js(how)
        assert page.js(_OVERLAPS) == {"boxes": 0, "behind": 0, "shared": 0, "lost": 0}, how


_OVERLAPS = """
const {folded, routes, scene} = engineLayers;
const wrong = {boxes: 0, behind: 0, shared: 0, lost: 0};
const rect = (b) => {
  const half = folded.w[b] / 2;
  return [folded.x[b] - half, folded.y[b], folded.x[b] + half, folded.y[b] + folded.h[b]];
};
for (let b = 0; b < folded.size; b++) {
  const [l, t, r, d] = rect(b);
  if (!(l >= -1 && t >= -1 && r <= folded.width + 100 && d <= folded.height + 1)) wrong.lost++;
  for (const c of scene.grid.boxes(l, t, r, d)) {
    if (c <= b) continue;
    const [L, T, R, D] = rect(c);
    if (l < R && L < r && t < D && T < d) wrong.boxes++;
  }
}
const used = new Map();
for (let w = 0; w < routes.count; w++) {
  const net = folded.netOf[routes.edge[w]];
  for (let at = routes.start[w]; at + 3 < routes.start[w + 1]; at += 2) {
    const [x, y, u, v] = [0, 1, 2, 3].map((k) => routes.points[at + k]);
    if (!(Number.isFinite(x) && Number.isFinite(v)) || (x !== u && y !== v)) wrong.lost++;
    const [l, t, r, d] = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
    for (const b of scene.grid.boxes(l, t, r, d)) {
      const [L, T, R, D] = rect(b);
      if (l < R - .5 && L + .5 < r + .01 && t < D - .5 && T + .5 < d + .01) wrong.behind++;
    }
    const key = x === u ? `x${x.toFixed(1)}` : `y${y.toFixed(1)}`;
    const [from, to] = x === u ? [t, d] : [l, r];
    if (!used.has(key)) used.set(key, []);
    for (const [a, b, other] of used.get(key)) {
      if (other !== net && Math.min(b, to) - Math.max(a, from) > 1) wrong.shared++;
    }
    used.get(key).push([from, to, net]);
  }
}
return wrong;
"""


def test_the_table_sorts_filters_and_chooses(small: Any) -> None:
    small.find("#show-table").click()
    assert small.text("#table .tools .muted") == "54 of 54 layers, 2.60 ms"
    first = small.find(".grid .line")
    assert first.get_attribute("data-layer") == "43"
    head = small.find('[aria-sort="descending"]')
    assert head.text.startswith("Time")
    small.js("document.querySelector('#table .body').scrollTop = 300")
    small.find('[data-key="ms"]').click()
    assert small.js("return document.querySelector('#table .body').scrollTop") == 0
    assert small.find(".grid .line").get_attribute("data-layer") != "43"
    small.find('[data-key="ms"]').click()
    assert small.find(".grid .line").get_attribute("data-layer") == "43"
    small.find("#search").send_keys("downsample")
    small.settle()
    rows = small.all(".grid .line")
    assert len(rows) == 3
    number = rows[1].get_attribute("data-layer")
    rows[1].click()
    assert small.text("#panel .top p") == f"Layer {number}"
    small.js("document.querySelector('#panel .close').click()")
    small.all("#panel .bars button")[1].click()  # time by type: the second bar
    assert small.js("return document.getElementById('search').value") == 'type:"CaskDeconvolution"'
    assert small.text("#table .tools .muted").startswith("3 of 54 layers")
    assert small.js("return engineLayers.scene.hits.size") == 3


def test_ctrl_and_shift_choose_several_rows_of_the_table(page: Any, pages: Pages) -> None:
    page.open(pages("small"), "#pane=table&sort=index")

    def click(row: int, key: str = Keys.CONTROL) -> tuple[list[int], list[str]]:
        chain = ActionChains(page.driver).key_down(key)
        chain.click(page.find(f'.line[data-layer="{row}"]')).key_up(key).perform()
        lit = page.js("return engineLayers.lens && engineLayers.lens.nodes")
        chosen = page.all('.line[aria-selected="true"]')
        return lit, [line.get_attribute("data-layer") for line in chosen]

    page.find('.line[data-layer="2"]').click()
    assert click(5) == ([2, 5], ["2", "5"]), "to what was selected"
    assert click(7, Keys.SHIFT) == ([2, 5, 6, 7], ["2", "5", "6", "7"])
    assert page.text("#table .tools .muted").startswith("54 of 54 layers"), "the rows stay"
    assert page.text("#lens .sums").startswith("4 layers")
    assert click(2) == ([5, 6, 7], ["5", "6", "7"])

    def press(key: str) -> list[int]:
        ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()
        return page.js("return engineLayers.lens.nodes")  # type: ignore[no-any-return]

    page.find('.line[data-layer="9"]').click()
    page.js("document.querySelector('#table .body').focus()")
    assert [press(Keys.DOWN) for _ in range(2)][-1] == [9, 10, 11], "by keys, too"
    assert press(Keys.UP) == [9, 10]


def test_the_table_of_twenty_thousand_makes_few_rows(page: Any, pages: Pages) -> None:
    page.open(pages("largest"), "#pane=table&sort=index")
    assert 10 < len(page.all(".grid .line")) < 60
    page.act("document.querySelector('.grid .body').scrollTop = 1e9")
    last = "return [...document.querySelectorAll('.grid .line')].pop().dataset.layer"
    assert page.js(last) == "19999"


def test_another_optimisation_profile_is_chosen(small: Any, pages: Pages) -> None:
    assert not small.find("#profile").is_displayed()
    small.open(pages("profiles"))
    select = small.find("#profile")
    assert select.is_displayed() and select.accessible_name == "Optimisation profile"
    small.press("t")
    boxes = "const {scene, folded} = engineLayers, boxes = [...folded.of.slice(0, 4)];"
    fills = boxes + "return boxes.map((box) => scene.fill(box))"
    shares = boxes + "return boxes.map((box) => scene.text(box).share)"
    assert "profile 0: 1.000 ms" in small.text("#title b")
    assert small.text("#panel h2") == "1.000 ms"
    assert "1 reformat takes 500 µs, 50.0 %" in small.text("#panel")
    assert small.js(shares) == ["50.0 %", "50.0 %", "", ""]
    first = small.js(fills)
    assert small.text("#table .tools .muted").startswith("2 of 2 layers of optimisation profile 0")
    assert small.text("#legend .scale i:last-child") == "500 µs"
    small.all("#profile option")[1].click()
    assert "profile 1: 4.000 ms" in small.text("#title b")
    assert small.text("#panel h2") == "4.000 ms"
    assert "1 reformat takes 1.00 ms, 25.0 %" in small.text("#panel")
    assert small.js(shares) == ["", "", "75.0 %", "25.0 %"]
    assert small.text("#panel .ranking li") == "2convconv3.00 ms  75.0 %"
    assert small.text("#table .tools .muted") == (
        "2 of 2 layers of optimisation profile 1, 4.00 ms"
    )
    assert small.text("#legend .scale i:last-child") == "3.00 ms"
    now = small.js(fills)
    assert now[0] == now[1] == first[2] == first[3] and now[2] != now[3]
    # Mean and median of `move` differ; that stands in what is said of it.
    small.js("engineLayers.select(3)")
    assert "25.0 % of optimisation profile 1" in small.text("#panel")
    assert "mean and median differ by more than 10 %" in small.text("#panel")


def test_a_part_is_not_called_the_whole(partial: Any) -> None:
    assert "22 of 24 layers timed" in partial.text("#title b")
    assert "1.6 % of the profile's time is not theirs" in partial.text("#panel")


def test_without_times_it_says_how_to_get_them(untimed: Any) -> None:
    told = untimed.text("#panel")
    assert "No times" in told and "--exportProfile" in told
    assert untimed.js("return document.getElementById('color').value") == "type"
    assert "time" not in [option.get_attribute("value") for option in untimed.all("#color option")]
    untimed.press("i")
    words = untimed.text("#time .tools p")
    assert "Nothing is timed: widths are numbers of layers" in words


def test_the_drawing_moves_to_its_margins_and_only_where_it_has_to(small: Any) -> None:
    edges = """const {cam, folded} = engineLayers, {view} = cam; cam.stop();
        cam.zoomAt(4, 0, 0); cam.pan(arguments[0], arguments[0]);
        return [-view.x, -view.y, view.x + view.width / view.scale - folded.width,
                view.y + view.height / view.scale - folded.height].map((gap) => gap * view.scale)"""
    margins = small.js(
        "const {margins: m} = engineLayers.cam; return [m.left, m.top, m.right, m.bottom]"
    )
    for by, sides in ((-1e6, (0, 1)), (1e6, (2, 3))):
        gaps = small.js(edges, by)
        for side in sides:
            assert gaps[side] == pytest.approx(margins[side], abs=1)
    small.js(
        "const {cam, drawing} = engineLayers, at = drawing.place(20); cam.stop();"
        "cam.set(at.x - 400, at.y - 300, 1)"
    )
    before = small.js("return {...engineLayers.cam.view}")
    small.act("engineLayers.select(20)")
    assert small.js("return {...engineLayers.cam.view}") == before
    small.act("engineLayers.select(53)")
    assert small.js("return {...engineLayers.cam.view}") != before


@pytest.mark.parametrize("name", ["thousand", "largest", "transformer"])
def test_large_engines_open_with_few_boxes(page: Any, pages: Pages, name: str) -> None:
    page.open(pages(name))
    boxes, layers = page.js("""const {engine, folded, scene} = engineLayers;
        const boxes = Array.from({length: folded.size}, (_, box) => scene.nodes(box));
        return [folded.size, boxes.flat().filter(engine.isLayer).length]""")
    assert 20 < boxes <= 300
    assert layers == page.js("return engineLayers.engine.count")


def test_a_folded_box_has_a_strip_of_its_layers_and_says_how_many_are_found(thousand: Any) -> None:
    wrong = thousand.js("""const {engine, folded, scene, colors} = engineLayers;
        const {share} = engine.layers;
        return Array.from({length: folded.size}, (_, box) => box).filter((box) => {
          const own = scene.nodes(box).map((node) => colors.heat(share[node] / scene.top));
          const strip = scene.strip(box);
          return scene.group(box) ? strip.join() !== own.join() : strip.length })""")
    assert wrong == []
    thousand.js("engineLayers.search.set('type:conv')")
    told = thousand.js("""const {engine, folded, scene} = engineLayers;
        return Array.from({length: folded.size}, (_, box) => box).filter((box) => scene.group(box))
          .map((box) => [scene.text(box).sub, scene.nodes(box).length, scene.nodes(box)
            .filter((node) => /conv/i.test(engine.text(engine.layers.type[node]))).length])""")
    assert any(found for _, _, found in told)
    for words, layers, found in told:
        assert (words == f"{found} of {layers} found") is bool(found)
