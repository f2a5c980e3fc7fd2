"""The page of a comparison: both engines side by side, one search, one selection."""

from pathlib import Path
from typing import Any

import pytest
from escaping import poison
from paths import FIXTURES

import engine_layer_visualize as elv
from browser.conftest import Pages, page_of
from engine_layer_visualize.core.text import visible

DOWN, LEFT, RIGHT, ENTER, ESCAPE, TAB = "\ue015\ue012\ue014\ue007\ue00c\ue004"


def level(page: Any, node: int) -> list[float]:
    """Where in the window the group of a node begins, on both sides."""
    found: list[float] = page.js(
        """const {engine, cam: {view}} = comparison;
        return engine.members[engine.groupOf(arguments[0])].map((own, side) =>
            (engine.sides[side].top[own[0]] - view.y) * view.scale)""",
        node,
    )
    return found


def test_both_engines_at_a_glance(compared: Any) -> None:
    heads = compared.text(".heads")
    assert "A: 10 layers · 442 µs, measured, 1,000 runs · engine 0 of fp16.log" in heads
    assert "B: 12 layers · 281 µs" in heads
    steps = [step.text.split("\n")[0] for step in compared.all("#waterfall li")]
    assert steps == ["442 µs", "+1.00 µs", "−146 µs", "−26.0 µs", "+10.0 µs", "281 µs"]
    assert compared.text("#waterfall li:last-child .words") == "B, −161 µs"
    assert compared.text("#panel h2") == "B is 1.57 × faster"
    assert "B is 1.57 × faster (442 µs → 281 µs)" in compared.text("#panel")
    rows = [row.text.replace("\n", " ") for row in compared.all("#table .line")]
    assert rows[0].startswith("−39.0 µs 1.80 × faster 4 /block1/conv2/Conv")
    assert rows[3].startswith("−27.0 µs −1.00 µs 1.64 × faster 1 /stem/Conv")
    assert len(rows) == 9
    (slower,) = (row for row in rows if row.startswith("+1.00"))
    assert "1.14 × slower" in slower
    bars = compared.js(
        """const side = (i, name) => parseFloat(i.style[name]);
        return [...document.querySelectorAll("#waterfall li")].map((step) => {
            const i = step.querySelector("i");
            return [side(i, "bottom"), side(i, "bottom") + side(i, "height"), step.textContent];
        })"""
    )
    assert len(bars) == 6
    level = bars[0][1]
    a, b = compared.js("return comparison.engine.sides.map((side) => side.total)")
    assert bars[0][0] == bars[-1][0] == 0
    assert bars[-1][1] / level == pytest.approx(b / a)  # both begin at 0
    for low, high, words in bars[1:-1]:
        slower = words.startswith("+")
        assert (low if slower else high) == pytest.approx(level, abs=0.01)
        level = high if slower else low
    assert bars[-1][1] == pytest.approx(level, abs=0.01)


def test_a_click_on_a_layer_tells_its_group(compared: Any) -> None:
    compared.act("comparison.select(comparison.engine.node(1, 6)); comparison.select(null)")
    place = compared.js(
        """const {engine, cam: {view}} = comparison;
        return [view.width * 0.9, (engine.sides[1].top[8] - view.y) * view.scale + 6]"""
    )
    compared.pointer(*place).click().perform()
    told = compared.text("#panel")
    said = ("Group 5 of 9", "−15.0 µs · 1.21 × faster", "1 → 2 layers", "matched by")
    assert all(words in told for words in said)
    assert [one.text for one in compared.all("#panel .member .plain")] == [
        "6 Conv + Add + Relu", "6 Conv", "7 Reformat (reformat or no-op)", "8 Add + Relu"
    ]  # fmt: skip
    compared.all("#panel .member .plain")[0].click()
    assert compared.js("return comparison.selected") == 6
    focused = compared.js("return document.activeElement.textContent")
    assert focused == "6  Conv + Add + Relu"  # not lost with the old content


