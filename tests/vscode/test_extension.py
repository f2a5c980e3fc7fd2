"""The extension of VS Code: in a stand-in of the editor, its page in a Chromium, its package."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from paths import FIXTURES, ROOT
from web.conftest import demand

from engine_layer_visualize import __version__
from engine_layer_visualize.linting.rules import own_rules
from vscode.conftest import BUILT, HERE, NODE

LOG = FIXTURES / "classic" / "8.0-centernet.log"


def test_the_extension_in_a_stand_in_of_the_editor() -> None:
    demand("" if NODE else "node not found: pip install -e '.[viewer]'")
    command = [str(NODE), "--test", str(HERE / "extension.test.mjs")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.slow
def test_a_log_becomes_a_page_and_problems(tab: Callable[..., Any]) -> None:
    opened = tab(LOG)
    (problems,) = opened.relay("problems").values()
    lines = LOG.read_text("utf-8").split("\n")
    for one in problems:
        layer = one["message"].partition("`")[2].partition("`")[0]
        assert layer in lines[one["range"]["startLine"]]
        assert one["code"]["value"] in own_rules()
    assert problems
    assert sum(opened.pieces) == sum(
        path.stat().st_size for path in (LOG, LOG.with_suffix(".profile.json"))
    )
    assert opened.js("return state.files") == [
        path.as_uri() for path in (LOG, LOG.with_suffix(".profile.json"))
    ]
    # The page, in its frame, as light or dark as the editor; a finding's evidence leads to the log.
    for name, dark in (("vscode-dark", True), ("vscode-high-contrast-light", False)):
        opened.js("document.body.className = arguments[0]", name)
        opened.driver.switch_to.frame(opened.find("#view iframe"))
        opened.until("globalThis.engineLayers && engineLayers.colors.dark === arguments[0]", dark)
        opened.driver.switch_to.default_content()
    opened.driver.switch_to.frame(opened.find("#view iframe"))
    opened.find("#panel .findings button").click()
    evidence = opened.find("#panel .evidence button")
    number = int(evidence.text.removeprefix("log line ").partition(":")[0])
    evidence.click()
    opened.driver.switch_to.default_content()
    opened.until("said.length")
    ((command, uri, options),) = opened.relay("opened")
    assert (command, uri["path"]) == ("vscode.open", str(LOG))
    assert options["selection"]["startLine"] == number - 1
    # It asked nobody else, and the browser refused nothing of it.
    assert {*opened.strangers()} == {"page.localhost"}
    assert [entry["message"] for entry in opened.driver.get_log("browser")] == []


def test_the_package_holds_the_page_and_the_program() -> None:
    packed = sorted(BUILT.parent.glob("*.vsix"))
    demand("" if packed else "not built: python editors/vscode/build.py")
    with zipfile.ZipFile(packed[0]) as package:
        names = {name.removeprefix("extension/") for name in package.namelist()}
        described = json.loads(package.read("extension/package.json"))
        page = package.read("extension/webview/index.html").decode()
    assert described["version"].replace("-", "") == __version__
    assert {"extension.js", "webview/web/pyodide/pyodide.asm.wasm", "icon.png"} <= names
    assert not [name for name in names if "node_modules" in name or "/test" in name]
    assert packed[0].stat().st_size < 16e6
    assert "http" not in page.partition("Content-Security-Policy")[2].partition(">")[0]


def test_the_menus_name_commands_that_exist() -> None:
    described = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text("utf-8"))
    given = described["contributes"]
    commands = {each["command"] for each in given["commands"]}
    assert {each["command"] for menu in given["menus"].values() for each in menu} <= commands
    text = Path(ROOT / "editors" / "vscode" / "extension.js").read_text("utf-8")
    for command in commands:
        view, _, name = command.partition(".")
        assert f'VIEW = "{view}"' in text
        assert f"registerCommand(`${{VIEW}}.{name}`" in text
