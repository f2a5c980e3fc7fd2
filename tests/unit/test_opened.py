"""A picture of an engine that is one ForeignNode shows what is inside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine_layer_visualize as elv
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import DEFAULT
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.drawing.scene import SceneBox
from engine_layer_visualize.drawing.shapes import Text
from engine_layer_visualize.facts.subgraph import whole

PREFIX = "[07/02/2026-03:47:09] [V] [TRT] "
# Of each block: name, operator, what it reads and writes; a number follows the tensors.
BLOCK = (
    ("mix/MatMul", "MatMul", "in", "a"),
    ("mix/Add", "Add", "a", "b"),
    ("act/Relu", "Relu", "b", "c"),
    ("Add", "Add", "c in", "out"),
)


def tower(folder: Path, number: int, further: str = "") -> Engine:
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
    log = folder / "tower.log"
    log.write_text(text + further, "utf-8")
    return elv.read(log).engines[0]


def picture(engine: Engine, unfold: bool = False) -> EnginePicture:
    return EnginePicture(whole(engine), DEFAULT._replace(unfold=unfold))


def inner(made: EnginePicture) -> list[SceneBox]:
    return [box for box in made.scene.boxes if box.inner]


def wires(made: EnginePicture) -> list[tuple[str, str]]:
    names = [box.inner[0].path if box.inner else box.id for box in made.scene.boxes]
    return [(names[wire.source], names[wire.target]) for wire in made.scene.wires]


def header(made: EnginePicture) -> str:
    return "\n".join(text.words for text in made.header.shapes if isinstance(text, Text))


def test_nodes_are_boxes_with_their_edges(tmp_path: Path) -> None:
    made = picture(tower(tmp_path, 3))
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
    (bracket,) = made.placement.panels[0].brackets
    assert (bracket.repeat.name, len(bracket.repeat.blocks)) == ("block", 3)
    assert "Inside of layer 0, whose time is of all of it: 3 × block" in header(made)


@pytest.mark.slow
def test_many_blocks_are_drawn_once(tmp_path: Path) -> None:
    engine = tower(tmp_path, 30)
    made = picture(engine)
    assert [len(box.inner) for box in inner(made)] == [30] * 4
    assert "Its repeated blocks are shown once" in header(made)
    said = [text.words for card in made.cards for text in card.texts]
    assert said.count("30 × Add") == 2
    assert len(inner(picture(engine, unfold=True))) == 120


@pytest.mark.parametrize(("kind", "opens"), [("Reformat", True), ("CaskConvolution", False)])
def test_beside_a_layer_that_computes_it_stays_one_box(
    tmp_path: Path, kind: str, opens: bool
) -> None:
    further = f"Layer({kind}): further, Tactic: 0x0, y (Float[1,8]) -> z (Half[1,8])\n"
    assert bool(inner(picture(tower(tmp_path, 3, further)))) == opens