def test_one_search_looks_through_both(compared: Any) -> None:
    compared.press("/block2 conv2")
    assert compared.text("#hit-count") == "2 found"
    hits = [one.text.split("\n")[0] for one in compared.all("#hits li")]
    assert hits == ["A 6  Conv + Add + Relu", "B 6  Conv"]
    assert compared.text("#table [role=status]") == "1 of 9 groups"
    compared.press(ENTER + DOWN)
    assert compared.js("return comparison.engine.label(comparison.selected)") == "B 6  Conv"
    compared.press(ESCAPE + ESCAPE)
    assert compared.js("return comparison.hits") is None
    found_by = {"#6": {"A 6", "B 6"}, "type:reformat": {"A 0", "B 0", "B 7"}}
    for query, wanted in {**found_by, "prec:fp32 -type:reformat": {"A 9", "B 11"}}.items():
        compared.js("comparison.search.set(arguments[0])", query)
        found = compared.js("return [...comparison.hits].map((n) => comparison.engine.label(n))")
        assert {label.partition("  ")[0] for label in found} == wanted
    compared.js("comparison.search.set('onnx:x')")
    assert compared.text("#search-note").startswith("Character 1: no field 'onnx'; ")
    compared.find("#show-help").click()
    assert "change:kernel" in compared.text("#help[role=dialog]")


def test_a_step_shows_what_it_sums(compared: Any) -> None:
    compared.js("comparison.cam.set(0, comparison.engine.tall, 1)")
    compared.js("document.querySelectorAll('#waterfall button')[2].focus()")
    compared.tap(ENTER)
    assert compared.js("return document.activeElement.getAttribute('aria-pressed')") == "true"
    height = compared.js("return comparison.cam.view.height")
    assert all(0 <= top < height for top in level(compared, 6))
    assert compared.text("#shown span") == "other fusions: −26.0 µs · 1 of 9 groups"
    compared.find("#shown button").click()
    assert compared.js("return [comparison.cause, document.activeElement.id]") == [None, "drawing"]
    assert len(compared.all("#table .line")) == 9
    # Whether the reformats of a group are in its difference is told wherever they are.
    columns = """const {engine, table} = comparison, {columns, order} = table;
        const sum = (key) => order.reduce((all, row) =>
            all + (columns.find((one) => one.key === key)?.value(row) ?? 0), 0);
        return [sum("delta_ms"), sum("reformats_ms")]"""
    whole, of_reformats = compared.js(columns)
    steps = compared.js("return comparison.engine.waterfall.map(([name, , ms]) => [name, ms])")
    assert whole == pytest.approx(sum(ms for _, ms in steps))
    assert of_reformats == pytest.approx(dict(steps)["reformats"])
    for name, ms in steps:
        compared.js("comparison.showCause(arguments[0])", name)
        assert compared.js(columns)[0] == pytest.approx(ms)
    compared.js("comparison.showCause('fusion'); comparison.select(6)")
    assert [row.text.split("\n")[0] for row in compared.all("#table .line")] == ["−26.0 µs"]
    for words in ("88.0 µs → 73.0 µs", "88.0 µs → 62.0 µs, −26.0 µs", "0 µs → 11.0 µs, +11.0 µs"):
        assert words in compared.text("#panel")
    assert "−26.0 µs" in compared.js(PAINTED)
    compared.press(ESCAPE)
    assert "−15.0 µs with reformats" in compared.js(PAINTED)


def test_heads_sort_the_table_and_a_link_keeps_it(compared: Any, comparisons: Pages) -> None:
    first = "return document.querySelector('#table .line').textContent"
    head = "#table [data-key=delta_ms]"
    compared.find(head).click()
    assert compared.js(first).startswith("+1.00 µs")  # what takes longer
    compared.find(head).click()
    assert compared.js(first).startswith("−39.0 µs")
    compared.find("#table [data-key=a]").click()
    assert "1 /stem/Conv" in compared.js(first)
    compared.written()
    link = compared.js("return location.hash")
    assert link.endswith("sort=a")
    compared.open(comparisons("fixture"), link + "&layer=B6&q=conv&cause=precision")
    compared.settle()
    assert "1 /stem/Conv" in compared.js(first)
    shown = "return [comparison.cause, comparison.search.query]"
    assert compared.js(shown) == ["precision", "conv"]
    compared.open(comparisons("fixture"), "#sort=nothing")
    assert "“sort=nothing”" in compared.text("#notice")


