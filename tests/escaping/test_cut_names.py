"""Poisonous names of layers, nodes and tensors in the command of a piece, which a shell runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Edge, Engine, Graph, Layer, Listing, Tensor
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.export.piece import Cutter, trtexec_line
from escaping.poison import POISON


def info(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4])


@pytest.mark.parametrize("name", [one for one in POISON if "\ud800" not in one])
def test_the_shell_sees_words(name: str, tmp_path: Path) -> None:
    """The name is that of the node, of the layer, of its tensor and of the log."""
    nodes = [
        helper.make_node("Relu", ["x"], [f"t{name}"], name="before"),
        helper.make_node("Relu", [f"t{name}"], ["y"], name=f"n{name}"),
    ]
    graph = helper.make_graph(nodes, "g", [info("x")], [info("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    tensors = [Tensor(one, "Float", "-1,4", (-1, 4)) for one in (f"t{name}", "y")]
    facts = LayerFacts(onnx_nodes=(f"n{name}",), onnx_nodes_from="graph")
    reads, writes = (tensors[0],), (tensors[1],)
    layers = (Layer(0, Place("x", 1), "Relu", f"n{name}", None, reads, writes, None, facts=facts),)
    edges = (Edge(None, 0, f"t{name}"), Edge(0, None, "y"))
    engine = Engine(0, Listing(f"l{name}.log", 1, 1), layers, Graph((f"t{name}",), ("y",), edges))
    cutter = Cutter(engine, OnnxModel("model.onnx", model))
    piece, _ = cutter.cut(layers[0])
    assert [one.name for one in piece.graph.input] == [f"t{name}"]
    # A terminal gets control characters spelled.
    line = visible(trtexec_line(cutter, Costs(engine), layers[0], piece, tmp_path / "cut.onnx"))
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "trtexec").write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    (tools / "trtexec").chmod(0o755)
    before = {path.name for path in tmp_path.iterdir()}
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env={"PATH": f"{tools}:/usr/bin:/bin"},
        capture_output=True,
        check=True,
        cwd=tmp_path,
    )
    words = done.stdout.decode().split("\0")
    assert words[0] == f"--onnx={tmp_path}/cut.onnx"
    assert f"--shapes={visible(f't{name}')}:?x4" in words
    assert words[-3:] == [
        "--separateProfileRun",
        f"--exportProfile={tmp_path}/cut.profile.json",
        "",
    ]
    assert not done.stderr
    assert {path.name for path in tmp_path.iterdir()} == before
