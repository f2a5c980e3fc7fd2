"""Layers on the DLA: which run there, why others do not, what the copies cost."""

import json
from pathlib import Path

import pytest
from factories import engine_in, layer_facts
from logtext import text

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import costs, labels
from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.linting import findings_of, subject

L = "[07/07/2026-02:11:09] "
SUBGRAPH = "{ForeignNode[conv1...pool1]}"
# The texts are those of TensorRT's sources and of Jetson forums.
PLACES = [
    f"{L}[W] [TRT] Layer 'cat' (CONCATENATION): Unsupported on DLA. Switching this layer's device "
    "type to GPU.",
    f"{L}[W] [TRT] up: DLA only supports resize of a factor of two.",
    f"{L}[W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer fc",
    f"{L}[I] [TRT] ---------- Layers Running on DLA ----------",
    f"{L}[I] [TRT] [DlaLayer] {SUBGRAPH}",
    f"{L}[I] [TRT] ---------- Layers Running on GPU ----------",
    f"{L}[I] [TRT] [GpuLayer] CONCATENATION: cat",
    f"{L}[I] [TRT] [GpuLayer] RESIZE: up",
    f"{L}[I] [TRT] [GpuLayer] FULLY_CONNECTED: fc",
]
LISTING = [
    f"{L}[V] [TRT] Engine Layer Information:",
    "Layer(Reformat): x to nvm, Tactic: 0x0, x (Half[1,8,4,4]) -> a (Half[1,8,4,4])",
    f"Layer(DLA): {SUBGRAPH}, Tactic: 0x3, a (Half[1,8,4,4]) -> b (Half[1,8,4,4])",
    "Layer(Reformat): b from nvm, Tactic: 0x0, b (Half[1,8,4,4]) -> c (Half[1,8,4,4])",
    "Layer(CaskConvolution): cat + up, Tactic: 0x1, c (Half[1,8,4,4]) -> d (Half[1,8,4,4])",
    "Layer(CaskConvolution): fc, Tactic: 0x1, d (Half[1,8,4,4]) -> y (Half[1,8,4,4])",
]
TIMES = f"x to nvm: 0.1ms\n{SUBGRAPH}: 1.0ms\nb from nvm: 0.3ms\ncat + up: 0.2ms\nfc: 0.2ms\n"


@pytest.fixture
def engine(tmp_path: Path) -> elv.Engine:
    return engine_in(tmp_path, text(*PLACES, *LISTING), TIMES)


def test_each_layer_has_its_device_and_the_reason(engine: elv.Engine) -> None:
    found = [*map(layer_facts, engine.layers)]
    assert [one.device for one in found] == ["GPU", "DLA", "GPU", "GPU", "GPU"]
    cat, fc = (PLACES[n].partition("[TRT] ")[2] for n in (0, 2))
    assert [one.device_reason for one in found] == [None, None, None, cat, fc]
    lines = dict(layer_facts(engine.layers[3]).lines)
    assert (lines["device"], lines["device_reason"]) == (7, 1)


def test_the_engine_has_its_subgraphs_and_what_copies_cost(engine: elv.Engine) -> None:
    (field,) = (one for one in ENGINE if one.key == "facts.dla")
    told = field.value(subject.Subject(costs.Costs(engine)), engine)
    assert told == {"layers": 1, "subgraphs": 1, "limit": 8, "copies_ms": pytest.approx(0.4)}


def test_the_finding_names_what_falls_back(engine: elv.Engine) -> None:
    (one,) = (one for one in findings_of(subject.Subject(costs.Costs(engine))) if one.code == "H06")
    assert "`cat + up`, `fc` run on the GPU: the DLA cannot" in one.message
    assert "the times of some copies hold the waits for the DLA" in one.message
    assert one.ms is None, "the copies at the ends of one run stay"
    assert [fact.line for fact in one.evidence] == [1, 3]


def test_a_copy_that_holds_the_wait_says_so(engine: elv.Engine, tmp_path: Path) -> None:
    heads = [labels.headline(layer) for layer in engine.layers]
    assert heads[2] == "Reformat or DLA wait"
    assert sum("wait" in head for head in heads) == 1, "a copy to the DLA waits for nothing"
    elv.draw(engine, tmp_path / "e.json")
    layers = json.loads((tmp_path / "e.json").read_text())["layers"]
    assert [one["waits_for_dla"] for one in layers] == [False, False, True, False, False]
    elv.draw(engine, tmp_path / "e.svg")
    assert "its time may hold the wait for the DLA" in (tmp_path / "e.svg").read_text()


def test_reasons_of_layers_that_are_not_there_are_no_layer_s(tmp_path: Path) -> None:
    lines = [line.replace("'cat'", "'gone'").replace(": cat", ": gone") for line in PLACES]
    engine = engine_in(tmp_path, text(*lines, *LISTING))
    reason = layer_facts(engine.layers[3]).device_reason
    assert reason is not None and "DLA only supports resize" in reason


def test_without_a_dla_nothing_is_said(tmp_path: Path) -> None:
    lines = [line.replace("Layer(DLA)", "Layer(Myelin)") for line in LISTING]
    engine = engine_in(tmp_path, text(*lines))
    assert {la.facts.device for la in engine.layers if la.facts} == {None}
    assert engine.facts is not None and engine.facts.dla is None


def test_a_type_tells_the_device_also_without_messages(tmp_path: Path) -> None:
    times = "x to nvm: 0.1ms\n{conv1,pool1}: 1.0ms\nb from nvm: 0.3ms\n"
    engine = engine_in(tmp_path, times)
    assert [la.facts.device for la in engine.layers if la.facts] == [None, "DLA", None]
