"""Opens the site on which a log is dropped, from the installed package and without a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.commands import Report, flag_values, flags
from engine_layer_visualize.commands.flags import Group
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of

ABOUT: Final = (
    "Prints an address of this computer: on its page drop logs and profiles, to see what the other "
    "commands make of them. It serves this computer alone, until Ctrl-C."
)
EXAMPLES: Final = ("", "--port 8080")
EXIT_CODES: Final = {2: "wrong usage", 4: "the port is not free", 130: "Ctrl-C"}
_SERVER: Final = Group("the server")


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Where the server is."""

    port: int = _SERVER.flag(
        "the port at 127.0.0.1 (default: one that is free)", "N", type=flag_values.port, default=0
    )


def run(options: Options, report: Report) -> None:
    """Serves until Ctrl-C. Raises ReadError where the port is not free."""
    from engine_layer_visualize.site.server import HOST, Server

    try:
        server = Server(options.port)
    except OSError as error:
        message = f"cannot listen: {reason_of(error)}"
        raise ReadError(Problem(Place(f"{HOST}:{options.port}"), "ELV501", message)) from error
    try:
        report.page(server.url)
        report.remark("Ctrl-C ends it")
        server.serve_forever()
    finally:
        server.server_close()
