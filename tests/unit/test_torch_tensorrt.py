"""What Torch-TensorRT prints of its engines; made from the texts of its sources, not from runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main
from fuzz import budget

LISTING = FIXTURES / "inspector_json" / "torch-tensorrt-printed.json"
PRINTED = LISTING.with_name("torch-tensorrt-printed.profile.txt")
Row = tuple[str, float, int, float]
ROWS: Sequence[Row] = [("[CONV]-[a] 7%", 75.0, 20, 3.0), ("relu ==== b", 25.0, 20, 1.0)]


def printed(rows: Sequence[Row], name: str = "_run_on_acc_0_engine") -> str:
    """As `TRTEngineProfiler` prints it, to a logger that writes before the first line alone."""
    width = max(70, *(len(row[0]) for row in rows))
    heads = f"{'TensorRT layer name':>{width}} {'Runtime, ':>12}% {'Invocations':>12}"
    lines = [f"{n:>{width}} {share:>12.1f}% {k:>12} {ms:>12.2f}" for n, share, k, ms in rows]
    total = sum(row[3] for row in rows)
    return "\n".join(
        [
            "INFO: [Torch-TensorRT] - ",
            f"========== {name} profile ==========",
            f"{heads} {'Runtime, ms':>12}",
            *lines,
            f"========== {name} total runtime = {total:g} ms ==========\n",
        ]
    )


def averages(engine: elv.Engine) -> dict[str, float | None]:
    return {la.name: la.time.average_ms for la in engine.layers if la.time is not None}


@pytest.mark.parametrize("before", ["", "loading\n" * 9])
def test_a_printed_table_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str
) -> None:
    (tmp_path / "run.log").write_text(before + printed(ROWS), "utf-8")
    (engine,) = elv.read(tmp_path / "run.log").engines
    assert averages(engine) == {"[CONV]-[a] 7%": 0.15, "relu ==== b": 0.05}
    assert main(["summary", str(tmp_path / "run.log")]) == 0
    assert "200 µs, measured, 20 runs" in capsys.readouterr().out


def test_the_table_in_the_log_of_a_build_is_of_its_engine(tmp_path: Path) -> None:
    host = "DEBUG: [Torch-TensorRT TorchScript Conversion Context] - "
    listing = [
        f"{host}Engine Layer Information:",
        "Layer(CaskConvolution): quay, Tactic: 0x1, x (Half[1,8]) -> a (Half[1,8])",
        "Layer(Shuffle): pier, Tactic: 0x0, a (Half[1,8]) -> y (Half[1,8])",
    ]
    table = printed([("quay", 75.0, 20, 3.0), ("pier", 25.0, 20, 1.0)])
    (tmp_path / "run.log").write_text("\n".join([*listing, table]), "utf-8")
    build = elv.read(tmp_path / "run.log")
    (engine,) = build.engines
    assert (averages(engine), build.problems) == ({"quay": 0.15, "pier": 0.05}, ())
    assert engine.profile is not None and engine.profile.matched == 2


def test_the_last_table_of_each_engine_has_the_sums_of_all(tmp_path: Path) -> None:
    first = printed([("a", 100.0, 10, 1.0)])
    other = printed([("b", 100.0, 5, 10.0)], "_run_on_acc_1_engine")
    (tmp_path / "t").write_text(first + other + printed([("a", 100.0, 20, 4.0)]), "utf-8")
    found = elv.read(tmp_path / "t").engines
    assert [averages(engine) for engine in found] == [{"a": 0.2}, {"b": 2.0}]


def test_a_table_that_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t").write_bytes(PRINTED.read_bytes()[:-120])  # in the last row
    (engine,) = elv.read(LISTING, tmp_path / "t").engines
    assert len(averages(engine)) == 3
    (cut,) = (one for one in engine.problems if one.code == "ELV210")
    assert "no total runtime" in cut.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (printed([("a", float("nan"), 20, float("nan"))]), "unreadable time"),
        (printed([("a", 100.0, 0, 1.0)]), "unreadable time or number of invocations"),
        ("========== x profile ==========\n", "without rows"),
    ],
)
def test_bad_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "t").write_text(text, "utf-8")
    args = ["-o", str(tmp_path), "--log_file", str(LISTING), "-p", str(tmp_path / "t")]
    assert main(args) == 1
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_large_tables_and_lines_take_linear_time(tmp_path: Path) -> None:
    table = tmp_path / "t"

    def prepared(size: int) -> Callable[[], object]:
        rows = [(f"layer {i}", 0.0, 7, 0.7) for i in range(size)]
        noise = "=" * size + "\n" + "========== " * (size // 10) + "\n"
        table.write_text(noise + printed(rows), "utf-8")
        return partial(elv.read, table, facts=False)

    budget.linear(prepared, 5_000, 40_000)
    assert len(elv.read(table, facts=False).engines[0].layers) == 40_000


def test_a_dry_run_alone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.log").write_text(
        "+++++ Dry-Run Results for Graph +++++\n\n"
        "The graph consists of 6 Total Operators, of which 4 operators are supported\n"
    )
    assert main(["summary", str(tmp_path / "b.log")]) == 3
    assert "a dry run of Torch-TensorRT, which lists no layers" in capsys.readouterr().err
