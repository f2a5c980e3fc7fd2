"""Serves a page on this computer, on which logs and profiles are dropped, until Ctrl-C."""

import io
import json
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, Final

from engine_layer_visualize.commands import Report, cli, flags
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of

_SERVER: Final = flags.Group("the server")


def _file(text: str) -> Path:
    """A file that is there. Raises ValueError."""
    path = Path(text)
    if not path.is_file():
        raise ValueError(f"no such file: {text:.200}")
    return path


class Options(flags.Options):
    """Where the server is, and what its page shows at once."""

    file: tuple[Path, ...] = flags.READ.words("files that the page shows at once", type=_file)
    open: bool = _SERVER.switch("open the page in a browser")
    port: int = _SERVER.flag("at 127.0.0.1 (default: a free one)", "N", type=flags.port, default=0)


def run(options: Options, report: Report) -> None:
    """Serves until Ctrl-C. Raises ReadError where the port is not free."""
    import webbrowser  # slow to import

    from engine_layer_visualize.page.server import HOST, Server

    try:
        server = Server(options.port, options.file, report.remark)
    except OSError as error:
        message = f"cannot listen: {reason_of(error)}"
        raise ReadError(Problem(Place(f"{HOST}:{options.port}"), "ELV501", message)) from error
    with server:
        report.page(server.url)
        report.remark("Ctrl-C ends it")
        if options.open and not webbrowser.open(server.url):
            report.remark("no browser could be opened: open that address in one")
        server.serve_forever()


# ---- the session: it answers a page that cannot run the program itself ---------------------------

# A question and its answer are JSON objects. The page asks in a browser's Python (`web/worker.js`),
# or through a server of this computer, which asks a child process (`page.server`).

Told = Callable[[str], None]
# Formats that need a package, and what pip installs for it.
NEEDS: Final = {
    **dict.fromkeys(("png", "card"), ("resvg_py", "resvg-py fontpkg-ibm-plex-sans")),
    **dict.fromkeys(("parquet", "arrow"), ("pyarrow", "pyarrow")),
    "onnx": ("onnx", "onnx"),
    "xlsx": ("xlsxwriter", "xlsxwriter"),
}


class Session:
    """Answers questions about files. Its process works in the folder that was named last."""

    def __init__(self, made: str) -> None:
        self._home = Path.cwd()
        self._made = made  # the folder of all that is written
        self._runs = 0

    def answer(self, question: str, tell: Told) -> str:
        """Answers a question.

        Args:
            question: `{"do": "look", "folder", "names"}`: what the files of this folder are, and
                which formats can be written; `{"do": "run", "words", "saved"}`: a command line;
                `{"do": "pack", "folder"}`: the files of a folder that it wrote, as one.
            tell: Is given messages of progress, `{"read": bytes, "of": bytes or null}`.
        """
        asked = json.loads(question)
        if asked["do"] == "look":
            os.chdir(self._home / asked["folder"])
            shutil.rmtree(self._home / self._made, ignore_errors=True)  # of other files
            kinds = {name: _kind(name) for name in asked["names"]}
            return json.dumps({"kinds": kinds, "formats": _formats()})
        if asked["do"] == "pack":
            return json.dumps(self._packed(asked["folder"]))
        return json.dumps(self._run(asked["words"], asked["saved"], tell))

    def _packed(self, folder: str) -> str:
        """Packs the files of a folder into one ZIP file, and returns its path."""
        from zipfile import ZIP_DEFLATED, ZipFile

        packed = f"{folder}.zip"
        with ZipFile(self._home / packed, "w", ZIP_DEFLATED) as archive:
            for name in _files(self._home / folder):
                archive.write(self._home / folder / name, name)
        return packed

    def _run(self, words: Sequence[str], saved: bool, tell: Told) -> dict[str, Any]:
        """Runs a command line. `saved`: into files of a new folder."""
        self._runs += 1
        name = f"{self._made}/{self._runs}"
        folder = self._home / name
        folder.mkdir(parents=True)
        if saved:
            words = [*words, f"--output_dir={folder}"]

        def read(count: int, size: int | None) -> None:
            tell(json.dumps({"read": count, "of": size}))

        printed = [io.BytesIO(), io.BytesIO()]
        streams = [
            io.TextIOWrapper(each, "utf-8", "backslashreplace", write_through=True)
            for each in printed
        ]
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            try:
                code = cli.main(words, read)
            except MemoryError:  # of a browser, which gives Python 4 GiB at most
                code = 3
                streams[1].write("there is not enough memory to read this\n")
        out, err = (each.getvalue().decode("utf-8", "replace") for each in printed)
        return {
            "code": code,
            "out": out.replace(f"{folder}{os.sep}", ""),
            "err": err,
            "folder": name,
            "files": _files(folder),
        }


def _kind(name: str) -> str:
    """Returns what a file is: log, times, runs (times of iterations), model."""
    from engine_layer_visualize.reading import file_kinds

    if file_kinds.is_model(name):
        return "model"
    if file_kinds.has_times_of_runs(name):
        return "runs"
    return "times" if file_kinds.has_times_alone(name) else "log"


def _formats() -> dict[str, dict[str, str]]:
    """Returns the formats of each command, and of those that lack packages how to get these."""
    from engine_layer_visualize.api import draw

    return {
        command: {format: _lacks(format) for format in formats}
        for command, formats in (
            ("draw", draw.DRAWINGS),
            ("layers", draw.LAYERS),
            ("table", draw.TABLES),
            ("summary", draw.REPORTS),
            ("lint", draw.LINTS),
            ("compare", draw.COMPARISONS),
        )
    }


def _lacks(format: str) -> str:
    """Returns how to install the package without which a format is not written; else empty."""
    package, packages = NEEDS.get(format, ("", ""))
    return "" if not package or find_spec(package) else f"pip install {packages}"


def _files(folder: Path) -> list[str]:
    """Returns the files of a folder, the table of layers first."""
    names = [str(file.relative_to(folder)) for file in folder.rglob("*.*")]
    return sorted(names, key=lambda name: (not Path(name).name.startswith("layers"), name))


def _end_with_server() -> None:
    """Ends this process when the other end of stdin is closed, whatever it waits for."""
    ends = select.poll()
    ends.register(sys.stdin.fileno(), select.POLLHUP)
    ends.poll()
    os.kill(os.getpid(), signal.SIGKILL)


def _serve(made: str) -> None:
    """Answers the lines of stdin on stdout, until stdin ends."""
    if hasattr(select, "poll"):  # not on Windows
        Thread(target=_end_with_server, daemon=True).start()
    answers = sys.stdout.buffer

    def tell(message: str) -> None:
        answers.write(message.encode() + b"\n")
        answers.flush()

    session = Session(made)
    for line in sys.stdin.buffer:
        tell(session.answer(line.decode(), tell))


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    _serve("made")
