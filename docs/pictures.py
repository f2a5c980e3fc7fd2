"""Draws the committed pictures of README.md and of the pages: `python docs/pictures.py`.

It needs the extra `render`, Pillow, selenium and Chromium with its driver. The GIF shows an encoder
of twelve layers that is made here, in the builder's syntax; the page's clock is this script's, so
that each frame is a moment of the page's own movement. Look at each picture afterwards.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize import draw, read

DOCS: Final = Path(__file__).resolve().parent
LOG: Final = DOCS.parent / "fixtures" / "classic" / "8.0-centernet.log"
BROWSER: Final = (
    *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
    *("--virtual-time-budget=2000", "--window-size=1440,860"),
)


def page(target: Path) -> None:
    """Writes the interactive page of the engine that README.md shows."""
    draw(read(LOG, LOG.with_suffix(".profile.json")).engines[0], target)


def _stills(work: Path) -> None:
    """Draws the engine, and the window of a browser with its page; with 256 colours, a third."""
    from PIL import Image

    drawn, shot = work / "centernet.png", work / "viewer.png"
    draw(read(LOG, LOG.with_suffix(".profile.json")).engines[0], drawn)
    page(work / "page.html")
    words = (*BROWSER, f"--screenshot={shot}", (work / "page.html").as_uri())
    subprocess.run(words, stderr=subprocess.DEVNULL, check=True)
    for made in (drawn, shot):
        with Image.open(made) as picture:
            few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(DOCS / made.name, optimize=True)


# ---- the GIF -----------------------------------------------------------------------------------

BLOCKS: Final = 12
SIZE: Final = (880, 560)
COLORS: Final = 64
FRAME_MS: Final = 40
CARD_REST: Final = 60  # frames of the card
MOVES: Final = 16  # frames of a movement
STEP_MS: Final = 20  # of the page's time in each: movements are seen at half of their speed
_V: Final = "[07/02/2026-03:47:09] [V] [TRT] "
# Nodes of an encoder layer: name, operator, what it reads; `x` is what the layer reads.
_NODES: Final = (
    ("attention/query/MatMul", "MatMul", ("x",)),
    ("attention/key/MatMul", "MatMul", ("x",)),
    ("attention/value/MatMul", "MatMul", ("x",)),
    ("attention/scores/MatMul", "MatMul", ("attention/query/MatMul", "attention/key/MatMul")),
    ("attention/Softmax", "Softmax", ("attention/scores/MatMul",)),
    ("attention/context/MatMul", "MatMul", ("attention/Softmax", "attention/value/MatMul")),
    ("attention/output/MatMul", "MatMul", ("attention/context/MatMul",)),
    ("Add", "Add", ("attention/output/MatMul", "x")),
    ("norm/LayerNormalization", "LayerNormalization", ("Add",)),
    ("mlp/up/MatMul", "MatMul", ("norm/LayerNormalization",)),
    ("mlp/Gelu", "Gelu", ("mlp/up/MatMul",)),
    ("mlp/down/MatMul", "MatMul", ("mlp/Gelu",)),
    ("Add_1", "Add", ("mlp/down/MatMul", "norm/LayerNormalization")),
)
# The page's time goes on when `tick` is called.
_CLOCK: Final = """
let now = 0, next = 1;
const waiting = new Map();
performance.now = () => now;
requestAnimationFrame = (call) => (waiting.set(next, call), next++);
cancelAnimationFrame = (id) => waiting.delete(id);
window.tick = (ms) => {
  now += ms;
  const calls = [...waiting.values()];
  waiting.clear();
  for (const call of calls) call(now);
};
"""
# What is done one after the other, and for how many frames its result is looked at.
_ACTS: Final = (
    ("const {engine} = engineLayers; engineLayers.levels.collapse("
     "new Set(engine.groups.map((_, group) => group)));", 30),
    ("engineLayers.levels.unfold(0);", 30),
    ("const group = engineLayers.engine.groups.findIndex(({path}) => path.endsWith('layer.1'));"
     "engineLayers.levels.toggleGroup(group); engineLayers.cam.all();", 40),
    ("engineLayers.levels.collapse(new Set());", 40),
)  # fmt: skip


def log() -> str:
    """Returns the log of the encoder."""
    lines = [f"{_V}Adding network input: tokens with dtype: float32, dimensions: (1, 384, 768)"]
    names: list[str] = []
    x = "tokens"
    for number in range(BLOCKS):
        around = f"/encoder/layer.{number}/"
        for name, operator, read_by in _NODES:
            inputs = [x if one == "x" else f"{around}{one}_output" for one in read_by]
            names.append(f"{around}{name}")
            lines += _parsed(names[-1], operator, inputs)
        x = f"{names[-1]}_output"
    foreign = f"{{ForeignNode[{names[0]}...{names[-1]}]}}"
    metadata = "".join(f"[ONNX Layer: {name}]" for name in names)
    lines += (
        f"{_V}Marking {x} as output: {x}",
        f"{_V}=============== Computing costs for {foreign}",
        f"{_V}ForeignNode {foreign} metadata: {metadata}",
        f"{_V}--------------- Timing Runner: {foreign} (Myelin[0x80000023])",
        f"{_V}Tactic: 0x0000000000000000 Time: 3.25",
        f"{_V}{foreign} (Myelin[0x80000023]) profiling completed in 1 seconds. "
        "Fastest Tactic: 0x0000000000000000 Time: 3.25",
        f"{_V}>>>>>>>>>>>>>>> Chose Runner Type: Myelin Tactic: 0x0000000000000000",
        f"{_V}Engine generation completed in 1 seconds.",
        f"{_V}Engine Layer Information:",
        f"Layer(Myelin): {foreign}, Tactic: 0x0000000000000000, "
        f"tokens (Half[1,384,768]) -> {x} (Half[1,384,768])",
    )
    return "\n".join(lines) + "\n"


def _parsed(name: str, operator: str, inputs: list[str]) -> Iterator[str]:
    """Yields what the parser says of a node."""
    shape = "(1, 384, 768)[FLOAT]]"
    yield f"{_V}Parsing node: {name} [{operator}]"
    yield from (f"{_V}Searching for input: {one}" for one in inputs)
    told = ", ".join(f"[{one} -> {shape}" for one in inputs)
    yield f"{_V}{name} [{operator}] inputs: {told}, "
    yield f"{_V}Registering layer: {name} for ONNX node: {name}"
    yield f"{_V}Registering tensor: {name}_output for ONNX tensor: {name}_output"
    yield f"{_V}{name} [{operator}] outputs: [{name}_output -> {shape}, "


def frames(page: Path) -> Iterator[tuple[bytes, int]]:
    """Yields pictures of the page, and for how many frames each is shown."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    driver: Any = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _CLOCK})
        size = {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(page.as_uri())
        driver.set_script_timeout(20)
        driver.execute_async_script(
            "const done = arguments[0];"
            "const {dataset} = document.documentElement;"
            "const look = () => dataset.ready ? done() : setTimeout(look, 20);"
            "look();"
        )
        for number, (script, rest) in enumerate(_ACTS):
            driver.execute_script(script)
            for _ in range(MOVES if number else 0):
                driver.execute_script(f"tick({STEP_MS})")
                yield driver.get_screenshot_as_png(), 1
            driver.execute_script("for (let n = 0; n < 9; n++) tick(500)")
            yield driver.get_screenshot_as_png(), rest
    finally:
        driver.quit()


def _gif(target: Path) -> None:
    """Writes the GIF of the page: a grey box unfolds into a network, whose card comes last."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "encoder.log"
        source.write_text(log(), "utf-8")
        page = Path(name) / "encoder.html"
        engine = read(source, facts=True).engines[0]
        draw(engine, page)
        shot = [(Image.open(io.BytesIO(data)).convert("RGB"), rest) for data, rest in frames(page)]
        card = Image.open(draw(engine, source.with_suffix(".card.png"))).convert("RGB")
    tall = round(SIZE[0] * card.height / card.width)
    last = Image.new("RGB", SIZE, card.getpixel((0, 0)))
    last.paste(card.resize((SIZE[0], tall)), (0, (SIZE[1] - tall) // 2))
    shot.append((last, CARD_REST))
    both = Image.new("RGB", (SIZE[0], 2 * SIZE[1]))  # the first and the last have all colours
    for number in (0, -1):
        both.paste(shot[number][0], (0, SIZE[1] * -number))
    palette = both.quantize(COLORS)
    pictures: list[tuple[Any, int]] = []
    for picture, rest in shot:
        drawn = picture.quantize(palette=palette, dither=Image.Dither.NONE)
        if pictures and drawn.tobytes() == pictures[-1][0].tobytes():
            pictures[-1] = drawn, pictures[-1][1] + rest
        else:
            pictures.append((drawn, rest))
    first, *others = (picture for picture, _ in pictures)
    times = [FRAME_MS * rest for _, rest in pictures]
    first.save(target, save_all=True, append_images=others, duration=times, loop=0, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        _stills(Path(name))
    _gif(DOCS / "unfold.gif")
