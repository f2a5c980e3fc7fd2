"""One residual network, exported in several ways, with the part of the network that a node is of.

VARIANTS: name -> the model's bytes and, for every node, its part; parts have the same names in all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from model_files import Sketch

_WIDTHS: Final = (16, 32)
_SIZE: Final = 32


class Exported(NamedTuple):
    """`parts`: by the name of a node. Nodes that only one variant has are parts of their own."""

    model: bytes
    parts: Mapping[str, str]
    dtype: str
    batch: int


@dataclass
class _Export:
    """The network as an exporter writes it down. `called`: gives a node its name."""

    called: Callable[[int, str, str], str]
    batch: int = 1
    dtype: str = "FLOAT"
    inserted: bool = False
    quantised: bool = False
    sketch: Sketch = field(default_factory=Sketch)
    parts: dict[str, str] = field(default_factory=dict)

    def done(self) -> Exported:
        x = self._convolved("image", "stem", 3, _WIDTHS[0], 7, stride=2)
        read = _WIDTHS[0]
        for stage, width in enumerate(_WIDTHS):
            for block in range(2):
                stride = 2 if block == 0 and stage else 1
                x = self._block(x, f"stage{stage}.{block}", read, width, stride)
                read = width
            if self.inserted and stage == 0:
                x = self._convolved(x, "inserted", width, width, 1)
        x = self._node("GlobalAveragePool", "pool", [x])
        x = self._node("Flatten", "flat", [x])
        weights = [self._weights("fc.weight", read, 10), self._weights("fc.bias", 10)]
        x = self._node("Gemm", "fc", [x, *weights])
        dims = (self.batch, 3, _SIZE, _SIZE)
        model = self.sketch.model({"image": (self.dtype, dims)}, {x: (self.batch, 10)}, self.dtype)
        return Exported(model, self.parts, self.dtype, self.batch)

    def _block(self, x: str, part: str, read: int, width: int, stride: int) -> str:
        way = self._convolved(x, f"{part}.a", read, width, 3, stride)
        way = self._convolved(way, f"{part}.b", width, width, 3, relu=False)
        if stride != 1 or read != width:
            x = self._convolved(x, f"{part}.down", read, width, 1, stride, relu=False)
        way = self._node("Add", f"{part}.add", [way, x])
        return self._node("Relu", f"{part}.relu", [way])

    def _convolved(
        self, x: str, part: str, read: int, width: int, kernel: int, stride: int = 1,
        relu: bool = True,
    ) -> str:  # fmt: skip
        weights = self._weights(f"{part}.weight", width, read, kernel, kernel)
        if self.quantised:
            x, weights = self._rounded(x, f"{part}.x"), self._rounded(weights, f"{part}.w")
        pads = [kernel // 2] * 4
        x = self._node("Conv", part, [x, weights], pads=pads, strides=[stride, stride])
        return self._node("Relu", f"{part}.act", [x]) if relu else x

    def _rounded(self, x: str, part: str) -> str:
        """Through Int8 and back."""
        scale = self.sketch.constant(f"{part}.scale", 0.05, "float32")
        zero = self.sketch.constant(f"{part}.zero", 0, "int8")
        x = self._node("QuantizeLinear", f"{part}.q", [x, scale, zero])
        return self._node("DequantizeLinear", f"{part}.dq", [x, scale, zero])

    def _weights(self, name: str, *dims: int) -> str:
        return self.sketch.weight(name, *dims, dtype=self.dtype)

    def _node(self, operator: str, part: str, reads: list[str], **more: Any) -> str:
        name = self.called(len(self.parts), operator, part)
        self.parts[name] = part
        return self.sketch.node(operator, reads, f"{part}.out", name=name, **more)


def _numbered(first: int = 0) -> Callable[[int, str, str], str]:
    """`Conv_0`, `Relu_1`: the names of an exporter that counts."""
    return lambda at, operator, _: f"{operator}_{first + at}"


def _by_operator() -> Callable[[int, str, str], str]:
    """Counted apart for each operator: nearly all names are also names of other nodes of
    `_numbered`, wherever that has a node of the operator there."""
    seen: dict[str, int] = {}

    def called(_: int, operator: str, __: str) -> str:
        seen[operator] = seen.get(operator, -1) + 1
        return f"{operator}_{seen[operator]}"

    return called


def _by_part(_: int, operator: str, part: str) -> str:
    return f"/{part.replace('.', '/')}/{operator}"


VARIANTS: Final[Mapping[str, Callable[[], _Export]]] = {
    "base": lambda: _Export(_numbered()),
    "half": lambda: _Export(_numbered(), dtype="FLOAT16"),
    "batch": lambda: _Export(_numbered(), batch=4),
    "shifted": lambda: _Export(_numbered(first=2)),
    "by_operator": lambda: _Export(_by_operator()),
    "by_part": lambda: _Export(_by_part),
    "inserted": lambda: _Export(_by_part, inserted=True),
    "inserted_numbered": lambda: _Export(_numbered(), inserted=True),
    "quantised": lambda: _Export(_by_part, quantised=True),
}


@cache
def exported(name: str) -> Exported:
    """One of VARIANTS."""
    return VARIANTS[name]().done()
