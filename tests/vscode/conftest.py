"""The extension as it is packed: its process beside a Chromium that has its page."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from paths import ROOT
from web.conftest import Handler, Host, Site, chromium, demand, missing

HERE = Path(__file__).resolve().parent
BUILT = ROOT / "out" / "vscode" / "extension"
NODE = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
# As in the editor, the page and its files have different addresses.
_PAGE, _FILES = "page.localhost", "files.localhost"
# What VS Code puts into a page, and takes from it: here it keeps what the page says.
_EDITOR = """<script>
delete globalThis.parent;
delete globalThis.frameElement;
globalThis.said = [];
globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => said.push(message),
  setState: (state) => { globalThis.state = state; },
});
</script>"""


class _Files(Handler):
    """Gives the page under one name, its files under another."""

    server: Any

    def do_GET(self) -> None:  # noqa: N802
        asked = urlsplit(self.path)
        if asked.netloc == _PAGE:
            self.server.asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(self.server.page.encode())
            return
        # A worker gets no answer in the editor: what it runs is fetched by the page.
        imported = self.headers["Sec-Fetch-Dest"] != "empty"
        if asked.path.startswith("/web/") and imported and asked.path != "/web/engine.js":
            self.send_error(408)
            return
        if asked.netloc == _FILES:
            self.path = f"http://127.0.0.1:{self.server.server_port}{asked.path}"
        super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


class Tab(Site):
    """A tab of the editor: the extension's process, and the page to which its messages go."""

    def __init__(self, driver: Any, host: Host, files: tuple[Path, ...]) -> None:
        super().__init__(driver, host, Path())
        command = [
            str(NODE),
            str(HERE / "host.mjs"),
            str(BUILT),
            f"http://{_FILES}",
            *map(str, files),
        ]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.pieces: list[int] = []
        self.told: dict[str, Any] = {}  # the last that the extension said, by what it was about
        html = self._heard()["html"]
        assert html.index("Content-Security-Policy") > 0
        host.page = html.replace("<head>", f"<head>{_EDITOR}")  # type: ignore[attr-defined]
        driver.get(f"http://{_PAGE}/")

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the extension ended"
        heard: dict[str, Any] = json.loads(line)
        return heard

    def relay(self, wanted: str, seconds: float = 100) -> Any:
        """Takes messages to and fro, until the extension says what is wanted."""
        end = time.monotonic() + seconds
        assert self._process.stdin is not None
        while wanted not in self.told:
            assert time.monotonic() < end, self.js("return document.body.innerText")
            for message in self.js("return said.splice(0)"):
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
                heard = self._heard()
                self.told.update(heard)
                if post := heard.get("post"):
                    self._post(post)
            time.sleep(0.02)
        return self.told.pop(wanted)

    def _post(self, message: dict[str, Any]) -> None:
        if "bytes" in message:
            self.pieces.append(len(base64.b64decode(message["bytes"])))
        self.js(
            """const [message] = arguments;
            const { bytes } = message;
            if (bytes) message.bytes = Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0));
            postMessage(message, "*");""",
            message,
        )

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Tab]]:
    """`tab(FILE…)`: "Open as engine" on files."""
    words = missing() or ("" if BUILT.exists() else "not built: python editors/vscode/build.py")
    demand(words or ("" if NODE else "node not found: pip install -e '.[viewer]'"))
    host = Host(BUILT / "webview", _Files)
    with contextlib.ExitStack() as stack:
        stack.callback(host.server_close)
        stack.callback(host.shutdown)
        driver = chromium(host.url[:-1], tmp_path_factory.mktemp("saved"))
        stack.callback(driver.quit)

        def opened(*files: Path) -> Tab:
            made = Tab(driver, host, files)
            stack.callback(made.close)
            return made

        yield opened
