"""TensorRT's words, and ours: types, kernels, operators, names of layers, units of times."""

from __future__ import annotations

from dataclasses import replace

import pytest
from factories import layer

from engine_layer_visualize.analysis.labels import box_head, headline, under_head
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.trt.kernels import (
    architecture,
    filters_of_block,
    is_sparse,
    on_tensor_cores,
)
from engine_layer_visualize.trt.names import myelin_index, names_nodes_alone, onnx_nodes, profile_in
from engine_layer_visualize.trt.operators import named_after, operators
from engine_layer_visualize.trt.types import bits, canonical, dtype, holds_data, width

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
def test_a_type_is_one_however_it_is_spelled(
    spelled: str, name: str | None, wide: int | None, computed: int | None
) -> None:
    found = canonical(spelled), width(spelled), bits(spelled), dtype(f"Row major {spelled} format")
    assert found == (name, wide, computed, name)


@pytest.mark.parametrize(
    ("name", "index"),
    [
        *(("gemm_myl7_12", 7), ("__myl_Add_myl123456789_1", 123456789), ("a_myl7_", None)),
        *(("a_myl1234567890_1", None), ("a_myl7_12 [profile 1]", None), ("a_myl7_1\n", None)),
    ],
)
def test_the_index_of_a_myelin_layer(name: str, index: int | None) -> None:
    assert myelin_index(name) == index


@pytest.mark.parametrize(
    ("name", "profile"),
    [("y [profile 3]", 3), ("y [profile 1].1_4_myl15", 1), ("y [profile 1] z", 0), ("y", 0)],
)
def test_the_optimisation_profile_in_a_name(name: str, profile: int) -> None:
    assert profile_in(name) == profile


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
def test_metadata_may_say_more_than_the_names_of_nodes(
    metadata: str, nodes: tuple[str, ...], alone: bool
) -> None:
    assert (onnx_nodes(metadata), names_nodes_alone(metadata)) == (nodes, alone)


@pytest.mark.parametrize(
    ("dtype", "holds"),
    [("Half", True), ("int8", True), ("Int64", False), ("bool", False), ("?", True), (None, None)],
)
def test_indices_and_masks_hold_no_data(dtype: str | None, holds: bool | None) -> None:
    assert holds_data(dtype) is holds


# ---- kernels -------------------------------------------------------------------------------------


TENSOR = (
    "ampere_h16816gemm_32x32_ldg8_stages_64x5_tn_v1",
    "volta_fp16_s884cudnn_fp16_64x64_ldg8_relu_exp_small_nhwc_tn_v1",
    "turing_h1688cudnn_64x64_ldg8_relu_exp_small_nhwc_tn_v1",
    "turing_fp16_i8816cudnn_int8_64x64_ldg16_relu_small_nt_v1",
    "sm75_xmma_fprop_implicit_gemm_i8i8_i8i32_f32_nchw_tilesize64x64x64_g1_tensor8x8x16_t1r1s1",
    "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_kernel",
    "sm50_but_ampere_first_layer_filter7x7_fwd",
    "cutlass_80_tensorop_s1688gemm_64x64_nn_align4",
    "cutlass3x_sm90_tensorop_s64x64x16gemm_f16",
    "sm100_utcqmma_gemm_f8f8",
    "nvjet_hsh_64x64_64x4_2x1_v_bz_TNT",
)
CUDA_CORES = (
    "maxwell_scudnn_64x32_relu_small_nn_v0",
    "volta_int8x4_icudnn_int8x4_64x32_relu_small_nn_v1",
    "ampere_fp16x2_hcudnn_fp16x2_64x64_relu_small_nn_v1",
    "volta_hgemm_32x32_nn",
    "ampere_sgemm_64x32_tn",
    "implicit_convolve_sgemm",
    "sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n",
    "sm50_xmma_conv_fprop_generic_f32f32",
    "sm70_xmma_fprop_conv1x1_i8f32_f32_f32_nchw_simt_small_batch_bias_relu",
    "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_tilesize32x32x8_stage3_g1_ffma_t1r1s1",
)
UNTOLD = ("", "s", "splitKreduce_kernel", "__myl_Topk_0x16816884a1688e", "sm80_xmma_depthwise_f16")


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        *((kernel, True) for kernel in TENSOR),
        *((kernel, False) for kernel in CUDA_CORES),
        *((kernel, None) for kernel in UNTOLD),
    ],
)
def test_tensor_cores(kernel: str, expected: bool | None) -> None:
    assert on_tensor_cores(kernel) is expected


def test_architectures() -> None:
    assert architecture("sm86_xmma_gemm_f32f32") == (8, 6)
    assert architecture("sm100_utcqmma_gemm") == (10, 0)
    assert architecture("cutlass_80_tensorop_s1688gemm") == (8, 0)
    assert architecture("trt_turing_cutlass_image_network") == (7, 5)
    assert architecture("implicit_convolve_sgemm") is None


def test_sparse_kernels() -> None:
    assert is_sparse("sm80_xmma_sparse_conv_fprop_f16f16_tensor16x8x32")
    assert is_sparse("ampere_h16832spgemm_64x64")
    assert is_sparse("cutlass_80_sptensorop_s16832gemm_f16_64x128_nn_align8")
    assert not is_sparse("cudnn_split_k_spatial_h16816gemm")


def test_filters_of_a_block() -> None:
    assert filters_of_block("sm80_xmma_fprop_nhwckrsc_nhwc_tilesize128x32x64_stage4") == 32
    assert filters_of_block("ampere_scudnn_128x64_relu_small_nn_v1") is None


# ---- operators and times -------------------------------------------------------------------------


