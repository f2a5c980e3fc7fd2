"""Operations inside a ForeignNode: read from the tables of tactics, joined with the profile."""

from pathlib import Path
from typing import Any

import pytest
from factories import engine_in, engine_of
from logtext import file_of, text

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.facts.layer import BY_KEY
from engine_layer_visualize.linting.subject import Subject

L = "[07/07/2026-02:11:09] [V] [TRT] "
HALF = "sm80_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize32x32x64_stage6"
FLOAT = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3"
NODE = "{ForeignNode[fc1...fc2]}"


def table(op: str, nodes: str, *rows: tuple[float, str]) -> list[str]:
    fastest = min(ms for ms, _ in rows)
    return [
        f"{L} (foreignNode) Autotuning op {op}: {nodes}",
        f"{L} (foreignNode) Sorted table of all evaluated tactics:",
        f"{L} (foreignNode) tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, "
        "kernel_name, tactic_hash, tunable_parameter",
        *(
            f"{L} (foreignNode)  {n:3}, {ms}, {ms / fastest:.5f}, 0.92564, {kernel}, 0x48{n}, "
            for n, (ms, kernel) in enumerate(rows)
        ),
    ]


FC1 = table(
    "fc1", "[ONNX Layer: fc1][ONNX Layer: relu1]", (0.004, HALF), (0.005, FLOAT), (0.006, HALF)
)
FC2 = table("fc2_1_2", "[ONNX Layer: fc2]", (0.002, FLOAT), (0.0025, HALF))


def timed(formats: str, ms: float, *lines: str) -> list[str]:
    return [
        f"{L}*************** Autotuning format combination: {formats} -> {formats} ***************",
        f"{L}--------------- Timing Runner: {NODE} (Myelin[0x80000023])",
        *lines,
        f"{L}Tactic: 0x0000000000000000 Time: {ms}",
        f"{L}{NODE} (Myelin[0x80000023]) profiling completed in 1 seconds. Fastest Tactic: "
        f"0x0000000000000000 Time: {ms}",
        f"{L}>>>>>>>>>>>>>>> Chose Runner Type: Myelin Tactic: 0x0000000000000000",
    ]


LISTING = [
    f"{L}Engine Layer Information:",
    f"Layer(Myelin): {NODE}, Tactic: 0x0000000000000000, x (Half[8,64]) -> y (Half[8,10])",
]


def log_of(*lines: str) -> str:
    """A log of the one layer, of which the builder says the lines."""
    return text(f"{L}=============== Computing costs for {NODE}", *lines, *LISTING)


def inside(
    *lines: str, profile: str = "", folder: Path | None = None, key: str = "inside_operations"
) -> Any:
    """The field's value of the one layer."""
    profiles = [file_of(folder, profile, "p.txt")] if folder is not None else []
    engine = engine_of(log_of(*lines), *profiles, facts=True)
    return BY_KEY[key].value(Subject(Costs(engine)), engine.layers[0])


def test_each_operation_has_its_fastest_kernel() -> None:
    first, second = inside(*timed("Half(64,1)", 0.0065, *FC1, *FC2))
    known = {"name": "fc1", "onnx_nodes": ["fc1", "relu1"], "ms": 0.004, "ms_kind": "estimated"}
    assert first == {**known, "kernel": HALF, "precision": "Half", "tactics": 3, "line": 4}
    assert (second["name"], second["onnx_nodes"], second["ms"]) == ("fc2_1_2", ["fc2"], 0.002)
    assert (second["precision"], second["tactics"], second["line"]) == ("Float", 2, 10)


def test_a_profile_measures_operations(tmp_path: Path) -> None:
    rows = "fc1_myl0_0: 0.0071ms\nfc2_1_2_myl0_1: 0.0030ms\n__myl_Softmax_myl0_2: 0.0010ms\n"
    lines = timed("Half(64,1)", 0.0065, *FC1, *FC2)
    found = inside(*lines, profile=rows, folder=tmp_path)
    times = [("fc1", 0.0071), ("fc2_1_2", 0.003), ("__myl_Softmax", 0.001)]
    assert [(one["name"], one["ms"]) for one in found] == times
    assert {one["ms_kind"] for one in found} == {"measured"}


TF32 = FLOAT.replace("_f32f32_f32_", "_tf32f32_f32_")
ALL_FLOAT = table("fc1", "", (0.004, FLOAT), (0.005, HALF))
TENSOR_CORES = table("fc2", "", (0.002, TF32), (0.0025, FLOAT))


@pytest.mark.parametrize(
    ("ms", "tables", "precision"),
    [
        (0.0065, [*ALL_FLOAT, *FC2], "Float"),
        (0.0065, FC1, "Half"),
        (0.0065, TENSOR_CORES, None),  # most of the layer was not timed inside
        (0.0035, TENSOR_CORES, "Float (TF32 kernel)"),
        (0.0065, [*FC1, *FC2], None),  # they differ
        (0.0065, [*ALL_FLOAT, *TENSOR_CORES], "Float"),
        (0.0065, FC1[:3], None),
    ],
)
def test_the_precision_of_the_inside(ms: float, tables: list[str], precision: str | None) -> None:
    """What was timed there tells it."""
    lines = timed("Half(64,1)", ms, *tables)
    dtype = inside(*lines, key="facts.precision")
    assert dtype == (precision and precision.partition(" ")[0])
    assert inside(*lines, key="facts.precision_from") == (precision and "kernel")
    assert inside(*lines, key="facts.tf32") is ("TF32" in (precision or ""))


@pytest.mark.parametrize("cut", range(1, len(FC1)))
def test_a_table_that_is_cut_keeps_what_it_has(cut: int) -> None:
    (one,) = inside(*timed("Half(64,1)", 0.0065, *FC1[:cut]))
    assert one["name"] == "fc1" and one["tactics"] == max(0, cut - 3)
    assert (one["kernel"], one["ms"]) == ((HALF, 0.004) if cut > 3 else (None, None))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # without its first row a table names no fastest
        ([*FC1[:3], *FC1[4:]], [("fc1", None, 2)]),
        # interleaved
        ([FC1[0], FC2[0], *FC1[1:4], *FC2[1:], *FC1[4:]], [("fc1", None, 0), ("fc2_1_2", None, 5)]),
    ],
)
def test_no_kernel_of_others(lines: list[str], expected: list[tuple[str, str | None, int]]) -> None:
    """None goes to the wrong operation."""
    found = inside(*timed("Half(64,1)", 0.0065, *lines))
    assert [(one["name"], one["kernel"], one["tactics"]) for one in found] == expected
    assert {one["ms"] for one in found} == {None}


def test_the_summary_and_the_tooltip_tell_them(tmp_path: Path) -> None:
    engine = engine_in(tmp_path, log_of(*timed("Half(64,1)", 0.0065, *FC1, *FC2)))
    said = " ".join(str(elv.summary(engine)).split())
    assert "What the log tells of inside layer 0:" in said and "4.00 µs" in said
    elv.draw(engine, tmp_path / "e.svg")
    assert "fc1: 4.00 µs (estimated)" in (tmp_path / "e.svg").read_text()
