"""What a log says besides its listing: one log of each generation of TensorRT, read by hand.

`tests/property/test_build_info_round_trips.py` reads timings and memory back, of all of them.
"""

import json
from pathlib import Path

import pytest
from factories import engine_facts, engine_of, layer_facts
from logtext import HEADER, E, V, W, file_of, text
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.api.draw import render
from engine_layer_visualize.core.build_info import BuildAttempt, TimingCache
from engine_layer_visualize.core.layer_facts import Memory

FOLDER = FIXTURES / "facts"


def engines(name: str) -> tuple[elv.Engine, ...]:
    (path,) = FOLDER.glob(f"{name}-*.log")
    return elv.read(path, facts=True).engines


# ---- generation by generation -------------------------------------------------------------------


def test_build_info_of_tensorrt_7() -> None:
    (engine,) = engines("7.2")
    conv, dense = map(layer_facts, engine.layers)
    assert (conv.runner, conv.build_ms) == ("CaskConvolution", 0.25)
    assert conv.onnx_nodes == ("Conv_0", "Relu_1")
    assert [step.text for step in conv.fused_from] == ["ConvReluFusion: Fusing Conv_0 with Relu_1"]
    lines = {"runner": 24, "build_ms": 24, "candidates": 16, "memory": 35}
    assert dict(conv.lines) == {**lines, "onnx_nodes": 6, "fused_from": 12}
    assert (dense.runner, dense.build_ms) == ("CudaFullyConnected", 0.125)
    assert dense.onnx_nodes == ("Gemm_2",)
    facts = engine_facts(engine)
    assert facts.precisions == ("FP32", "FP16")
    passes = (("Original", 3, 10), ("dead-layer removal", 3, 11), ("vertical fusions", 2, 13))
    assert facts.passes == passes


def test_a_run_that_loads_an_engine_has_options_of_a_run_alone() -> None:
    log = """&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a.plan
[I] === Build Options ===
[I] Precision: FP32
[I] Load engine: a.plan
[I] === Inference Options ===
[I] Separate profiling: Disabled
[I] === Reporting Options ===
[I] Profile: Enabled
[I] Engine loaded in 0.03 sec.
[V] [TRT] Engine Layer Information:
Layer(CaskConvolution): a, Tactic: 0x1, x[Int8(1,8)] -> y[Int8(1,8)]
"""
    engine = engine_of(log, facts=True)
    facts = engine_facts(engine)
    assert facts.precisions == (), "of no build"
    kept = [("Inference", "Separate profiling"), ("Reporting", "Profile")]
    assert [(one.section, one.key) for one in facts.options] == kept


def test_options_that_a_log_quotes_before_itself_are_one() -> None:
    options = ["[I] === Inference Options ===", "[I] Batch: Explicit"]
    layer = "Layer(CaskConvolution): a, Tactic: 0x1, x[Int8(1,8)] -> y[Int8(1,8)]"
    log = [*options, *options, "[V] [TRT] Engine Layer Information:", layer]
    engine = engine_of("\n".join(log), facts=True)
    assert engine_facts(engine).options == (("Inference", "Batch", "Explicit", 4),)


def test_build_info_of_tensorrt_8_0() -> None:
    (engine,) = engines("8.0")
    reformat, dense = map(layer_facts, engine.layers)
    assert (reformat.build_ms, reformat.measured_on) == (0.01, "Optimizer Reformat")
    assert reformat.formats == "Float(8,1) -> Half(8,1)"
    assert (dense.runner, dense.build_ms) == ("CublasConvolution", 0.5)
    assert [step.rule for step in dense.fused_from] == ["Convert"]
    assert dense.precision_note is not None
    assert dense.precision_note.startswith("a non-conforming implementation was chosen")
    facts = engine_facts(engine)
    assert facts.timing_cache == TimingCache(None, 65, 0)


def test_8_2_after_a_build_that_failed() -> None:
    (engine,) = engines("8.2")
    (layer,) = map(layer_facts, engine.layers)
    assert layer.kernel == "berth_16"
    assert (layer.runner, layer.build_ms) == ("CaskConvolution", 0.1)
    best = [(one.kernel, one.ms) for one in layer.candidates.best]
    assert best == [("berth_16", 0.1), ("berth_64", 0.2), ("berth_128", 0.3)]
    assert [step.rule for step in layer.fused_from] == [*["ConvReluFusion"] * 2, "Merging"]
    facts = engine_facts(engine)
    assert (facts.errors, facts.warnings) == (0, 0)  # those of the build that failed
    assert [one.layers for one in facts.passes] == [4]
    assert facts.total("Activation") == 4096
    assert (facts.peak_cpu_mib, facts.peak_gpu_mib) == (18, 682)
    assert "Peak of TensorRT's allocators, GPU" in str(elv.summary(engine, width=200))
    assert facts.timing_cache == TimingCache("local", 9, 3)


