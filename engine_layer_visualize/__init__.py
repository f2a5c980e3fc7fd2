"""Draws TensorRT engines from their VERBOSE build logs.

It holds the public names. A parser or a renderer is imported when it is used.

    import engine_layer_visualize as elv

    build = elv.read("build.log", profiles=["prof.json"])
    elv.draw(build.engines[0], "engine.svg")
"""

TYPE_CHECKING = False  # `typing` is not imported yet: Ctrl-C would print a traceback meanwhile
if TYPE_CHECKING:  # for type checkers: `X as X` makes a name public
    from engine_layer_visualize.analysis.told_extents import InputShape as InputShape
    from engine_layer_visualize.analysis.work import EngineWork as EngineWork
    from engine_layer_visualize.analysis.work import LayerWork as LayerWork
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
    from engine_layer_visualize.comparison.result import CauseTime as CauseTime
    from engine_layer_visualize.comparison.result import Difference as Difference
    from engine_layer_visualize.comparison.result import Group as Group
    from engine_layer_visualize.comparison.result import Rest as Rest
    from engine_layer_visualize.core import __version__ as __version__
    from engine_layer_visualize.core.build_info import IO as IO
    from engine_layer_visualize.core.build_info import Advised as Advised
    from engine_layer_visualize.core.build_info import BuildAttempt as BuildAttempt
    from engine_layer_visualize.core.build_info import Device as Device
    from engine_layer_visualize.core.build_info import DlaUse as DlaUse
    from engine_layer_visualize.core.build_info import EngineFacts as EngineFacts
    from engine_layer_visualize.core.build_info import Measure as Measure
    from engine_layer_visualize.core.build_info import Message as Message
    from engine_layer_visualize.core.build_info import Option as Option
    from engine_layer_visualize.core.build_info import Pass as Pass
    from engine_layer_visualize.core.build_info import Performance as Performance
    from engine_layer_visualize.core.build_info import Phase as Phase
    from engine_layer_visualize.core.build_info import PieceTime as PieceTime
    from engine_layer_visualize.core.build_info import Run as Run
    from engine_layer_visualize.core.build_info import Sources as Sources
    from engine_layer_visualize.core.build_info import Span as Span
    from engine_layer_visualize.core.build_info import TimingCache as TimingCache
    from engine_layer_visualize.core.build_info import Total as Total
    from engine_layer_visualize.core.build_info import Tuning as Tuning
    from engine_layer_visualize.core.build_info import Unassigned as Unassigned
    from engine_layer_visualize.core.build_info import Unjoined as Unjoined
    from engine_layer_visualize.core.layer_facts import Candidate as Candidate
    from engine_layer_visualize.core.layer_facts import Candidates as Candidates
    from engine_layer_visualize.core.layer_facts import InsideOperation as InsideOperation
    from engine_layer_visualize.core.layer_facts import LaunchedKernel as LaunchedKernel
    from engine_layer_visualize.core.layer_facts import LayerFacts as LayerFacts
    from engine_layer_visualize.core.layer_facts import Memory as Memory
    from engine_layer_visualize.core.layer_facts import RunnerCost as RunnerCost
    from engine_layer_visualize.core.layer_facts import RunSamples as RunSamples
    from engine_layer_visualize.core.layer_facts import Step as Step
    from engine_layer_visualize.core.model import Edge as Edge
    from engine_layer_visualize.core.model import EngineTime as EngineTime
    from engine_layer_visualize.core.model import Graph as Graph
    from engine_layer_visualize.core.model import InputRange as InputRange
    from engine_layer_visualize.core.model import Join as Join
    from engine_layer_visualize.core.model import Layer as Layer
    from engine_layer_visualize.core.model import Listing as Listing
    from engine_layer_visualize.core.model import ProfileRow as ProfileRow
    from engine_layer_visualize.core.model import ProfileShapes as ProfileShapes
    from engine_layer_visualize.core.model import ProfileTime as ProfileTime
    from engine_layer_visualize.core.model import Tensor as Tensor
    from engine_layer_visualize.core.model import Timing as Timing
    from engine_layer_visualize.core.onnx_model import JoinedModel as JoinedModel
    from engine_layer_visualize.core.onnx_model import ModelNode as ModelNode
    from engine_layer_visualize.core.onnx_model import OnnxEdge as OnnxEdge
    from engine_layer_visualize.core.onnx_model import OnnxModel as OnnxModel
    from engine_layer_visualize.core.onnx_model import OnnxProduct as OnnxProduct
    from engine_layer_visualize.core.options import Peak as Peak
    from engine_layer_visualize.core.problems import Place as Place
    from engine_layer_visualize.core.problems import Problem as Problem
    from engine_layer_visualize.core.problems import ReadError as ReadError
    from engine_layer_visualize.export.columns import Column as Column
    from engine_layer_visualize.export.tables import Table as Table
    from engine_layer_visualize.facts.subgraph import Stub as Stub
    from engine_layer_visualize.linting import findings as findings
    from engine_layer_visualize.linting.rules import Evidence as Evidence
    from engine_layer_visualize.linting.rules import Finding as Finding
    from engine_layer_visualize.linting.rules import Rule as Rule

# Where each public name is. Not `read`: a module of that name would hide the function.
_HOMES = {
    "analysis.told_extents": "InputShape",
    "analysis.work": "EngineWork LayerWork",
    "api.capture": "capture inspect",
    "api.compare": "Comparison Verdict compare gate snapshot",
    "api.draw": "draw",
    "api.engine": "Build Engine Summary View part summary work",
    "api.read": "iter_engines read",
    "commands.calling": "anonymise collect cut record",
    "comparison.result": "CauseTime Difference Group Rest",
    "core": "__version__",
    "core.build_info": (
        "Advised BuildAttempt Device DlaUse EngineFacts IO Measure Message Option Pass "
        "Performance Phase PieceTime Run Sources Span TimingCache Total Tuning "
        "Unassigned Unjoined"
    ),
    "core.layer_facts": (
        "Candidate Candidates InsideOperation LaunchedKernel LayerFacts Memory RunSamples "
        "RunnerCost Step"
    ),
    "core.model": (
        "Edge EngineTime Graph InputRange Join Layer Listing ProfileRow ProfileShapes "
        "ProfileTime Tensor Timing"
    ),
    "core.onnx_model": "JoinedModel ModelNode OnnxEdge OnnxModel OnnxProduct",
    "core.options": "Peak",
    "core.problems": "Place Problem ReadError",
    "export.columns": "Column",
    "export.tables": "Table",
    "facts.subgraph": "Stub",
    "linting": "findings",
    "linting.rules": "Evidence Finding Rule",
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
