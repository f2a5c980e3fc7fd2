"""Work of invented records, with numbers that were computed by hand, and the roofline of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from factories import engine, layer

from engine_layer_visualize.analysis import extents, peaks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.work import LayerWork, work
from engine_layer_visualize.core.build_info import Device, EngineFacts
from engine_layer_visualize.core.model import Engine, Graph, JsonValue, Layer, Tensor, Timing
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.page.findings import roofline
from engine_layer_visualize.reports import times as section


def device(name: str, capability: str, sms: int, bus: int, clock: float, memory: float) -> Device:
    return Device(name, capability, sms, None, None, bus, clock, memory)


def shown(engine: Engine) -> tuple[list[str], page.Grid]:
    """The sentences of the summary's section, and its table."""
    blocks = list(section.work_blocks(Subject(Costs(engine)), 10))
    texts = [plain(one.text) for one in blocks if isinstance(one, page.Paragraph)]
    (table,) = (one for one in blocks if isinstance(one, page.Grid))
    return texts, table


def data(costs: Costs) -> Any:
    """Its data."""
    return section.work_data(Subject(costs), 10)


A100 = device("NVIDIA A100-PCIE-40GB", "8.0", 108, 5120, 1.41, 1.215)
RTX_3090 = device("NVIDIA GeForce RTX 3090", "8.6", 82, 384, 1.695, 9.751)
NHWC8 = "Channel major FP16 format where channel % 8 == 0"


def tensor(
    dims: str, dtype: str | None = "Half", format: str | None = None, name: str = ""
) -> Tensor:
    shape = tuple(int(part.partition(":")[0]) for part in dims.split(",") if part)
    return Tensor(name or f"t{dims}{dtype}", dtype, dims, shape, format)


def of(
    reads: list[Tensor], writes: list[Tensor], type: str = "CaskConvolution", **more: Any
) -> Layer:
    one = layer(0, more.pop("name", "one"), [], [], type=type, **more)
    return one._replace(inputs=tuple(reads), outputs=tuple(writes))


def convolution(
    read: str, gives: str, kernel: int, stride: int = 1, pad: int = 0, groups: int = 1, **more: Any
) -> Layer:
    """As a detailed listing prints it."""
    rank = read.count(",") - 1
    dtype, prefix = more.pop("dtype", "Half"), more.pop("prefix", "")
    filters = more.pop("filters", None) or int(gives.split(",")[1])
    channels = int(read.split(",")[1].partition(":")[0])
    transposed = more.get("type") == "CaskDeconvolution"
    weights = channels * filters // groups * kernel**rank
    keys: list[tuple[str, JsonValue]] = [
        (f"{prefix}Kernel", [kernel] * rank),
        (f"{prefix}PaddingMode", "kEXPLICIT_ROUND_DOWN"),
        (f"{prefix}PrePadding", [pad] * rank),
        (f"{prefix}PostPadding", [pad] * rank),
        (f"{prefix}Stride", [stride] * rank),
        (f"{prefix}Dilation", [more.pop("dilation", 1)] * rank),
        (f"{prefix}OutMaps", filters),
        (f"{prefix}Groups", groups),
        (f"{prefix}Weights", {"Type": dtype, "Count": weights}),
        (f"{prefix}Bias", {"Type": dtype, "Count": more.pop("bias", filters)}),
    ]
    assert transposed or more.get("type") in (None, "CaskConvActPool", "CudaDepthwiseConvolution")
    reads = [tensor(read, dtype, name="x"), *more.pop("also", [])]
    return of(reads, [tensor(gives, dtype, name="y")], attributes=tuple(keys), **more)


PLAIN = ("2,16,32,32", "2,32,32,32", 3, 1, 1)  # of 9,437,184 MACs and 205,888 bytes
PLAIN_FLOP = 2 * 9_437_184
ABLE = peaks.parse("fp32=1,tf32=8,fp16=16,int8=32,bw=1e9")


