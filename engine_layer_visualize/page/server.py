"""Serves the site on which a log is dropped: 127.0.0.1 alone, to those who know its token.

The same files run in a browser alone, with a Python for browsers beside them (`web/build.py`), or
before this server, which runs the program in a child process for each tab; only `engine.js`
differs.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Final
from urllib.parse import unquote, urlsplit

from engine_layer_visualize.io import processes
from engine_layer_visualize.page import html

HOST: Final = "127.0.0.1"
NAMES: Final = ("index.html", "site.css", "site.js", "views.js", "given.js", "dom.js")
SERVED: Final = "engine.js"  # of the server
_GIVEN: Final = re.compile(r"/given/(\d{0,4})")  # all names, or one file
_ASKED: Final = re.compile(r"/asked/([\w-]{8,64})/(.*)", re.DOTALL)
_PART: Final = re.compile(r"[^/\\\0]{1,255}")  # of a path: a name of a file or a folder
_CHUNK: Final = 1 << 20
_LONGEST: Final = 1 << 20  # bytes of a question
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


def site_policy(web_assembly: bool) -> str:
    """Returns the site's policy: nothing from, and nothing to, another address than its own."""
    script, style = html.digests()  # of the pages that it shows in a frame
    more = " 'wasm-unsafe-eval'" if web_assembly else ""
    return (
        f"default-src 'none'; script-src 'self' '{script}'{more}; "
        f"style-src 'self' '{style}'; "
        f"font-src data:; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; "
        "frame-src blob:; base-uri 'none'; form-action 'none'"
    )


def site_file(name: str, web_assembly: bool = False) -> bytes:
    """Returns a file of the site. Raises KeyError for another name."""
    if name not in (*NAMES, SERVED):
        raise KeyError(name)
    text = (resources.files(__package__) / "files" / name).read_text("utf-8")
    return text.replace("[[policy]]", escape(site_policy(web_assembly))).encode()


