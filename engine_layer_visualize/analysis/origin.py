"""Finds where layers come from: their ONNX nodes, and what the network was made from."""

from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import SERVING, kind_of
from engine_layer_visualize.core.layer_facts import NodesFrom
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.operators import OPERATORS, added, is_unnamed, operators, unnumbered


class Nodes(NamedTuple):
    """The names of a layer's ONNX nodes."""

    all: tuple[str, ...] = ()  # in order
    # of a ForeignNode of which the ends alone are known; then `all` is empty
    ends: tuple[str, ...] = ()
    source: NodesFrom | None = None


def onnx_nodes_of(layer: Layer) -> Nodes:
    """The nodes in the layer's record, else those that other messages of the log give."""
    if own := layer.onnx_nodes:
        return Nodes(own, source="metadata")
    facts = layer.known
    if not facts.onnx_nodes:
        return Nodes()
    if facts.onnx_nodes_from == "name" and any(names.ends(layer.name)):
        return Nodes(ends=facts.onnx_nodes, source="name")
    return Nodes(facts.onnx_nodes, source=facts.onnx_nodes_from)


def onnx_operators(layer: Layer) -> tuple[str, ...]:
    """The operators of a layer, by its facts, else by its name; () where unclear."""
    known = () if added(layer.name) else layer.known.onnx_operators
    return known if known and all(known) else operators(layer.name)


# ---- what a network was made from ----------------------------------------------------------------

# Whatever names the model, or counts its nodes, takes the words from here: not every network
# comes from ONNX.


class Frontend(NamedTuple):
    """What a network was made from, in words."""

    source: Literal["onnx", "torch", "uff", "caffe", "api", "unknown"]
    node: str  # one of the things that layers are made of
    model: str  # where a person changes it

    @property
    def may_be_onnx(self) -> bool:
        """Whether nothing says that it is another one: advice for exporters of ONNX may hold."""
        return self.source in ("onnx", "unknown")

    @property
    def is_of_program(self) -> bool:
        """Whether a program builds the network, which trtexec cannot."""
        return self.source in ("torch", "api")


ONNX: Final = Frontend("onnx", "ONNX node", "the ONNX model")
TORCH: Final = Frontend("torch", "PyTorch operation", "the PyTorch model")
UFF: Final = Frontend("uff", "UFF node", "the TensorFlow model")
CAFFE: Final = Frontend("caffe", "Caffe layer", "the Caffe model")
API: Final = Frontend("api", "network layer", "the network's definition")
UNKNOWN: Final = Frontend("unknown", "node", "the model")

_LEAST_TENSORS: Final = 2  # one may be of a product and its sum, which a parser adds
_LEAST_NODES: Final = 2
# Nodes as PyTorch's exporter names them: `/layer1/conv1/Conv`, up to PyTorch 1.12 `Conv_9`, where
# one number counts the nodes of all operators.
_EXPORTED: Final = lazy(r"(?P<path>/(?:[^/]+/)*)?(?P<operator>[A-Z][A-Za-z]*)(?P<number>_\d{1,9})?")
# TensorRT has no layers that are called so.
_OF_ONNX: Final = frozenset(
    """
    AveragePool BatchNormalization Clip Conv ConvTranspose DequantizeLinear Flatten Gemm
    GlobalAveragePool MatMul MaxPool QuantizeLinear ReduceMean Relu
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


def frontend_of(costs: Costs) -> Frontend:
    """The frontend of an engine's network.

    It is told by the log of its own build, else by the names of the layers.
    """
    return costs.once(_frontend)


def _frontend(costs: Costs) -> Frontend:
    engine, facts = costs.engine, costs.engine.known
    for option in facts.options:
        format = {"ONNX": ONNX, "UFF": UFF, "CAFFE": CAFFE}.get(option.value.upper())
        if format is not None and (option.section, option.key) == ("Model", "Format"):
            return format
    # Inputs with their types, tensors and some messages are the ONNX parser's words.
    by_parser = ("onnx2trt_utils.cpp:" in message.text for message in facts.messages)
    is_onnx = facts.inputs or facts.onnx_tensors or engine.onnx is not None or any(by_parser)
    if is_onnx or any(map(_has_nodes, engine.layers)):
        return ONNX
    if any(names.is_torch(words) for la in engine.layers for words in (la.name, _metadata(la))):
        return TORCH
    named = [p for la in engine.layers if kind_of(la) not in SERVING for p in names.parts(la.name)]
    if (named and all(map(is_unnamed, named))) or _has_no_tensor_names(engine):
        return API
    return ONNX if _are_exported(named) else UNKNOWN


def _has_nodes(layer: Layer) -> bool:
    """Whether its record, or a message of the log, has nodes of ONNX for it."""
    nodes, source = layer.known.onnx_nodes, layer.known.onnx_nodes_from
    if source in ("metadata", "graph") and not any(map(names.is_torch, nodes)):
        return True
    return "[ONNX Layer: " in _metadata(layer)


def _metadata(layer: Layer) -> str:
    return str(dict(layer.attributes).get("Metadata", "")) if layer.attributes else ""


def _are_exported(named: list[str]) -> bool:
    """Whether PyTorch's exporter of ONNX gave the names of layers."""
    nodes = [match for name in set(map(unnumbered, named)) if (match := _EXPORTED.fullmatch(name))]
    if sum(match["operator"] in OPERATORS for match in nodes if match["path"]) >= _LEAST_NODES:
        return True
    numbers = [m["number"] for m in nodes if m["operator"] in _OF_ONNX and not m["path"]]
    return len(numbers) >= _LEAST_NODES and all(numbers) and len(numbers) == len(set(numbers))


def _has_no_tensor_names(engine: Engine) -> bool:
    """Whether layers have names, and none of the tensors that go from one to another has.

    Parsers name a node's tensors as the model does, but for those of what they add themselves.
    """
    read = {tensor.name for layer in engine.layers for tensor in layer.inputs}
    between = [
        tensor.name
        for layer in engine.layers
        if names.myelin_index(layer.name) is None
        and (named := names.parts(layer.name))
        and not is_unnamed(named[-1])
        for tensor in layer.outputs
        if tensor.name in read and not tensor.name.startswith(names.REFORMATTED)
    ]
    return len(between) >= _LEAST_TENSORS and all(map(is_unnamed, between))
