"""The site in a browser: what it gives is what the command line gives, and nothing leaves it."""

import contextlib
import gzip
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from browser import page_logs
from browser.conftest import Page
from escaping import poison
from paths import FIXTURES, ROOT
from program import Patch

from benchmarks import make
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import cli, serve

# Of each kind of input one; a log with its times; two engines; names as in other countries.
_GIVEN = [
    ("classic/8.0-centernet.log", "classic/8.0-centernet.profile.json"),
    ("classic/8.4-two-engines.log",),
    ("classic/8.5-host-prefixes.log",),
    ("classic/10-nsight.log", "classic/10-nsight.profile.csv"),
    ("comparison/fp16.log",),
    ("facts/8.6-runs.log",),
    ("facts/10.5-graph-in-one-box.log", "facts/10.5-graph-in-one-box.profile.json"),
    ("facts/10.16-inside-foreign-node.log",),
    ("inspector_json/torch-tensorrt.json", "inspector_json/torch-tensorrt.profile.trace"),
    ("broken/info-level.log",),
]


def of_command_line(words: list[str], folder: Path, monkeypatch: Any) -> dict[str, bytes]:
    monkeypatch.chdir(folder)
    out = folder / "out"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        cli.main([*words, f"--output_dir={out}"])
    return {path.name: path.read_bytes() for path in out.glob("*")}


@pytest.mark.parametrize("names", _GIVEN, ids=lambda names: Path(names[0]).stem)
def test_the_json(names: tuple[str, ...], site: Any, tmp_path: Path, monkeypatch: Patch) -> None:
    """It is the command line's."""
    files = [Path(shutil.copy(FIXTURES / name, tmp_path)) for name in names]
    wanted = of_command_line([*(one.name for one in files), "--format=json"], tmp_path, monkeypatch)
    site.give(*files)
    assert site.save("The engine", "json") == wanted
    assert bool(wanted) == (names != ("broken/info-level.log",))


def test_all_formats_are_saved_but_those_that_say_what_they_need(site: Any, tmp_path: Path) -> None:
    site.give(*(FIXTURES / name for name in _GIVEN[0]))
    site.view("Save as")
    parts = site.js(
        """return [...document.querySelectorAll("#view section")].map((part) =>
            [part.querySelector("h2").textContent,
             [...part.querySelectorAll("button")].map((each) => each.textContent)])"""
    )
    empty = [
        (title, format) for title, formats in parts for format in formats
        if not any(site.save(title, format).values())
    ]  # fmt: skip
    assert empty == []
    assert {title: len(formats) for title, formats in parts} == {
        "The engine": len({*draw.DRAWINGS} - {*serve.NEEDS}),
        "Tables": len({*draw.TABLES} - {*serve.NEEDS}) + 1,  # xlsx is there
        "Layers": len(draw.LAYERS),
        "Summary": len(draw.REPORTS),
        "Findings": len(draw.LINTS),
    }
    lacking = site.js("return document.querySelector('#view details pre').textContent").split("\n")
    formats = {words.rpartition("--format=")[2] for words in lacking}
    assert formats == {*serve.NEEDS} - {"xlsx"}
    assert all("pip install " in words for words in lacking)


def test_two_logs_are_compared_and_times_are_added(site: Any, tmp_path: Path) -> None:
    folder = FIXTURES / "comparison"
    site.give(folder / "fp16.log", folder / "int8.log")
    site.view("Compare")
    site.driver.switch_to.frame(site.find("iframe"))
    site.until("document.body.textContent.includes('B is 1.57 × faster')")
    site.driver.switch_to.default_content()
    log, times = (FIXTURES / name for name in _GIVEN[0])
    site.give(log)
    site.give(times)  # no log among them: they are added
    site.view("Summary")
    site.until("document.querySelector('#view pre').textContent.includes('54 of 54 layers timed')")
    assert "8.0-centernet.log 8.0-centernet.profile.json" in site.find(".command").text


def test_packed_logs_notebooks_and_names_like_flags_are_read(site: Any, tmp_path: Path) -> None:
    log = FIXTURES / "classic" / "8.4-two-engines.log"
    for name, pack in (("-log.log.gz", gzip.compress), ("a b'ü.log.zst", zstandard.compress)):
        packed = tmp_path / name
        packed.write_bytes(pack(log.read_bytes()))
        site.give(packed)
        assert {*site.save("The engine", "dot")} == {"EngineLayers_0.dot", "EngineLayers_1.dot"}