def test_it_works_with_the_keyboard(compared: Any) -> None:
    seen = []
    for _ in range(30):
        compared.press(TAB)
        seen.append(compared.js("const {activeElement: e} = document; return e.id || e.className"))
    assert {"search", "show-table", "drawing", "body", "all"} <= set(seen)
    compared.js("comparison.canvas.focus()")
    compared.press(DOWN + DOWN + DOWN)
    label = "return comparison.engine.label(comparison.selected)"
    assert compared.js(label) == "A 2  MaxPool"
    compared.press(RIGHT)
    assert compared.js(label) == "B 2  MaxPool"
    compared.press(DOWN + LEFT)
    assert compared.js(label) == "A 3  Conv + Relu"
    compared.press(ENTER)
    assert compared.js("return document.activeElement.id") == "panel"
    compared.press(ESCAPE)
    state = compared.js("return [comparison.selected, document.activeElement.id]")
    assert state == [None, "drawing"]
    compared.js("document.querySelector('#table .body').focus()")
    compared.press(DOWN)
    assert compared.js(label) == "A 4  Conv + Add + Relu"  # of the largest difference
    compared.press("t")
    assert not compared.find("#table").is_displayed()


def test_the_wheel_scrolls_both_and_keys_zoom(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("thousand"))
    view = "const {y, scale} = comparison.cam.view; return [y, scale]"
    y, scale = page.js(view)
    page.wheel(300)
    assert page.js(view) == [y + 300, scale]
    page.tap("+")
    assert page.js(view)[1] > scale * 1.2
    page.tap("0")
    whole, height = page.js("const {cam} = comparison; return [cam.drawing, cam.view.height]")
    assert whole["height"] * page.js(view)[1] <= height


def test_layers_without_a_counterpart_are_marked(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("rotated"))
    alone = page.js(
        """const {engine} = comparison;
        return engine.sides.map((side, at) => engine.node(at, side.place.indexOf(2)))"""
    )
    for node, words in zip(alone, ("gone: only in A", "new: only in B")):
        page.js("comparison.select(arguments[0])", node)
        assert words in page.text("#panel")
        assert words in page.text("#table .line[aria-selected=true]")
    tone = page.js("""const {look, engine: {sides: [a]}} = comparison;
        return look.pair.tones[a.tone[a.place.indexOf(2)]]""")
    assert tone.startswith("only in A")


def test_the_unchanged_is_thin_lines_and_2000_layers_fit(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("thousand"))
    lines = "return comparison.engine.sides.map(({folds}) => folds.filter(Boolean).length)"
    folded, other = page.js(lines)
    assert folded > 100 and other > 100  # a third of them take the same time
    assert any(" unchanged" in words for words in page.js(PAINTED))
    assert page.js("return comparison.engine.nodes") == 2000
    assert comparisons("thousand").stat().st_size < 900_000
    page.js("comparison.cam.all(true)")
    assert page.js("return comparison.cam.view.scale * comparison.engine.tall <= innerHeight")


