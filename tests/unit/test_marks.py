"""Which layers without a kernel are marks, and how a picture shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from factories import engine_in, engine_of, layer, linked
from logtext import HEADER, classic, exported, text

from engine_layer_visualize.analysis import kinds
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import DEFAULT
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.scene import Scene
from engine_layer_visualize.drawing.shapes import ShapeGroup, Text
from engine_layer_visualize.facts.subgraph import part, whole

LAYERS = 63


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
    picture = EnginePicture(whole(engine), DEFAULT)
    assert len(picture.scene.boxes) == LAYERS - 3
    texts = [shape.words for shape in picture.header.shapes if isinstance(shape, Text)]
    assert "3 layers of 0 µs" in texts


def test_a_layer_between_several_neighbours_on_both_sides_stays_a_box() -> None:
    both = layer(2, "both", ["a", "b"], ["c"], type="NoOp")
    readers = [layer(3 + n, f"r{n}", ["c"], [f"o{n}"]) for n in range(LAYERS)]
    writers = [layer(n, name, ["in"], [name]) for n, name in enumerate("ab")]
    assert hosts(linked(*writers, both, *readers)) == {}


def rings(picture: EnginePicture) -> list[str]:
    _, body = picture.frames()
    return [
        shape.tooltip
        for shape in body.shapes
        if isinstance(shape, ShapeGroup) and shape.css == "mark"
    ]


def test_a_picture_has_rings_instead_of_boxes_and_tells_so() -> None:
    chain = made(0, 3, 4)
    picture = EnginePicture(whole(chain), DEFAULT)
    assert len([box for box in picture.scene.boxes if box.layers]) == LAYERS - 3
    assert len(Scene(whole(chain), Costs(chain)).items) == LAYERS - 3
    assert rings(picture) == [
        "without a kernel:\n0: NoOp parta",
        "without a kernel:\n3: NoOp partd\n4: NoOp parte",
    ]
    words = [text.words for text in picture.header.shapes if isinstance(text, Text)]
    assert "3 layers without a kernel" in words
    # The line goes on from the box to the reader of what the mark writes.
    of = {layer.index: n for n, box in enumerate(picture.scene.boxes) for layer in box.layers}
    assert (of[2], of[5]) in {(wire.source, wire.target) for wire in picture.scene.wires}


@pytest.mark.parametrize("how", ["unfold", "part"])
def test_who_asks_for_each_layer_gets_each_layer(how: str) -> None:
    chain = made(0, 3, 4)
    view = whole(chain) if how == "unfold" else part(chain, around=30, radius=30)
    picture = EnginePicture(view, DEFAULT._replace(unfold=how == "unfold"))
    assert len([box for box in picture.scene.boxes if box.layers]) == len(view.layers)
    assert rings(picture) == []
