"""An ONNX node that multiplies matrices, and the extents that the log gives for it."""

from typing import NamedTuple

Shape = tuple[int, ...]


class OnnxProduct(NamedTuple):
    """A Conv, ConvTranspose, Gemm or MatMul."""

    #: Its name.
    node: str
    #: Its operator.
    operator: str
    #: Of its first two inputs and of its output; a negative extent is unknown. Empty where the log
    #: does not tell them for certain.
    shapes: tuple[Shape, ...] = ()


class OnnxEdge(NamedTuple):
    """A tensor between two ONNX nodes of a layer: indices of its `onnx_nodes`."""

    #: None: `tensor` is an input of the layer, as its record names it.
    source: int | None
    #: None: `tensor` is an output of the layer, as its record names it.
    target: int | None
    #: The tensor's name.
    tensor: str