def named(name: str, type: str = "CaskConvolution") -> Layer:
    return layer(0, name, [], [], type=type)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 µs"),
        (0.0005, "500 ns"),
        (0.0213, "21.3 µs"),
        (0.9996, "1.00 ms"),
        (9.999, "10.0 ms"),
        (1234, "1.23 s"),
        (1e9, "1000000 s"),
    ],
)
def test_milliseconds_have_a_unit_that_fits(ms: float, text: str) -> None:
    assert milliseconds(ms) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0001, "<0.1 %"), (0.0128, "1.3 %"), (0.153, "15.3 %"), (1, "100.0 %")],
)
def test_percent_is_never_zero_of_something(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "features.1.conv.0.0.weight + QuantizeLinear_21 + Conv_23 + PWN(Clip_27)",
            ("Conv", "Clip"),
        ),
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


@pytest.mark.parametrize(
    "name",
    [
        "",
        "conv1.weight",
        "Reformatting CopyNode for Input Tensor 0 to Conv_3",
        "reshape_after_(Unnamed Layer* 13) [Matrix Multiply]",
        "onnx::Concat_647 copy",
        "Conv_1 || Relu_2",
        "Conv_1 + my_block_2",
        "{ForeignNode[Conv_1...Relu_9]}",
        "(Unnamed Layer* 0) [PluginV3_V3ONE]",
    ],
)
def test_an_unclear_name_falls_back_to_the_type(name: str) -> None:
    assert operators(name) == ()
    assert headline(named(name, "Myelin")) == "Myelin"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Reformatting CopyNode for Input Tensor 0 to Conv_3 + Relu_4", "to Conv_3 + Relu_4"),
        ("Reformatting CopyNode for Output Tensor 1 to pool", "of pool"),
        ("(Unnamed Layer* 0) [PluginV3_V3ONE]", "unnamed layer 0"),
    ],
)
def test_a_line_tells_what_other_names_do_not_say(name: str, line: str) -> None:
    assert under_head(named(name)) == line


def test_known_nodes_say_what_a_kernel_does_even_where_one_of_them_does_not() -> None:
    nodes = "\x1e".join(f"[ONNX Layer: {name}]" for name in ("/a/Mul", "/a/made_up", "/a/Add_1"))
    fused = replace(named("__myl_0", "kgen"), attributes=(("Metadata", nodes),))
    assert headline(fused) == "Mul + Add"
    aten = "[CONVOLUTION]-[aten_ops._native_batch_norm_legit_no_training.default]-[/bn]"
    assert headline(named(aten)) == "BatchNorm"
    assert headline(named("/classifier/classifier_1/Gemm_myl9_2", "Myelin")) == "Gemm"


def test_nodes_that_other_lines_of_the_log_tell_are_a_headline_too() -> None:
    """`conv1 + relu1` names no operators; the lines about the parsed model do."""
    told = LayerFacts(
        onnx_nodes=("first", "second"), onnx_nodes_from="name", onnx_operators=("MatMul", "Relu")
    )
    known = replace(named("first + second"), facts=told)
    assert headline(known) == "MatMul + Relu"
    assert headline(known, told=False) == "CaskConvolution"
    assert headline(replace(known, facts=replace(told, onnx_operators=("MatMul", "")))) == (
        "CaskConvolution"
    )
    assert headline(replace(known, type="PointWiseV2")) == "PointWiseV2"  # it adds and clamps
    foreign = replace(known, name="{ForeignNode[first...second]}", type="Myelin")
    assert headline(foreign) == "Myelin"


# ---- boxes of layers whose names say little, or too much -----------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Convolution1 + Activation1", ("Convolution", "Activation")),
        ("conv1 + relu1", ("conv", "relu")),
        ("node_max_pool2d_1", ("max_pool2d",)),
        ("node_conv2d + node_relu", ("conv2d", "relu")),
        ("net/conv1/Conv2D + net/relu1/Relu6", ("Conv2D", "Relu")),
        ("reshape_before_net/fc/Gemm", ()),  # TensorRT's own
        ("/net/fc/Linear", ()),
        ("conv1 + my_part", ()),
        ("PWN(node_linear_1 + node_relu_2)", ()),  # a product's bias, not the product
        ("{ForeignNode[conv1...relu9]}", ()),  # and what is between
        ("", ()),
    ],
)
def test_words_of_names_that_users_gave(name: str, words: tuple[str, ...]) -> None:
    assert named_after(name) == words
    head = box_head(layer(0, name, ["a"], ["b"]))
    assert (head == " + ".join(words)) == bool(words)


@pytest.mark.parametrize(
    ("name", "under"),
    [
        ("{ForeignNode[/a/b/Shuffle + /a/Cast.../head/TopK]}", "Shuffle … TopK"),
        (
            "(Unnamed Layer* 0) [Convolution] + (Unnamed Layer* 1) [Activation]",
            "unnamed layers 0, 1",
        ),
        ("(Unnamed Layer* 5) [Shuffle]", "unnamed layer 5"),
        (
            "MatMul + (Unnamed Layer* 2) [Shuffle] + unsqueeze_node_after_b + add_2",
            "MatMul + add_2",
        ),
        ("(Unnamed Layer* 8) [Scale] + Relu_2", "(Unnamed Layer* 8) [Scale] + Relu_2"),
        ("PWN(PWN(HardSigmoid_1), Mul_2)", "HardSigmoid_1 + Mul_2"),
        (
            "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]"
            " + [RELU]-[aten_ops.relu.default]-[/features/1/relu]",
            "/features/0/convolution + /features/1/relu",
        ),
        ("conv1.weight + Conv_1", "conv1"),
    ],
)
def test_the_second_line_says_what_tells_the_place(name: str, under: str) -> None:
    assert under_head(layer(0, name, ["a"], ["b"])) == under
