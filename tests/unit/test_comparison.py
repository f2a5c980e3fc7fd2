"""Which layers of two engines belong together, what explains their difference, and its ratios."""

import json
import math
from pathlib import Path

import pytest
from compared import compared, conv, convs, pairs, said_of, timed
from factories import engine_of, layer, linked, tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from logtext import HEADER, classic, exported, file_of, listing_of, text
from paths import FIXTURES
from program import Printed

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import gate_evidence, result, sentences, verdict
from engine_layer_visualize.core.build_info import IO, Device, EngineFacts, ListingState, Option
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Timing

FP16, INT8 = (FIXTURES / "comparison" / name for name in ("fp16.log", "int8.log"))


def test_what_explains_the_difference_of_two_builds() -> None:
    a, b = (elv.read(path, facts=True).engines[0] for path in (FP16, INT8))
    found = elv.compare(a, b)
    assert found.same_network
    assert found.delta_ms == pytest.approx(0.281 - 0.442)
    assert found.speedup == pytest.approx(0.442 / 0.281)
    causes = {"time": 0, "kernel": 0.001, "precision": -0.146, "fusion": -0.026}
    causes |= {"reformats": 0.01, "overhead": 0, "unmatched": 0}
    assert {step.cause: round(step.ms, 4) for step in found.waterfall} == causes
    split = next(group for group in found.groups if "fusion" in group.changes)
    assert (split.a, split.b, split.a_reformats, split.b_reformats) == ((6,), (6, 8), (), (7,))
    assert split.changes == ("fusion", "precision", "reformats")
    told = {"allowed precisions", "activation memory", "weights memory"}
    assert {one.what for one in found.builds} == told
    assert repr(found) == (
        "<Comparison: B is 1.57 × faster (442 µs → 281 µs): 5 layers went from Half to Int8 "
        "(−146 µs), 1 group of layers is fused otherwise and in another precision (−26.0 µs), "
        "reformats went from 1 to 2 "
        "(+10.0 µs).>"
    )


NODE = classic("{ForeignNode[MatMul_1...Softmax_4]}", "a", "y", "Myelin")
WHOLE_LOG = HEADER + text(classic("Conv_0", "x", "a"), NODE)
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
    assert (region.confidence, region.cause) == ("region", "fusion")
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
        limits = verdict.Limits(slowdown=0)
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

    def engine(number: int) -> Engine:
        call = layer(1, f"__mye{number}_0_myl9_0", ["s"], ["t"], type="shape_call")
        return timed(conv(0, "Conv_1", "x", "y"), call)

    a, b = engine(622), engine(711)
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


UNTIMED = chain(9)._replace(profile=None, layers=linked(*chain(9, first=None).layers).layers)
GUESSED = [la._replace(time=None, facts=elv.LayerFacts(build_ms=2.0)) for la in chain(9).layers]
ESTIMATED = chain(9)._replace(profile=None, layers=tuple(GUESSED))
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
    b = a._replace(source=a.source._replace(state=state))
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

    def side(at: int) -> Engine:
        layers = zip(convs(*(each[at] for each in times)), times)
        return timed(*(la._replace(kernel=kernels[at * each[2] % 2]) for la, each in layers))

    a, b = side(0), side(1)
    found = compared(a, b)
    assert found.delta_ms is not None and found.a.total and found.b.total
    assert math.fsum(step.ms for step in found.waterfall) == found.delta_ms
    assert math.isclose(found.delta_ms, found.b.total - found.a.total, abs_tol=1e-12)
    assert compared(b, a).delta_ms == -found.delta_ms


# ---- ratios of times: of a run, of one sample, or none; layers that the other engine fused -------


def ran(ms: float, *dims: str) -> Engine:
    """Convolutions that take so long together, the first of which reads inputs of these dims."""
    found = convs(*[ms / 4] * 4)
    own = tuple(tensor(f"in{n}", dims=one) for n, one in enumerate(dims))
    engine = timed(found[0]._replace(inputs=own), *found[1:])
    names = tuple(tensor.name for tensor in own)
    return engine._replace(graph=engine.graph._replace(inputs=names))


