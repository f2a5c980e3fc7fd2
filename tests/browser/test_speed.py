"""How long a page takes to open, and how even it pans: bounds, on whatever machine this is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

# All frames of a pan at four scales, from the whole drawing to single boxes: [[ms …] …]
PAN = """
const done = arguments[arguments.length - 1], {cam} = engineLayers, all = [];
(async () => {
  for (const scale of [0, 0.1, 0.4, 1]) {
    if (!scale) cam.all(true);
    else cam.set(cam.drawing.width / 3, cam.drawing.height / 3, scale);
    const frames = [];
    let last = performance.now();
    await new Promise((over) => {
      const step = (now) => {
        frames.push(now - last);
        last = now;
        cam.pan(frames.length % 40 < 20 ? 12 : -12, frames.length % 30 < 15 ? 7 : -7);
        frames.length < 50 ? requestAnimationFrame(step) : over();
      };
      requestAnimationFrame(step);
    });
    all.push(frames.slice(3));
  }
  done(all);
})();
"""


@pytest.mark.parametrize(("name", "seconds"), [("small", 1), ("thousand", 1), ("largest", 5)])
def test_a_page_opens_in_time(
    page: Any,
    pages: Callable[[str], Path],
    name: str,
    seconds: float,
    record_property: Callable[[str, object], None],
) -> None:
    """The best of three: other work on the machine is none of the page's."""
    took = []
    for _ in range(3):
        page.open(pages(name))
        took.append(page.js("return performance.getEntriesByName('ready')[0].startTime") / 1000)
    record_property("seconds", min(took))
    assert min(took) < seconds


def test_files_stay_small(pages: Callable[[str], Path]) -> None:
    assert pages("thousand").stat().st_size < 600_000
    assert pages("largest").stat().st_size < 8_000_000


@pytest.mark.parametrize("name", ["thousand", "largest"])
def test_a_page_pans_evenly(page: Any, pages: Callable[[str], Path], name: str) -> None:
    page.open(pages(name))
    if page.js("return engineLayers.collapsed.size"):  # every layer a box of its own
        took = page.js(
            "const t = performance.now(); engineLayers.toggleAll(); return performance.now() - t"
        )
        assert took < 5000
    assert page.js("return engineLayers.folded.size >= engineLayers.engine.count")
    # The best of three; docs/viewer.md has what was measured. A slow machine is no fault of ours.
    runs = [page.driver.execute_async_script(PAN) for _ in range(3)]
    for several in zip(*runs):
        assert min(median(frames) for frames in several) < 250


def test_search_in_twenty_thousand_is_quick(page: Any, pages: Callable[[str], Path]) -> None:
    page.open(pages("largest"))
    took = page.js("""engineLayers.showHits(null);
        const input = document.getElementById("search"); const began = performance.now();
        engineLayers.search.set("unit77 conv2"); return performance.now() - began""")
    assert page.js("return engineLayers.hits.length") > 0
    assert took < 1500
