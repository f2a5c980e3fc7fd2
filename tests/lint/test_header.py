"""What is said of a run before the findings about its engine, and what is in order."""

from pathlib import Path

import logtext
import pytest
from factories import costs_of, engines_of
from logtext import HEADER, RUNNING, choices, listing_of, measured

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.facts.layer_values import times as times_of
from engine_layer_visualize.facts.sentences import slowest, stakes
from engine_layer_visualize.linting import findings_of, header, lever
from engine_layer_visualize.linting.subject import Subject


def summary(computing: float, copied_in: float, copied_out: float, qps: float = 100) -> str:
    rows = measured(H2D_Latency=copied_in, GPU_Compute_Time=computing, D2H_Latency=copied_out)
    return f"{rows}[I] Throughput: {qps} qps\n"


def chain_of(kind: str, dtype: str, number: int, name: str = "c") -> str:
    """A listing of so many layers, one behind the other."""
    names = (f"{name}{i}" for i in range(number))
    return listing_of(*names, kind=kind, tensor=f"{dtype}[1,512,64,64]")


ONE = listing_of("p", kind="PointWise", tensor="Half[1,512,64,64]")
TWO_PROFILES = ONE + ONE.removeprefix(HEADER).replace(" p,", " p [profile 1],")
CUT = ONE + "Layer(PointWise): q, Tac"
FLOATS = chain_of("CaskConvolution", "Float", 3)
WARNED = f"{ONE}[W] [TRT] "
COPIES = "Copying inputs and outputs takes "
DEVICE = "[I] === Device Information ===\n[I] Selected Device: A\n[I] Compute Capability: 6.1\n"
BUILD = "[I] === Build Options ===\n[I] Precision: "
INFERENCE = "[I] === Inference Options ===\n[I] "
UNSTABLE = "[W] * GPU compute time is unstable, with coefficient of variance = 5.08%.\n"
FLOAT = "3 convolutions and products compute in Float"
SECOND = "Layer(CaskConvolution): c1,"
INT8 = chain_of("CaskConvolution", "Int8", 3).replace(SECOND, f"...\n{SECOND}")
INT8 = f"{BUILD}FP32+INT8\n{INT8}"
SHAPES = (
    "Dynamic dimensions required for input: x, but no shapes were provided. Automatically "
    "overriding shape to: 1x3x224x224"
)
TF32 = f"{BUILD}FP32\n{INFERENCE}\n[V] [TRT] Layers:\n"
TF32 += logtext.detailed("c", "x", "y", "CaskConvolution", ", TacticName: ", "Float")


COMMAND = "&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec "
POOLS = f"{COMMAND}--memPoolSize=workspace:1024MiB\n[I] === Build Options ===\n"
POOLS += f"[I] Memory Pools: workspace: {{}} MiB, dlaSRAM: default\n{ONE}"
CALIBRATED = f"{RUNNING.strip()} --int8\n[I] === Build Options ===\n[I] Calibration: Dynamic\n"
CALIBRATED += "[W] [TRT] Calibrator is not being used.\n"
RANGE = "All tensors have one range, as no calibration was given"


def skewed(**numbers: float) -> str:
    row = {"min": 1, "max": 4, "mean": 1.0, "median": 1.0, **numbers}
    told = ", ".join(f"{name} = {ms} ms" for name, ms in row.items())
    told = told.replace("slow", "percentile(99%)")
    return ONE + measured(GPU_Compute_Time=told)


