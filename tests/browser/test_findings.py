"""Findings in the page: the list of the engine, the view of a rule, the panel of a layer."""

import re
from typing import Any

from browser import page_logs
from browser.conftest import Pages
from engine_layer_visualize.core.text import visible

HIT = "return engineLayers.scene.hits && [...engineLayers.scene.hits].length"
CONVOLUTIONS = len(page_logs.HOSTILE)
ACTION = "Let these layers compute in fewer bits"


def rows(page: Any) -> dict[str, Any]:
    """The buttons of the overview, by their codes."""
    return {
        re.search(r"\b([A-Z]\d\d) ", one.text)[1]: one  # type: ignore[index]
        for one in page.all("#panel .findings button")
    }


def words(button: Any) -> str:
    return " ".join(button.text.split())


def test_the_overview_leads_to_all_layers_of_a_finding_and_back(findings: Any) -> None:
    found = rows(findings)
    assert next(iter(found)) == "P01", "what counts the most first"
    assert words(found["P01"]) == (
        "Let these layers compute in fewer bits 9 layers, 78.9 % · warning · P01 "
        "higher-precision-compute"
    )
    assert words(found["F02"]) == (
        "Feed and take the engine's own types and formats −40.0 µs 1 layer, 3.5 % · F02 "
        "reformat-at-input"
    )
    assert findings.text("#panel .gain") == "Could save 40.0 µs (3.5 %)"
    assert findings.text("#legend").endswith("finding")
    rows(findings)["P01"].click()
    findings.settle()
    assert findings.js(HIT) == CONVOLUTIONS
    assert findings.text("#panel h2") == ACTION
    assert findings.text("#panel .cost") == "9 layers  ·  touches 900 µs, 78.9 %"
    assert findings.text("#panel .cost + .muted").startswith("warning  ·  P01")
    view = findings.js("""const {cam: {view}, folded} = engineLayers; let shown = 0;
        for (const box of engineLayers.scene.hits) shown += folded.x[box] > view.x &&
            folded.x[box] < view.x + view.width / view.scale && folded.y[box] > view.y &&
            folded.y[box] + folded.h[box] < view.y + view.height / view.scale;
        return shown""")
    assert view == CONVOLUTIONS
    for name in page_logs.HOSTILE[:3]:
        assert visible(name) in findings.text("#panel .summary")
    assert findings.text("#panel .evidence li").startswith("log line 5: CaskConvolution")
    assert len(findings.all("#panel .ranking a")) == CONVOLUTIONS
    findings.all("#panel .ranking a")[1].click()
    assert findings.text("#panel .top p") == "Layer 2"
    assert findings.js(HIT) == CONVOLUTIONS
    findings.press("\ue00c")  # Escape: back to the finding, then to the engine
    assert findings.text("#panel h2") == ACTION
    findings.press("\ue00c")
    assert findings.js(HIT) is None
    assert "F02" in rows(findings)
    assert findings.js("return window.pwned === undefined")
    rows(findings)["P01"].click()
    findings.js("engineLayers.select(10)")  # computes in Half
    assert findings.js(HIT) is None
    findings.press("\ue00c")
    assert "F02" in rows(findings)


def test_a_finding_without_a_time_of_its_own_lights_its_layers(page: Any, pages: Pages) -> None:
    page.open(pages("short"))
    row = rows(page)["H07"]
    assert "64 layers" in words(row)
    row.click()
    assert page.js(HIT) == 64
    page.all("#panel .ranking a")[5].click()
    assert "H07 small-layers" in page.text("#panel .found-here")


def test_a_layer_and_its_box_tell_its_findings(findings: Any) -> None:
    findings.js("engineLayers.select(0)")
    told = findings.find("#panel .found-here")
    assert "F02" in told.text and "reformat-at-input" in told.text
    assert "Try: feed this input as Float (trtexec: --inputIOFormats=fp32:chw)" in told.text
    findings.js("engineLayers.select(1)")
    findings.find("#panel .found-here > li > .plain").click()
    assert findings.text("#panel h2") == ACTION
    findings.js("engineLayers.select(10)")
    assert findings.all("#panel .found-here") == []
    badges = findings.js("""const {scene, folded} = engineLayers;
        return [...folded.of].map((box) => scene.text(box).badge)""")
    assert badges[: CONVOLUTIONS + 2] == ["F02", *([""] * CONVOLUTIONS), ""], "P01 is of nearly all"
    findings.js("engineLayers.levels.collapse(new Set(engineLayers.engine.groups.keys()))")
    folded = findings.js("""const {scene, folded} = engineLayers;
        return scene.text(folded.of[0]).badge""")
    assert folded == "F02"


def test_findings_are_of_the_optimisation_profile_shown(profiles: Any) -> None:
    before = rows(profiles)
    assert "50.0 %" in words(before["F03"])
    before["F03"].click()
    profiles.all("#profile option")[1].click()
    assert profiles.js(HIT) is None
    assert "25.0 %" in words(rows(profiles)["F03"])


def test_a_small_window_opens_the_overview(page: Any, pages: Pages) -> None:
    page.sized(390, 844, ratio=2).open(pages("findings"))
    assert not page.find("#panel").is_displayed()
    button = page.find("#show-panel")
    button.click()
    assert page.find("#panel .findings").is_displayed()
    rows(page)["P01"].click()
    page.settle()
    boxes = page.js("""const {cam: {view}, folded, scene} = engineLayers;
        const {top} = document.getElementById("drawing").getBoundingClientRect();
        const foot = (box) => (folded.y[box] + folded.h[box] - view.y) * view.scale;
        return top + Math.max(...[...scene.hits].map(foot))""")
    assert boxes < page.find("#panel").rect["y"], "the panel covers none of the layers"
    button.click()
    assert not page.find("#panel").is_displayed()
    assert page.js(HIT) is None
