"""What real logs are exported to: tables, whose every cell is the JSON's value, ONNX, traces."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import onnx
import onnx_graphsurgeon
import pyarrow as pa
import pytest
from exchange.onnx_files import attributes, edges, exported
from exchange.perfetto import misplaced
from model_files import of_log
from recorded_logs import LOGS, build_of, engines_of

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import LINTS, render
from engine_layer_visualize.api.engine import Build, Engine, summary
from engine_layer_visualize.api.read import Log, read
from engine_layer_visualize.core import onnx_model, problems, text
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.export.piece import Cutter, NoPiece, trtexec_line
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.linting.selection import selected


@pytest.fixture(scope="module", params=LOGS, ids=lambda path: path.name[:3])
def build(request: pytest.FixtureRequest) -> Build:
    return build_of(request.param)


def cells(build: Build, table: str) -> dict[int, list[dict[str, Any]]]:
    """The rows of each engine, without the columns that all tables begin with."""
    found: dict[int, list[dict[str, Any]]] = {engine.index: [] for engine in build.engines}
    digest = hashlib.sha256(Path(build.engines[0].source.file).read_bytes()).hexdigest()
    for row in build.tables[table].rows():
        own = dict(row)
        assert own.pop("build_id") == digest
        found[own.pop("engine")].append(own)
    return found


def whole(engine: Engine) -> Any:
    return json.loads(render(engine, "json"))


def some(row: dict[str, Any], keys: str) -> dict[str, Any]:
    return {key: row[key] for key in keys.split()}


def only(rows: Iterable[dict[str, Any]], keys: str) -> list[dict[str, Any]]:
    return [some(row, keys) for row in rows]


def test_engines(build: Build) -> None:
    for engine in build.engines:
        (row,), data = cells(build, "engines")[engine.index], whole(engine)
        own, facts, time = data["engine"], data["engine"]["facts"], data["engine"]["time"]
        keys = "name compute_capability sms memory_mib"
        device = facts["device"] or dict.fromkeys(keys.split())
        performance = facts["performance"] or {}
        means = {one["name"]: one["mean"] for one in performance.get("measures", ())}
        assert row == {
            **some(own, "dialect tensorrt"),
            **some(own["source"], "file first_line last_line"),
            **some(own["work"], "macs macs_known"),
            **some(time, "timed of_profile_ms"),
            **some(device, "compute_capability sms memory_mib"),
            **some(facts, "precisions peak_cpu_mib peak_gpu_mib warnings errors"),
            **some(data, "inputs outputs"),
            "device": device["name"],
            "layers": len(data["layers"]),
            "edges": sum(None not in (one["from"], one["to"]) for one in data["edges"]),
            "ms": time["total_ms"],
            "time_kind": time["kind"],
            "latency_ms": means.get("Latency"),
            "throughput_qps": performance.get("throughput_qps"),
            "gpu_compute_ms": means.get("GPU Compute Time"),
            "reformats": sum(
                one["type"] in ("Reformat", "MyelinReformat") for one in data["layers"]
            ),
            "memory": [{"name": k, "bytes": v} for k, v in facts["memory"].items()],
            "options": only(facts["options"], "section key value"),
        }


def test_layers(build: Build) -> None:
    for engine in build.engines:
        rows, data = cells(build, "layers")[engine.index], whole(engine)
        kind = data["engine"]["time"]["kind"]
        told = (row for one in summary(engine).data["engines"] for row in one["slowest"])
        shares = {row["index"]: row["share"] for row in told}
        assert len(rows) == len(data["layers"])
        for row, layer in zip(rows, data["layers"]):
            facts, time, work = layer["facts"], layer["time"] or {}, layer["work"]
            ms = time.get("average_ms") if kind == "measured" else facts["build_ms"]
            if kind == "estimated" and layer["type"] in ("NoOp", "Constant"):
                ms = None
            assert row.pop("optimization_profile") >= 0
            assert (row["share"] is None) == (ms is None)
            share = row.pop("share")
            assert shares.get(layer["index"], share) == share
            assert row == {
                **some(layer, "line name type tactic device kernel scope waits_for_dla"),
                **some(facts, "build_ms runner onnx_nodes precision"),
                "layer": layer["index"],
                "ms": ms,
                "time_kind": None if ms is None else kind,
                "inputs": tensors(layer["inputs"]),
                "outputs": tensors(layer["outputs"]),
                "median_ms": time.get("median_ms"),
                "runs": time.get("n"),
                "tactics_tried": facts["candidates"]["tried"],
                **facts["memory"],
                **some(work, "macs bytes intensity bound_ms bound_by efficiency"),
                "listed": layer["attributes"].get("Listed", True),
            }


def tensors(several: list[dict[str, Any]]) -> list[dict[str, Any]]:
    keys = ("name", "dtype", "shape", "format", "strides")
    return [{key: one.get(key) for key in keys} for one in several]


def test_what_layers_hold(build: Build) -> None:
    tables = {name: cells(build, name) for name in SCHEMAS}
    for engine in build.engines:
        data, at = whole(engine), engine.index
        layers = data["layers"]
        assert only(tables["tensors"][at], "layer direction position name dtype shape dims") == [
            {"layer": layer["index"], "direction": direction, "position": position}
            | {key: one[key] for key in ("name", "dtype", "shape", "dims")}
            for layer in layers
            for direction in ("input", "output")
            for position, one in enumerate(layer[f"{direction}s"])
        ]
        sizes = ((row["bytes"], row["shape"]) for row in tables["tensors"][at])
        assert all(n is None or (n >= 0 and min(dims, default=0) >= 0) for n, dims in sizes)
        assert tables["edges"][at] == data["edges"]
        assert tables["onnx_nodes"][at] == [
            {"layer": la["index"], "node": node, "operator": operator or None}
            | {"known_from": la["facts"]["onnx_nodes_from"]}
            for la in layers
            for node, operator in zip(
                la["facts"]["onnx_nodes"],
                la["facts"]["onnx_operators"] or [""] * len(la["facts"]["onnx_nodes"]),
            )
        ]
        assert tables["problems"][at] == data["problems"]


def test_reformats_and_findings(build: Build) -> None:
    tables = {name: cells(build, name) for name in ("reformats", "findings")}
    for engine in build.engines:
        one = Costs(engine)
        options = ReportOptions(full=True)
        told = "".join(LINTS["json"].load()([selected(one)], options))
        (found,) = json.loads(told)["engines"]
        keys = "code severity name ms layers message advice evidence"
        assert only(tables["findings"][engine.index], keys) == only(found["findings"], keys)
        kinds = [row["time_kind"] for row in tables["findings"][engine.index]]
        assert kinds == [row["ms_kind"] for row in found["findings"]]
        (data,) = summary(engine).data["engines"]
        own = {row["layer"]: row for row in tables["reformats"][engine.index]}
        assert len(data["reformats"]) <= len(own)
        for reformat in data["reformats"]:
            row = own[reformat["index"]]
            keys = "reason ms from to name share origin"
            assert only([row], keys) == only([reformat], keys)
            assert (row["changes"] or []) == reformat["changes"]


def test_arrow_has_the_same_cells_and_types(build: Build) -> None:
    for own in map(build.tables.__getitem__, SCHEMAS):
        arrow = pa.table(own)
        types = (column.type.replace("float64", "double") for column in own.columns)
        kinds = [one.replace("list<", "list<item: ") for one in types]
        assert [str(field.type) for field in arrow.schema] == kinds
        assert arrow.to_pylist() == [dict(row) for row in own.rows()]
        sources = json.loads(arrow.schema.metadata[b"elv.sources"])
        assert sources == [text.base_name(build.engines[0].source.file)]


# ---- ONNX: as many nodes and edges as the engine, and the models that the logs parsed ------------


def test_onnx_has_the_engine_s_nodes_and_edges_and_graphsurgeon_reads_them(build: Build) -> None:
    for engine in build.engines:
        made = exported(engine)
        assert len(made.graph.node) == len(engine.layers)
        assert edges(made) == {(one.source, one.target) for one in engine.graph.between}
        for node, layer in zip(made.graph.node, engine.layers):
            found = attributes(node)
            assert found["layer"].decode() == node.name == layer.name
            if layer.time is not None:
                assert found.get("ms") == pytest.approx(layer.time.average_ms)
            elif "ms" in found:
                assert (found["time_kind"], found["ms"]) == (b"estimated", found["build_ms"])
            assert found.get("macs") == engine.work.of(layer).macs
        again = onnx_graphsurgeon.export_onnx(onnx_graphsurgeon.import_onnx(made))
        onnx.checker.check_model(again)
        assert edges(again) == edges(made)


# The one that is left out has no engine.
TOLD = [path for path in LOGS if b"Parsing node: " in path.read_bytes() and path.name[:3] != "322"]


@pytest.fixture(params=TOLD, ids=lambda path: path.name[:3])
def told(request: pytest.FixtureRequest) -> tuple[Path, Any]:
    """A log, and the model whose parsing it has."""
    behind = of_log(request.param)
    if behind is None:
        pytest.skip("its nodes have no tensors")
    return request.param, behind


def test_a_model_tells_what_the_log_s_parsing_tells(told: tuple[Path, Any], tmp_path: Path) -> None:
    path, behind = told
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


# ---- pieces of the models, of every layer -------------------------------------------------------


def test_a_piece_of_each_layer(told: tuple[Path, Any]) -> None:
    """Weights are inputs here: a log does not have them."""
    path, behind = told
    weights = [*behind.graph.initializer]
    del behind.graph.initializer[:]
    for one in weights:
        info = onnx.helper.make_tensor_value_info(one.name, one.data_type, list(one.dims))
        behind.graph.input.append(info)
    model = onnx_model.OnnxModel("model.onnx", behind)
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


# ---- traces: every timed layer is there with its time, and slices nest ---------------------------


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_slices_nest_and_sum_to_the_layers(path: Path) -> None:
    for engine in engines_of(path):
        costs = Costs(engine)
        times = {one.index: ms for one in engine.layers if (ms := costs.of(one)) is not None}
        try:
            events = json.loads(render(engine, "trace"))["traceEvents"]
        except problems.ReadError:
            assert not times
            continue
        layers = {one["args"]["index"]: one for one in events if one.get("cat") == "layer"}
        assert list(layers) == list(times)
        for index, one in layers.items():
            assert one["dur"] == pytest.approx(1000 * times[index], abs=0.5001e-3)
        assert not misplaced(events)
