"""A file of times, whatever its format.

takes: a path
gives: the `Profile`s in it, and problems
never: gives a time to a layer; that is the join's
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source

# Names of modules, in the order in which they are tried.
PROFILES: Final = (
    "chrome_trace",
    "trex_metadata",
    "trtexec_json",
    "trtexec_table",
    "name_ms_text",
)


class _ProfileFormat(Protocol):
    def sniff(self, text: str) -> bool: ...

    def read(self, text: str, file: str) -> tuple[list[Profile], list[Problem]]: ...


def read(path: str | Path) -> tuple[list[Profile], list[Problem]]:
    """All profiles of one file, told apart by content. Raises ReadError."""
    source = Source(path)
    text = source.text()
    for name in PROFILES:
        kind: _ProfileFormat = import_module(f"{__name__}.{name}")
        if kind.sniff(text):
            profiles, problems = kind.read(text, source.name)
            return profiles, [*source.problems, *problems]
    what = (
        "empty"
        if not text.strip()
        else "neither JSON, nor a printed table, nor `name: 0.1ms` lines"
    )
    raise ReadError(Problem(Place(source.name, 1), "ELV201", f"no profile: {what}"))
