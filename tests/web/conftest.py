"""A Chromium that reaches nothing but the site, and the site as `web/build.py` builds it."""

from __future__ import annotations

import functools
import http.server
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from browser.conftest import chromium
from paths import ROOT
from program import demand

BUILT = ROOT / "out" / "web"
# Chromium asks its maker for the time, for updates and more, whatever page is open.
_MAKER = (".google.com", ".googleapis.com", ".gvt1.com")
_SECONDS = 120.0  # that Python may take to start, where other tests run beside


class Host(http.server.ThreadingHTTPServer):
    """Serves a folder, and is the proxy of the browser: it sees all that is asked of anybody."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.asked: list[str] = []
        self.off = False  # whether nothing is answered, as without a network
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.SimpleHTTPRequestHandler):
    server: Host
    extensions_map: ClassVar = {  # type: ignore[misc]
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        **{".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"},
    }

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        asked = urlsplit(self.path)
        if self.server.off or asked.netloc not in ("", f"127.0.0.1:{self.server.server_port}"):
            self.send_error(502)
            return
        self.path = asked.path
        super().do_GET()

    def do_CONNECT(self) -> None:
        self.server.asked.append(f"https://{self.path}")
        self.send_error(502)

    def log_message(self, *_: object) -> None:
        pass


class Site:
    """The site in a window, with words for what a person does."""

    def __init__(self, driver: Any, host: Host, saved: Path) -> None:
        self.driver, self.host, self.saved = driver, host, saved

    def open(self) -> None:
        self.driver.get(self.host.url)

    def js(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def until(self, condition: str, *arguments: object) -> None:
        end = time.monotonic() + _SECONDS
        while not self.js(f"return Boolean({condition})", *arguments):
            assert time.monotonic() < end, (condition, self.js("return document.body.innerText"))
            time.sleep(0.03)

    def give(self, *files: Path) -> None:
        """Chooses files, and waits for the page of their engines, or for why there is none."""
        self.js("document.querySelector('#view').replaceChildren()")
        self.find("#files").send_keys("\n".join(map(str, files)))
        self.until("document.querySelector('#view > *') && document.querySelector('#work').hidden")

    def view(self, label: str) -> None:
        self.find(f'[data-view="{label}"]').click()
        shown = f"""document.querySelector('[data-view="{label}"][aria-current]')"""
        self.until(f"{shown} && document.querySelector('#work').hidden")
        self.until("document.querySelector('#view > *')")

    def save(self, part: str, format: str) -> dict[str, bytes]:
        """Saves a format of a part of "Save as"; the files that came."""
        for file in self.saved.iterdir():
            file.unlink(missing_ok=True)
        self.view("Save as")
        self.js(
            """const [part, format] = arguments;
            const section = [...document.querySelectorAll("#view section")]
                .find((each) => each.querySelector("h2").textContent === part);
            const buttons = [...section.querySelectorAll("button")];
            buttons.find((each) => each.textContent === format).click();
            document.querySelector("#view [role=status]").textContent = "waiting";""",
            part,
            format,
        )
        said = "document.querySelector('#view [role=status]').textContent"
        self.until(f"{said} !== 'waiting'")
        told = self.js(f"return {said}")
        count = int("Saved: " in told)
        end = time.monotonic() + 10
        while True:
            files = list(self.saved.iterdir())
            came = not any(file.suffix in (".crdownload", ".tmp") for file in files)
            if came and len(files) >= count:
                return {name: data for file in files for name, data in _unpacked(file)}
            assert time.monotonic() < end, (told, files)
            time.sleep(0.03)

    def strangers(self) -> list[str]:
        """All that was asked of other addresses than the site's."""
        ours = ("/", self.host.url)
        others = [url for url in self.host.asked if not url.startswith(ours)]
        hosts = [urlsplit(url).hostname or "" for url in others]
        return [host for host in hosts if not host.endswith(_MAKER)]


def kept_in(proxy: str, saved: Path) -> Any:
    """A Chromium that reaches nothing but what a proxy answers."""
    driver = chromium(f"--proxy-server={proxy}", "--proxy-bypass-list=<-loopback>")
    behaviour = {"behavior": "allow", "downloadPath": str(saved)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    return driver


def _unpacked(file: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a ZIP file, in its order; another file alone."""
    if file.suffix != ".zip":
        yield file.name, file.read_bytes()
        return
    with zipfile.ZipFile(file) as archive:
        yield from ((name, archive.read(name)) for name in archive.namelist())


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Site]]:
    """`start()`: a browser without anything that it has kept, and the site in it."""
    if not (BUILT / "service_worker.js").exists():
        demand("the site is not built: python web/build.py")
    drivers, hosts = [], []

    def started(folder: Path = BUILT) -> Site:
        host = Host(folder)
        saved = tmp_path_factory.mktemp("saved")
        hosts.append(host)
        drivers.append(kept_in(host.url[:-1], saved))
        return Site(drivers[-1], host, saved)

    yield started
    for driver in drivers:
        driver.quit()
    for host in hosts:
        host.shutdown()
        host.server_close()


@pytest.fixture(scope="session")
def opened(start: Callable[..., Site]) -> Site:
    """The site, open, for tests that only give it files."""
    site = start()
    site.open()
    return site


@pytest.fixture
def site(opened: Site) -> Iterator[Site]:
    """The open site, which must not complain, and must ask nobody else for anything."""
    opened.driver.get_log("browser")
    yield opened
    opened.driver.switch_to.default_content()
    assert [entry["message"] for entry in opened.driver.get_log("browser")] == []
    assert opened.strangers() == []
