"""`summary`: what its sections say, and how its pages are set."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from factories import engine_of
from logtext import HEADER, TV, cached, costs, exported, file_of, listing_of, timed
from paths import CENTERNET, FIXTURES, TIMES
from program import Printed, Program
from summarised import blocks_of, csv_of, data_of, said_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.documents.blocks import Advice, Heading
from engine_layer_visualize.export.tables import tables
from engine_layer_visualize.facts.sentences import heading
from engine_layer_visualize.reports.summary import COLUMNS

TUNED = """\
[V] [TRT] Adding network input: x with dtype: float32, dimensions: (1, 3, 8, 8)
[V] [TRT] Marking y as output: y
[V] [TRT] --------------- Timing Runner: conv (CaskConvolution)
[V] [TRT] conv Set Tactic Name: fast_kernel Tactic: 5
[V] [TRT] Tactic: 5 Time: 0.25
[V] [TRT] conv Set Tactic Name: slow_kernel Tactic: 6
[V] [TRT] Tactic: 6 Time: 0.75
[V] [TRT] Fastest Tactic: 5 Time: 0.25
[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 5
[V] [TRT] --------------- Timing Runner: pool (TiledPooling)
[V] [TRT] Tactic: 9 Time: 0.5
[V] [TRT] Fastest Tactic: 9 Time: 0.5
[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: TiledPooling Tactic: 9
[V] [TRT] Formats and tactics selection completed in 1.5 seconds.
[V] [TRT] Layer: conv Host Persistent: 16 Device Persistent: 32 Scratch Memory: 64
[I] [TRT] Total Activation Memory: 4096
[V] [TRT] Engine Layer Information:
Layer(CaskConvolution): conv, Tactic: 5, x[Float(1,3,8,8)] -> t[Float(1,4,8,8)]
Layer(TiledPooling): pool, Tactic: 9, t[Float(1,4,8,8)] -> y[Float(1,4,4,4)]
"""


def test_the_builder_s_estimates_stand_beside_measured_times_or_for_them(tmp_path: Path) -> None:
    times = file_of(tmp_path, exported(("conv", 0.5), ("pool", 0.1)), "prof.json")
    measured, estimated = (engine_of(TUNED, *given, facts=True) for given in ([times], []))
    told = [
        [(row["name"], row["ms"], row["build_ms"]) for row in data_of(engine)["slowest"]]
        for engine in (measured, estimated)
    ]
    assert told[0] == [("conv", 0.5, 0.25), ("pool", 0.1, 0.5)]
    assert told[1] == [("pool", 0.5, 0.5), ("conv", 0.25, 0.25)]
    assert data_of(estimated)["engine"]["times"] == "estimated"
    text = " ".join(said_of(estimated, 120).split())
    assert "2 of 2 layers timed: ≈ 750 µs, estimated by the builder." in text


def test_without_times_it_says_how_to_measure_once_and_sections_without_data_are_left_out() -> None:
    line = "Layer(A): a, Tactic: 1, x[Half(1)] -> y[Half(1)]"
    engine = engine_of(f"{HEADER}{line}\n", facts=True)
    told = blocks_of(engine)
    advice = [block.text for block in told if isinstance(block, Advice)]
    assert sum("--exportProfile" in text for text in advice) == 1
    titles = [block.text for block in told if isinstance(block, Heading)]
    assert titles == ["Engine 0 of build.log", "Findings", "Work"]


@pytest.mark.parametrize("log", [CENTERNET, TUNED])
def test_the_csv_has_cells_of_the_table_of_layers(log: Path | str) -> None:
    engine = (
        elv.read(log, TIMES).engines[0] if isinstance(log, Path) else engine_of(log, facts=True)
    )
    rows = list(csv.DictReader(io.StringIO(csv_of(engine))))
    as_text = {"precision", "kernel", "inputs", "outputs", "onnx_nodes"}
    wanted = [dict(row) for row in tables([engine])["layers"].rows()]
    assert len(rows) == len(wanted) > 0
    for row, own in zip(rows, wanted):
        own["index"] = own["layer"]
        for name in {*COLUMNS} - as_text:
            said = row[name].removeprefix("'")  # before a tactic such as -7
            assert said == ("" if own[name] is None else str(own[name])), name


def test_whose_the_width_is(monkeypatch: pytest.MonkeyPatch, printed: Printed) -> None:
    """--width, then COLUMNS, then the terminal, else 140; a pipe obeys COLUMNS, too."""

    def widest(*more: str) -> int:
        return max(map(len, printed("summary", CENTERNET, TIMES, *more).split("\n")))

    monkeypatch.delenv("COLUMNS", raising=False)
    assert widest() == 140
    monkeypatch.setenv("COLUMNS", "77")
    assert widest() == 77
    assert widest("--width", "51") == 51
    monkeypatch.setenv("COLUMNS", "wide")
    assert widest() == 140


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_full_keeps_names_whole(tmp_path: Path, format: str, printed: Printed) -> None:
    name = "".join(f"part{number}/" for number in range(60))
    arguments = [file_of(tmp_path, listing_of(name, kind="Reformat")), "--format", format]
    assert name not in "".join(printed("summary", *arguments).split())
    arguments.append(file_of(tmp_path, exported((name, 1.0)), "prof.json"))
    assert "…" in printed("summary", *arguments)
    assert name in "".join(printed("summary", *arguments, "--full", "--width", "80").split())


def test_top_is_how_many_findings_the_summary_shows(printed: Printed) -> None:
    log = str(FIXTURES / "classic" / "8.5-new-descriptors.log")
    (one,) = json.loads(printed("summary", log, "--format", "json", "--top", "1"))["engines"]
    codes = [each["code"] for each in one["findings"] if each["shown"]]
    assert len(codes) > 2, "data is whole"
    for top in (1, len(codes)):
        out = printed("summary", log, "--sections", "findings", "--top", top)
        assert (f"… {len(codes) - 1} more findings: " in out) == (top == 1)
        assert [code for code in codes if f" {code} " in out] == codes[:top]


_FRAGMENT = (
    "Layer(CaskConvolution): b, Tactic: 0x1, q (Half[1,8,4,4]) -> r (Half[1,8,4,4])\n"
    "Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to c, Tactic: 0x0, r (Half[1,8,4,4])"
    " -> Reformatted Input Tensor 0 to c (Int8[1,8,4,4])\n"
)


@pytest.mark.parametrize("header", ["", HEADER])
def test_of_a_part_of_a_listing_nothing_is_said_of_the_whole(header: str) -> None:
    engine = engine_of(header + _FRAGMENT, facts=True)
    words = said_of(engine, 140)
    assert ("a part of a listing" if not header else "listing is cut") in words
    assert "layers alone" in words or "layers before the cut" in words
    assert "unknown outputs" in words
    assert "F02" not in words and "F03" not in words
    assert "the engine's input" not in words and "the engine's output" not in words


def test_the_tactics_of_a_shortened_log_are_those_of_its_lines() -> None:
    tuned = costs("b", "Half(1)") + "".join(timed("b", "CaskConvolution", (1, 0.5), (2, 0.25)))
    shortened = f"{HEADER}{_FRAGMENT}...more\n{_FRAGMENT}"
    words = said_of(engine_of(tuned + shortened, facts=True), 140)
    assert "2 tactics timed" in words and "This is a part of a listing" in words


@pytest.mark.parametrize(
    ("name", "lines", "is_torch"),
    [
        ("a", (), False),
        ("a", ("Original: 1 layers", "After dead-layer removal: 1 layers"), False),
        ("[RELU]-[aten_ops.relu.default]-[/1/relu]", (), True),
    ],
)
def test_where_times_come_from(name: str, lines: tuple[str, ...], is_torch: bool) -> None:
    """A part of a PyTorch model is timed elsewhere."""
    log = "".join(f"{TV}{line}\n" for line in lines) + listing_of(name)
    told = said_of(engine_of(log, facts=True), 240)
    assert ("Torch-TensorRT writes the layers' times there" in told) == is_torch
    assert ("Measure the layers: `trtexec --loadEngine=… " in told) != is_torch


def test_lines_of_no_engine_name_their_log(tmp_path: Path, printed: Printed) -> None:
    failed = "[V] [TRT] Original: 3 layers\n[E] [TRT] 10: no implementation\n"
    run = "&&&& {} TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=oak.onnx\n"
    text = run.format("RUNNING") + failed + run.format("PASSED") + listing_of("a")
    logs = [file_of(tmp_path, text, name) for name in ("quay.log", "pier.log")]
    found = json.loads(printed("summary", *logs, "--format", "json"))
    assert [one["file"] for one in found["unassigned"]] == ["quay.log", "pier.log"]
    assert {tuple(one) for one in found["unassigned"]} == {tuple(found["unassigned"][0])}
    out = printed("summary", *logs)
    heads = [out.index(f"Lines of {log.name} that belong to none of these") for log in logs]
    assert heads == sorted(heads)
    # Of one log the words are short, and the data are the same.
    assert "Lines of the log that belong to none" in printed("summary", logs[0])
    told = printed("summary", logs[0], "--brief")
    assert "To none of these engines belong lines 1–4 (build: it failed)" in told
    build = elv.read(logs[0], facts=True)
    assert elv.summary(build).data["unassigned"] == found["unassigned"][:1]


QUANTISED = (
    "Layer(Reformat): QuantizeLinear_2, Tactic: 0x0, x (Float[1,8]) -> q (Int8[1,8])\n"
    "Layer(CaskConvolution): c.weight + QuantizeLinear_7_quantize_scale_node + Conv_9 + Relu_10, "
    "Tactic: 0x1, q (Int8[1,8]) -> y (Int8[1,8])\n"
    "Layer(Reformat): Reformatting CopyNode for Output Tensor 0 to c, Tactic: 0x0, "
    "y (Int8[1,8]) -> z (Float[1,8])\n"
)


@pytest.mark.parametrize("metadata", [False, True])
def test_what_quantises_for_a_layer_is_none_of_its_nodes(metadata: bool) -> None:
    """The names have it, metadata of records does not: both count the same."""
    text = HEADER + QUANTISED
    assert "2 reformats (1 of them Q/DQ)" in said_of(engine_of(text, facts=True))
    if metadata:
        record = {
            "Name": "c.weight + QuantizeLinear_7 + Conv_9 + Relu_10",
            "LayerType": "CaskConvolution",
            "Inputs": [{"Name": "q", "Dimensions": [1, 8], "Format/Datatype": "Int8"}],
            "Outputs": [{"Name": "y", "Dimensions": [1, 8], "Format/Datatype": "Int8"}],
            "Metadata": "[ONNX Layer: Conv_9]\x1e[ONNX Layer: Relu_10]",
        }
        text = json.dumps({"Layers": [record], "Bindings": ["q", "y"]})
    (row,) = data_of(engine_of(text, facts=True))["fusions"]
    assert (row["nodes"], row["operators"]) == (2, {"Conv": 1, "Relu": 1})


def test_a_title_tells_of_records_that_could_not_be_read(tmp_path: Path, here: Program) -> None:
    torn = QUANTISED.replace("q (Int8[1,8]) -> y", "q (Int8[1,8])Done!\n -> y")
    log = file_of(tmp_path, HEADER + torn)
    told = here("summary", log).stdout
    assert "3 layers (1 of them unread: edges are missing), " in told
    (engine,) = elv.read(log).engines
    assert heading(Costs(engine))[1] == "3 layers, 1 of them unread: edges are missing"
    out = " ".join(here("lint", log).stdout.split())
    assert "1 record of the listing could not be read: edges are missing." in out


def test_a_build_from_a_timing_cache_is_not_told_to_be_verbose() -> None:
    formats = "Half(1) -> Half(1)"
    log = costs("a", formats) + cached("a", formats, "CaskConvolution", 1, 0.1) + listing_of("a")
    assert "every result came from a timing cache" in said_of(engine_of(log, facts=True))