def done(one: Layer, peak: Peak | None = None, **facts: Any) -> LayerWork:
    timed = one.time is not None
    known = EngineFacts(**facts)
    whole = engine(one, graph=Graph((), (), ()), timed=timed, facts=known)
    return work(Costs(whole, peak=peak)).of(one)


def channels(one: Layer) -> extents.Channels | None:
    return extents.channels(extents.of(one))


@pytest.mark.parametrize(
    ("one", "macs", "moved"),
    [
        # 2·32·32·32·16·9; 65,536 + 131,072 + 9,216 + 64
        (convolution(*PLAIN), 9_437_184, 205_888),
        (convolution(*PLAIN, groups=4), 2_359_296, 198_976),
        # a quarter of the input is read: 100,352 + 200,704 + 16,384
        (convolution("1,64,56,56", "1,128,28,28", 1, 2, bias=0), 6_422_528, 317_440),
        # a volume: 4·8·8·8·2·27
        (convolution("1,2,8,8,8", "1,4,8,8,8", 3, pad=1, bias=0), 110_592, 6_576),
        # by the input's extents: 64·16·16·32·4
        (convolution("1,64,16,16", "1,32,32,32", 2, 2, type="CaskDeconvolution", bias=0),
         2_097_152, 32_768 + 65_536 + 16_384),
        # 64·112·112·3·49, although 56·56 are written
        (convolution("1,3,224,224", "1,64,56,56", 7, 2, 3, prefix="Conv", type="CaskConvActPool",
                     dtype="Int8", bias=0), 118_013_952, 150_528 + 200_704 + 9_408),
        # 3 channels in vectors of 4
        (convolution("1,3:4,224,224", "1,32:32,112,112", 3, 2, 1, dtype="Int8", bias=0, filters=32),
         10_838_016, 200_704 + 401_408 + 864),
        # a residual input counts
        (convolution("1,8,4,4", "1,8,4,4", 1, also=[tensor("1,8,4,4", name="r")], bias=0),
         1_024, 3 * 256 + 128),
        # a dilation of the stride touches every second place of both axes
        (convolution("1,8,16,16", "1,8,8,8", 3, 2, 2, dilation=2, bias=0),
         36_864, 1_024 + 1_024 + 1_152),
        (convolution("0,16,8,8", "0,32,8,8", 1, bias=0), 0, 1_024),
    ],
)  # fmt: skip
def test_convolutions(one: Layer, macs: int, moved: int) -> None:
    found = done(one)
    assert (found.macs, found.flop, found.bytes) == (macs, 2 * macs, moved)
    assert found.intensity == pytest.approx(2 * macs / moved)
    assert found.unknown is None


@pytest.mark.parametrize(
    ("reads", "written", "type", "macs"),
    [
        (["8,128,64", "8,64,32"], "8,128,32", "MatrixMultiply", 2_097_152),
        (["8,128,64", "8,32,64"], "8,128,32", "MatrixMultiply", 2_097_152),  # transposed
        (["8,128,64", "1,64,32"], "8,128,32", "MatrixMultiply", 2_097_152),  # broadcast
        (["1,9216", "9216,4096", "1", "1", "1,4096"], "1,4096", "gemm", 37_748_736),
        (["1,40,256"], "1,40,1024", "gemm", 10_485_760),  # the weights are not listed
        (["64,100"], "100,10", "gemm", 64_000),  # the first factor is transposed
        (["4,512,7,7"], "4,1000,1,1", "FullyConnected", 100_352_000),
    ],
)
def test_products(reads: list[str], written: str, type: str, macs: int) -> None:
    assert done(of(list(map(tensor, reads)), [tensor(written)], type)).macs == macs


def test_the_weights_of_a_product() -> None:
    """Of 8 rows by 16 columns they say that 16 are multiplied, and the result is transposed. Those
    that are not listed have the type of the layer."""
    weights = "[ { Name: w, Dimensions: [1,16,16], Strides: [256,16,1], Datatype: Float }]"
    one = of([tensor("1,8,16")], [tensor("1,16,8")], "gemm", attributes=(("Constants", weights),))
    assert done(one).macs == 8 * 16 * 16
    unlisted = of([tensor("1,40,256")], [tensor("1,40,1024")], "gemm")
    assert done(unlisted).bytes == 2 * (40 * 256 + 40 * 1024 + 256 * 1024)