@pytest.mark.parametrize(
    ("a", "b", "number"),
    [
        (["1,3,8,8"], ["32,3,8,8"], (1, 32)),
        (["8,3,8,8", "8,5"], ["2,3,8,8", "2,5"], (8, 2)),
        (["1,3,8,8"], ["1,3,8,8"], None),
        (["1,3,8,8"], ["2,3,16,16"], None),
        (["1,3,8,8", "4,5"], ["2,3,8,8", "4,5", "1"], None),
        (["-1,3,8,8"], ["2,3,8,8"], None),
    ],
)
def test_what_samples_are(a: list[str], b: list[str], number: tuple[int, int] | None) -> None:
    """The leading dimension, where nothing else differs."""
    found = compared(ran(1.0, *a), ran(3.0, *b)).per_sample
    assert found == (number and pytest.approx((1 / number[0], 3 / number[1], *number)))


def test_the_time_of_a_sample_is_said_first() -> None:
    found = compared(ran(1.0, "1,3,8,8"), ran(3.04, "32,3,8,8"))
    assert sentences.first(found) == (
        "Per sample B is 10.53 × faster (1.00 ms → 95.0 µs); a run of A is 1 sample and takes "
        "1.00 ms, one of B 32 and 3.04 ms. Of one sample: 4 layers take another time with the same "
        "kernels (−905 µs)."
    )
    (step,) = (step for step in found.waterfall if step.ms)
    assert step.ms == found.explained_ms == pytest.approx(3.04 / 32 - 1.0)
    assert found.took(found.groups) == pytest.approx((1.0, 3.04 / 32))
    assert found.delta_ms == pytest.approx(2.04)


def test_inputs_that_differ_otherwise_have_no_ratio() -> None:
    found = compared(ran(1.0, "1,3,8,8"), ran(3.0, "1,3,16,16"))
    assert found.speedup is None and found.delta_ms == 2
    assert sentences.first(found) == (
        "The layers of B take 3.00 ms, those of A 1.00 ms (no ratio: inputs of other shapes, "
        "1x3x8x8 and 1x3x16x16)."
    )


def test_networks_estimates_of_a_part_and_very_short_times_have_no_ratio() -> None:
    a = timed(*convs(*[1.0] * 4, name="a{}"))
    b = timed(*(layer(n, f"b{n}", [f"u{n}"], [f"u{n + 1}"], type="TopK") for n in range(4)))
    b = b._replace(layers=tuple(one._replace(time=a.layers[0].time) for one in b.layers))
    found = compared(a, b)
    assert not found.same_network and found.speedup is None
    assert "faster" not in sentences.first(found) and "slower" not in sentences.first(found)

    def estimated(ms: float, number: int) -> Engine:
        """Of 60 layers so many have an estimate; the last ones, where it is not all."""
        known = [
            one._replace(facts=elv.LayerFacts(build_ms=ms)) if one.index >= 60 - number else one
            for one in convs(*[None] * 60)
        ]
        return timed(*known)._replace(profile=None)

    part = compared(estimated(1.0, 58), estimated(2.0, 58))
    assert part.delta_ms == 58 and part.speedup is None
    assert "(no ratio: the estimates are of 58 of 60 layers of A)" in sentences.first(part)
    assert compared(estimated(1.0, 60), estimated(2.0, 60)).speedup == 0.5
    short = compared(ran(0.0004, "1,3"), ran(0.0009, "1,3"))
    assert short.speedup is None
    assert sentences.first(short).startswith("B is slower (400 ns → 900 ns)")