@pytest.mark.parametrize("again", ["x", "other"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_network_not_built_is_not_of_the_next(tmp_path: Path, again: str, fails: bool) -> None:
    """Two networks with inputs of other names may be parts of one, where no error stands between
    them."""
    lines = parsed("x", "lost") + [f"{E}While parsing node number 1 [Conv]:"] * fails
    lines += [*parsed(again, "kept"), f"{V}Original: 1 layers", HEADER.rstrip()]
    lines += [f"Layer(Conv): kept, Tactic: 0x1, {again} (Float[1,8]) -> y (Float[1,8])"]
    build = elv.read(file_of(tmp_path, text(*lines)), facts=True)
    (engine,) = build.engines
    facts = engine_facts(engine)
    apart = fails or again == "x"
    assert [one.name for one in facts.inputs] == ([again] if apart else ["x", again])
    assert (facts.warnings, facts.errors) == ((1, 0) if apart else (2, 0))
    assert [problem.code for problem in build.problems] == ["ELV415"] * apart


def parsed(name: str, node: str) -> list[str]:
    """What a parser prints of a network of one node."""
    return [
        f"{V}Adding network input: {name} with dtype: float32, dimensions: (1, 8)",
        f"{W}INT64 weights are cast",
        f"{V}Parsing node: {node} [Conv]",
        f"{V}Registering layer: {node} for ONNX node: {node}",
    ]


def test_a_network_that_was_built_is_not_of_the_next(tmp_path: Path) -> None:
    """In one process: TensorRT 8.4 to 10.7 load the builder's kernels before the network."""
    record = "Layer(Conv): c, Tactic: 0x1, {0} (Float[1,8]) -> y (Float[1,8])"
    each = [[*parsed(name, "c"), HEADER.rstrip(), record.format(name)] for name in ("x", "z")]
    log = text(*each[0], f"{V}Init builder kernel library: CPU +1, GPU +2", *each[1])
    found = map(engine_facts, elv.read(file_of(tmp_path, log), facts=True).engines)
    assert [[one.name for one in facts.inputs] for facts in found] == [["x"], ["z"]]


@pytest.mark.parametrize(("node", "inputs"), [("kept", ["x"]), ("of another network", [])])
def test_a_listing_without_ends_is_of_its_nodes_network(node: str, inputs: list[str]) -> None:
    lines = [*parsed("x", node), HEADER.rstrip()]
    lines += ["Layer(Conv): kept, Tactic: 0x1, a (Float[1,8]) -> b (Float[1,8])"]
    engine = engine_of(text(*lines), facts=True)
    assert [one.name for one in engine_facts(engine).inputs] == inputs


def test_build_info_of_tensorrt_8_6_with_two_runs() -> None:
    first, second = engines("8.6")
    (layer,) = map(layer_facts, first.layers)
    assert (layer.kernel, layer.build_ms) == ("quay_f16", 0.1)
    facts = engine_facts(first)
    assert facts.tensorrt == "8.6.0"
    assert facts.precisions == ("FP32", "FP16", "INT8")
    assert facts.device == ("Harbour GPU 9", "8.7", 16, 30588, 164, 256, 1.3, 0.612)
    assert [(one.section, one.key, one.value) for one in facts.options] == [
        ("Model", "Model", "pier.onnx"),
        ("Model", "Output", ""),
        ("Build", "Precision", "FP32+FP16+INT8"),
        ("Build", "Input build shapes", "model"),
    ]
    assert facts.phases[0] == ("Parse time", 0.5, 22)
    assert [one.seconds for one in facts.phases[1:]] == [1, 2, 3.5]
    assert facts.inputs == (("x", "float32", "1,8", 19),)
    assert facts.outputs == (("y", None, "1,8", 21),)
    assert [(one.severity, one.text) for one in facts.messages] == [
        ("warning", "Calibrator is missing."),
        ("warning", "* GPU compute time is unstable, with coefficient of variance = 2.5%."),
    ]
    performance = facts.performance
    assert performance is not None
    assert (performance.throughput_qps, performance.host_walltime_s) == (245.3, 3.01)
    assert performance.measures[0] == ("Latency", 1, 4, 2, 1.5, ((90, 2.5), (99, 3.5)), 63)
    other = engine_facts(second)
    assert other.precisions == ("FP32",)
    assert (other.device, other.performance, other.warnings) == (None, None, 0)
    assert [one.seconds for one in other.phases] == [9]
    assert layer_facts(second.layers[0]).build_ms is None
    assert layer_facts(second.layers[0]).candidates.tried is None


def test_of_three_attempts_only_the_kept_one_reaches_the_engine() -> None:
    (engine,) = engines("10.16-three")
    facts = engine_facts(engine)
    attempts = ((4, 15, 0.75, False), (3, 8, 0.375, True), (2, 0.5, 0.4375, False))
    assert facts.attempts == tuple(BuildAttempt(*one) for one in attempts)
    totals = {total.name: total.bytes for total in facts.totals}
    assert totals == {"Host Persistent": 280, "Activation": 2000}
    assert [layer_facts(layer).build_ms for layer in engine.layers] == [None, 0.25, 0.125]
    memory = [(200, 0, 0, None), (80, 0, 3, None)]
    assert [layer_facts(layer).memory for layer in engine.layers[1:]] == memory
    assert dict(engine.layers[0].attributes)["ReformatTo"] == "Half(1,1:8)"
    assert layer_facts(engine.layers[2]).onnx_nodes == ("/m/Mul3", "/m/Softmax")
    skipped = [layer_facts(la).candidates.scratch for la in engine.layers]
    assert skipped == [None, None, 3000]
    assert [message.text[:31] for message in facts.messages] == [
        "a warning of the network",
        "a warning of strategy 3",
        "UNSUPPORTED_STATE: Skipping tac",
        "Using default stream in enqueue",
    ]
    assert (facts.warnings, facts.errors, facts.peak_gpu_mib) == (9, 0, 37)
    assert [step[:2] for step in facts.passes] == [("Original", 5), ("vertical fusions", 2)]
    said = " ".join(str(elv.summary(engine, width=200)).split())
    assert "These are of one of 3 attempts, which was kept." in said


def test_reformats_are_those_of_the_kept_attempt_without_facts_too() -> None:
    (engine,) = elv.read(FOLDER / "10.16-three-attempts.log", facts=False).engines
    assert dict(engine.layers[0].attributes)["ReformatTo"] == "Half(1,1:8)"
    assert engine.facts is None
    assert {layer.facts for layer in engine.layers} == {None}


def test_a_warning_of_the_next_network_is_not_the_engine_s() -> None:
    path = FOLDER / "10.16-three-attempts.log"
    (problem,) = elv.read(path).problems
    said = (
        "a build that failed, up to line 105, belongs to no engine; its first error: Error Code 10"
    )
    assert problem.message.startswith(said)
    lines = path.read_text().split("\n")
    assert "ModelImporter" in lines[problem.place.line - 1]


def test_10_two_ways_to_build() -> None:
    (engine,) = engines("10.3")
    conv, reformat, node = map(layer_facts, engine.layers)
    assert (conv.runner, conv.build_ms) == ("CaskConvolution", 0.0055)
    assert (conv.candidates.cached, conv.candidates.tried) == (1, 0)
    assert (reformat.build_ms, reformat.measured_on) == (0.002, None)
    assert reformat.memory == Memory(0, 0, 0)
    assert dict(reformat.lines)["memory"] == 34
    assert (node.build_ms, node.runner) == (0.0125, "Myelin")
    assert node.onnx_nodes == ("/m/Mul", "/m/Softmax")
    assert node.memory == Memory(80, 0, 263168)
    assert (node.candidates.tried, node.candidates.skipped_by) == (1, (("Myelin", 1),))
    facts = engine_facts(engine)
    assert facts.total("Weights") == 6553384  # and not of the way that was not taken
    assert facts.timing_cache == TimingCache("global", cached_results=1)
    assert facts.warnings == 1


# ---- who asks, and who does not -----------------------------------------------------------------


def test_json_has_percentiles_by_their_share() -> None:
    """What else it has of a build stands in the golden outputs."""
    facts = json.loads(render(engines("8.6")[0], "json"))["engine"]["facts"]
    assert facts["performance"]["measures"][0]["percentiles"] == {"90.0": 2.5, "99.0": 3.5}


# ---- names --------------------------------------------------------------------------------------


def test_a_fusion_without_a_rule() -> None:
    """Up to TensorRT 6 no rule is named, and what stands before is the host's severity."""
    path = FOLDER.parent / "classic" / "6.0-python-prefix-every-line.log"
    (engine,) = elv.read(path, facts=True).engines
    (step,) = (step for layer in engine.layers for step in layer_facts(layer).fused_from)
    assert step.rule == "Fusing"
    assert step.text.startswith("Fusing (Unnamed Layer* 21) [Fully Connected] with ")


@pytest.mark.parametrize(
    "said",
    [
        "[W] [TRT] The network has FP4 Q/DQ layers but the hardware does not accelerate FP4 use.",
        "[E] [TRT] Error Code: 9: Skipping tactic 0x0000000000000000 due to exception [a] no",
        "[E] [TRT] IBuilder::buildSerializedNetwork: Error Code 10: Internal Error (Could not find "
        "any implementation for node {ForeignNode[other]}.)",
    ],
)
def test_what_a_build_says_behind_a_listing_is_of_another_build(said: str, tmp_path: Path) -> None:
    """The logger that saw that build left out its other messages."""
    log = text(
        "[W] [TRT] of this one",
        "[V] [TRT] Engine Layer Information:",
        "Layer(Conv): c, Tactic: 0x1, x (Half[1,8]) -> y (Half[1,8])",
        "[V] [TRT] Adding 1 engine(s) to plan file.",
        said,
    )
    build = elv.read(file_of(tmp_path, log))
    (engine,) = build.engines
    facts = engine_facts(engine)
    assert ([message.text for message in facts.messages], facts.errors) == (["of this one"], 0)
    (problem,) = build.problems
    assert problem.place.line == 5
    what = "a build that failed" if "Could not" in said else "a part of the log without a listing"
    assert problem.message.startswith(f"{what}, up to line 5, belongs to no engine")
    assert ("first error" in problem.message) == ("Could not" in said)
