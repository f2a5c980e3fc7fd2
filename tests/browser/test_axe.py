"""axe-core finds nothing on both pages, in their states, light and dark."""

from pathlib import Path
from typing import Any

import pytest
from paths import ROOT
from program import demand

from browser.conftest import Pages

AXE = ROOT / "tests" / "viewer" / "node_modules" / "axe-core" / "axe.min.js"

RULE = """engineLayers.showFinding(engineLayers.engine.found.profiles[0][0]);
        for (const each of document.querySelectorAll("#panel details")) each.open = true"""
STATES = {
    "opened": "",
    "layer": "engineLayers.select(2)",
    "rule's page": RULE,
    "long list": RULE,
    "table": "engineLayers.panes.show('table'); engineLayers.select(1)",
    "roofline": "engineLayers.panes.show('roofline')",
    "icicle": "engineLayers.panes.toggle('time'); engineLayers.mark([1, 2])",
    "export": "document.getElementById('show-export').click()",
    "unfolded": "engineLayers.levels.unfold(1); engineLayers.select(1)",
    "foreign node": """engineLayers.select([...engineLayers.engine.layers.inside.keys()][0]);
        for (let deep = 0; deep < 9; deep += 1)
            for (const each of document.querySelectorAll("#panel details")) each.open = true""",
    "parts unfolded": "engineLayers.levels.unfold(1); engineLayers.levels.collapse(new Set())",
    "help": "document.getElementById('show-help').click()",
    "hits": """const input = document.getElementById("search"); input.focus(); input.value = "FP32";
        input.dispatchEvent(new Event("input"))""",
    "wrong query": """const input = document.getElementById("search"); input.focus();
        input.value = "time>x"; input.dispatchEvent(new Event("input"))""",
}
PAGES = {"roofline": "roofline", "long list": "short", "foreign node": "box"}
PAGES |= {"unfolded": "graph", "parts unfolded": "graph"}
COMPARED = {
    "opened": "",
    "layer": "comparison.select(6)",
    "cause": "document.querySelectorAll('#waterfall button')[1].click()",
    "search": "comparison.search.set('conv')",
    "many in a group": """const {groupOf, members} = comparison.engine;
        members[groupOf(6)][0] = Array.from({length: 30}, () => 0);
        comparison.select(6);
        for (const each of document.querySelectorAll("#panel details")) each.open = true""",
    "in no group": "comparison.select(comparison.engine.sides[0].group.indexOf(-1))",
}
COMPARED_PAGES = {"in no group": "rotated"}
RUN = """const done = arguments[arguments.length - 1];
const told = ({html, failureSummary}) => [html.slice(0, 160), failureSummary];
axe.run({resultTypes: ["violations"]}).then(({violations}) =>
    done(violations.map(({id, nodes}) => [id, nodes.map(told)])))"""


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        demand("npm install --no-package-lock --no-audit --no-fund was not run in tests/viewer")
    return AXE.read_text("utf-8")


def look(page: Any, axe: str, path: Path, state: str, width: int, narrow: str = "light") -> None:
    """The page's policy keeps scripts out; the driver's own run beside it. `narrow`: the schemes of
    a narrow window, whose menu and legend alone are not in a wide one."""
    page.sized(width, 844).open(path)
    page.js(state)
    page.js(axe + "; globalThis.axe = axe")
    for dark in (False, True) if width > 400 or narrow == "both" else (False,):
        page.act("(globalThis.engineLayers ?? comparison).dark(arguments[0])", dark)
        assert page.driver.execute_async_script(RUN) == [], dark


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("state", STATES)
def test_the_page(page: Any, pages: Pages, axe: str, state: str, width: int) -> None:
    look(page, axe, pages(PAGES.get(state, "findings")), STATES[state], width)


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("state", COMPARED)
def test_the_comparison(page: Any, comparisons: Pages, axe: str, state: str, width: int) -> None:
    look(page, axe, comparisons(COMPARED_PAGES.get(state, "fixture")), COMPARED[state], width)


def test_the_menu_and_the_legend(page: Any, pages: Pages, axe: str) -> None:
    shown = "for (const id of ['more', 'legend']) document.getElementById(`show-${id}`).click()"
    look(page, axe, pages("small"), shown, 390, "both")