def test_shapes_are_those_of_the_run_then_of_the_network_then_of_the_listing() -> None:
    engine = ran(1.0, "4,3,8,8")

    def shapes(engine: Engine, *, estimated: bool = False, **facts: object) -> object:
        known = EngineFacts(**facts)  # type: ignore[arg-type]
        return result.input_shapes(Costs(engine._replace(facts=known)), estimated=estimated)

    assert shapes(engine) == ((4, 3, 8, 8),)
    dynamic = (IO("x", "float32", "-1,3,8,8", 1),)
    assert shapes(ran(1.0, "-1,3,8,8"), inputs=dynamic) is None
    assert shapes(engine, inputs=(IO("x", "float32", "2,3,8,8", 1),)) == ((2, 3, 8, 8),)
    two = (
        Option("Inference", "Input inference shape ", " x=16x3x8x8", 1),
        Option("Inference", "Input inference shape ", " ids=16x5", 2),
        Option("Build", "Input build shape (profile 0)", "x=1x3x8x8+8x3x8x8+16x3x8x8", 3),
    )
    assert shapes(engine, inputs=dynamic, options=two) == ((16, 3, 8, 8), (16, 5))
    assert shapes(engine, options=two, estimated=True) == ((8, 3, 8, 8),)
    implicit = (Option("Inference", "Batch", "8", 1),)
    assert shapes(engine, options=implicit) == ((8, 4, 3, 8, 8),)
    viewed = engine.layers[1]._replace(inputs=(tensor("in0", dims="12,8,8"),))
    assert shapes(engine._replace(layers=(engine.layers[0], viewed))) is None


def test_another_gpu_or_version_stands_in_the_first_sentence() -> None:
    a, b = ran(1.0, "1,3"), ran(2.0, "1,3")
    a = a._replace(tensorrt="8.4.1", facts=EngineFacts(device=Device("Tern")))
    b = b._replace(tensorrt="8.6.1", facts=EngineFacts(device=Device("Gull")))
    assert sentences.first(compared(a, b)).startswith(
        "B, with another TensorRT (8.4.1 → 8.6.1) and another GPU (Tern → Gull), is 2.00 × slower"
    )
    assert sentences.first(compared(a, b._replace(profile=None))).startswith(
        "B has another TensorRT (8.4.1 → 8.6.1) and another GPU (Tern → Gull). B has no times of "
        "layers."
    )


def timed_log(folder: Path, batch: int, ms: float) -> tuple[Path, Path]:
    """A log of an engine of this batch, and its times."""
    names = ("conv0", "conv1", "conv2")
    log = file_of(folder, listing_of(*names, tensor=f"Half[{batch},8,4,4]"), f"{batch}.log")
    times = exported(*((name, ms / 3) for name in names), runs=100)
    return log, file_of(folder, times, f"{batch}.json")


def test_the_json_has_the_times_of_a_sample(tmp_path: Path, printed: Printed) -> None:
    a, b = timed_log(tmp_path, 16, 1.6), timed_log(tmp_path, 32, 2.4)
    (found,) = json.loads(printed("compare", *a, *b, "-f", "json"))["comparisons"]
    per = found["per_sample"]
    assert (per["samples_a"], per["samples_b"]) == (16, 32)
    assert (per["a_ms"], per["b_ms"]) == pytest.approx((0.1, 0.075))
    said = printed("compare", *a, *b, "--width", "200")
    assert "Per sample B is 1.33 × faster" in said and "B/A" in said
    (same,) = json.loads(printed("compare", *a, *a, "-f", "json"))["comparisons"]
    assert same["per_sample"] is None


def test_a_shape_is_of_the_network_whose_lines_print_it() -> None:
    """The second network's lines are before the third listing, too, whose own are not there."""
    engines = elv.read(FIXTURES / "classic" / "7-jetson-prefix.log", facts=True).engines
    shapes = [result.input_shapes(Costs(one)) for one in engines]
    assert shapes == [((3, 96, 96),), ((1, 1, 32, 32),), ((1, 2, 16, 16),)]
    assert [bool(one.facts and one.facts.inputs) for one in engines] == [False, True, False]


# ---- layers without weights that the other engine fused, and times without a listing -------------