def test_bands_and_the_export_say_how_much_longer_b_takes(compared: Any) -> None:
    told = compared.js(PAINTED_ALL)
    assert {"−38.0 µs", "−27.0 µs with reformats", "−39.0 µs"} <= set(told)
    y = compared.js(
        "const {engine, cam: {view}} = comparison; return engine.sides[1].top[3] - view.y + 8"
    )
    wide = compared.find("#drawing").size["width"]
    for across, node in ((0.45, "A 3  Conv + Relu"), (0.55, "B 3  Conv + Relu")):
        compared.pointer(wide * across, y).click().perform()
        assert compared.js("return comparison.engine.label(comparison.selected)") == node
        compared.js("comparison.select(null)")
    compared.js(
        """globalThis.files = []; const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
            blob.text().then((text) => files.push(text));
            return make(blob);
        };
        HTMLAnchorElement.prototype.click = () => {};"""
    )
    compared.press("e")
    for name in ("svg", "csv"):
        compared.find(f"#export-{name}").click()
        compared.settle()
    svg, csv = compared.js("return files")
    assert svg.startswith("<svg ") and "B is 1.57 × faster" in svg and "−38.0 µs" in svg
    assert all(words in svg for words in ("442 µs", "other fusions", "−26.0 µs", "281 µs"))
    head, first, *rest = csv.splitlines()
    assert head == "delta_ms,reformats_ms,b_by_a,a,b,a_ms,b_ms,changes,matched_by"
    assert first.startswith("-0.039,,0.55681818")
    assert len(rest) == 8


# The words that are painted now.
PAINTED = """const {prototype} = CanvasRenderingContext2D, own = prototype.fillText, told = [];
    prototype.fillText = (words) => told.push(words);
    comparison.size(); prototype.fillText = own; return told"""


# The same, where the whole drawing is in the window.
PAINTED_ALL = "const {view} = comparison.cam, was = {...view}; comparison.cam.all(true);" + (
    PAINTED.replace("return told", "Object.assign(view, was); return told")
)


def test_constants_in_a_row_are_one_until_there_is_room(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("constants"))
    told = page.js(PAINTED)
    one = "1 Constant · Half · const1"
    assert [words for words in told if "Constant" in words] == [one, "2 to 9 Constant", one]
    assert "0 Conv · Half · a" in told
    page.js("const {engine, cam} = comparison; cam.set(0, engine.sides[0].top[1], 4)")
    assert "2 Constant · Half · const2" in page.js(PAINTED)


def test_without_times_it_says_so_and_shows_what_changed(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("untimed"))
    assert "Neither engine has times of layers." in page.text("#panel")
    assert not page.find("#waterfall").is_displayed()
    assert page.js("return comparison.canvas.height") > 200
    assert "no change in the logs" in page.text("#panel")
    first = page.find("#table .line").text
    last = page.js("return comparison.engine.sides[0].name.length") - 1
    assert f"{last} " in first and "tactic" in first


def test_no_name_is_markup(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("hostile"))
    shown = page.js(
        """return arguments[0].map((number) => {
            comparison.select(number);
            return document.querySelector("#panel .whole").textContent;
        })""",
        list(range(len(poison.POISON))),
    )
    for name, whole in zip(shown, map(visible, poison.POISON)):
        assert name == whole or (len(whole) > 1000 and whole.startswith(name[:100]))
    page.act("comparison.search.set('a')")
    assert page.js("return [window.pwned === undefined, document.images.length]") == [True, 0]


@pytest.mark.parametrize(("width", "height"), [(800, 600), (390, 844)])
def test_a_small_window(page: Any, comparisons: Pages, width: int, height: int) -> None:
    page.sized(width, height, ratio=2).open(comparisons("fixture"))
    assert not page.find("#panel").is_displayed()
    assert not page.find("#table").is_displayed()
    page.find("#show-panel").click()
    assert "B is 1.57 × faster" in page.find("#panel").text
    page.act("comparison.select(6)")
    assert page.js("return document.documentElement.scrollWidth") == width
    top, _ = level(page, 6)
    height, beside = page.js(
        """const panel = document.getElementById("panel").getBoundingClientRect();
        const {right, bottom, height} = comparison.canvas.getBoundingClientRect();
        return [height, panel.left >= right || panel.top >= bottom]"""
    )
    assert 0 <= top < height - 20 and beside


def test_several_are_chosen_in_the_bar(page: Any, tmp_path: Path) -> None:
    from engine_layer_visualize.commands import cli

    paths = [str(FIXTURES / "comparison" / name) for name in ("fp16.log", "int8.log", "fp16.log")]
    assert cli.main(["compare", *paths, "-f", "html", "-o", str(tmp_path)]) == 0
    page.open(tmp_path / "comparison.html")
    assert page.find("#switch").is_displayed()
    page.choose("engines", "1")
    said = page.text("#panel")
    assert "C takes as long as A" in said and "C − A" in said and "B" not in said.split("Totals")[0]
    assert page.text("#title").startswith("C ")


