"""Serves a page on this computer, on which logs and profiles are dropped, until Ctrl-C."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine_layer_visualize.commands import Report, flags
from engine_layer_visualize.commands.flags import READ, Group
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of

_SERVER: Final = Group("the server")


def _file(text: str) -> Path:
    """A file that is there. Raises ValueError."""
    path = Path(text)
    if not path.is_file():
        raise ValueError(f"no such file: {text:.200}")
    return path


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Options(flags.Options):
    """Where the server is, and what its page shows at once."""

    file: tuple[Path, ...] = READ.words("files that the page shows at once", type=_file)
    open: bool = _SERVER.switch("open the page in a browser")
    port: int = _SERVER.flag("at 127.0.0.1 (default: a free one)", "N", type=flags.port, default=0)


def run(options: Options, report: Report) -> None:
    """Serves until Ctrl-C. Raises ReadError where the port is not free."""
    from engine_layer_visualize.page.server import HOST, Server

    try:
        server = Server(options.port, options.file, report.remark)
    except OSError as error:
        message = f"cannot listen: {reason_of(error)}"
        raise ReadError(Problem(Place(f"{HOST}:{options.port}"), "ELV501", message)) from error
    try:
        report.page(server.url)
        report.remark("Ctrl-C ends it")
        if options.open and not webbrowser.open(server.url):
            report.remark("no browser could be opened: open that address in one")
        server.serve_forever()
    finally:
        server.server_close()
