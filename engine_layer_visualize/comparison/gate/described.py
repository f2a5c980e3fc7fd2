"""Keeps of an engine what a comparison asks of it, and makes an engine of that again."""

from __future__ import annotations

from dataclasses import replace

from engine_layer_visualize.analysis import onnx_nodes, operations
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.side import weights
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Edge, Engine, Graph, JsonValue, Layer, Listing, Tensor
from engine_layer_visualize.core.snapshot import KEPT_WEIGHTS, NOWHERE, Snapshot, kept_tensor
from engine_layer_visualize.trt.layer_names import parts


def layers(engine: Engine) -> tuple[Layer, ...]:
    """The layers with their names, tensors, nodes, and what tells their work."""
    return tuple(map(_kept, engine.layers))


def edges(engine: Engine) -> tuple[tuple[int, int | None], ...]:
    """Between layers, and from layers to outputs."""
    each = ((edge.source, edge.target) for edge in engine.graph.edges)
    return tuple((source, target) for source, target in each if source is not None)


def costs(snapshot: Snapshot) -> Costs:
    """The engine of a snapshot, as `compare` takes it; its times stay in the snapshot."""
    kept = Engine(
        snapshot.engine,
        Listing(snapshot.file, 0, 0),
        snapshot.layers,
        Graph((), (), tuple(Edge(source, target, "") for source, target in snapshot.edges)),
    )
    found = Costs(kept)
    asked = (n for n in found.profiles if str(n) == snapshot.conditions.optimization_profile)
    return found.of_profile(next(asked, found.profile))


def _kept(layer: Layer) -> Layer:
    attributes: list[tuple[str, JsonValue]] = []
    if (stored := weights(layer)) is not None:
        attributes.append((KEPT_WEIGHTS, list(stored)))
    bare = Layer(
        layer.index,
        NOWHERE,
        layer.type,
        layer.name,
        None,
        tuple(map(_tensor, layer.inputs)),
        tuple(map(_tensor, layer.outputs)),
        raw=None if layer.raw is None else "",
        listed=layer.listed,
        facts=_nodes(layer),
    )
    if operations.of(layer) != operations.of(bare):
        attributes += ((key, v) for key, v in layer.attributes if key == "ParameterType")
    return replace(bare, attributes=tuple(attributes))


def _tensor(tensor: Tensor) -> Tensor:
    return kept_tensor(tensor.name, tensor.dtype, tensor.dims)


def _nodes(layer: Layer) -> LayerFacts | None:
    """The ONNX nodes of a layer, where its name does not tell them."""
    known = onnx_nodes.of(layer)
    names = known.all or known.ends
    if not names or known.all == parts(layer.name):
        return None
    return LayerFacts(onnx_nodes=names, onnx_nodes_from=known.source)
