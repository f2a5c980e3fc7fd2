"""`serve`: the same site on this computer, for those who know its token, until Ctrl-C."""

from __future__ import annotations

import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import urlsplit

import pytest
from faults.conftest import until
from paths import FIXTURES, ROOT
from program import Capture

from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.page.server import _Tab
from web.conftest import kept_in

LOG = FIXTURES / "classic" / "8.4-two-engines.log"
TAB = "/asked/0123456789"


class Served:
    """A server of its own process."""

    def __init__(self, folder: Path, *more: str, **variables: str) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        words = [sys.executable, "-m", "engine_layer_visualize", "serve", *more]
        environment = {**os.environ, "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT)}
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(words, **pipes, env=environment | variables)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()  # before all else
        url = urlsplit(self.url)
        self.host, self.token = url.netloc, url.fragment

    def ask(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection(self.host, timeout=60)
        told = {"X-Token": self.token, **{key.replace("_", "-"): headers[key] for key in headers}}
        connection.request(method, path, body, told)
        response = connection.getresponse()
        return response.status, response.read(), response.headers

    def give(self, name: str, data: bytes) -> Any:
        """What is said of a file that a tab gives."""
        assert self.ask("PUT", f"{TAB}/given/1/{name}", data)[0] == 200
        look = json.dumps({"do": "look", "folder": "given/1", "names": [name]}).encode()
        return json.loads(self.ask("POST", f"{TAB}/", look)[1])

    @contextmanager
    def asked(self, *words: str) -> Iterator[socket.socket]:
        """A connection by which these words were asked to be run."""
        question = json.dumps({"do": "run", "words": words, "saved": False})
        head = f"POST {TAB}/ HTTP/1.0\r\nHost: {self.host}\r\nX-Token: {self.token}\r\n"
        host, port = self.host.split(":")
        with socket.create_connection((host, int(port))) as connection:
            length = f"Content-Length: {len(question)}\r\n\r\n"
            connection.sendall(f"{head}{length}{question}".encode())
            yield connection

    def run(self, *words: str, saved: bool) -> dict[str, object]:
        question = json.dumps({"do": "run", "words": words, "saved": saved}).encode()
        *progress, answer = self.ask("POST", f"{TAB}/", question)[1].decode().splitlines()
        assert all(json.loads(line).keys() == {"read", "of"} for line in progress)
        told: dict[str, object] = json.loads(answer)
        return told

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as server:
        yield server


@contextmanager
def shown(served: Served, saved: Path) -> Iterator[Any]:
    """Its page in a browser."""
    driver = kept_in(f"http://{served.host}", saved)
    try:
        driver.get(served.url)
        yield driver
    finally:
        driver.quit()


def test_files_are_gone_after_ctrl_c(served: Served, tmp_path: Path, capsys: Capture) -> None:
    assert served.host.startswith("127.0.0.1:")
    status, page, headers = served.ask("GET", "/")
    assert status == 200 and b"Drop a TensorRT build log" in page
    assert "connect-src 'self'" in headers["Content-Security-Policy"]
    assert "wasm" not in headers["Content-Security-Policy"]
    assert served.ask("GET", "/engine.js")[0] == 200
    told = served.give("build.log", LOG.read_bytes())
    assert told["kinds"] == {"build.log": "log"}
    assert set(told["formats"]) == {"draw", "layers", "table", "summary", "lint", "compare"}
    answer = served.run("build.log", "--format=dot", saved=True)
    assert (answer["code"], answer["files"]) == (0, ["EngineLayers_0.dot", "EngineLayers_1.dot"])
    (tmp_path / "build.log").write_bytes(LOG.read_bytes())
    assert main([str(tmp_path / "build.log"), "--output_dir", str(tmp_path)]) == 0
    made = served.ask("GET", f"{TAB}/{answer['folder']}/EngineLayers_1.dot")[1]
    assert made == (tmp_path / "EngineLayers_1.dot").read_bytes()
    capsys.readouterr()
    main(["summary", str(tmp_path / "build.log")])
    assert served.run("summary", "build.log", saved=False)["out"] == capsys.readouterr().out
    assert served.run("summary", "--nonsense", saved=False)["code"] == 2
    assert [path.name for path in served.temporary.glob("*/*")] == [TAB.split("/")[-1]]
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(30) == 130
    assert list(served.temporary.iterdir()) == []


def test_the_page_shows_files_that_were_named_in_the_browser_that_it_opens(tmp_path: Path) -> None:
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new; mv {opened}.new {opened}\n')
    browser.chmod(0o700)
    name = "log \N{LATIN SMALL LETTER E WITH ACUTE}&#?.log"
    (tmp_path / name).write_bytes(LOG.read_bytes())
    given = (str(tmp_path / name), "--open")
    with Served(tmp_path, *given, BROWSER=f"{browser} %s") as served:
        until(opened.exists)
        assert opened.read_text().strip() == served.url
        assert served.ask("GET", "/given/", X_Token="wrong")[0] == 403
        assert served.ask("GET", "/given/1")[0] == 500
        assert json.loads(served.ask("GET", "/given/")[1]) == [name]
        assert served.ask("GET", "/given/0")[1] == LOG.read_bytes()
        with shown(served, tmp_path / "saved") as driver:
            until(lambda: driver.find_elements("css selector", "#view iframe"))
            assert name in driver.find_element("id", "given").text


def test_tables_come_as_one_file_with_layers_first(served: Served) -> None:
    served.give("build.log", LOG.read_bytes())
    answer = served.run("table", "build.log", "--format=csv", saved=True)
    question = json.dumps({"do": "pack", "folder": answer["folder"]}).encode()
    path = json.loads(served.ask("POST", f"{TAB}/", question)[1])
    with zipfile.ZipFile(io.BytesIO(served.ask("GET", f"{TAB}/{path}")[1])) as packed:
        names = packed.namelist()
        assert packed.read("layers.csv").startswith(b"build_id,")
    assert names == answer["files"] and names[0] == "layers.csv" and "tensors.csv" in names


def test_a_log_that_is_dropped_on_the_page_is_compared_with_its_engine(tmp_path: Path) -> None:
    """Also: what the site says and shows beside it."""
    fp16, int8 = (FIXTURES / "comparison" / f"{name}.log" for name in ("fp16", "int8"))
    with Served(tmp_path, str(fp16)) as served, shown(served, tmp_path / "saved") as driver:
        until(lambda: driver.find_elements("css selector", "#view iframe"))
        driver.switch_to.frame(driver.find_element("css selector", "#view iframe"))
        until(lambda: driver.execute_script("return Boolean(globalThis.engineLayers?.engine)"))
        driver.execute_script(
            """const data = new DataTransfer();
            data.items.add(new File([arguments[0]], "int8.log"));
            dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));""",
            int8.read_text("utf-8"),
        )
        driver.switch_to.default_content()
        current = "return document.querySelector('#views [aria-current]')?.textContent"
        until(lambda: driver.execute_script(current) == "Compare")
        until(lambda: driver.execute_script("return document.getElementById('work').hidden"))
        assert driver.find_element("id", "status").text == ""  # no seconds, no memory
        until(lambda: driver.find_elements("css selector", "#view iframe"))
        driver.switch_to.frame(driver.find_element("css selector", "#view iframe"))
        until(lambda: "B is 1.57 × faster" in driver.find_element("tag name", "body").text)
        driver.switch_to.default_content()
        driver.find_element("css selector", "[data-view=Page]").click()
        until(lambda: driver.find_elements("css selector", "#view select"))
        radius = "return getComputedStyle(document.querySelector('#view select')).borderRadius"
        assert driver.execute_script(radius) == "6px"  # as a button's


def test_a_file_that_is_not_there_is_told_before_anything_is_served(capsys: Capture) -> None:
    assert main(["serve", "nowhere.log"]) == 2
    assert "no such file: nowhere.log" in capsys.readouterr().err


def test_it_answers_its_own_page_alone(served: Served, tmp_path: Path) -> None:
    for method in ("PUT", "POST", "DELETE", "GET"):
        assert served.ask(method, f"{TAB}/x", X_Token="wrong")[0] == 403
        assert served.ask(method, f"{TAB}/x", Origin="http://example.org")[0] == 403
        assert served.ask(method, f"{TAB}/x", Host="example.org")[0] == 403
    assert served.ask("GET", "/", Host=f"example.org:{served.host.split(':')[1]}")[0] == 403
    assert served.ask("PUT", f"{TAB}/x", Origin=f"http://{served.host}")[0] == 200
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for path in (
        "../../../secret",
        "%2e%2e/%2e%2e/%2e%2e/secret",
        f"/{secret}",
        "given/..%2f..%2f",
    ):
        status, body, _ = served.ask("GET", f"{TAB}/{path}")
        assert status == 500 and b"not a path" in body
        assert served.ask("PUT", f"{TAB}/{path}", b"x")[0] == 500
    assert secret.read_text() == "secret"
    assert served.ask("GET", "/", Host=f"localhost:{served.host.split(':')[1]}")[0] == 200
    for origin in ("null", f"https://{served.host}", "http://127.0.0.1:1"):
        assert served.ask("GET", "/", Origin=origin)[0] == 403
    assert served.ask("GET", "/server.py")[0] == 404
    assert served.ask("GET", "/asked/../server.py")[0] == 404


def _raw(served: Served, data: bytes) -> bytes:
    """Sends bytes, and nothing after them. Returns all that comes."""
    host, port = served.host.split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


@pytest.mark.parametrize(
    ("first", "headers", "body", "status"),
    [
        ("PUT {tab}/a.log HTTP/1.1", "Content-Length: 9", "four", 400),
        ("PUT {tab}/a.log HTTP/1.1", "Transfer-Encoding: chunked", "4\r\nfour\r\n0\r\n\r\n", 411),
        ("PUT {tab}/a.log HTTP/1.1", "", "four", 411),
        ("PUT {tab}/a.log HTTP/1.1", "Content-Length: -4", "four", 411),
        ("POST {tab}/ HTTP/1.1", "Content-Length: 90", "{}", 400),
        ("GET //[ HTTP/1.1", "", "", 404),
        ("\x01\x02 garbage", "", "", 400),
        ("\x16\x03\x01\x02", "", "", 400),
        ("BREW / HTTP/1.1", "", "", 501),
    ],
)
def test_a_bad_request(served: Served, first: str, headers: str, body: str, status: int) -> None:
    """One that is none, or not whole, is refused."""
    known = f"Host: {served.host}\r\nX-Token: {served.token}\r\n"
    end = "" if not headers else "\r\n"
    data = f"{first.format(tab=TAB)}\r\n{known}{headers}{end}\r\n{body}"
    answer = _raw(served, data.encode("latin-1"))
    assert answer.startswith(f"HTTP/1.0 {status} ".encode())
    assert b"frame-ancestors 'none'" in answer
    assert list(served.temporary.glob("**/a.log")) == []
    served.process.terminate()
    assert "Traceback" not in served.process.communicate()[1]


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_a_child_that_waits_ends_with_the_server(served: Served) -> None:
    served.give("a.log", b"log")
    (log,) = served.temporary.glob("*/*/given/1/a.log")
    log.unlink()
    os.mkfifo(log)
    with served.asked("summary", "a.log"), open(log, "wb"):  # it is open when the child reads it
        tasks = Path(f"/proc/{served.process.pid}/task")
        (child,) = {
            int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()
        }
        served.process.kill()
        until(lambda: not Path(f"/proc/{child}").exists())


def test_no_file_that_was_given_is_imported(served: Served) -> None:
    assert served.ask("PUT", f"{TAB}/json.py", b"raise SystemExit('imported')")[0] == 200
    assert served.run("--version", saved=False)["code"] == 0


def test_a_drive_of_windows_leads_nowhere(tmp_path: Path) -> None:
    tab = _Tab(tmp_path / "tab")
    assert tab.path("12:30.log") == tmp_path / "tab" / "12:30.log"
    tab.folder = PureWindowsPath("C:/tab")  # type: ignore[assignment]
    for path in ("D:/secret", "given/D:/secret"):
        with pytest.raises(ValueError, match="not a path"):
            tab.path(path)
    assert str(tab.path("given/1/build.log")) == r"C:\tab\given\1\build.log"


def test_a_tab_that_is_closed_ends_what_it_asked(served: Served) -> None:
    served.give("build.log", LOG.read_bytes() * 2_000)
    with served.asked("summary", "build.log") as connection:
        told = connection.recv(1 << 16)
        assert b"200" in told
        assert served.ask("DELETE", f"{TAB}/")[0] == 200
        while data := connection.recv(1 << 16):
            told += data
    assert b'"code":' not in told  # it was not answered
    assert list(served.temporary.glob("*/*")) == []


def test_a_port_that_is_taken_says_so(capsys: Capture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 4
    assert f"127.0.0.1:{port}" in capsys.readouterr().err
