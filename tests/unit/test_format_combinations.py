"""What the builder tuned decides lines that names alone leave open."""

from __future__ import annotations

from pathlib import Path

import pytest
from factories import engine_of, engines_of
from logtext import HEADER, TV, costs, pieces, text

from engine_layer_visualize.inputs.buildlog.format_combinations import Tuning
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.pipeline import Log


def test_a_computed_cost_tells_which_tactic_is_the_layers() -> None:
    record = "Layer(A): a, Tactic: 0x0, b, Tactic: 0x1, x (Half[4]) -> y (Half[4])"
    layer = engine_of(HEADER + text(record)).layers[0]
    assert (layer.name, layer.tactic) == ("a", "0x0")
    layer = engine_of(costs("a, Tactic: 0x0, b") + HEADER + text(record)).layers[0]
    assert (layer.name, layer.tactic) == ("a, Tactic: 0x0, b", "0x1")
    assert [tensor.name for tensor in layer.inputs] == ["x"]


def test_tuned_formats_tell_how_many_tensors_there_are() -> None:
    records = (
        "Layer(A): a, Tactic: 0x1, i (Half[4]) -> x (Float[4,8]), y (Half[4,2,2])",
        "Layer(B): b, Tactic: 0x1, x (Float[4,8]), y (Half[4,2,2]) -> o (Half[4])",
    )
    apart = engine_of(HEADER + text(*records))
    assert [tensor.name for tensor in apart.layers[1].inputs] == ["x", "y"]
    assert apart.problems == ()
    tuned = costs("a", "Half(1) -> Half(4,2,1)")
    one = engine_of(tuned + HEADER + text(*records))
    assert [tensor.name for tensor in one.layers[0].outputs] == ["x (Float[4,8]), y"]
    assert [tensor.name for tensor in one.layers[1].inputs] == ["x (Float[4,8]), y"]
    assert one.problems == ()
    two = engine_of(costs("a", "Half(1) -> Float(8,1), Half(4,2,1)") + HEADER + text(*records))
    assert [tensor.name for tensor in two.layers[1].inputs] == ["x", "y"]


def test_the_same_from_a_file_and_in_the_older_style(tmp_path: Path) -> None:
    path = tmp_path / "build.log"
    records = (
        "Layer(A): a, Tactic: 1, i[Half(4)] -> x[Float(4,8)], y[Half(4,2,2)]",
        "Layer(B): b, Tactic: 1, x[Float(4,8)], y[Half(4,2,2)] -> o[Half(4)]",
    )
    path.write_text(costs("a", "Half(1) -> Half(4,2,1)") + HEADER + text(*records))
    (engine,) = Log(path).engines()
    assert [tensor.name for tensor in engine.layers[1].inputs] == ["x[Float(4,8)], y"]


@pytest.mark.parametrize("size", [1, 40, 1 << 18])
def test_a_layer_that_is_named_only_where_it_is_timed(size: int) -> None:
    """Up to TensorRT 8.2 no name follows on `Computing costs for`."""
    record = "Layer(A): a, Tactic: 1, i[Half(4)] -> x[Float(4,8)], y[Half(4,2,2)]"
    runner = f"{TV}--------------- Timing Runner: a (A)\n"

    def outputs(formats: str) -> list[str]:
        log = costs("", formats) + runner + HEADER + text(record)
        (engine,) = engines_of(pieces(log.encode(), size))
        assert engine.problems == ()
        return [tensor.name for tensor in engine.layers[0].outputs]

    assert outputs("Half(1) -> Half(4,2,1)") == ["x[Float(4,8)], y"]
    assert outputs("Half(1) -> Float(8,1), Half(4,2,1)") == ["x", "y"]


def test_what_the_formats_leave_open_is_warned_of() -> None:
    record = "Layer(A): a, Tactic: 0x1, p (Half[4]), q (Half[4]), r (Half[4]) -> o (Half[4])"
    tuned = costs("a", "Half(1), Half(1) -> Half(1)")
    engine = engine_of(tuned + HEADER + text(record))
    assert [tensor.name for tensor in engine.layers[0].inputs] == ["p", "q", "r"]
    assert [problem.code for problem in engine.problems] == ["ELV107"]


@pytest.mark.parametrize(
    ("combination", "kinds"),
    [
        ("Float(3072,1024,32,1) -> Half(1)", ((("Float", 4),), (("Half", 1),))),
        ("Float((* 3 E0),E0,1) -> Float(1:4,1)", ((("Float", 3),), (("Float", 2),))),
        (" -> Int32()", ((), (("Int32", 0),))),
        ("Float(1), Int8(1:32,1) -> Bool(1)", ((("Float", 1), ("Int8", 2)), (("Bool", 1),))),
    ],
)
def test_a_combination_gives_types_and_strides(combination: str, kinds: object) -> None:
    tuning = Tuning()
    data = costs("a\nb", combination).encode()
    tuning.read(Stretch(data, 0, len(data), 1))
    assert tuning.of("a\nb") == frozenset({kinds})
    assert tuning.of("a") is not None  # a line after the name might be the host's
    assert tuning.of("b") is None
