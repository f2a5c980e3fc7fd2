"""A transformer's encoder, with the names that PyTorch's exporter gives.

`/encoder/layer.3/attention/self/query/MatMul`: the modules around an operator.
"""

from functools import cache
from typing import Any, Final

from model_files import Sketch

BLOCKS: Final = 12
INPUT: Final = "hidden"
_WIDTH: Final = 32
_HEADS: Final = 4
_LENGTH: Final = 16


class _Encoder:
    """The sketch of the graph, and operators by the path of the module around them."""

    def __init__(self) -> None:
        self.sketch = Sketch()

    def node(self, path: str, operator: str, *reads: str, number: int = 0, **more: Any) -> str:
        name = f"{path}/{operator}" + (f"_{number}" if number else "")
        return self.sketch.node(operator, list(reads), f"{name}.out", name=name, **more)

    def linear(self, x: str, path: str, read: int, written: int) -> str:
        x = self.node(path, "MatMul", x, self.sketch.weight(f"{path}.weight", read, written))
        return self.node(path, "Add", x, self.sketch.weight(f"{path}.bias", written))

    def norm(self, x: str, path: str) -> str:
        weights = [self.sketch.weight(f"{path}.{name}", _WIDTH) for name in ("weight", "bias")]
        return self.node(path, "LayerNormalization", x, *weights, axis=-1)

    def attention(self, x: str, path: str) -> str:
        heads = []
        for at, name in enumerate(("query", "key", "value")):
            part = self.linear(x, f"{path}/{name}", _WIDTH, _WIDTH)
            part = self.node(path, "Reshape", part, "split", number=at)
            turn = [0, 2, 3, 1] if name == "key" else [0, 2, 1, 3]
            heads.append(self.node(path, "Transpose", part, number=at, perm=turn))
        scores = self.node(path, "MatMul", heads[0], heads[1])
        scores = self.node(path, "Softmax", self.node(path, "Mul", scores, "scale"), axis=-1)
        found = self.node(path, "MatMul", scores, heads[2], number=1)
        found = self.node(path, "Transpose", found, number=3, perm=[0, 2, 1, 3])
        return self.node(path, "Reshape", found, "join", number=3)

    def block(self, x: str, path: str) -> str:
        found = self.attention(x, f"{path}/attention/self")
        found = self.linear(found, f"{path}/attention/output/dense", _WIDTH, _WIDTH)
        found = self.node(f"{path}/attention/output", "Add", found, x)
        x = self.norm(found, f"{path}/attention/output/LayerNorm")
        found = self.linear(x, f"{path}/intermediate/dense", _WIDTH, 4 * _WIDTH)
        found = self.node(f"{path}/intermediate/act", "Relu", found)
        found = self.linear(found, f"{path}/output/dense", 4 * _WIDTH, _WIDTH)
        found = self.node(f"{path}/output", "Add", found, x)
        return self.norm(found, f"{path}/output/LayerNorm")


@cache
def encoder() -> bytes:
    """The model: Float [1,16,32] in, Float [1,16,4] out."""
    made = _Encoder()
    made.sketch.constant("split", [1, _LENGTH, _HEADS, _WIDTH // _HEADS], "int64")
    made.sketch.constant("join", [1, _LENGTH, _WIDTH], "int64")
    made.sketch.constant("scale", (_WIDTH // _HEADS) ** -0.5, "float32")
    x = INPUT
    for number in range(BLOCKS):
        x = made.block(x, f"/encoder/layer.{number}")
    x = made.linear(x, "/classifier", _WIDTH, 4)
    assert x == "/classifier/Add.out"
    return made.sketch.model({INPUT: ("FLOAT", (1, _LENGTH, _WIDTH))}, {x: (1, _LENGTH, 4)})
