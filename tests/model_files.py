"""ONNX models: those that tests make, and those that belong to logs."""

import re
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Dims = tuple["int | str", ...]


class Sketch:
    """A graph that grows: nodes are called `node_` and what they give, or as is said."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, *dims: int, dtype: str = "FLOAT") -> str:
        count = prod(dims)
        values = (np.arange(count) % 7 - 3).astype("float32").reshape(dims) / 8
        return self.constant(name, values, {"FLOAT": "float32", "FLOAT16": "float16"}[dtype])

    def constant(self, name: str, values: Any, dtype: str | None = None) -> str:
        array = np.array(values, dtype)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def info(self, name: str, kind: str, *dims: int | str) -> Any:
        return helper.make_tensor_value_info(name, getattr(TensorProto, kind), dims)

    def node(
        self, operator: str, reads: list[str], gives: str, name: str | None = None, **more: Any
    ) -> str:
        called = name or f"node_{gives}"
        self.nodes.append(helper.make_node(operator, reads, [gives], name=called, **more))
        return gives

    def model(
        self,
        inputs: Mapping[str, tuple[str, Dims]],
        outputs: Mapping[str, Dims],
        dtype: str = "FLOAT",
    ) -> bytes:
        put = [self.info(name, kind, *dims) for name, (kind, dims) in inputs.items()]
        come = [self.info(name, dtype, *dims) for name, dims in outputs.items()]
        graph = helper.make_graph(self.nodes, "sketch", put, come, self.weights)
        opset = [helper.make_opsetid("", 19)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=9)
        onnx.checker.check_model(model)
        return bytes(model.SerializeToString())


def write_harbour(path: Path) -> None:
    """The model whose engines `fixtures/comparison` holds, made after the names in these logs."""
    sketch = Sketch()

    def add(scope: str, operator: str, *read: str, dims: tuple[int, ...] = (), **words: Any) -> str:
        """Adds a node with its weights, and returns the name of its output."""
        if dims:
            weights = f"{scope}.weight".strip("/").replace("/", ".")
            read = (*read, sketch.weight(weights, *dims))
        name = f"{scope}/{operator}"
        written = "scores" if operator == "Softmax" else f"{name}_output_0"
        return sketch.node(operator, [*read], written, name, **words)

    flow = add("/stem", "Conv", "images", dims=(64, 3, 7, 7), strides=[2, 2], pads=[3] * 4)
    flow = add("/stem", "Relu", flow)
    flow = add("/stem", "MaxPool", flow, kernel_shape=[2, 2], strides=[2, 2])
    for block in ("/block1", "/block2"):
        skip = flow
        flow = add(f"{block}/conv1", "Conv", flow, dims=(64, 64, 3, 3), pads=[1] * 4)
        flow = add(f"{block}/relu", "Relu", flow)
        flow = add(f"{block}/conv2", "Conv", flow, dims=(64, 64, 3, 3), pads=[1] * 4)
        flow = add(f"{block}/relu_1", "Relu", add(block, "Add", flow, skip))
    flow = add("/head", "Flatten", add("/head", "GlobalAveragePool", flow))
    add("/head", "Softmax", add("/head/fc", "Gemm", flow, dims=(64, 10)))
    path.write_bytes(sketch.model({"images": ("FLOAT", (1, 3, 128, 128))}, {"scores": (1, 10)}))


# ---- of what the parser printed into a log ------------------------------------------------------


_TENSOR: Final = re.compile(r"\[([^\[\]]+?) -> \(([^()\[\]]*)\)\[(\w+)\]\]")
_LIST: Final = re.compile(r"(?m)\[TRT\] (.*) \[(\w+)\] (in|out)puts: (.*)$")
# Values of attributes, which a log does not print.
_ANY: Final[dict[str, Any]] = {"INT": 1, "INTS": [1, 1], "FLOAT": 1.0, "STRING": "a"}
_ELEMENTS: Final = {"FLOAT": "FLOAT", "INT32": "INT32", "INT64": "INT64", "BOOL": "BOOL"}


def of_log(path: Path) -> Any:
    """The model whose parsing a log has, with the extents that the log prints; None where it has
    none. Its weights are in a file that is not there."""
    text = path.read_text("utf-8", "replace")
    names = dict.fromkeys(re.findall(r"(?m)Parsing node: (.*) \[(\w+)\]\s*$", text))
    lists: dict[tuple[str, str, str], list[tuple[str, str, str]]] = {}
    for name, operator, which, words in _LIST.findall(text):
        lists.setdefault((name, operator, which), _TENSOR.findall(words))
    dims = {
        tensor: (kind, [int(word) for word in extents.split(", ") if word])
        for found in lists.values()
        for tensor, extents, kind in found
    }

    def ends(name: str, operator: str, which: str) -> list[str]:
        return [tensor for tensor, *_ in lists.get((name, operator, which), [])]

    nodes = [
        helper.make_node(kind, ends(name, kind, "in"), ends(name, kind, "out"), name=name)
        for name, kind in names
    ]
    nodes = [node for node in nodes if node.output]
    for node in nodes:
        for attribute in onnx.defs.get_schema(node.op_type).attributes.values():
            if attribute.required:
                kind = str(attribute.type).rpartition(".")[2]
                node.attribute.append(helper.make_attribute(attribute.name, _ANY[kind]))
    if not nodes:
        return None
    made = {name for node in nodes for name in node.output}
    read = dict.fromkeys(name for node in nodes for name in node.input if name not in made)
    weights = {*re.findall(r"(?m)Importing initializer: (.*?)\s*$", text)}
    graph = helper.make_graph(
        nodes,
        "logged",
        [_info(name, *dims[name]) for name in read if name not in weights],
        [_info(name, *dims[name]) for name in sorted(made - {n for x in nodes for n in x.input})],
        value_info=[_info(name, *dims[name]) for name in sorted(made)],
    )
    for name in read:
        if name in weights:
            graph.initializer.append(_elsewhere(name, *dims[name]))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _info(name: str, kind: str, extents: list[int]) -> Any:
    shape = [extent if extent >= 0 else None for extent in extents]
    return helper.make_tensor_value_info(name, _element(kind), shape)


def _elsewhere(name: str, kind: str, extents: list[int]) -> Any:
    """Weights as external data."""
    made = TensorProto(name=name, data_type=_element(kind), dims=extents)
    made.data_location = TensorProto.EXTERNAL
    made.external_data.add(key="location", value="weights-that-are-not-here.bin")
    return made


def _element(kind: str) -> int:
    return int(getattr(TensorProto, _ELEMENTS.get(kind, "FLOAT")))
