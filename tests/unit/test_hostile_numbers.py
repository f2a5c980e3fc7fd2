"""Numbers that cannot be: each output is written all the same, and none has an infinity."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from factories import engine_facts, layer_facts
from logtext import TV, cached, choices, costs, file_of

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.core.limits import plausible, product
from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.core.options import Options, ReportOptions
from engine_layer_visualize.reading.profiles import read as read_profile
from engine_layer_visualize.reading.trtexec import quantity
from fuzz import targets
from fuzz.promises import engines

HEAD = "[V] [TRT] Engine Layer Information:\n"
PEAK = peaks.parse("fp16=312,bw=1555")
DEVICE = """[I] === Device Information ===
[I] Selected Device: NVIDIA A100
[I] Compute Capability: 8.0
[I] SMs: {0}
[I] Device Global Memory: {0} MiB
[I] Memory Bus Width: {0} bits (ECC enabled)
[I] Application Compute Clock Rate: {0} GHz
[I] Application Memory Clock Rate: {0} GHz
[I]
"""
WIDE = ",".join(["9" * 19] * 40)  # of the longest extents that the grammar takes
KEYS = (
    '"Kernel": [{0},3], "PaddingMode": "kEXPLICIT", "PrePadding": [1,1], "PostPadding": [1,1], '
    '"Stride": [2,{0}], "Dilation": [1,1], "OutMaps": {0}, "Groups": {0}, "WindowSize": [{0},3], '
    '"Weights": {{"Type": "Half", "Count": {0}}}, "Bias": {{"Type": "Half", "Count": {0}}}'
)


def listed(dims: str, type: str = "CaskConvolution", name: str = "a") -> str:
    return f"Layer({type}): {name}, Tactic: 1, x[Half({dims})] -> y_{name}[Half({dims})]\n"


def inspected(dims: str, number: str, *types: str) -> str:
    """A layer of each type, as JSON."""
    ends = [f'[{{"Name": "{n}", "Dimensions": [{dims}], "Format/Datatype": "Half"}}]' for n in "xy"]
    more = '"Inputs": {}, "Outputs": {}'.format(*ends) + f", {KEYS.format(number)}"
    layers = (f'{{"Name": "a {type}", "LayerType": "{type}", {more}}}' for type in types)
    return f'{{"Layers": [{", ".join(layers)}]}}'


def written(engine: Engine, name: str = "a") -> None:
    """In all forms."""
    for peak in (None, PEAK):
        looks, options = Options(peak=peak), ReportOptions(peak=peak)
        for format in ("json", "svg", "dot", "html"):
            data = draw.render(engine, format, looks)
            if format == "json":
                json.loads(data, parse_constant=pytest.fail)
        for format in tuple(draw.REPORTS):
            said = "".join(draw.render_report([engine], format, options))
            assert not re.search(r"[ ,]inf\b", said)
            assert name in said or format == "brief"  # it names layers with times alone
            if format in ("json", "brief"):
                json.loads(said, parse_constant=pytest.fail)
        found = compare(Costs(engine, peak=peak), Costs(engine, peak=peak))
        for format in tuple(draw.COMPARISONS):
            assert draw.render_comparison([found], [], format, options)
    targets.pages(engine)


# ---- times -------------------------------------------------------------------------------------

TIMES = ("5e-324", "1e-300", "1e-10", "1.1e9", "1e308", "1.7e308", "-1", "nan", "inf", "1e999")


def rows(form: str, ms: str) -> str:
    """A profile of `a` and `b` with this time and of `c` with 1 ms, in one of its forms."""
    if form == "text":
        return f"a: {ms}ms\nb: {ms}ms\nc: 1ms\n"
    if form == "table":  # without exponents
        ms = "-nan" if ms == "-1" else ms if ms in ("nan", "inf") else f"{Decimal(ms):f}"
        times = (("a", ms), ("b", ms), ("c", "1"), ("Total", "1"))
        lines = (f"{name} {t} {t} {t} 50.0\n" for name, t in times)
        heads = "   Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %\n"
        return "=== Profile (1 iterations ) ===\n" + heads + "".join(lines)
    if form == "trace":
        us = json.dumps(float(ms) * 1000)
        rows = (("a", us), ("b", us), ("c", "1000"))
        events = [f'{{"ph": "X", "name": "{name}", "dur": {time}}}' for name, time in rows]
    else:
        ms = {"nan": "NaN", "inf": "Infinity"}.get(ms, ms)
        more = ', "averageMs": 1' if form in ("medianMs", "percentage") else ""
        events = ['{"count": 1}', *(f'{{"name": "{n}", "{form}": {ms}{more}}}' for n in "ab")]
        events.append('{"name": "c", "averageMs": 1}')
    return f"[{', '.join(events)}]"


FORMS = ("text", "table", "trace", "timeMs", "averageMs", "medianMs", "percentage")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ms", TIMES)
def test_a_time_that_cannot_be_is_none(tmp_path: Path, ms: str, form: str) -> None:
    file = file_of(tmp_path, rows(form, ms), "times")
    (profile,), problems = read_profile(file)
    assert [row.name for row in profile.rows] == ["c"]
    assert [problem.code for problem in problems] == ["ELV204"] * 2


@pytest.mark.parametrize("form", ["text", "table", "timeMs", "averageMs"])
@pytest.mark.parametrize("ms", ["0", "1e-9", "1e9"])
def test_the_least_and_the_longest_time_can_be_written(tmp_path: Path, ms: str, form: str) -> None:
    file = file_of(tmp_path, rows(form, ms), "times")
    log = HEAD + "".join(listed("1,8,8,8", name=name) for name in "abc")
    (engine,) = engines([log.encode()], [file], facts=True)
    assert [layer.time and layer.time.average_ms for layer in engine.layers[:2]] == [float(ms)] * 2
    written(engine)


# ---- what the builder and trtexec print ----------------------------------------------------------


def built(messages: str) -> Engine:
    """Of a log that ends in the listing of one convolution."""
    (engine,) = engines([(messages + HEAD + listed("1,8,8,8")).encode()], facts=True)
    return engine


@pytest.mark.parametrize(
    ("ms", "known"), [(5e-324, None), (1e-10, None), (1e10, None), (0.5, 0.5), (0, 0.0)]
)
def test_an_estimate_that_cannot_be_is_none(ms: float, known: float | None) -> None:
    formats, runner = "Half(512,64,8,1) -> Half(512,64,8,1)", "CaskConvolution"
    timed = choices("a", runner, (formats, ms), tactic=1)
    for messages in (timed, costs("a") + cached("a", formats, runner, 1, ms)):
        engine = built(messages)
        assert layer_facts(engine.layers[0]).build_ms == known
        written(engine)


@pytest.mark.parametrize("number", ["1e+999", "1e+308", "1e-320", "1e-10", "1e+10", "9" * 24])
def test_a_device_of_numbers_that_cannot_be(number: str) -> None:
    log = DEVICE.format(number) + HEAD + listed("1,8,8,8")
    (engine,) = engines([log.encode()], facts=True)
    found = engine_facts(engine).device
    assert found and (found.name, found.sms, found.memory_clock_ghz) == ("NVIDIA A100", None, None)
    written(engine)


def test_a_number_of_more_digits_than_python_reads() -> None:
    peak = f"Peak memory usage of TRT CPU/GPU memory allocators: CPU {'1' * 5_000} MiB, GPU 2 MiB"
    assert engine_facts(built(f"{TV}{peak}\n")).peak_cpu_mib is None


@pytest.mark.parametrize("number", ["1e+999", "1e+308", "1e-320"])
def test_a_summary_of_numbers_that_cannot_be(number: str) -> None:
    rows = (
        f"Throughput: {number} qps",
        f"Latency: min = {number} ms, max = 2 ms, mean = {number} ms, median = {number} ms, "
        f"percentile(99%) = {number} ms",
        f"GPU Compute Time: min = 1 ms, max = {number} ms, mean = {number} ms, median = 1 ms",
        f"Total Host Walltime: {number} s",
        f"Total GPU Compute Time: {number} s",
    )
    told = "".join(f"[I] {row}\n" for row in ("=== Performance summary ===", *rows, ""))
    log = "[V] [TRT] Graph construction completed in {0} seconds.\nEngine built in {0} sec.\n"
    text = log.format(number) + HEAD + listed("1,8,8,8") + told
    (engine,) = engines([text.encode()], facts=True)
    written(engine)
    assert quantity(number) is None and quantity("424.281 qps") == 424.281


# ---- extents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dims", [WIDE, f"1,{WIDE[:59]}", "0,8,8,8", f"0,{WIDE}", "1:" + WIDE[:19]])
def test_more_elements_than_any_memory_holds(dims: str) -> None:
    types = ("CaskConvolution", "Reformat", "FullyConnected", "MatrixMultiply")
    wide = "".join(listed(dims, type, f"a_{type}") for type in types)
    log = DEVICE.format(100) + HEAD + wide + listed("1,8,8,8", name="b")
    (engine,) = engines([log.encode()], facts=True)
    assert not [layer for layer in engine.layers if layer.raw is not None]
    written(engine)


@pytest.mark.parametrize("number", ["9" * 18, "9" * 19, "9" * 4300, "0", "-1", "true"])
def test_json_of_extents_that_cannot_be(number: str) -> None:
    types = ("CaskConvolution", "CaskPooling", "gemm", "correlation", "kgen")
    for dims in ("1,8,8,8", f"1,{number},8,8" if number != "true" else "8,8"):
        (engine,) = engines([inspected(dims, number, *types).encode()], facts=True)
        assert len(engine.layers) == len(types)
        written(engine)


def test_more_elements_than_can_be_counted_are_more_than_were_written() -> None:
    """So a tensor is written in slices, by both."""
    lines = (
        "Layer(Conv): a, Tactic: 1, x[Half(1,8)] -> y[Half(1,8)]",
        "Layer(Conv): b, Tactic: 1, y[Half(1,8)] -> y[Half(1,8)]",
        f"Layer(Conv): c, Tactic: 1, y[Half({WIDE})] -> z[Half(1,8)]",
    )
    (engine,) = engines([(HEAD + "\n".join(lines) + "\n").encode()])
    assert [edge.source for edge in engine.graph.edges if edge.target == 2] == [0, 1]


def test_a_product_is_unknown_from_2_to_the_63_on() -> None:
    assert product((2**31, 2**31, 1)) == 2**62
    assert product((2**31, 2**32)) is None and product((2, None)) is None and product(()) == 1
    assert Tensor("x", "Half", "", (2**31, 2**32)).elements is None
    assert Tensor("x", "Half", "", (2**31, 2**31)).elements == 2**62
    assert not plausible(float("nan")) and not plausible(-1e-9) and plausible(-0.0)


def test_many_extents_are_multiplied_in_linear_time() -> None:
    """The product of a million numbers takes an hour where none is left out."""
    assert Tensor("x", "Half", "", (9,) * 1_000_000).elements is None
