"""ONNX models of which the tests of `cut` cut pieces out.

MODELS: name -> how to make the model's bytes, and the shapes of inputs that vary.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import onnx
from model_files import Sketch
from onnx import helper
from onnx_models import MODELS as SMALL
from onnx_models import quantised
from residual_models import exported

Shapes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


class Made(NamedTuple):
    """`shapes`: the least, the best and the greatest of each input that varies."""

    model: Callable[[], bytes]
    shapes: Mapping[str, Shapes] = {}


class _Graph(Sketch):
    """A sketch with subgraphs and functions."""

    def many(self, operator: str, reads: list[str], gives: list[str], **more: Any) -> None:
        self.nodes.append(helper.make_node(operator, reads, gives, **more))

    def square(self, *more: Any, functions: tuple[Any, ...] = ()) -> bytes:
        """Of x to z, and further inputs."""
        inputs = [self.info("x", "FLOAT", 4, 8), *more]
        return self.done(inputs, [self.info("z", "FLOAT", 4, 8)], functions)

    def done(self, inputs: list[Any], outputs: list[Any], functions: tuple[Any, ...] = ()) -> bytes:
        graph = helper.make_graph(self.nodes, "graph", inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        model.functions.extend(functions)
        onnx.checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString())


def _square() -> _Graph:
    """With two weights."""
    graph = _Graph()
    for name in ("w1", "w2"):
        graph.weight(name, 8, 8)
    return graph


def _looped(graph: _Graph, *nodes: Any) -> None:
    """Three rounds of these nodes, which make s2 of s; a Relu before, a product behind."""
    graph.constant("n", 3, "int64")
    graph.constant("t", True, "bool")
    graph.node("Relu", ["x"], "r", "pre")
    body = helper.make_graph(
        [*nodes, helper.make_node("Identity", ["cin"], ["cout"], name="body_go")],
        "body",
        [graph.info("i", "INT64"), graph.info("cin", "BOOL"), graph.info("s", "FLOAT", 4, 8)],
        [graph.info("cout", "BOOL"), graph.info("s2", "FLOAT", 4, 8)],
    )
    graph.many("Loop", ["n", "t", "r"], ["y"], name="loop", body=body)
    graph.node("MatMul", ["y", "w2"], "z", "post")


def branches() -> bytes:
    """An If whose branches read a tensor from outside; both have a node of one name."""
    graph = _square()
    graph.node("Relu", ["x"], "r", "pre")
    sides = {}
    for side, operator, weight in (("then", "Relu", "w1"), ("else", "Exp", "w2")):
        sides[f"{side}_branch"] = helper.make_graph(
            [
                helper.make_node("MatMul", ["r", weight], [f"{side}1"], name=f"{side}_mm"),
                helper.make_node(operator, [f"{side}1"], [f"{side}2"], name="last"),
            ],
            side,
            [],
            [graph.info(f"{side}2", "FLOAT", 4, 8)],
        )
    graph.many("If", ["c"], ["y"], name="choice", **sides)
    graph.node("Sigmoid", ["y"], "z", "post")
    return graph.square(graph.info("c", "BOOL"))


def rounds() -> bytes:
    """A Loop of three rounds; its body reads a weight from outside."""
    graph = _square()
    nodes = (("MatMul", ["s", "w1"], ["m"], "body_mm"), ("Tanh", ["m"], ["s2"], "body_tanh"))
    _looped(graph, *(helper.make_node(*one) for one in nodes))
    return graph.square()


def nested() -> bytes:
    """A Loop whose body holds an If, which reads the model's inputs."""
    graph = _square()
    sides = {}
    for side, operator, reads in (("then", "Relu", ["s"]), ("else", "MatMul", ["s", "w1"])):
        made = helper.make_node(operator, reads, [side], name=f"in_{side}")
        own = helper.make_graph([made], side, [], [graph.info(side, "FLOAT", 4, 8)])
        sides[f"{side}_branch"] = own
    choice = helper.make_node("If", ["flag"], ["s1"], name="inner_if", **sides)
    _looped(graph, choice, helper.make_node("Add", ["s1", "r"], ["s2"], name="body_add"))
    return graph.square(graph.info("flag", "BOOL"))


