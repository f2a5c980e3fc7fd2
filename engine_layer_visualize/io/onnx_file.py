"""Reads an ONNX model, without its external data, and the extents of its tensors."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.onnx_model import OnnxModel, Shape, subgraphs
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of

_MESSAGE_BYTES: Final = 2 << 30  # bytes of one message of protobuf
_EXTENTS_END: Final = 1 << 63  # an extent is less
_SHAPE_VALUES: Final = 1 << 12  # of an initializer that may give a shape
_UNFOLDED_NODES: Final = 1 << 20  # once the functions are unfolded
_TOLD_VALUES: Final = 1 << 16  # values of one tensor that gives shapes
# Operators whose outputs have values that onnx takes from their inputs.
_TELLING: Final = (
    "Add", "Cast", "Gather", "Identity", "Mul", "Slice", "Squeeze", "Sub", "Unsqueeze",
)  # fmt: skip
_RANK: Final = 64  # of a tensor, at most
_NAMED: Final = ("initializer", "t", "tensors")  # tensors, whose values take long to go through


def load(path: str | Path) -> OnnxModel:
    """Reads the model in a file, without its external data.

    Raises:
        ReadError: ELV401 where the file cannot be opened or the package onnx is missing, ELV801
            where it holds no model.
    """
    name = os.fspath(path)
    onnx = library(name)
    try:
        size = os.stat(path).st_size
        if size >= _MESSAGE_BYTES:
            words = (
                f"{size:,} bytes are too many for protobuf: save the weights beside it, with "
                "onnx.save(model, path, save_as_external_data=True)"
            )
            raise _refused(name, words, "ELV801")
        with open(path, "rb") as file:
            data = file.read(_MESSAGE_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _refused(name, f"cannot be read: {reason_of(error)}") from error
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except Exception:  # each implementation of protobuf raises its own
        raise _no_model(name, "its bytes are no protobuf message") from None
    if proto.ir_version < 1 or not proto.graph.node:
        raise _no_model(name, "it holds no nodes" if data else "it is empty")
    try:
        whole = all(isinstance(text, str) for text in _texts(proto))
    except UnicodeDecodeError:
        whole = False
    if not whole:
        raise _no_model(name, "it has names that are not UTF-8")
    return OnnxModel(name, proto)


def _texts(message: Any) -> Iterator[Any]:
    """The names in a model. protobuf gives bytes, or fails, where one is not UTF-8."""
    for field, value in message.ListFields():
        several = value if hasattr(value, "extend") else [value]
        if field.type == field.TYPE_STRING and field.name != "doc_string":
            yield from several
        elif field.name in _NAMED:
            yield from (one.name for one in several)
        elif field.type == field.TYPE_MESSAGE and field.name != "metadata_props":
            yield from chain.from_iterable(map(_texts, several))


def usable(given: str | Path | OnnxModel) -> tuple[OnnxModel | None, list[Problem]]:
    """The model, that of a file, too; None where that has none that can be used; and problems."""
    if isinstance(given, OnnxModel):
        return given, []
    try:
        return load(given), []
    except ReadError as error:
        return None, [error.problem]


def library(place: str) -> Any:
    """The package onnx. Raises ReadError (ELV401)."""
    try:
        import onnx
    except ImportError:
        words = "to read an ONNX model needs the package onnx: pip install onnx"
        raise _refused(place, words) from None
    return onnx


def shapes(model: OnnxModel, inputs: Mapping[str, Shape]) -> dict[str, Shape]:
    """The extents of the tensors outside of subgraphs; -1: unknown.

    Args:
        model: the model.
        inputs: the extents that the engine has, by tensor, in place of the model's own.
    """
    return {
        name: extents(kind)
        for name, kind in types(model, inputs).items()
        if kind.tensor_type.HasField("shape")
    }


def extents(kind: Any) -> Shape:
    """The extents of a tensor's type; -1: unknown."""
    dims = kind.tensor_type.shape.dim
    return tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in dims)


