"""Every verdict, every reason, every exit code."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from engine_layer_visualize.comparison import verdict
from engine_layer_visualize.comparison.gate import judge
from engine_layer_visualize.comparison.verdict import GroupTimes, Judgement, Limits, percent
from engine_layer_visualize.core.snapshot import Conditions, GateRun, Snapshot
from engine_layer_visualize.core.words import plain
from fuzz import budget
from gate.made_runs import of_runs

KNOWN = Conditions("10.3.0", "Tern 4000", 1.5, 7.0, "1x3x8x8", "0", "mean", "1")
NOTHING = Limits(slowdown=None)


def side(*ms: float, **more: Any) -> Snapshot:
    runs = [GateRun(f"{number}.json", one, iterations=500) for number, one in enumerate(ms)]
    return of_runs("log", runs, **{"conditions": KNOWN, **more})


def judged(before: Sequence[float], after: Sequence[float], **more: Any) -> Judgement:
    return judge(side(*before), side(*after), Limits(), **more)


def said(judgement: Judgement) -> str:
    return " ".join(map(plain, judgement.reasons))


def test_slower_beyond_doubt_fails() -> None:
    found = judged([1.0, 1.001, 0.999], [1.1, 1.101, 1.099])
    assert found.verdict == "fail"
    assert "takes 10.0 % more time than the baseline (1.00 ms → 1.10 ms)" in said(found)
    assert "the limit is 3 %. With 95 % confidence the change lies "
    assert "between +9.8 % and +10.2 %." in said(found)
    assert found.total.slowdown == pytest.approx(0.1)
    assert found.total.runs == (3, 3)


def test_as_fast_passes() -> None:
    found = judged([1.0, 1.001, 0.999], [0.95, 0.951, 0.949])
    assert found.verdict == "pass"
    assert "takes 5.0 % less time" in said(found)
    assert "no more time" in said(judged([1.0] * 3, [1.0] * 3))


def test_runs_that_lie_apart_tell_nothing() -> None:
    found = judged([1.0, 1.1, 0.9], [1.1, 1.2, 1.0])
    assert found.verdict == "unsure"
    assert "it may be over the limit of 3 % or not" in said(found)
    assert "More runs" in said(found)


@pytest.mark.parametrize(("ms", "verdict"), [(1.04, "fail"), (1.02, "pass")])
def test_one_run_a_side_is_judged_by_the_limit_alone(ms: float, verdict: str) -> None:
    found = judged([1.0], [ms])
    assert (found.verdict, found.total.interval) == (verdict, None)
    assert "With 1 run each the noise is unknown: the limit alone decides." in said(found)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("tensorrt", "10.4.0", "TensorRT version differs: 10.3.0 in the baseline, 10.4.0"),
        ("device", "Tern 5000", "device differs: Tern 4000"),
        ("compute_clock_ghz", 1.6, "compute clock differs: 1.5 GHz"),
        ("memory_clock_ghz", 7.5, "memory clock differs"),
        ("batch", "8x3x8x8", "shape of the inputs differs"),
        ("optimization_profile", "1", "optimisation profile differs: 0 in the baseline, 1"),
        ("statistic", "median", "time of a layer differs: mean in the baseline, median"),
        ("streams", "4", "number of streams differs: 1 in the baseline, 4"),
    ],
)
def test_another_condition_is_not_comparable(field: str, value: object, words: str) -> None:
    """Twice as slow, and not called slower."""
    other = KNOWN._replace(**{field: value})  # type: ignore[arg-type]
    groups = [GroupTimes(("conv",), (1.0,), (2.0,))]
    found = judge(side(1.0), side(2.0, conditions=other), Limits(), measured=groups)
    assert found.verdict == "not comparable"
    assert words in said(found)
    assert "more time" not in said(found)
    assert found.groups == ()


def half_known(unknown: int, ms: float, **lacking: None) -> Judgement:
    """Of three runs a side; one side lacks a condition."""
    known = [KNOWN, KNOWN]
    known[unknown] = KNOWN._replace(**lacking)
    before, after = (side(*[each] * 3, conditions=own) for each, own in zip((1.0, ms), known))
    return judge(before, after, Limits(), measured=[GroupTimes(("conv",), (1.0,), (ms,))])


@pytest.mark.parametrize(("unknown", "which"), [(0, "the baseline"), (1, "the new engine")])
def test_a_condition_that_one_side_alone_tells_is_not_green(unknown: int, which: str) -> None:
    """Nor is a run of unknown samples called slower."""
    found = half_known(unknown, 1.0, device=None)
    assert found.verdict == "unsure"
    assert f"The device of {which} is not known: give --device NAME." in said(found)
    slower = half_known(unknown, 2.0, device=None)
    assert slower.verdict == "fail" and "100.0 % more time" in said(slower)
    found = half_known(unknown, 2.0, batch=None)
    assert found.verdict == "unsure"
    assert f"The shape of the inputs of {which} is not known" in said(found)
    assert "more time" not in said(found)
    assert found.groups == ()
    before, after = (side(ms, conditions=KNOWN._replace(batch=None)) for ms in (1.0, 2.0))
    assert judge(before, after, Limits()).verdict == "fail"


def test_what_needs_no_times_fails_where_times_are_not_comparable() -> None:
    """Else a job that lets `not comparable` pass lets it pass, too."""
    other = KNOWN._replace(device="Tern 5000")
    limits = Limits(memory=0.05)
    before = side(1.0, memory=100)
    after = side(2.0, conditions=other, memory=200)
    found = judge(before, after, limits)
    assert (found.verdict, verdict.exit_code(found.verdict)) == ("fail", 5)
    assert not found.comparable and "more time" not in said(found)
    assert judge(before, after, limits, other="Of two.").verdict == "not comparable"
    found = judge(before, side(2.0, conditions=other, memory=100), limits)
    assert found.verdict == "not comparable"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([], [1.0], "the baseline has no measured time"),
        ([1.0], [], "the new engine has no measured time"),
        ([0.0], [0.0], "the baseline has a run of 0 µs and the new engine has a run of 0 µs"),
        ([1.0], [1.0, 0.0], "judged: the new engine has a run of 0 µs"),
        ([1.0], [1e-7], "judged: the new engine has a run of 0.10 ns"),
        ([1.0], [1e308], "judged: the new engine has a run of "),
    ],
)
def test_no_time_does_not_pass(before: list[float], after: list[float], words: str) -> None:
    found = judged(before, after)
    verdict = "unsure" if before and after else "not comparable"
    assert (found.verdict, found.total.slowdown) == (verdict, None)
    assert words in said(found)


# ---- layers ------------------------------------------------------------------------------------


def by_layer(*measured: GroupTimes) -> Judgement:
    return judge(side(1.0), side(1.0), Limits(), measured=measured)


def test_what_costs_the_most_stands_first() -> None:
    found = by_layer(
        GroupTimes(("calm",), (0.5, 0.5, 0.501), (0.5, 0.502, 0.5)),
        GroupTimes(("slow", "slow/relu"), (0.1, 0.1001, 0.0999), (0.2, 0.2001, 0.1999)),
        GroupTimes(("small",), (0.001, 0.001, 0.001), (0.01, 0.01, 0.01)),
        GroupTimes(("new",), (), (0.3, 0.3, 0.3)),
    )
    assert [group.layers[0] for group in found.groups] == ["slow", "small", "calm"]
    assert found.groups[0].slowdown == pytest.approx(1.0)
    assert found.groups[0].ms == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("before", "after"),
    [([0.0], [0.4]), ([0.0, 0.0, 0.0], [0.4, 0.4, 0.4]), ([0.0, 0.0, 0.3], [0.2, 0.2, 0.2]),
     ([0.4], [0.0])],
)  # fmt: skip
def test_0_ms_is_a_time(before: list[float], after: list[float]) -> None:
    (group,) = by_layer(GroupTimes(("a",), tuple(before), tuple(after))).groups
    assert (group.slowdown is None) == (not any(before))
    assert by_layer(GroupTimes(("a",), (0.0,), (0.0,))).groups == ()


@pytest.mark.slow
def test_the_time_grows_with_the_groups() -> None:
    def prepared(number: int) -> Callable[[], object]:
        groups = (GroupTimes((f"l{n}",), (1.0, 1.1, 1.2), (1.0, 1.2, 1.3)) for n in range(number))
        return partial(by_layer, *groups)

    budget.linear(prepared, 2_500, 20_000)


# ---- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (1000, 1040, "pass"), (1000, 900, "pass"), (1000, 1060, "fail"), (0, 0, "pass"),
        (0, 1, "fail"), (None, 1, "unsure"), (1, None, "unsure"),
    ],
)  # fmt: skip
def test_memory(before: int | None, after: int | None, verdict: str) -> None:
    limits = NOTHING._replace(memory=0.05)
    found = judge(side(memory=before), side(memory=after), limits)
    assert found.verdict == verdict
    assert "memory" in said(found)


# ---- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "value"), [("3 %", 0.03), ("0.03", 0.03), (".5", 0.5)])
def test_a_fraction(text: str, value: float) -> None:
    assert verdict.fraction(text) == pytest.approx(value)


def test_a_number_beside_the_limit_reads_as_another() -> None:
    assert percent(0.03004, 0.03) == "3.004 %"
    assert percent(0.052, 0.03) == "5.2 %"
    assert percent(0.03, 0.03) == "3.0 %"
    assert percent(-1e-9) == "0.0 %"
    assert [*map(verdict.allowed, (0.03, 0.005, 0))] == ["3 %", "0.5 %", "0 %"]