def one(
    index: int, name: str, type: str, reads: str, writes: str, dims: str, ms: float = 1.0
) -> Layer:
    weights: tuple[tuple[str, JsonValue], ...] = ()
    if "Conv" in type:
        weights = (("Weights", {"Count": 72}), ("Kernel", [3, 3]))
    more = {"type": type, "time": Timing(ms), "attributes": weights}
    return layer(index, name, [reads], [tensor(writes, dims=dims)], **more)


def layers(pool: bool) -> list[Layer]:
    """Two convolutions, of which the first pools or has a layer after it that does."""
    first = one(0, "first", "CaskConvolution", "x", "wide", "1,8,16,16")
    start = [first, one(1, "pool", "CaskPooling", "wide", "small", "1,8,8,8", 2.0)]
    if not pool:
        start = [one(0, "first and pool", "CaskConvolution", "x", "small", "1,8,8,8", 2.0)]
    return [*start, one(len(start), "last", "CaskConvolution", "small", "y", "1,4,8,8")]


def test_pooling_that_the_other_engine_fused_is_in_its_group() -> None:
    found = compared(timed(*layers(True)), timed(*layers(False)))
    assert pairs(found) == {"first & pool": ["first and pool"], "last": ["last"]}
    assert not found.unmatched.a and not found.unmatched.b
    group = next(group for group in found.groups if len(group.a) == 2)
    assert (group.cause, group.delta_ms) == ("fusion", -1.0)
    step = next(step for step in found.waterfall if step.cause == "fusion")
    assert (step.ms, step.a, step.b) == (-1.0, (0, 1), (0,))
    mirrored = compared(timed(*layers(False)), timed(*layers(True)))
    assert {(g.b, g.a) for g in mirrored.groups} == {(g.a, g.b) for g in found.groups}


def quantised(type: str, name: str) -> Engine:
    """Two convolutions with a layer between them that quantises."""
    between = layer(1, name, ["y"], ["q"], type=type, time=Timing(0.5))
    return timed(conv(0, "/a/Conv", "x", "y"), between, conv(2, "/b/Conv", "q", "z"))


def test_a_layer_that_only_quantises_serves_what_reads_it() -> None:
    plain = timed(conv(0, "/a/Conv", "x", "y"), conv(1, "/b/Conv", "y", "z"))
    names = {"kgen": "/b/x/QuantizeLinear", "Scale": "/b/QuantizeLinear_quantize_scale_node"}
    for type, name in names.items():
        found = compared(plain, quantised(type, name))
        assert not found.unmatched.b
        assert [group.b_reformats for group in found.groups if group.b == (2,)] == [(1,)]
        assert {step.cause: step.ms for step in found.waterfall if step.ms} == {"reformats": 0.5}


def times_alone(*names: str) -> Engine:
    rows = [layer(n, name, [], [], type="", time=Timing(n + 1.0)) for n, name in enumerate(names)]
    made = timed(*rows)
    graph = made.graph._replace(edges=())
    return made._replace(graph=graph, source=made.source._replace(dialect="times"))


def test_times_alone_are_not_matched_by_structure() -> None:
    """They have no edges: a detector on the DLA is no classifier, though both have one layer."""
    one = times_alone("head_1 from nvm", "{ForeignNode[Conv_0...Concat_198]}")
    found = compared(one, times_alone("data to nvm", "loss3/classifier", "prob"))
    assert not found.same_network and not found.groups and found.speedup is None
    assert found.alone == ((0, 1), (0, 1, 2))
    assert [problem.code for problem in sentences.remarks(found)] == ["ELV703"]


def test_equal_names_of_times_alone_are_matched_in_order() -> None:
    names = ("conv", "relu", "conv", "(Unnamed Layer* 3) [Shuffle]", "conv", "conv", "conv")
    own = times_alone(*names)
    assert {(g.a, g.b) for g in compared(own, own).groups} == {((n,), (n,)) for n in range(7)}
    found = compared(own, times_alone("start", *names))
    assert {(g.a, g.b) for g in found.groups} == {((n,), (n + 1,)) for n in range(7)}
    assert found.same_network and found.unmatched.b == (0,)
