"""Every fixture and case, read as what its hand-written expectation says, under any name."""

import json
import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from paths import FIXTURES
from program import Program

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.api import draw
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.commands.cli import main

SUFFIX = ".expected.json"
DIALECTS = ("classic", "detailed", "inspector_json")
# Keys whose values stand in no order.
SETS = {"edges", "unmatched_rows", "untimed_layers", "problems"}
AS_TEXT = partial(json.dumps, sort_keys=True)

EXPECTED = sorted(path for name in DIALECTS for path in (FIXTURES / name).glob(f"*{SUFFIX}"))


def stem(path: Path) -> str:
    return path.name.removesuffix(SUFFIX)


def belongs(path: Path) -> list[Path]:
    """The files of one fixture: those that begin with its stem."""
    return sorted(file for file in path.parent.iterdir() if file.name.startswith(f"{stem(path)}."))


def log_of(path: Path) -> Path:
    (log,) = (file for file in belongs(path) if file not in (path, *profiles_of(path)))
    return log


def profiles_of(path: Path) -> list[Path]:
    """`8.6-markdown.0.profile.txt` belongs to `8.6-markdown.log`."""
    return [file for file in belongs(path) if ".profile" in file.name]


def read(log: Path, profiles: Sequence[Path]) -> list[Any]:
    """The engines in the shape of `--format json`, through the program's own writer."""
    return [json.loads(draw.render(engine, "json")) for engine in Log(log, profiles).engines()]


def narrowed(found: Any, expected: Any, key: str = "") -> Any:
    """What is found, as far as it is expected.

    Further keys, the order of `SETS`, digits behind the ninth and what is null of a problem are
    free.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        free = {name for name, value in expected.items() if key == "problems" and value is None}
        both = {name: (found[name], expected[name]) for name in expected if name in found}
        return {name: None if name in free else narrowed(*both[name], name) for name in both}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        if key in SETS:
            expected, found = (sorted(rows, key=AS_TEXT) for rows in (expected, found))
        return [narrowed(*both, key) for both in zip(found, expected)]
    if not {type(expected), type(found)} <= {int, float}:
        return found
    return expected if math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-9) else found


def lines(found: Any, expected: Any) -> list[str]:
    return json.dumps(narrowed(found, expected), indent=1).split("\n")


def test_there_are_fixtures_and_all_have_expectations() -> None:
    folders = [FIXTURES / name for name in DIALECTS if (FIXTURES / name).is_dir()]
    files = [file for folder in folders for file in folder.iterdir()]
    assert sorted(file for path in EXPECTED for file in belongs(path)) == sorted(files)
    assert all(log_of(path).is_file() for path in EXPECTED)


@pytest.mark.parametrize("path", EXPECTED, ids=stem)
def test_a_fixture_is_read_as_expected(path: Path) -> None:
    expected = json.loads(path.read_text("utf-8"))
    assert expected, "an expectation of nothing"
    assert lines(read(log_of(path), profiles_of(path)), expected) == lines(expected, expected)


def test_no_fixture_meets_the_expectation_of_another() -> None:
    """Else the comparison would see nothing."""
    expected = [json.loads(path.read_text("utf-8")) for path in EXPECTED]
    assert all(lines(other, one) != lines(one, one) for one, other in pairwise(expected))


# ---- inputs as people have them, each with what is right of it, read by hand from the file -------


CASES = FIXTURES / "cases"


class Right(NamedTuple):
    """What is right of an input."""

    files: str
    layers: tuple[str, ...]
    edges: tuple[str, ...] = ()  # between layers: `0>1`
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    us: tuple[float, ...] = ()  # of each layer
    shares: tuple[float, ...] = ()  # in %, where they are not of the layers' sum
    runs: int | None = None
    types: tuple[str, ...] = ()
    tensorrt: str | None = None
    exit: int = 0
    codes: tuple[str, ...] = ()


COPY = "Reformatting CopyNode for Input Tensor 0 to "
REPORT: dict[str, Any] = {"layers": ("pier + relu", "mast"), "us": (600, 400), "runs": 100}
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
FOUR_TIMED: dict[str, Any] = {"us": (10, 50, 10, 30), "types": ("Reformat", "", "", "")}
HOSTED: dict[str, Any] = {
    "layers": (f"{COPY}stem/Conv + stem/Relu", "stem/Conv + stem/Relu", "head/MatMul"),
    "edges": ("0>1", "1>2"),
    "inputs": ("x",),
    "outputs": ("y",),
}
RUNS: dict[str, Any] = {"us": (10, 51, 10, 30.5), "runs": 2}
RIGHT = [
    Right(
        "01-quiet-build-with-profile-table.log",
        ("/stem/Conv + /stem/Relu", "/head/Gemm"),
        us=(600, 400),
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
    Right("15-times-printed-through-a-logger.log", ("pier + relu", "mast"), us=(51, 30.5), runs=2),
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
    expected = right.shares or [round(100 * us / sum(right.us), 1) for us in right.us]
    assert [round(100 * each, 1) for each in shares if each is not None] == [*expected]


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


_RUNS = "15b-two-runs-printed"
NAMES, TIMES = (str(CASES / f"{_RUNS}.{end}") for end in ("layers.json", "profile.txt"))


@pytest.mark.parametrize("command", ["summary", "lint", "compare"])
@pytest.mark.parametrize("flag", [["-p", NAMES], [f"-p{NAMES}"]], ids=["two words", "one word"])
def test_files_the_wrong_way_are_righted(command: str, flag: list[str], here: Program) -> None:
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