def test_kernels_of_myelin() -> None:
    """What a name lists decides; constants are weights."""
    constants = (
        "[ { Name: w, Dimensions: [64,16,3,3], Strides: [144,1,48,16], StrideOrder: [3,0,2,1], "
        "Datatype: Float, Format: (NHWC) Channel major format }]"
    )
    ends = [tensor("2,64,16,16", "Float", name="a")], [tensor("2,64,16,16", "Float", name="b")]
    attributes = (("Constants", constants),)
    fused = of(*ends, "runtime_fusion", name="__myl_CorrAdd_myl0_4", attributes=attributes)
    found = done(fused)
    assert found.macs == 2 * 64 * 16 * 16 * 16 * 9
    assert found.bytes == 2 * 131_072 + 36_864
    assert channels(fused) == (64, 64, 4, 512)
    assert done(of(*ends, "kgen", name="__myl_MaxrSubExpSumDiv_myl0_1")).macs == 0
    for name in ("__myl_FcAddFc_myl0_1", "__myl_AddMulEtc_myl0_1", "__mye12_myl0_1"):
        assert done(of(*ends, "kgen", name=name)).macs is None


@pytest.mark.parametrize(
    ("words", "reads", "written", "macs"),
    [
        # A product, or pairs that are added: without ONNX nodes nothing tells.
        ("MulSumAdd", ["1,512"], "1,1000", None),
        ("MulSum", ["1,512", "256,512"], "1,256", None),
        ("MulSum", [], "1,1000", None),
        # A softmax adds up exponentials; nothing is multiplied before the sum.
        ("MulMaxrSubExpSumDiv", ["1,8,512"], "1,8,512", 0),
        ("SumMul", ["1,8,512"], "1,8", 0),
        ("MulMeanSub", ["1,8,512"], "1,8,512", 0),
    ],
)
def test_a_sum_of_products(words: str, reads: list[str], written: str, macs: int | None) -> None:
    ends = list(map(tensor, reads)), [tensor(written)]
    found = done(of(*ends, "kgen", name=f"__myl_{words}_myl0_3"))
    assert found.macs == macs
    assert (found.unknown is not None) == (macs is None)


def test_onnx_nodes_tell_a_product_from_a_weighted_sum() -> None:
    """By their operators: 512 to 256 may be either."""

    def macs_of(*nodes: str) -> int | None:
        words = ("Metadata", "".join(f"[ONNX Layer: {node}]" for node in nodes))
        ends = [tensor("1,512")], [tensor("1,256")]
        return done(of(*ends, "kgen", name="__myl_MulSumAdd_myl0_3", attributes=(words,))).macs

    assert macs_of("/head/Gemm") == 131_072
    assert macs_of("/head/MatMul", "/head/Add") == 131_072
    assert macs_of("/head/Mul", "/head/ReduceSum", "/head/Add") == 0
    assert macs_of("/a/MatMul", "/b/MatMul") is None
    assert macs_of("node_linear") is None


_ONE_PRODUCT = "(Unnamed Layer* 8) [Matrix Multiply] + (Unnamed Layer* 9) [Activation]"


