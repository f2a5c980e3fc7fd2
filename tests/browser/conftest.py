"""A headless Chromium for the tests of the page, and pages to open in it."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import edited_engines as edited
import pytest
from compared import with_constants
from escaping import poison
from logtext import file_of
from paths import FIXTURES
from program import demand
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

import engine_layer_visualize as elv
from benchmarks import make
from browser import page_logs
from engine_layer_visualize import read
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.page import html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --disable-extensions "
    "--disable-ipc-flooding-protection"  # it throttles links that follow each other fast
)

_WITH_FACTS = ("estimates", "findings", "roofline", "box", "graph", "build", "reformats")


# Boxes inside of a group's frame that are not its own, and its own outside of it.
AMISS = """const {engine, folded, frames} = engineLayers, wrong = [];
    for (const [g, {members, owner, top, path}] of engine.groups.entries()) {
      const own = new Set((top ? [owner, ...members] : members).map((node) => folded.of[node]));
      const parts = frames.filter((frame) => frame.group === g);
      if (!parts.length) continue;
      for (let box = 0; box < folded.size; box++) {
        const [x, y] = [folded.x[box], folded.y[box] + folded.h[box] / 2];
        const inside = parts.some((f) => x > f.x && x < f.x + f.w && y > f.y && y < f.y + f.h);
        if (inside !== own.has(box)) wrong.push(`${path}: ${box}`);
      }
    }
    return wrong"""

Pages = Callable[[str], Path]  # a page by its name


class Page:
    """The page in a window, with words for what a person does in it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, fragment: str = "", ours: bool = True) -> Page:
        self.driver.get("about:blank")
        for name in ("browser", "performance"):
            self.driver.get_log(name)
        self.driver.get(path.as_uri() + fragment)
        if path.suffix == ".html" and ours:
            self.until(lambda: self.js("return document.documentElement.dataset.ready"))
        return self

    def sized(self, width: int, height: int, scheme: str = "light", ratio: float = 1) -> Page:
        """In a window of this size; a narrow one is a phone's. `ratio`: pixels of the screen in
        one. Nothing glides, which takes a seventh of the browser's time, unless a test says so."""
        self.media(scheme, "reduce")
        own = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", own)
        return self

    def media(self, scheme: str, motion: str) -> None:
        """What a user's system says of colours and motion."""
        wants = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
        wanted = [{"name": name, "value": value} for name, value in wants.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": wanted})

    def js(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def text(self, selector: str) -> str:
        return str(self.js("return document.querySelector(arguments[0]).textContent", selector))

    def press(self, keys: str) -> None:
        ActionChains(self.driver).send_keys(keys).perform()

    def click_layer(self, number: int) -> None:
        """Clicks where the canvas shows the layer's box, or the block that it is folded into."""
        self.pointer_on(number).click().perform()

    def pointer(self, x: float, y: float, canvas: str = "#drawing") -> Any:
        """A chain that begins with the pointer's way to a place of a canvas."""
        on = self.find(canvas)
        right, down = round(x) - on.size["width"] // 2, round(y) - on.size["height"] // 2
        return ActionChains(self.driver).move_to_element_with_offset(on, right, down)

    def pointer_on(self, layer: int, x: str = "folded.x[box]") -> Any:
        """The same to a layer's box, at this place across it."""
        place = self.js(
            f"""const {{folded, cam: {{view}}}} = engineLayers, box = folded.of[arguments[0]];
            return [({x} - view.x) * view.scale,
                    (folded.y[box] + folded.h[box] / 2 - view.y) * view.scale]""",
            layer,
        )
        return self.pointer(*place)

    def choose(self, id: str, value: str) -> None:
        """In a list, as a person does."""
        self.js(
            """const control = document.getElementById(arguments[0]); control.value = arguments[1];
            control.dispatchEvent(new Event("change"))""",
            id,
            value,
        )

    def wheel(self, down: int) -> None:
        """Turns the wheel above the drawing."""
        origin = ScrollOrigin.from_element(self.find("#drawing"))
        ActionChains(self.driver).scroll_from_origin(origin, 0, down).perform()

    def save_into(self, folder: Path) -> None:
        """Files that the page saves from now on."""
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
        )

    def listen(self) -> None:
        """What the page copies from now on goes into `copied`."""
        self.js("""window.copied = [];
            const writeText = (text) => (copied.push(text), Promise.resolve());
            Object.defineProperty(navigator, "clipboard", {value: {writeText}, configurable: true})
            """)

    def act(self, script: str, *arguments: object) -> None:
        """Runs a script, and waits until what it began is over."""
        self.js(script, *arguments)
        self.settle()

    def tap(self, keys: str) -> None:
        """Presses keys, and waits until what they began is over."""
        self.press(keys)
        self.settle()

    def settle(self) -> None:
        """Until glides, a search that waits for more letters (90 ms) and drawing are over."""
        self.driver.execute_async_script(
            """const [done] = arguments;
            const glides = !matchMedia("(prefers-reduced-motion: reduce)").matches;
            const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done()));
            setTimeout(drawn, glides ? 320 : 100);"""
        )

    def written(self) -> None:
        """Until the address says what is shown, of a search or a place, too."""
        self.settle()
        self.driver.execute_async_script(
            """const done = arguments[0];
            const look = () => (globalThis.engineLayers ?? comparison).address.waiting
                ? setTimeout(look, 20) : setTimeout(done, 20);
            look();"""
        )

    def until(self, condition: Callable[[], object]) -> None:
        """Waits at most 20 seconds."""
        end = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < end, self.js("return document.body.innerText")
            time.sleep(0.03)

    def travel(self, entries: int) -> None:
        """Back or forward in the history."""
        self.driver.execute_async_script(
            """addEventListener("popstate", () => setTimeout(arguments[1], 20), {once: true});
            history.go(arguments[0]);""",
            entries,
        )
        self.written()

    def complaints(self) -> list[str]:
        """Errors and warnings of the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """All addresses that were asked for, but for those inside the page."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return [url for url in found if not url.startswith(("data:", "blob:", "about:"))]


def chromium(*flags: str) -> Any:
    """A browser without a window, which saves files without a word."""
    wanted = {"chromium": CHROMIUM, "chromedriver": DRIVER}
    absent = " and ".join(name for name, path in wanted.items() if path is None)
    demand(absent and f"{absent} not found: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS.split(), "--window-size=1440,900", *flags):
        options.add_argument(flag)
    many = {"profile.default_content_setting_values.automatic_downloads": 1}
    options.add_experimental_option("prefs", many)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(60)
    return driver


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    driver = chromium("--force-color-profile=srgb")
    yield driver
    driver.quit()


@pytest.fixture
def page(driver: Any) -> Iterator[Page]:
    """A page that must not complain and must not ask for anything but its own file."""
    page = Page(driver)
    if driver.execute_script("return history.length") > 25:  # of 50, where Chromium drops entries
        old = driver.current_window_handle
        driver.switch_to.new_window("tab")
        new = driver.current_window_handle
        driver.switch_to.window(old)
        driver.close()
        driver.switch_to.window(new)
    page.sized(1440, 900)
    yield page
    page.js("try { localStorage.clear() } catch { /* the browser keeps nothing of this page */ }")
    assert page.complaints() == []
    assert [url for url in page.requests() if not url.startswith("file:///")] == []


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """`pages("small")`: the path of a page, made once, for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pages"
    own = folder / str(os.getpid())
    own.mkdir(parents=True)
    makers: dict[str, Callable[[Path], list[Path]]] = {
        "small": _fixture("classic/8.0-centernet.log"),
        "two": _fixture("classic/8.4-two-engines.log"),
        "untimed": _fixture("classic/8.5-host-prefixes.log"),
        "partial": _fixture("classic/8.5-new-descriptors.log"),
        # Times that are sums over an unknown number of runs.
        "summed": _fixture("inspector_json/torch-tensorrt.json", ".profile.trace"),
        "profiles": _profiles,
        "hostile": lambda out: _text(out, page_logs.hostile()),
        "findings": _findings,
        "short": lambda out: _timed(out, page_logs.short(64)),
        "roofline": _rooflined,
        "no-device": lambda out: _rooflined(out, False),
        "thousand": lambda out: _network(out, 1000),
        "thousand detailed": lambda out: _network(out, 1000, detailed=True),
        "largest": lambda out: _network(out, 20_000),
        "transformer": lambda out: _timed(out, page_logs.transformer(48, 4)),
        "encoder": lambda out: _timed(out, page_logs.transformer(4, 1)),
        "masked": lambda out: _text(out, page_logs.masked(48)),
        # A ForeignNode with three blocks inside: their names alone, and the model's graph.
        "box": _fixture("facts/10.5-blocks-in-one-box.log"),
        "graph": _fixture("facts/10.5-graph-in-one-box.log"),
        "build": _fixture("facts/8.6-runs.log"),
        "estimates": _estimates,
        "reformats": _fixture("facts/10.3-two-ways.log"),
    }

    def get(name: str) -> Path:
        out = folder / f"{name}.html"
        if not out.exists():
            log, *profiles = makers[name](own / name)
            engines = read(log, profiles=profiles, facts=name in _WITH_FACTS).engines
            page_of(engines, own / out.name).replace(out)  # another worker sees it whole
        return out

    return get


def page_of(engines: Iterable[Engine], out: Path) -> Path:
    """The file of the page of these engines."""
    out.write_bytes(b"".join(html.pieces(list(engines))))
    return out


def _estimates(out: Path) -> list[Path]:
    """A ForeignNode of which the log has the model's nodes and the builder's tables."""
    log = (FIXTURES / "facts" / "10.16-inside-foreign-node.log").read_text("utf-8")
    first, rest = log.split("\n", 1)
    flow = (("fc1", "Gemm", "x", "a"), ("relu1", "Relu", "a", "b"), ("fc2", "Gemm", "b", "y"))
    parsed = (
        f"[07/07/2026-02:11:09] [V] [TRT] {line}"
        for name, kind, reads, writes in flow
        for line in (
            f"Parsing node: {name} [{kind}]",
            f"{name} [{kind}] inputs: [{reads} -> (8, 64)[FLOAT16]], ",
            f"{name} [{kind}] outputs: [{writes} -> (8, 64)[FLOAT16]], ",
        )
    )
    return _text(out, "\n".join((first, *parsed, rest)))


def _fixture(name: str, times: str = ".profile.json") -> Callable[[Path], list[Path]]:
    log = FIXTURES / name
    profile = log.with_suffix(times)
    return lambda _: [log, *([profile] if profile.exists() else [])]


def _text(out: Path, text: str, profile: str = "") -> list[Path]:
    out.write_text(text, "utf-8", newline="\n")
    if not profile:
        return [out]
    return [out, file_of(out.parent, profile, f"{out.name}.json")]


def _network(out: Path, count: int, detailed: bool = False) -> list[Path]:
    layers = make.network(count)
    log = make.detailed_log(out, layers) if detailed else make.listing_log(out, layers, make.OLD)
    return [log, make.profile(out.with_suffix(".json"), make.network(count))]


def _profiles(out: Path) -> list[Path]:
    """Two optimisation profiles, both timed: of the second 4 ms, of the first a quarter of that."""
    listed = ["[V] [TRT] Engine Layer Information:"]
    rows: list[dict[str, object]] = [{"count": 10}]
    flow = ("CaskConvolution", "conv", 1, "Half"), ("Reformat", "move", 2, "Float")
    for number in (0, 1):
        of = f" [profile {number}]" if number else ""
        for kind, name, half, to in flow:
            reads, writes = f"t{half}{of}[Half(1,8)]", f"t{half + 1}{of}[{to}(1,8)]"
            listed.append(f"Layer({kind}): {name}{of}, Tactic: 5, {reads} -> {writes}")
            ms = (3.0 if name == "conv" else 1.0) if number else 0.5
            known = {"timeMs": 10 * ms, "averageMs": ms, "medianMs": ms / half}
            rows.append({"name": name + of, **known})
    return _text(out, "\n".join(listed) + "\n", json.dumps(rows))


def _findings(out: Path) -> list[Path]:
    lines = list(page_logs.findings())
    options = "[I] === Build Options ===\n[I] Precision: FP32+FP16\n"
    return _text(out, options + page_logs.log(lines), page_logs.profile(lines))


def _rooflined(out: Path, device: bool = True) -> list[Path]:
    return _text(out, page_logs.roofline(device), page_logs.roofline_times())


def _timed(out: Path, layers: Iterable[tuple[str, float]]) -> list[Path]:
    lines = list(layers)
    return _text(out, page_logs.log(lines), page_logs.profile(lines))


def _opened(name: str) -> Any:
    """A fixture: the page, with this engine open."""

    @pytest.fixture
    def opened(page: Page, pages: Pages) -> Page:
        return page.open(pages(name))

    return opened


small, encoder, findings, thousand = map(_opened, ("small", "encoder", "findings", "thousand"))
graph, box, largest, masked = map(_opened, ("graph", "box", "largest", "masked"))
partial, profiles, roofline, untimed = map(_opened, ("partial", "profiles", "roofline", "untimed"))


@pytest.fixture
def compared(page: Page, comparisons: Pages) -> Page:
    """The page, with the comparison of the fixtures open."""
    return page.open(comparisons("fixture"))


@pytest.fixture(scope="session")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """`comparisons("fixture")`: the path of a page, made once."""
    folder = tmp_path_factory.mktemp("comparisons")
    makers: dict[str, Callable[[], elv.Comparison]] = {
        "fixture": lambda: _of_logs(*PAIR),
        "rotated": _rotated,
        "thousand": _thousand,
        "untimed": _untimed,
        "hostile": lambda: elv.compare(poison.engine(), poison.engine()),
        "constants": lambda: elv.compare(with_constants(9), with_constants(1)),
        "long names": lambda: _of_logs(*(_long_named(log, folder) for log in PAIR)),
    }

    def get(name: str) -> Path:
        out = folder / f"{name}.html"
        if not out.exists():
            out.write_text(makers[name]().to("html"), "utf-8")
        return out

    return get


PAIR = [FIXTURES / "comparison" / name for name in ("fp16.log", "int8.log")]


def _long_named(log: Path, folder: Path) -> Path:
    name = f"resnet50_v1.5_batch32_{log.stem}_workspace4096_verbose_orin_agx_2026-07-07.log"
    return Path(shutil.copy(log, folder / name))


def _of_logs(*logs: Path) -> elv.Comparison:
    return elv.compare(*(elv.read(log, facts=True).engines[0] for log in logs))


def _rotated() -> elv.Comparison:
    """Of the second engine the first half runs last; one layer of each has no counterpart."""
    pieces = edited.fused(edited.residual(4, 6))
    half = len(pieces) // 2
    return _engines(pieces[1:], [*pieces[half:-1], *pieces[:half]])


def _engines(a: list[edited.Piece], b: list[edited.Piece]) -> elv.Comparison:
    return elv.compare(edited.engine(a)[0], edited.engine(b)[0])


def _thousand() -> elv.Comparison:
    pieces = edited.fused(edited.residual(5, 85))[:1000]
    random_ = random.Random(3)
    slower = [one._replace(ms=one.ms * random_.choice((0.4, 1, 1.3))) for one in pieces]
    return _engines(pieces, slower)


def _untimed() -> elv.Comparison:
    """Only the last layer runs another kernel."""
    engine = elv.read(FIXTURES / "classic" / "8.4-two-engines.log").engines[0]
    *others, last = engine.layers
    changed = last._replace(kernel="another", tactic="0x77")
    return elv.compare(engine, engine._replace(layers=(*others, changed)))
