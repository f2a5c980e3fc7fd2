"""The values of the package `model_explorer` that an extension makes, with its own signatures.

The package is 661 MB with what it needs, so most machines have none; version 0.1.34.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any


class Extension:
    """Of the real one a metaclass registers each class."""


class Adapter(Extension):
    pass


class NodeDataProvider(Extension):
    pass


@dataclass
class AdapterMetadata:
    id: str = ""
    name: str = ""
    description: str = ""
    source_repo: str = ""
    fileExts: list[str] = field(default_factory=list)  # noqa: N815


@dataclass
class NodeDataProviderFilter:
    modelFileExts: list[str] | None = None  # noqa: N815
    adapterIds: list[str] | None = None  # noqa: N815


@dataclass
class NodeDataProviderMetadata:
    id: str = ""
    name: str = ""
    description: str = ""
    source_repo: str = ""
    icon: str = "extension"
    filter: NodeDataProviderFilter | None = None


@dataclass
class NodeDataProviderResult:
    result: Any = None
    error: str = ""


@dataclass
class GetConfigEditorsResult:
    configEditors: Any = None  # noqa: N815
    error: str = ""


@dataclass
class TextInputConfigEditor:
    id: str = ""
    label: str = ""
    description: str = ""


@dataclass
class KeyValue:
    key: str
    value: str


@dataclass
class MetadataItem:
    id: str
    attrs: list[KeyValue] = field(default_factory=list)


@dataclass
class IncomingEdge:
    sourceNodeId: str  # noqa: N815
    sourceNodeOutputId: str = "0"  # noqa: N815
    targetNodeInputId: str = "0"  # noqa: N815


@dataclass
class GraphNodeStyle:
    backgroundColor: str = ""  # noqa: N815


@dataclass
class GraphNode:
    id: str
    label: str
    namespace: str = ""
    attrs: list[KeyValue] = field(default_factory=list)
    incomingEdges: list[IncomingEdge] = field(default_factory=list)  # noqa: N815
    outputsMetadata: list[MetadataItem] = field(default_factory=list)  # noqa: N815
    inputsMetadata: list[MetadataItem] = field(default_factory=list)  # noqa: N815
    style: GraphNodeStyle | None = None


@dataclass
class Graph:
    id: str
    nodes: list[GraphNode] = field(default_factory=list)
    groupNodeAttributes: dict[str, dict[str, str]] | None = None  # noqa: N815


@dataclass
class NodeDataResult:
    value: float
    bgColor: str | None = None  # noqa: N815
    textColor: str | None = None  # noqa: N815


@dataclass
class GradientItem:
    stop: float
    bgColor: str | None = None  # noqa: N815


@dataclass
class GraphNodeData:
    results: dict[str, NodeDataResult]
    name: str | None = None
    gradient: list[GradientItem] = field(default_factory=list)


def modules() -> dict[str, ModuleType]:
    """What `sys.modules` lacks where the package is not installed."""
    whole = ModuleType("model_explorer")
    own = {name: value for name, value in globals().items() if isinstance(value, type)}
    found = {whole.__name__: whole}
    for name in ("graph_builder", "node_data_builder", "config_editor"):
        part = ModuleType(f"model_explorer.{name}")
        vars(part).update(own)
        found[part.__name__] = part
        setattr(whole, name, part)
    vars(whole).update(own)
    vars(whole)["ModelExplorerGraphs"] = dict
    return found