@pytest.mark.parametrize(
    ("name", "read", "written", "macs"),
    [
        (_ONE_PRODUCT, "2,64,1,1", "2,32,1,1", 4_096),
        ("(Unnamed Layer* 8) [Fully Connected]", "2,64,7,7", "2,32,1,1", 200_704),
        ("fc.weight + MatMul_9 + Relu_10", "2,64,49,1", "2,32,49,1", 200_704),
        (_ONE_PRODUCT, "2,64,7,7", "2,32,5,5", None),  # no product gives that
        ("(Unnamed Layer* 8) [Convolution]", "2,64,1,1", "2,32,1,1", None),  # it may pad
        ("MatMul_9 || MatMul_10", "2,64,1,1", "2,32,1,1", None),
    ],
)
def test_a_product_as_a_convolution(name: str, read: str, written: str, macs: int | None) -> None:
    one = of([tensor(read)], [tensor(written)], "CublasConvolution", name=name)
    assert done(one).macs == macs
    assert (macs is None) == ("no kernel size" in (done(one).unknown or ""))


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (convolution("-1,16,8,8", "-1,32,8,8", 1), "symbolic"),
        (of([tensor("1,16,8,8")], [tensor("1,32,8,8")]), "no kernel size"),
        (of([], []), "its sizes are not read"),
        (of([tensor("-7,-8,256"), tensor("1,256,64")], [tensor("-7,-8,64")], "MatrixMultiply"),
         "symbolic"),
        (of([tensor("3,5,7")], [tensor("3,4,9")], "MatrixMultiply"), "one product"),
        (of([tensor("16,5,5")], [tensor("120,1,1")], "FullyConnected"), "symbolic or unknown"),
        (of([tensor("1,8")], [tensor("1,8")], "Myelin", name="{ForeignNode[a...b]}"), "Myelin"),
        (of([tensor("1,8")], [tensor("1,8")], "PluginV2"), "plugin"),
        (of([tensor("1,8")], [tensor("1,8")], "Oven", raw="Layer(Oven"), "could not be read"),
        (convolution("1,16,8,8", "1,32,8,8", 1, groups=3), "do not fit"),
        (convolution("1,16,8,8", "1,32,9,9", 1), "other extents"),
    ],
)  # fmt: skip
def test_what_is_not_shown_is_unknown(one: Layer, why: str) -> None:
    found = done(one, peaks.parse("fp16=312,bw=1555"))
    assert found.macs is None and found.bound_ms is None
    assert why in (found.unknown or "")


def test_no_work() -> None:
    assert done(of([tensor("1,8")], [tensor("1,8")], "NoOp")) == LayerWork(0, 0, 0)
    pool = of([tensor("1,8,4,4")], [tensor("1,8,2,2")], "CaskPooling")
    assert (done(pool).macs, done(pool).bytes) == (0, 256 + 64)


def test_bytes_of_formats_and_parts() -> None:
    """3 channels are 8 in memory; a slice reads what it writes; a tensor counts once."""
    padded = tensor("1,3,10,10", format=NHWC8, name="padded")
    assert done(of([tensor("1,3,10,10")], [padded], "Reformat")).bytes == 600 + 1_600
    assert done(of([tensor("1000,64")], [tensor("8,64")], "Slice")).bytes == 2 * 1_024
    twice = tensor("1,8", name="t")
    assert done(of([twice, twice], [twice], "ElementWise")).bytes == 16
    assert done(of([tensor("1,8", None)], [tensor("1,8")], "ElementWise")).bytes is None


@pytest.mark.parametrize(
    ("device", "key", "tflops", "bandwidth"),
    [
        (device("Tesla T4", "7.5", 40, 256, 1.59, 5.001), "int8", 130, 320),
        (RTX_3090, "fp16_fp32", 71, 936),
        (device("NVIDIA H100 80GB HBM3", "9.0", 132, 5120, 1.83, 2.619), "fp16", 989, 3_352),
        (device("Orin", "8.7", 16, 128, 1.275, 1.275), "int8", 83.6, 204.8),
        # an Orin NX has 102 GB/s, an Orin Nano 68 or 102, with 8 SMs both
        (device("Orin", "8.7", 8, 256, 0.765, 0.765), "int8", 25.1, None),
    ],
)  # fmt: skip
def test_datasheets(device: Device, key: str, tflops: float, bandwidth: float | None) -> None:
    peak = peaks.of_device(device)
    assert peak is not None
    assert (peak.of(key) or 0) / 1e12 == pytest.approx(tflops, rel=0.01)
    assert peak.bandwidth == (None if bandwidth is None else pytest.approx(bandwidth, rel=0.01))


