"""Gives Model Explorer the graphs of a log as its own values.

This module and `node_data` are the only ones that import the package `model_explorer`, which
imports this one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from model_explorer import Adapter, AdapterMetadata, graph_builder

from engine_layer_visualize.adapters.model_explorer.engines import ID, engines
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.exchange import explorer_graph

_ENDS: Final = ["log", "txt", "gz", "xz", "zst"]


class EngineAdapter(Adapter):  # type: ignore[misc]
    """Reads a VERBOSE build log: a graph for each engine."""

    metadata = AdapterMetadata(
        id=ID,
        name="TensorRT engine",
        description="The engines of a VERBOSE build log of TensorRT",
        source_repo="",
        fileExts=_ENDS,
    )

    def convert(self, model_path: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The engines of the log at `model_path`. Raises ReadError where it holds none."""
        graphs = [explorer_graph.graph(Costs(engine)) for engine in engines(model_path)]
        return {"graphs": [_graph(graph) for graph in graphs]}


def _graph(told: explorer_graph.Json) -> Any:
    values: Any = told
    return graph_builder.Graph(
        id=values["id"],
        nodes=[_node(node) for node in values["nodes"]],
        groupNodeAttributes=values["groupNodeAttributes"],
    )


def _node(told: Any) -> Any:
    made = {
        "attrs": _pairs(told["attrs"]),
        "incomingEdges": [graph_builder.IncomingEdge(**edge) for edge in told["incomingEdges"]],
        "inputsMetadata": [_item(item) for item in told["inputsMetadata"]],
        "outputsMetadata": [_item(item) for item in told["outputsMetadata"]],
        "style": graph_builder.GraphNodeStyle(**told["style"]),
    }
    return graph_builder.GraphNode(**(told | made))


def _item(told: Any) -> Any:
    return graph_builder.MetadataItem(id=told["id"], attrs=_pairs(told["attrs"]))


def _pairs(told: Any) -> list[Any]:
    return [graph_builder.KeyValue(**pair) for pair in told]


with suppress(ImportError):  # old versions of the package have no providers of node data
    from engine_layer_visualize.adapters.model_explorer import node_data  # noqa: F401