def test_the_address_leads_to_a_layer(page: Any, comparisons: Pages) -> None:
    page.open(comparisons("fixture"), "#engine=0&layer=14")
    label = "return comparison.engine.label(comparison.selected)"
    assert page.js(label) == "B 4  Conv + Add + Relu"
    page.js("comparison.select(3)")
    page.written()
    assert page.js("return location.hash") == "#engine=0&layer=A3"
    for layer in ("2", "A2"):
        page.act(f"location.hash = '#engine=0&layer={layer}'")
        assert page.js(label) == "A 2  MaxPool"
    page.act("location.hash = '#engine=9&layer=3'")
    assert page.js("return comparison.selected") is None  # it is of another comparison
    assert page.text("#notice p").startswith("The link says “engine=9”")
    for layer in ("99999", "B999", "C1"):
        page.act(f"location.hash = '#engine=0&layer={layer}'")
        assert page.js("return comparison.selected") is None
        assert page.text("#notice p").startswith(f"The link says “layer={layer}”")


def test_the_address_holds_the_view_and_back_restores_it(page: Any, comparisons: Pages) -> None:
    view = """const {selected, cause, hits} = comparison;
        return {selected, cause, hits: hits && [...hits],
          query: document.getElementById("search").value}"""
    page.open(comparisons("thousand"))
    seen = [page.js(view)]
    to_layer = "comparison.select(comparison.engine.node(1, 400))"
    by_cause = "document.querySelector('#waterfall button').click()"
    for change in (by_cause, "comparison.search.set('type:conv')", to_layer):
        page.js(change)
        page.written()
        seen.append(page.js(view))
    link = page.js("return location.hash")
    assert link.startswith("#engine=0&cause=") and link.endswith("&q=type:conv&layer=B400")
    for place in (2, 1, 0):
        page.travel(-1)
        assert page.js(view) == seen[place]
    page.open(comparisons("thousand"), link)
    page.settle()
    assert page.js(view) == seen[3]


# ---- words and shapes --------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1440, 390])
def test_heads_are_whole_and_causes_in_a_row(page: Any, comparisons: Pages, width: int) -> None:
    page.sized(width, 844).open(comparisons("long names"))
    cut = page.js(
        """return [...document.querySelectorAll("#title, #title b, .heads p")].filter((each) =>
            each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"""
    )
    assert cut == []
    tops = page.js(
        "return [...document.querySelectorAll('#waterfall li')].map((each) => each.offsetTop)"
    )
    assert len(tops) == 6 and len(set(tops)) == 1
    assert page.js("return document.documentElement.scrollWidth") == width


# ---- begun on an open page ---------------------------------------------------------------------

_DROP = """const [files] = arguments, data = new DataTransfer();
for (const [name, text] of files) data.items.add(new File([text], name));
dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));"""


def drop(page: Any, *paths: Path) -> None:
    """Drops files on the page, as a file manager does."""
    page.js(_DROP, [[path.name, path.read_text("utf-8")] for path in paths])


def shown(page: Any) -> bool:
    return bool(page.js("return Boolean(globalThis.comparison?.engine) && document.readyState"))


