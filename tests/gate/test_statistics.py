"""The numbers behind a verdict: against tables, against repetition, and by their promises."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from math import exp, sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from engine_layer_visualize.comparison import gate_statistics
from engine_layer_visualize.comparison.gate_layers import holm
from engine_layer_visualize.comparison.gate_statistics import of_iterations, warmed_up
from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.snapshot import GateRun
from fuzz import budget
from gate.made_runs import iterations_of, run


def bare(*ms: float) -> list[GateRun]:
    """Runs of which only the time is known."""
    return [GateRun(f"{number}.json", one) for number, one in enumerate(ms)]


@pytest.mark.parametrize(
    ("freedom", "above", "t"),
    [
        (1, 0.025, 12.706), (2, 0.025, 4.303), (3, 0.05, 2.353), (4, 0.025, 2.776),
        (8, 0.025, 2.306), (9, 0.005, 3.250), (30, 0.025, 2.042), (120, 0.025, 1.980),
    ],
)  # fmt: skip
def test_t_is_as_in_the_tables(freedom: int, above: float, t: float) -> None:
    assert gate_statistics.student_quantile(above, freedom) == pytest.approx(t, abs=6e-4)
    assert gate_statistics.student_tail(t, freedom) == pytest.approx(above, rel=2e-3)
    assert gate_statistics.student_tail(-t, freedom) == pytest.approx(1 - above, rel=2e-3)


def test_the_first_tenth_is_cut() -> None:
    found = of_iterations(Iterations("a", array("d", [9.0] * 10 + [1.0] * 45 + [2.0] * 45)))
    assert found.ms == 1.5
    assert of_iterations(Iterations("a", array("d", [3.0]))).ms == 3.0


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.98])
def test_the_error_of_a_median_is_what_repetition_shows(memory: float) -> None:
    """Blocks of single iterations would give a tenth of it, where they remember much."""
    draw = Random(7)
    runs = [run(draw, memory=memory) for _ in range(4)]
    guessed = [stdev(one.off) for one in runs]
    longrun = 0.015 * sqrt((1 + memory) / (1 - memory) / 4500)  # of the mean of AR(1)
    assert 0.7 * longrun < fmean(guessed) < 1.6 * longrun


def test_a_block_is_longer_than_what_is_remembered() -> None:
    draw = Random(1)
    for memory in (0.0, 0.9, 0.98):
        times = warmed_up(iterations_of(draw, memory=memory))
        assert gate_statistics.bootstrap_autocorrelation(times) == pytest.approx(memory, abs=0.03)
        assert gate_statistics.block_length(times) >= max(50, 1 / (1 - memory))
    assert gate_statistics.block_length([1.0] * 3) == 1
    assert gate_statistics.bootstrap_autocorrelation([1.0] * 100) == 0


def test_one_outlier_does_not_hide_the_memory() -> None:
    times = list(warmed_up(iterations_of(Random(1), memory=0.95)))
    times[100] = 1e6
    assert gate_statistics.bootstrap_autocorrelation(times) == pytest.approx(0.95, abs=0.03)


def test_a_run_without_blocks_has_no_known_error() -> None:
    """With blocks as long as the run nothing can be drawn but the run itself."""
    assert gate_statistics.bootstrap_deviations([1.0, 2.0, 3.0] * 2) == ()
    assert gate_statistics.bootstrap_deviations([2.0] * 100) == (0.0,) * 50


def test_the_same_seed_gives_the_same_interval() -> None:
    one, other = run(Random(1)), run(Random(2))
    found = gate_statistics.slowdown_interval([one, other], [other, one])
    assert found is not None and found == gate_statistics.slowdown_interval(
        [one, other], [other, one]
    )
    assert found.low < 0 < found.high


def test_an_interval_is_student_s_where_only_medians_are_known() -> None:
    before, after = [1.0, exp(0.02)], [exp(0.10), exp(0.12)]
    found = gate_statistics.slowdown_interval(bare(*before), bare(*after))
    half = 4.3027 * sqrt((0.0002 + 0.0002) / 2)
    assert found == pytest.approx((exp(0.1 - half) - 1, exp(0.1 + half) - 1), rel=1e-4)
    assert gate_statistics.slowdown_interval(bare(1.0, 1.1), bare(2.0)) is None


def test_sides_mirror() -> None:
    before, after = bare(1.0, 1.1, 1.05), bare(1.2, 1.3)
    there, back = (
        gate_statistics.slowdown_interval(before, after),
        gate_statistics.slowdown_interval(after, before),
    )
    assert there is not None and back is not None
    assert (1 + there.low) * (1 + back.high) == pytest.approx(1)


@pytest.mark.parametrize(
    ("chances", "held"),
    [
        ([], []),
        ([0.01, 0.04, 0.03, 0.005], [True, False, False, True]),  # Holm's own procedure at 5 %
        ([0.05], [True]),
        ([0.05, 0.05], [False, False]),
        ([1.0, 0.0], [False, True]),
    ],
)
def test_holm(chances: list[float], held: list[bool]) -> None:
    assert holm(chances, 0.05) == held


def test_equal_runs_leave_no_doubt() -> None:
    assert gate_statistics.slowdown_chance([1.0, 1.0], [1.2, 1.2], 0.15) == 0.0
    assert gate_statistics.slowdown_chance([1.0, 1.0], [1.1, 1.1], 0.15) == 1.0
    assert gate_statistics.slowdown_chance([1.0, 1.0], [9.0], 0.15) is None


def test_the_time_grows_with_the_runs() -> None:
    def prepared(number: int) -> Callable[[], object]:
        draw = Random(5)
        sides = [[of_iterations(iterations_of(draw)) for _ in range(number)] for _ in range(2)]
        return partial(gate_statistics.slowdown_interval, *sides)

    budget.linear(prepared, 2, 16)


def test_a_long_run_costs_no_more_draws() -> None:
    def prepared(number: int) -> Callable[[], object]:
        return partial(
            gate_statistics.bootstrap_deviations, array("d", [1.0 + at % 7 for at in range(number)])
        )

    budget.linear(prepared, 40_000, 320_000)
