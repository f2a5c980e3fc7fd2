"""Engines in other viewers: boxes and edges in Netron, the times of modules in speedscope."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import netron
import pytest
from factories import layer, linked
from paths import CENTERNET, FIXTURES, ROOT, TIMES
from program import demand

import engine_layer_visualize as elv
from browser.conftest import Page
from engine_layer_visualize.api import draw

OUTSIDE = ["*google*", "*ipinfo.io*"]  # what Netron asks for beside the model
Shown = Callable[[elv.Engine], Any]


@pytest.fixture
def shown(driver: Any, tmp_path: Path) -> Iterator[Shown]:
    """Opens an engine in Netron, and gives the driver when its graph is drawn."""
    path = tmp_path / "engine.onnx"

    def show(engine: elv.Engine) -> Any:
        path.write_bytes(draw.render(engine, "onnx"))
        host, port = netron.serve(str(path), None, ("127.0.0.1", 0))
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": OUTSIDE})
        driver.get(f"http://{host}:{port}/favicon.ico")
        driver.add_cookie({"name": "consent", "value": "1"})
        driver.get(f"http://{host}:{port}/")
        ready = "return document.body.className === 'default'"
        Page(driver).until(lambda: driver.execute_script(ready))
        return driver

    yield show
    netron.stop()
    driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    driver.get("about:blank")


def count(driver: Any, selector: str) -> int:
    return int(driver.execute_script(f"return document.querySelectorAll('{selector}').length"))


def centernet() -> elv.Engine:
    return elv.read(CENTERNET, [TIMES]).engines[0]


def written_again() -> elv.Engine:
    """Tensors that are written twice, two profiles' worth of names, a layer without tensors."""
    layers = [layer(0, "a", ["x"], ["t"]), layer(1, "b", ["t"], ["u [profile 1]"])]
    layers += [layer(2, "c", ["u [profile 1]", "t"], ["t"])]
    layers += [layer(3, "wait", [], [], type="shape_call"), layer(4, "d", ["t", "x"], ["y"])]
    return linked(*layers)


@pytest.mark.parametrize("make", [centernet, written_again])
def test_as_many_boxes_and_edges_as_the_json(make: Callable[[], elv.Engine], shown: Shown) -> None:
    engine = make()
    driver = shown(engine)
    assert count(driver, "g.graph-node") == len(engine.layers)
    ends = [edge for edge in engine.graph.edges if edge.target is None or edge.source is None]
    unused = {edge.tensor for edge in ends if edge.target is None} - set(engine.outputs)
    edges = len(engine.graph.edges) - len(unused)  # Netron shows no end of what nothing reads
    assert count(driver, "path.edge-path") == edges


# ---- speedscope's own importer takes a trace, and shows the modules with their times -------------


SPEEDSCOPE = ROOT / "tests" / "viewer" / "node_modules" / "speedscope" / "dist" / "release"
LOG = FIXTURES / "inspector_json" / "torch-tensorrt.json"
Show = Callable[[bytes], str]


@pytest.fixture
def speedscope(page: Page, tmp_path: Path) -> Show:
    """Opens a file as speedscope's own command does: a script that it loads."""
    if not SPEEDSCOPE.is_dir():
        demand(f"{SPEEDSCOPE} not found: npm install was not run in tests/viewer")

    def show(data: bytes) -> str:
        script = tmp_path / "profile.js"
        text = base64.b64encode(data).decode()
        script.write_text(f"speedscope.loadFileFromBase64('engine.json', '{text}')")
        page.sized(1440, 844).open(
            SPEEDSCOPE / "index.html", f"#localProfilePath={script}", ours=False
        )
        page.until(lambda: " - speedscope" in page.driver.title)
        page.tap("3")  # the table of frames
        said = " ".join(page.complaints())
        assert "open at end" not in said and "rror" not in said, said
        return str(page.js("return document.body.innerText"))

    return show


def frames(text: str) -> dict[str, str]:
    """The first word of each frame's name, and its total."""
    lines = [line.strip() for line in text.split("\n")]
    head = lines.index("Total\tSelf\tSymbol Name")
    totals, names = lines[head + 1 :: 3], lines[head + 3 :: 3]
    return {name.split(" {")[0]: total for name, total in zip(names, totals)}


def test_modules_have_the_sum_of_their_layers(speedscope: Show, tmp_path: Path) -> None:
    events = json.loads(LOG.with_suffix(".profile.trace").read_text())
    rows = [{"name": event["name"], "averageMs": event["dur"] / 1000} for event in events]
    (tmp_path / "profile.json").write_text(json.dumps([{"count": 1}, *rows]))
    (engine,) = elv.read(LOG, tmp_path / "profile.json").engines
    found = frames(speedscope(draw.render(engine, "trace")))
    # 12.5 + 3.072 + 0 µs of 19.572
    assert found["porthole"] == "15.57µs (80%)"
    assert {name for name in found if "dive_conv" in name}
