"""The extension itself: a path in; graphs, and data of nodes, as Model Explorer's own values out.

The one module that imports the package `model_explorer`, which imports this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from model_explorer import (
    Adapter,
    AdapterMetadata,
    GetConfigEditorsResult,
    ModelExplorerGraphs,
    NodeDataProvider,
    NodeDataProviderFilter,
    NodeDataProviderMetadata,
    NodeDataProviderResult,
    config_editor,
    node_data_builder,
)
from model_explorer.graph_builder import (
    Graph,
    GraphNode,
    GraphNodeStyle,
    IncomingEdge,
    KeyValue,
    MetadataItem,
)

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.outputs.exchange import explorer_files, explorer_graph
from engine_layer_visualize.outputs.file_names import shown

_ID: Final = "tensorrt_engine"
_ENDS: Final = ["log", "txt", "gz", "xz", "zst"]
_PROFILE: Final = "profile_file"
_ICONS: Final = {"latency": "timer", "memory": "memory", "precision": "straighten"}


class EngineAdapter(Adapter):  # type: ignore[misc]
    """Reads a VERBOSE build log: a graph for each engine."""

    metadata = AdapterMetadata(
        id=_ID,
        name="TensorRT engine",
        description="The engines of a VERBOSE build log of TensorRT",
        fileExts=_ENDS,
    )

    def convert(self, model_path: str, settings: dict[str, Any]) -> ModelExplorerGraphs:
        """The engines of the log at `model_path`."""
        engines = _engines(model_path)
        return {"graphs": [_graph(explorer_graph.graph(Costs(engine))) for engine in engines]}


class EngineNodeData(NodeDataProvider):  # type: ignore[misc]
    """Times, memory and precisions of the layers, by which nodes are coloured."""

    metadata: ClassVar[list[NodeDataProviderMetadata]] = [
        NodeDataProviderMetadata(
            id=f"{_ID}_{what}",
            name=f"TensorRT {what}",
            description=f"The {what} of each layer",
            icon=icon,
            filter=NodeDataProviderFilter(adapterIds=[_ID]),
        )
        for what, icon in _ICONS.items()
    ]

    def get_config_editors(self, provider_id: str) -> GetConfigEditorsResult:
        """Of latency: where the profile is."""
        if not provider_id.endswith("latency"):
            return GetConfigEditorsResult(configEditors=[])
        words = "The file of trtexec --exportProfile; empty: what the log itself says"
        asked = config_editor.TextInputConfigEditor(id=_PROFILE, label="Profile", description=words)
        return GetConfigEditorsResult(configEditors=[asked])

    def run(
        self,
        provider_id: str,
        model_path: str,
        graph_id: str,
        config_values: dict[str, Any],
        graph: Graph | None,
    ) -> NodeDataProviderResult:
        """Of the graph's engine."""
        profiles = [path for path in [config_values.get(_PROFILE)] if path]
        try:
            engines = _engines(model_path, profiles)
        except elv.ReadError as error:
            return NodeDataProviderResult(error=str(error))
        for engine in engines:
            if explorer_graph.id_of(engine) == graph_id:
                return NodeDataProviderResult(result=_data(engine, provider_id.rpartition("_")[2]))
        return NodeDataProviderResult(error=f"no engine of {model_path} is {graph_id}")


def _engines(log: str, profiles: Sequence[str] = ()) -> list[elv.Engine]:
    """With the log's name alone: the web page shows it."""
    return [shown(engine, False) for engine in elv.read(log, profiles, facts=True).engines]


def _graph(told: explorer_graph.Json) -> Graph:
    values: Any = told
    return Graph(
        id=values["id"],
        nodes=[_node(node) for node in values["nodes"]],
        groupNodeAttributes=values["groupNodeAttributes"],
    )


def _node(told: Any) -> GraphNode:
    made = {
        "attrs": [KeyValue(**pair) for pair in told["attrs"]],
        "incomingEdges": [IncomingEdge(**edge) for edge in told["incomingEdges"]],
        "inputsMetadata": [_item(one) for one in told["inputsMetadata"]],
        "outputsMetadata": [_item(one) for one in told["outputsMetadata"]],
        "style": GraphNodeStyle(**told["style"]),
    }
    return GraphNode(**(told | made))


def _item(told: Any) -> MetadataItem:
    return MetadataItem(id=told["id"], attrs=[KeyValue(**pair) for pair in told["attrs"]])


def _data(engine: Engine, what: str) -> Any:
    told: Any = explorer_files.data(Costs(engine), what)
    results = {
        node: node_data_builder.NodeDataResult(**value) for node, value in told["results"].items()
    }
    stops = [node_data_builder.GradientItem(**stop) for stop in told.get("gradient", ())]
    return node_data_builder.GraphNodeData(results=results, name=told["name"], gradient=stops)
