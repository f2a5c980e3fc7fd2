"""ONNX nodes of a ForeignNode, beside a real builder that says itself what is inside.

Logs of the builder are made as the tests run, and kept nowhere.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import builder
import pytest
from logtext import file_of
from onnx_models import APART, MODELS, running
from program import Capture

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import origin, precisions
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.core import layer_facts, model

pytestmark = builder.needed()

Logs = Callable[[str], str]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    names = sorted(MODELS)
    built = [(name, "LAYER_NAMES_ONLY") for name in names]
    told = builder.build(built, tmp_path_factory.mktemp("onnx"))
    assert all(told.built), told.errors
    return lambda name: told.of(names.index(name)).log()


def read(log: str, folder: Path) -> tuple[model.Layer, layer_facts.LayerFacts]:
    """The one layer."""
    (engine,) = elv.read(file_of(folder, log), facts=True).engines
    (layer,) = engine.layers
    assert layer.name.startswith("{ForeignNode[")
    assert layer.facts is not None
    return layer, layer.facts


def silent(log: str) -> str:
    """The log of a version that does not say what is inside."""
    found, times = re.subn(r"(?m)^(.*ForeignNode \{.*) metadata: .*$", r"\1", log)
    assert times
    return found


def unparsed(log: str) -> str:
    """The log of a network that does not come from the parser, or that was cut."""
    words = ("arsing node: ", "Searching for ", "Registering ", "Importing ", "puts: ")
    return "\n".join(line for line in log.split("\n") if not any(w in line for w in words))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_graph_tells_what_the_builder_tells(name: str, logs: Logs, tmp_path: Path) -> None:
    _, said = read(logs(name), tmp_path)
    assert (said.onnx_nodes_from, set(said.onnx_nodes)) == ("metadata", running(name))
    _, found = read(silent(logs(name)), tmp_path)
    assert found.onnx_nodes_from == "graph"
    # What computes shapes is on a path, too; the builder leaves it out, as it runs on the host.
    assert set(found.onnx_nodes) == {*said.onnx_nodes, *APART[name]}


def test_the_name_tells_two_ends(logs: Logs, tmp_path: Path) -> None:
    layer, facts = read(unparsed(silent(logs("bert"))), tmp_path)
    assert facts.onnx_nodes_from == "name"
    nodes = origin.onnx_nodes_of(layer)
    assert nodes.all == ()
    assert len(nodes.ends) == 2
    assert set(nodes.ends) <= running("bert")


def test_the_model_tells_what_the_log_does_not(logs: Logs, tmp_path: Path) -> None:
    """By hand: query, key, value; scores and what they weigh; twice, and the head."""
    log, path = tmp_path / "build.log", tmp_path / "bert.onnx"
    log.write_text(unparsed(silent(logs("bert"))), encoding="utf-8")
    path.write_bytes(MODELS["bert"]())
    (engine,) = elv.read(log, onnx=path).engines
    assert set(origin.onnx_nodes_of(engine.layers[0]).all) == running("bert")
    assert engine.work.macs == 2 * (3 * 8 * 16 * 16 + 2 * 8 * 8 * 16) + 8 * 16 * 4


def test_a_cut_graph_is_none(logs: Logs, tmp_path: Path) -> None:
    log = silent(logs("bert"))
    first, last = map(log.index, ("Parsing node: node_soft0 ", "node_soft0 [Softmax] outputs: "))
    start, end = log.rindex("\n", 0, first), log.index("\n", last)
    _, facts = read(log[:start] + log[end:], tmp_path)
    assert facts.onnx_nodes_from == "name"


def test_indices_tell_none(logs: Logs, tmp_path: Path, capsys: Capture) -> None:
    layer, _ = read(logs("bert"), tmp_path)
    assert [tensor.dtype for tensor in layer.inputs] == ["Int64", "Int64"]
    assert precisions.precision_of(layer) == "unknown"
    path = str(tmp_path / "build.log")
    assert main(["summary", "--log_file", path, "--format", "json"]) == 0
    (summary,) = json.loads(capsys.readouterr().out)["engines"]
    assert [row["precision"] for row in summary["precisions"]] == ["unknown"]
