"""Makes an ONNX model of a piece of one, with the weights that it needs.

Nodes are copied as they are, and tensors keep their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.core.onnx_model import function_key, functions, subgraphs
from engine_layer_visualize.core.text import shorten
from engine_layer_visualize.exchange.cut.tensor_types import TensorTypes
from engine_layer_visualize.exchange.cutting.graph import NodeGraph
from engine_layer_visualize.exchange.cutting.piece import Piece
from engine_layer_visualize.io import onnx_file

_MESSAGE_BYTES: Final = (2 << 30) - (1 << 20)  # bytes of one message of protobuf
_NO_INPUTS: Final = 4  # from this version on an initializer need not be an input, too
_NAME_LENGTH: Final = 80


class NoPiece(Exception):
    """Why a piece cannot be a model."""


def made(graph: NodeGraph, piece: Piece, types: TensorTypes, name: str) -> bytes:
    """The bytes of the model. Raises NoPiece."""
    model = graph.model.proto
    onnx = onnx_file.library(graph.model.path)
    if not piece.outputs:
        raise NoPiece("its nodes write no tensor")
    new = onnx.ModelProto()
    new.ir_version = max(model.ir_version, _NO_INPUTS)
    new.opset_import.extend(model.opset_import)
    new.producer_name, new.producer_version = model.producer_name, model.producer_version
    new.graph.name = name
    new.graph.node.extend(graph.nodes[number] for number in piece.nodes)
    new.functions.extend(_functions(model, new.graph.node))
    wanted = {*piece.initial}
    new.graph.initializer.extend(t for t in model.graph.initializer if t.name in wanted)
    sparse = (t for t in model.graph.sparse_initializer if t.values.name in wanted)
    new.graph.sparse_initializer.extend(sparse)
    for tensor, values, scalar in piece.folded:
        dims = [] if scalar else [len(values)]
        new.graph.initializer.append(
            onnx.helper.make_tensor(tensor, onnx.TensorProto.INT64, dims, values)
        )
    for side, names in ((new.graph.input, piece.inputs), (new.graph.output, piece.outputs)):
        for tensor in names:
            entry = side.add()
            entry.name = tensor
            entry.type.CopyFrom(_type(types, tensor))
    inner = {tensor for number in piece.nodes for tensor in graph.nodes[number].output}
    inner.difference_update(piece.outputs)
    for told in model.graph.value_info:  # with the extents that it has in the engine
        if told.name in inner and (kind := types.of(told.name)) is not None:
            new.graph.value_info.add(name=told.name).type.CopyFrom(kind)
    _carry(onnx, new, Path(graph.model.path).parent)
    return bytes(new.SerializeToString())


def judged(model: bytes) -> str:
    """What onnx's checker finds wrong; TensorRT may build it all the same, with a plugin."""
    import onnx

    try:
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError) as error:
        return shorten(" ".join(str(error).split()), 2 * _NAME_LENGTH)
    return ""


def _type(types: TensorTypes, tensor: str) -> Any:
    kind = types.of(tensor)
    what = f"the tensor `{shorten(tensor, _NAME_LENGTH)}`, which crosses its border,"
    if kind is None:
        raise NoPiece(f"neither the log nor the model tells the type and the shape of {what[:-1]}")
    if kind.WhichOneof("value") != "tensor_type":
        value = kind.WhichOneof("value").removesuffix("_type")
        raise NoPiece(f"{what} is {'an' if value == 'optional' else 'a'} {value}, no tensor")
    return kind


def _functions(model: Any, nodes: Iterable[Any]) -> Iterator[Any]:
    """The model's functions that the nodes call, and those that these call."""
    known = functions(model)
    keys: set[tuple[str, ...]] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        key = function_key(node)
        if key in known and key not in keys:
            keys.add(key)
            todo += known[key].node
        todo += (inner for graph in subgraphs(node) for inner in graph.node)
    return (function for key, function in known.items() if key in keys)


def _carry(onnx: Any, model: Any, folder: Path) -> None:
    """Reads weights that lie in files beside the model. Raises NoPiece."""
    bodies = (_of_nodes(function.node) for function in model.functions)
    outside = [
        tensor
        for tensor in chain(_tensors(model.graph), *bodies)
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    ]
    size = model.ByteSize() + sum(_size(tensor, folder) for tensor in outside)
    if size > _MESSAGE_BYTES:
        raise NoPiece(f"it has {size:,} bytes, and an ONNX file holds less than 2 GiB")
    for tensor in outside:
        where = next((entry.value for entry in tensor.external_data if entry.key == "location"), "")
        try:
            onnx.external_data_helper.load_external_data_for_tensor(tensor, str(folder))
        except Exception as error:
            why = " ".join(str(error).split())
            name, file = shorten(tensor.name, _NAME_LENGTH), shorten(where, _NAME_LENGTH)
            message = f"the weights `{name}` in `{file}` cannot be read: "
            raise NoPiece(message + shorten(why, 2 * _NAME_LENGTH)) from None
        tensor.data_location = onnx.TensorProto.DEFAULT
        del tensor.external_data[:]


def _size(tensor: Any, folder: Path) -> int:
    """The bytes of a tensor outside of the model.

    They are those that its entry tells, else the rest of the file; 0 where there is none.
    """
    told: dict[str, str] = {entry.key: entry.value for entry in tensor.external_data}
    length, offset = (_number(told.get(key, "")) for key in ("length", "offset"))
    if length is not None:
        return length
    try:
        return max(0, (folder / told.get("location", "")).stat().st_size - (offset or 0))
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return 0


def _number(words: str) -> int | None:
    return int(words) if words.isascii() and words.isdigit() and len(words) < 19 else None


def _tensors(graph: Any) -> Iterator[Any]:
    """All constants of a graph, those inside of its nodes, too."""
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
        for inner in subgraphs(node):
            yield from _tensors(inner)
