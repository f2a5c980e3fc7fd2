"""Which groups of an engine are one box each when a drawing opens."""

from __future__ import annotations

import pytest

from engine_layer_visualize.analysis.groups import Folds, Group, folds


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


def test_many_blocks_that_are_alike_are_one_with_their_neighbours() -> None:
    found = folds(blocks(100, 3), range(300), 2, 0)
    outer = [group for group in found.groups if group.parent is None]
    assert [group.label for group in outer][:3] == ["/layer.0–1", "/layer.2–3", "/layer.4–5"]
    assert drawn(found, 300, 2) == 52
    assert [g.parent for g in found.groups if g.path == "/layer.3"] == [1]


def test_what_has_no_name_comes_last() -> None:
    """Ten blocks, and a hundred layers of none, in runs beside them."""
    found = folds(blocks(10, 10, begin=100), range(200), 0, 0)
    outer = [group.label for group in found.groups if group.parent is None]
    assert outer[-10:] == [f"/layer.{n}" for n in range(10)]
    assert outer[:2] == ["#0–1", "#2–3"]
    assert drawn(found, 200, 0) == 60


@pytest.mark.parametrize(("layers", "most"), [(140, 140), (2000, 150)])
def test_an_engine_without_blocks(layers: int, most: int) -> None:
    assert drawn(folds([], range(layers), 0, 0), layers, 0) <= most
    assert bool(folds([], range(layers), 0, 0).groups) == (layers > 150)


def test_of_several_optimisation_profiles_the_one_that_is_shown_is_opened_first() -> None:
    """The layers of one, and, where there is room, the blocks of the other."""
    whole = [
        Group(f"optimisation profile {k}", "", range(k * 40, k * 40 + 40), None, 0, k)
        for k in (0, 1)
    ]
    profiles = [*whole, *blocks(8, 5), *blocks(8, 5, begin=40)]
    assert drawn(folds(profiles, range(80), 0, 1), 80, 0) == 8 + 40
    assert folds(profiles, range(80), 0, 1, most=45).open == {1, *range(10, 18)}
