"""Which layers of two engines belong together, and what explains the difference of their times."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from compared import compared, conv, convs, said_of, timed
from factories import engine_of, layer, linked
from hypothesis import given, settings
from hypothesis import strategies as st
from logtext import HEADER, classic, text
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import gate_evidence, sentences
from engine_layer_visualize.comparison.verdict import Limits
from engine_layer_visualize.core.build_info import ListingState
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Engine, Layer

FP16, INT8 = (FIXTURES / "comparison" / name for name in ("fp16.log", "int8.log"))


def test_what_explains_the_difference_of_two_builds() -> None:
    a, b = (elv.read(path, facts=True).engines[0] for path in (FP16, INT8))
    found = elv.compare(a, b)
    assert found.same_network
    assert found.delta_ms == pytest.approx(0.281 - 0.442)
    assert found.speedup == pytest.approx(0.442 / 0.281)
    assert {step.cause: round(step.ms, 4) for step in found.waterfall} == {
        "time": 0,
        "kernel": 0.001,
        "precision": -0.146,
        "fusion": -0.026,
        "reformats": 0.01,
        "overhead": 0,
        "unmatched": 0,
    }
    split = next(group for group in found.groups if group.fusion != "same")
    assert (split.a, split.b, split.a_reformats, split.b_reformats) == ((6,), (6, 8), (), (7,))
    assert split.fusion == "split" and split.changes == ("fusion", "precision", "reformats")
    told = {"allowed precisions", "activation memory", "weights memory"}
    assert {one.what for one in found.builds} == told
    assert repr(found) == (
        "<Comparison: B is 1.57 × faster (442 µs → 281 µs): 5 layers went from Half to Int8 "
        "(−146 µs), 1 group of layers is fused otherwise and in another precision (−26.0 µs), "
        "reformats went from 1 to 2 "
        "(+10.0 µs).>"
    )


WHOLE_LOG = HEADER + text(
    classic("Conv_0", "x", "a"),
    classic("{ForeignNode[MatMul_1...Softmax_4]}", "a", "y", "Myelin"),
)
APART_LOG = HEADER + text(
    classic("Conv_0", "x", "a"),
    classic("MatMul_1", "a", "b", "MatrixMultiply"),
    classic("Add_2", "b", "c", "ElementWise"),
    classic("Mul_3", "c", "d", "ElementWise"),
    classic("Softmax_4", "d", "y", "SoftMax"),
)


def test_what_lies_between_the_ends_of_a_foreign_node_is_inside_of_it() -> None:
    a, b = engine_of(WHOLE_LOG, facts=True), engine_of(APART_LOG, facts=True)
    found = compared(a, b)
    (region,) = (group for group in found.groups if group.a == (1,))
    assert region.b == (1, 2, 3, 4)
    assert (region.confidence, region.fusion) == ("region", "split")
    assert not found.unmatched.a and not found.unmatched.b


def pooled(name: str, reformat_ms: float = 0.003) -> Engine:
    """A pooling, a reformat of this name, a convolution."""
    return timed(
        conv(0, "Conv_1", "x", "a", 0.02),
        conv(1, "MaxPool_3", "a", "p", 0.0025, "CaskPooling"),
        conv(2, f"Reformatting CopyNode for {name}", "p", "r", reformat_ms, "Reformat"),
        conv(3, "Conv_4", "r", "b", 0.02),
        conv(4, "Relu_5", "b", "y", 0.001, "PointWiseV2"),
    )


def test_a_reformat_is_found_again_by_its_tensors_whatever_its_name() -> None:
    """It is named after the layer that reads it, or after the one that writes for it."""
    a, b = pooled("Input Tensor 0 to Conv_4"), pooled("Output Tensor 0 to MaxPool_3")
    for one, other in ((a, b), (b, a)):
        found = compared(one, other)
        assert found.delta_ms == 0 and not found.unmatched.a and not found.unmatched.b
        assert {(group.delta_ms, group.changes) for group in found.groups} == {(0, ())}
        (group,) = [group for group in found.groups if group.a_reformats]
        assert (group.a, group.a_reformats, group.b_reformats) == ((3,), (2,), (2,))
        kept = [gate_evidence.of_engine([Costs(own)], []) for own in (one, other)]
        before, after = (  # of other runs than each other, with equal times
            own._replace(profiles=(own.profiles[0]._replace(digest="", iterations=500),))
            for own in kept
        )
        limits = Limits(layer_slowdown=0, min_layer_ms=0)
        assert gate_evidence.judge_sides(before, after, limits).verdict == "pass"


def test_a_layer_between_two_groups_that_follow_each_other_is_in_the_first() -> None:
    shuffle = layer(1, "Shuffle_2", ["a"], ["b"], type="Shuffle")
    a = timed(conv(0, "Conv_1", "x", "a"), shuffle, conv(2, "Conv_3", "b", "y"))
    b = timed(conv(0, "Conv_1", "x", "c"), conv(1, "Conv_3", "c", "y"))
    for one, other in ((a, b), (b, a)):
        found = compared(one, other)
        assert found.alone == ((), ())
        groups = {group.all for group in found.groups}
        assert groups in ({((0, 1), (0,)), ((2,), (1,))}, {((0,), (0, 1)), ((1,), (2,))})


def test_layers_without_times_have_no_ratios() -> None:
    sides = [timed(*convs(None, kernel=kernel)) for kernel in ("k1", "k2")]
    said = elv.compare(*sides).to("text")
    assert "what changed" in said and "B/A" not in said


def test_idle_layers_of_the_same_tensors_belong_together() -> None:
    """Names of Myelin's layers are others in each build."""
    a, b = (
        timed(
            conv(0, "Conv_1", "x", "y"),
            layer(1, f"__mye{number}_0_myl9_0", ["s"], ["t"], type="shape_call"),
        )
        for number in (622, 711)
    )
    assert compared(a, b).alone == ((), ())