def test_devices_of_which_nothing_is_known() -> None:
    assert peaks.of_device(None) is None
    assert peaks.of_device(device("New", "99.0", 8, 64, 1.0, 1.0)) is None
    bare = peaks.of_device(Device(None, "8.0"))
    assert bare is not None and bare.tflops == () and bare.bandwidth is None
    old = peaks.of_device(device("NVIDIA GeForce GTX 1650", "7.5", 14, 128, 1.6, 4.0))
    assert old is not None and [key for key, _ in old.tflops] == ["fp32"]


def test_every_figure_is_of_a_device_that_is_known() -> None:
    data = json.loads(Path(str(peaks.__file__)).with_suffix(".json").read_text("utf-8"))
    tables = ("geforce", "unverified")
    assert not {capability for key in tables for capability in data[key]} - set(data["fma"])
    assert set(data["sources"]) == {*data["fma"], "l2_mib"}


@pytest.mark.parametrize(
    ("name", "capability", "mib"),
    [
        ("Tesla T4", "7.5", 4),
        ("NVIDIA GeForce GTX 1060 6GB", "6.1", None),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0", None),
        ("NVIDIA A30", "8.0", 24),
        (None, "8.9", None),
    ],
)
def test_the_l2_cache_of_the_device(name: str | None, capability: str, mib: float | None) -> None:
    found = peaks.of_device(Device(name, capability))
    assert found is not None and found.l2_mib == mib


def test_given_peaks_stand_in_place_of_the_device_s() -> None:
    mine = peaks.parse(" FP16=100 , bw=1000,")
    known = peaks.merged(peaks.of_device(A100), mine)
    assert known is not None and known.of("fp16") == 100e12 and known.bandwidth == 1_000
    assert known.of("int8") == pytest.approx(624e12, rel=0.01)
    assert known.given == ("fp16", "bw")
    assert peaks.parse(" ,") is peaks.parse(None) is None
    for wrong in ("fp16", "fp16=x", "fp16=-1", "fp16=inf", "fp12=3"):
        with pytest.raises(ValueError):
            peaks.parse(wrong)


def timed(one: Layer, ms: float) -> Layer:
    return one._replace(time=Timing(ms))


@pytest.mark.parametrize(
    ("peak", "ms", "bound", "by"),
    [
        ("fp16=1,bw=100", 0.1, 0.018874, "compute"),  # its bytes take 2.06 µs
        ("fp16=1000,bw=1", 0.3, 0.205888, "memory"),
        ("fp16=1000,bw=1", 0.004, 0.205888, "launch"),
    ],
)
def test_what_bounds_a_layer(peak: str, ms: float, bound: float, by: str) -> None:
    """By 2 · 9,437,184 FLOP at 1 or 1,000 TFLOPS, and 205,888 bytes at 100 or 1 GB/s."""
    found = done(timed(convolution(*PLAIN), ms), peaks.parse(peak))
    assert found.bound_by == by
    assert found.bound_ms == pytest.approx(bound, rel=1e-3)
    assert found.efficiency == pytest.approx(bound / ms, rel=1e-3)
    assert found.above_ms == pytest.approx(max(0, ms - bound), rel=1e-3)
    assert done(timed(convolution(*PLAIN), 0.0), peaks.parse(peak)).efficiency is None


@pytest.mark.parametrize(
    ("dtype", "kernel", "rate"),
    [
        # Kernels of Float run on CUDA cores where they say so, else in TF32.
        ("Float", None, 8.0),
        ("Float", "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_ffma", 1.0),
        ("Float", "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc", 8.0),
        ("Float", "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", 2.25),
        ("Float", "sm50_xmma_conv_fprop_generic_f32f32_f32_f32_nchwkcrs_nchw", 1.0),
        # Sparse ones may multiply half as often.
        ("Half", "ampere_h16832spgemm_64x64", 32.0),
        ("Half", "cutlass_80_sptensorop_s16832gemm_f16", 32.0),
        ("Half", "ampere_h16816gemm_64x64", 16.0),
    ],
)
def test_how_fast_a_kernel_may_be(dtype: str, kernel: str | None, rate: float) -> None:
    one = convolution(*PLAIN, dtype=dtype)._replace(kernel=kernel)
    assert done(one, ABLE).bound_ms == pytest.approx(PLAIN_FLOP / rate / 1e12 * 1e3)