def types(model: OnnxModel, inputs: Mapping[str, Shape]) -> dict[str, Any]:
    """The types of the tensors outside of subgraphs: as onnx infers them, else the model's own.

    Where a model has functions, values of shapes are not followed from node to node.

    Args:
        model: the model.
        inputs: the extents that the engine has, by tensor, in place of the model's own.

    Returns:
        The `TypeProto` of each tensor.
    """
    onnx = library(model.path)
    light = onnx.ModelProto()
    light.ir_version = model.proto.ir_version
    light.opset_import.extend(model.proto.opset_import)
    if _can_unfold(model.proto):
        light.functions.extend(model.proto.functions)
    graph = model.proto.graph
    light.graph.node.extend(graph.node)
    light.graph.input.extend(graph.input)
    light.graph.output.extend(graph.output)
    for weights in graph.initializer:  # those of external data have no values here either
        size = product(weights.dims)
        if size is None or size > _SHAPE_VALUES:
            kind, dims = weights.data_type, weights.dims
            weights = onnx.TensorProto(name=weights.name, data_type=kind, dims=dims)
        light.graph.initializer.append(weights)
    changed = [_set(value.type, inputs.get(value.name)) for value in light.graph.input]
    if any(changed):
        for value in light.graph.output:
            _clear(value.type)
    else:
        light.graph.value_info.extend(graph.value_info)
    with suppress(Exception):  # whatever it finds wrong: an operator that it does not know, a shape
        light = onnx.shape_inference.infer_shapes(light, data_prop=_tells_few(model))
    known = light.graph
    told = onnx.GraphProto(output=graph.output, value_info=graph.value_info)
    kinds = {value.name: value.type for value in (*told.output, *told.value_info)}
    if any(_differs(value.type, inputs.get(value.name)) for value in graph.input):
        for kind in kinds.values():
            _clear(kind)
    for value in (*known.input, *known.output, *known.value_info):
        if _is_told(value.type) or value.name not in kinds:
            kinds[value.name] = value.type
    for value in graph.initializer:
        kinds[value.name] = onnx.helper.make_tensor_type_proto(value.data_type, value.dims)
    return kinds


def _can_unfold(proto: Any) -> bool:
    """Whether onnx can unfold the model's functions, which it does at each call.

    No function may call itself, and the calls of all may make no more nodes than can be gone
    through.
    """
    bodies = {(body.domain, body.name, body.overload): body.node for body in proto.functions}
    todo = list(proto.graph.node) if bodies else []
    seen = 0
    while todo and seen + len(todo) <= _UNFOLDED_NODES:
        node = todo.pop()
        seen += 1
        todo += bodies.get((node.domain, node.op_type, node.overload), ())
        todo += (inner for graph in subgraphs(node) for inner in graph.node)
    return not todo


def _tells_few(model: OnnxModel) -> bool:
    """Whether no tensor that gives shapes has more values than one of a network.

    onnx keeps them all, and a Concat of a tensor with itself doubles them each time. Of what
    functions do once they are unfolded nothing is known.
    """
    if model.proto.functions:
        return False
    sizes = ((one.name, product(one.dims) or 0) for one in model.proto.graph.initializer)
    values = {name: size for name, size in sizes if size <= _SHAPE_VALUES}  # at most, by tensor
    for _, _, node, _ in model.nodes:
        reads = [values.get(name, 0) for name in node.input]
        if node.op_type == "Concat":
            number = sum(reads)
            if number > _TOLD_VALUES:
                return False
        elif node.op_type in _TELLING:
            number = max(reads, default=0)
        elif node.op_type == "Constant":
            number = max(map(_length, node.attribute), default=0)
        else:
            number = _RANK if node.op_type in ("Shape", "Size") else 0
        for name in node.output:  # a tensor of a subgraph may bear the name of another
            values[name] = max(number, values.get(name, 0))
    return True


def _length(attribute: Any) -> int:
    return max(product(attribute.t.dims) or 0, len(attribute.ints), len(attribute.floats))


def _is_told(kind: Any) -> bool:
    """Whether it says the shape, if it is a tensor's."""
    return not kind.HasField("tensor_type") or bool(kind.tensor_type.HasField("shape"))


def _clear(kind: Any) -> None:
    """Takes a tensor's extents away."""
    if kind.HasField("tensor_type"):
        kind.tensor_type.ClearField("shape")


def _dims(kind: Any, shape: Shape | None) -> list[tuple[Any, int]]:
    """The extents of an input, each beside the engine's."""
    dims = kind.tensor_type.shape.dim if kind.HasField("tensor_type") else ()
    known = shape or ()
    pairs = zip(dims, known) if len(dims) == len(known) else ()
    return [pair for pair in pairs if pair[1] < _EXTENTS_END]


def _differs(kind: Any, shape: Shape | None) -> bool:
    """Whether the engine has other extents than the model, or leaves one open that it has."""
    pairs = _dims(kind, shape)
    return any(dim.HasField("dim_value") and dim.dim_value != extent for dim, extent in pairs)


def _set(kind: Any, shape: Shape | None) -> bool:
    """Gives an input the engine's extents. Returns whether it had others."""
    changed = False
    for dim, extent in _dims(kind, shape):
        if extent < 0:
            changed |= dim.HasField("dim_value")
            dim.ClearField("dim_value")
        elif not (dim.HasField("dim_value") and dim.dim_value == extent):
            dim.dim_value = extent
            changed = True
    return changed


def _no_model(name: str, why: str) -> ReadError:
    return _refused(name, f"not an ONNX model: {why}", "ELV801")


def _refused(name: str, words: str, code: str = "ELV401") -> ReadError:
    return ReadError(Problem(Place(name, 1), code, words))
