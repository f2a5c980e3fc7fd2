"""ONNX files of engines as other readers see them: a node for each layer, and its edges."""

from __future__ import annotations

from typing import Any

import onnx

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine


def exported(engine: Engine, format: str = "onnx") -> Any:
    """The model, which onnx.checker finds right."""
    made = onnx.load_from_string(draw.render(engine, format))
    onnx.checker.check_model(made)
    return made


def edges(model: Any) -> set[tuple[int, int]]:
    """From layer to layer, by their places."""
    nodes = list(enumerate(model.graph.node))
    makers = {name: place for place, node in nodes for name in node.output}
    read = ((place, name) for place, node in nodes for name in node.input)
    return {(makers[name], place) for place, name in read if name in makers}


def attributes(node: Any) -> dict[str, Any]:
    return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
