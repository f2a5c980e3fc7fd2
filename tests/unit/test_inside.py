"""What a drawing unfolds a ForeignNode into: boxes, groups and edges; in pictures, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from factories import engine_of
from paths import FIXTURES

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.inside import Inside, inside
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import DEFAULT
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.scene import SceneBox
from engine_layer_visualize.drawing.shapes import Text
from engine_layer_visualize.facts.subgraph import whole
from engine_layer_visualize.page.html import data

GRAPH = FIXTURES / "facts" / "10.5-graph-in-one-box.log"
NAMES = FIXTURES / "facts" / "10.5-blocks-in-one-box.log"


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
    assert [(box.head, box.sub, box.group) for box in found.boxes[:4]] == [
        ("MatMul", "mix", 0),
        ("Add", "mix", 0),
        ("Relu", "act", 0),
        ("Add", "", 0),
    ]
    edges = named(found)
    assert {
        (None, "block.0/mix/MatMul", "s"),
        (None, "block.0/Add", "s"),
        ("block.0/mix/MatMul", "block.0/mix/Add", "a0"),
        ("block.0/Add", "block.1/mix/MatMul", "d0"),
        ("block.0/Add", "block.1/Add", "d0"),
        ("block.1/Add", None, "d1"),
        ("/head/fc/MatMul", None, "y"),
    } <= edges
    assert len(edges) == 19
    assert not any("w" in tensor for *_, tensor in edges), "weights are no edges"


def test_without_the_graph_counts_by_scope() -> None:
    found = unfolded(NAMES)
    assert found.words == "3 × block, 11 ONNX nodes, edges not in the log"
    assert found.edges == ()
    assert [(box.head, box.sub) for box in found.boxes] == [
        *((f"/tower/block.{n}", "3 nodes: 1 MatMul, 1 Add, …") for n in range(3)),
        ("nodes", "2 nodes: 1 LayerNormalization, 1 MatMul"),
    ]


def test_kernels_have_the_times_of_their_rows() -> None:
    found = unfolded(timed=True)
    (group,) = [n for n, one in enumerate(found.groups) if one.label == "3 kernels"]
    timed = [(box.head, box.ms, box.group) for box in found.boxes if box.ms is not None]
    assert timed == [
        ("Mul + Add", 0.25, group),
        ("Relu + Add", 0.125, group),
        ("Norm", 0.025, group),
    ]
    kernels = {n for n, box in enumerate(found.boxes) if box.ms is not None}
    assert kernels.isdisjoint(end for edge in found.edges for end in edge[:2])


def test_a_depth_that_has_too_many_boxes_stays_folded() -> None:
    found = unfolded(most=8)
    assert [(box.head, box.nodes) for box in found.boxes] == [
        *((f"/tower/block.{n}", 4) for n in range(3)),
        ("LayerNormalization", 1),
        ("MatMul", 1),
    ]
    assert ("block.0", "block.1", "d0") in named(found)
    assert unfolded(most=4).words == "3 × block, 14 ONNX nodes, more than the 4 that are drawn"
    assert unfolded(most=4).edges == ()


# ---- the page's data -----------------------------------------------------------------------------


@pytest.fixture
def told() -> dict[str, Any]:
    return data(Costs(engine(timed=True)))


def test_nothing_inside_counts_as_a_layer(told: dict[str, Any]) -> None:
    assert len(told["layers"]["name"]) == 3
    assert told["inside"]["of"] == [1] * 17
    assert told["layers"]["ms"] == pytest.approx([0.1, 0.4, 0.5])
    assert sum(ms for ms in told["inside"]["ms"] if ms) == pytest.approx(0.4)
    assert sum(share for share in told["inside"]["share"] if share) == pytest.approx(0.4)
    outer = [group for group in told["groups"] if "owner" not in group]
    assert all(node < 3 for group in outer for node in group["nodes"])


def test_edges_across_the_border_go_to_the_boxes_that_read_and_write(told: dict[str, Any]) -> None:
    edges, strings = told["edges"], told["strings"]
    first = 3 + len(told["ports"]["name"])

    def name(node: int) -> str | int:
        return strings[told["inside"]["name"][node - first]] if node >= first else node

    own = len(edges["from"]) - len(edges["instead"])
    found = {
        (edges["from"][edge], edges["to"][edge], name(edges["from"][at]), name(edges["to"][at]))
        for at, edge in enumerate(edges["instead"], own)
        if edge >= 0
    }
    block = "/tower/block."
    assert {(0, 1, 0, f"{block}0/mix/MatMul"), (0, 1, 0, f"{block}0/Add")} <= found
    assert (1, 2, f"{block}1/Add", 2) in found
    assert len(found) == 4  # and to the port of y


# ---- a picture of an engine that is one ForeignNode ----------------------------------------------


PREFIX = "[07/02/2026-03:47:09] [V] [TRT] "
# Of each block: name, operator, what it reads and writes; a number follows the tensors.
BLOCK = (
    ("mix/MatMul", "MatMul", "in", "a"),
    ("mix/Add", "Add", "a", "b"),
    ("act/Relu", "Relu", "b", "c"),
    ("Add", "Add", "c in", "out"),
)


def tower(number: int, further: str = "") -> Engine:
    """A ForeignNode of as many blocks, whose nodes and their edges the log has."""
    names, lines = [], ["Adding network input: x with dtype: float32, dimensions: (1, 8)"]

    def tensor(name: str, block: int) -> str:
        block += name == "out"
        edge = "x" if block == 0 else "y" if block == number else f"t{block}"
        return edge if name in ("in", "out") else f"{name}{block}"

    for block in range(number):
        for tail, kind, reads, writes in BLOCK:
            name = f"/tower/block.{block}/{tail}"
            names.append(name)
            read = "".join(f"[{tensor(one, block)} -> (1, 8)[FLOAT]], " for one in reads.split())
            lines.append(f"Parsing node: {name} [{kind}]")
            lines.append(f"{name} [{kind}] inputs: {read}")
            written = tensor(writes, block)
            lines.append(f"{name} [{kind}] outputs: [{written} -> (1, 8)[FLOAT]], ")
    node = f"{{ForeignNode[{names[0]}...{names[-1]}]}}"
    nodes = "".join(f"[ONNX Layer: {name}]" for name in names)
    lines += [f"ForeignNode {node} metadata: {nodes}", "Engine Layer Information:"]
    text = "".join(f"{PREFIX}{line}\n" for line in lines)
    text += f"Layer(Myelin): {node}, Tactic: 0x0, x (Float[1,8]) -> y (Float[1,8])\n"
    return engine_of(text + further, facts=True)


def picture(engine: Engine, unfold: bool = False) -> EnginePicture:
    return EnginePicture(whole(engine), DEFAULT._replace(unfold=unfold))


def inner(made: EnginePicture) -> list[SceneBox]:
    return [box for box in made.scene.boxes if box.inner]


def wires(made: EnginePicture) -> list[tuple[str, str]]:
    names = [box.inner[0].path if box.inner else box.id for box in made.scene.boxes]
    return [(names[wire.source], names[wire.target]) for wire in made.scene.wires]


def header(made: EnginePicture) -> str:
    return "\n".join(text.words for text in made.header.shapes if isinstance(text, Text))


def test_nodes_are_boxes_with_their_edges() -> None:
    made = picture(tower(3))
    assert [box.inner[0].head for box in inner(made)] == ["MatMul", "Add", "Relu", "Add"] * 3
    block = "/tower/block.{}/{}".format
    assert set(wires(made)) == {
        ("input_0", block(0, "mix/MatMul")),
        ("input_0", block(0, "Add")),
        *((block(n, "mix/MatMul"), block(n, "mix/Add")) for n in range(3)),
        *((block(n, "mix/Add"), block(n, "act/Relu")) for n in range(3)),
        *((block(n, "act/Relu"), block(n, "Add")) for n in range(3)),
        *((block(n, "Add"), block(n + 1, "mix/MatMul")) for n in range(2)),
        *((block(n, "Add"), block(n + 1, "Add")) for n in range(2)),
        (block(2, "Add"), "output_0"),
    }
    assert [box.layers[0].index for box in made.scene.boxes if box.layers] == [0]
    (repeat,) = made.scene.blocks
    assert (repeat.name, len(repeat.blocks)) == ("block", 3)
    *_, name = made.placement.panels[0].brackets
    assert isinstance(name, Text) and name.words == repeat.label
    assert "Inside of layer 0, whose time is of all of it: 3 × block" in header(made)


@pytest.mark.slow
def test_many_blocks_are_drawn_once() -> None:
    engine = tower(30)
    made = picture(engine)
    assert [len(box.inner) for box in inner(made)] == [30] * 4
    assert "Its repeated blocks are shown once" in header(made)
    said = [text.words for card in made.cards for text in card.shapes if isinstance(text, Text)]
    assert said.count("30 × Add") == 2
    assert len(inner(picture(engine, unfold=True))) == 120


@pytest.mark.parametrize(("kind", "opens"), [("Reformat", True), ("CaskConvolution", False)])
def test_beside_a_layer_that_computes_it_stays_one_box(kind: str, opens: bool) -> None:
    further = f"Layer({kind}): further, Tactic: 0x0, y (Float[1,8]) -> z (Half[1,8])\n"
    assert bool(inner(picture(tower(3, further)))) == opens
