"""Draws TensorRT engines from their VERBOSE build logs.

It holds the public names. A parser or a renderer is imported when it is used.

    import engine_layer_visualize as elv

    build = elv.read("build.log", profiles=["prof.json"])
    elv.draw(build.engines[0], "engine.svg")
"""

TYPE_CHECKING = False  # `typing` is not imported yet: Ctrl-C would print a traceback meanwhile
if TYPE_CHECKING:  # for type checkers: `X as X` makes a name public
    from engine_layer_visualize.api.capture import capture as capture
    from engine_layer_visualize.api.capture import inspect as inspect
    from engine_layer_visualize.api.compare import Comparison as Comparison
    from engine_layer_visualize.api.compare import Verdict as Verdict
    from engine_layer_visualize.api.compare import compare as compare
    from engine_layer_visualize.api.compare import gate as gate
    from engine_layer_visualize.api.compare import snapshot as snapshot
    from engine_layer_visualize.api.draw import draw as draw
    from engine_layer_visualize.api.engine import Build as Build
    from engine_layer_visualize.api.engine import Engine as Engine
    from engine_layer_visualize.api.engine import Summary as Summary
    from engine_layer_visualize.api.engine import View as View
    from engine_layer_visualize.api.engine import part as part
    from engine_layer_visualize.api.engine import summary as summary
    from engine_layer_visualize.api.engine import work as work
    from engine_layer_visualize.api.read import iter_engines as iter_engines
    from engine_layer_visualize.api.read import read as read
    from engine_layer_visualize.commands.calling import anonymise as anonymise
    from engine_layer_visualize.commands.calling import collect as collect
    from engine_layer_visualize.commands.calling import cut as cut
    from engine_layer_visualize.commands.calling import record as record
    from engine_layer_visualize.core import __version__ as __version__
    from engine_layer_visualize.core.build_info import EngineFacts as EngineFacts
    from engine_layer_visualize.core.layer_facts import LayerFacts as LayerFacts
    from engine_layer_visualize.core.model import Edge as Edge
    from engine_layer_visualize.core.model import EngineTime as EngineTime
    from engine_layer_visualize.core.model import Graph as Graph
    from engine_layer_visualize.core.model import Layer as Layer
    from engine_layer_visualize.core.model import Tensor as Tensor
    from engine_layer_visualize.core.model import Timing as Timing
    from engine_layer_visualize.core.problems import Place as Place
    from engine_layer_visualize.core.problems import Problem as Problem
    from engine_layer_visualize.core.problems import ReadError as ReadError
    from engine_layer_visualize.linting import findings as findings
    from engine_layer_visualize.linting.rules import Finding as Finding

# Where each public name is. Not `read`: a module of that name would hide the function.
_HOMES = {
    "api.capture": "capture inspect",
    "api.compare": "Comparison Verdict compare gate snapshot",
    "api.draw": "draw",
    "api.engine": "Build Engine Summary View part summary work",
    "api.read": "iter_engines read",
    "commands.calling": "anonymise collect cut record",
    "core": "__version__",
    "core.build_info": "EngineFacts",
    "core.layer_facts": "LayerFacts",
    "core.model": "Edge EngineTime Graph Layer Tensor Timing",
    "core.problems": "Place Problem ReadError",
    "linting": "findings",
    "linting.rules": "Finding",
}

__all__ = sorted(name for names in _HOMES.values() for name in names.split())


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names.split():
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
