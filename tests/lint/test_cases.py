"""What `lint` says of engines that were told wrongly once; each has its right value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from factories import engine_in, layer, linked
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Join, Timing
from engine_layer_visualize.linting import findings_of, header, lever
from engine_layer_visualize.linting.network import how_to_open
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject


def found(name: str, *codes: str) -> list[Finding]:
    log = FIXTURES / f"cases/{name}.layers.json"
    (engine,) = elv.read(log, profiles=[FIXTURES / f"cases/{name}.profile.json"]).engines
    return [each for each in findings_of(Subject(Costs(engine))) if each.code in codes]


@pytest.mark.parametrize(
    "name",
    [
        "07-cast-that-only-changes-the-format",  # Half on both sides, linear → HWC8
        "07b-cast-of-an-integer-input",  # Int32 → Half, which the operator needs
    ],
)
def test_a_cast_that_has_to_stay_is_not_to_be_removed(name: str) -> None:
    assert not found(name, "F12")


@pytest.mark.parametrize(
    "name",
    [
        "11-addition-of-a-broadcast-tensor",  # [1,64,1,1] beside [1,64,32,48], behind its product
        "11b-no-addition-and-a-constant",  # Relu, Mul, Round, Clip, Div with a constant
    ],
)
def test_no_addition_is_promised_to_be_fused(name: str) -> None:
    assert not found(name, "U01")


def report(folder: Path, log: str) -> str:
    return " ".join(header.of(Subject(Costs(engine_in(folder, log)))))


def test_a_workspace_that_trtexec_misread_is_told_first(tmp_path: Path) -> None:
    log = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --memPoolSize=workspace:1024MiB
[07/07/2026-06:12:18] [I] === Build Options ===
[07/07/2026-06:12:18] [I] Memory Pools: workspace: 0.000976562 MiB, dlaSRAM: default
[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(CaskConvolution): a, Tactic: 0x1, x[Half(1,8,4,4)] -> y[Half(1,8,4,4)]
"""
    said = report(tmp_path, log)
    assert "trtexec read workspace:1024MiB as 1024 bytes: build again with" in said
    assert "workspace" not in report(tmp_path, log.replace("0.000976562", "1024"))


def test_the_header_tells_of_int8_without_calibration(tmp_path: Path) -> None:
    log = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx --int8
[07/07/2026-06:12:18] [I] === Build Options ===
[07/07/2026-06:12:18] [I] Calibration: Dynamic
[07/07/2026-06:12:18] [W] [TRT] Calibrator is not being used.
[07/07/2026-06:12:19] [V] [TRT] Engine Layer Information:
Layer(CaskConvolution): a, Tactic: 0x1, x[{0}(1,8,4,4)] -> y[{0}(1,8,4,4)]
"""
    for dtype, is_told in (("Float", False), ("Int8", True)):
        told = report(tmp_path, log.format(dtype))
        assert ("All tensors have one range, as no calibration was given" in told) == is_told


def test_the_start_up_in_a_single_run_is_no_cost(tmp_path: Path) -> None:
    layers = tuple(
        layer(n, f"l{n}", [f"t{n}"], [f"t{n + 1}"], time=Timing(ms, n=1))
        for n, ms in enumerate((780.0, 4.0, 4.0))
    )
    engine = replace(linked(*layers), profile=Join("p.json", 3, 3, 3, (), ()))
    subject = Subject(Costs(engine))
    assert "has the start-up of the only run" in " ".join(header.of(subject))
    assert not list(lever.costly(subject, ()))


def test_foreign_nodes_of_a_detailed_listing_are_opened_by_a_profiler() -> None:
    (engine,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines
    assert (
        how_to_open(Subject(Costs(engine)))
        == "profile the ForeignNodes with `nsys profile`: it shows their kernels"
    )


def test_a_flag_of_old_versions_is_called_so_where_the_version_is_unknown() -> None:
    (unknown,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines
    allow = "allow FP16 (trtexec: --fp16), and check the accuracy"
    until = "allow FP16 (trtexec up to 10.16: --fp16), and check the accuracy"
    assert trtexec.without_given(allow, unknown) == until
    assert trtexec.without_given(allow, replace(unknown, tensorrt="8.6.1")) == allow
    assert "(" not in trtexec.without_given(allow, replace(unknown, tensorrt="RTX 1.7.1"))


def test_a_command_has_the_shapes_of_the_engine_s_own() -> None:
    (engine,) = elv.read(FIXTURES / "cases/05-myelin-fp16.layers.json").engines

    def flag(command: str) -> str:
        return trtexec.shapes_flag(replace(engine, facts=EngineFacts(command=command)))

    assert flag("trtexec --loadEngine=a --shapes=x:4x3,y:1") == "--shapes=x:4x3,y:1"
    assert flag("trtexec --minShapes=x:1 --optShapes=x:4 --maxShapes=x:8") == "--shapes=x:4"
    assert flag("trtexec --loadEngine=a") == ""
