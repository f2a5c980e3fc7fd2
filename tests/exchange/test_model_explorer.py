"""Model Explorer's files: a node for each layer, modules as groups, data of nodes, two in sync."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from factories import chain, layer, linked
from logtext import file_of
from paths import FIXTURES

from engine_layer_visualize import cli, read
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import compare
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import DEFAULT, ReportOptions
from engine_layer_visualize.drawings.theme import LIGHT, contrast
from engine_layer_visualize.writers import pieces, render, render_comparison
from exchange import model_explorer_values as values
from exchange.test_trace import of_layers, timed

CLASSIC = FIXTURES / "classic"
LOG, PROFILE = CLASSIC / "8.0-centernet.log", CLASSIC / "8.0-centernet.profile.json"
COMPARED = [FIXTURES / "comparison" / "fp16.log", FIXTURES / "comparison" / "int8.log"]
DATA = "engine_layer_visualize.adapters.model_explorer.node_data"
ADAPTER = "engine_layer_visualize.adapters.model_explorer.main"


def graph(of: Engine) -> dict[str, Any]:
    (found,) = json.loads(render(of, "model-explorer"))
    return dict(found)


def test_repeated_blocks_are_groups_whose_names_the_tool_can_draw() -> None:
    """It draws ASCII alone, and a slash would begin another group."""
    layers = [layer(at, name, [f"t{at}"], [f"t{at + 1}"]) for at, name in enumerate("abcd" * 3)]
    spaces = [one["namespace"] for one in graph(linked(*layers))["nodes"]]
    assert spaces == [f"4 layers {at // 4 + 1} of 3" for at in range(12)]


def data(of: Engine, what: str) -> dict[str, Any]:
    text = b"".join(pieces(of, "model-explorer", DEFAULT, f"{what}.json"))
    ((id_, found),) = json.loads(text).items()
    assert id_ == graph(of)["id"]
    return dict(found)


def centernet() -> Engine:
    (found,) = read(LOG, PROFILE, facts=True).engines
    return found


def test_a_node_is_a_layer_and_an_edge_an_edge() -> None:
    engine = centernet()
    nodes = graph(engine)["nodes"]
    assert [one["id"] for one in nodes] == [str(layer.index) for layer in engine.layers]
    edges = [
        (int(edge["sourceNodeId"]), int(one["id"]), int(edge["sourceNodeOutputId"]),
         int(edge["targetNodeInputId"]))
        for one in nodes
        for edge in one["incomingEdges"]
    ]  # fmt: skip
    assert {edge[:2] for edge in edges} == {(e.source, e.target) for e in engine.graph.between}
    assert len(edges) == len(engine.graph.between)
    for source, target, output, place in edges:
        written = engine.layers[source].outputs[output].name
        assert written == engine.layers[target].inputs[place].name
    for one, known in zip(nodes, engine.layers):
        attrs = {pair["key"]: pair["value"] for pair in one["attrs"]}
        assert attrs["name"] == known.name and attrs["type"] == known.type
        assert all(isinstance(pair["value"], str) for pair in one["attrs"])
        tensors = [
            [pair["value"] for pair in item["attrs"] if pair["key"] == "tensor_name"]
            for item in one["outputsMetadata"]
        ]
        assert tensors == [[tensor.name] for tensor in known.outputs]


def test_modules_are_namespaces_with_the_sums_of_their_times() -> None:
    found = graph(
        of_layers(
            timed(0, "/net/layer1/0/Conv", "x", "y", 1.5),
            timed(1, "/net/layer1/1/Conv", "y", "z", 0.25),
            timed(2, "/net/head/Conv", "z", "u", 1.0),
        )
    )
    assert [one["namespace"] for one in found["nodes"]] == [
        *("net/layer1/0", "net/layer1/1", "net/head"),
    ]
    sums = {name: told["ms"] for name, told in found["groupNodeAttributes"].items()}
    assert sums == {
        **{"": "2.75", "net": "2.75", "net/layer1": "1.75"},
        **{"net/layer1/0": "1.5", "net/layer1/1": "0.25", "net/head": "1"},
    }


@pytest.mark.parametrize("stem", ["8.0-centernet", "10-two-profiles-myelin"])
def test_each_namespace_sums_what_is_inside(stem: str) -> None:
    profiles = sorted(CLASSIC.glob(f"{stem}.profile*"))
    (engine,) = read(CLASSIC / f"{stem}.log", profiles, facts=True).engines
    costs, found = Costs(engine), graph(engine)
    for name, told in found["groupNodeAttributes"].items():
        inside = [
            engine.layers[int(one["id"])]
            for one in found["nodes"]
            if not name or f"{one['namespace']}/".startswith(f"{name}/")
        ]
        assert told["layers"] == str(len(inside)) and inside
        # What is above all optimisation profiles has no sum of them.
        any_timed = any(costs.of(layer) is not None for layer in inside)
        assert ("ms" in told) == (any_timed and (bool(name) or len(costs.profiles) == 1))
        if "ms" in told:
            ms = math.fsum(costs.of(layer) or 0.0 for layer in inside)
            assert float(told["ms"]) == pytest.approx(ms, rel=1e-8)


def test_names_without_paths_give_repeated_blocks() -> None:
    names = ["stem", *(f"{part}_{n}" for n in range(3) for part in ("Conv", "Relu", "Pool", "Add"))]
    spaces = {one["namespace"] for one in graph(chain(*names))["nodes"]}
    assert len(spaces) > 1 and not any("//" in space for space in spaces)


def test_data_of_nodes() -> None:
    engine = centernet()
    costs = Costs(engine)
    latency = data(engine, "latency")["results"]
    assert {key: one["value"] for key, one in latency.items()} == {
        str(layer.index): costs.of(layer) for layer in engine.layers
    }
    hottest = max(latency.values(), key=lambda one: one["value"])
    assert hottest["bgColor"] == data(engine, "latency")["gradient"][-1]["bgColor"]
    precision = data(engine, "precision")["results"]
    assert {one["value"] for one in precision.values()} >= {"Int8", "Float"}
    assert len(precision) == len(engine.layers)
    assert "(bytes)" in data(engine, "memory")["name"]


def test_dark_labels_can_be_read_on_each_fill() -> None:
    fills = {one["style"]["backgroundColor"] for one in graph(centernet())["nodes"]}
    assert len(fills) > 5 and min(contrast(fill, LIGHT.ink) for fill in fills) >= 4.5


def test_an_engine_without_times_has_no_latency() -> None:
    made = chain("a", "b")
    assert data(made, "latency")["results"] == {}
    assert "ms" not in graph(made)["groupNodeAttributes"][""]


def test_four_files_and_a_line_about_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--log_file", str(LOG), "--format", "model-explorer", "--output_dir", str(tmp_path)]
    assert cli.main(words) == 0
    wanted = {f"EngineLayers_0.{one}.json" for one in ("graph", "latency", "memory", "precision")}
    assert {path.name for path in tmp_path.iterdir()} == wanted
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert cli.main(words) == 0  # of the same log: no warning
    assert "ELV505" not in capsys.readouterr().err
    other = file_of(tmp_path, LOG.read_bytes(), "other.log")
    words = ["--log_file", str(other), *words[2:]]
    assert cli.main(words) == 4
    assert capsys.readouterr().err.count("ELV505") == 1
    for kind in ("latency", "memory", "precision"):
        (tmp_path / f"EngineLayers_0.{kind}.json").unlink()
    assert cli.main(words) == 4, "the other one is in the way"
    assert [path.name for path in tmp_path.glob("*.json")] == ["EngineLayers_0.graph.json"]


def test_the_sync_file_is_the_groups_of_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", *map(str, COMPARED), "--output_dir", str(tmp_path)]
    assert cli.main([*words, "--format", "model-explorer"]) == 0
    assert cli.main([*words, "--format", "json"]) == 0
    (path,) = tmp_path.glob("*.sync.json")
    told = json.loads(path.read_text())
    assert (told["type"], told["disableMappingFallback"]) == ("sync_navigation", True)
    (compared,) = json.loads((tmp_path / "comparison.json").read_text())["comparisons"]
    entries = [
        (list(map(int, one["leftNodeIds"])), list(map(int, one["rightNodeIds"])))
        for one in told["mappingEntries"]
    ]
    assert entries == [(one["a"], one["b"]) for one in compared["groups"]]
    for side in zip(*entries):
        ids = [index for one in side for index in one]
        assert len(ids) == len(set(ids)) and ids
    capsys.readouterr()
    assert cli.main([*words, "--format", "model-explorer"]) == 0
    assert "ELV505" not in capsys.readouterr().err


def test_two_panes_show_two_engines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", *map(str, COMPARED), str(LOG), "--output_dir", str(tmp_path)]
    assert cli.main([*words, "--format", "model-explorer"]) == 0
    assert "maps A to the first B alone" in capsys.readouterr().err


def test_an_engine_in_sync_with_itself() -> None:
    costs = Costs(centernet())
    text = render_comparison([compare(costs, costs)], [], "model-explorer", ReportOptions())
    for one in json.loads(text)["mappingEntries"]:
        assert one["leftNodeIds"] == one["rightNodeIds"]


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The extension, in the package where that is installed."""
    if importlib.util.find_spec("model_explorer") is None:
        for name, module in values.modules().items():
            monkeypatch.setitem(sys.modules, name, module)
        for name in (ADAPTER, DATA):
            monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module(ADAPTER)


