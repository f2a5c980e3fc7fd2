"""Writes an engine as an ONNX model with a node for each layer, for Netron and other readers.

With the model behind the engine, a layer is a function whose body are the nodes fused into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine_layer_visualize.analysis import model_nodes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_labels import box_head
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.text import shorten
from engine_layer_visualize.documents import marks
from engine_layer_visualize.exchange import layer_facts, onnx_functions, ssa
from engine_layer_visualize.exchange.onnx_types import (
    add_attributes,
    add_metadata,
    add_opsets,
    library,
    text,
    value_info,
)
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.views.subgraph import View

TENSORRT: Final = "tensorrt"  # the domain of layers
OURS: Final = "engine_layer_visualize"  # of nodes that join what several layers wrote
_IR_VERSION: Final = 11  # the first with FLOAT4E2M1; functions have overloads since 10
_OPSET: Final = 21  # of a model without the engine's own
_NAME_LENGTH: Final = 48  # characters of a node's name


def render(view: View, format: str = "onnx", options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV502) without the package onnx."""
    onnx = library(format)
    costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
    yield _model(onnx, costs).SerializeToString()


def _model(onnx: Any, costs: Costs) -> Any:
    engine, subject = costs.engine, Subject(costs)
    found, graph = model_nodes.of_engine(engine), ssa.of(engine)
    made = onnx.ModelProto(ir_version=_IR_VERSION, producer_name=OURS)
    listing = engine.source
    log = marks.in_words(listing)
    made.doc_string = text(f"{', '.join(sentences.heading(costs))}\n{log}\n")
    add_metadata(made, {"tensorrt": engine.tensorrt, "time": costs.kind, "total_ms": costs.total})
    made.graph.name = text(sentences.name(engine)) or "engine"
    made.graph.input.extend(value_info(onnx, *one) for one in graph.inputs)
    made.graph.output.extend(value_info(onnx, *one) for one in graph.outputs)
    ends = {one.name for one in (*graph.inputs, *graph.outputs)}
    opsets, fixed = {"": _OPSET}, frozenset[str]()
    if engine.onnx is not None and found is not None:
        behind = engine.onnx.model.proto
        known = {one.domain: one.version for one in behind.opset_import}
        # Two names of one domain; functions want the first, and a model may give neither.
        opsets = {"": known.pop("ai.onnx", 1), **known}
        fixed = frozenset(one.name for one in behind.graph.initializer)
        made.functions.extend(behind.functions)
    for number, one in enumerate(graph.nodes):
        node = _layer(onnx, one, one.layer, subject) if one.layer else _join(onnx, one, number)
        node.input.extend(map(text, one.inputs))
        node.output.extend(text(value.name) for value in one.outputs)
        own = found.layers[one.layer.index] if found is not None and one.layer else None
        if own is not None and own.nodes:
            made.functions.append(onnx_functions.function(onnx, node, own, fixed, opsets))
        made.graph.node.append(node)
        inner = (value for value in one.outputs if value.name not in ends)
        made.graph.value_info.extend(value_info(onnx, *value) for value in inner)
    add_opsets(made, {**opsets, TENSORRT: 1, OURS: 1}.items())
    return made


def _join(onnx: Any, node: ssa.Node, number: int) -> Any:
    """A node for what several layers wrote into one tensor."""
    return onnx.NodeProto(domain=OURS, op_type="Join", name=f"join {number}")


def _layer(onnx: Any, node: ssa.Node, layer: Layer, subject: Subject) -> Any:
    """The node of a layer.

    One without tensors writes a value that nothing reads: readers refuse a node with neither.
    """
    kind = layer.type or "Opaque"
    name = text(f"{layer.index} {shorten(box_head(layer), _NAME_LENGTH)}")
    made = onnx.NodeProto(domain=TENSORRT, op_type=text(kind), name=name)
    if not node.inputs and not node.outputs:
        made.output.append(f"control@{layer.index}")
    add_attributes(onnx, made, layer_facts.of(subject, layer, "layer"))
    return made
