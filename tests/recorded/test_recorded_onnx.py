"""Real engines as ONNX, and the models that their logs parsed, given as files."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx_graphsurgeon
import pytest
from exchange.onnx_files import attributes, edges, exported
from model_files import of_log
from recorded_logs import LOGS, build_of

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.api.engine import Build
from engine_layer_visualize.api.read import read

PARSED = [path for path in LOGS if b"Parsing node: " in path.read_bytes()]
pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")


@pytest.fixture(scope="module", params=LOGS, ids=lambda path: path.name[:3])
def build(request: pytest.FixtureRequest) -> Build:
    return build_of(request.param)


def test_as_many_nodes_and_edges_as_the_engine(build: Build) -> None:
    for engine in build.engines:
        made = exported(engine)
        assert len(made.graph.node) == len(engine.layers)
        assert edges(made) == {(one.source, one.target) for one in engine.graph.between}
        for node, layer in zip(made.graph.node, engine.layers):
            found = attributes(node)
            assert found["layer"].decode() == node.name == layer.name
            ms = None if layer.time is None else pytest.approx(layer.time.average_ms)
            assert found.get("ms") == ms
            assert found.get("macs") == engine.work.of(layer).macs


def test_graphsurgeon_reads_it(build: Build) -> None:
    for engine in build.engines:
        made = exported(engine)
        again = onnx_graphsurgeon.export_onnx(onnx_graphsurgeon.import_onnx(made))
        onnx.checker.check_model(again)
        assert edges(again) == edges(made)


TOLD = [path for path in PARSED if path.name[:3] != "322"]  # which has no engine


@pytest.mark.parametrize("path", TOLD, ids=lambda path: path.name[:3])
def test_a_model_tells_what_the_log_s_parsing_tells(path: Path, tmp_path: Path) -> None:
    behind = of_log(path)
    if behind is None:
        pytest.skip("its nodes have no tensors")
    file = tmp_path / "model.onnx"
    file.write_bytes(behind.SerializeToString())
    for ours, theirs in zip(read(path, onnx=file).engines, read(path, facts=True).engines):
        assert ours.onnx is not None
        if not ours.onnx.same:  # the log lacks most of the parsing
            assert any(one.code == "ELV802" for one in ours.problems)
            continue
        assert ours.work.macs == theirs.work.macs
        for one, other in zip(ours.layers, theirs.layers):
            assert origin.onnx_nodes_of(one) == origin.onnx_nodes_of(other)
            assert one.facts is not None and other.facts is not None
            assert one.facts.onnx_edges == other.facts.onnx_edges
