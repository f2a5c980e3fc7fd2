"""Times without a listing are an answer: layers in their order, with times and no edges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from factories import engine_facts, engine_in, layer_facts
from logtext import exported, file_of, text
from program import Printed

from engine_layer_visualize.analysis import counts, kinds
from engine_layer_visualize.analysis.labels import headline

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


def test_a_copy_for_the_dla_is_no_node_and_its_time_holds_the_wait(
    tmp_path: Path, printed: Printed
) -> None:
    heads = "[I]               Layer   Time (ms)   Avg. Time (ms)   Time %\n"
    rows = (("sea to nvm", 1), ("{ForeignNode[oar...sail]}", 2), ("quay from nvm", 15))
    table = "".join(f"[I] {name} {ms}.00 0.{ms:02}00 5.0\n" for name, ms in rows)
    engine, path = engine_in(tmp_path, heads + table), tmp_path / "build.log"
    assert [layer_facts(layer).onnx_nodes for layer in engine.layers] == [(), ("oar", "sail"), ()]
    assert [layer.place.line for layer in engine.layers] == [2, 3, 4]
    (summary,) = json.loads(printed("summary", path, "--format", "json"))["engines"]
    assert {row["type"]: row["waits"] for row in summary["types"]} == {
        "Copy": "quay from nvm",
        "DLA": None,
    }
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


def test_names_by_torch2trt_tell_types_and_why_macs_are_unknown(
    tmp_path: Path, printed: Printed
) -> None:
    engine = engine_in(
        tmp_path,
        "[CONSTANT #1] torch.zeros((1, 2), device=cuda:0): 0.004ms\n"
        "[CONVOLUTION #1] torch.nn.Conv2d.forward(Conv2d(3, 4, kernel_size=(7, 7))) + "
        "[RELU #1] torch.nn.ReLU.forward(ReLU(inplace=True)): 4.3ms\n"
        "output_1_broadcast: 0.04ms\n",
    )
    assert [layer.type for layer in engine.layers] == ["Constant", "Convolution", ""]
    assert engine.work.layers_unknown == 2
    said = " ".join(printed("summary", tmp_path / "build.log", "--sections", "work").split())
    assert "1: a convolution or a product, and without a listing its sizes are not read" in said


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
def test_what_is_added_for_a_node_does_not_name_the_layer(
    name: str, heading: str, tmp_path: Path
) -> None:
    engine = engine_in(tmp_path, exported((name, 0.5), ("prob", 0.01)))
    assert headline(engine.layers[0]) == heading


def test_a_piece_of_the_dla_that_is_named_by_its_layers_is_awaited_where_it_is_reformatted(
    tmp_path: Path, printed: Printed
) -> None:
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
