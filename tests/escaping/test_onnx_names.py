"""Names in ONNX: as they are, but for lone surrogates, which protobuf cannot hold."""

from __future__ import annotations

import onnx_graphsurgeon
from exchange.onnx_files import attributes, edges, exported, layers

from engine_layer_visualize.display import Engine
from escaping.poison import POISON, kernel, tensor


def plain(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def test_an_engine_as_onnx(poisoned: Engine) -> None:
    made = exported(poisoned)
    found = layers(made)
    assert [node.op_type for node in found] == [plain(name) or "Opaque" for name in POISON]
    for number, node in enumerate(found):
        told = attributes(node)
        assert told["layer"].decode() == plain(POISON[number])
        assert told["kernel"].decode() == plain(kernel(number))
        assert list(node.input) == [plain(tensor(number))]
    assert edges(made) == {(one.source, one.target) for one in poisoned.graph.between}
    onnx_graphsurgeon.import_onnx(made)
