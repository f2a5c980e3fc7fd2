"""An ONNX node that multiplies matrices, and the extents that the log gives for it."""

from typing import NamedTuple

Shape = tuple[int, ...]


class OnnxProduct(NamedTuple):
    """A Conv, ConvTranspose, Gemm or MatMul.

    `shapes`: of its first two inputs and of its output; a negative extent is unknown. Empty where
    the log does not tell them for certain.
    """

    node: str
    operator: str
    shapes: tuple[Shape, ...] = ()


class OnnxEdge(NamedTuple):
    """A tensor from one ONNX node of a layer to another; the nodes by their places in `onnx_nodes`.

    `source` None: `tensor` is an input of the layer, as its record names it; `target` None: an
    output.
    """

    source: int | None
    target: int | None
    tensor: str
