"""Which layers of two engines belong together, and what explains the difference of their times."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import edited_engines as edited
import pytest
from compared import compared, conv, pairs, timed
from factories import engine_of, layer, linked
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import gate_evidence, sequences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.gate_evidence import GateSide
from engine_layer_visualize.comparison.side import EngineSide, keys_of
from engine_layer_visualize.comparison.verdict import Limits
from engine_layer_visualize.core.model import Engine, Layer, Timing

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
    assert {one.what for one in found.builds} == {
        "allowed precisions", "activation memory", "weights memory"
    }  # fmt: skip
    assert repr(found) == (
        "<Comparison: B is 1.57 × faster (442 µs → 281 µs): 5 layers went from Half to Int8 "
        "(−146 µs), 1 group of layers is fused otherwise and in another precision (−26.0 µs), "
        "reformats went from 1 to 2 "
        "(+10.0 µs).>"
    )


def test_wrong_words_are_named() -> None:
    a, b = (elv.read(path, facts=True).engines[0] for path in (FP16, INT8))
    with pytest.raises(ValueError, match="no match 'nmaes'; did you mean names"):
        elv.compare(a, b, match="nmaes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no format 'cvs'"):
        elv.compare(a, b).to("cvs")
    with pytest.raises(TypeError, match="an Engine is wanted, not Build"):
        elv.compare(a, elv.read(FP16))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "nodes", "weights"),
    [
        ("Conv_0 + Relu_1", {"Conv_0", "Relu_1"}, set()),
        ("a.weight + Q_3_quantize_scale_node + Conv_9", {"Q_3", "Conv_9"}, {"a.weight"}),
        ("reshape_after_/fc/Gemm", {"/fc/Gemm"}, set()),
        ("/Flatten + reshape_before_/fc/Gemm", {"/Flatten"}, set()),
        ("Conv_1 [profile 1]", {"Conv_1"}, set()),
        ("/m/conv/Conv_myl3_12", {"/m/conv/Conv"}, set()),
        ("__myl_MulAdd_myl0_4", set(), set()),
        ("MatMul + b3/read:0 + add_2", {"MatMul", "add_2"}, {"b3/read:0"}),
        ("{ForeignNode[gemm1.weight...ONNXTRT_castHelper_9]}", set(), {"gemm1.weight"}),
    ],
)
def test_keys_of_a_name(name: str, nodes: set[str], weights: set[str]) -> None:
    found = keys_of(layer(0, name, ["x"], ["y"]))
    assert (set(found.nodes), set(found.weights)) == (nodes, weights)


def test_what_myelin_folds_is_found_where_it_is_unique() -> None:
    a = timed(conv(0, "m.0/conv/Conv", "x", "y"), conv(1, "m.1/relu", "y", "z"))
    b = timed(conv(0, "m_0_conv_Conv", "x", "y"), conv(1, "m.1/relu", "y", "z"))
    assert pairs(compared(a, b)) == {
        "m.0/conv/Conv": ["m_0_conv_Conv"],
        "m.1/relu": ["m.1/relu"],
    }


def test_weights_find_layers_whose_nodes_have_other_names() -> None:
    names = [f"layer{n}.conv.weight" for n in range(6)]
    a = timed(*(conv(n, f"{w} + Conv_{n}", f"t{n}", f"t{n + 1}") for n, w in enumerate(names)))
    b = timed(*(conv(n, f"{w} + Node_{n}", f"t{n}", f"t{n + 1}") for n, w in enumerate(names)))
    found = compared(a, b)
    assert {group.confidence for group in found.groups} == {"weights"}
    assert all(group.a == group.b for group in found.groups)


def test_a_name_that_many_layers_bear_joins_none() -> None:
    def shared(more: str, type: str) -> Engine:
        names = (f"Conv_{n}{more} + Shared" for n in range(6))
        return timed(*(conv(n, w, f"t{n}", f"t{n + 1}", 1, type) for n, w in enumerate(names)))

    found = compared(shared("", "CaskConvolution"), shared(" + Relu", "kgen"))
    assert [(group.a, group.b) for group in found.groups] == [((n,), (n,)) for n in range(6)]


def test_layers_of_the_same_nodes_pair_at_other_shapes() -> None:
    """A node that both layers name does not make one group of them."""

    def engine(weights: bool, extent: int) -> Engine:
        names = [f"{f'{w}.weight + ' * weights}Conv_{n} + Shared" for n, w in enumerate("ab")]
        records = (
            f"Layer(CaskConvolution): {name}, Tactic: 0x1, t{n} (Float[1,8,{extent},4]) -> "
            f"t{n + 1} (Float[1,8,{extent},4])\n"
            for n, name in enumerate(names)
        )
        return engine_of(_HEAD + "".join(records), facts=True)

    found = compared(engine(True, 4), engine(False, 16))
    assert [(one.a, one.b, one.fusion) for one in found.groups] == [
        ((n,), (n,), "same") for n in range(2)
    ]


_HEAD = "[V] [TRT] Engine Layer Information:\n"
_WHOLE = (
    _HEAD
    + "Layer(CaskConvolution): Conv_0, Tactic: 0x1, x (Float[1,8,4,4]) -> a (Float[1,8,4,4])\n"
    "Layer(Myelin): {ForeignNode[MatMul_1...Softmax_4]}, Tactic: 0x0, a (Float[1,8,4,4]) -> "
    "y (Float[1,8,4,4])\n"
)
_APART = (
    _HEAD
    + "Layer(CaskConvolution): Conv_0, Tactic: 0x1, x (Float[1,8,4,4]) -> a (Float[1,8,4,4])\n"
    "Layer(MatrixMultiply): MatMul_1, Tactic: 0x1, a (Float[1,8,4,4]) -> b (Float[1,8,4,4])\n"
    "Layer(ElementWise): Add_2, Tactic: 0x1, b (Float[1,8,4,4]) -> c (Float[1,8,4,4])\n"
    "Layer(ElementWise): Mul_3, Tactic: 0x1, c (Float[1,8,4,4]) -> d (Float[1,8,4,4])\n"
    "Layer(SoftMax): Softmax_4, Tactic: 0x1, d (Float[1,8,4,4]) -> y (Float[1,8,4,4])\n"
)


def test_what_lies_between_the_ends_of_a_foreign_node_is_inside_of_it() -> None:
    a, b = engine_of(_WHOLE, facts=True), engine_of(_APART, facts=True)
    found = compared(a, b)
    (region,) = (group for group in found.groups if group.a == (1,))
    assert region.b == (1, 2, 3, 4)
    assert (region.confidence, region.fusion) == ("region", "split")
    assert not found.unmatched.a and not found.unmatched.b
    assert pairs(compare(Costs(a), Costs(b), min_confidence="names")) == {"Conv_0": ["Conv_0"]}


def test_an_engine_with_whole_layers_of_myelin_and_kernels_matches_itself() -> None:
    """The kernels are not taken for parts of the whole one, though both have its number."""
    a = timed(
        conv(0, "Conv_7_myl2_2", "x", "a", type="Shuffle"),
        conv(1, "Conv_3_myl2_0", "y", "b", type="Myelin"),
    )
    found = compare(Costs(a), Costs(a), "structure")
    assert [(group.a, group.b) for group in found.groups] == [((0,), (0,)), ((1,), (1,))]


def score(a: int, b: int) -> float:
    return 5.0 if a == b else -2.0


@pytest.mark.slow
@settings(deadline=None)
@given(st.sets(st.integers(0, 2_999), max_size=20), st.integers(1, 7))
def test_long_sequences_are_aligned_by_runs(gone: set[int], period: int) -> None:
    words = [at % period + (at % 50 == 0) * 10 for at in range(3_000)]
    rest = [word for at, word in enumerate(words) if at not in gone]
    found = sequences.aligned(words, rest, score)
    assert found == sorted(found)
    assert len(found) == len(rest)
    assert all(words[i] == rest[j] for i, j in found)


def convolving(batch: int) -> elv.Engine:
    """A residual network whose records tell the weights of each convolution."""
    engine, _ = edited.engine(edited.fused(edited.residual(2, 2)), names=False, batch=batch)
    return replace(engine, layers=tuple(map(_weighed, engine.layers)))


def _weighed(layer: Layer) -> Layer:
    told: dict[str, Any] = dict(layer.attributes)
    if "Weights" not in told:
        return replace(layer, attributes=())
    before, after = layer.inputs[0].shape[1], layer.outputs[0].shape[1]
    told["Weights"] = {"Type": "Half", "Count": before * after * told["Kernel"][0] ** 2}
    del told["Metadata"]
    return replace(layer, attributes=(*told.items(), ("OutMaps", after)))


def test_a_match_by_structure_is_confirmed_by_equal_macs() -> None:
    a, b = convolving(1), convolving(2)
    for other, equal in ((a, True), (b, False)):
        found = compare(Costs(a), Costs(other), "structure")
        own = [group.why for group in found.groups if a.layers[group.a[0]].attributes]
        assert len(own) == 12
        assert {group.confidence for group in found.groups} == {"structure"}
        assert all(("; confirmed by MACs (" in why) == equal for why in own)
    assert not any("MACs" in group.why for group in compared(a, a).groups)  # by names


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
        kept = [
            gate_evidence.of_engine([Costs(own)], [], findings=False).snapshot
            for own in (one, other)
        ]
        before, after = (  # of other runs than each other, with equal times
            GateSide(own._replace(profiles=(own.profiles[0]._replace(digest="", iterations=500),)))
            for own in kept
        )
        limits = Limits(layer_slowdown=0, min_layer_ms=0)
        assert gate_evidence.judge_sides(before, after, limits).verdict == "pass"


@pytest.mark.parametrize("match", ["auto", "names", "structure"])
@pytest.mark.parametrize("type", ["Reformat", "NoOp", "Slice", "Shuffle"])
def test_slices_of_constants_match_themselves(type: str, match: Any) -> None:
    """They read and serve nothing that computes."""
    slices = [
        layer(n + 2, f"Slice_{n}", [f"c{n % 2}"], [f"out{n}"], type=type, time=Timing(0.001))
        for n in range(4)
    ]
    constants = [layer(n, f"const{n}", [], [f"c{n}"], type="Constant") for n in (0, 1)]
    engine = timed(*constants, *slices, conv(6, "Conv_9", "x", "y"))
    found = compare(Costs(engine), Costs(engine), match)
    assert not found.unmatched.a and not found.unmatched.b
    assert found.delta_ms == 0 and len(found.groups) == 5
    assert all(group.a == group.b and len(group.a) == 1 for group in found.groups)


@pytest.mark.parametrize(
    ("type", "operator"),
    [
        ("CaskConvolution", "convolution"),
        ("FusedConvActConvolution", "convolution"),
        ("correlation", "convolution"),
        ("CaskPooling", "pooling"),
        ("PoolingTiled", "pooling"),
        ("maxpool", "pooling"),
        ("PointWiseV2", "pointwise"),
        ("ElementWise", "pointwise"),
        ("CaskSoftMaxV2", "softmax"),
        ("CudaSoftMax", "softmax"),
        ("gemm", "product"),
    ],
)
def test_operators_do_not_depend_on_the_implementation(type: str, operator: str) -> None:
    side = EngineSide(Costs(linked(layer(0, "a", ["x"], ["y"], type=type))))
    assert side.work[0].operator == operator
