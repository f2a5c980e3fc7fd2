"""A gate passes no engine of which only a part was timed, or read, or timed steadily."""

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from compared import conv, convs, timed
from factories import layer
from paths import CENTERNET, TIMES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import gate_evidence
from engine_layer_visualize.comparison.verdict import of_iterations
from engine_layer_visualize.core import layer_facts, problems, snapshot
from engine_layer_visualize.reading import baseline as snapshot_file
from engine_layer_visualize.reports import gate
from gate.conftest import Gate, Kept
from gate.made_runs import FP16, again, profile, scaled, times_file


@pytest.mark.parametrize(
    ("rows", "code"),
    # 0.56 % of the time are in the last row, 1.85 % of the layers
    [(54, 0), (53, 7), (52, 6), (49, 6), (11, 6)],
)
def test_a_profile_of_a_part(rows: int, code: int, tmp_path: Path, gated: Gate, kept: Kept) -> None:
    cut = profile(tmp_path, "part.json", scaled(1.001, range(rows, 54)))
    words = ["--max_slowdown", "100%"]
    base = kept(CENTERNET, TIMES)
    for baseline in ([base], [CENTERNET, TIMES]):
        said, _ = gated("--baseline", *baseline, CENTERNET, cut, *words, code=code)
        assert (_unfit(rows, "new engine") in said) == (rows < 54)
    base = kept(CENTERNET, cut, code=0 if rows > 27 else 7)
    for baseline in ([base], [CENTERNET, cut]):
        said, _ = gated("--baseline", *baseline, CENTERNET, TIMES, *words, code=code)
        assert (_unfit(rows, "baseline") in said) == (rows < 54)


def _unfit(rows: int, side: str) -> str:
    """A profile of fewer than half of the layers is not used at all."""
    if rows == 53:
        return f"are not timed as a whole in the {side}"
    return f"layers of the {side}" if rows > 27 else "ELV209"


def test_a_log_that_is_cut(tmp_path: Path, gated: Gate) -> None:
    """Its listing ends early, so the rows of the layers after that have none."""
    lines = CENTERNET.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "cut.log").write_text("".join(lines[:40]))
    said, _ = gated("--baseline", CENTERNET, TIMES, tmp_path / "cut.log", TIMES, code=6)
    assert "of its time is in rows of layers of the new engine" in said


def test_a_listing_that_is_said_to_be_cut(tmp_path: Path) -> None:
    whole: Any = elv.read(FP16, facts=True).engines[0]
    new: Any = elv.read(again(FP16, tmp_path), facts=True).engines[0]
    message = "the listing ends at line 31, cut"
    problem = problems.Problem(problems.Place("fp16.log", 31), "ELV114", message)
    half = whole.source._replace(state="cut")
    cut = whole._replace(source=half, problems=(problem,))
    second: Any = whole._replace(problems=(problem,))  # a second listing is, and the first is taken
    assert elv.gate(new, second).exit_code == 0 and elv.compare(whole, second).delta_ms == 0
    for a, b in ((whole, cut), (cut, whole)):
        found = elv.gate(*(new if one is whole else one for one in (a, b)))
        assert found.exit_code == 7
        assert any("cannot be judged (ELV114): the listing ends at" in one for one in found.reasons)
        compared = elv.compare(a, b)
        assert compared.delta_ms is None and compared.speedup is None
        assert compared.unknown.startswith("the listing of ")
    own = gate_evidence.of_engine([Costs(cut)], [])
    text = b"".join(gate.snapshot_written(own)).decode()
    assert snapshot_file.of_text(text, "x").unfit == (("ELV114", message),)
    (tmp_path / "cut.json").write_text(text)
    assert elv.gate(tmp_path / "cut.json", new).exit_code == 7


def test_what_cannot_have_a_time_is_no_layer_too_few() -> None:
    idle = ("Constant", "NoOp", "shape_call", "signal", "TrainStation", "ShapeHostToDevice")
    layers = convs(1.0, 1.0)
    layers += [layer(n, f"idle{n}", [], [f"c{n}"], type=kind) for n, kind in enumerate(idle, 2)]
    engine: Any = timed(*layers)
    assert gate_evidence.coverage_of(Costs(engine)) == snapshot.Coverage(2, 2, 1.0)
    assert elv.gate(engine, engine, max_slowdown=None).exit_code == 0
    untimed = timed(*layers, conv(9, "Conv_9", "t2", "t3", None))
    assert gate_evidence.coverage_of(Costs(untimed)) == snapshot.Coverage(2, 3, 1.0)


