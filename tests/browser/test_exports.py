"""What leaves the page: the drawing as SVG and PNG, the table as text, copies from the panel."""

import csv
import io
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from logtext import file_of, listing_of
from rendered import png_size
from summarised import csv_of

from browser.conftest import Pages, page_of
from browser.page_logs import HOSTILE
from engine_layer_visualize import read

SVG = "{http://www.w3.org/2000/svg}"
DEAF = "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})"


def _export(page: Any, id: str, folder: Path) -> Path:
    """The file that a button of the dialog saves."""
    page.save_into(folder)
    if not page.find("#export").is_displayed():
        page.find("#show-export").click()
    page.find(f"#{id}").click()
    for _ in range(100):
        found = [path for path in folder.glob("*") if path.suffix != ".crdownload"]
        if found and not list(folder.glob("*.crdownload")):
            return found[0]
        time.sleep(0.1)
    raise AssertionError("no file")


def _texts(svg: Path) -> list[str]:
    return [text.text or "" for text in ElementTree.parse(svg).iter(f"{SVG}text")]


def test_the_whole_as_svg_is_what_the_canvas_shows(small: Any, tmp_path: Path) -> None:
    file = _export(small, "export-svg-whole", tmp_path)
    assert file.name == "8.0-centernet_0.svg"
    texts = _texts(file)
    assert texts.count("15.3 %") == 1
    assert "deconv_layers.8" in texts and any(text.startswith("− layer1") for text in texts)
    assert "reformat or no-op" in texts  # the legend
    assert any(text.startswith("Engine 0 of 8.0-centernet") for text in texts)
    small.js("document.getElementById('export').close()")
    whole = small.js("const {width, height} = engineLayers.folded; return [width, height]")
    size = ElementTree.parse(file).getroot()
    assert float(size.get("width", 0)) == pytest.approx(whole[0] + 40, abs=0.01)
    small.open(file)  # a browser takes it, too
    assert small.js("return document.documentElement.localName") == "svg"
    seen = small.js("return document.documentElement.getBBox().height")
    assert seen > whole[1]


def test_the_view_as_svg_is_what_the_window_has(page: Any, pages: Pages, tmp_path: Path) -> None:
    page.open(pages("small"), "#layer=43")
    page.js("engineLayers.cam.stop(); engineLayers.drawing.moveTo(43, 0, 20, 2)")
    texts = _texts(_export(page, "export-svg-view", tmp_path))
    assert "deconv_layers.8" in texts
    assert "layer1.0.conv1" not in texts


def test_what_the_pointer_is_on_is_no_part_of_the_picture(masked: Any, tmp_path: Path) -> None:
    plain = _export(masked, "export-svg-whole", tmp_path / "plain").read_text("utf-8")
    curves = masked.js("""const {engine, scene} = engineLayers;
        engineLayers.point(3, [engine.edges.from.findIndex((_, edge) => scene.cut(edge))]);
        return scene.curves.length""")
    assert curves == 1
    assert _export(masked, "export-svg-whole", tmp_path / "pointed").read_text("utf-8") == plain
    assert masked.js("return engineLayers.scene.curves.length") == 1


def test_hostile_names_are_text_in_svg(page: Any, pages: Pages, tmp_path: Path) -> None:
    page.open(pages("hostile"))
    page.js("engineLayers.drawing.layOut(engineLayers.engine, new Set())")
    file = _export(page, "export-svg-whole", tmp_path)
    known = {"svg", "style", "g", "rect", "path", "text", "title"}
    assert {element.tag.removeprefix(SVG) for element in ElementTree.parse(file).iter()} == known
    assert any("pwned" in text for text in _texts(file))
    page.open(file)
    assert page.js("return window.pwned") is None


@pytest.mark.parametrize("name", ["encoder", "findings", "profiles", "partial", "untimed", "box"])
def test_each_kind_of_drawing_is_svg(page: Any, pages: Pages, tmp_path: Path, name: str) -> None:
    """Also dashed edges of a selected layer, at the three levels of detail."""
    page.open(pages(name), "#layer=2")
    looks = (("type", 1.5), ("precision", 0.5), ("type", 0.2))
    for number, (mode, scale) in enumerate(looks):
        page.js("engineLayers.colorBy(arguments[0])", mode)
        page.js(f"engineLayers.cam.stop(); engineLayers.drawing.moveTo(2, 0, 0, {scale})")
        svg = _export(page, "export-svg-view", tmp_path / str(number))
        root = ElementTree.parse(svg).getroot()
        page.js("document.getElementById('export').close()")
        assert len(list(root.iter(f"{SVG}rect"))) > 1
        assert "NaN" not in ElementTree.tostring(root, "unicode")


