"""Draws TensorRT engines from their VERBOSE build logs.

It holds the public names. A parser or a renderer is imported when it is used.

    import engine_layer_visualize as elv

    build = elv.read("build.log", profiles=["prof.json"])
    elv.draw(build.engines[0], "engine.svg")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.subgraph import View, part
    from engine_layer_visualize.core.build_info import EngineFacts, LayerFacts
    from engine_layer_visualize.core.model import Edge, Graph, Layer, Tensor, Timing
    from engine_layer_visualize.core.problems import Place, Problem, ReadError
    from engine_layer_visualize.display import Build, Engine
    from engine_layer_visualize.outputs import draw
    from engine_layer_visualize.pipeline import iter_engines, read

__version__ = "1.0.0rc1"

# Not `read`: a module of that name would hide the function.
_HOMES = {
    "analysis.subgraph": ("View", "part"),
    "core.build_info": ("EngineFacts", "LayerFacts"),
    "core.model": ("Edge", "Graph", "Layer", "Tensor", "Timing"),
    "core.problems": ("Place", "Problem", "ReadError"),
    "display": ("Build", "Engine"),
    "outputs": ("draw",),
    "pipeline": ("iter_engines", "read"),
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