def test_the_costliest_layer_may_not_be_the_one_without_a_time() -> None:
    """Of 200 layers one is 0.5 %."""
    layers = convs(*[0.01] * 199)
    whole, part = (timed(*layers, conv(199, "Conv_x", "t199", "y", ms)) for ms in (5.0, None))
    for a, b in ((whole, part), (part, whole)):
        found = elv.gate(a, b, max_slowdown="9900%")
        assert found.exit_code == 6
        assert "are not timed as a whole in " in found.reasons[0] and "`Conv_x`" in found.reasons[0]


def test_the_version_of_a_package_whose_log_prints_none_is_a_condition(tmp_path: Path) -> None:
    engine: Any = elv.read(FP16, facts=True).engines[0]._replace(tensorrt="1.7.1.116")
    engine = engine._replace(facts=engine.facts._replace(tensorrt=None))
    other = engine._replace(tensorrt="1.8.0.1")
    assert gate_evidence.conditions_of(Costs(engine)).tensorrt == "1.7.1.116"
    new: Any = elv.read(again(FP16, tmp_path), facts=True).engines[0]
    new = new._replace(tensorrt="1.7.1.116", facts=new.facts._replace(tensorrt=None))
    assert elv.gate(engine, new).exit_code == 0
    assert "The TensorRT version differs: 1.7.1.116" in " ".join(elv.gate(engine, other).reasons)


# ---- drift -------------------------------------------------------------------------------------


def iterations(folder: Path, name: str, *parts: float) -> str:
    """A file of a run whose parts of equal length take so many ms."""
    ms = (one * (1 + (at * 7 % 11 - 5) / 1000) for one in parts for at in range(1_000))
    return str(times_file(folder, f"{name}.json", ms))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([1.0], [1.0], "pass"),
        ([1.0], [1.0, 1.0, 1.0, 1.12, 1.12], "unsure"),  # a clock that drops
        ([1.0, 1.04, 1.08, 1.12], [1.0, 1.04, 1.08, 1.12], "unsure"),
        ([1.0], [1.0, 1.12, 1.12, 1.12], "unsure"),  # the median alone would fail
        ([1.0], [2.0, 2.24], "fail"),  # beyond what drift may explain
        ([1.0], [1.0, 1.02], "pass"),
    ],
)
def test_a_run_that_drifts_tells_nothing_for_sure(
    before: list[float], after: list[float], verdict: str, tmp_path: Path, gated: Gate, kept: Kept
) -> None:
    a = ["--times", iterations(tmp_path, "a", *before)]
    b = ["--times", iterations(tmp_path, "b", *after, after[-1])]
    words = ["--log_file", FP16, *b, "--unsure", "fail"]
    for baseline in ([FP16, *a], [kept(FP16, *a)]):
        code = 0 if verdict == "pass" else 5
        found = gated.found("--baseline", *baseline, *words, code=code)
        assert found["verdict"] == verdict
        drifts = max(after) > 1.05 * min(after)
        assert any("as where a clock drops" in one for one in found["reasons"]) == drifts


@pytest.mark.parametrize(("second", "verdict"), [(1.01, "pass"), (1.12, "unsure")])
def test_the_halves_of_a_run_are_compared(second: float, verdict: str, tmp_path: Path) -> None:
    before = elv.read(again(FP16, tmp_path), facts=True).engines[0]
    engine = elv.read(FP16, facts=True).engines[0]
    assert engine.facts is not None
    (run,) = engine.facts.runs
    halved = run._replace(performance=run.performance._replace(halves_ms=(1.0, second)))
    other = engine._replace(facts=engine.facts._replace(runs=(halved,)))
    found = elv.gate(before, other)
    assert found.verdict == verdict
    assert any("as where a clock drops" in one for one in found.reasons) == (second > 1.05)


def test_noise_and_short_runs_are_no_drift() -> None:
    def of(times: Sequence[float]) -> float:
        return of_iterations(layer_facts.Iterations("x", array("d", times))).drift

    assert of([1.0] * 50 + [2.0] * 50) == 0  # too short to tell
    assert of([1.0 if n % 20 else 1.33 for n in range(2_000)]) == 0
    assert of([1.0] * 1_000 + [1.5] * 1_000) == pytest.approx(0.5)
    assert of([0.0] * 2_000) == 0
