"""A file of times, whatever its format.

takes: a path
gives: the `Profile`s in it, and problems
never: gives a time to a layer; that is the join's
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Protocol

from engine_layer_visualize.dialects import PROFILES
from engine_layer_visualize.errors import Place, Problem, ReadError
from engine_layer_visualize.model import Profile
from engine_layer_visualize.source import Source


class _ProfileFormat(Protocol):
    def sniff(self, text: str) -> bool: ...

    def read(self, text: str, file: str) -> tuple[list[Profile], list[Problem]]: ...


def read(path: str | Path) -> tuple[list[Profile], list[Problem]]:
    """All profiles of one file, told apart by content. Raises ReadError."""
    source = Source(path)
    text = source.text()
    for name in PROFILES:
        kind: _ProfileFormat = import_module(f"engine_layer_visualize.dialects.{name}")
        if kind.sniff(text):
            profiles, problems = kind.read(text, source.name)
            return profiles, [*source.problems, *problems]
    what = (
        "empty"
        if not text.strip()
        else "neither JSON, nor a printed table, nor `name: 0.1ms` lines"
    )
    raise ReadError(Problem(Place(source.name, 1), "ELV201", f"no profile: {what}"))
