"""Times: without a listing they are layers in their order; of several the best are taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from factories import engine_facts, engine_in, layer_facts
from logtext import HEADER, classic, exported, file_of, listing_of, pieces, text
from paths import FIXTURES
from program import Printed

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import counts, kinds
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import HEAD, Source
from engine_layer_visualize.reading import profiles

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


@pytest.mark.parametrize(
    "line",
    [
        "[I] Created {}put binding for {} with dimensions 1x4\n",
        "[I] {}put binding for {} with dimensions 1x4 and type fp32 is created.\n",
    ],
)
def test_a_run_names_the_ends_of_its_engine(tmp_path: Path, line: str) -> None:
    is_new = line.startswith("[I] {")
    ends = [line.format("In" if is_new else "in", "x")]
    ends += [line.format("Out" if is_new else "out", name) for name in ("z", "y")]
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
    rows = LINES + "{ForeignNode[a...b]}: 0.2ms\n"
    engine = engine_in(tmp_path, rows)
    assert [layer.type for layer in engine.layers] == ["", "Reformat", "", "Myelin"]
    engine = engine_in(tmp_path, rows + "x to nvm: 0.1ms\n")
    assert [layer.type for layer in engine.layers] == ["", "Reformat", "", "DLA", "Copy"]


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
    assert headline(engine.layers[0]) == heading


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
    table, rest = forced.problems
    assert (table.code, table.place.file, rest.code) == ("ELV206", str(WITH_TABLE), "ELV203")
    assert table.message.startswith(f"times are from other.json, for {len(known) - 1} of ")
    as_good = elv.read(WITH_TABLE, written(tmp_path, *known))
    assert not as_good.problems and as_good.engines[0].total_ms == len(known) / 2


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
    with pytest.raises(ReadError) as caught:
        profiles.read(file_of(tmp_path, data))
    assert "empty" in caught.value.problem.message


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7, HEAD - 1, HEAD, HEAD + 1, 1 << 20])
def test_what_was_looked_at_is_read_again(size: int) -> None:
    data = b"".join(b"%d\n" % number for number in range(30_000))
    source = Source("x", chunks=pieces(data, size))
    assert source.head() == data[:HEAD]
    assert source.head(20) == data[:20]
    spans = list(source.spans())
    assert b"".join(span.data for span in spans) == data
    assert [span.line for span in spans[:2]] == [1, 2]
