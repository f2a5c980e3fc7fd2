"""Finds the model's nodes of each layer, and those that no layer has.

A layer of which only some nodes are known, such as a ForeignNode with two ends, may have any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.onnx_model import ModelNode
from engine_layer_visualize.trt.layer_names import profile_of


class EngineNodes(NamedTuple):
    """The nodes of the model in the layers of an engine."""

    # node -> layers, where an optimisation profile has several
    shared: Mapping[int, tuple[int, ...]]
    # nodes outside of subgraphs that no layer has, but Constants; None: not known
    left: tuple[ModelNode, ...] | None


def of_engine(engine: Engine) -> EngineNodes | None:
    """The model's nodes in an engine; None where no model was given, or another network's."""
    if engine.onnx is None or not engine.onnx.same:
        return None
    model = engine.onnx.model
    whole = True
    users: dict[int, list[Layer]] = {}
    for layer in engine.layers:
        known = onnx_nodes.of(layer)
        meant = [model.named(name) for name in known.all or known.ends]
        whole = whole and not known.ends and all(len(nodes) < 2 for nodes in meant)
        for number in sorted({nodes[0].number for nodes in meant if len(nodes) == 1}):
            users.setdefault(number, []).append(layer)
    shared = {
        number: tuple(layer.index for layer in named)
        for number, named in users.items()
        if len(named) > len({profile_of(layer.name) for layer in named})
    }
    left = tuple(
        node
        for node in model.nodes
        if node.number not in users and node.parent is None and node.proto.op_type != "Constant"
    )
    return EngineNodes(shared, left if whole else None)