def several_outputs() -> bytes:
    """Nodes with several outputs, and with inputs that are left out."""
    graph = _Graph()
    node = graph.node
    x = node("Conv", ["x", graph.weight("w0", 8, 3, 3, 3)], "c0", pads=[1] * 4)
    sizes = graph.constant("sizes", [3, 5], "int64")
    graph.many("Split", [x, sizes], ["s1", "s2"], name="split", axis=1)
    x = node("Concat", [node("Tanh", ["s2"], "t"), node("Sigmoid", ["s1"], "g")], "c", axis=1)
    scales = graph.constant("scales", [1, 1, 2, 2], "float32")
    x = node("Resize", [x, "", scales], "resized", mode="nearest")
    x = node("ConvTranspose", [x, graph.weight("w1", 8, 4, 2, 2)], "up", strides=[2, 2])
    x = node("Flatten", [node("MaxPool", [x], "pool", kernel_shape=[4, 4], strides=[4, 4])], "f")
    graph.many("TopK", [x, graph.constant("k", [5], "int64")], ["best", "at"], name="top")
    node("Mul", ["best", node("Cast", ["at"], "numbers", to=onnx.TensorProto.FLOAT)], "y")
    inputs = [graph.info("x", "FLOAT", 2, 3, 16, 16)]
    return graph.done(inputs, [graph.info("y", "FLOAT", 2, 5)])


def same_names() -> bytes:
    """Four nodes of one name, and two without one."""
    graph = _square()
    graph.many("MatMul", ["x", "w1"], ["a"], name="same")
    graph.many("Softmax", ["a"], ["b"], name="same")
    graph.many("MatMul", ["b", "w2"], ["c"], name="same")
    graph.many("Relu", ["c"], ["d"])
    graph.many("Softmax", ["d"], ["e"], name="same")
    graph.many("MatMul", ["e", "w1"], ["z"])
    return graph.square()


def functions() -> bytes:
    """One function, called twice."""
    graph = _square()
    product = helper.make_node("MatMul", ["a", "w"], ["m"], name="inner_mm")
    inside = [product, helper.make_node("Softmax", ["m"], ["o"], name="inner_soft")]
    opsets = [helper.make_opsetid("", 21)]
    block = helper.make_function("own", "Block", ["a", "w"], ["o"], inside, opsets)
    graph.many("Block", ["x", "w1"], ["a"], name="block0", domain="own")
    graph.node("Relu", ["a"], "b", "mid")
    graph.many("Block", ["b", "w2"], ["z"], name="block1", domain="own")
    return graph.square(functions=(block,))


def flattened(batch: int | str) -> bytes:
    """A Reshape to a shape that is computed from the batch."""
    graph = _Graph()
    node = graph.node
    x = node("Conv", ["x", graph.weight("w0", 8, 3, 3, 3)], "c0", pads=[1] * 4)
    x = node("Conv", [node("Relu", [x], "r0"), graph.weight("w1", 8, 8, 3, 3)], "c1", pads=[1] * 4)
    size = node("Gather", [node("Shape", [x], "s"), graph.constant("zero", [0], "int64")], "b")
    size = node("Concat", [size, graph.constant("rest", [-1], "int64")], "t", axis=0)
    x = node("MatMul", [node("Reshape", [x, size], "f"), graph.weight("w2", 2048, 4)], "m")
    node("Softmax", [x], "y")
    inputs = [graph.info("x", "FLOAT", batch, 3, 16, 16)]
    return graph.done(inputs, [graph.info("y", "FLOAT", batch, 4)])


_BATCHES: Final = {"x": ((1, 3, 16, 16), (2, 3, 16, 16), (4, 3, 16, 16))}
MODELS: Final[dict[str, Made]] = {
    "residual": Made(lambda: exported("base").model),
    "half": Made(lambda: exported("half").model),
    "bert": Made(SMALL["bert"]),
    "positions": Made(SMALL["positions"], {"ids": ((1, 4), (2, 8), (4, 16))}),
    "branches": Made(branches),
    "rounds": Made(rounds),
    "nested": Made(nested),
    "several_outputs": Made(several_outputs),
    "same_names": Made(same_names),
    "functions": Made(functions),
    "fixed": Made(lambda: flattened(2)),
    "dynamic": Made(lambda: flattened("B"), _BATCHES),
    "quantised": Made(lambda: quantised(16)),
}
