"""TensorRT 7 counts a no-op that it does not list, and prints strides backwards; TensorRT 11."""

from pathlib import Path

import pytest
from factories import chain, engine_facts, engine_of
from logtext import exported, file_of
from paths import FIXTURES
from program import Printed
from rendered import page_text
from summarised import data_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import kinds, reformat_reasons, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting import lever, subject

LOG = FIXTURES / "facts" / "7.0-no-op.log"


@pytest.fixture(scope="module")
def engine() -> elv.Engine:
    (engine,) = elv.read(LOG).engines
    return engine


def test_a_reformat_tells_what_it_changes(engine: elv.Engine) -> None:
    found = reformat_reasons.of(Costs(engine))
    assert {index: reason.text for index, reason in found.items()} == {
        1: "`quay_conv + quay_relu` writes Float HWC; `pier_conv` reads Float linear",
        3: "`pier_conv` writes Float linear; `mast_conv` reads Float HWC",
    }


def test_layers_named_by_their_kernels_are_convolutions(engine: elv.Engine) -> None:
    assert [kinds.operation_of(layer) for layer in engine.layers] == [
        *("convolution", None, "convolution", None, "convolution")
    ]


def test_a_no_op_that_is_not_listed_is_not_missing(engine: elv.Engine) -> None:
    assert (engine.problems, engine.source.state) == ((), "whole")
    assert (engine.inputs, engine.outputs) == (("x",), ("score",))
    whole = LOG.read_text().splitlines(keepends=True)
    (problem,) = engine_of("".join(whole[:-1])).problems
    said = "the listing ends at line 26, probably cut: it has 4 of at least 5 layers"
    assert (problem.code, problem.message) == ("ELV114", said)


def test_memory_and_passes_are_those_that_it_prints(engine: elv.Engine) -> None:
    totals = data_of(engine)["memory"]["totals"]
    assert [(one["name"], one["bytes"]) for one in totals] == [
        *(("Activation and workspace limit", 4096), ("Host Persistent", 512)),
        *(("Device Persistent", 1024), ("Weights", 1584)),
    ]
    assert [(one.name, one.layers) for one in engine_facts(engine).passes] == [
        *(("Original", 5), ("dead-layer removal", 5), ("vertical fusions", 4)),
        *(("concat removal", 4), ("reformat layers", 6)),
    ]


def test_no_command_is_shown_that_cannot_run(engine: elv.Engine) -> None:
    """The log names no version; its types of layers are those of TensorRT 7."""
    assert {la.type for la in engine.layers} >= {"scudnn"} and engine.tensorrt is None
    told = lever.to_measure(subject.Subject(Costs(engine)))
    assert "trtexec" not in told and "`IProfiler`" in told
    engine = engine_of(LOG.read_text("utf-8").replace("scudnn", "CaskConvolution"))
    assert "(TensorRT 8 and later)" in lever.to_measure(subject.Subject(Costs(engine)))


def test_fully_connected_layers_in_one_kernel_multiply() -> None:
    """Line 47: a 3-layer MLP."""
    (engine, *_) = elv.read(FIXTURES / "classic" / "6.0-python-prefix-every-line.log").engines
    (fused,) = (layer for layer in engine.layers if "MLP" in layer.type)
    assert fused.name.startswith("3-layer MLP: ")
    assert kinds.operation_of(fused) == "product"


# ---- TensorRT 11: made from the texts of its open sources, as no public log of it is known -------


L = "[11/07/2026-06:12:18] [I] "
HEADER = f"""\
&&&& RUNNING TensorRT.trtexec [TensorRT v110100] [b20] # trtexec --onnx=a.onnx --verbose
{L}=== Model Options ===
{L}Format: ONNX
{L}Model: a.onnx
{L}=== Build Options ===
{L}Precision: Strongly Typed
{L}Inputs format: CHW
{L}=== Inference Options===
{L}CUDA Graph: Enabled
{L}=== Device Information ===
{L}Selected Device: NVIDIA A100-SXM4-40GB
{L}Compute Capability: 8.0
"""
LISTING = """\
[11/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(Reformat): in, Tactic: 0x0, x (Float[1,8,4,4]) -> h (Half[1,8,4,4])
Layer(CaskConvolution): c, Tactic: 0x1, h (Half[1,8,4,4]) -> y (Half[1,8,4,4])
"""
END = f"""\
{L}Created engine with size: 6.5 MiB
{L}Created execution context with device memory size: 1.5 MiB
{L}=== Performance summary ===
{L}Latency: min = 1 ms, max = 1 ms, mean = 1 ms, median = 1 ms, percentile(99%) = 1 ms
{L}GPU Compute Time: min = 1 ms, max = 1 ms, mean = 1 ms, median = 1 ms, percentile(99%) = 1 ms
{L}Enqueue Time: min = 0.9 ms, max = 0.9 ms, mean = 0.9 ms, median = 0.9 ms
[11/07/2026-06:12:20] [W] * GPU compute time is unstable, with coefficient of variance = 5.08%.
&&&& PASSED TensorRT.trtexec [TensorRT v110100] [b20] # trtexec --onnx=a.onnx --verbose
"""
OF_11 = HEADER + LISTING + END


