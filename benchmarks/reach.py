"""Four engines and three screens in; a table out: `python -m benchmarks.reach`.

Opening, frames of a pan and a zoom of the whole drawing and of single boxes, searching, unfolding,
and the memory of the canvases, in a headless Chromium. Run by hand, on a machine that does nothing
else: the load is printed, and `--page A.html B.html` compares pages in turn where there is some.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import make
from benchmarks.transformer import times, transformer
from engine_layer_visualize import read
from engine_layer_visualize.page import html

_SCREENS = (
    (1440, 900, 1),
    (390, 844, 3),
    (3840, 2160, 1),
)  # width, height, pixels in one of the page
_SMALL = Path(__file__).parents[1] / "fixtures" / "classic" / "8.0-centernet.log"
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
_HEADS = (
    *("engine", "screen", "file", "opens", "unfolds", "search"),
    *("whole: pan", "whole: zoom", "single boxes: pan", "canvases"),
)
_OPENED = "return performance.getEntriesByName('ready')[0]?.startTime ?? null"
_UNFOLD = """const began = performance.now(), folds = engineLayers.collapsed.size;
if (folds) { engineLayers.levels.collapse(new Set()); engineLayers.size(); }
return folds ? performance.now() - began : null"""
_SEARCH = """const began = performance.now(); engineLayers.search.set("conv time>0us");
const took = performance.now() - began; engineLayers.search.clear(); return took"""
_REST = "setTimeout(arguments[0], 1500)"
# Milliseconds between frames: of a pan to and fro, of a zoom in and out, of a pan of single boxes.
_FRAMES = """
const [what, done] = arguments, {cam} = engineLayers, gaps = [];
if (what === "near") cam.set(cam.drawing.width / 3, cam.drawing.height / 3, 1);
else cam.all(true);
setTimeout(() => {
  let last = performance.now();
  const step = (now) => {
    gaps.push(now - last);
    last = now;
    const n = gaps.length;
    if (what === "zoom") cam.zoomAt(n % 60 < 30 ? 1.03 : 1 / 1.03, cam.view.width / 3, 300);
    else cam.pan(n % 40 < 20 ? 12 : -12, n % 30 < 15 ? 7 : -7);
    n < 150 ? requestAnimationFrame(step) : done(gaps.slice(5));
  };
  requestAnimationFrame(step);
}, 1500);
"""
_MEMORY = """return [...document.querySelectorAll("canvas")]
  .reduce((sum, {width, height}) => sum + 4 * width * height, 0)"""


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, nargs="+", help="these, in place of the four engines")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="elv-reach-") as folder:
        found = [(one.name, one) for one in asked.page or ()] or list(_pages(Path(folder)))
        print(f"load {os.getloadavg()[0]:.1f}\n")
        print("| " + " | ".join(_HEADS) + " |")
        print("|---" * len(_HEADS) + "|")
        for screen in _SCREENS:
            for name, path in found:
                print(_row(name, path.resolve(), screen), flush=True)
        print(f"\nload {os.getloadavg()[0]:.1f}")


def _pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """The four engines, in pages."""
    logs: dict[str, list[Path]] = {"54 layers": [_SMALL, _SMALL.with_suffix(".profile.json")]}
    for count in (1_000, 20_000):
        log = make.listing_log(folder / f"{count}.log", make.network(count), make.OLD)
        logs[f"{count:,} layers"] = [
            log,
            make.profile(log.with_suffix(".json"), make.network(count)),
        ]
    log = make.listing_log(folder / "transformer.log", transformer())
    logs["5,000 layers, a transformer"] = [log, times(log.with_suffix(".json"), transformer())]
    for name, (log, profile) in logs.items():
        out = folder / f"{log.stem}.html"
        out.write_bytes(b"".join(html.pieces(read(log, profiles=[profile]).engines)))
        yield name, out


def _row(name: str, path: Path, screen: tuple[int, int, int]) -> str:
    width, height, ratio = screen
    driver = _driver()
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": False},
        )
        opened = []
        for _ in range(5):
            driver.get("about:blank")
            driver.get(path.as_uri())
            opened.append(driver.execute_script(_OPENED))
        unfolded = driver.execute_script(_UNFOLD)
        driver.execute_async_script(_REST)
        searched = [driver.execute_script(_SEARCH) for _ in range(5)]
        driver.execute_async_script(_REST)
        frames = [driver.execute_async_script(_FRAMES, what) for what in ("pan", "zoom", "near")]
        memory = driver.execute_script(_MEMORY)
    finally:
        driver.quit()
    cells = (
        name,
        f"{width} × {height}" + (f" × {ratio}" if ratio > 1 else ""),
        f"{path.stat().st_size / 1e6:.1f} MB",
        f"{median(opened):.0f} ms ({max(opened):.0f})",
        "" if unfolded is None else f"{unfolded:.0f} ms",
        f"{median(searched):.0f} ms",
        *(f"{median(gaps):.1f} / {sorted(gaps)[int(0.95 * len(gaps))]:.1f} ms" for gaps in frames),
        f"{memory / 1e6:.0f} MB",
    )
    return f"| {' | '.join(cells)} |"


def _driver() -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in _FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(120)
    return driver


if __name__ == "__main__":
    main()
