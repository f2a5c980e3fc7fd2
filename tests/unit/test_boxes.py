"""Boxes that are no layers, and layers without a box: the inside of a ForeignNode, and marks."""

from pathlib import Path
from typing import Any

import pytest
from factories import engine_in, engine_of, layer, linked
from logtext import HEADER, classic, exported, text
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import kinds, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.inside import Inside, inside
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import DEFAULT
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.scene import Scene
from engine_layer_visualize.drawing.shapes import ShapeGroup, Text
from engine_layer_visualize.facts.subgraph import View, part, whole
from engine_layer_visualize.page.html import data

GRAPH = FIXTURES / "facts" / "10.5-graph-in-one-box.log"


def engine(path: Path = GRAPH, timed: bool = False) -> elv.Engine:
    profiles = [path.with_suffix(".profile.json")] if timed else []
    (found,) = elv.read(path, profiles=profiles, facts=True).engines
    return found


def unfolded(path: Path = GRAPH, timed: bool = False, **more: int) -> Inside:
    own = engine(path, timed)
    node = origin.frontend_of(Costs(own)).node
    (found,) = filter(None, (inside(one, node=node, **more) for one in own.layers))
    return found


def named(found: Inside) -> set[tuple[str | None, str | None, str]]:
    """The edges, by the last words of their ends."""
    names = {n: box.path.removeprefix("/tower/") for n, box in enumerate(found.boxes)}
    names = {None: None, **names}  # type: ignore[dict-item]
    return {(names[e.source], names[e.target], e.tensor) for e in found.edges}  # type: ignore[index]


def test_nodes_are_boxes_and_what_the_parser_says_are_edges() -> None:
    found = unfolded()
    assert found.words == "3 × block, 14 ONNX nodes"
    assert [group.label for group in found.groups] == [f"/tower/block.{n}" for n in range(3)]
    assert found.groups[0].words == "4 nodes: 2 Add, 1 MatMul, 1 Relu"
    assert found.groups[0].brief == "4 nodes: 2 Add, 1 MatMul, …"
    heads = [(box.head, box.sub, box.group) for box in found.boxes[:4]]
    assert heads == [("MatMul", "mix", 0), ("Add", "mix", 0), ("Relu", "act", 0), ("Add", "", 0)]
    edges = named(found)
    ends = {(None, "block.0/Add", "s"), ("block.1/Add", None, "d1"), ("/head/fc/MatMul", None, "y")}
    assert ends <= edges and len(edges) == 19
    assert not any("w" in tensor for *_, tensor in edges), "weights are no edges"


def test_without_the_graph_counts_by_scope() -> None:
    found = unfolded(FIXTURES / "facts" / "10.5-blocks-in-one-box.log")
    assert found.words == "3 × block, 11 ONNX nodes, edges not in the log"
    assert found.edges == ()
    assert [(box.head, box.sub) for box in found.boxes] == [
        *((f"/tower/block.{n}", "3 nodes: 1 MatMul, 1 Add, …") for n in range(3)),
        ("nodes", "2 nodes: 1 LayerNormalization, 1 MatMul"),
    ]


def test_kernels_have_the_times_of_their_rows() -> None:
    found = unfolded(timed=True)
    (at,) = [n for n, one in enumerate(found.groups) if one.label == "3 kernels"]
    timed = [(box.head, box.ms, box.group) for box in found.boxes if box.ms is not None]
    assert timed == [("Mul + Add", 0.25, at), ("Relu + Add", 0.125, at), ("Norm", 0.025, at)]
    kernels = {n for n, box in enumerate(found.boxes) if box.ms is not None}
    assert kernels.isdisjoint(end for edge in found.edges for end in edge[:2])


def test_a_depth_that_has_too_many_boxes_stays_folded() -> None:
    found = unfolded(most=8)
    blocks = [(f"/tower/block.{n}", 4) for n in range(3)]
    heads = [(box.head, box.nodes) for box in found.boxes]
    assert heads == [*blocks, ("LayerNormalization", 1), ("MatMul", 1)]
    assert ("block.0", "block.1", "d0") in named(found)
    assert unfolded(most=4).words == "3 × block, 14 ONNX nodes, more than the 4 that are drawn"
    assert unfolded(most=4).edges == ()
    assert len(unfolded(most=3).boxes) == 1


# ---- the page's data -----------------------------------------------------------------------------