def test_its_header_is_read() -> None:
    engine = engine_of(OF_11, facts=True)
    facts = engine_facts(engine)
    assert engine.tensorrt == "11.1.0"
    assert facts.strongly_typed is True and facts.precisions == ()
    assert facts.command == "trtexec --onnx=a.onnx --verbose"
    assert (facts.engine_bytes, facts.context_bytes) == (13 << 19, 3 << 19)


def test_advice_is_of_its_version(tmp_path: Path, printed: Printed) -> None:
    """A log of 10 keeps its flags."""
    times = file_of(tmp_path, exported(("in", 0.3), ("c", 0.7), runs=20), "prof.json")
    out = printed("lint", file_of(tmp_path, OF_11), times, "--full")
    assert "feed this input as Half in the ONNX model" in out
    for gone in ("--fp16", "--useCudaGraph", "--useSpinWait", "--separateProfileRun", "IOFormats"):
        assert gone not in out, gone
    text = OF_11.replace("v110100", "v101600").replace("Strongly Typed", "FP32+FP16")
    assert engine_facts(engine_of(text, facts=True)).strongly_typed is False
    out = printed("lint", file_of(tmp_path, text), times, "--full")
    assert "--inputIOFormats=fp16:chw" in out and "--useSpinWait" in out


@pytest.mark.parametrize(
    ("version", "flags", "graph"),
    [("v110100", "", True), ("v110100", " --noCudaGraph", False), ("v101600", "", False)],
)
def test_what_trtexec_does_by_default(version: str, flags: str, graph: bool) -> None:
    text = OF_11.replace("v110100", version)
    text = text.replace(f"{L}CUDA Graph: Enabled\n", "").replace("--verbose", f"--verbose{flags}")
    engine = engine_of(text, facts=True)
    assert trtexec.has_cuda_graph(engine, engine.layers) is graph
    is_old = version == "v101600"
    assert trtexec.would_change(engine, "--useSpinWait") is is_old
    assert trtexec.would_change(engine, "--separateProfileRun") is is_old


def test_the_summary_and_the_page_of_11_measure_without_it(tmp_path: Path) -> None:
    log = FIXTURES / "facts" / "11-accuracy.log"
    (engine,) = elv.read(log).engines
    page = elv.draw(engine, tmp_path / "a.html").read_text("utf-8")
    text = str(elv.summary(engine)) + page_text(page)
    assert "--exportProfile=prof.json" in text
    assert "--separateProfileRun" not in text


def test_a_graph_that_could_not_be_captured_is_not_in_use() -> None:
    failed = "[11/07/2026-06:12:19] [W] The CUDA graph capture on the stream has failed.\n"
    engine = engine_of(HEADER + LISTING + failed + END, facts=True)
    assert not trtexec.has_cuda_graph(engine, engine.layers)


def test_flags_come_and_go_with_versions() -> None:
    flags = ("--fp16", "--memPoolSize", "--workspace", "--exportProfile", "--nothing")
    known = {
        version: [flag for flag in flags if trtexec.has_flag(engine, flag)]
        for version in ("7.1.3", "8.2.1", "8.5.1", "10.16.1", "11.0.0", None)
        for engine in [chain("conv")._replace(tensorrt=version)]
    }
    assert known == {
        "7.1.3": ["--fp16", "--workspace"],
        "8.2.1": ["--fp16", "--workspace", "--exportProfile"],
        "8.5.1": ["--fp16", "--memPoolSize", "--workspace", "--exportProfile"],
        "10.16.1": ["--fp16", "--memPoolSize", "--exportProfile"],
        "11.0.0": ["--memPoolSize", "--exportProfile"],
        None: ["--fp16", "--memPoolSize", "--workspace", "--exportProfile"],
    }
