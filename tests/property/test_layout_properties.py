"""Any boxes, any wires: rows go down, boxes stand apart, wires clear of boxes and each other."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine_layer_visualize.drawing.folding import Folded, Spacing, fold
from engine_layer_visualize.drawing.routing import route
from engine_layer_visualize.drawing.rows import Rows, layered
from fuzz import budget

Size = tuple[float, float]
Pair = tuple[int, int]

FLAG = 60.0


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Size], list[Pair], list[int]]:
    """Boxes of two sizes; mostly a chain, with skips, forks, several nets of a box, loops."""
    count = draw(st.integers(1, 40))
    sizes = draw(
        st.lists(st.sampled_from([(190.0, 40.0), (190.0, 23.0), (120.0, 60.0)]), min_size=count,
                 max_size=count)
    )  # fmt: skip
    edges: list[Pair] = []
    for i in range(1, count):
        near = st.integers(max(0, i - 4), i - 1)
        anywhere = st.integers(0, count - 1)
        for source in draw(st.lists(st.one_of(near, near, near, anywhere), max_size=3)):
            edges.append((source, i))
    nets = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges)))
    return sizes, edges, nets


def drawn(
    sizes: Sequence[Size], edges: Sequence[Pair], nets: Sequence[int] | None, serial: bool
) -> Folded:
    rows = layered(sizes, edges, nets, serial=serial, flag=FLAG)
    return fold(rows, spacing=Spacing(side=20))


def check_rows(rows: Rows, edges: Sequence[Pair]) -> None:
    cells = [(node.row, node.slot) for node in rows.nodes]
    assert len(set(cells)) == len(cells), "two boxes in one cell"
    used = {node.row for node in rows.nodes}
    assert used == set(range(rows.depth)), "an empty row"
    for (u, v), net in zip(edges, rows.nets_of):
        if net < 0:
            assert rows.nodes[u].flag == rows.nodes[v].flag == FLAG
        else:
            assert rows.nodes[u].row < rows.nodes[v].row
            assert rows.nets[net].source == u
            assert v in rows.nets[net].readers


def check_boxes(folded: Folded) -> None:
    areas = []
    for node, (x, y) in zip(folded.rows.nodes, folded.places):
        areas.append((x - node.width / 2, y, x + node.width / 2 + node.flag, y + node.height))
    areas.sort()
    for i, (_, top, right, bottom) in enumerate(areas):
        for left, other_top, _, other_bottom in areas[i + 1 :]:
            if left >= right:
                break
            assert other_top >= bottom or top >= other_bottom, "boxes overlap"
    assert all(area[0] >= 0 and area[1] >= 0 for area in areas)
    assert all(area[2] <= folded.width + 0.1 and area[3] <= folded.height for area in areas)


def check_wires(folded: Folded, edges: Sequence[Pair]) -> None:
    nodes, at = folded.rows.nodes, folded.places
    boxes = [(x - n.width / 2, y, x + n.width / 2, y + n.height) for n, (x, y) in zip(nodes, at)]
    along: dict[tuple[str, float], list[tuple[float, float, int]]] = defaultdict(list)
    routes = route(folded, tuple(edges))
    assert [one.edge for one in routes] == [i for i, n in enumerate(folded.rows.nets_of) if n >= 0]
    for one in routes:
        u, v = edges[one.edge]
        (x, y), (to_x, to_y) = one.points[0], one.points[-1]
        assert y == boxes[u][3] and boxes[u][0] < x < boxes[u][2], "begins at its source"
        assert to_y == boxes[v][1] and boxes[v][0] < to_x < boxes[v][2], "ends at its reader"
        for a, b in pairwise(one.points):
            assert (a[0] == b[0]) != (a[1] == b[1]), "neither down nor across"
            axis = 0 if a[0] == b[0] else 1
            low, high = sorted((a[1 - axis], b[1 - axis]))
            along["xy"[axis], round(a[axis], 3)].append((low, high, one.net))
            for left, top, right, bottom in boxes:
                (xs, ys) = (sorted(side) for side in zip(a, b))
                crosses = xs[1] > left and xs[0] < right and ys[1] > top and ys[0] < bottom
                assert not crosses, "runs behind a box"
    for stretches in along.values():
        stretches.sort()
        end: dict[int, float] = {}
        for low, high, net in stretches:
            others = [stop for other, stop in end.items() if other != net]
            assert not others or max(others) <= low + 0.01, "two nets on one line"
            end[net] = max(end.get(net, high), high)


# Above the longest chain (4, 7, 8, 9), for whose first edge its slot is kept free, 3 would end.
SIDE = [(0, 2), (2, 3), (1, 4), (3, 5), (1, 5), (5, 6), (4, 7), (6, 7), (8, 9), (7, 8)]


@example(([(190.0, 40.0)] * 10, SIDE, [0] * 10), False)
@given(graphs(), st.booleans())
@settings(max_examples=200)
def test_nothing_overlaps(graph: tuple[list[Size], list[Pair], list[int]], serial: bool) -> None:
    sizes, edges, nets = graph
    edges = [(u, v) for u, v in edges if u != v]
    folded = drawn(sizes, edges, nets[: len(edges)], serial)
    check_rows(folded.rows, edges)
    check_boxes(folded)
    check_wires(folded, edges)


def residual(count: int, long: int, seed: int = 1) -> list[Pair]:
    """A chain with skips over three boxes and, every now and then, from anywhere."""
    random = Random(seed)
    edges = [(i - 1, i) for i in range(1, count)]
    edges += [(i - 3, i) for i in range(3, count, 3)]
    return edges + [(random.randrange(i), i) for i in range(2, count, long)]


@pytest.mark.parametrize("count", [12, 20, 54, 94, 150, 300])
def test_a_chain_becomes_a_sheet(count: int) -> None:
    folded = drawn([(190, 40)] * count, residual(count, 10**6), None, False)
    assert 0.5 <= folded.width / folded.height <= 2


def test_the_main_chain_is_straight() -> None:
    rows = layered([(190, 40)] * 60, residual(60, 7))
    assert {node.slot for node in rows.nodes} == {0}


def test_a_constant_stands_over_its_reader() -> None:
    # 0 is a constant that is listed first and read by the last of the chain.
    edges = [(1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]
    rows = layered([(190, 40)] * 6, edges)
    assert rows.nodes[0].row == rows.nodes[5].row - 1


def test_branches_of_a_fork_stand_side_by_side() -> None:
    edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6)]
    nodes = layered([(190, 40)] * 7, edges).nodes
    assert nodes[1].row == nodes[2].row == nodes[3].row
    assert [nodes[a].slot == nodes[b].slot for a, b in ((1, 4), (2, 5), (3, 6))] == [True] * 3


def test_a_loop_is_cut_at_its_way_back() -> None:
    rows = layered([(190, 40)] * 3, [(0, 1), (1, 2), (2, 0)], flag=FLAG)
    assert rows.cut == (2,)
    assert [node.row for node in rows.nodes] == [0, 1, 2]


def test_breaks_stand_between_blocks() -> None:
    count, block = 60, 12
    edges = [(i - 1, i) for i in range(1, count)]
    rows = layered([(190, 40)] * count, edges)
    folded = fold(rows, 1.6, [i // block for i in range(count)])
    assert len(folded.columns) > 1
    assert all((column.last + 1) % block == 0 for column in folded.columns)


def test_twice_the_layers_cost_about_twice() -> None:
    def prepared(count: int) -> Callable[[], object]:
        edges = residual(count, 5)
        return lambda: route(fold(layered([(190, 40)] * count, edges, flag=FLAG)), tuple(edges))

    budget.linear(prepared, 2_000, 16_000)


def test_long_wires_do_not_multiply() -> None:
    """A wire over thousands of rows is cut, and what passes one row is bounded."""
    count = 5_000
    edges = [(i - 1, i) for i in range(1, count)] + [(i, count - 1 - i) for i in range(0, 2_000)]
    rows = layered([(190, 40)] * count, edges, flag=FLAG)
    assert len(rows.cut) >= 1_900
    passing = [0] * rows.depth
    for net in rows.nets:
        for row in range(rows.nodes[net.source].row + 1, rows.nodes[net.readers[-1]].row):
            passing[row] += 1
    assert max(passing) <= 10
