"""Engines as ONNX in Netron: as many boxes and edges as the JSON has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import netron
import pytest
from factories import layer, linked
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine

OUTSIDE = ["*google*", "*ipinfo.io*"]  # what Netron asks for beside the model
Shown = Callable[[Engine], Any]


@pytest.fixture
def shown(driver: Any, tmp_path: Path) -> Iterator[Shown]:
    """Opens an engine in Netron, and gives the driver when its graph is drawn."""
    path = tmp_path / "engine.onnx"

    def show(engine: Engine) -> Any:
        path.write_bytes(draw.render(engine, "onnx"))
        host, port = netron.serve(str(path), None, ("127.0.0.1", 0))
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": OUTSIDE})
        driver.get(f"http://{host}:{port}/favicon.ico")
        driver.add_cookie({"name": "consent", "value": "1"})
        driver.get(f"http://{host}:{port}/")
        until(driver, "document.body.className === 'default'")
        return driver

    yield show
    netron.stop()
    driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    driver.get("about:blank")


def until(driver: Any, condition: str) -> None:
    found = driver.execute_async_script(
        f"""const [done, began] = [arguments[0], Date.now()];
        const look = () => {condition} || Date.now() - began > 30000
            ? done({condition}) : setTimeout(look, 50);
        look();"""
    )
    assert found, driver.execute_script("return document.body.innerText")


def count(driver: Any, selector: str) -> int:
    return int(driver.execute_script(f"return document.querySelectorAll('{selector}').length"))


def centernet() -> Engine:
    log = FIXTURES / "classic" / "8.0-centernet.log"
    return elv.read(log, [log.with_suffix(".profile.json")]).engines[0]


def written_again() -> Engine:
    """Tensors that are written twice, two profiles' worth of names, a layer without tensors."""
    return linked(
        layer(0, "a", ["x"], ["t"]),
        layer(1, "b", ["t"], ["u [profile 1]"]),
        layer(2, "c", ["u [profile 1]", "t"], ["t"]),
        layer(3, "wait", [], [], type="shape_call"),
        layer(4, "d", ["t", "x"], ["y"]),
    )


@pytest.mark.parametrize("make", [centernet, written_again])
def test_as_many_boxes_and_edges_as_the_json(make: Callable[[], Engine], shown: Shown) -> None:
    engine = make()
    driver = shown(engine)
    assert count(driver, "g.graph-node") == len(engine.layers)
    ends = [edge for edge in engine.graph.edges if edge.target is None or edge.source is None]
    unused = {edge.tensor for edge in ends if edge.target is None} - set(engine.outputs)
    edges = len(engine.graph.edges) - len(unused)  # Netron shows no end of what nothing reads
    assert count(driver, "path.edge-path") == edges
