"""What is worth most for an engine, in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from factories import costs_of
from logtext import A100, HEADER, device, measured
from paths import FIXTURES
from program import Program

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.linting import lever
from engine_layer_visualize.linting.subject import Subject
from lint.cases import Case, cases

CONV = "Layer(CaskConvolution): c, Tactic: 0x1, x[{0}(8,64,64,64)] -> y[{0}(8,64,64,64)]\n"
POINTWISE = "Layer(PointWiseV2): p, Tactic: 0x1, y[Half(8,64,64,64)] -> z[Half(8,64,64,64)]\n"
RAN = "&&&& RUNNING TensorRT.trtexec [TensorRT v{}] # trtexec {}\n"
SHAPES = (
    "[W] [TRT] Dynamic dimensions required for input: x, but no shapes were provided. "
    "Automatically overriding shape to: 1x3x224x224\n"
)
SUMMARY = measured(H2D_Latency=3, GPU_Compute_Time=1, D2H_Latency=1)


@pytest.mark.parametrize(
    ("log", "ms", "words"),
    [
        # what the log says of itself
        (
            RAN.format("100300", "--memPoolSize=workspace:512MiB")
            + "[I] === Build Options ===\n[I] Memory Pools: workspace: 0.000488 MiB\n"
            + HEADER
            + CONV.format("Half"),
            {"c": 1.0},
            "trtexec read workspace:512MiB as 512 bytes: build again with "
            "workspace:512, which is in MiB.",
        ),
        (
            HEADER + CONV.format("Half") + SHAPES,
            {"c": 1.0},
            "trtexec chose the shapes (1x3x224x224), as none were given: measure with --shapes.",
        ),
        # a measurement that is missing, by the log's own flags
        (
            RAN.format("8601", "--onnx=a.onnx --saveEngine=out/a.plan --shapes=x:8x64x64x64")
            + HEADER
            + CONV.format("Half"),
            {},
            "Measure the layers: `trtexec --loadEngine=out/a.plan --shapes=x:8x64x64x64 "
            "--exportProfile=prof.json --separateProfileRun`, then add `--profile_file prof.json`.",
        ),
        (
            "[I] === Build Options ===\n[I] Precision: FP32\n" + HEADER + CONV.format("Float"),
            {"c": 1.0},
            "Try FP16 on a GPU with tensor cores (see `--device`), else INT8: 1 convolution or "
            "product computes in Float.",
        ),
        # what a finding saves, and what is copied
        (
            HEADER + CONV.format("Half") + POINTWISE + SUMMARY,
            {"c": 0.9, "p": 0.1},
            "Copying inputs and outputs takes 4 times as long as computing: keep them on the GPU.",
        ),
        # what is left: 2 * 8 * 64**3 * 64 FMA = no filter's size is known
        (
            HEADER + CONV.format("Half"),
            {"c": 1.0},
            "Layer 0 `c` takes 100.0 %: a smaller model or INT8.",
        ),
        # 64 MiB (67.1 MB) at 1,555 GB/s are 43.2 µs of 60
        (
            device(A100) + HEADER + POINTWISE.replace("(8,", "(64,"),
            {"p": 0.06},
            "Memory-bound at 71.9 % of the bandwidth: a smaller model or fewer bits.",
        ),
    ],
)
def test_the_largest_lever_of_an_engine(
    tmp_path: Path, log: str, ms: dict[str, float], words: str
) -> None:
    assert lever.of(Subject(costs_of(log, tmp_path, **ms))) == words


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: f"{case.code}: {case.why}")
def test_every_engine_has_one_short_sentence(case: Case, tmp_path: Path) -> None:
    text = lever.of(Subject(Costs(case.engine(tmp_path)))) or ""
    assert text.endswith(".") and 3 < len(text.split()) <= 20, text


LOGS = sorted((FIXTURES / "facts").glob("*.log")) + sorted((FIXTURES / "classic").glob("*.log"))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_lint_the_summary_and_both_short_forms_have_the_same(log: Path, here: Program) -> None:
    def printed(*words: str) -> str:
        return here(*words, log).stdout

    told = json.loads(printed("lint", "-f", "json"))["engines"]
    levers = [one["largest_lever"] for one in told]
    others = json.loads(printed("summary", "-f", "json"))["engines"]
    assert [one["engine"]["largest_lever"] for one in others] == levers
    for command in ("lint", "summary"):
        brief = json.loads(printed(command, "-f", "brief"))["engines"]
        assert brief and len(brief) >= min(len(levers), 3)
        for one in brief:  # of many engines the first, and those with times
            assert one["largest_lever"] == levers[one["engine"]]
    for words in (("lint", "--width", "500"), ("summary", "--brief", "--width", "500")):
        text = " ".join(printed(*words).split())
        assert all(lever is None or " ".join(lever.split()) in text for lever in levers), words
