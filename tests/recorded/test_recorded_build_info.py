"""Facts of real logs, against their lines."""

import re

import pytest
import recorded_logs
from factories import engine_facts, layer_facts
from paths import recorded

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.api.engine import Engine

WITH_FACTS = ("143", "131", "020", "033", "038", "066", "027", "012", "014", "017", "043", "006")


def engines_of(number: str) -> tuple[Engine, ...]:
    return recorded_logs.engines_of(recorded(number, ".log"))


def lines_of(number: str) -> list[str]:
    return recorded(number, ".log").read_bytes().decode("utf-8", "backslashreplace").split("\n")


@pytest.mark.parametrize("number", WITH_FACTS)
def test_a_layer_that_a_line_names_has_what_it_says(number: str) -> None:
    """Of several builds of one network one at least has it."""
    text = "\n".join(lines_of(number))
    timed = set(re.findall(r"Timing Runner: (.*) \(", text))
    held = set(re.findall(r"Layer: (.*?) (?:Weights: \d+ )?Host ?Persistent: \d+", text))
    layers = [(la.name, layer_facts(la)) for engine in engines_of(number) for la in engine.layers]
    names = {name for name, _ in layers}
    assert (timed | held) & names
    assert timed & names <= {name for name, facts in layers if facts.candidates.tried is not None}
    assert held & names <= {name for name, facts in layers if facts.memory is not None}


@pytest.mark.parametrize("number", WITH_FACTS)
def test_lines_are_those_that_say_so(number: str) -> None:
    lines = lines_of(number)
    for engine in engines_of(number):
        for layer in engine.layers:
            facts = layer_facts(layer)
            where = {fact: lines[line - 1] for fact, line in facts.lines}
            if facts.build_ms is not None:
                shown = re.search(r"Time: (\S+)\s*$|, (\S+) ms\s*$", where["build_ms"])
                assert shown is not None
                assert float(shown[1] or shown[2]) == facts.build_ms
            if facts.memory is not None and "Layer: " in where["memory"]:
                assert f"Layer: {layer.name} " in where["memory"]
                assert re.search(rf"Persistent: {facts.memory.host_persistent}\b", where["memory"])
            if "candidates" in where and facts.candidates.tried:
                assert "Timing Runner: " in where["candidates"]
            for step in facts.fused_from:
                assert lines[step.line - 1].rstrip().endswith(step.text.rstrip())
            if facts.precision_note is not None:
                assert f"For layer {layer.name} a non" in where["precision_note"]


@pytest.mark.parametrize("number", ("143", "131", "020", "033", "038", "066", "027", "043", "006"))
def test_counts_of_a_layer_are_those_of_its_lines(number: str) -> None:
    """Walks the log line by line, as the reader does not."""
    tried: dict[str, int] = {}
    fastest: dict[str, float] = {}
    now = ""
    for line in lines_of(number):
        if match := re.search(r"Timing Runner: (.*) \(", line):
            now = match[1]
        elif "selection completed" in line or "Original: " in line:
            now = ""
        elif now and (match := re.search(r"(?<!Fastest )Tactic: \S+ Time: (\S+)\s*$", line)):
            tried[now] = tried.get(now, 0) + 1
            fastest[now] = min(fastest.get(now, 1e30), float(match[1]))
    sums: dict[str, int] = {}
    best: dict[str, float] = {}
    for engine in engines_of(number):
        for layer in {layer.name: layer for layer in engine.layers}.values():
            if layer.name in tried:
                candidates = layer_facts(layer).candidates
                sums[layer.name] = sums.get(layer.name, 0) + (candidates.tried or 0)
                if candidates.best:
                    ms = candidates.best[0].ms
                    best[layer.name] = min(best.get(layer.name, 1e30), ms)
    assert sums
    assert sums == {name: tried[name] for name in sums}
    assert best == {name: fastest[name] for name in best}


def test_estimates_are_near_the_measured_times() -> None:
    """143 has both: the autotuner's times, and a profile."""
    (engine,) = engines_of("143")
    pairs = [
        (facts.build_ms, layer.time.average_ms)
        for layer in engine.layers
        if layer.time is not None and (facts := layer_facts(layer)).build_ms is not None
    ]
    assert len(pairs) == 94
    estimated, measured = sum(a or 0 for a, _ in pairs), sum(b or 0 for _, b in pairs)
    assert abs(estimated - measured) / measured < 0.05


