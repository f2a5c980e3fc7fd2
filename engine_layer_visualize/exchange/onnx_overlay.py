"""Writes the model behind an engine with the layers of each node.

Nothing but `metadata_props` of nodes is added: the layers that compute a node, their time, which is
the layers' and is not divided among the nodes that they compute together, and their kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine_layer_visualize.analysis import model_nodes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.model_nodes import EngineNodes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.documents import marks
from engine_layer_visualize.exchange.layer_facts import Fact
from engine_layer_visualize.exchange.onnx_types import add_metadata, library
from engine_layer_visualize.views.subgraph import View

_OURS: Final = "trt."  # before the keys


def render(view: View, format: str = "onnx-overlay", options: Options = DEFAULT) -> Iterator[bytes]:
    """Writes the whole model, whatever the view.

    Raises:
        ReadError: (ELV503) There is no model of the engine; (ELV502) onnx is not installed.
    """
    onnx, engine = library(format), view.engine
    engine_nodes = model_nodes.of_engine(engine)
    if engine.onnx is None or engine_nodes is None:
        why = "the model is of another network" if engine.onnx else "there is no model"
        problem = Problem(Place(engine.source.file), "ELV503", f"nothing to lay over: {why}")
        raise ReadError(problem, "give the model that the engine was built from: --onnx model.onnx")
    made = onnx.ModelProto()
    made.CopyFrom(engine.onnx.model.proto)
    costs = Costs(engine, options.optimization_profile, options.time, options.peak)
    users: dict[int, list[Layer]] = {}
    for layer in costs.layers:
        for node in engine_nodes.layers[layer.index].nodes:
            users.setdefault(node.number, []).append(layer)
    log = marks.in_words(engine.source)
    told: dict[tuple[int, ...], dict[str, Fact | None]] = {}  # of the nodes of the same layers
    for node in OnnxModel("", made).nodes:
        for place in reversed(range(len(node.proto.metadata_props))):
            if _is_ours(node.proto.metadata_props[place]):  # of an overlay of before
                del node.proto.metadata_props[place]
        if layers := users.get(node.number):
            key = tuple(layer.index for layer in layers)
            if key not in told:
                told[key] = {**_told(layers, engine_nodes, costs), "trt.log": log}
            add_metadata(node.proto, told[key])
    yield made.SerializeToString()


def _is_ours(entry: Any) -> bool:
    try:
        return str(entry.key).startswith(_OURS)  # bytes, in some of protobuf, where it is no UTF-8
    except UnicodeDecodeError:
        return False


def _told(
    layers: Sequence[Layer], engine_nodes: EngineNodes, costs: Costs
) -> dict[str, Fact | None]:
    """What is added to a node that these layers compute."""
    together = {node.number for layer in layers for node in engine_nodes.layers[layer.index].nodes}
    kernels = dict.fromkeys(layer.kernel for layer in layers if layer.kernel)
    return {
        "trt.layer": "\n".join(layer.name for layer in layers),
        "trt.build_ms" if costs.estimated else "trt.ms": costs.sum(layers),
        "trt.kernel": "\n".join(kernels) or None,
        "trt.nodes": len(together) if len(together) > 1 else None,
    }
