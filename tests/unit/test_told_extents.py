"""Work of layers whose extents the listing leaves open, at the shapes that the log tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from logtext import TV, file_of, text
from paths import FIXTURES

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import read
from engine_layer_visualize.commands.cli import main

BUILT = "[I] Input build shape: sea=1x3x8x8+4x3x8x8+16x3x8x8"
RAN = "[I] Input inference shape: sea=4x3x8x8"
# Up to 8.4 a number stands for an extent, -6 for the product of two; later -1 stands for each.
NUMBERED = (
    "Layer(Shuffle): flat, Tactic: 0, sea[Float(-2,3,8,8)] -> row[Float(-6,8)]",
    "Layer(MatrixMultiply): mm, Tactic: 0, row[Float(-6,8)], held[Float(8,5)] -> out[Float(-6,5)]",
)
UNNUMBERED = (
    "Layer(Pooling): pool, Tactic: 0x1, sea (Float[-1,3,8,8]) -> small (Float[-1,3,4,4])",
    "Layer(PointWiseV2): PWN(a), Tactic: 0x1, small (Float[-1,3,4,4]), c (Float[1,3,1,1]) -> "
    "sum (Float[-1,3,4,4])",
    "Layer(NoOp): flat, Tactic: 0x0, sum (Float[-1,3,4,4]) -> row (Float[-1,6,8])",
    "Layer(MatrixMultiply): mm, Tactic: 0x1, row (Float[-1,6,8]), h (Float[1,8,5]) -> "
    "o (Float[-1,6,5])",
)


def engine(folder: Path, records: tuple[str, ...], *options: str, timed: bool = True) -> Engine:
    """An engine whose last layer the builder timed."""
    chosen = (
        f"{TV}--------------- Timing Runner: mm (MatrixMultiply)",
        f"{TV}Tactic: 0 Time: 0.5",
        f"{TV}Fastest Tactic: 0 Time: 0.5",
        f"{TV}>>>>>>>>>>>>>>> Chose Runner Type: MatrixMultiply Tactic: 0",
    )
    build = [one for one in options if "build" in one]
    run = [one for one in options if "build" not in one]
    log = text(
        "[I] === Build Options ===", *build, "[I] === Inference Options ===", *run,
        f"{TV}Adding network input: sea with dtype: float32, dimensions: (-1, 3, 8, 8)",
        f"{TV}Adding network input: lake with dtype: float32, dimensions: (-1, 8)",
        *(chosen if timed else ()),
        f"{TV}Engine Layer Information:", *records,
    )  # fmt: skip
    (found,) = read(file_of(folder, log), facts=True).engines
    return found


@pytest.mark.parametrize(
    ("records", "macs"),
    [
        (NUMBERED, 4 * 3 * 8 * 8 * 5),  # 4·3·8 rows of 8, times 8×5
        (UNNUMBERED, 4 * 6 * 8 * 5),
    ],
)
def test_the_shapes_of_the_log_give_the_work(
    records: tuple[str, ...], macs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = engine(tmp_path, records, BUILT, RAN).work
    assert (work.macs, work.of_times) == (macs, True)
    assert [(one.name, one.shape) for one in work.at] == [("sea", (4, 3, 8, 8))]
    assert None not in [one.bytes for one in work.layers.values()]
    main(["summary", str(tmp_path / "build.log"), "--sections", "work"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"{macs:,} MACs. " in said
    assert "these numbers are for `sea` 4×3×8×8." in said


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("[I] Input inference shapes: model",),
        ("[I] Input inference shape: lake=4x3x8x8",),  # another network's
        ("[I] Input inference shape: sea=4x3x9x9",),
        (RAN, "[I] Input inference shape: sea=8x3x8x8"),
    ],
)
def test_without_certain_shapes_nothing_is_known(options: tuple[str, ...], tmp_path: Path) -> None:
    found = engine(tmp_path, NUMBERED, *options, timed=False)
    assert (found.work.macs, found.work.at) == (None, ())
    assert found.work.of(found.layers[1]).unknown == "an extent is symbolic or unknown"


@pytest.mark.parametrize("run", [RAN, "[I] Input inference shape: sea=16x3x8x8"])
def test_estimates_are_of_the_shapes_of_the_build(run: str, tmp_path: Path) -> None:
    work = engine(tmp_path, NUMBERED, BUILT, run).work
    assert [one.shape for one in work.at] == [(4, 3, 8, 8)]


def test_a_run_says_nothing_of_the_shapes_that_the_builder_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = engine(tmp_path, NUMBERED, RAN)
    work = found.work
    assert (work.macs, work.of_times) == (4 * 3 * 8 * 8 * 5, False)
    assert all(one.bound_ms is None and one.efficiency is None for one in work.layers.values())
    assert work.timed(found.layers[1]).macs is None
    main(["summary", str(tmp_path / "build.log"), "--sections", "work"])
    said = " ".join(capsys.readouterr().out.split())
    assert "`sea` 4×3×8×8, as in a run." in said


def test_a_whole_log(capsys: pytest.CaptureFixture[str]) -> None:
    log = FIXTURES / "facts" / "8.4-dynamic-batch.log"
    (engine,) = read(log, facts=True).engines
    work = engine.work
    product = work.of(engine.layers[2])
    assert (work.macs, product.bytes) == (96 * 8 * 5, 4 * (96 * 8 + 8 * 5 + 96 * 5))
    main(["compare", str(log), str(log)])
    assert "3.84 k at 4×3×8×8  3.84 k at 4×3×8×8" in capsys.readouterr().out


def test_a_number_with_two_values_tells_nothing(tmp_path: Path) -> None:
    lake = "Layer(NoOp): one, Tactic: 0, lake[Float(-2,8)] -> row[Float(-2,8)]"
    options = ("[I] Input inference shape: lake=8x8", RAN)
    assert engine(tmp_path, (lake, *NUMBERED), *options, timed=False).work.at == ()
