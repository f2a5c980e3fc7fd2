"""Inputs as people have them, each with what is right of it, read by hand from the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from paths import FIXTURES
from program import Program

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.commands.cli import main

CASES = FIXTURES / "cases"


class Right(NamedTuple):
    """What is right of an input."""

    files: str
    layers: tuple[str, ...]
    edges: tuple[str, ...] = ()  # between layers: `0>1`
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    us: tuple[float, ...] = ()  # of each layer
    shares: tuple[float, ...] = ()  # in %
    runs: int | None = None
    types: tuple[str, ...] = ()
    tensorrt: str | None = None
    exit: int = 0
    codes: tuple[str, ...] = ()


COPY = "Reformatting CopyNode for Input Tensor 0 to "
REPORT: dict[str, Any] = {
    "layers": ("pier + relu", "mast"),
    "us": (600, 400),
    "shares": (60, 40),
    "runs": 100,
}
INSPECTED: dict[str, Any] = {
    "layers": (
        "/Reshape + reshape_before_/mast/Gemm",
        "mast.weight + transpose_before_/mast/Gemm + /mast/Gemm + /act/Relu",
    ),
    "edges": ("0>1",),
    "inputs": ("x",),
    "outputs": ("y",),
}
FOUR = (f"{COPY}conv1 + relu1", "conv1 + relu1", "pool1", "fc")
FOUR_TIMED: dict[str, Any] = {
    "us": (10, 50, 10, 30),
    "shares": (10, 50, 10, 30),
    "types": ("Reformat", "", "", ""),
}
HOSTED: dict[str, Any] = {
    "layers": (f"{COPY}stem/Conv + stem/Relu", "stem/Conv + stem/Relu", "head/MatMul"),
    "edges": ("0>1", "1>2"),
    "inputs": ("x",),
    "outputs": ("y",),
}
RUNS: dict[str, Any] = {"us": (10, 51, 10, 30.5), "shares": (9.9, 50.2, 9.9, 30.0), "runs": 2}
RIGHT = [
    Right(
        "01-quiet-build-with-profile-table.log",
        ("/stem/Conv + /stem/Relu", "/head/Gemm"),
        us=(600, 400),
        shares=(60, 40),
        runs=100,
        tensorrt="8.6.1",
    ),
    Right(
        "02-listing-wrapped-at-100-columns.log",
        ("pier + pier_act", "mast + mast_act", "rope_sum", "flag"),
        ("0>1", "0>2", "1>2", "2>3"),
        ("frame",),
        ("flag",),
    ),
    Right("02b-report-fragment-of-tensorrt-7.log", **REPORT),
    Right("03-inspector-json-in-a-comment.md", **INSPECTED),
    Right("03b-inspector-json-printed-by-a-script.log", **INSPECTED),
    Right("03c-profile-json-after-a-prompt.txt", FOUR, runs=100, **FOUR_TIMED),
    Right("03d-profile-in-python.txt", FOUR, **FOUR_TIMED),
    Right(
        "04-byte-that-is-not-utf8.json",
        **{
            **INSPECTED,
            "layers": (
                "/Reshape + reshape_before_/mast/Gemm",
                "mast.weight + transpose_before_/mast/Gemm + /mast\\xb0/Gemm + /act/Relu",
            ),
        },
        codes=("ELV117",),
    ),
    Right(
        "04b-profile-byte-that-is-not-utf8.json",
        (*FOUR[:2], "pool\\xb01", "fc"),
        runs=100,
        codes=("ELV117",),
        **FOUR_TIMED,
    ),
    Right(
        "08-names-only-with-reformats.layers.json",
        (
            f"{COPY}/pier/Conv + /pier/Relu",
            "/pier/Conv + /pier/Relu",
            "Reformatting CopyNode for Output Tensor 0 to /pier/Conv + /pier/Relu",
            "/mast/Gemm",
        ),
        types=("Reformat", "", "Reformat", ""),
        codes=("ELV111",),
    ),
    Right("10-triton-message-in-quotes.log", **HOSTED),
    Right("10b-docker-json-file-driver.log", **HOSTED),
    Right("10c-json-lines-logger.log", **HOSTED),
    Right(
        "13-cut-table-shares.log",
        (f"{COPY}/pier/Conv + /pier/Relu", "/pier/Conv + /pier/Relu", "/pier/MaxPool"),
        us=(10, 30, 20),
        shares=(0.5, 1.5, 1.0),
        runs=1000,
        exit=1,
        codes=("ELV210",),
    ),
    Right(
        "15-times-printed-through-a-logger.log",
        ("pier + relu", "mast"),
        us=(51, 30.5),
        shares=(62.6, 37.4),
        runs=2,
    ),
    Right("15b-two-runs-printed.profile.txt", FOUR, **RUNS),
    Right(
        "15b-two-runs-printed.layers.json 15b-two-runs-printed.profile.txt",
        FOUR,
        **RUNS,
        codes=("ELV111",),
    ),
    Right(
        "16-rows-after-the-total.log",
        ("/pier/Conv + /pier/Relu", "/mast/Gemm"),
        us=(600, 400),
        shares=(60, 40),
        tensorrt="8.6.1",
    ),
]


@pytest.mark.parametrize("right", RIGHT, ids=[right.files.partition("-")[0] for right in RIGHT])
def test_what_people_have_is_read(right: Right, tmp_path: Path) -> None:
    files = [str(CASES / name) for name in right.files.split(" ")]
    assert main(["draw", *files, "-f", "json", "-o", str(tmp_path)]) == right.exit
    engine: dict[str, Any] = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))
    assert not (tmp_path / "EngineLayers_1.json").exists()
    layers = engine["layers"]
    assert tuple(layer["name"] for layer in layers) == right.layers
    between = [e for e in engine["edges"] if None not in (e["from"], e["to"])]
    assert sorted(f"{e['from']}>{e['to']}" for e in between) == sorted(right.edges)
    assert (tuple(engine["inputs"]), tuple(engine["outputs"])) == (right.inputs, right.outputs)
    times = [layer["time"] for layer in layers if layer["time"] is not None]
    assert [time["average_ms"] * 1000 for time in times] == pytest.approx(list(right.us))
    assert {time["n"] for time in times} <= {right.runs}
    assert engine["engine"]["tensorrt"] == right.tensorrt
    assert tuple(problem["code"] for problem in engine["problems"]) == right.codes
    if right.types:
        assert tuple(layer["type"] for layer in layers) == right.types
    costs = Costs(elv.read(files[0], files[1:]).engines[0])
    shares = [costs.share(layer) for layer in costs.layers]
    assert [round(100 * each, 1) for each in shares if each is not None] == list(right.shares)


def test_an_operator_is_the_nodes_and_not_its_constants() -> None:
    (engine,) = elv.read(CASES / "17-operator-of-a-fused-matmul.log").engines
    assert [headline(layer) for layer in engine.layers] == ["MatMul + BiasAdd", "Softmax"]
    times = [layer.time.average_ms for layer in engine.layers if layer.time is not None]
    assert times == [0.08, 0.02]


def test_a_second_print_is_no_second_half(tmp_path: Path) -> None:
    record = "Layer(NoOp): {}, Tactic: 0x0000000000000000, {} (Half[1,4]) -> {} (Half[1,4])\n"
    records = record.format("a", "x", "h") + record.format("b", "h", "y")
    log = tmp_path / "build.log"
    log.write_text("[V] Engine Layer Information:\n" + records + "saved\nLayers:\n\n" + records)
    (engine,) = elv.read(log).engines
    assert [layer.place.line for layer in engine.layers] == [2, 3]
    assert engine.problems == ()


NAMES, TIMES = (
    str(CASES / f"15b-two-runs-printed.{end}") for end in ("layers.json", "profile.txt")
)


@pytest.mark.parametrize("command", ["summary", "lint", "compare"])
@pytest.mark.parametrize("flag", [["-p", NAMES], [f"-p{NAMES}"]], ids=["two words", "one word"])
def test_files_the_wrong_way_round_are_righted(
    command: str, flag: list[str], here: Program
) -> None:
    more = ["--log_file", NAMES] if command == "compare" else []
    told = here(command, "--log_file", TIMES, *flag, *more, code=0)
    assert "ELV414" in told.stderr and "15b-two-runs-printed.layers.json is the log" in told.stderr
    assert "15b-two-runs-printed.layers.json" in told.stdout and "102 µs" in told.stdout


def test_a_baseline_with_times_is_no_log(tmp_path: Path, here: Program) -> None:
    base = tmp_path / "base.json"
    base.write_text('{"schema": 1, "snapshot": {}}')
    assert "this is a baseline" in here("lint", base, "-p", TIMES, code=3).stderr


def test_broken_lines_keep_their_extents(tmp_path: Path) -> None:
    path = CASES / "02-listing-wrapped-at-100-columns.log"
    assert main(["draw", str(path), "-f", "json", "-o", str(tmp_path)]) == 0
    layers = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))["layers"]
    tensors = [tensor for layer in layers for tensor in (*layer["inputs"], *layer["outputs"])]
    assert {tensor["dims"] for tensor in tensors} == {"-4,8,40,40", "-4,16,40,40"}
    assert [layer["line"] for layer in layers] == [2, 4, 6, 9]
