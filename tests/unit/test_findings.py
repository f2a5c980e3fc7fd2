"""Findings: which layers they are about, what they rest on, and where they are shown."""

from typing import Any

import pytest
from factories import engine_of, layer, linked, tensor
from logtext import text
from program import Patch
from rendered import page_text

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.drawing.tooltips import EngineFindings
from engine_layer_visualize.linting import of_profiles, rules

OPTIONS = (
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx",
    "[07/07/2026-06:12:18] [I] === Build Options ===",
    "[07/07/2026-06:12:18] [I] Precision: FP32+FP16",
)
LAYERS = (
    "[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:",
    "Layer(Reformat): in, Tactic: 0x0, x (Float[1,8]) -> h (Half[1,8])",
    "Layer(CaskConvolution): half, Tactic: 0x1, h (Half[1,8]) -> y (Half[1,8])",
    "Layer(Shuffle): moves, Tactic: 0x0, y (Half[1,8]) -> s (Half[8,1])",
    "Layer(Reformat): mid, Tactic: 0x0, s (Half[8,1]) -> f (Float[8,1])",
    "Layer(CaskConvolution): float, Tactic: 0x2, f (Float[8,1]) -> g (Float[8,1])",
    "Layer(Shuffle): shapes, Tactic: 0x0, g (Float[8,1]) -> z (Float[1,8])",
)

RULES = ("F02", "F03", "F04", "P01")  # what these tests go by


@pytest.fixture(autouse=True)
def _few_rules(monkeypatch: Patch) -> None:
    few = {code: rules.all_rules()[code] for code in RULES}
    monkeypatch.setattr("engine_layer_visualize.linting.all_rules", lambda: few)


def the_engine(*lines: str, facts: bool = True) -> Engine:
    return engine_of(text(*lines), facts=facts)


def found(engine: Any) -> list[rules.Finding]:
    """Of all optimisation profiles, by their layers."""
    findings = [one for _, several in of_profiles(Costs(engine)) for one in several]
    return sorted(findings, key=lambda one: one.layers)


def test_a_finding_says_why_and_names_its_lines() -> None:
    first, middle, higher = found(the_engine(*OPTIONS, *LAYERS))
    reason = "`float` computes in Float, the build allowed FP32, FP16; no message says why"
    assert higher.message == reason
    lines = ["log line 9: CaskConvolution float", "log line 3: Precision: FP32+FP16"]
    assert [str(one) for one in higher.evidence] == lines
    assert first.message == "the engine's input `x` is Float; `half` reads Half"
    assert first.advice == "feed this input as Half (trtexec: --inputIOFormats=fp16:chw)"
    assert middle.message == "`moves` writes Half; `float` reads Float"
    assert [str(one) for one in middle.evidence] == ["log line 8: Half → Float"]


@pytest.mark.parametrize(
    ("format", "advice"),
    [
        ("Channel major FP16 format where channel % 8 == 0", "HWC8 (…=fp16:hwc8)"),
        ("Two wide channel vectorized row major FP16 format", "CHW2 (…=fp16:chw2)"),
        ("Row major linear FP16 format", "linear (…=fp16:chw)"),
        (
            "Channel major FP16 format where channel % 4 == 0",
            "(…=fp16:chw): the reformat to HWC4 stays",
        ),
    ],
)
def test_advice_for_an_input_has_the_value_for_trtexec(format: str, advice: str) -> None:
    written = tensor("y")._replace(format=format)
    reformat = layer(0, "r", [tensor("x", "Float")], [written], type="Reformat")
    convolution = layer(1, "conv", [written], ["z"])
    (one,) = found(linked(reformat, convolution))
    wanted = advice.replace("…", "trtexec: --inputIOFormats")
    assert one.advice == f"feed this input as Half {wanted}"


def test_of_several_inputs_advice_has_a_part_of_the_value_for_trtexec() -> None:
    wide = "Channel major FP16 format where channel % 8 == 0"
    y, p = (tensor(name)._replace(format=wide) for name in "yp")
    first = layer(0, "r", [tensor("x", "Float")], [y], type="Reformat")
    last = layer(1, "r", [tensor("q", "Float")], [p], type="Reformat")
    start = "feed these inputs as Half HWC8 (trtexec: --inputIOFormats="
    for ids, value in (((), "fp16:hwc8)"), ((tensor("ids", "Int32"),), "…,fp16:hwc8,…)")):
        engine = linked(first, last, layer(2, "join", [y, p, *ids], ["z"]))
        assert {one.advice for one in found(engine) if one.code == "F02"} == {start + value}


def test_a_layer_s_tooltip_says_each_sentence_once() -> None:
    engine = timed(the_engine(*OPTIONS, *LAYERS))
    shown = EngineFindings(Costs(engine))
    touches = "touches 500 µs, 16.7 %"
    stake = f"{touches}, could save 500 µs (estimated)"
    assert [list(shown.lines(engine.layers[number])) for number in (0, 4, 5)] == [
        [
            "why: the engine's input `x` is Float; `half` reads Half",
            f"F02 reformat-at-input, {stake}",
            "try: feed this input as Half (trtexec: --inputIOFormats=fp16:chw)",
        ],
        [
            f"warning P01 higher-precision-compute, {touches} (estimated): `float` computes in "
            "Float, the build allowed FP32, FP16; no message says why",
            f"try: {found(engine)[-1].advice}",
        ],
        [],
    ]
    for format in ("dot", "svg"):
        drawn = page_text(render(engine, format).decode("utf-8"))
        assert all(one.advice in drawn and one.rule.name in drawn for one in found(engine))


def test_dot_without_facts_says_why_alone(monkeypatch: Patch) -> None:
    monkeypatch.setattr("engine_layer_visualize.drawing.tooltips.of_profiles", None)
    drawn = render(the_engine(*OPTIONS, *LAYERS, facts=False), "dot").decode("utf-8")
    assert "why: `moves` writes Half; `float` reads Float" in drawn
    assert "try: " not in drawn and "F02" not in drawn


def test_a_badge_is_on_few_boxes_else_the_finding_is_a_line_above_them() -> None:
    engine = timed(the_engine(*OPTIONS, *LAYERS))
    badges = EngineFindings(Costs(engine)).badges([(layer,) for layer in engine.layers])
    assert len(badges.of_box) == 1, "15 % of six boxes"
    drawn = render(engine, "svg").decode("utf-8")
    assert drawn.count('class="badge"') == 2, "on the box and in the legend"
    assert len(badges.above) == len(found(engine)) - 1
    assert badges.above[0] in drawn


def timed(engine: Engine, ms: float = 0.5) -> Engine:
    """Each layer with this estimate."""
    known = ((layer, layer.facts) for layer in engine.layers if layer.facts is not None)
    layers = tuple(la._replace(facts=facts._replace(build_ms=ms)) for la, facts in known)
    return engine._replace(layers=layers)
