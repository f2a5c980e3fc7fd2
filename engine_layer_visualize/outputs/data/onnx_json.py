"""What the model behind an engine tells of it, for JSON and for the summary."""

from __future__ import annotations

from engine_layer_visualize.analysis import model_nodes
from engine_layer_visualize.core.model import Engine, JsonValue


def of_engine(engine: Engine) -> JsonValue:
    """None where no model was given. Of another network's there are no nodes."""
    one, found = engine.onnx, model_nodes.of_engine(engine)
    if one is None:
        return None
    in_several: list[JsonValue] = []
    left: list[JsonValue] | None = None
    if found is not None:
        nodes = one.model.nodes
        in_several = [
            {"node": nodes[number].name, "layers": list(layers)}
            for number, layers in found.shared.items()
        ]
    if found is not None and found.left is not None:
        left = [{"node": node.name, "operator": node.proto.op_type} for node in found.left]
    return {
        "file": one.file,
        "nodes": len(one.model.nodes),
        "names": one.names,
        "names_found": one.found,
        "tensors": one.tensors,
        "tensors_agree": one.tensors_agree,
        "same_network": one.same,
        "in_several_layers": in_several,
        "in_no_layer": left,
    }