def test_what_is_no_log_says_so(site: Any, tmp_path: Path) -> None:
    for name, data, words in (
        ("empty.log", b"", "empty"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG picture, not a log"),
        ("model.onnx", b"\x08\x07\x12\x07pytorch" + bytes(99), "pip install onnx, then --onnx"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        site.give(path)
        assert words in site.js("return document.querySelector('main').innerText"), name


def test_hostile_names_do_nothing(site: Any, tmp_path: Path) -> None:
    log = tmp_path / "<img src=x onerror=window.pwned=1>.json"
    log.write_text(poison.inspector_json(), "utf-8")
    for file in (log, tmp_path / "hostile.log"):
        if not file.exists():
            file.write_text(page_logs.hostile(), "utf-8")
        site.give(file)
        frame = site.find("iframe")
        assert "allow-same-origin" not in frame.get_attribute("sandbox")
        site.driver.switch_to.frame(frame)
        site.until("globalThis.engineLayers")
        assert site.js("return [window.pwned === undefined, document.images.length]") == [True, 0]
        site.driver.switch_to.default_content()
        for view in ("Lint", "Summary", "Save as"):
            site.view(view)
        assert site.js("return [window.pwned === undefined, document.images.length]") == [True, 0]


def test_stop_and_a_second_drop_end_what_is_read(site: Any, tmp_path: Path) -> None:
    large = make.listing_log(tmp_path / "large.log", make.network(60_000), make.OLD)
    site.js("document.querySelector('#view').replaceChildren()")
    site.find("#files").send_keys(str(large))
    site.until("document.querySelector('#status').textContent.startsWith('Reading: ')")
    site.find("#stop").click()
    site.until("document.querySelector('#status').textContent === 'Stopped.'")
    site.find("#files").send_keys(str(large))
    site.until("document.querySelector('#status').textContent.startsWith('Reading: ')")
    log = FIXTURES / "classic" / "8.4-two-engines.log"
    site.find("#files").send_keys(str(log))
    site.until("document.querySelector('iframe')")
    assert {*site.save("The engine", "dot")} == {"EngineLayers_0.dot", "EngineLayers_1.dot"}


def test_where_memory_ends_it_names_the_command_and_begins_anew(site: Any) -> None:
    site.give(FIXTURES / "classic" / "8.4-two-engines.log")
    site.js(
        """const plain = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function ({ id }) {
            Worker.prototype.postMessage = plain;
            this.onmessage({ data: { id, failed: "RangeError: out of memory" } });
        };"""
    )
    site.find('[data-view="Lint"]').click()
    site.until("!document.querySelector('#wrong').hidden")
    said = site.find("#wrong").text
    assert "python -m engine_layer_visualize lint 8.4-two-engines.log" in said
    assert "RangeError: out of memory" in said
    site.view("Summary")  # the program that was started anew has the files
    assert "Engine 1 of 8.4-two-engines.log" in site.find("#view").text


def test_a_phone_and_a_keyboard(site: Any) -> None:
    metrics = {"width": 375, "height": 700, "deviceScaleFactor": 1, "mobile": True}
    site.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        site.open()
        assert site.js("return document.documentElement.scrollWidth") <= 375
        focused = []
        for _ in range(3):
            Page(site.driver).press("\ue004")  # Tab
            focused.append(site.js("return document.activeElement.id"))
        assert focused[:2] == ["files", "example"]
        site.find("#example").send_keys("\ue007")  # Enter
        site.until("document.querySelector('iframe')")
        assert site.js("return document.documentElement.scrollWidth") <= 375
        site.find('[data-view="Lint"]').send_keys("\ue007")
        site.until("document.querySelector('#view pre')")
        assert site.js("return document.documentElement.scrollWidth") <= 375
    finally:
        site.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_docs_give_files_to_the_site(start: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "web").symlink_to(ROOT / "out" / "web")
    (tmp_path / "_static").symlink_to(ROOT / "docs" / "static")
    raw = (ROOT / "docs" / "index.md").read_text("utf-8").split("```{raw} html\n")[1]
    (tmp_path / "index.html").write_text("<!doctype html>" + raw.split("```")[0], "utf-8")
    site = start(tmp_path)
    site.open()
    assert not any("web/" in asked for asked in site.host.asked), "nothing is loaded before"
    log, times = (FIXTURES / name for name in _GIVEN[0])
    site.find("input").send_keys(f"{log}\n{times}")
    site.driver.switch_to.frame(site.find("dialog iframe"))
    site.until("document.querySelector('#view iframe')")
    assert "8.0-centernet.profile.json times" in site.find("#given").text
    site.driver.switch_to.default_content()
    site.find("dialog button").click()
    site.until("!document.querySelector('dialog')")
    assert site.strangers() == []
    said = [entry["message"] for entry in site.driver.get_log("browser")]
    assert [message for message in said if "favicon" not in message] == []


def test_the_second_visit_needs_no_network(start: Callable[..., Any]) -> None:
    site = start()
    log = FIXTURES / "classic" / "8.0-centernet.log"
    site.open()
    site.give(log)
    paths = [asked.partition(site.host.url)[2] for asked in site.host.asked]
    large = [path for path in paths if path.startswith(("pyodide/", "wheels/"))]
    assert len(large) == len({*large})  # nothing is loaded twice
    site.host.off = True
    site.open()
    assert site.find(".drop").is_displayed()
    site.give(log)
    assert site.find("iframe").is_displayed()
    # The policy keeps workers like the program's from asking others: the proxy sees nothing.
    refused = site.driver.execute_async_script(
        """const done = arguments[0];
        const work = `fetch("http://example.org/").then(() => postMessage("asked"),
            (error) => postMessage(error.message))`;
        const blob = new Blob([work], {type: "text/javascript"});
        const worker = new Worker(URL.createObjectURL(blob), {type: "module"});
        worker.onmessage = ({data}) => done(data);"""
    )
    assert refused == "Failed to fetch"
    assert site.strangers() == []


@pytest.mark.parametrize(
    "refusing",
    [
        "navigator.serviceWorker.register = () => Promise.reject(new Error('no storage'))",
        "Object.defineProperty(Navigator.prototype, 'serviceWorker',"
        " { get() { throw new Error('no storage'); } });",
        "delete Navigator.prototype.serviceWorker",
    ],
)
def test_a_browser_that_keeps_nothing_loads_it(refusing: str, start: Callable[..., Any]) -> None:
    site = start()
    script = {"source": refusing}
    site.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
    site.open()
    site.give(FIXTURES / "classic" / "8.0-centernet.log")
    assert site.find("iframe").is_displayed()


def test_without_web_assembly_it_says_what_to_run(start: Callable[..., Any]) -> None:
    site = start()
    script = {"source": "delete globalThis.WebAssembly"}
    site.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
    site.open()
    site.find("#files").send_keys(str(FIXTURES / "classic" / "8.0-centernet.log"))
    site.until("!document.querySelector('#wrong').hidden")
    assert "python -m engine_layer_visualize serve" in site.find("#wrong").text