def test_depthwise_convolutions_run_on_cuda_cores() -> None:
    depthwise = convolution("1,32,32,32", "1,32,32,32", 3, pad=1, groups=32)
    assert done(depthwise, ABLE).bound_ms == pytest.approx(2 * 294_912 / 2e12 * 1e3)


def test_without_a_bandwidth_or_a_peak_there_is_no_bound() -> None:
    one = convolution(*PLAIN)
    assert "bandwidth" in (done(one, peaks.parse("fp16=1")).unknown or "")
    assert "Half" in (done(one, peaks.parse("int8=1,bw=1")).unknown or "")
    assert done(one).unknown is None and done(one).bound_ms is None


def test_equal_layers_rank_together() -> None:
    one = convolution(*PLAIN)
    other = one._replace(kernel="another")
    wide = convolution("4,16,32,32", "4,32,32,32", 3, pad=1)
    times = [(one, 0.1), (other, 0.15), (wide, 0.2), (one, 0.12), (one, None)]
    several = [
        (took if ms is None else timed(took, ms))._replace(index=at)
        for at, (took, ms) in enumerate(times)
    ]
    whole = engine(*several, graph=Graph((), (), ()), timed=True)
    costs = Costs(whole, peak=peaks.parse("fp16=1,bw=100"))
    groups = data(costs)["groups"]
    assert [row["layers"] for row in groups] == [[3, 0], [2], [1]], "0.22, 0.2 and 0.15 ms"
    first = groups[0]
    assert (first["index"], first["macs"], first["bytes"]) == (3, 2 * 9_437_184, 2 * 205_888)
    bound = 2 * 0.018874368
    assert (first["ms"], first["bound_ms"]) == pytest.approx((0.22, bound))
    assert (first["above_ms"], first["efficiency"]) == pytest.approx((0.22 - bound, bound / 0.22))
    groups = data(Costs(whole))["groups"]
    assert [row["layers"] for row in groups] == [[0, 3, 4], [2], [1]], "by their MACs"


@pytest.mark.parametrize("in_l2", [True, False])
def test_the_least_time_is_that_from_memory(in_l2: bool) -> None:
    """It is no bound where the cache may hold what a layer moves."""
    many = "64,64,56,56" if not in_l2 else "1,64,56,56"
    one = timed(of([tensor(many)], [tensor(many, name="out")], "CaskPooling"), 1.0)
    facts = EngineFacts(device=A100)
    texts, table = shown(engine(one, graph=Graph((), (), ()), timed=True, facts=facts))
    assert [each for each in texts if "; the bounds sum to " in each]
    assert any("(L2): the data fits the cache" in each for each in texts) == in_l2
    assert ">efficiency" in table.columns
    assert table.rows[0][4] == ("memory (L2)" if in_l2 else "memory")


@pytest.mark.parametrize(
    ("kernel", "mark", "said"),
    [
        ("ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", "Winograd", "to 4 times"),
        ("sm80_xmma_fprop_implicit_gemm_sparse_f32f32", "sparse", "half of the MACs"),
        ("sm80_xmma_fprop_implicit_gemm_f32f32", None, ""),
    ],
)
def test_bounds_of_fewer_macs_are_marked(kernel: str, mark: str | None, said: str) -> None:
    one = convolution("8,512,28,28", "8,512,28,28", 3, pad=1)._replace(kernel=kernel)
    one = timed(one, 9.0)
    whole = engine(one, graph=Graph((), (), ()), timed=True, facts=EngineFacts(device=A100))
    assert [row["assumes"] for row in data(Costs(whole))["groups"]] == [mark]
    texts, table = shown(whole)
    assert table.rows[0][4] == (f"compute ({mark})" if mark else "compute")
    told = " ".join(texts)
    assert (f"({mark}): by the kernel's name" in told) == bool(mark) and said in told


