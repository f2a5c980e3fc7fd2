"""Plans of two engines, the cut that finds them, and the suspects of an upgrade."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf

import pytest
from compared import conv, timed
from factories import layer
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import compare, min_cut
from engine_layer_visualize.comparison.result import Border, Comparison, Plan
from engine_layer_visualize.core.model import Engine, Tensor, Timing
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.reports.compare.blocks import text as terminal

FP16, INT8, SLOW = (
    FIXTURES / "comparison" / f"{name}.log" for name in ("fp16", "int8", "int8-slow")
)
WAYS = st.integers(0, 9).map(float)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(WAYS, WAYS), min_size=1, max_size=7),
    st.dictionaries(
        st.tuples(st.integers(0, 6), st.integers(0, 6)), st.one_of(WAYS, st.just(inf)), max_size=12
    ),
    st.booleans(),
)
def test_the_cut_is_the_best_of_all_choices(
    costs: list[tuple[float, float]], given: dict[tuple[int, int], float], ties: bool
) -> None:
    number = len(costs)
    between = {(a, b): ms for (a, b), ms in given.items() if a != b and a < number and b < number}

    def total(picked: tuple[bool, ...] | list[bool]) -> float:
        alone = sum(cost[second] for cost, second in zip(costs, picked, strict=True))
        return alone + sum(ms for (a, b), ms in between.items() if not picked[a] and picked[b])

    found = min_cut.least(costs, between, ties)
    assert total(found) == min(map(total, product((False, True), repeat=number)))


def planned(a: Engine, b: Engine) -> Comparison:
    return compare(Costs(a), Costs(b), plan=True)


def plan_of(found: Comparison) -> Plan:
    assert found.plan is not None, found.no_plan
    return found.plan


def test_a_module_that_int8_slows_down_is_taken_from_fp16_with_its_borders() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, SLOW))
    found = plan_of(planned(a, b))
    taken = {module.module: module.take for module in found.modules}
    assert taken == {
        "/stem": "b", "/block1/conv1": "b", "/block1/conv2": "b", "/block2/conv1": "b",
        "/block2/conv2": "a", "/head": "a", "/head/fc": "a",
    }  # fmt: skip
    assert found.borders == (
        Border("/block1/conv2", "/block2/conv2", 0.011, ("b", 7)),
        Border("/block2/conv1", "/block2/conv2", 0.011, ("b", 7)),
    )
    # By hand: 49 + 46 + 49 + 46 of B, 88 + 10 + 7 of A, and two reformats of 11.
    assert found.plan_ms == pytest.approx(0.317) and found.borders_ms == pytest.approx(0.022)
    mirrored = plan_of(planned(b, a))
    assert mirrored.plan_ms == pytest.approx(found.plan_ms)


def test_each_timed_layer_is_in_one_module_and_the_plan_is_their_sum() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, INT8))
    found = plan_of(planned(a, b))
    for engine, side in ((a, 0), (b, 1)):
        placed = [i for module in found.modules for i in (module.a, module.b)[side]]
        assert sorted(placed) == [la.index for la in engine.layers]
    taken = sum(module.ms for module in found.modules)
    assert found.plan_ms == pytest.approx(taken + found.borders_ms)
    assert found.plan_ms <= min(sum(la.time.average_ms or 0 for la in e.layers if la.time)
                                for e in (a, b))  # fmt: skip


def test_an_engine_and_itself_have_one_plan_and_no_suspects() -> None:
    engine = elv.read(INT8).engines[0]
    found = elv.compare(engine, engine, plan=True, upgrade=True)
    assert found.suspects == ()
    assert plan_of(found).borders == () and plan_of(found).plan_ms == pytest.approx(0.281)


def two(types: tuple[str, str], ms: tuple[float, float]) -> Engine:
    """Two modules: `/a` and `/b`, each of one type."""
    made = timed(conv(0, "/a/Conv", "x", "y", ms[0]), conv(1, "/b/Conv", "y", "z", ms[1]))
    own = [
        replace(
            la,
            inputs=tuple(retyped(t, type) for t in la.inputs),
            outputs=tuple(retyped(t, type) for t in la.outputs),
        )
        for la, type in zip(made.layers, types, strict=True)
    ]
    return replace(made, layers=tuple(own))


def retyped(tensor: Tensor, type: str) -> Tensor:
    return replace(tensor, dtype=type)


def test_neighbours_stay_together_where_no_reformat_was_measured() -> None:
    a, b = two(("Half", "Half"), (1.0, 3.0)), two(("Int8", "Int8"), (2.0, 1.0))
    found = plan_of(planned(a, b))
    assert {module.take for module in found.modules} == {"b"}
    assert (found.plan_ms, found.borders, found.unknown_borders) == (3.0, (), 1)


def test_neighbours_of_the_same_type_need_no_reformat() -> None:
    a, b = two(("Half", "Half"), (1.0, 3.0)), two(("Half", "Half"), (2.0, 1.0))
    found = plan_of(planned(a, b))
    assert [module.take for module in found.modules] == ["a", "b"]
    assert found.borders == (Border("/a", "/b", 0.0, None),) and found.plan_ms == 2.0


def test_why_there_is_no_plan() -> None:
    a = replace(elv.read(FP16).engines[0], facts=None)
    bare = tuple(replace(la, time=None) for la in a.layers)
    rows = [
        layer(i, f"other {i}", [f"o{i}"], [f"o{i + 1}"], type="Resize", time=Timing(1.0))
        for i in range(9)
    ]
    for b, why in (
        (
            replace(a, tensorrt="10.1.0"),
            "they are of two versions of TensorRT, and a plan is one build",
        ),
        (replace(a, profile=None, layers=bare), "B has no times"),
        (timed(*rows), "they are of two networks"),
    ):
        found = planned(a, b)
        assert found.plan is None and found.no_plan == why


def test_modules_of_one_precision_are_one_row() -> None:
    def page(a: Engine, b: Engine) -> str:
        text = "".join(terminal.render([planned(a, b)], (), ReportOptions(width=200)))
        return " ".join(text.partition("Totals")[0].split())

    a, b = (elv.read(path).engines[0] for path in (FP16, SLOW))
    said = page(a, b)
    assert "Take 4 modules as in B and 1 as in A (/block2/conv2): " in said
    assert "2 modules have the same precision in both." in said
    assert "either 2 modules 17.0 µs 18.0 µs the same the same" in said and "/head" not in said
    assert "Nothing to choose: each module computes in the same precision in both." in page(a, a)


def test_of_two_networks_nothing_is_a_suspect() -> None:
    a = elv.read(FP16).engines[0]
    other = timed(layer(0, "other", ["o"], ["p"], type="Resize", time=Timing(1.0)))
    assert compare(Costs(a), Costs(other), upgrade=True).suspects is None


def test_suspects_are_what_differs_by_operator() -> None:
    a, b = (elv.read(path).engines[0] for path in (FP16, SLOW))
    found = elv.compare(a, b, upgrade=True).suspects
    assert found is not None
    told = [(one.what, one.operators, len(one.a), len(one.b)) for one in found]
    assert told[0] == ("fusion", ("Conv", "Add", "Relu"), 1, 2)
    assert ("kernel", ("Gemm",), 1, 1) in told and ("precision", ("Conv", "Relu"), 3, 3) in told
    assert found[0].onnx_nodes == ("/block2/conv2/Conv", "/block2/Add", "/block2/relu_1/Relu")
    more = [one.more_ms for one in found]
    assert more == sorted(more, reverse=True) and more[0] == pytest.approx(0.036)
