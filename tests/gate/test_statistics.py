"""The numbers behind a verdict: against tables, against repetition, and by their promises."""

import sys
from array import array
from collections import Counter
from collections.abc import Callable
from functools import partial
from math import exp, sqrt
from random import Random
from typing import Final

import pytest

from engine_layer_visualize.comparison.gate import judge
from engine_layer_visualize.comparison.verdict import (
    Limits,
    of_iterations,
    slowdown_interval,
    student_quantile,
)
from engine_layer_visualize.core.layer_facts import Iterations
from engine_layer_visualize.core.snapshot import GateRun
from fuzz import budget
from gate.made_runs import of_runs, run


@pytest.mark.parametrize(
    ("freedom", "t"),
    [
        (1, 12.706), (2, 4.303), (4, 2.776), (8, 2.306), (20, 2.086), (21, 2.0796), (30, 2.042),
        (120, 1.980),
    ],
)  # fmt: skip
def test_t_is_as_in_the_tables(freedom: int, t: float) -> None:
    assert student_quantile(freedom) == pytest.approx(t, abs=6e-4)


def test_the_first_tenth_is_cut() -> None:
    found = of_iterations(Iterations("a", array("d", [9.0] * 10 + [1.0] * 45 + [2.0] * 45)))
    assert found.ms == 1.5
    assert of_iterations(Iterations("a", array("d", [3.0]))).ms == 3.0


def test_an_interval_is_student_s() -> None:
    before, after = [1.0, exp(0.02)], [exp(0.10), exp(0.12)]
    found = slowdown_interval(before, after)
    half = 4.3027 * sqrt((0.0002 + 0.0002) / 2)
    assert found == pytest.approx((exp(0.1 - half) - 1, exp(0.1 + half) - 1), rel=1e-4)
    assert slowdown_interval([1.0, 1.1], [2.0]) is None

    back = slowdown_interval(after, before)
    assert found is not None and back is not None
    assert (1 + found.low) * (1 + back.high) == pytest.approx(1)
    assert slowdown_interval([1.0, 1.0], [1.2, 1.2]) == pytest.approx((0.2, 0.2))


def test_the_time_grows_with_the_runs() -> None:
    def prepared(number: int) -> Callable[[], object]:
        draw = Random(5)
        sides = [[draw.uniform(1.0, 1.1) for _ in range(number)] for _ in range(2)]
        return partial(slowdown_interval, *sides)

    budget.linear(prepared, 500, 4_000)


# ---- over thousands of pairs: no false alarm, and a real slowdown is seen; `-s` prints the figures


PAIRS: Final = 300  # of each number of runs and each memory: 3,600 in all
LIMITS: Final = Limits(slowdown=0.03)


@pytest.fixture(scope="module", params=(0.0, 0.9, 0.98), ids=lambda memory: f"memory-{memory}")
def pool(request: pytest.FixtureRequest) -> tuple[float, list[GateRun]]:
    draw = Random(int(request.param * 100))
    return request.param, [run(draw, memory=request.param) for _ in range(24)]


def verdict(before: list[GateRun], after: list[GateRun]) -> str:
    return judge(of_runs("a", before), of_runs("b", after), LIMITS).verdict


def verdicts(runs: list[GateRun], each: int, by: float, slow: int = 9) -> Counter[str]:
    """Of pairs of so many runs a side; the first `slow` of the second side take longer."""
    draw, found = Random(each), Counter[str]()
    for _ in range(PAIRS):
        picked = draw.sample(runs, 2 * each)
        new = picked[each:]
        new[:slow] = [one._replace(ms=one.ms * (1 + by)) for one in new[:slow]]
        found[verdict(picked[:each], new)] += 1
    return found


@pytest.mark.parametrize("each", [1, 2, 3, 5])
def test_a_against_a_is_never_slower(pool: tuple[float, list[GateRun]], each: int) -> None:
    memory, runs = pool
    found = verdicts(runs, each, 0.0)
    sys.stdout.write(f"\nA/A, memory {memory}, {each} runs a side: {dict(found)}")
    assert found["fail"] == 0


@pytest.mark.parametrize(("each", "least"), [(1, 0.95), (2, 0.3), (3, 0.95), (5, 0.99)])
def test_a_twentieth_is_caught(pool: tuple[float, list[GateRun]], each: int, least: float) -> None:
    """With two runs a side often not told: two numbers say little about a spread."""
    memory, runs = pool
    found = verdicts(runs, each, 0.05)
    sys.stdout.write(f"\n+5 %, memory {memory}, {each} runs a side: {dict(found)}")
    assert found["fail"] >= least * PAIRS
    assert found["pass"] <= 0.01 * PAIRS


def test_an_interval_holds_the_truth_as_often_as_it_says(pool: tuple[float, list[GateRun]]) -> None:
    """Its limit is the truth, so that a fail and a pass are both wrong."""
    memory, runs = pool
    found = verdicts(runs, 3, 0.03)
    sys.stdout.write(f"\n+3 % at a limit of 3 %, memory {memory}, 3 runs a side: {dict(found)}")
    assert found["fail"] <= 0.05 * PAIRS


@pytest.mark.parametrize("each", [2, 3, 5])
def test_a_machine_whose_runs_lie_far_apart_cries_no_wolf(each: int) -> None:
    """Each run is off by 1.1 %, the most that public files show."""
    draw, found = Random(each), Counter[str]()
    for _ in range(2_000):
        runs = [GateRun("", exp(draw.gauss(0, 0.011))) for _ in range(2 * each)]
        found[verdict(runs[:each], runs[each:])] += 1
    sys.stdout.write(f"\nA/A, runs 1.1 % apart, {each} runs a side: {dict(found)}")
    assert found["fail"] <= 1


def test_the_clocks_of_one_run_in_five(pool: tuple[float, list[GateRun]]) -> None:
    """A run beside another program is no slower engine: not a fail."""
    assert verdicts(pool[1], 5, 0.4, slow=1)["fail"] == 0