def halves(second: float) -> str:
    """The last row, behind the summary, is of another run."""
    averages = [1.0] * 5 + [second] * 5 + [9.0]
    start, end = "[I] Average on 10 runs - GPU latency: ", " ms - Host latency: 9 ms"
    rows = [f"{start}{ms}{end}" for ms in averages]
    rows.insert(10, "[I] === Performance summary ===")
    return ONE + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("log", "words", "is_said"),
    [
        # copies
        (ONE + summary(1, 1.5, 0.1), f"{COPIES}1.6 times as long as computing: keep them", True),
        (ONE + summary(1, 0.9, 0.1, 990), " computing (of the latency only): keep", True),
        (ONE + summary(1, 0.15, 0.05), "15.0 % as long as computing: keep", True),
        (ONE + summary(1, 0.09, 0.09), "opying", False),
        # runs that differ
        (skewed(mean=1.15), "Mean 1.15 ms, median 1.00 ms: something else may use the GPU.", True),
        (skewed(slow=2.1), ", slowest 1 % above 2.10 ms: something else may use the GPU.", True),
        (halves(1.04), "within the run", False),
        (halves(1.2), "GPU time went from 1.00 ms to 1.20 ms within the run", True),
        # an engine in Float, of an unknown GPU
        (FLOATS, FLOAT, True),
        (chain_of("CaskConvolution", "Float", 2), FLOAT, False),
        (DEVICE + FLOATS, FLOAT, False),
        (f"{BUILD}FP32+FP16\n{FLOATS}", FLOAT, False),
        # a part of a listing, without those that are in Float
        (DEVICE.replace("6.1", "8.7") + INT8, ": what is not in INT8 computes in Float.", True),
        (DEVICE + INT8, "what is not in INT8", False),
        # in a CUDA graph short layers may be faster in FP16
        (FLOATS + measured(GPU_Compute_Time=0.024, Enqueue_Time=0.002), FLOAT, True),
        (FLOATS + measured(GPU_Compute_Time=0.024, Enqueue_Time=0.02), FLOAT, False),
        # what the log says
        (f"{WARNED}Using default stream in enqueueV3() may\n", "engine ran on CUDA's def", True),
        (f"{WARNED}{SHAPES}\n", "trtexec chose the shapes (1x3x224x224), as none were given", True),
        (CUT, "The listing is cut: the findings are about the layers", True),
        (POOLS.format("0.000976562"), "trtexec read workspace:1024MiB as 1024 bytes: build", True),
        (POOLS.format("1024"), "workspace", False),
        (CALIBRATED + chain_of("CaskConvolution", "Float", 1), RANGE, False),
        (CALIBRATED + chain_of("CaskConvolution", "Int8", 1), RANGE, True),
        (f"{TF32}sm80_gemm_f32f32_tf32f32_f32_nn_n\n", "allowed: FP32 (TF32 kernels)", True),
        (f"{TF32}ampere_sgemm\n", "(TF32 kernels)", False),
    ],
)
def test_the_header_says_what_to_know(tmp_path: Path, log: str, words: str, is_said: bool) -> None:
    assert (words in " ".join(header.of(Subject(costs_of(log, tmp_path))))) is is_said


PART = "500 µs in layers (1 of 2 listed layers timed: 85.7 % of the profile's time is not theirs"
ROWS = (
    "No layer is listed for `gemm` (50.0 %), `pool` (15.0 %): keep the whole log, or add `trtexec"
)


@pytest.mark.parametrize(
    ("log", "ms", "words"),
    [
        (CUT, {"p": 0.5, "q": 1.0, "r": 2.0}, f" · {PART}; measured)"),
        (ONE, {"p": 0.3, "y from nvm": 0.5}, "`y from nvm` (62.5 %): the time holds a wait for"),
        (ONE, {"p": 0.3, "gemm": 0.5, "pool": 0.15, "small": 0.05}, f"{ROWS} --exportLayerInfo`."),
    ],
)
def test_rows_of_no_layer(tmp_path: Path, log: str, ms: dict[str, float], words: str) -> None:
    """Those of a profile are told."""
    assert words in " ".join(header.of(Subject(costs_of(log, tmp_path, **ms))))


def test_the_header_of_a_listing_says_nothing_more(tmp_path: Path) -> None:
    assert header.of(Subject(costs_of(ONE, tmp_path))) == ("1 layer · no times of layers",)


def test_the_header_names_no_flag_that_is_on(tmp_path: Path) -> None:
    flags = ("--useSpinWait", "--separateProfileRun")
    for is_on, word in ((True, "Enabled"), (False, "Disabled")):
        run = f"{INFERENCE}Spin-wait: {word}\n[I] Separate profiling: {word}\n"
        log = run + ONE + summary(1, 0, 0) + UNSTABLE
        text = " ".join(header.of(Subject(costs_of(log, tmp_path, p=2.0))))
        assert "varies by 5.08 % from run to run" in text
        assert "sum to 2.00 ms, 100.0 % more than an inference" in text
        assert "1 layer · 1.00 ms of GPU time an inference · " in text
        assert [flag in text for flag in flags] == [not is_on] * 2


def test_the_header_names_the_optimisation_profile_where_there_are_several(tmp_path: Path) -> None:
    own = costs_of(TWO_PROFILES, tmp_path)
    for number in (0, 1):
        (first, *_) = header.of(Subject(own.of_profile(number)))
        assert first.startswith(f"optimisation profile {number} · 1 of 2 layers")


def test_the_header_says_that_a_listing_has_names_alone(tmp_path: Path) -> None:
    (tmp_path / "layers.json").write_text('{"Layers": ["a", "b"], "Bindings": ["x", "y"]}')
    (engine,) = Log(tmp_path / "layers.json", facts=True).engines()
    assert "--profilingVerbosity=detailed" in header.of(Subject(Costs(engine)))[-1]


