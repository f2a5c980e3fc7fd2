"""Gives Model Explorer the times, memory and precisions of the layers as its own values."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from model_explorer import (
    GetConfigEditorsResult,
    NodeDataProvider,
    NodeDataProviderFilter,
    NodeDataProviderMetadata,
    NodeDataProviderResult,
    config_editor,
    node_data_builder,
)

from engine_layer_visualize.adapters.model_explorer.engines import ID, engines
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.exchange import explorer_files, explorer_graph

_PROFILE: Final = "profile_file"
_ICONS: Final = {"latency": "timer", "memory": "memory", "precision": "straighten"}


class EngineNodeData(NodeDataProvider):  # type: ignore[misc]
    """Times, memory and precisions of the layers, by which nodes are coloured."""

    metadata: ClassVar[list[NodeDataProviderMetadata]] = [
        NodeDataProviderMetadata(
            id=f"{ID}_{what}",
            name=f"TensorRT {what}",
            description=f"The {what} of each layer",
            icon=icon,
            filter=NodeDataProviderFilter(adapterIds=[ID]),
        )
        for what, icon in _ICONS.items()
    ]

    def get_config_editors(self, provider_id: str) -> GetConfigEditorsResult:
        """What the user is asked for latency: where the profile is."""
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
        graph: Any,
    ) -> NodeDataProviderResult:
        """The data of the nodes of the graph's engine."""
        profiles = [path for path in [config_values.get(_PROFILE)] if path]
        try:
            known = engines(model_path, profiles)
        except ReadError as error:
            return NodeDataProviderResult(error=str(error))
        for engine in known:
            if explorer_graph.id_of(engine) == graph_id:
                return NodeDataProviderResult(result=_data(engine, provider_id.rpartition("_")[2]))
        return NodeDataProviderResult(error=f"no engine of {model_path} is {graph_id}")


def _data(engine: Engine, what: str) -> Any:
    told: Any = explorer_files.data(Costs(engine), what)
    results = {
        node: node_data_builder.NodeDataResult(**value) for node, value in told["results"].items()
    }
    stops = [node_data_builder.GradientItem(**stop) for stop in told.get("gradient", ())]
    return node_data_builder.GraphNodeData(results=results, name=told["name"], gradient=stops)
