"""Finds the types of a model's tensors, each a `TypeProto`.

onnx's shape inference finds a type; where it cannot, what the log says of the tensor counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.exchange.cutting.graph import NodeGraph
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.trt.layer_names import without_profile

_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")


class TensorTypes:
    """The types of a model's tensors.

    `given` has the extents of the model's inputs; a negative one is unknown, or may vary.
    """

    def __init__(self, graph: NodeGraph, given: Mapping[str, Shape], engine: Engine) -> None:
        self._onnx = onnx_file.library(graph.model.path)
        self._found = onnx_file.types(graph.model, given, graph.nodes)
        told = engine.facts.onnx_tensors if engine.facts is not None else ()
        # The log does not tell which of the name it means.
        inside = set(_inside_functions(graph.model))
        self._told = {name: words for name, words in told if name not in inside}

    def of(self, name: str) -> Any | None:
        """The type of a tensor, with its shape; None where either is unknown."""
        kinds = [kind for kind in (self._found.get(name), self._of_log(name)) if kind is not None]
        if kinds and kinds[0].WhichOneof("value") not in (None, "tensor_type"):
            return kinds[0]
        types = [kind.tensor_type.elem_type for kind in kinds if kind.tensor_type.elem_type]
        shapes = [kind.tensor_type.shape for kind in kinds if kind.tensor_type.HasField("shape")]
        if not types or not shapes:
            return None
        made = self._onnx.TypeProto()
        made.tensor_type.elem_type = types[0]
        made.tensor_type.shape.CopyFrom(shapes[0])
        dims = made.tensor_type.shape.dim
        for dim, told in zip(dims, shapes[-1].dim if len(shapes[-1].dim) == len(dims) else ()):
            if not dim.HasField("dim_value") and told.WhichOneof("value"):
                dim.CopyFrom(told)
        return made

    def shape(self, name: str) -> Shape | None:
        """The extents of a tensor; None where one of them is unknown or may vary."""
        kind = self.of(name)
        if kind is None or kind.WhichOneof("value") != "tensor_type":
            return None
        dims = kind.tensor_type.shape.dim
        known = tuple(dim.dim_value for dim in dims if dim.WhichOneof("value") == "dim_value")
        return known if len(known) == len(dims) else None

    def rank(self, name: str) -> int | None:
        """How many extents a tensor has; None where that is unknown."""
        kind = self.of(name)
        return len(kind.tensor_type.shape.dim) if kind is not None else None

    def word(self, name: str) -> str:
        """ONNX's word for the type of a tensor's elements, such as `float16`; "" of an unknown."""
        kind = self.of(name)
        known = self._onnx.TensorProto.DataType
        number = kind.tensor_type.elem_type if kind is not None else 0
        return str(known.Name(number)).lower() if number in known.values() else ""

    def _of_log(self, name: str) -> Any | None:
        """What the log says of it: `(1, 3, -1)[FLOAT]`."""
        words, _, word = self._told.get(name, "").removesuffix("]").rpartition(")[")
        extents = [part.strip() for part in words.removeprefix("(").split(",") if part.strip()]
        if not word or not all(map(_INTEGER.fullmatch, extents)):
            return None
        known = self._onnx.TensorProto.DataType
        made = self._onnx.TypeProto()
        made.tensor_type.elem_type = known.Value(word) if word in known.keys() else 0  # noqa: SIM118
        made.tensor_type.shape.SetInParent()
        for part in extents:
            dim = made.tensor_type.shape.dim.add()
            if (number := int(part)) >= 0:
                dim.dim_value = number
        return made


def _inside_functions(model: OnnxModel) -> Iterator[str]:
    """The names of tensors that a function has for itself."""
    for function in model.proto.functions:
        yield from (*function.input, *function.output)
        for node in function.node:
            yield from node.output


def inputs_of(engine: Engine) -> dict[str, Shape]:
    """The extents of the network's inputs: as the parser adds them, else as layers read them."""
    extents = {
        without_profile(tensor.name): tensor.shape
        for layer in reversed(engine.layers)
        for tensor in layer.inputs
        if without_profile(tensor.name) in engine.inputs
    }
    for told in engine.facts.inputs if engine.facts is not None else ():
        words = told.dims.split(",") if told.dims else []
        if told.dims is not None and all(map(_INTEGER.fullmatch, words)):
            extents[told.name] = tuple(map(int, words))
    return extents
