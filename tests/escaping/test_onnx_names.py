"""Names in ONNX: as they are, but for lone surrogates, which protobuf cannot hold."""

from __future__ import annotations

import json

import onnx
import onnx_graphsurgeon
import pytest
from exchange.onnx_files import attributes, edges, exported
from summarised import blocks_of

import engine_layer_visualize as elv
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.documents.markup import set_page
from escaping.poison import POISON, kernel, tensor
from escaping.test_markdown_names import MARKUP, tokens


def plain(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def test_an_engine_as_onnx(poisoned: Engine) -> None:
    made = exported(poisoned)
    found = made.graph.node
    assert [node.op_type for node in found] == [plain(name) or "Opaque" for name in POISON]
    for number, node in enumerate(found):
        told = attributes(node)
        assert told["layer"].decode() == plain(POISON[number])
        assert told["kernel"].decode() == plain(kernel(number))
        assert node.name == plain(POISON[number])
        assert list(node.input) == [plain(tensor(number))]
    assert edges(made) == {(one.source, one.target) for one in poisoned.graph.between}
    onnx_graphsurgeon.import_onnx(made)


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine whose model has poisonous names and operators, of which layers name half."""
    folder = tmp_path_factory.mktemp("behind")
    log, path = folder / "build.log", folder / "model.onnx"
    names = [plain(name) for name in POISON if plain(name)]
    graph = onnx.GraphProto(name="g")
    for number, name in enumerate(names):
        graph.node.add(op_type=name, name=name, input=[f"{number}"], output=[f"{number + 1}"])
    graph.node.add(op_type="Relu", name="known", input=["a"], output=["b"])
    path.write_bytes(onnx.ModelProto(ir_version=9, graph=graph).SerializeToString())
    record = "Layer(PointWise): known, Tactic: 0x1, a[Float(1)] -> b[Float(1)]"
    log.write_text(f"[V] [TRT] Engine Layer Information:\n{record}\n", "utf-8")
    (engine,) = elv.read(log, onnx=path).engines
    assert engine.onnx is not None and engine.onnx.same
    return engine


def test_operators_and_names_of_a_model(behind: Engine) -> None:
    told = json.loads(render(behind, "json"))["engine"]["onnx"]["in_no_layer"]
    assert [one["node"] for one in told] == [plain(name) for name in POISON if plain(name)]
    text = set_page(blocks_of(behind, only=["onnx"]))
    assert not {token.type for token in tokens(text)} & (MARKUP - {"softbreak"})
    shown = str(elv.summary(behind, width=200))
    assert "in no layer: " in shown
    assert all(char.isprintable() or char == "\n" for char in shown)
