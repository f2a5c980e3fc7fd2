"""What a kernel's name tells: tensor cores or CUDA cores, for which architecture, sparse or not."""

from __future__ import annotations

import pytest

from engine_layer_visualize.trt.kernels import (
    architecture,
    filters_of_block,
    is_sparse,
    on_tensor_cores,
)

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
