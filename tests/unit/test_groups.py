"""The groups that a drawing frames and folds, and the parts that blocks share."""

from __future__ import annotations

from dataclasses import replace

from factories import layer

from engine_layer_visualize.analysis.groups import groups, shared
from engine_layer_visualize.analysis.repeats import alike, repeats
from engine_layer_visualize.core.model import Layer

BLOCK = ("attn/q/MatMul", "attn/q/Add", "attn/k/MatMul", "attn/k/Add", "mlp/MatMul", "mlp/Relu")


def named(*names: str) -> list[Layer]:
    return [layer(at, name, [], []) for at, name in enumerate(names)]


def encoder(blocks: int, end: str = "") -> list[str]:
    inside = (f"/encoder/layer.{n}/{name}{end}" for n in range(blocks) for name in BLOCK)
    return [*inside, f"/pooler/Gemm{end}"]


def found(layers: list[Layer]) -> list[tuple[str, str, int, int, int]]:
    """Path, label, depth, first layer, the one after the last."""
    return [
        (one.path, one.label, one.depth, one.layers[0], one.layers[-1] + 1)
        for one in groups(layers, [0] * len(layers))
    ]


def test_scopes_are_nested_and_say_what_the_one_around_does_not() -> None:
    # /encoder itself has nearly all layers, /attn/q and /mlp have two each.
    assert found(named(*encoder(4))) == [
        row
        for n in range(4)
        for row in (
            (f"/encoder/layer.{n}", f"/encoder/layer.{n}", 0, 6 * n, 6 * n + 6),
            (f"/encoder/layer.{n}/attn", "attn", 1, 6 * n, 6 * n + 4),
        )
    ]


def test_a_group_has_no_stranger_inside() -> None:
    first, second = encoder(1)[:6], [f"/encoder/layer.1/{name}" for name in BLOCK]
    layers = named(*first[:3], second[0], *first[3:], *second[1:], "/a/Conv", "/b/Conv")
    assert [row[0] for row in found(layers)] == ["/encoder"]


def test_without_scopes_repeated_blocks_are_groups() -> None:
    names = [f"{op}_{4 * n + at}" for n in range(3) for at, op in enumerate(("A", "B", "C", "D"))]
    assert found(named("In", *names)) == [
        (f"4 layers {n}/3", f"4 layers {n}/3", 0, 4 * n - 3, 4 * n + 1) for n in range(1, 4)
    ]


def test_blocks_of_one_name_are_numbered_together() -> None:
    kinds = [*["Conv", "Erf", "MatMul", "Softmax"] * 3, *["Pool", "Add", "Mul", "Relu"] * 3]
    layers = named(*(f"{kind}_{at}" for at, kind in enumerate(kinds)))
    assert [label for _, label, *_ in found(layers)] == [f"4 layers {n}/6" for n in range(1, 7)]
    ends = ("", " [profile 1]")
    layers = named(*(f"{kind}_{at}{end}" for end in ends for at, kind in enumerate(kinds)))
    profiles = [n for n in (0, 1) for _ in kinds]
    inner = [group.label for group in groups(layers, profiles) if group.profile is None]
    assert inner == [f"4 layers {n}/6" for n in range(1, 7)] * 2, "in each profile from 1"


def test_each_optimisation_profile_is_a_group_around_its_own() -> None:
    layers = named(*encoder(2), *encoder(2, " [profile 1]"))
    of = [0] * 13 + [1] * 13
    rows = [(one.label, one.profile, one.parent, one.depth) for one in groups(layers, of)]
    assert rows[:2] == [
        ("optimisation profile 0", 0, None, 0),
        ("optimisation profile 1", 1, None, 0),
    ]
    assert rows[2:] == [
        row
        for profile in (0, 1)
        for n in (0, 1)
        for row in (
            (f"/encoder/layer.{n}", None, profile, 1),
            ("attn", None, 2 + 4 * profile + 2 * n, 2),
        )
    ]


def test_blocks_are_cut_where_scopes_begin() -> None:
    """The layer before the first block looks like a block's last: by looks alone they are cut
    one layer too early."""
    paths = ["/in/Add", *(f"/layer.{n}/{op}" for n in range(5) for op in ("MatMul", "Mul", "Add"))]
    made = [
        layer(at, f"__myl_{path.rpartition('/')[2]}_myl0_{at}", [], [],
              attributes=(("Metadata", f"[ONNX Layer: {path}]"),))
        for at, path in enumerate(paths)
    ]  # fmt: skip
    blocks = tuple((1 + 3 * n, 4 + 3 * n) for n in range(5))
    assert [one.blocks for one in repeats(made)] == [blocks]
    assert [(one.name, one.blocks) for one in alike(made)] == [("layer", blocks)]
    assert [row[3:] for row in found(made)] == list(blocks)
    nameless = [replace(one, attributes=()) for one in made]
    assert alike(nameless)[0].blocks[0] == (0, 3)


def test_the_part_that_all_blocks_have() -> None:
    rows = [(one.pattern, one.number, len(one.layers)) for one in shared(named(*encoder(4)))]
    assert rows == [
        ("/encoder/layer.*", 4, 24),
        ("/encoder/layer.*/attn", 4, 16),
        ("/encoder/layer.*/attn/q", 4, 8),
        ("/encoder/layer.*/attn/k", 4, 8),
        ("/encoder/layer.*/mlp", 4, 8),
    ]
    (first, *_) = shared(named("/a.0/b/Conv", "/x/Conv", "/a.1/b/Conv"))
    assert first == ("/a.*/b", 2, (0, 2)), "of two parts with the same layers the inner one"
