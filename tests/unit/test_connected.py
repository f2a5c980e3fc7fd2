"""Parts that pairs hold together."""

from __future__ import annotations

from engine_layer_visualize.analysis.groups import connected


def test_parts_stand_in_the_order_of_their_things() -> None:
    pairs = [(5, 3), (2, 1), (3, 4), (1, 9), (None, 2), (1, 2)]
    assert connected([1, 2, 3, 4, 5, 6], pairs) == [[1, 2], [3, 4, 5], [6]]
    assert connected([6, 5, 4, 3], pairs) == [[6], [5, 4, 3]]
    assert connected(list[int](), pairs) == []
