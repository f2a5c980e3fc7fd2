"""speedscope's own importer takes a trace, and shows the modules with their times."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from paths import FIXTURES, ROOT

from browser.conftest import Page, window
from engine_layer_visualize import read
from engine_layer_visualize.api.draw import render

SPEEDSCOPE = ROOT / "tests" / "viewer" / "node_modules" / "speedscope" / "dist" / "release"
LOG = FIXTURES / "inspector_json" / "torch-tensorrt.json"
Show = Callable[[bytes], str]


@pytest.fixture
def shown(page: Page, tmp_path: Path) -> Show:
    """Opens a file as speedscope's own command does: a script that it loads."""
    if not SPEEDSCOPE.is_dir():
        words = f"{SPEEDSCOPE} not found: npm install was not run in tests/viewer"
        if os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)

    def show(data: bytes) -> str:
        script = tmp_path / "profile.js"
        text = base64.b64encode(data).decode()
        script.write_text(f"speedscope.loadFileFromBase64('engine.json', '{text}')")
        window(page, 1440, 844)
        page.open(SPEEDSCOPE / "index.html", f"#localProfilePath={script}", ours=False)
        page.driver.execute_async_script(
            """const done = arguments[0], began = performance.now();
            const look = () => document.title.includes(" - speedscope")
                || performance.now() - began > 20_000 ? done() : setTimeout(look, 50);
            look();"""
        )
        page.press("3")  # the table of frames
        page.settle()
        page.shoot("speedscope")
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


def test_modules_have_the_sum_of_their_layers(shown: Show, tmp_path: Path) -> None:
    events = json.loads(LOG.with_suffix(".profile.trace").read_text())
    rows = [{"name": event["name"], "averageMs": event["dur"] / 1000} for event in events]
    (tmp_path / "profile.json").write_text(json.dumps([{"count": 1}, *rows]))
    (engine,) = read(LOG, tmp_path / "profile.json").engines
    found = frames(shown(render(engine, "trace")))
    # 12.5 + 3.072 + 0 µs of 19.572
    assert found["porthole"] == "15.57µs (80%)"
    assert {name for name in found if "dive_conv" in name}