def test_parts_of_one_tensor_that_a_layer_reads_are_each_moved() -> None:
    """Three slices of 2 KiB of one tensor of 6 KiB, to an output of 2 KiB; a square reads once."""
    whole, part, out = tensor("3,1024", name="qkv"), tensor("1,1024", name="qkv"), tensor("1,1024")
    made = layer(0, "make", [], [], type="Constant")
    made = made._replace(outputs=(whole,))
    attend = of([part, part, part], [out], "PointWiseV2")._replace(index=1)
    square = of([whole, whole], [tensor("3,1024")], "PointWiseV2")._replace(index=2)
    done = work(Costs(engine(made, attend, square, graph=Graph((), (), ()))))
    assert [done.of(one).bytes for one in (attend, square)] == [4 * 2048, 2 * 6144]


# ---- what a roofline shows: dots under their roofs, and what is said of the others ---------------


def layers(*times: float) -> list[Layer]:
    """Convolutions of other sizes."""
    made = []
    for n, ms in enumerate(times):
        dims = f"1,{8 << n},16,16"
        one = timed(convolution(dims, dims, 3, pad=1), ms)
        made.append(one._replace(index=n, name=f"Conv_{n}"))
    return made


class Plot:
    """The roofline of an engine with these layers."""

    def __init__(self, *several: Layer, known: bool = True, peak: str | None = None) -> None:
        facts = EngineFacts(device=A100) if known else EngineFacts()
        is_timed = any(one.time is not None for one in several)
        made = engine(*several, graph=Graph((), (), ()), timed=is_timed, facts=facts)
        costs = Costs(made, peak=peaks.parse(peak))
        self.work = Subject(costs).work
        self.of: dict[str, Any] = roofline(costs, self.work, lambda dtype: 0)


def test_the_slowest_layer_is_named_and_two_that_are_far_above_their_bounds() -> None:
    """The slowest has so many channels that the others are farther above their bounds."""
    dims = "1,4096,16,16"
    large = timed(convolution(dims, dims, 3, pad=1), 0.6)._replace(index=4)
    plot = Plot(*layers(0.1, 0.5, 0.45, 0.4), large)
    above = [plot.work.of(one).above_ms or 0.0 for one in (*layers(0.1, 0.5, 0.45, 0.4), large)]
    assert above[1] > above[2] > above[3] > above[4]
    assert plot.of["worst"] == [4, 1, 2]
    assert plot.of["shown"] == "5 of 5 layers are drawn"


@pytest.mark.parametrize(
    ("known", "peak", "said"),
    [
        (True, None, "NVIDIA A100-PCIE-40GB: FP32 19.5, TF32 156, FP16 312"),
        (False, "fp16=100,bw=1000", "FP16 100 TFLOPS, 1,000 GB/s"),
        (False, "fp16=100", "FP16 100 TFLOPS (dense, maximum clock); fp16 by --peak"),
        (False, "int8=624", "There are no roofs: what the device can do is not known"),
    ],
)
def test_where_the_roofs_are_known_from(known: bool, peak: str | None, said: str) -> None:
    plot = Plot(*layers(0.1), known=known, peak=peak)
    assert plot.of["device"].startswith(said)
    highest = [312e12] if known else [100e12] if "fp16" in (peak or "") else []
    assert [value for value, *_ in plot.of["roofs"][:1]] == pytest.approx(highest, rel=0.01)


def test_halves_have_the_roof_of_floats_where_no_other_is_known() -> None:
    """The same that their bounds are of."""
    (one,) = layers(0.1)
    plot = Plot(one, known=False, peak="fp32=20,bw=1000")
    assert [roof[:2] for roof in plot.of["roofs"]] == [[20e12, "FP32: 20.0 TFLOP/s"]]
    assert plot.of["bandwidth"] == [1e12, "1,000 GB/s"]
    done = plot.work.of(one)
    assert done.bound_ms == pytest.approx((done.flop or 0) / 20e9)
