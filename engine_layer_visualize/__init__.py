"""Draws TensorRT engines from their VERBOSE build logs.

takes: nothing
gives: the public names
never: imports a parser or a renderer before it is used

    import engine_layer_visualize as elv

    build = elv.read("build.log", profiles=["prof.json"])
    elv.draw(build.engines[0], "engine.svg")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine_layer_visualize.errors import Place, Problem, ReadError
    from engine_layer_visualize.knowledge import EngineFacts, LayerFacts
    from engine_layer_visualize.model import Build, Edge, Engine, Graph, Layer, Tensor, Timing
    from engine_layer_visualize.reading import iter_engines, read
    from engine_layer_visualize.view import View, part
    from engine_layer_visualize.writers import draw

__version__ = "0.1.0"

_HOMES = {
    "errors": ("Place", "Problem", "ReadError"),
    "knowledge": ("EngineFacts", "LayerFacts"),
    "model": ("Build", "Edge", "Engine", "Graph", "Layer", "Tensor", "Timing"),
    "reading": (
        "iter_engines",
        "read",
    ),  # not `read`: a module of that name would hide the function
    "view": ("View", "part"),
    "writers": ("draw",),
}

__all__ = [
    "Build",
    "Edge",
    "Engine",
    "EngineFacts",
    "Graph",
    "Layer",
    "LayerFacts",
    "Place",
    "Problem",
    "ReadError",
    "Tensor",
    "Timing",
    "View",
    "draw",
    "iter_engines",
    "part",
    "read",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
