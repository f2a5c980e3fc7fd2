"""Pieces of real models: those that logs parsed, of every layer of their engines."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from model_files import of_log
from paths import RECORDED

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.export.piece import Cutter, NoPiece, trtexec_line

LOGS = [
    path
    for path in sorted(RECORDED.glob("*.log"))
    if b"Parsing node: " in path.read_bytes() and not path.name.startswith("322")  # no engine in it
]
pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_each_layer(path: Path) -> None:
    """Weights are inputs here: a log does not have them."""
    behind = of_log(path)
    if behind is None:
        pytest.skip("its nodes have no tensors")
    weights = [*behind.graph.initializer]
    del behind.graph.initializer[:]
    for one in weights:
        info = onnx.helper.make_tensor_value_info(one.name, one.data_type, list(one.dims))
        behind.graph.input.append(info)
    model = OnnxModel("model.onnx", behind)
    own = {node.name: node for node in behind.graph.node}
    for engine in Log(path, onnx=model).engines():
        if engine.onnx is None or not engine.onnx.same:  # the log lacks most of the parsing
            continue
        cutter, costs = Cutter(engine, model), Costs(engine)
        wanted: set[str] = set()
        inside: set[str] = set()
        for layer in engine.layers:
            names = {*origin.onnx_nodes_of(layer).all} & own.keys()
            try:
                piece, _ = cutter.cut(layer)
            except NoPiece:
                assert not names
                continue
            onnx.checker.check_model(piece)
            assert all(node == own[node.name] for node in piece.graph.node)
            assert names <= {node.name for node in piece.graph.node}
            wanted |= names
            inside |= {node.name for node in piece.graph.node}
            line = trtexec_line(cutter, costs, layer, piece, Path("cut.onnx"))
            assert line.startswith("trtexec --onnx=cut.onnx ")
        assert wanted
        assert wanted <= inside
