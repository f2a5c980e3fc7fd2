"""Every cell of every table of real logs is the JSON's value, in every format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from recorded_logs import LOGS, build_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render, render_findings
from engine_layer_visualize.api.engine import Build, Engine, summary
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.export.tables import SCHEMAS
from engine_layer_visualize.linting.selection import selected

pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")


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


def only(rows: Iterable[dict[str, Any]], keys: str) -> list[dict[str, Any]]:
    return [{key: row[key] for key in keys.split()} for row in rows]


def test_engines(build: Build) -> None:
    for engine in build.engines:
        (row,), data = cells(build, "engines")[engine.index], whole(engine)
        own, facts, time = data["engine"], data["engine"]["facts"], data["engine"]["time"]
        device, performance = facts["device"] or {}, facts["performance"] or {}
        means = {one["name"]: one["mean"] for one in performance.get("measures", ())}
        assert row == {
            "dialect": own["dialect"],
            "tensorrt": own["tensorrt"],
            "device": device.get("name"),
            "compute_capability": device.get("compute_capability"),
            "precisions": facts["precisions"],
            "layers": len(data["layers"]),
            "edges": sum(None not in (one["from"], one["to"]) for one in data["edges"]),
            "ms": time["total_ms"],
            "time_kind": time["kind"],
            "latency_ms": means.get("Latency"),
            "throughput_qps": performance.get("throughput_qps"),
            "file": own["source"]["file"],
            "first_line": own["source"]["first_line"],
            "last_line": own["source"]["last_line"],
            "timed": time["timed"],
            "of_profile_ms": time["of_profile_ms"],
            "gpu_compute_ms": means.get("GPU Compute Time"),
            "inputs": data["inputs"],
            "outputs": data["outputs"],
            "reformats": sum(
                one["type"] in ("Reformat", "MyelinReformat") for one in data["layers"]
            ),
            "macs": own["work"]["macs"],
            "macs_known": own["work"]["macs_known"],
            "sms": device.get("sms"),
            "memory_mib": device.get("memory_mib"),
            "memory": [{"name": k, "bytes": v} for k, v in facts["memory"].items()],
            "peak_cpu_mib": facts["peak_cpu_mib"],
            "peak_gpu_mib": facts["peak_gpu_mib"],
            "options": only(facts["options"], "section key value"),
            "warnings": facts["warnings"],
            "errors": facts["errors"],
        }


def test_layers(build: Build) -> None:
    for engine in build.engines:
        rows, data = cells(build, "layers")[engine.index], whole(engine)
        kind = data["engine"]["time"]["kind"]
        shares = {
            row["index"]: row["share"]
            for one in summary(engine).data["engines"]
            for row in one["slowest"]
        }
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
                "layer": layer["index"],
                "line": layer["line"],
                "name": layer["name"],
                "type": layer["type"],
                "tactic": layer["tactic"],
                "device": layer["device"],
                "kernel": layer["kernel"],
                "ms": ms,
                "time_kind": None if ms is None else kind,
                "build_ms": facts["build_ms"],
                "runner": facts["runner"],
                "onnx_nodes": facts["onnx_nodes"],
                "inputs": tensors(layer["inputs"]),
                "outputs": tensors(layer["outputs"]),
                "median_ms": time.get("median_ms"),
                "runs": time.get("n"),
                "precision": facts["precision"],
                "tactics_tried": facts["candidates"]["tried"],
                **facts["memory"],
                **{key: work[key] for key in ("macs", "bytes", "intensity", "bound_ms")},
                **{key: work[key] for key in ("bound_by", "efficiency")},
                "scope": layer["scope"],
                "waits_for_dla": layer["waits_for_dla"],
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
        assert all(
            row["bytes"] is None or (row["bytes"] >= 0 and min(row["shape"], default=0) >= 0)
            for row in tables["tensors"][at]
        )
        assert tables["edges"][at] == data["edges"]
        assert tables["attributes"][at] == [
            {"layer": layer["index"], "key": key, "value": json.dumps(value, ensure_ascii=False)}
            for layer in layers
            for key, value in layer["attributes"].items()
        ]
        best = [(la["index"], la["facts"]["candidates"]["best"]) for la in layers]
        keys = "kernel tactic ms runner formats"
        assert only(tables["candidates"][at], f"layer rank {keys}") == [
            {"layer": index, "rank": rank, **one}
            for index, several in best
            for rank, one in enumerate(several, 1)
        ]
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
        told = "".join(render_findings([selected(one)], "json", options))
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
        assert [str(field.type) for field in arrow.schema] == [
            column.type.replace("list<", "list<item: ").replace("float64", "double")
            for column in own.columns
        ]
        assert arrow.to_pylist() == [dict(row) for row in own.rows()]
        sources = json.loads(arrow.schema.metadata[b"elv.sources"])
        assert sources == [base_name(build.engines[0].source.file)]
