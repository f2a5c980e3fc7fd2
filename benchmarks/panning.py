"""Milliseconds of a frame of the page, as JSON: idle, and while it is panned at four scales.

One page per process, in a headless Chromium of 1440 x 900.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from statistics import median

# The frames of a pan at four scales, from the whole drawing to single boxes, and of no pan at all.
_FRAMES = """
const done = arguments[arguments.length - 1], {cam} = engineLayers, all = [];
engineLayers.levels.collapse(new Set());
(async () => {
  for (const scale of [null, 0, 0.1, 0.4, 1]) {
    if (scale === 0) cam.all(true);
    else if (scale) cam.set(cam.drawing.width / 3, cam.drawing.height / 3, scale);
    const frames = [];
    let last = performance.now();
    await new Promise((over) => {
      const step = (now) => {
        frames.push(now - last);
        last = now;
        const n = frames.length;
        if (scale !== null) cam.pan(n % 40 < 20 ? 12 : -12, n % 30 < 15 ? 7 : -7);
        n < 60 ? requestAnimationFrame(step) : over();
      };
      requestAnimationFrame(step);
    });
    all.push(frames.slice(5));
  }
  done(all);
})();
"""
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,900")


def main(path: str) -> str:
    """Medians of `idle` and of the slowest scale, `pan`."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in _FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(120)
        driver.get(Path(path).resolve().as_uri())
        idle, *pans = map(median, driver.execute_async_script(_FRAMES))
    finally:
        driver.quit()
    return json.dumps({"idle": idle, "pan": max(pans)})


if __name__ == "__main__":
    print(main(sys.argv[1]))