def test_nothing_inside_counts_as_a_layer() -> None:
    told: dict[str, Any] = data(Costs(engine(timed=True)))
    assert len(told["layers"]["name"]) == 3
    assert told["inside"]["of"] == [1] * 17
    assert told["layers"]["ms"] == pytest.approx([0.1, 0.4, 0.5])
    assert sum(ms for ms in told["inside"]["ms"] if ms) == pytest.approx(0.4)
    assert sum(share for share in told["inside"]["share"] if share) == pytest.approx(0.4)
    outer = [group for group in told["groups"] if "owner" not in group]
    assert all(node < 3 for group in outer for node in group["nodes"])


# ---- layers without a kernel, which are marks ----------------------------------------------------


LAYERS = 63


def picture(of: Engine | View, unfold: bool = False) -> EnginePicture:
    view = of if isinstance(of, View) else whole(of)
    return EnginePicture(view, DEFAULT._replace(unfold=unfold))


def header(made: EnginePicture) -> str:
    return "\n".join(text.words for text in made.header.shapes if isinstance(text, Text))


def made(*noops: int) -> Engine:
    """A chain; its last two layers read one tensor."""
    records = []
    for number in range(LAYERS):
        kind = "NoOp" if number in noops else "CaskConvolution"
        name, source = f"part{'abcdefg'[number % 7]}", f"t{min(number, LAYERS - 2)}"
        records.append(classic(name, source, f"t{number + 1}", kind))
    return engine_of(HEADER + text(*records))


def hosts(engine: Engine, *timed: int) -> dict[int, int]:
    graph = engine.graph
    return kinds.hosts_of_marks(
        engine.layers, graph.edges, graph.jumps, lambda la: 0.5 if la.index in timed else None
    )


def test_a_mark_stands_at_the_writer_else_at_the_reader() -> None:
    chain = made(0, 3, 4, 10)
    # The first reads the network's input alone; 4 reads a mark.
    assert hosts(chain) == {0: 1, 3: 2, 4: 2, 10: 9}
    assert hosts(chain, 10) == {0: 1, 3: 2, 4: 2}  # it has a time


def test_a_layer_of_0_ms_of_a_profile_alone_is_a_mark(tmp_path: Path) -> None:
    rows = ((f"layer {n}", 0.0 if n in (0, 5, 6) else 0.5) for n in range(LAYERS))
    engine = engine_in(tmp_path, exported(*rows))
    times = Costs(engine)
    assert kinds.hosts_of_marks(engine.layers, (), (), times.of) == {0: 1, 5: 4, 6: 4}
    drawn = picture(engine)
    assert len(drawn.scene.boxes) == LAYERS - 3
    assert "3 layers of 0 µs" in header(drawn)


def test_a_layer_between_several_neighbours_on_both_sides_stays_a_box() -> None:
    both = layer(2, "both", ["a", "b"], ["c"], type="NoOp")
    readers = [layer(3 + n, f"r{n}", ["c"], [f"o{n}"]) for n in range(LAYERS)]
    writers = [layer(n, name, ["in"], [name]) for n, name in enumerate("ab")]
    assert hosts(linked(*writers, both, *readers)) == {}


def rings(made: EnginePicture) -> list[str]:
    _, body = made.frames()
    return [one.tooltip for one in body.shapes if isinstance(one, ShapeGroup) and one.css == "mark"]


def test_a_picture_has_rings_instead_of_boxes_and_tells_so() -> None:
    chain = made(0, 3, 4)
    drawn = picture(chain)
    assert len([box for box in drawn.scene.boxes if box.layers]) == LAYERS - 3
    assert len(Scene(whole(chain), Costs(chain)).items) == LAYERS - 3
    lines = ["0: NoOp parta", "3: NoOp partd\n4: NoOp parte"]
    assert rings(drawn) == [f"without a kernel:\n{line}" for line in lines]
    assert "3 layers without a kernel" in header(drawn)
    # The line goes on from the box to the reader of what the mark writes.
    of = {layer.index: n for n, box in enumerate(drawn.scene.boxes) for layer in box.layers}
    assert (of[2], of[5]) in {(wire.source, wire.target) for wire in drawn.scene.wires}


@pytest.mark.parametrize("how", ["unfold", "part"])
def test_who_asks_for_each_layer_gets_each_layer(how: str) -> None:
    chain = made(0, 3, 4)
    view = whole(chain) if how == "unfold" else part(chain, around=30, radius=30)
    drawn = picture(view, unfold=how == "unfold")
    assert len([box for box in drawn.scene.boxes if box.layers]) == len(view.layers)
    assert rings(drawn) == []
