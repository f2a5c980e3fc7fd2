"""Repeated blocks: found by what layers are, and by what they are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from factories import layer
from hypothesis import given
from hypothesis import strategies as st

from engine_layer_visualize.analysis.repeats import Repeat, alike, repeats, tandems
from engine_layer_visualize.core.model import Layer
from fuzz import budget


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


def test_blocks_that_names_tell_of() -> None:
    found = repeats(
        stack(
            "conv1.weight + Conv_0",
            *(f"layer1.{i}.conv{k}.weight + Conv_{9 * i + k}" for i in range(3) for k in (1, 2)),
            "layer2.0.conv1.weight + Conv_50",
            "layer2.0.downsample.0.weight + Conv_51",
            "layer2.0.conv2.weight + Conv_52",
            "layer2.1.conv1.weight + Conv_53",
            "layer2.1.conv2.weight + Conv_54",
            "fc.weight + Gemm_60",
        )
    )
    assert found == (
        Repeat("layer1", ((1, 3), (3, 5), (5, 7)), False),
        Repeat("layer2", ((7, 10), (10, 12)), False),
    )


def test_the_first_block_has_names_without_a_number() -> None:
    """ONNX names of equal nodes are `scale`, `scale_1`, `scale_2`."""
    several = [
        f"scale{n} + {kind}{i}" for i, n in enumerate(("", "_1", "_2", "_3")) for kind in "ab"
    ]
    (found,) = repeats(stack("first", *several, "last"))
    assert found.blocks == ((1, 3), (3, 5), (5, 7), (7, 9))


def test_optimisation_profiles_are_not_blocks() -> None:
    names = ["/a/Conv", "/b/Conv", "/a/Conv [profile 1]", "/b/Conv [profile 1]"]
    assert alike(stack(*names)) == ()


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
    assert alike(made) == ()
