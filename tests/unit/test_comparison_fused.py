"""Layers without weights that the other engine fused, and times without a listing."""

from __future__ import annotations

from dataclasses import replace

from compared import compared, conv, pairs, timed
from factories import layer

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


def test_a_layer_that_prepares_an_input_is_in_the_group_that_reads_it() -> None:
    def engine(*before: Layer) -> Engine:
        at = len(before)
        return timed(
            *before, conv(at, "/a/Conv", "r" if at else "x", "y"), conv(at + 1, "/b/Conv", "y", "z")
        )

    def first(name: str, reads: str = "x") -> Layer:
        return layer(0, name, [reads], ["r"], type="kgen", time=Timing(0.5))

    found = compared(engine(first("__myl_Move_myl0_0")), engine())
    assert pairs(found) == {"__myl_Move_myl0_0 & /a/Conv": ["/a/Conv"], "/b/Conv": ["/b/Conv"]}
    assert [group.why for group in found.groups if len(group.a) == 2] == [
        "the same ONNX nodes, and nothing before them but inputs"
    ]
    gone = compared(engine(first("/extra/Add")), engine())
    assert gone.unmatched.a == (0,)


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