def _size(png: Path) -> tuple[int, int]:
    return png_size(png.read_bytes())


def test_png_of_the_view_and_of_the_whole(small: Any, tmp_path: Path) -> None:
    width, height = _size(_export(small, "export-png-view", tmp_path / "view"))
    canvas = small.js("const {width, height} = engineLayers.canvas; return [width, height]")
    assert width == 2 * canvas[0]
    assert 2 * (canvas[1] + 40) < height < 2 * (canvas[1] + 140)  # title and legend
    assert "scaled" not in small.text("#export [role=status]")
    width, height = _size(_export(small, "export-png-whole", tmp_path / "whole"))
    assert width == pytest.approx(2 * (small.js("return engineLayers.folded.width") + 40), abs=1)


@pytest.mark.parametrize("name", ["small", "transformer", "graph"])
def test_the_card_says_what_draw_says(page: Any, pages: Pages, tmp_path: Path, name: str) -> None:
    page.open(pages(name))
    before = page.js("return [location.hash, engineLayers.folded.size]")
    svg = _export(page, "export-svg-card", tmp_path / "svg")
    root = ElementTree.parse(svg).getroot()
    assert svg.name.endswith("_0_card.svg")
    assert (root.get("width"), root.get("height")) == ("1200", "630")
    assert _size(_export(page, "export-png-card", tmp_path / "png")) == (1200, 630)
    assert page.js("return [location.hash, engineLayers.folded.size]") == before
    texts = _texts(svg)
    if name == "small":  # 81, 62, 112, 84, 397 and 231 of 2,596 us are those of deconv_layers
        assert {"8.0-centernet", "37.3 % of the time is in deconv_layers"} <= set(texts)
        assert "+ deconv_layers" in texts and "input" not in texts
    shares = [text for text in texts if text.endswith(" %") and "time" not in text]
    assert len(shares) <= 12
    assert name == "graph" or len(shares) > 1
    page.open(svg)


def test_a_png_that_no_canvas_holds_is_scaled_down(page: Any, pages: Pages, tmp_path: Path) -> None:
    page.open(pages("transformer"), "#blocks=")
    width, height = _size(_export(page, "export-png-whole", tmp_path))
    assert width * height <= 64e6 and max(width, height) <= 16384
    said = page.text("#export [role=status]")
    assert f"{width:,} × {height:,} pixels, scaled down to " in said


def test_the_table_is_saved_filtered_and_sorted(page: Any, pages: Pages, tmp_path: Path) -> None:
    page.open(pages("small"), "#pane=table&sort=-ms&q=deconv_layers")
    shown = [int(row.get_attribute("data-layer")) for row in page.all(".grid .line")]
    rows = list(csv.DictReader(io.StringIO(_export(page, "export-csv", tmp_path).read_text())))
    assert [int(row["index"]) for row in rows] == shown
    assert list(rows[0]) == [
        "index", "head", "type", "name", "precision", "dims", "ms", "share", "line",
    ]  # fmt: skip
    assert float(rows[0]["ms"]) == 0.396674
    assert float(rows[0]["share"]) == pytest.approx(0.1528, abs=1e-4)


def test_no_cell_is_a_formula(page: Any, tmp_path: Path) -> None:
    """The same names as in the program's CSV."""
    names = ["=1+1", "+a", "-b", "@c", "'d", "＝e", 'a "quoted", b', *HOSTILE]
    log = file_of(tmp_path, listing_of(*names, kind="Shuffle"), "names.log")
    engines = list(read(log).engines)
    page.open(page_of(engines, tmp_path / "names.html"))
    text = _export(page, "export-csv", tmp_path / "out").read_text("utf-8")
    found = [row["name"] for row in csv.DictReader(io.StringIO(text))]
    own = [row["name"] for row in csv.DictReader(io.StringIO(csv_of(*engines)))]
    assert found == own
    assert found[:5] == ["'=1+1", "'+a", "'-b", "'@c", "''d"]


