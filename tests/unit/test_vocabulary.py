"""TensorRT's words, and ours: types, kernels, operators, layers, precisions, units of times."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from factories import engine_of, layer, linked
from logtext import HEADER, classic, file_of, text
from paths import FIXTURES
from program import Printed
from summarised import said_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import costs, labels, origin, precisions
from engine_layer_visualize.drawing import tooltips
from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.operators import operators
from engine_layer_visualize.trt.types import bits, canonical, dtype, width

# ---- TensorRT's types and names ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelled", "name", "wide", "computed"),
    [
        ("fp16", "Half", 16, 16),
        ("TF32", "Float", 32, 32),
        ("float8_e4m3fn", "FP8", 8, 8),
        ("fp4e2m1", "FP4", 4, 4),
        ("boolean", "Bool", 8, None),
        ("E8M0", "E8M0", None, None),
        ("Quaternion", None, None, None),
    ],
)
def test_type_names(spelled: str, name: str | None, wide: int | None, computed: int | None) -> None:
    found = canonical(spelled), width(spelled), bits(spelled), dtype(f"Row major {spelled} format")
    assert found == (name, wide, computed, name)


@pytest.mark.parametrize(
    ("metadata", "nodes", "alone"),
    [
        ("[ONNX Layer: a]", ("a",), True),
        ("[ONNX Layer: a]\x1e[ONNX Layer: b]", ("a", "b"), True),
        ("[ONNX Layer: a][ONNX Layer: b]", ("a", "b"), True),
        ("[ONNX Layer: a | then (If)]", ("a",), False),
        ("[ONNX Layer: a]\x1eby hand", ("a", "by hand"), False),
        ("", (), False),
    ],
)
def test_metadata_and_names_of_nodes(metadata: str, nodes: tuple[str, ...], alone: bool) -> None:
    assert (names.onnx_nodes(metadata), names.names_nodes_alone(metadata)) == (nodes, alone)


# ---- kernels -------------------------------------------------------------------------------------


ON_TENSOR_CORES: dict[bool | None, Sequence[str]] = {
    True: (
        "ampere_h16816gemm_32x32_ldg8_stages_64x5_tn_v1",
        "volta_fp16_s884cudnn_fp16_64x64_ldg8_relu_exp_small_nhwc_tn_v1",
        "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_kernel",
        "sm50_but_ampere_first_layer_filter7x7_fwd",
        "cutlass_80_tensorop_s1688gemm_64x64_nn_align4",
        "sm100_utcqmma_gemm_f8f8",
    ),
    False: (
        "maxwell_scudnn_64x32_relu_small_nn_v0",
        "ampere_fp16x2_hcudnn_fp16x2_64x64_relu_small_nn_v1",
        "ampere_sgemm_64x32_tn",
        "sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n",
        "sm50_xmma_conv_fprop_generic_f32f32",
        "sm70_xmma_fprop_conv1x1_i8f32_f32_f32_nchw_simt_small_batch_bias_relu",
        "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_tilesize32x32x8_stage3_g1_ffma_t1r1s1",
    ),
    None: ("", "s", "splitKreduce", "__myl_Topk_0x16816884a1688e", "sm80_xmma_depthwise_f16"),
}


@pytest.mark.parametrize(("expected", "kernels"), ON_TENSOR_CORES.items())
def test_tensor_cores(expected: bool | None, kernels: Sequence[str]) -> None:
    assert [one for one in kernels if names.on_tensor_cores(one) is not expected] == []


# ---- operators -----------------------------------------------------------------------------------


def named(name: str, type: str = "CaskConvolution", **more: Any) -> elv.Layer:
    return layer(0, name, ["x"], ["y"], type=type, **more)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("conv.0.0.weight + QuantizeLinear_21 + Conv_23 + PWN(Clip_27)", ("Conv", "Clip")),
        ("QuantizeLinear_2_quantize_scale_node", ("QuantizeLinear",)),
        ("Conv_3 + Relu_4 [profile 1]", ("Conv", "Relu")),
        ("Conv_1 || Conv_2 || Conv_3", ("3 × Conv",)),
        ("Conv_1 + Relu_2 || Conv_3 + Relu_4", ("2 × (Conv + Relu)",)),
        ("PWN(PWN(Sigmoid_3), Mul_4)", ("Sigmoid", "Mul")),
        (
            "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]"
            " + [RELU]-[aten_ops.relu.default]-[/features/1/relu]",
            ("convolution", "relu"),
        ),
    ],
)
def test_operators_are_read_from_a_name(name: str, wanted: tuple[str, ...]) -> None:
    assert operators(name) == wanted


def test_nodes_that_other_lines_of_the_log_tell_are_a_headline_too() -> None:
    """`conv1 + relu1` names no operators; the lines about the parsed model do."""
    nodes, operators = ("first", "second"), ("MatMul", "Relu")
    told = elv.LayerFacts(onnx_nodes=nodes, onnx_nodes_from="name", onnx_operators=operators)
    known = named("first + second", facts=told)
    assert labels.headline(known) == "MatMul + Relu"
    assert labels.headline(known, told=False) == "CaskConvolution"
    unknown = known._replace(facts=told._replace(onnx_operators=("MatMul", "")))
    assert labels.headline(unknown) == "CaskConvolution"
    # It adds and clamps.
    assert labels.headline(known._replace(type="PointWiseV2")) == "PointWiseV2"
    foreign = known._replace(name="{ForeignNode[first...second]}", type="Myelin")
    assert labels.headline(foreign) == "Myelin"


# ---- boxes of layers whose names say little, or too much -----------------------------------------


@pytest.mark.parametrize(
    ("name", "under"),
    [
        ("{ForeignNode[/a/b/Shuffle + /a/Cast.../head/TopK]}", "Shuffle … TopK"),
        ("(Unnamed Layer* 0) [Convolution] + (Unnamed Layer* 1) [Scale]", "unnamed layers 0, 1"),
        ("(Unnamed Layer* 5) [Shuffle]", "unnamed layer 5"),
        ("Gemm + (Unnamed Layer* 2) [Shuffle] + unsqueeze_node_after_b + add_2", "Gemm + add_2"),
        ("PWN(PWN(HardSigmoid_1), Mul_2)", "HardSigmoid_1 + Mul_2"),
        ("conv1.weight + Conv_1", "conv1"),
        ("{ForeignNode[b.norm1.weight + x.../b/Reshape_3]}", "b.norm1.weight … Reshape_3"),
    ],
)
def test_the_second_line_says_what_tells_the_place(name: str, under: str) -> None:
    assert labels.under_head(named(name)) == under


# ---- layers that TensorRT adds around those of the network, and nodes that are named twice -------


@pytest.mark.parametrize(
    ("name", "type", "head"),
    [
        ("shuffle_between_/a/Relu_output_0_and_/x/Conv", "", "Shuffle"),
        ("shuffle_between_/a/Relu_output_0_and_/x/Conv", "NoOp", "NoOp"),
        ("copied_squeeze_after_(Unnamed Layer* 4) [ElementWise]", "", "Squeeze"),
        ("reshape_after_/fc/Gemm", "", "Reshape"),
        ("/head_linear/MatMul_myl37_5", "", "MatMul"),
    ],
)
def test_a_layer_has_its_own_operator(name: str, type: str, head: str) -> None:
    assert labels.headline(named(name, type)) == head


def test_the_record_of_an_added_layer_may_name_its_neighbour() -> None:
    record = (("Metadata", "[ONNX Layer: /x/Gemm]"),)
    one = named("reshape_after_/x/Gemm", "Shuffle", attributes=record)
    assert one.onnx_nodes == ("/x/Gemm",)
    assert (labels.headline(one), origin.onnx_operators(one)) == ("Shuffle", ())


def test_a_node_that_metadata_names_twice_is_one_node() -> None:
    (one,) = elv.read(FIXTURES / "facts" / "8.6-node-named-twice.layers.json").engines
    assert labels.headline(one.layers[0]) == "Gemm + Relu"
    assert one.layers[0].onnx_nodes == ("/mast/Gemm", "/mast/Relu")
    assert "1 Gemm, 1 Relu" in said_of(one)


def test_a_plugin_alone_needs_no_autotuning() -> None:
    one = engine_of(text(HEADER + classic("quay", "x", "y", "PluginV2")), facts=True)
    assert "Autotuning" not in said_of(one, 200)


@pytest.mark.parametrize("way", ["input", "output"])
def test_a_reformat_of_tensorrt_7_is_made_of_no_node(way: str) -> None:
    name = f"Conv_0 + Relu_1 {way} reformatter 0"
    assert (names.parts(name), names.type_in_name(name, on_dla=False)) == ((), "Reformat")
    one = named(name, "Reformat")
    assert (labels.headline(one), origin.onnx_operators(one)) == ("Reformat", ())


# ---- in what a layer computes, and what tells it ---------------------------------------------


TF32 = "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64"


def computing(
    reads: Sequence[str | None],
    gives: Sequence[str | None],
    kernel: str | None = None,
    kind: str = "A",
    name: str = "a",
) -> elv.Layer:
    inputs = tuple(elv.Tensor(f"x{n}", dtype, "8", (8,)) for n, dtype in enumerate(reads))
    outputs = tuple(elv.Tensor(f"y{n}", dtype, "8", (8,)) for n, dtype in enumerate(gives))
    return elv.Layer(0, elv.Place("build.log", 1), kind, name, None, inputs, outputs, kernel)


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
def test_tensors_tell_it(reads: list[str | None], gives: list[str | None], expected: str) -> None:
    found = precisions.of(computing(reads, gives))
    assert (found.dtype, found.source) == (expected, expected and "record")
    assert precisions.precision_of(computing(reads, gives)) == (expected or "unknown")


def test_the_ends_of_a_sub_graph_on_the_dla_do_not_tell() -> None:
    """Those of Myelin's are in the golden outputs."""
    found = precisions.of(computing(["Float"], ["Float"], kind="DLA", name="{ForeignNode[a...b]}"))
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
    found = precisions.of(computing(["Float"], ["Float"], kernel))
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
    found = precisions.of(computing([], [], kernel))
    assert (found.dtype, found.source) == (expected, "kernel" if expected else None)


def test_tf32_is_of_float_alone() -> None:
    half = computing(["Half"], ["Half"], "ampere_tf32_s1688gemm")
    assert precisions.of(half) == precisions.LayerPrecision("Half", "record", False)
    untold = computing([None], [None], TF32)
    assert precisions.of(untold) == precisions.LayerPrecision("Float", "kernel", True)
    assert str(precisions.of(untold)) == "Float (TF32 kernel)"
    assert "computes in: Float (TF32 kernel)" in list(
        tooltips.of_layer(untold, tooltips.EngineFindings(costs.Costs(linked(untold)), rules=False))
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