def test_a_shape_call_is_in_a_group_or_without_a_counterpart() -> None:
    call = layer(2, "dummy_shape_call__mye622_0_myl9_0", ["b"], ["c"], type="shape_call")
    own = timed(conv(0, "Conv_1", "x", "a"), conv(1, "Conv_2", "a", "b"), call)
    other = timed(conv(0, "Conv_1", "x", "a"), conv(1, "Conv_2", "a", "b"))
    found = elv.compare(own, other)
    assert found.alone == ((2,), ())
    assert "2 dummy_shape_call__mye622_0_myl9_0" in found.to("text").rpartition("counterpart")[2]
    (group,) = [group for group in elv.compare(own, own).groups if group.a == (2,)]
    assert (group.b, group.cause) == ((2,), "overhead")


# ---- what a comparison says of times: the difference, its causes, and why there is none ----------


def chain(number: int, *more: Layer, first: float | None = 1.0) -> Engine:
    """Layers that take 1 ms each, and more."""
    return timed(*convs(first, *[1.0] * (number - 1)), *more)


def other(type: str) -> Layer:
    return conv(9, "/x/Other_1", "t9", "y", None, type)


UNTIMED = replace(chain(9), profile=None, layers=linked(*chain(9, first=None).layers).layers)
ESTIMATED = replace(
    chain(9),
    profile=None,
    layers=tuple(replace(la, time=None, facts=LayerFacts(build_ms=2.0)) for la in chain(9).layers),
)
WHOLE = chain(4, conv(4, "/m/Conv_8 + /m/Conv_9", "t4", "t5", 10.0))
SPLIT = chain(4, conv(4, "/m/Conv_8", "t4", "u", 5.0), conv(5, "/m/Conv_9", "u", "t5", None))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (UNTIMED, UNTIMED, "neither engine has times of layers"),
        (chain(9), UNTIMED, "B has no times"),
        (chain(9), ESTIMATED, "the times of A are measured, those of B estimated"),
        (
            chain(9),
            chain(9, first=None),
            "1.00 ms of A (11.1 %) are in layers that have no time in B",
        ),
        (WHOLE, SPLIT, "10.0 ms of A (71.4 %) are in layers that have no time in B"),
        (SPLIT, WHOLE, "5.00 ms of A (55.6 %) are in layers that have no time in B"),
        (chain(9), chain(9, other("PluginV2")), "1 layer of B alone has no time"),
        (chain(9, other("Reformat")), chain(9), "1 layer of A alone has no time"),
    ],
)
def test_why_there_is_no_difference(a: Engine, b: Engine, why: str) -> None:
    found = compared(a, b)
    assert found.unknown.startswith(why)
    assert (found.delta_ms, found.speedup, found.waterfall) == (None, None, ())
    assert len(found.groups) >= 5


@pytest.mark.parametrize(("state", "why"), [("cut", "cut"), ("part", "a part of one")])
def test_a_listing_that_is_not_whole_has_no_difference(state: ListingState, why: str) -> None:
    """What is not listed may take any time; it is said once in each report."""
    a = chain(4)
    b = replace(a, source=replace(a.source, state=state))
    for found in (compared(a, b), compared(b, a)):
        assert (found.delta_ms, found.speedup, found.waterfall) == (None, None, ())
        (remark,) = sentences.remarks(found)
        which = "B" if found.b.engine is b else "A"
        unknown = f"the listing of {which} is {why}"
        assert (remark.code, remark.message) == ("ELV704", f"no difference of times: {unknown}")
    shown = elv.compare(a, b)
    assert str(shown).replace("\n", " ").count(f"The listing of B is {why}.") == 1


def test_a_group_without_a_time_in_either_engine_hides_no_difference() -> None:
    """Its layers have other names, as those of another export have; what it may take is told."""

    def engine(name: str, *ms: float) -> Engine:
        return timed(*convs(*ms), conv(len(ms), name, f"t{len(ms)}", "y", None, "TopK"))

    a, b = engine("/head/TopK_7", 1, 2, 3), engine("top_k_12", 1, 4, 3)
    for found, delta in ((compared(a, b), 2), (compared(b, a), -2)):
        assert found.delta_ms == delta == math.fsum(step.ms for step in found.waterfall)
        assert len(found.groups) == 4 and not found.unmatched.a
        said = said_of(found)
        assert "A: 3 of 4 layers timed." in said and "B: 3 of 4 layers timed." in said
    assert "layers timed" not in said_of(compared(chain(4), chain(4)))


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(*[st.floats(1e-6, 10)] * 2, st.integers(0, 3)), min_size=2, max_size=9))
def test_the_causes_sum_to_the_difference_exactly(times: list[tuple[float, float, int]]) -> None:
    kernels = ("fp16", "int8")
    a, b = (
        timed(
            *(
                replace(layer, kernel=kernels[side * each[2] % 2])
                for layer, each in zip(convs(*(each[side] for each in times)), times)
            )
        )
        for side in (0, 1)
    )
    found = compared(a, b)
    assert found.delta_ms is not None and found.a.total and found.b.total
    assert math.fsum(step.ms for step in found.waterfall) == found.delta_ms
    assert math.isclose(found.delta_ms, found.b.total - found.a.total, abs_tol=1e-12)
    assert compared(b, a).delta_ms == -found.delta_ms
