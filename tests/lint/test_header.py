"""What is said of a run before the findings about its engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.facts.layer_values import time_words_times as times_of
from engine_layer_visualize.facts.sentences import slowest, stakes
from engine_layer_visualize.linting import findings_of, header, in_order
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.page import findings as page

LISTING = "[V] [TRT] Engine Layer Information:\n"
LAYER = "Layer({}): {}, Tactic: 0x1, {}[{type}(1,512,64,64)] -> {}[{type}(1,512,64,64)]\n"
BUILT = "&&&& RUNNING TensorRT.trtexec [TensorRT v{}] # trtexec --onnx=a.onnx\n"


def costs(log: str, folder: Path, **ms: float) -> Costs:
    times = folder / "times.txt"
    times.write_text("".join(f"{name}: {value}ms\n" for name, value in ms.items()), "utf-8")
    (engine,) = Log("build.log", [times] if ms else [], chunks=[log.encode()]).engines()
    return Costs(engine)


def summary(computing: float, copied_in: float, copied_out: float, qps: float = 100) -> str:
    rows = {"H2D Latency": copied_in, "GPU Compute Time": computing, "D2H Latency": copied_out}
    return f"[I] === Performance summary ===\n[I] Throughput: {qps} qps\n" + "".join(
        f"[I] {name}: min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms\n"
        for name, ms in rows.items()
    )


def said(log: str, folder: Path) -> str:
    """All but the first sentence, which says what the engine is."""
    return " ".join(header.of(Subject(costs(log, folder)))[1:])


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (summary(1, 1.5, 0.1), "Copying the inputs to the GPU takes 1.5 times the time of comp"),
        (
            summary(1, 0.05, 0.9),
            "Copying the outputs from the GPU takes 90.0 % of the time of comp",
        ),
        (summary(1, 0.9, 0.9), " and copying the outputs from the GPU takes 90.0 % of the time"),
        (summary(1, 0.9, 0.1, 990), ", which counts for the latency alone: keep them on the GPU"),
        (
            "[W] * Throughput may be bound by host-to-device transfers for the inputs rather\n",
            "Copying the inputs to the GPU may bound the throughput, as trtexec warns",
        ),
        (
            summary(1, 0.15, 0.05),
            "15.0 % of the time of computing: keep",
        ),
        (summary(1, 0.09, 0.09), ""),
        (summary(1, 0, 0), ""),
    ],
)
def test_the_header_says_what_copies_take(tmp_path: Path, run: str, words: str) -> None:
    log = LISTING + LAYER.format("PointWise", "p", "x", "y", type="Half") + run
    told = said(log, tmp_path)
    assert words in told and bool(words) == bool(told)


@pytest.mark.parametrize(("version", "is_named"), [("8601", True), ("110000", False)])
def test_a_run_without_copies_is_advised_where_there_is_a_flag(
    tmp_path: Path, version: str, is_named: bool
) -> None:
    layer = LAYER.format("PointWise", "p", "x", "y", type="Half")
    log = BUILT.format(version) + LISTING + layer + summary(1, 1.5, 0.1)
    assert ("--noDataTransfers" in said(log, tmp_path)) == is_named


@pytest.mark.parametrize(("median", "is_told"), [(1.0, True), (1.06, False)])
def test_the_header_says_that_some_runs_take_longer(
    tmp_path: Path, median: float, is_told: bool
) -> None:
    log = (
        LISTING
        + LAYER.format("PointWise", "p", "x", "y", type="Half")
        + "[I] === Performance summary ===\n"
        + f"[I] GPU Compute Time: min = 1 ms, max = 4 ms, mean = 1.15 ms, median = {median} ms\n"
    )
    assert ("1.15 ms on the GPU is the mean, 1.00 ms the median" in said(log, tmp_path)) == is_told


@pytest.mark.parametrize(("slow", "is_told"), [(2.1, True), (1.9, False)])
def test_the_header_says_that_a_few_runs_take_much_longer(
    tmp_path: Path, slow: float, is_told: bool
) -> None:
    run = summary(1, 0, 0).replace("median = 1 ms", f"median = 1 ms, percentile(99%) = {slow} ms")
    told = said(LISTING + LAYER.format("PointWise", "p", "x", "y", type="Half") + run, tmp_path)
    assert (", one in 100 takes 2.10 ms. Other work may share it" in told) == is_told


@pytest.mark.parametrize(("longest", "is_told"), [(6.0, True), (3.0, False)])
def test_what_layers_sum_to_more_is_taken_from_the_one_that_can_hold_it(
    tmp_path: Path, longest: float, is_told: bool
) -> None:
    """An inference takes 2 ms; the others take 1.9 ms together, at most 0.4 ms each."""
    log = LISTING + "".join(
        LAYER.format(
            "Shuffle" if at == 1 else "PointWise", f"l{at}", f"t{at}", f"t{at + 1}", type="Half"
        )
        for at in range(6)
    )
    times = dict.fromkeys(("l1", "l2", "l3", "l4", "l5"), 0.38)
    own = costs(log + summary(2, 0, 0), tmp_path, l0=longest, **times)
    told = " ".join(header.of(Subject(own)))
    assert ("That fits into layer 0 `l0` alone, 16 times as long as any other" in told) == is_told
    assert ("of which 5.90 ms may be its first run" in slowest(own)) == is_told  # 7.9 - 2
    (shuffles,) = (one for one in findings_of(Subject(own)) if one.code == "F09")
    share = "19.0 % of an inference" if is_told else "7.8 % of all"
    assert f"1 shuffle takes 380 µs, {share}" in shuffles.message
    touched = "touches 380 µs of an inference, 19.0 %" if is_told else "touches 380 µs, 7.8 %"
    assert next(stakes(shuffles, own)) == touched
    # What a layer takes of the sum of all is said of that alone.
    (took,) = times_of(own.engine.layers[1], own)
    assert took == f"time: 380 µs on average, {'4.8' if is_told else '7.8'} % of all"


@pytest.mark.parametrize(
    ("enqueueing", "separate", "is_told"),
    [(0.9, "Disabled", True), (0.8, "Disabled", False), (0.9, "Enabled", False)],
)
def test_the_header_says_that_the_profiler_makes_the_host_wait(
    tmp_path: Path, enqueueing: float, separate: str, is_told: bool
) -> None:
    options = f"[I] === Inference Options ===\n[I] Separate profiling: {separate}\n"
    options += "[I] === Reporting Options ===\n[I] Profile: Enabled\n"
    row = "[I] Enqueue Time: min = {0} ms, max = {0} ms, mean = {0} ms, median = {0} ms\n"
    layer = LAYER.format("PointWise", "p", "x", "y", type="Half")
    log = BUILT.format("8601") + options + LISTING + layer + summary(1, 0, 0)
    told = said(log + row.format(enqueueing), tmp_path)
    words = "Enqueueing took 90.0 % of the time of computing, as it waits for the profiler"
    assert (words in told) == is_told == ("measure with --separateProfileRun" in told)


DEVICE = "[I] === Device Information ===\n[I] Selected Device: A\n[I] Compute Capability: 6.1\n"


@pytest.mark.parametrize(
    ("before", "dtype", "number", "is_told"),
    [
        ("", "Float", 3, True),
        ("", "Float", 2, False),
        ("", "Half", 3, False),
        (DEVICE, "Float", 3, False),
        ("[I] === Build Options ===\n[I] Precision: FP32\n", "Float", 3, True),
        ("[I] === Build Options ===\n[I] Precision: FP32+FP16\n", "Float", 3, False),
    ],
)
def test_the_header_asks_for_the_gpu_of_an_engine_in_float(
    tmp_path: Path, before: str, dtype: str, number: int, is_told: bool
) -> None:
    layers = [
        LAYER.format("CaskConvolution", f"c{i}", f"t{i}", f"t{i + 1}", type=dtype)
        for i in range(number)
    ]
    told = said(before + LISTING + "".join(layers), tmp_path)
    sentence = "3 convolutions and products compute in Float. Whether FP16 would be faster"
    assert (sentence in told and "give --device NAME" in told) == is_told


def test_the_library_that_a_builder_loaded_tells_the_compute_capability(tmp_path: Path) -> None:
    """A second build of the process does not load it again."""
    loaded = "[V] Loaded shared library libnvinfer_builder_resource_sm120.so.10.16.0\n"
    listing = LISTING + LAYER.format("PointWise", "p", "x", "y", type="Half")
    listing += "[V] [TRT] Total Activation Memory: 4096\n"
    defined = "[V] [TRT] Adding network input: x with dtype: float32, dimensions: (1, 4)\n"
    log = (loaded + 2 * (defined + listing)).encode()
    engines = list(Log("build.log", [], chunks=[log]).engines())
    words = "compute capability 12.0 (by the library that its builder loaded)"
    assert [words in header.of(Subject(Costs(one)))[0] for one in engines] == [True, True]


GRAPH = (
    "[I] === Performance summary ===\n[I] GPU Compute Time: min = 0.024 ms, max = 0.024 ms, "
    "mean = 0.024 ms, median = 0.024 ms\n[I] Enqueue Time: min = {0} ms, max = {0} ms, "
    "mean = {0} ms, median = {0} ms\n"
)


@pytest.mark.parametrize(("enqueueing", "is_told"), [(0.002, True), (0.02, False)])
def test_short_layers_of_a_cuda_graph_may_be_faster_in_fp16(
    tmp_path: Path, enqueueing: float, is_told: bool
) -> None:
    layers = [
        LAYER.format("CaskConvolution", f"c{i}", f"t{i}", f"t{i + 1}", type="Float")
        for i in range(3)
    ]
    told = said(LISTING + "".join(layers) + GRAPH.format(enqueueing), tmp_path)
    assert ("3 convolutions and products compute in Float" in told) == is_told


def test_rows_that_belong_to_no_layer_are_named_where_they_take_long(tmp_path: Path) -> None:
    log = LISTING + LAYER.format("PointWise", "p", "x", "y", type="Half")
    told = " ".join(
        header.of(Subject(costs(log, tmp_path, p=0.3, gemm=0.5, pool=0.15, small=0.05)))
    )
    words = (
        "Of the time no layer here has 50.0 % `gemm`, 15.0 % `pool`: keep the whole log, or give"
    )
    assert f"{words} the file of `trtexec --exportLayerInfo`." in told


def test_sentences_and_columns_have_one_scale(tmp_path: Path) -> None:
    """The layers sum to 1.25 ms, an inference takes 1 ms: a Shuffle of 0.25 ms counts 0.2 ms."""
    log = (
        LISTING
        + LAYER.format("Shuffle", "s", "x", "a", type="Half")
        + LAYER.format("PointWise", "p", "a", "y", type="Half")
        + summary(1, 0, 0)
    )
    own = costs(log, tmp_path, s=0.25, p=1.0)
    (shuffles,) = (one for one in findings_of(Subject(own)) if one.code == "F09")
    assert "1 shuffle takes 200 µs, 20.0 % of an inference" in shuffles.message
    assert shuffles.touches_ms == pytest.approx(0.2)
    assert next(stakes(shuffles, own)) == "touches 200 µs of an inference, 20.0 %"
    told: list[str | None] = []

    def kept(words: str | None) -> int:
        told.append(words)
        return len(told)

    page.findings([(own, [shuffles])], kept)
    # A search on the page adds the layers' own times up.
    assert any(words and words.startswith("250 µs timed alone  ·  touches") for words in told)
    assert (
        "1.25 ms in layers (2 of 2 layers timed, measured), scaled below to an inference"
        in (header.of(Subject(own))[0])
    )


@pytest.mark.parametrize(
    ("listing", "words"),
    [
        (
            "x[Half(-1,8)], w[Half(8,8)] -> y[Half(-1,8)]",
            ", as an extent is symbolic or unknown, and nothing names the GPU",
        ),
        ("x[Half(8,8)], w[Half(8,8)] -> y[Half(8,8)]", "; --device NAME may tell"),
    ],
)
def test_a_costly_layer_says_why_its_bound_is_unknown(
    tmp_path: Path, listing: str, words: str
) -> None:
    log = f"{LISTING}Layer(MatrixMultiply): fc, Tactic: 0x1, {listing}\n"
    (told,) = in_order.costly(Subject(costs(log, tmp_path, fc=1.0)), ())
    assert told.endswith(f"what the GPU needs for it is not known{words}")


TRIED = """\
[V] [TRT] =============== Computing costs for {name}
[V] [TRT] *************** Autotuning format combination: Float(8,1) -> Float(8,1) ***************
[V] [TRT] --------------- Timing Runner: {name} (CaskConvolution)
[V] [TRT] Tactic: 0x1 Time: 0.25
[V] [TRT] Fastest Tactic: 0x1 Time: 0.25
[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x1
[V] [TRT] *************** Autotuning format combination: Half(8,1) -> Half(8,1) ***************
[V] [TRT] --------------- Timing Runner: {name} (CaskConvolution)
[V] [TRT] Tactic: 0x2 Time: {half}
[V] [TRT] Fastest Tactic: 0x2 Time: {half}
[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x2
"""


@pytest.mark.parametrize(("half", "is_said"), [(0.3, True), (0.2, False)])
def test_layers_in_float_that_are_slower_in_half_are_in_order(
    tmp_path: Path, half: float, is_said: bool
) -> None:
    names = [f"c{i}" for i in range(10)]
    tried = "".join(TRIED.format(name=name, half=half) for name in names)
    layers = "".join(
        LAYER.format("CaskConvolution", name, f"t{i}", f"t{i + 1}", type="Float")
        for i, name in enumerate(names)
    )
    told = [*in_order.of(Subject(costs(tried + LISTING + layers, tmp_path)))]
    words = "10 of 10 convolutions and products in Float, 100.0 % of the time, were timed in fewer "
    assert any(text.startswith(words) for text in told) == is_said
