"""Layers without weights that the other engine fused, and times without a listing."""

from __future__ import annotations

from dataclasses import replace

from compared import compared, conv, pairs, timed
from factories import layer

from engine_layer_visualize.comparison import sentences
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Tensor, Timing


def one(
    index: int, name: str, type: str, reads: str, writes: str, dims: str, ms: float = 1.0
) -> Layer:
    made = layer(index, name, [reads], [writes], type=type, time=Timing(ms))
    weights: tuple[tuple[str, JsonValue], ...] = ()
    if "Conv" in type:
        weights = (("Weights", {"Count": 72}), ("Kernel", [3, 3]))
    outputs = (Tensor(writes, "Half", dims, shape_of(dims)),)
    return replace(made, outputs=outputs, attributes=weights)


def shape_of(dims: str) -> tuple[int, ...]:
    return tuple(map(int, dims.split(",")))


def layers(pool: bool) -> list[Layer]:
    """Two convolutions, of which the first pools or has a layer after it that does."""
    start = [
        one(0, "first", "CaskConvolution", "x", "wide", "1,8,16,16"),
        one(1, "pool", "CaskPooling", "wide", "small", "1,8,8,8", 2.0),
    ]
    if not pool:
        start = [one(0, "first and pool", "CaskConvolution", "x", "small", "1,8,8,8", 2.0)]
    return [*start, one(len(start), "last", "CaskConvolution", "small", "y", "1,4,8,8")]


def test_pooling_that_the_other_engine_fused_is_in_its_group() -> None:
    found = compared(timed(*layers(True)), timed(*layers(False)))
    assert pairs(found) == {"first & pool": ["first and pool"], "last": ["last"]}
    assert not found.unmatched.a and not found.unmatched.b
    group = next(group for group in found.groups if len(group.a) == 2)
    assert (group.fusion, group.cause, group.delta_ms) == ("merged", "fusion", -1.0)
    step = next(step for step in found.waterfall if step.cause == "fusion")
    assert (step.ms, step.a, step.b) == (-1.0, (0, 1), (0,))
    mirrored = compared(timed(*layers(False)), timed(*layers(True)))
    assert {(group.b, group.a) for group in mirrored.groups} == {
        (group.a, group.b) for group in found.groups
    }


def quantised(type: str, name: str) -> Engine:
    """Two convolutions with a layer between them that quantises."""
    return timed(
        conv(0, "/a/Conv", "x", "y"),
        layer(1, name, ["y"], ["q"], type=type, time=Timing(0.5)),
        conv(2, "/b/Conv", "q", "z"),
    )


def test_a_layer_that_only_quantises_serves_what_reads_it() -> None:
    plain = timed(conv(0, "/a/Conv", "x", "y"), conv(1, "/b/Conv", "y", "z"))
    names = {"kgen": "/b/x/QuantizeLinear", "Scale": "/b/QuantizeLinear_quantize_scale_node"}
    for type, name in names.items():
        found = compared(plain, quantised(type, name))
        assert not found.unmatched.b
        assert [group.b_reformats for group in found.groups if group.b == (2,)] == [(1,)]
        assert {step.cause: step.ms for step in found.waterfall if step.ms} == {"reformats": 0.5}


def without_listing(*rows: Layer) -> Engine:
    made = timed(*rows)
    return replace(made, source=replace(made.source, dialect="times"))


def test_times_without_a_listing_are_matched_by_names() -> None:
    """They have no tensors and hardly a type: this contradicts nothing."""
    listed = timed(*layers(True))
    bare = without_listing(
        *(
            replace(la, type="", tactic=None, inputs=(), outputs=(), attributes=())
            for la in layers(True)
        )
    )
    found = compared(listed, bare)
    assert found.same_network and found.delta_ms == 0.0
    assert pairs(found) == {name: [name] for name in ("first", "pool", "last")}
    assert {group.changes for group in found.groups} == {()}


def times_alone(*names: str) -> Engine:
    rows = [layer(n, name, [], [], type="", time=Timing(n + 1.0)) for n, name in enumerate(names)]
    made = without_listing(*rows)
    return replace(made, graph=replace(made.graph, edges=()))


def test_times_alone_are_not_matched_by_structure() -> None:
    """They have no edges: a detector on the DLA is no classifier, though both have one layer."""
    found = compared(
        times_alone("head_1 from nvm", "{ForeignNode[Conv_0...Concat_198]}"),
        times_alone("data to nvm", "loss3/classifier", "prob"),
    )
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
