"""ONNX models that belong to logs: of what the parser printed into a log."""

import re
from pathlib import Path
from typing import Any, Final

import onnx
from onnx import TensorProto, helper

_NODE: Final = re.compile(r"(?m)Parsing node: (.*) \[(\w+)\]\s*$")
_TENSOR: Final = re.compile(r"\[([^\[\]]+?) -> \(([^()\[\]]*)\)\[(\w+)\]\]")
_LIST: Final = re.compile(r"(?m)\[TRT\] (.*) \[(\w+)\] (in|out)puts: (.*)$")
_INITIALIZER: Final = re.compile(r"(?m)Importing initializer: (.*?)\s*$")
# Values of attributes, which a log does not print.
_ANY: Final[dict[str, Any]] = {"INT": 1, "INTS": [1, 1], "FLOAT": 1.0, "STRING": "a"}
_ELEMENTS: Final = {"FLOAT": "FLOAT", "INT32": "INT32", "INT64": "INT64", "BOOL": "BOOL"}


def of_log(path: Path) -> Any:
    """The model whose parsing a log has, with the extents that the log prints; None where it has
    none. Its weights are in a file that is not there."""
    text = path.read_text("utf-8", "replace")
    names = dict.fromkeys(_NODE.findall(text))
    lists: dict[tuple[str, str, str], list[tuple[str, str, str]]] = {}
    for name, operator, which, words in _LIST.findall(text):
        lists.setdefault((name, operator, which), _TENSOR.findall(words))
    dims = {
        tensor: (kind, [int(word) for word in extents.split(", ") if word])
        for found in lists.values()
        for tensor, extents, kind in found
    }
    nodes = [
        helper.make_node(
            operator,
            [tensor for tensor, *_ in lists.get((name, operator, "in"), [])],
            [tensor for tensor, *_ in lists.get((name, operator, "out"), [])],
            name=name,
        )
        for name, operator in names
    ]
    nodes = [node for node in nodes if node.output]
    for node in nodes:
        for attribute in onnx.defs.get_schema(node.op_type).attributes.values():
            if attribute.required:
                kind = str(attribute.type).rpartition(".")[2]
                node.attribute.append(helper.make_attribute(attribute.name, _ANY[kind]))
    if not nodes:
        return None
    made = {name for node in nodes for name in node.output}
    read = dict.fromkeys(name for node in nodes for name in node.input if name not in made)
    weights = {*_INITIALIZER.findall(text)}
    graph = helper.make_graph(
        nodes,
        "logged",
        [_info(name, *dims[name]) for name in read if name not in weights],
        [_info(name, *dims[name]) for name in sorted(made - {n for x in nodes for n in x.input})],
        value_info=[_info(name, *dims[name]) for name in sorted(made)],
    )
    for name in read:
        if name in weights:
            graph.initializer.append(_elsewhere(name, *dims[name]))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _info(name: str, kind: str, extents: list[int]) -> Any:
    shape = [extent if extent >= 0 else None for extent in extents]
    return helper.make_tensor_value_info(name, _element(kind), shape)


def _elsewhere(name: str, kind: str, extents: list[int]) -> Any:
    """Weights as external data."""
    made = TensorProto(name=name, data_type=_element(kind), dims=extents)
    made.data_location = TensorProto.EXTERNAL
    made.external_data.add(key="location", value="weights-that-are-not-here.bin")
    return made


def _element(kind: str) -> int:
    return int(getattr(onnx.TensorProto, _ELEMENTS.get(kind, "FLOAT")))
