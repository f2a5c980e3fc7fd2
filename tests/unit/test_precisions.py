"""In what a layer computes, and what tells it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from factories import linked
from logtext import file_of
from program import Printed

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.drawing import tooltips

TF32 = "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64"


def layer(
    reads: Sequence[str | None],
    gives: Sequence[str | None],
    kernel: str | None = None,
    kind: str = "A",
    name: str = "a",
) -> Layer:
    inputs = tuple(Tensor(f"x{n}", dtype, "8", (8,)) for n, dtype in enumerate(reads))
    outputs = tuple(Tensor(f"y{n}", dtype, "8", (8,)) for n, dtype in enumerate(gives))
    return Layer(0, Place("build.log", 1), kind, name, None, inputs, outputs, kernel)


@pytest.mark.parametrize(
    ("reads", "gives", "expected"),
    [
        (["Half"], ["Half"], "Half"),
        (["Int8", "Float"], ["Int8"], "Int8"),
        (["Float"], ["Int8"], "Float"),
        (["Int64", "Half"], ["Half"], "Half"),  # a Gather of an index that comes first
        (["Float"], ["Float", "Int32"], "Float"),  # a TopK
        (["Int32"], ["Float"], "Float"),  # a Cast
        (["Int32", "Int32"], ["Int32"], "Int32"),  # of shapes
        ([], ["Half"], "Half"),  # a Constant
        ([None], ["Half"], "Half"),
        ([None], ["Int32"], None),  # an index that comes out tells nothing of what goes in
    ],
)
def test_a_records_tensors_tell_the_precision(
    reads: list[str | None], gives: list[str | None], expected: str
) -> None:
    found = precisions.of(layer(reads, gives))
    assert (found.dtype, found.source) == (expected, expected and "record")
    assert precisions.precision_of(layer(reads, gives)) == (expected or "unknown")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Myelin", "{ForeignNode[a...b]}"),
        ("DLA", "{ForeignNode[a...b]}"),
        ("Myelin", "{ForeignNode[a...b]} [profile 1]"),
    ],
)
@pytest.mark.parametrize("reads", [["Int64", "Int64"], ["Float"], []])
def test_the_ends_of_a_sub_graph_do_not_tell(kind: str, name: str, reads: list[str]) -> None:
    found = precisions.of(layer(reads, ["Float"], kind=kind, name=name))
    assert found == precisions.LayerPrecision(None, None, False)


@pytest.mark.parametrize(
    ("kernel", "expected", "source", "tf32"),
    [
        (TF32, "Float", "kernel", True),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n", "Float", "kernel", False),
        ("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc", "Half", "kernel", False),
        ("sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw", "Int8", "kernel", False),
        ("sm89_xmma_gemm_e4m3e4m3_e4m3f32_f32_tn_n", "FP8", "kernel", False),
        ("sm50_xmma_cublas_gemvx_f32f32_f32_f32_tn_n_int32_unit_n", "Float", "kernel", False),
        ("cutlass_tensorop_s1688tf32gemm_128x128_16x4_tn", "Float", "kernel", True),
        ("ampere_tf32_s1688gemm_128x64_ldg4", "Float", "kernel", True),
        ("ampere_sgemm_32x32_sliced1x4_nn", "Float", "record", False),
        ("sm50_xmma_pooling_max_nhwc_FP32FP32", "Float", "record", False),
        ("f32f32_f32f32_f32", "Float", "record", False),
    ],
)
def test_kernels_tell_the_precision(kernel: str, expected: str, source: str, tf32: bool) -> None:
    found = precisions.of(layer(["Float"], ["Float"], kernel))
    assert (found.dtype, found.source, found.tf32) == (expected, source, tf32)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("trt_maxwell_scudnn_128x64_relu_interior_nn_v1", "Float"),
        ("trt_turing_h1688cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1", "Half"),
        ("void cudnn::lrnForward<5, float, float>(cudnn::LrnParams<float, float>)", "Float"),
        ("void cuEltwise::eltwise<cuEltwise::Add<__half>, __half2>(int)", "Half"),
        ("void cast<float, __half>(float const*, __half*)", None),
        ("[CUDA memcpy HtoD]", None),
        (TF32, "Float"),
    ],
)
def test_a_traced_kernel_tells_it_by_its_words(kernel: str, expected: str | None) -> None:
    found = precisions.of(layer([], [], kernel))
    assert (found.dtype, found.source) == (expected, "kernel" if expected else None)


def test_tf32_is_of_float_alone() -> None:
    half = layer(["Half"], ["Half"], "ampere_tf32_s1688gemm")
    assert precisions.of(half) == precisions.LayerPrecision("Half", "record", False)
    untold = layer([None], [None], TF32)
    assert precisions.of(untold) == precisions.LayerPrecision("Float", "kernel", True)
    assert str(precisions.of(untold)) == "Float (TF32 kernel)"
    assert "computes in: Float (TF32 kernel)" in list(
        tooltips.of_layer(untold, tooltips.EngineFindings(Costs(linked(untold)), rules=False))
    )


LOG = f"""\
[V] [TRT] --------------- Timing Runner: b (Cask)
[V] [TRT] Tactic Name: {TF32} Tactic: 0x00000000000000b2 Time: 0.5
[V] [TRT] Engine Layer Information:
Layer(Myelin): {{ForeignNode[w...a]}}, Tactic: 0x0, i (Int64[8]), m (Int64[8]) -> x (Float[8])
Layer(Gemm): b, Tactic: 0x00000000000000b2, x (Float[8]) -> y (Float[8])
Layer(Gemm): c, Tactic: 0x00000000000000b3, y (Float[8]) -> z (Float[8])
"""


def test_the_summary_counts_all(tmp_path: Path, printed: Printed) -> None:
    log = file_of(tmp_path, LOG)
    (summary,) = json.loads(printed("summary", log, "--format", "json"))["engines"]
    rows = {row["precision"]: (row["layers"], row["tf32"]) for row in summary["precisions"]}
    assert rows == {"Float": (2, 1), "unknown": (1, 0)}
    text = printed("summary", log)
    assert "unknown" in text
    assert "1 of the 2 Float layers multiplies in TF32." in text
