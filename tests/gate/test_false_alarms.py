"""What the gate promises, over thousands of pairs: no false alarm, and a real slowdown is seen.

Pairs of sides are drawn from a pool of made runs; `pytest -s` prints the figures.
"""

from __future__ import annotations

import sys
from collections import Counter
from math import exp
from random import Random
from typing import Final

import pytest

from engine_layer_visualize.comparison.gate import SideMeasurements, judge
from engine_layer_visualize.comparison.verdict import Limits
from engine_layer_visualize.core.snapshot import GateRun
from gate.made_runs import run

pytestmark = pytest.mark.slow

MEMORIES: Final = (0.0, 0.9, 0.98)
PAIRS: Final = 300  # of each number of runs and each memory: 3,600 in all
LIMITS: Final = Limits(slowdown=0.03)


@pytest.fixture(scope="module", params=MEMORIES, ids=lambda memory: f"memory-{memory}")
def pool(request: pytest.FixtureRequest) -> tuple[float, list[GateRun]]:
    draw = Random(int(request.param * 100))
    return request.param, [run(draw, memory=request.param) for _ in range(24)]


def slower(one: GateRun, by: float) -> GateRun:
    """Its shape in time is the same, so that its resamples are, too."""
    return one._replace(ms=one.ms * (1 + by))


def verdicts(runs: list[GateRun], each: int, by: float, pairs: int = PAIRS) -> Counter[str]:
    draw, found = Random(each), Counter[str]()
    for _ in range(pairs):
        picked = draw.sample(runs, 2 * each)
        new = [slower(one, by) for one in picked[each:]]
        found[
            judge(SideMeasurements("a", picked[:each]), SideMeasurements("b", new), LIMITS).verdict
        ] += 1
    return found


@pytest.mark.parametrize("each", [1, 2, 3, 5])
def test_a_against_a_is_never_slower(pool: tuple[float, list[GateRun]], each: int) -> None:
    memory, runs = pool
    found = verdicts(runs, each, 0.0)
    sys.stdout.write(f"\nA/A, memory {memory}, {each} runs a side: {dict(found)}")
    assert found["fail"] == 0


@pytest.mark.parametrize(("each", "least"), [(1, 0.95), (2, 0.3), (3, 0.95), (5, 0.99)])
def test_five_percent_are_caught(
    pool: tuple[float, list[GateRun]], each: int, least: float
) -> None:
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
        found[
            judge(
                SideMeasurements("a", runs[:each]), SideMeasurements("b", runs[each:]), LIMITS
            ).verdict
        ] += 1
    sys.stdout.write(f"\nA/A, runs 1.1 % apart, {each} runs a side: {dict(found)}")
    assert found["fail"] <= 1


def test_the_clocks_of_one_run_in_five(pool: tuple[float, list[GateRun]]) -> None:
    """A run beside another program is no slower engine: not a fail."""
    _, runs = pool
    draw, found = Random(9), Counter[str]()
    for _ in range(100):
        picked = draw.sample(runs, 10)
        new = [slower(picked[5], 0.4), *picked[6:]]
        found[
            judge(SideMeasurements("a", picked[:5]), SideMeasurements("b", new), LIMITS).verdict
        ] += 1
    assert found["fail"] == 0
