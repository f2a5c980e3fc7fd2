"""ONNX models that the tests build.

MODELS: name -> the model's bytes; `running`: the nodes of one that are more than constants.
"""

from collections.abc import Callable
from typing import Final

import onnx
from model_files import Dims, Sketch


def bert() -> bytes:
    """Indices and a mask, both Int64, into two blocks of attention that compute in Float."""
    sketch = Sketch()
    node, weight = sketch.node, sketch.weight
    x = node("Gather", [weight("words.weight", 30, 16), "input_ids"], "words")
    mask = node("Cast", ["attention_mask"], "floats", to=onnx.TensorProto.FLOAT)
    mask = node("Sub", [sketch.constant("one", 1.0, "float32"), mask], "turned")
    mask = node("Mul", [mask, sketch.constant("far", -1e4, "float32")], "bias")
    mask = node("Unsqueeze", [mask, sketch.constant("axes", [1], "int64")], "wide")
    for n in range(2):
        query, key, value = (
            node("MatMul", [x, weight(f"{part}{n}.weight", 16, 16)], f"{part}{n}")
            for part in ("query", "key", "value")
        )
        key = node("Transpose", [key], f"turned{n}", perm=[0, 2, 1])
        scores = node("Add", [node("MatMul", [query, key], f"scores{n}"), mask], f"masked{n}")
        found = node("MatMul", [node("Softmax", [scores], f"soft{n}", axis=-1), value], f"found{n}")
        x = node("Add", [x, found], f"sum{n}")
        norm = [weight(f"scale{n}", 16), weight(f"shift{n}", 16)]
        x = node("LayerNormalization", [x, *norm], f"norm{n}", axis=-1)
    node("MatMul", [x, weight("head.weight", 16, 4)], "logits")
    indices: tuple[str, Dims] = ("INT64", (1, 8))
    return sketch.model({"input_ids": indices, "attention_mask": indices}, {"logits": (1, 8, 4)})


def positions() -> bytes:
    """Embeddings of positions that are counted from a shape; TensorRT computes shapes apart."""
    sketch = Sketch()
    node = sketch.node
    zero, one = sketch.constant("zero", 0, "int64"), sketch.constant("one", 1, "int64")
    words = node("Gather", [sketch.weight("words.weight", 20, 8), "ids"], "words")
    length = node("Gather", [node("Shape", ["ids"], "shape"), one], "length")
    counted = node("Range", [zero, length, one], "counted")
    places = node("Gather", [sketch.weight("places.weight", 32, 8), counted], "places")
    both = node("Add", [words, places], "both")
    node("MatMul", [both, sketch.weight("head.weight", 8, 8)], "result")
    return sketch.model({"ids": ("INT64", ("B", "S"))}, {"result": ("B", "S", 8)})


def quantised(channels: int) -> bytes:
    """Two convolutions in Int8 with so many filters each, each behind a Q and a DQ, and an Add; the
    second reads what the first writes."""
    sketch = Sketch()
    node, x, read = sketch.node, "x", 3
    step, zero = sketch.constant("step", 0.05, "float32"), sketch.constant("zero", 0, "int8")
    for n in range(2):
        weight = sketch.weight(f"filters{n}", channels, read, 3, 3)
        sides = []
        for name in (x, weight):
            whole = node("QuantizeLinear", [name, step, zero], f"{name}_q")
            sides.append(node("DequantizeLinear", [whole, step, zero], f"{name}_d"))
        x = node("Relu", [node("Conv", sides, f"conv{n}", pads=[1, 1, 1, 1])], f"relu{n}")
        read = channels
    x = node("Add", [x, "relu0"], "y")
    return sketch.model({"x": ("FLOAT", (1, 3, 32, 32))}, {x: (1, channels, 32, 32)})


MODELS: Final[dict[str, Callable[[], bytes]]] = {"bert": bert, "positions": positions}
APART: Final = {"bert": set[str](), "positions": {"node_shape", "node_length"}}


def running(name: str) -> set[str]:
    """The nodes of a model that TensorRT makes kernels of."""
    model = onnx.load_model_from_string(MODELS[name]())
    return {node.name for node in model.graph.node if node.op_type != "Constant"} - APART[name]