def test_the_extension_gives_the_package_s_own_values(extension: Any) -> None:
    from model_explorer.graph_builder import Graph

    (found,) = extension.EngineAdapter().convert(str(LOG), {})["graphs"]
    assert isinstance(found, Graph)
    (engine,) = read(LOG, facts=True).engines
    told = asdict(found)
    wanted = graph(engine)
    assert [one["id"] for one in told["nodes"]] == [one["id"] for one in wanted["nodes"]]
    for one, other in zip(told["nodes"], wanted["nodes"]):
        assert {key: one[key] for key in other if key != "style"} == {
            key: value for key, value in other.items() if key != "style"
        }
    assert told["groupNodeAttributes"] == wanted["groupNodeAttributes"]
    assert told["id"] == wanted["id"]


def test_the_extension_gives_data_of_the_graph_s_nodes(extension: Any) -> None:
    provider, id_ = extension.node_data.EngineNodeData(), f"{LOG.name}:13 engine 0"
    assert extension.EngineAdapter().convert(str(LOG), {})["graphs"][0].id == id_
    asked = provider.get_config_editors("tensorrt_engine_latency").configEditors
    assert [one.id for one in asked] == ["profile_file"]
    given = {"profile_file": str(PROFILE)}
    found = provider.run("tensorrt_engine_latency", str(LOG), id_, given, None)
    assert not found.error and found.result.name == "latency (ms)"
    ms = math.fsum(one.value for one in found.result.results.values())
    assert ms == pytest.approx(Costs(centernet()).total)
    precision = provider.run("tensorrt_engine_precision", str(LOG), id_, {}, None)
    assert precision.result.results["0"].value
    assert "no engine" in provider.run("tensorrt_engine_latency", str(LOG), "x", {}, None).error
    no_log = str(FIXTURES / "broken" / "info-level.log")
    broken = provider.run("tensorrt_engine_latency", no_log, id_, {}, None)
    assert "ELV4" in broken.error


def test_the_extension_names_what_it_reads(extension: Any) -> None:
    assert "log" in extension.EngineAdapter.metadata.fileExts
    ids = [one.id for one in extension.node_data.EngineNodeData.metadata]
    assert ids == [f"tensorrt_engine_{what}" for what in ("latency", "memory", "precision")]


def test_the_extension_works_in_a_version_without_node_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, module in values.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.delattr(module, "NodeDataProvider")
    for name in (ADAPTER, DATA):
        monkeypatch.delitem(sys.modules, name, raising=False)
    package = importlib.import_module(ADAPTER.removesuffix(".main"))
    monkeypatch.delattr(package, "node_data", raising=False)
    extension = importlib.import_module(ADAPTER)
    assert not hasattr(extension, "node_data")
    assert len(extension.EngineAdapter().convert(str(LOG), {})["graphs"]) == 1
