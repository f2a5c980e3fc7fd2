"""Renames the files of an engine as outputs show them: without their folders.

These say where the author works and nothing of the engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.text import base_name

AnyEngine = TypeVar("AnyEngine", bound=Engine)


def shown(engine: AnyEngine, full_paths: bool) -> AnyEngine:
    """The engine with the names of its files as an output shows them."""
    return engine if full_paths else renamed(engine, base_name)


def tails(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of files without folders, but for those that tell one from another."""
    parts = [_parts(path) for path in paths]
    names = []
    for parts_of_path in parts:
        others = [other for other in parts if other != parts_of_path]
        depth = 1
        while depth < len(parts_of_path) and any(
            other[-depth:] == parts_of_path[-depth:] for other in others
        ):
            depth += 1
        names.append(parts_of_path[-depth:])
    return names


def _parts(path: str) -> tuple[str, ...]:
    """The folders and the name."""
    if path == "-":
        return ("stdin",)
    return PurePath(os.path.abspath(path).replace("\\", "/")).parts


def renamed(engine: AnyEngine, name: Callable[[str], str]) -> AnyEngine:
    """The engine with other names of its files: of the log, and of the profile."""
    join = engine.profile
    return replace(
        engine,
        source=replace(engine.source, file=name(engine.source.file)),
        also=tuple(replace(other, file=name(other.file)) for other in engine.also),
        profile=join and replace(join, file=name(join.file)),
        onnx=engine.onnx and engine.onnx._replace(file=name(engine.onnx.file)),
        problems=tuple(
            replace(problem, place=replace(problem.place, file=name(problem.place.file)))
            for problem in engine.problems
        ),
    )
