"""Times: alone they are layers in their order; of several the best; those of Nsight Systems."""

import csv
import io
import json
import random
import re
from pathlib import Path

import pytest
from factories import engine_facts, engine_in, layer_facts
from logtext import HEADER, classic, exported, file_of, listing_of, text
from paths import FIXTURES
from program import Printed, Program

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import counts, kinds, labels
from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.io.source import HEAD
from engine_layer_visualize.reading import profiles
from fuzz import budget

LINES = "conv1 + relu1: 0.5ms\nReformatting CopyNode for Input Tensor 0 to fc: 0.1ms\nfc: 0.4ms\n"
TABLE = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8204] # trtexec --loadEngine=m.plan --verbose --dumpProfile
[05/26/2022-18:09:28] [I] === Device Information ===
[05/26/2022-18:09:28] [I] Selected Device: NVIDIA A10
[05/26/2022-18:09:28] [I] Compute Capability: 8.6
[05/26/2022-18:09:29] [I] [TRT] [MemUsageChange] Init CUDA: CPU +1, GPU +0, now: CPU 1, GPU 1 (MiB)
[05/26/2022-18:09:29] [V] [TRT] Deserialization required 1860 microseconds.
[05/26/2022-18:09:29] [I] Engine loaded in 0.1 sec.
[05/26/2022-18:09:34] [I] === Profile (10 iterations ) ===
[05/26/2022-18:09:34] [I]           Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %
[05/26/2022-18:09:34] [I]   conv1 + relu1        5.00           0.5000             0.4900     50.0
[05/26/2022-18:09:34] [I]              fc        5.00           0.5000             0.5000     50.0
[05/26/2022-18:09:34] [I]           Total       10.00           1.0000             0.9900    100.0
[05/26/2022-18:09:34] [I]
&&&& PASSED TensorRT.trtexec [TensorRT v8204] # trtexec --loadEngine=m.plan
"""
EXPORTED = exported(("conv1", 0.5), ("fc", 0.5))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (LINES, ["conv1 + relu1", "Reformatting CopyNode for Input Tensor 0 to fc", "fc"]),
        (TABLE, ["conv1 + relu1", "fc"]),
        (EXPORTED, ["conv1", "fc"]),
    ],
)
@pytest.mark.parametrize("flag", [[], ["--log_file"]])
def test_times_alone_are_drawn(
    tmp_path: Path, text: str, names: list[str], flag: list[str], printed: Printed
) -> None:
    file, out = file_of(tmp_path, text, "times"), tmp_path / "out"
    told = printed("draw", *flag, file, "-f", "json,svg", "-o", out)
    assert f"{len(names)} layers, times alone, 0 edges" in told
    data = json.loads((out / "EngineLayers_0.json").read_text())
    assert data["engine"]["dialect"] == "times"
    assert [layer["name"] for layer in data["layers"]] == names
    assert data["edges"] == [] and all(layer["time"]["average_ms"] for layer in data["layers"])
    assert "times alone" in (out / "EngineLayers_0.svg").read_text()
    assert "times alone" in printed("summary", file)


def test_a_run_names_the_ends_of_its_engine(tmp_path: Path) -> None:
    """In the words of later versions; those of earlier ones are in `test_merge_listings.py`."""
    line = "[I] {}put binding for {} with dimensions 1x4 and type fp32 is created.\n"
    ends = [line.format(*own) for own in (("In", "x"), ("Out", "z"), ("Out", "y"))]
    head, table, rest = TABLE.partition("[05/26/2022-18:09:34] [I] === Profile")
    engine = engine_in(tmp_path, head + "".join(ends) + table + rest)
    assert (engine.inputs, engine.outputs, engine.problems) == (("x",), ("z", "y"), ())
    facts = engine_facts(engine)
    assert facts.outputs_order == "log"
    assert facts.device is not None and facts.device.name == "NVIDIA A10"
    assert engine.tensorrt == "8.2.4"


def test_a_copy_for_the_dla_is_no_node_and_holds_a_wait(tmp_path: Path, printed: Printed) -> None:
    heads = "[I]               Layer   Time (ms)   Avg. Time (ms)   Time %\n"
    rows = (("sea to nvm", 1), ("{ForeignNode[oar...sail]}", 2), ("quay from nvm", 15))
    table = "".join(f"[I] {name} {ms}.00 0.{ms:02}00 5.0\n" for name, ms in rows)
    engine, path = engine_in(tmp_path, heads + table), tmp_path / "build.log"
    assert [layer_facts(layer).onnx_nodes for layer in engine.layers] == [(), ("oar", "sail"), ()]
    assert [layer.place.line for layer in engine.layers] == [2, 3, 4]
    (summary,) = json.loads(printed("summary", path, "--format", "json"))["engines"]
    waits = {(row["type"], row["waits"]) for row in summary["types"]}
    assert waits == {("Copy", "quay from nvm"), ("DLA", None)}
    said = "The time of quay from nvm holds a wait for the DLA."
    assert said in printed("summary", path, "--width", "200")


def test_types_are_known_as_far_as_names_tell(tmp_path: Path) -> None:
    """Beside a copy for the DLA such a node is of the DLA, as above."""
    engine = engine_in(tmp_path, LINES + "{ForeignNode[a...b]}: 0.2ms\n")
    assert [layer.type for layer in engine.layers] == ["", "Reformat", "", "Myelin"]


def test_a_layer_without_a_name_tells_its_type(tmp_path: Path) -> None:
    rows = text(
        "node_of_conv1 + (Unnamed Layer* 1) [Activation]: 0.5ms",
        "(Unnamed Layer* 2) [LRN]: 0.1ms",
        "(Unnamed Layer* 3) [Fully Connected]: 0.4ms",
    )
    engine = engine_in(tmp_path, rows)
    assert [layer.type for layer in engine.layers] == ["", "LRN", "FullyConnected"]
    assert [counts.may_multiply(layer) for layer in engine.layers] == [True, False, True]


def test_names_tell_types_and_why_macs_are_unknown(tmp_path: Path, printed: Printed) -> None:
    engine = engine_in(
        tmp_path,
        "[CONSTANT #1] torch.zeros((1, 2), device=cuda:0): 0.004ms\n"
        "[CONVOLUTION #1] torch.nn.Conv2d.forward(Conv2d(3, 4, kernel_size=(7, 7))) + "
        "[RELU #1] torch.nn.ReLU.forward(ReLU(inplace=True)): 4.3ms\n"
        "output_1_broadcast: 0.04ms\n/pier/Conv + /pier/Relu: 0.5ms\n/pier/MaxPool: 0.1ms\n",
    )
    assert [layer.type for layer in engine.layers] == ["Constant", "Convolution", "", "", ""]
    assert engine.work.layers_unknown == 3
    said = " ".join(printed("summary", tmp_path / "build.log", "--sections", "work").split())
    assert "2: a convolution or a product, and without a listing its sizes are not read" in said


_BIAS = (
    "fc.bias + (Unnamed Layer* 4) [Shuffle] + unsqueeze_node_after_fc.bias + "
    "(Unnamed Layer* 4) [Shuffle]_(Unnamed Layer* 4) [Shuffle]_output + "
    "(Unnamed Layer* 5) [ElementWise]"
)


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("/fc/Gemm + (Unnamed Layer* 5) [ElementWise] + /act/Relu", "Gemm + Relu"),
        (f"/fc/Gemm + {_BIAS.replace('bias +', 'bias_clone_1 +')} + /act/Relu", "Gemm + Relu"),
        (f"fc.weight + QuantizeLinear_3 + Gemm_4 + {_BIAS}", "Gemm"),
        ("fc.weight + /q/QuantizeLinear + transpose_before_/fc/Gemm + /fc/Gemm", "Gemm"),
        ("node_of_pier_1 + (Unnamed Layer* 7) [Activation]", "layer"),
        ("(Unnamed Layer* 7) [Convolution] + (Unnamed Layer* 8) [ElementWise]",
         "Convolution + ElementWise"),
        ("Conv_2 + (Unnamed Layer* 7) [Activation]", "Conv + Activation"),
    ],
)  # fmt: skip
def test_what_is_added_for_a_node_names_no_layer(name: str, heading: str, tmp_path: Path) -> None:
    engine = engine_in(tmp_path, exported((name, 0.5), ("prob", 0.01)))
    assert labels.headline(engine.layers[0]) == heading


def test_a_piece_of_the_dla_is_awaited_by_its_reformat(tmp_path: Path, printed: Printed) -> None:
    rows = [("data to nvm", 0.03), ("{oar,sail}", 0.1), ("data copy finish", 0.02)]
    rows += [("{oar,sail} output reformatter 0", 3.0), ("prob", 0.01)]
    engine, path = engine_in(tmp_path, exported(*rows)), tmp_path / "build.log"
    assert [layer.type for layer in engine.layers] == ["Copy", "DLA", "Copy", "Copy", ""]
    assert [*map(kinds.waits_for_dla, engine.layers)] == [False, False, False, True, False]
    out = printed("summary", path, "--width", "200")
    assert "Reformats" not in out
    assert "The time of {oar,sail} output reformatter 0 holds a wait for the DLA" in out
    assert out.count("holds a wait") == 1
    told = printed("lint", path, "--width", "200")
    assert "output reformatter 0`: it waits for the DLA" in told


# ---- several times, of which one is taken --------------------------------------------------------


WITH_TABLE = FIXTURES / "classic" / "8.2-trtexec-table.log"


def written(folder: Path, *names: str) -> Path:
    return file_of(folder, exported(*((name, 0.5) for name in names), runs=1), "other.json")


def listing(*layers: str) -> str:
    """`TYPE NAME` for each layer; each reads what the one before it writes."""
    words = (layer.split(" ", 1) for layer in layers)
    records = (classic(name, f"t{at}", f"t{at + 1}", kind) for at, (kind, name) in enumerate(words))
    return HEADER + text(*records)


def timed(engine: elv.Engine) -> list[str]:
    return [layer.name for layer in engine.layers if layer.time is not None]


def test_the_log_s_table_stays_where_it_knows_more_than_a_file(tmp_path: Path) -> None:
    (own,) = elv.read(WITH_TABLE).engines  # one row of the table is of the runtime
    known = timed(own)
    file = written(tmp_path, *known[:-1], "pine", "fir")
    build = elv.read(WITH_TABLE, file)
    assert build.engines[0].layers == own.layers and build.engines[0].profile == own.profile
    (problem,) = (one for one in build.problems if one.place.line == 1)
    assert (problem.code, problem.place.file) == ("ELV206", str(file))
    assert f"table has times for {len(known)}" in problem.message
    forced = elv.read(WITH_TABLE, file, force=True)
    assert timed(forced.engines[0]) == known[:-1]
    assert [problem.code for problem in forced.problems] == ["ELV203"]
    as_good = elv.read(WITH_TABLE, written(tmp_path, *known))
    assert not as_good.problems and as_good.engines[0].time.total_ms == len(known) / 2


@pytest.mark.parametrize(
    ("times", "runs"),
    [
        (("0.116288", "0.019232"), 1),  # ticks of 32 ns, as CUDA's events have
        (("0.116288", "0.019233"), None),
        (("0.5", "0.008"), None),  # a person's numbers
    ],
)
def test_ticks_are_of_one_run(tmp_path: Path, times: tuple[str, ...], runs: int | None) -> None:
    lines = text(*(f"l{at}: {ms}ms" for at, ms in enumerate(times)))
    engine = engine_in(tmp_path, listing_of("l0", "l1", kind="Scale"), lines)
    assert [layer.time and layer.time.n for layer in engine.layers] == [runs, runs]


@pytest.mark.parametrize(
    ("names", "is_used"),
    [
        (("oak", "elm"), True),
        (("oak",), False),  # of four layers that run, whatever a profile may leave out
        (("oak", "bark", "knot", "bole"), False),
        (("oak [profile 1]", "elm [profile 1]", "ash [profile 1]"), True),
    ],
)
def test_half_must_have_times(tmp_path: Path, names: tuple[str, ...], is_used: bool) -> None:
    """A file without the rows of no-ops and constants is whole, and so is one of one optimisation
    profile; a part, or another network's, is not taken for the engine's times."""
    trees = ("CaskConvolution oak", "CaskConvolution elm", "Reduce ash", "Reformat yew")
    idle = ("NoOp bark", "NoOp knot", "Constant bole", "NoOp burl", "Constant gall")
    copies = [f"{one} [profile {k}]" for k in (1, 2) for one in trees]
    log = file_of(tmp_path, listing(*trees, *idle, *(copies if "1" in names[0] else ())))
    file = written(tmp_path, *names)
    build = elv.read(log, file)
    assert [problem.code for problem in build.problems] == ([] if is_used else ["ELV209"])
    assert timed(build.engines[0]) == [name for name in names if is_used]
    forced = elv.read(log, file, force=True)
    assert not forced.problems and len(timed(forced.engines[0])) == len(names)


# ---- the format is told by the first bytes, and further down only where these tell none ----------


ONE_ROW = """\
[I] === Profile (10 iterations ) ===
[I]    Layer   Time (ms)   Avg. Time (ms)   Time %
[I]    conv1        1.00            0.1000   100.0
[I]    Total        1.00            0.1000   100.0
"""


RUN = "&&&& RUNNING TensorRT.trtexec [TensorRT v8602] # trtexec\n[I] Latency: 3 ms\n"


@pytest.mark.parametrize(
    ("head", "filler", "times"),
    [("", "[V] ", ONE_ROW), ("", "", "conv1: 0.1ms\n"), (RUN, "[V] ", ONE_ROW)],
    ids=["a table", "lines", "a run that says milliseconds before its table"],
)
def test_times_far_from_the_start(head: str, filler: str, times: str, tmp_path: Path) -> None:
    filler = f"{filler}nothing of use\n" * (HEAD // 8)
    found, problems = profiles.read(file_of(tmp_path, (head + filler + times).encode()))
    assert not problems
    rows = [(row.name, row.time.average_ms) for profile in found for row in profile.rows]
    assert rows == [("conv1", 0.1)]


def test_a_trace_longer_than_the_head(tmp_path: Path) -> None:
    events = [{"ph": "X", "name": f"conv{n}", "dur": 100} for n in range(5000)]
    data = json.dumps(events).encode()
    assert len(data) > 2 * HEAD
    (found,), problems = profiles.read(file_of(tmp_path, data))
    assert not problems
    sums = [(row.name, row.time.total_ms, row.time.average_ms, row.time.n) for row in found.rows]
    assert sums == [(f"conv{n}", 0.1, None, None) for n in range(5000)]


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xc2\xa0\n"])
def test_a_file_of_nothing_is_called_empty(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(elv.ReadError) as caught:
        profiles.read(file_of(tmp_path, data))
    assert "empty" in caught.value.problem.message


# ---- times from Nsight Systems: the CSV of `nsys stats`, and traces of the GPU -------------------


LOG = FIXTURES / "classic" / "10-nsight.log"
KERNELS = (
    *("NVTX Range", "Style", "PID", "TID"),
    *("NVTX Inst", "Kern Inst", "Total Time", "Kernel Name"),
)
SUMS = ("Range", "Style", "Total Proj Time", "Total Range Time", "Range Instances", "Proj Avg")
TRACE = ("Name", "Projected Start", "Projected Duration", "Orig Start", "Style", "PID", "RangeId")
TIMES = {"Total Time", "Total Proj Time", "Total Range Time", "Proj Avg", "Projected Duration"}
TIMES |= {"Projected Start", "Orig Start"}


def report(columns: tuple[str, ...], *rows: tuple[object, ...], unit: str = "ns") -> str:
    text = io.StringIO()
    named = [f"{name} ({unit})" if name in TIMES else name for name in columns]
    csv.writer(text, lineterminator="\n").writerows([named, *rows])
    return text.getvalue()


def kernels(*rows: tuple[object, ...], unit: str = "ns") -> str:
    """Rows: range, thread, ranges, launches, time, kernel."""
    each = [(r, "PushPop", 1, tid, n, k, ms, name) for r, tid, n, k, ms, name in rows]
    return report(KERNELS, *each, unit=unit)


def read(tmp_path: Path, text: str) -> tuple[Profile, list[str]]:
    (profile,), problems = profiles.read(file_of(tmp_path, text, "report"))
    return profile, [problem.code for problem in problems]


def times(profile: Profile) -> dict[str, tuple[float | None, float | None, int | None]]:
    return {row.name: (row.time.average_ms, row.time.total_ms, row.time.n) for row in profile.rows}


def test_a_layer_has_the_sum_of_its_kernels_over_its_runs(tmp_path: Path) -> None:
    text = kernels(
        ("TensorRT:a", 7, 4, 8, 8_000_000, "gemm<int, 2>"),
        ("TensorRT:a", 7, 4, 4, 4_000_000, "add"),
        ("TensorRT:a", 8, 2, 4, 3_000_000, "gemm<int, 2>"),
        ("TensorRT:b:c", 7, 4, 4, 1_000_000, "add"),
        ("TensorRT:ExecutionContext::enqueue", 7, 4, 20, 16_000_000, "add"),
        (":step", 7, 4, 4, 9_000_000, "grind"),
        ("NCCL:all", 7, 4, 4, 9_000_000, "ring"),
        ("", 7, "", 4, 9_000_000, "warm_up"),
    )
    profile, problems = read(tmp_path, text)
    assert problems == []
    assert times(profile) == {"a": (2.5, 15.0, 6), "b:c": (0.25, 1.0, 4)}
    inside = [(one.name, one.launches, one.average_ms) for one in profile.rows[0].time.kernels]
    assert inside == [("gemm<int, 2>", 2.0, 11 / 6), ("add", 4 / 6, 4 / 6)]


def test_kernels_go_before_what_was_projected(tmp_path: Path) -> None:
    trace = [("TensorRT:a", 0, 5_000_000, 0, "PushPop", 1, 1)] * 2
    trace += [("TensorRT:only here", 0, ns, 0, "PushPop", 1, 1) for ns in (1_000_000, 3_000_000)]
    sums = [("TensorRT:a", "PushPop", 9_000_000, 1, 3, 1)]
    sums += [("TensorRT:copy", "PushPop", 6_000_000, 1, 3, 1)]
    parts = [
        report(TRACE, *trace),
        "\nProcessing [r.sqlite with nvtx_gpu_proj_sum.py]...\n",
        report(SUMS, *sums),
        "\n** Start of something (ns) **\n\n",
        kernels(("TensorRT:a", 1, 3, 3, 6_000_000, "k")),
    ]
    told = {"a": (2.0, 6.0, 3), "only here": (2.0, 4.0, 2), "copy": (2.0, 6.0, 3)}
    for _ in range(4):
        assert times(read(tmp_path, "NOTICE: a file, was found\n" + "\n".join(parts))[0]) == told
        random.Random(1).shuffle(parts)


@pytest.mark.parametrize(("unit", "of_ms"), [("ns", 1e6), ("usec", 1e3), ("ms", 1), ("s", 1e-3)])
def test_columns_in_any_order_and_any_unit(tmp_path: Path, unit: str, of_ms: float) -> None:
    first = [("TensorRT:a, (ns)", 3, 4, 9, ms * of_ms, f"k{ms} (ns)") for ms in (1, 2)]
    rows = [*first, ("TensorRT:b", 3, 5, 9, 0.25 * of_ms, "k")]
    table = [*csv.reader(io.StringIO(kernels(*rows, unit=unit)))]
    for seed in range(6):
        order, text = random.Random(seed).sample(range(8), 8), io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([row[at] for at in order] for row in table)
        profile, problems = read(tmp_path, text.getvalue())
        assert problems == []
        assert times(profile) == {
            "a, (ns)": pytest.approx((0.75, 3.0, 4)),
            "b": pytest.approx((0.05, 0.25, 5)),
        }


def test_without_the_number_of_ranges_a_time_is_a_sum(tmp_path: Path) -> None:
    columns = ("NVTX Range", "Total Time")
    profile, _ = read(tmp_path, report(columns, ("TensorRT:a", 2_000_000), ("TensorRT:a", 1e6)))
    assert times(profile) == {"a": (None, 3.0, None)}
    assert [*times(read(tmp_path, kernels((":a", 1, 2, 2, 4e6, "k")))[0])] == ["a"]  # no domain


@pytest.mark.parametrize("cell", ["-1", "nan", "x", "", "1e400"])
def test_a_number_that_is_none_is_told_and_the_others_are_read(tmp_path: Path, cell: str) -> None:
    rows = ("TensorRT:a", 1, 2, 2, cell, "k"), ("TensorRT:b", 1, 2, 2, 4_000_000, "k")
    profile, problems = read(tmp_path, kernels(*rows))
    assert problems == ["ELV204"]
    assert times(profile)["b"] == (2.0, 4.0, 2)


def test_a_cell_without_an_end_costs_what_follows_it_alone(tmp_path: Path) -> None:
    text = kernels(("TensorRT:a", 1, 2, 2, 4_000_000, "k"))
    profile, _ = read(tmp_path, text + '"TensorRT:b,PushPop,1,1\n' + "x" * 200_000 + "\n" + text)
    assert times(profile)["a"][2] == 2


def test_a_range_inside_myelin_is_its_record_without_the_number(tmp_path: Path) -> None:
    log = FIXTURES / "detailed" / "rtx-io-tensors.log"
    (engine,) = elv.read(log).engines
    names = [re.sub(r"_myl\d+_\d+$", "", layer.name) for layer in engine.layers]
    rows = [(f"TensorRT:{name}", 1, 2, 2, 4_000_000, "k") for name in dict.fromkeys(names)]
    (engine,) = elv.read(log, file_of(tmp_path, kernels(*rows), "t.csv")).engines
    timed = [layer.time for layer in engine.layers if "_myl0_" in layer.name]
    assert len(timed) == 18 and {time and time.average_ms for time in timed} == {2.0}


def test_another_report_says_which_are_read(tmp_path: Path, here: Program) -> None:
    text = "NOTICE: x\n\nTime (%),Total Time (ns),Instances,Avg (ns),Name\n9,9,9,9,k\n"
    other = file_of(tmp_path, text, "other.csv")
    said = here("summary", other, code=3).stderr
    assert "error[ELV402]: this is a report of `nsys stats` that is not read\n" in said
    assert "read are nvtx_kern_sum, " in said and "--profile_file" not in said
    said = here("summary", LOG, other, code=1).stderr
    assert "error[ELV201]: no profile: " in said and "nvtx_kern_sum" in said


def test_the_database_of_a_report_is_gone(tmp_path: Path, here: Program) -> None:
    database = file_of(tmp_path, b"SQLite format 3\0" + bytes(4000), "report.sqlite")
    said = here("summary", LOG, database, code=2)
    assert said.stdout == "" and "SQLite is gone" in said.stderr and "nsys stats" in said.stderr
    assert "nsys stats" in here("summary", database, code=3).stderr


@pytest.mark.slow
def test_time_grows_with_the_length(tmp_path: Path) -> None:
    def text(size: int) -> str:
        rows = [(f"TensorRT:l{i}", i % 3, 9, 9, 1000, f"k{i % 9}") for i in range(size)]
        return kernels(*rows) + "," * size + "\n" + '"' * size

    budget.in_time(lambda made: read(tmp_path, made), text)


# ---- traces of the GPU, as `nsys stats --report gputrace` writes them; the launches are invented -


HOSTILE = 'void k<a, "b", float const*>(int, "c")'


def as_json(launches: list[tuple[str, int]]) -> str:
    """The launches one after another."""
    rows = [
        {"Start(sec)": at / 1e6, "Duration(nsec)": ns, "Device": "Oak (0)", "Name": name}
        for at, (name, ns) in enumerate(launches)
    ]
    return json.dumps(rows)


def as_csv(rows: list[tuple[str, int]]) -> str:
    """As `nsys stats --report cuda_gpu_trace --format csv` since 2022, with what stands before."""
    columns = ("Start (ns)", "Duration (ns)", "CorrId", "Device", "Strm", "Name")
    launches = [(at * 20_000, ns, at, "Oak (0)", 7, name) for at, (name, ns) in enumerate(rows)]
    return f"Processing [r.sqlite] with [cuda_gpu_trace.py]...\n{report(columns, *launches)}"


def test_a_trace_times_no_layer_of_a_listing(tmp_path: Path, here: Program) -> None:
    """Rows are joined by the names of layers, and a trace has those of kernels."""
    trace = file_of(tmp_path, as_json([("oak_kernel", 1000)]), "t.json")
    told = here("-o", tmp_path, LOG, "-p", trace, code=1)
    assert "ELV202" in told.stderr
    assert "give the CSV of `nsys stats --report nvtx_kern_sum" in told.stderr
    assert "timed" not in told.stdout


def test_a_trace_alone_is_kernels_with_shares(tmp_path: Path, printed: Printed) -> None:
    rows = [("[CUDA memcpy HtoD]", 1000), (HOSTILE, 2000), ("[CUDA memset]", 500), (HOSTILE, 500)]
    for data in (as_json(rows), as_csv(rows)):
        file = file_of(tmp_path, data, "trace")
        (engine,) = elv.read(file).engines
        assert [one.code for one in engine.problems] == ["ELV211"]
        assert [la.name for la in engine.layers] == ["[CUDA memcpy HtoD]", HOSTILE, "[CUDA memset]"]
        assert [la.type for la in engine.layers] == ["Copy", "Kernel", "Memset"]
        assert [la.time.parts for la in engine.layers if la.time is not None] == [1, 2, 1]
        out = printed("summary", file)
        assert "4.00 µs, measured over an unknown number of runs" in " ".join(out.split())
        assert "62.5 %" in out and "on Oak" in out
        told = " ".join(printed("lint", file).split())
        assert "4.00 µs in all that was traced (measured over an unknown number of runs)" in told
        assert "Copying to the GPU is 25.0 % of what was traced" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"Start(sec)": 1.0, "Duration(nsec)": 5, "Name": "k"}, {"Start(se', "not JSON"),
        ('[{"Start(sec)": 1.0, "Duration(nsec)": "x", "Name": "k"}]', "unreadable duration"),
        ("Start (ns),Duration (ns),Name\n", "no rows"),
        (f"Start (ns),Duration (ns),Name\n1,2,{'x' * 140_000}\n", "no object with a name"),
    ],
)
def test_bad_traces(tmp_path: Path, here: Program, text: str, said: str) -> None:
    file = file_of(tmp_path, text, "t")
    assert said in here("-o", tmp_path, LOG, "-p", file, code=1).stderr
    assert "this is a profile (`nsys stats`" in here("summary", file, code=3).stderr