def test_the_library_that_a_builder_loaded_tells_the_compute_capability(tmp_path: Path) -> None:
    """A second build of the process does not load it again."""
    loaded = "[V] Loaded shared library libnvinfer_builder_resource_sm120.so.10.16.0\n"
    defined = "[V] [TRT] Adding network input: x with dtype: float32, dimensions: (1, 4)\n"
    log = loaded + 2 * f"{defined}{ONE}[V] [TRT] Total Activation Memory: 4096\n"
    engines = engines_of(log, facts=True)
    words = "compute capability 12.0 (by the library that its builder loaded)"
    assert [words in header.of(Subject(Costs(one)))[0] for one in engines] == [True, True]


# ---- times within an inference -------------------------------------------------------------------


@pytest.mark.parametrize(("longest", "is_told"), [(6.0, True), (3.0, False)])
def test_what_layers_sum_to_more_is_of_one(tmp_path: Path, longest: float, is_told: bool) -> None:
    """An inference takes 2 ms; the others take 1.9 ms together, at most 0.4 ms each."""
    listing = chain_of("PointWise", "Half", 6, "l").replace("(PointWise): l1", "(Shuffle): l1")
    times = dict.fromkeys(("l1", "l2", "l3", "l4", "l5"), 0.38)
    own = costs_of(listing + summary(2, 0, 0), tmp_path, l0=longest, **times)
    told = " ".join(header.of(Subject(own)))
    assert ("5.90 ms more than an inference. This is left out below." in told) == is_told
    assert ("of which 5.90 ms may be its first run" in slowest(own)) == is_told  # 7.9 - 2
    (shuffles,) = (one for one in findings_of(Subject(own)) if one.code == "F09")
    took = "380 µs", "19.0 %"
    if not is_told:
        took = "155 µs", "7.8 %"  # of 4.9 ms for an inference of 2 ms: 0.38 * 2 / 4.9
    assert "1 shuffle takes {}, {} of an inference".format(*took) in shuffles.message
    scaled, of = ("", " of an inference") if is_told else (" of an inference", "")
    assert next(stakes(shuffles, own)) == f"touches {took[0]}{scaled}, {took[1]}{of}"
    # What a layer takes of the sum of all is said of that alone.
    (told,) = times_of(own.engine.layers[1], own)
    assert told == f"time: 380 µs on average, {'4.8' if is_told else '7.8'} % of all"


# ---- in order, and costly ------------------------------------------------------------------------


def test_a_costly_layer_without_a_bound_is_named(tmp_path: Path) -> None:
    log = "Layer(MatrixMultiply): fc, Tactic: 0x1, x[Half(8,8)], w[Half(8,8)] -> y[Half(8)]"
    (told,) = lever.costly(Subject(costs_of(f"{HEADER}{log}\n", tmp_path, fc=1.0)), ())
    assert told == "100.0 % in layer 0 `fc`"


def test_reformats_without_a_finding_are_summed(tmp_path: Path) -> None:
    layers = (
        "Layer(LRN): l1, Tactic: 0x1, x[Float(1,8,4,4)] -> a[Float(1,8,4,4)]\n"
        "Layer(Reformat): r1, Tactic: 0x0, a[Float(1,8,4,4)] -> b[Half(1,8,4,4)]\n"
        "Layer(LRN): l2, Tactic: 0x1, b[Half(1,8,4,4)] -> c[Half(1,8,4,4)]\n"
        "Layer(Reformat): r2, Tactic: 0x0, c[Half(1,8,4,4)] -> y[Float(1,8,4,4)]\n"
    )
    own = costs_of(HEADER + layers, tmp_path, l1=5.0, r1=3.0, l2=1.0, r2=1.0)
    *layers_told, reformats = lever.costly(Subject(own), ())
    assert layers_told == ["50.0 % in layer 0 `l1`", "10.0 % in layer 2 `l2`"]
    assert reformats.startswith("40.0 % in 2 reformats, most of it Float → Half")
    assert reformats.endswith(" (the longest: 1)")


@pytest.mark.parametrize(("half", "is_said"), [(0.3, True), (0.2, False)])
def test_layers_slower_in_half_are_in_order(tmp_path: Path, half: float, is_said: bool) -> None:
    types = (("Float", 1, 0.25), ("Half", 2, half))
    tried = "".join(
        choices(f"c{i}", "CaskConvolution", (f"{of}(8,1) -> {of}(8,1)", ms), tactic=tactic)
        for i in range(10)
        for of, tactic, ms in types
    )
    log = tried + chain_of("CaskConvolution", "Float", 10)
    told = [*lever.in_order(Subject(costs_of(log, tmp_path)))]
    words = "lower precision was timed for 10 of 10 convolutions and products in Float"
    assert any(text.startswith(words) for text in told) == is_said