@pytest.mark.parametrize("format", ["html", "json"])
def test_a_dropped_page_or_json_begins_a_comparison(page: Any, tmp_path: Path, format: str) -> None:
    """It says what `compare` says of the same two logs, but no causes: the same groups and rows."""
    from engine_layer_visualize.commands import cli

    for name, kind in (("fp16", "html"), ("int8", format)):
        log = str(FIXTURES / "comparison" / f"{name}.log")
        out = ["-f", kind, "-o", str(tmp_path), "--name", name]
        assert cli.main([log, *out]) == 0
    page.open(tmp_path / "fp16_0.html", "#engine=0&layer=3&pane=table")
    drop(page, tmp_path / f"int8_0.{format}")
    page.until(lambda: shown(page))
    assert page.all("#waterfall li") == []
    assert "elv compare A B -f html tells the causes" in page.text("#panel")
    assert page.text("#panel h2") == "B is 1.57 × faster"
    rows = [row.text.replace("\n", " ") for row in page.all("#table .line")]
    assert len(rows) == 9
    assert rows[0].startswith("−39.0 µs 1.80 × faster 4 /block1/conv2/Conv")
    assert rows[3].startswith("−27.0 µs −1.00 µs 1.64 × faster 1 /stem/Conv")
    page.press("n")
    assert page.js("return comparison.selected") is not None
    page.press("e")
    assert "It opens A alone" in page.text("#export")
    page.press(ESCAPE)
    drop(page, tmp_path / "fp16_0.html")
    page.until(lambda: len(page.all("#engines option")) == 3)
    assert page.text("#title") == "B is as fast as A"
    page.choose("engines", "2")  # A alone
    assert page.text("#title b").startswith("Engine 0 of ")
    page.press("l")
    assert page.js("return engineLayers.selected") == 4  # of 88 µs
    assert page.find("#panel .top").text.startswith("Layer 4")


@pytest.mark.parametrize("width", [390, 1440, 1920])
def test_a_chosen_file_is_compared(page: Any, pages: Pages, tmp_path: Path, width: int) -> None:
    page.sized(width, 844)
    log = FIXTURES / "comparison" / "int8.log"
    other = Path(elv.draw(elv.read(log).engines[0], tmp_path / "int8.json", "json"))
    page.open(pages("small"))
    page.js("document.getElementById('others').click = () => document.body.dataset.asked = 'yes'")
    if not page.find("#compare").is_displayed():
        page.find("#show-more").click()
    page.find("#compare").click()
    assert page.js("return document.body.dataset.asked") == "yes"
    assert page.js("return document.documentElement.scrollWidth") == width
    page.js(
        """const [name, text] = arguments, data = new DataTransfer();
        data.items.add(new File([text], name));
        const input = document.getElementById("others");
        input.files = data.files;
        input.dispatchEvent(new Event("change"));""",
        other.name,
        other.read_text("utf-8"),
    )
    page.until(lambda: shown(page))
    assert page.text("#head-b").startswith("B: ")
    assert page.js("return document.documentElement.scrollWidth") == width


def test_a_log_is_told_and_a_search_ends(small: Any, comparisons: Pages, tmp_path: Path) -> None:
    log = FIXTURES / "comparison" / "int8.log"
    other = elv.draw(elv.read(log).engines[0], tmp_path / "int8.html", "html")
    small.media("light", "no-preference")
    small.js("engineLayers.search.set('conv'); engineLayers.cam.glide(9, 9, 2)")
    drop(small, log)
    small.until(lambda: small.find("#notice").is_displayed())
    told = small.text("#notice p")
    assert told.startswith("No page or JSON of an engine: int8.log. ") and "json or html" in told
    drop(small, log, Path(other))
    small.until(lambda: shown(small))
    assert small.text("#notice p") == "Left out, as no page or JSON of an engine: int8.log."
    before = small.js("return location.hash")
    small.driver.execute_async_script("setTimeout(arguments[0], 700)")
    assert small.js("return location.hash") == before
    assert "q=" not in before


def test_what_is_no_engine_says_what_reads_it(small: Any) -> None:
    drop(small, FIXTURES / "comparison" / "int8.log")
    small.until(lambda: small.find("#notice").is_displayed())
    assert "elv compare A B -f html" in small.text("#notice")
    assert small.js("return engineLayers.engine.count") == 54


def test_of_two_engines_that_fit_alike_the_first_is_shown(small: Any, tmp_path: Path) -> None:
    two = elv.read(FIXTURES / "classic" / "8.4-two-engines.log").engines
    drop(small, page_of(two, tmp_path / "two.html"))
    small.until(lambda: shown(small))
    assert small.js("return comparison.place") == 0