# ---- copies --------------------------------------------------------------------------------------


def _click(page: Any, label: str) -> None:
    [button] = [one for one in page.all("button") if one.text == label]
    button.click()
    page.settle()


ONNX = """const {layers, text} = engineLayers.engine;
    return (layers.onnx.get(arguments[0]) ?? []).map(text)"""


def test_name_kernel_and_precision_are_copied(page: Any, pages: Pages) -> None:
    page.open(pages("thousand detailed"), "#layer=2")
    page.listen()
    _click(page, "Copy name")
    assert "Copied" in [one.text for one in page.all("#panel .actions button")]
    _click(page, "Copy --layerPrecisions")
    [node] = page.js(ONNX, 2)
    assert page.js("return copied") == [
        page.js("return engineLayers.engine.name(2)"),
        f"'--layerPrecisions={node}:fp32' --precisionConstraints=obey",
    ]
    page.open(pages("roofline"), "#layer=2")
    page.listen()
    _click(page, "Copy kernel")
    assert page.js("return copied") == ["k"]


def test_the_link_is_copied_and_where_that_is_refused_it_says_so(page: Any, pages: Pages) -> None:
    page.open(pages("small"), "#layer=43")
    page.listen()
    page.press("e")
    assert page.find("#export").is_displayed()
    _click(page, "Copy link")
    link = pages("small").as_uri() + "#engine=0&layer=43"
    assert page.js("return copied") == [link]
    page.act(DEAF)
    page.find("#copy-link").click()
    page.settle()
    assert page.text("#copy-link") == "The browser keeps this page from the clipboard."
    page.press("\ue00c")
    assert not page.find("#export").is_displayed()


# ---- the table's width, and wheels ---------------------------------------------------------------


def test_no_column_of_the_table_is_cut_at_1440_pixels(page: Any, pages: Pages) -> None:
    page.open(pages("thousand detailed"), "#pane=table")
    page.js("""const {layers} = engineLayers.engine;
        layers.bytes.fill(123e6);
        layers.kernel = [...layers.name];
        engineLayers.panes.reset()""")
    assert page.js("return engineLayers.table.columns.length") == 11
    ends = page.js("""
        const right = document.querySelector("#table .grid").getBoundingClientRect().right;
        return [...document.querySelectorAll(".grid .line")].slice(0, 9).map((row) => {
          const cell = row.lastElementChild;
          return [right - cell.getBoundingClientRect().right, cell.scrollWidth - cell.clientWidth];
        })""")
    assert all(room >= 0 and cut <= 0 for room, cut in ends)


@pytest.mark.parametrize(
    ("wheel", "right", "down"),
    [
        ("deltaX: 40, deltaY: 3", 40, 0),
        ("deltaY: 60, shiftKey: true", 60, 0),
        ("deltaY: 60", 0, 60),
    ],
)
def test_the_wheel_moves_and_with_ctrl_zooms(small: Any, wheel: str, right: int, down: int) -> None:
    turn = """const {cam, canvas} = engineLayers, {x, y, scale} = cam.set(100, 100, 1) ?? cam.view;
        canvas.dispatchEvent(new WheelEvent("wheel", {%s}));
        return [cam.view.x - x, cam.view.y - y, cam.view.scale / scale]"""
    assert small.js(turn % wheel) == [right, down, 1]
    assert 0.7 < small.js(turn % "deltaY: 60, ctrlKey: true")[2] < 0.8  # one step is no leap


def test_the_whole_is_printed_in_place_of_the_page(
    page: Any, pages: Pages, comparisons: Pages
) -> None:
    told = """const all = [...document.querySelectorAll("#print > *")];
        const found = all.map(({tagName}) => tagName);
        const {width} = document.querySelector("#print canvas"); return [found, width > 400]"""
    page.open(pages("small")).js("dispatchEvent(new Event('beforeprint'))")
    assert page.js(told) == [["CANVAS"], True]
    page.js("dispatchEvent(new Event('afterprint'))")
    assert page.all("#print") == []
    page.open(comparisons("fixture")).js("dispatchEvent(new Event('beforeprint'))")
    found, drawn = page.js(told)
    assert drawn and [found[0], found[-1]] == ["CANVAS", "TABLE"]
    assert "B is 1.57 × faster" in page.text("#print")
    assert len(page.all("#print > table tbody tr")) == 9
