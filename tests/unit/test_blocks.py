"""Which layers belong together: modules by their names, repeated blocks, groups of a drawing."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from factories import layer, tensor
from hypothesis import given
from hypothesis import strategies as st

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.groups import Folds, Group, folds, groups
from engine_layer_visualize.analysis.repeats import repeats, tandems
from engine_layer_visualize.core.model import Layer
from fuzz import budget

# ---- the modules that layers are of, by the names of their nodes and weights ---------------------


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/encoder/layer.3/attention/MatMul", "/encoder/layer.3/attention"),
        ("model/conv2d/Conv2D", "model/conv2d"),
        ("[RELU]-[aten_ops.relu.default]-[/features/4/relu_1]", "/features/4"),
        ("[SHUFFLE]-[aten_ops.reshape.default]-[__/reshape_default]", ""),
        ("h.11.ln", "h.11"),
        ("p2o.Conv.20", ""),  # a number at the end is one of the node
        ("//", ""),
        # Keras writes the block before the layer.
        ("net/conv2_block1_1_conv/Conv2D", "net/conv2_block1|_1_conv"),
        ("net/block_13_expand_relu/Relu6", "net/block_13|_expand_relu"),
        ("net/block2a_dwconv/depthwise", "net/block2a|_dwconv"),
        ("net/unit_1/Conv2D", "net/unit_1"),
    ],
)
def test_the_path_around_a_name(name: str, path: str) -> None:
    found = scopes.around(name)
    assert scopes.written(found) == path.replace("|", "")
    assert "|" not in path or scopes.written(found[:2]) == path.partition("|")[0]


def test_a_scope_around_one_alone_is_left_out() -> None:
    layers = named("/m/a.0/x/Conv", "/m/a.0/x/Relu", "/m/a.0/y/Conv", "/m/a.1/x/Conv",
                   "/m/a.1/x/Add", "/fc/Gemm")  # fmt: skip
    found = scopes.scopes(layers)
    assert [(one.path, one.layers, one.parent, one.depth) for one in found] == [
        ("/m", (0, 1, 2, 3, 4), None, 0),
        ("/m/a.0", (0, 1, 2), 0, 1),
        ("/m/a.0/x", (0, 1), 1, 2),
        ("/m/a.1/x", (3, 4), 0, 1),
    ]


def test_optimisation_profiles_have_scopes_of_their_own() -> None:
    names = ("/a/b.0/Conv", "/a/b.0/Relu", "/c/Gemm")
    layers = named(*names, *(f"{name} [profile 1]" for name in names))
    found = [(one.path, one.layers, one.parent, one.profile) for one in scopes.scopes(layers)]
    assert found == [("/a/b.0", (0, 1), None, 0), ("/a/b.0", (3, 4), None, 1)]


# ---- repeated blocks -----------------------------------------------------------------------------


def stack(*names: str) -> list[Layer]:
    return [layer(i, name, [f"t{i - 1}"], [f"t{i}"]) for i, name in enumerate(names)]


@given(st.text("ab", min_size=1, max_size=6), st.integers(2, 9), st.text("xyz", max_size=3))
def test_every_tandem_is_one(unit: str, count: int, around: str) -> None:
    text = around + unit * count + around
    found = tandems(text)
    covered = sum(period * times for _, period, times in found)
    assert covered >= len(unit) * count - len(unit)
    for start, period, times in found:
        assert text[start : start + period] * times == text[start : start + period * times]
    ends = [(start, start + period * times) for start, period, times in found]
    assert all(a[1] <= b[0] for a, b in zip(ends, ends[1:]))  # noqa: RUF007


def test_numbers_with_a_gap_are_no_range() -> None:
    (one,) = repeats(stack(*(f"/a/b.{n}/{op}" for n in (1, 2, 4) for op in ("MatMul", "Relu"))))
    assert one.label == "b × 3"


def test_the_first_block_has_names_without_a_number() -> None:
    """ONNX names of equal nodes are `scale`, `scale_1`, `scale_2`."""
    ends = enumerate(("", "_1", "_2", "_3"))
    several = [f"scale{n} + {kind}{i}" for i, n in ends for kind in "ab"]
    (found,) = repeats(stack("first", *several, "last"))
    assert found.blocks == ((1, 3), (3, 5), (5, 7), (7, 9))


def test_optimisation_profiles_are_not_blocks() -> None:
    names = ["/a/Conv", "/b/Conv", "/a/Conv [profile 1]", "/b/Conv [profile 1]"]
    assert repeats(stack(*names)) == ()


def test_cost_grows_with_the_length() -> None:
    def prepared(count: int) -> Callable[[], object]:
        random = Random(1)
        return partial(tandems, [random.randrange(3) for _ in range(count)])

    budget.linear(prepared, 5_000, 40_000)


def test_blocks_of_the_same_operators_that_the_builder_laid_out_in_different_ways() -> None:
    """Names are numbers, dims differ, and reformats stand where the builder wanted them."""
    units = ["MatMul", "Add", "Softmax", "MatMul"]
    made: list[Layer] = []
    for block in range(3):
        for place, unit in enumerate(units):
            if place == block:
                made.append(layer(len(made), "NoOp_1", ["x"], ["x"], type="NoOp"))
            name = f"{unit}_{10 * block + place}"
            made.append(layer(len(made), name, ["x"], [f"x{2**block}"], type="Myelin"))
    assert [one.blocks for one in repeats(made)] == [((1, 5), (5, 10), (10, 15))]


# ---- the groups that a drawing frames and folds --------------------------------------------------


BLOCK = ("attn/q/MatMul", "attn/q/Add", "attn/k/MatMul", "attn/k/Add", "mlp/MatMul", "mlp/Relu")


def named(*names: str) -> list[Layer]:
    return [layer(at, name, [], []) for at, name in enumerate(names)]


def encoder(blocks: int, end: str = "") -> list[str]:
    inside = (f"/encoder/layer.{n}/{name}{end}" for n in range(blocks) for name in BLOCK)
    return [*inside, f"/pooler/Gemm{end}"]


def found(layers: list[Layer]) -> list[tuple[str, str, int, int, int]]:
    """Path, label, depth, first layer, the one after the last."""
    made = folds(groups(layers, [0] * len(layers)), range(len(layers)), 0, 0).groups
    return [(one.path, one.label, one.depth, one.layers[0], one.layers[-1] + 1) for one in made]


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
    assert [(one.name, one.blocks) for one in repeats(made)] == [("layer", blocks)]
    assert [row[3:] for row in found(made)] == list(blocks)
    nameless = [one._replace(attributes=()) for one in made]
    assert repeats(nameless)[0].blocks[0] == (0, 3)


def test_blocks_of_other_dims_are_not_alike() -> None:
    same = stack("Conv_1", "Relu_2", "Conv_3", "Relu_4", "Conv_5", "Relu_6")
    assert [(r.first, r.size, len(r.blocks)) for r in repeats(same)] == [(0, 2, 3)]
    other = same[4]._replace(outputs=(tensor("t4", dims="1,8"),))
    (found,) = repeats([*same[:4], other, same[5]])
    assert (found.first, found.size, len(found.blocks)) == (0, 2, 2)


# ---- which groups are one box each when a drawing opens ------------------------------------------


def blocks(count: int, size: int, begin: int = 0) -> list[Group]:
    spans = (range(begin + n * size, begin + (n + 1) * size) for n in range(count))
    return [Group(f"/layer.{n}", f"/layer.{n}", span, None, 0) for n, span in enumerate(spans)]


def drawn(found: Folds, layers: int, ends: int) -> int:
    """How many boxes there are: a layer is hidden by the first closed group around it."""
    closed = [g.layers for n, g in enumerate(found.groups) if n not in found.open]
    boxes = {next((n for n, span in enumerate(closed) if i in span), -1 - i) for i in range(layers)}
    return len(boxes) + ends


def test_blocks_stay_folded_where_their_layers_are_too_many() -> None:
    found = folds(blocks(12, 10), range(120), 2, 0)
    assert (found.open, drawn(found, 120, 2)) == (frozenset(), 14)
    found = folds(blocks(5, 10), range(50), 2, 0)
    assert (found.open, drawn(found, 50, 2)) == (frozenset(range(5)), 52)


def test_of_alike_groups_all_are_open_or_none() -> None:
    """Four blocks of 26 layers, each with an attention of 20: 60 boxes hold the blocks alone."""
    made = blocks(4, 26)
    inner = [
        Group(f"{g.path}/attention", "attention", g.layers[:20], n, 1) for n, g in enumerate(made)
    ]
    found = folds([*made, *inner], range(104), 0, 0)
    assert sorted(found.groups[n].path for n in found.open) == [f"/layer.{n}" for n in range(4)]
    assert drawn(found, 104, 0) == 4 * (1 + 6)


@pytest.mark.parametrize(("layers", "most"), [(140, 140), (2000, 150)])
def test_an_engine_without_blocks(layers: int, most: int) -> None:
    assert drawn(folds([], range(layers), 0, 0), layers, 0) <= most
    assert bool(folds([], range(layers), 0, 0).groups) == (layers > 150)
