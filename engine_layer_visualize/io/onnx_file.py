"""A path in; the ONNX model in that file out, without its external data."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.onnx_product import Shape
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.extras import install

_LARGEST: Final = 2 << 30  # bytes of one message of protobuf
_MOST_VALUES: Final = 1 << 12  # of an initializer that may give a shape


def load(path: str | Path) -> OnnxModel:
    """Raises ReadError: ELV401 where the file cannot be opened or the package onnx is missing,
    ELV801 where it holds no model."""
    name = os.fspath(path)
    onnx = library(name)
    try:
        size = os.stat(path).st_size
        if size >= _LARGEST:
            words = (
                f"{size:,} bytes in one file, and protobuf reads less than 2 GiB: save the weights "
                "beside it, with onnx.save(model, path, save_as_external_data=True)"
            )
            raise ReadError(Problem(Place(name, 1), "ELV801", words))
        with open(path, "rb") as file:
            data = file.read(_LARGEST)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise ReadError(Problem(Place(name, 1), "ELV401", f"cannot be read: {why}")) from error
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except Exception:  # each implementation of protobuf raises its own
        raise _no_model(name, "its bytes are no protobuf message" if data else "empty") from None
    if proto.ir_version < 1 or not proto.graph.node:
        raise _no_model(name, "it holds no nodes" if data else "it is empty")
    found = OnnxModel(name, proto)
    try:
        whole = all(isinstance(text, str) for text in _texts(found))
    except UnicodeDecodeError:
        whole = False
    if not whole:
        raise _no_model(name, "it has names that are not UTF-8")
    return found


def _texts(model: OnnxModel) -> Iterator[Any]:
    """All names. Those that are not UTF-8 are bytes, or cannot be had."""
    graph = model.proto.graph
    for one in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        yield one.name
    for node in model.nodes:
        proto = node.proto
        yield from (proto.name, proto.op_type, proto.domain, *proto.input, *proto.output)


def library(place: str) -> Any:
    """The package onnx. Raises ReadError (ELV401)."""
    try:
        import onnx
    except ImportError:
        words = f"to read an ONNX model needs the package onnx: {install('onnx')}"
        raise ReadError(Problem(Place(place, 1), "ELV401", words)) from None
    return onnx


def shapes(model: OnnxModel, inputs: Mapping[str, Shape]) -> dict[str, Shape]:
    """The extents of the tensors outside of subgraphs; -1: unknown. `inputs`: those that the engine
    has, by tensor, in place of the model's own."""
    onnx = library(model.path)
    light = onnx.ModelProto()
    light.ir_version = model.proto.ir_version
    light.opset_import.extend(model.proto.opset_import)
    light.functions.extend(model.proto.functions)
    graph = model.proto.graph
    light.graph.node.extend(graph.node)
    light.graph.input.extend(graph.input)
    light.graph.output.extend(graph.output)
    for weights in graph.initializer:  # those of external data have no values here either
        few = weights if math.prod(weights.dims) <= _MOST_VALUES else onnx.TensorProto()
        few.name, few.data_type = weights.name, weights.data_type
        few.dims[:] = weights.dims
        light.graph.initializer.append(few)
    changed = [_set(one.type, inputs.get(one.name)) for one in light.graph.input]
    if not any(changed):
        light.graph.value_info.extend(graph.value_info)
    else:
        for one in light.graph.output:
            one.type.tensor_type.ClearField("shape")
    try:
        light = onnx.shape_inference.infer_shapes(light, data_prop=True)
    except Exception:  # whatever it finds wrong: an operator that it does not know, a shape
        light.graph.value_info.extend(graph.value_info)
    found = {one.name: tuple(one.dims) for one in light.graph.initializer}
    for one in (*light.graph.input, *light.graph.output, *light.graph.value_info):
        if one.type.tensor_type.HasField("shape"):
            dims = one.type.tensor_type.shape.dim
            found[one.name] = tuple(d.dim_value if d.HasField("dim_value") else -1 for d in dims)
    return found


def _set(type: Any, shape: Shape | None) -> bool:
    """Gives an input the engine's extents. Returns whether it had others."""
    if shape is None or not type.HasField("tensor_type"):
        return False
    dims = type.tensor_type.shape.dim
    before = [one.dim_value if one.HasField("dim_value") else -1 for one in dims]
    if before == list(shape) or len(before) != len(shape):
        return False
    del dims[:]
    for extent in shape:
        one = dims.add()
        if extent >= 0:
            one.dim_value = extent
    return True


def _no_model(name: str, why: str) -> ReadError:
    return ReadError(Problem(Place(name, 1), "ELV801", f"not an ONNX model: {why}"))
