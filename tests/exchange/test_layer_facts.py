"""What is known of a layer: the same in traces and in ONNX."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from factories import chain, layer, linked
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Layer
from exchange.onnx_files import attributes, exported

CENTERNET = ("classic/8.0-centernet.log", "classic/8.0-centernet.profile.json")
NSIGHT = ("classic/10-nsight.log", "classic/10-nsight.profile.csv")
PRETTY = ("inspector_json/trtexec-pretty.json", "inspector_json/trtexec-pretty.profile.json")
ESTIMATED = ("facts/8.6-runs.log",)
DLA = ("facts/8.5-dla.log", "facts/8.5-dla.profile.txt")
ALL = [CENTERNET, NSIGHT, PRETTY, ESTIMATED, DLA]

Facts = dict[str, Any]


def fixture(files: tuple[str, ...]) -> Engine:
    log, *profiles = (FIXTURES / name for name in files)
    return elv.read(log, profiles, facts=True).engines[0]


def in_trace(engine: Engine) -> dict[int, Facts]:
    """By index; the layers that have a time."""
    events = json.loads(render(engine, "trace"))["traceEvents"]
    told = [one["args"] for one in events if one.get("cat") == "layer"]
    return {one["index"]: one for one in told}


def in_onnx(engine: Engine) -> list[Facts]:
    return [attributes(node) for node in exported(engine).graph.node]


def as_attribute(fact: Any) -> Any:
    """ONNX has bytes, and floats of 32 bits."""
    if isinstance(fact, list):
        return [one.encode() for one in fact]
    return fact.encode() if isinstance(fact, str) else pytest.approx(fact, rel=1e-7, abs=1e-40)


def of_record(**printed: Any) -> Layer:
    return replace(layer(0, "a", ["x"], ["y"]), attributes=tuple(printed.items()))


@pytest.mark.parametrize("files", ALL, ids=lambda files: Path(files[0]).stem)
def test_both_formats_tell_the_same(files: tuple[str, ...]) -> None:
    engine = fixture(files)
    onnx, traced = in_onnx(engine), in_trace(engine)
    assert traced
    for index, facts in traced.items():
        values = onnx[index]
        assert list(values)[: len(facts) + 1] == ["layer", *facts]
        assert values["layer"].decode() == engine.layers[index].name
        assert {k: values[k] for k in facts} == {k: as_attribute(v) for k, v in facts.items()}


def test_the_values_are_exact() -> None:
    engine = fixture(CENTERNET)
    costs = Costs(engine)
    for index, facts in in_trace(engine).items():
        one = engine.layers[index]
        share, done = costs.share(one), engine.work.of(one)
        assert share is not None and facts["percent"] == 100 * share
        assert facts["ms"] == costs.of(one)
        assert (facts.get("macs"), facts.get("bytes")) == (done.macs, done.bytes)
        assert all(isinstance(facts.get(key, 0), int) for key in ("index", "line", "macs", "bytes"))


def test_the_two_ends_of_a_foreign_node_are_known_by_its_name() -> None:
    known = LayerFacts(onnx_nodes=("/a", "/b"), onnx_nodes_from="name")
    one = layer(0, "{ForeignNode[/a.../b]}", ["x"], ["y"], facts=known)
    (facts,) = in_onnx(linked(one))
    assert facts["onnx_ends"] == [b"/a", b"/b"]
    assert not {"onnx_nodes", "onnx_nodes_from"} & set(facts)  # nothing says that it is ONNX


def test_what_is_unknown_is_left_out() -> None:
    (facts,) = in_onnx(chain("a"))
    unknown = {"ms", "build_ms", "percent", "n", "kernel", "onnx_nodes", "onnx_nodes_from"}
    assert not unknown & set(facts)
    nameless = linked(replace(of_record(Weights=None, Origin=""), type="", inputs=(), outputs=()))
    (facts,) = in_onnx(nameless)
    assert not {"type", "precision", "Weights", "Origin"} & set(facts)
    assert facts["index"] == 0


def test_a_record_s_further_keys_never_stand_for_what_is_known() -> None:
    one = of_record(index=9, percent="100", layer="no", name="no", StreamId=3, Pads=[1, 2])
    odd = replace(one, attributes=(*one.attributes, ("", "x"), ("\udc80", "y")))
    (values,) = in_onnx(linked(odd))
    assert values["index"] == 0 and values["layer"] == b"a"
    assert not {"percent", ""} & values.keys()
    assert (values["StreamId"], values["Pads"]) == (b"3", b"[1, 2]")
    assert values["\\udc80"] == b"y"