class Server(ThreadingHTTPServer):
    """A server that is there until it is closed; `url` has its token."""

    daemon_threads = True

    def __init__(self, port: int, given: Sequence[Path], remark: Callable[[str], None]) -> None:
        """Takes a port, 0 for a free one.

        Args:
            port: at 127.0.0.1.
            given: Files that a new tab shows.
            remark: Takes a line about a request that failed.

        Raises:
            OSError: The port is not free.
        """
        self.given = given
        self._remark = remark
        self.token = secrets.token_urlsafe(24)
        self.tabs: dict[str, _Tab] = {}
        self.changes = threading.Lock()  # of `tabs`
        self._folder = tempfile.TemporaryDirectory(prefix="engine_layer_visualize.")
        super().__init__((HOST, port), _Handler)  # closes itself where the port is not free

    @property
    def url(self) -> str:
        """Its address. What stands after # is sent to no server."""
        return f"http://{HOST}:{self.server_port}/#{self.token}"

    def tab(self, name: str) -> _Tab:
        """Returns what a tab of the browser has given and asked."""
        with self.changes:
            if name not in self.tabs:
                self.tabs[name] = _Tab(Path(self._folder.name) / name)
            return self.tabs[name]

    def forget(self, name: str) -> None:
        """Ends what a tab has asked, and removes its files."""
        with self.changes:
            tab = self.tabs.pop(name, None)
        if tab is not None:
            tab.end()

    def handle_error(self, request: object, client_address: object) -> None:
        """Says in one line what failed; nothing where the other side has gone."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            self._remark(f"a request failed: {type(error).__name__}: {error!s:.200}")

    def server_close(self) -> None:
        """Ends all children, and removes all files."""
        super().server_close()
        for name in list(self.tabs):
            self.forget(name)
        self._folder.cleanup()


class _Tab:
    """The files of a tab, and the child that reads them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700)
        self._child: Popen[bytes] | None = None
        self._asking = threading.Lock()

    def path(self, path: str) -> Path:
        """Returns the place of a file. Raises ValueError for one that is not in the folder."""
        parts = unquote(path).split("/")
        place = self.folder.joinpath(*parts)
        odd = any(not _PART.fullmatch(part) or part in (".", "..") for part in parts)
        if odd or not place.is_relative_to(self.folder):  # `D:`, on Windows
            raise ValueError(f"not a path: {path:.200}")
        return place

    def answers(self, question: bytes) -> Iterator[bytes]:
        """Yields the lines that the child answers; the last is the answer."""
        with self._asking:
            child = self._started()
            assert child.stdin is not None and child.stdout is not None
            child.stdin.write(question.replace(b"\n", b" ") + b"\n")
            child.stdin.flush()
            for line in child.stdout:
                yield line
                if not line.startswith(b'{"read":'):
                    return

    def _started(self) -> Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            module = "engine_layer_visualize.commands.serve"
            words = [sys.executable, "-m", module, str(self.folder)]
            home = str(Path(__file__).parents[2])
            paths = [home, os.environ.get("PYTHONPATH", "")]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
            # Not in the folder of the files: Python imports what stands where `-m` begins.
            self._child = processes.start(words, cwd=home, env=environment, stdin=PIPE, stdout=PIPE)
        return self._child

    def end(self) -> None:
        """Ends the child, and removes the files."""
        if self._child is not None:
            processes.kill(self._child)
            self._child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version, sys_version = "engine_layer_visualize", ""
    default_request_version = "HTTP/1.0"  # else garbage is answered as HTTP/0.9, without a status

    def do_GET(self) -> None:
        """Gives a file of the site or of the example, or one that the program has written."""
        if self._is_foreign():
            return
        path = self._path()
        asked, given = _ASKED.fullmatch(path), _GIVEN.fullmatch(path)
        if (asked or given) and not self._is_allowed():
            return
        name = path.removeprefix("/") or "index.html"
        with self._told():
            if asked is not None:
                self._send(self.server.tab(asked[1]).path(asked[2]).read_bytes())
            elif given is not None:
                self._send(self._given(given[1]))
            elif name in (*NAMES, SERVED):
                self._send(site_file(name), _TYPES[Path(name).suffix])
            else:
                self._refuse(404, "there is no such file")

    def do_PUT(self) -> None:
        """Takes a file."""
        asked = self._asked()
        if asked is None or (left := self._length()) is None:
            return
        with self._told():
            path = self.server.tab(asked[1]).path(asked[2])
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb") as file:
                while left and (data := self.rfile.read(min(left, _CHUNK))):
                    file.write(data)
                    left -= len(data)
            if left:
                path.unlink()
                self._refuse(400, "the file was not sent whole")
            else:
                self._send(b"")

    def do_POST(self) -> None:
        """Answers a question, line by line."""
        asked = self._asked()
        if asked is None or (length := self._length()) is None:
            return
        question = self.rfile.read(min(length, _LONGEST))
        if len(question) < length:
            self._refuse(400, "the question is too long, or was not sent whole")
            return
        with self._told():
            answers = self.server.tab(asked[1]).answers(question)
            self._start(200, "application/jsonl")
            for line in answers:
                self.wfile.write(line)

    def do_DELETE(self) -> None:
        """Ends what a tab has asked, and removes its files."""
        asked = self._asked()
        if asked is not None:
            self.server.forget(asked[1])
            self._send(b"")

    def _given(self, number: str) -> bytes:
        """Returns a file that was named on the command line; without a number the names of all."""
        files = self.server.given
        if not number:
            return json.dumps([file.name for file in files]).encode()
        if int(number) >= len(files):
            raise ValueError("there is no such file")
        return files[int(number)].read_bytes()

    def _asked(self) -> re.Match[str] | None:
        """Returns the tab and the path of a request; None where it was refused."""
        if self._is_foreign() or not self._is_allowed():
            return None
        asked = _ASKED.fullmatch(self._path())
        if asked is None:
            self._refuse(404, "there is no such file")
        return asked

    def _path(self) -> str:
        try:
            return urlsplit(self.path).path
        except ValueError:  # such as `//[`
            return ""

    def _is_foreign(self) -> bool:
        """Refuses what was asked under another name, or by the page of another site."""
        hosts = [f"{name}:{self.server.server_port}" for name in (HOST, "localhost")]
        origin = self.headers.get("Origin")
        if self.headers.get("Host") in hosts and (
            origin is None or origin in [f"http://{host}" for host in hosts]
        ):
            return False
        self._refuse(403, "this server answers its own page alone")
        return True

    def _is_allowed(self) -> bool:
        """Refuses who does not know the token."""
        token = self.headers.get("X-Token", "")
        if hmac.compare_digest(token.encode(), self.server.token.encode()):
            return True
        self._refuse(403, "open the address that the command has printed, all of it")
        return False

    def _length(self) -> int | None:
        """Returns the bytes of a body; None where the request does not tell, and was refused."""
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not re.fullmatch("[0-9]{1,18}", length):
            self._refuse(411, "a request with a body must tell its Content-Length")
            return None
        return int(length)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Says what failed; not to a browser that asks no more."""
        try:
            yield
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except (OSError, ValueError) as error:
            with suppress(OSError):
                self._refuse(500, str(error))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuses what is no request that it knows."""
        self._refuse(code, message or "this is no request that the server knows")

    def _refuse(self, code: int, why: str) -> None:
        self.close_connection = True  # a body may follow that is not read
        self._start(code, "text/plain")
        self.wfile.write(why.encode("utf-8", "replace"))

    def _send(self, data: bytes, type: str = "application/octet-stream") -> None:
        self._start(200, type)
        self.wfile.write(data)

    def _start(self, code: int, type: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", type if "/octet" in type else f"{type}; charset=utf-8")
        policy = site_policy(web_assembly=False)
        self.send_header("Content-Security-Policy", f"{policy}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Is silent: the page says what fails."""
