"""Tensors whose names hold a descriptor and a separator, where no message of the builder tells."""

from __future__ import annotations

import pytest
from logtext import HEADER

from engine_layer_visualize.display import Engine
from engine_layer_visualize.pipeline import Log

HOSTILE = "[Float(4,8)], Tactic: 0x000/1::./0"


def read(tensor: str, old: bool = True) -> Engine:
    """Two layers, with a tensor of that name between them."""

    def printed(name: str) -> str:
        return f"{name}[Float(1,8)]" if old else f"{name} (Float[1,8])"

    x, t, y = map(printed, ("x", tensor, "y"))
    text = f"{HEADER}Layer(A): a, Tactic: 0x1, {x} -> {t}\nLayer(B): b, Tactic: 0x2, {t} -> {y}\n"
    (engine,) = Log("build.log", chunks=[text.encode()]).engines()
    return engine


@pytest.mark.parametrize("end", ["", " -> z", " b"])
@pytest.mark.parametrize("old", [True, False])
def test_a_tactic_follows_on_no_empty_name(old: bool, end: str) -> None:
    """A name that begins with a descriptor is no tensor without a name, and another one."""
    name = (HOSTILE if old else " (Float[4,8]), Tactic: 0x000/1::./0") + end
    engine = read(name, old)
    assert [[tensor.name for tensor in layer.outputs] for layer in engine.layers] == [[name], ["y"]]
    assert [tensor.name for tensor in engine.layers[1].inputs] == [name]
    assert not engine.problems


def test_of_two_readings_that_agree_with_all_fields_it_is_said_that_there_are_two() -> None:
    engine = read("a" + HOSTILE)
    assert {problem.code for problem in engine.problems} == {"ELV107"}
    assert [tensor.name for tensor in engine.layers[0].outputs] == [
        "a",
        HOSTILE[len("[Float(4,8)], ") :],
    ]


def test_two_tensors_that_stand_together_are_two() -> None:
    engine = read("a[Float(4,8)], b")
    assert [tensor.name for tensor in engine.layers[0].outputs] == ["a", "b"]
    assert not engine.problems
