"""The ONNX model whose engines `fixtures/comparison` holds, made after the names in these logs."""

from math import prod
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper


def write(path: Path) -> None:
    nodes, weights = [], []

    def add(scope: str, operator: str, *read: str, dims: tuple[int, ...] = (), **words: Any) -> str:
        """Adds a node with its weights, and returns the name of its output."""
        if dims:
            name = f"{scope}.weight".strip("/").replace("/", ".")
            zeros = bytes(4 * prod(dims))
            weights.append(helper.make_tensor(name, TensorProto.FLOAT, dims, zeros, raw=True))
            read = (*read, name)
        node = f"{scope}/{operator}"
        written = "scores" if operator == "Softmax" else f"{node}_output_0"
        nodes.append(helper.make_node(operator, read, [written], name=node, **words))
        return written

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
    tensor = helper.make_tensor_value_info
    images = tensor("images", TensorProto.FLOAT, [1, 3, 128, 128])
    scores = tensor("scores", TensorProto.FLOAT, [1, 10])
    graph = helper.make_graph(nodes, "harbour", [images], [scores], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