def test_the_engine_of_143() -> None:
    (engine,) = engines_of("143")
    facts = engine_facts(engine)
    assert facts.tensorrt == "8.2.3"
    assert facts.precisions == ("FP32", "FP16")
    assert facts.device is not None
    assert (facts.device.name, facts.device.sms) == ("NVIDIA A100-PCIE-40GB", 108)
    assert facts.device.compute_capability == "8.0"
    assert facts.device.memory_clock_ghz == 1.215
    assert facts.total("Activation") == 74659840
    assert facts.total("Scratch") == 20746240
    assert facts.peak_gpu_mib == 682
    assert facts.timing_cache is not None
    assert (facts.timing_cache.entries, facts.timing_cache.hits) == (598, 2718)
    phases = {phase.name: phase.seconds for phase in facts.phases}
    assert phases == {
        "Graph construction and optimization": 0.863356,
        "Formats and tactics selection": 81.6789,
        "Engine generation": 82.8537,
        "Engine built": 85.4169,
    }
    assert [one.layers for one in facts.passes][:2] == [140, 140]
    assert facts.performance is not None
    assert facts.performance.throughput_qps == 424.281
    latency, gpu = facts.performance.latency, facts.performance.gpu_compute
    assert latency is not None
    assert (latency.mean, latency.percentiles) == (4.1715, ((99.0, 4.20166),))
    assert gpu is not None
    assert gpu.median == 2.35217
    assert [(one.name, one.dims) for one in facts.inputs] == [("input", "1,256,180,180")]
    assert len(facts.outputs) == 36
    assert facts.outputs[0].dims == "1,2,180,180"
    first = layer_facts(engine.layers[1])
    assert first.onnx_nodes == ("Conv_15", "Relu_16")
    assert first.runner == "CaskConvolution"
    assert first.build_ms == 0.096768
    assert [one.ms for one in first.candidates.best] == [0.096768, 0.098304, 0.102784]


def test_of_several_ways_to_build_the_one_that_was_taken() -> None:
    """027 builds the network three times and lists the first."""
    (engine,) = engines_of("027")
    facts = engine_facts(engine)
    assert facts.total("Activation") == 2002944
    assert facts.total("Weights") == 6553384
    assert sum(phase.name == "Engine generation" for phase in facts.phases) == 3
    inside = {layer.name: layer_facts(layer).onnx_nodes for layer in engine.layers}
    assert inside["{ForeignNode[node_linear]}"] == ("node_linear",)


def test_every_engine_has_its_own() -> None:
    """012 builds one network three times; the lines of one build are not those of another."""
    for engine in engines_of("012"):
        for layer in engine.layers:
            after = engine.source.last_line
            before = max(
                (e.source.last_line for e in engines_of("012") if e.index < engine.index), default=0
            )
            for fact, line in layer_facts(layer).lines:
                assert before < line <= after or fact == "onnx_nodes", (layer.name, fact)


def test_layers_in_another_precision_than_asked_for() -> None:
    (engine,) = engines_of("020")
    noted = [layer.name for layer in engine.layers if layer_facts(layer).precision_note]
    assert noted == re.findall(r"For layer (.*?) a non-conforming", "\n".join(lines_of("020")))[:7]


@pytest.mark.parametrize("number", ("014", "027", "017"))
def test_cached_results_are_times(number: str) -> None:
    """Every layer that runs something has a time, timed or from the cache, but inside of Myelin."""
    for engine in engines_of(number):
        for layer in engine.layers:
            if "_myl" in layer.name:
                continue
            idle = layer.type in ("NoOp", "Constant")
            assert (layer_facts(layer).build_ms is None) == idle, layer.name


def test_a_foreign_node_is_the_same_in_each_optimisation_profile() -> None:
    """Lines 685 to 806 name the fastest kernels, both of TF32; lines 958 to 965 name none again."""
    for engine in engines_of("014")[:2]:
        first, second = (precisions.of(engine.layers[index]) for index in (7, 15))
        assert str(first) == str(second) == "Float (TF32 kernel)"
