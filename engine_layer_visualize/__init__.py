"""Draws TensorRT engines from their VERBOSE build logs.

It holds the public names. A parser or a renderer is imported when it is used.

    import engine_layer_visualize as elv

    build = elv.read("build.log", profiles=["prof.json"])
    elv.draw(build.engines[0], "engine.svg")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.work import EngineWork, LayerWork
    from engine_layer_visualize.capturing import capture, inspect
    from engine_layer_visualize.comparing import Comparison, compare
    from engine_layer_visualize.comparison.result import CauseTime, Difference, Group, Rest
    from engine_layer_visualize.core.build_info import (
        IO,
        Advised,
        BuildAttempt,
        Candidate,
        Candidates,
        Device,
        EngineFacts,
        LayerFacts,
        Memory,
        Message,
        Option,
        Pass,
        Phase,
        PieceTime,
        RunnerCost,
        Sparsity,
        Step,
        TimingCache,
        Total,
        Tuning,
        Unassigned,
        Unjoined,
    )
    from engine_layer_visualize.core.build_timeline import BuildTimeline, Moment
    from engine_layer_visualize.core.model import (
        Edge,
        EngineTime,
        Graph,
        InputRange,
        Join,
        Layer,
        Listing,
        ProfileRow,
        ProfileShapes,
        ProfileTime,
        Tensor,
        Timing,
    )
    from engine_layer_visualize.core.onnx_model import JoinedModel, ModelNode, OnnxModel
    from engine_layer_visualize.core.onnx_product import OnnxEdge, OnnxProduct
    from engine_layer_visualize.core.peak import Peak
    from engine_layer_visualize.core.performance import Measure, Performance, Run
    from engine_layer_visualize.core.problems import Place, Problem, ReadError
    from engine_layer_visualize.core.run_samples import LaunchedKernel, RunSamples
    from engine_layer_visualize.core.sources import Sources, Span
    from engine_layer_visualize.display import Build, Engine
    from engine_layer_visualize.display.answers import Summary, View, part, summary, work
    from engine_layer_visualize.fleet.dataset import Dataset, DatasetTable, dataset
    from engine_layer_visualize.gating import Verdict, gate
    from engine_layer_visualize.linting import findings
    from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
    from engine_layer_visualize.pipeline import iter_engines, read
    from engine_layer_visualize.tables.schema import Column
    from engine_layer_visualize.tables.table import Table
    from engine_layer_visualize.views.subgraph import RoutedEdge, Stub
    from engine_layer_visualize.writers import draw

__version__ = "1.0.0rc1"

# Where each public name is. Not `read`: a module of that name would hide the function.
_HOMES = {
    "comparison.result": "CauseTime Difference Group Rest",
    "linting": "findings",
    "linting.finding": "Evidence Finding Rule",
    "views.subgraph": "RoutedEdge Stub",
    "analysis.work": "EngineWork LayerWork",
    "display.answers": "Summary View part summary work",
    "capturing": "capture inspect",
    "core.build_info": (
        "Advised BuildAttempt Candidate Candidates Device EngineFacts IO LayerFacts Memory Message "
        "Option Pass Phase PieceTime RunnerCost Sparsity Step "
        "TimingCache Total Tuning Unassigned Unjoined"
    ),
    "core.build_timeline": "BuildTimeline Moment",
    "core.model": (
        "Edge EngineTime Graph InputRange Join Layer Listing ProfileRow ProfileShapes ProfileTime "
        "Tensor Timing"
    ),
    "core.onnx_model": "JoinedModel ModelNode OnnxModel",
    "core.performance": "Measure Performance Run",
    "core.onnx_product": "OnnxEdge OnnxProduct",
    "core.peak": "Peak",
    "core.sources": "Sources Span",
    "core.problems": "Place Problem ReadError",
    "core.run_samples": "LaunchedKernel RunSamples",
    "comparing": "Comparison compare",
    "display": "Build Engine",
    "fleet.dataset": "Dataset DatasetTable dataset",
    "gating": "Verdict gate",
    "writers": "draw",
    "tables.schema": "Column",
    "tables.table": "Table",
    "pipeline": "iter_engines read",
}

__all__ = [
    "IO",
    "Advised",
    "Build",
    "BuildAttempt",
    "BuildTimeline",
    "Candidate",
    "Candidates",
    "CauseTime",
    "Column",
    "Comparison",
    "Dataset",
    "DatasetTable",
    "Device",
    "Difference",
    "Edge",
    "Engine",
    "EngineFacts",
    "EngineTime",
    "EngineWork",
    "Evidence",
    "Finding",
    "Graph",
    "Group",
    "InputRange",
    "Join",
    "JoinedModel",
    "LaunchedKernel",
    "Layer",
    "LayerFacts",
    "LayerWork",
    "Listing",
    "Measure",
    "Memory",
    "Message",
    "ModelNode",
    "Moment",
    "OnnxEdge",
    "OnnxModel",
    "OnnxProduct",
    "Option",
    "Pass",
    "Peak",
    "Performance",
    "Phase",
    "PieceTime",
    "Place",
    "Problem",
    "ProfileRow",
    "ProfileShapes",
    "ProfileTime",
    "ReadError",
    "Rest",
    "RoutedEdge",
    "Rule",
    "Run",
    "RunSamples",
    "RunnerCost",
    "Sources",
    "Span",
    "Sparsity",
    "Step",
    "Stub",
    "Summary",
    "Table",
    "Tensor",
    "Timing",
    "TimingCache",
    "Total",
    "Tuning",
    "Unassigned",
    "Unjoined",
    "Verdict",
    "View",
    "capture",
    "compare",
    "dataset",
    "draw",
    "findings",
    "gate",
    "inspect",
    "iter_engines",
    "part",
    "read",
    "summary",
    "work",
]


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
