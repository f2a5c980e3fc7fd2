"""Why a reformat is there: told by its neighbours' own prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from factories import engine_of
from logtext import text

from engine_layer_visualize.analysis.reformat_reasons import reasons
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.core.words import Name, parts, plain
from engine_layer_visualize.trt.types import layout


@pytest.mark.parametrize(
    ("strides", "words"),
    [
        ("Half(8294400,32400,180,1)", "linear"),
        ("Half(1036800,1:8,5760,32)", "channels last, in 8s"),
        ("Int8(32400,32400:32,180,1)", "channels in 32s"),
        ("Float(100352,1,1792,32)", "channels last"),
        ("Float(1)", "linear"),
        ("not strides", ""),
    ],
)
def test_strides_in_words(strides: str, words: str) -> None:
    assert layout(strides) == words


def test_a_format_that_the_next_layer_wants() -> None:
    engine = engine_of(
        text(
            "[V] Adding reformat layer: Reformatted Input Tensor 0 to conv (x)"
            " from Float(150528,50176,224,1) to Half(50176,1:8,224,1)",
            "[V] Engine Layer Information:",
            "Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv, Tactic: 1002,"
            " x[Float(1,3,224,224)] -> Reformatted Input Tensor 0 to conv[Half(1,3,224,224)]",
            "Layer(CaskConvolution): conv, Tactic: 5,"
            " Reformatted Input Tensor 0 to conv[Half(1,3,224,224)] -> y[Half(1,8,224,224)]",
        )
    )
    reason = reasons(engine)[0]
    assert reason.changes == ("type", "format")
    assert (reason.before, reason.after) == ("Float linear", "Half channels last, in 8s")
    assert reason.text == (
        "the engine's input `x` is Float linear; `conv` reads Half channels last, in 8s"
    )


def test_both_neighbours_are_named_with_what_they_print() -> None:
    frame = "Location: Device, Dimensions: [1,8,4,4], Format/Datatype: "
    wide = "Channel major FP16 format where channel % 8 == 0"
    plain = "Row major linear FP16 format"
    engine = engine_of(
        text(
            "[V] [TRT] Layers:",
            f"Name: a, LayerType: Conv, Inputs: [ {{ Name: x, {frame}{plain} }}],"
            f" Outputs: [ {{ Name: t, {frame}{wide} }}], TacticName: k, TacticValue: 0x1",
            f"Name: r, LayerType: Reformat, Inputs: [ {{ Name: t, {frame}{wide} }}],"
            f" Outputs: [ {{ Name: u, {frame}{plain} }}], Origin: REFORMAT, TacticValue: 0x0",
            f"Name: b, LayerType: Conv, Inputs: [ {{ Name: u, {frame}{plain} }}],"
            f" Outputs: [ {{ Name: y, {frame}{wide} }}], TacticName: k, TacticValue: 0x1",
            f"Name: c, LayerType: Reformat, Inputs: [ {{ Name: y, {frame}{wide} }}],"
            f" Outputs: [ {{ Name: z, {frame}{wide} }}], Origin: CONCAT, TacticValue: 0x0",
        )
    )
    found = reasons(engine)
    assert sorted(found) == [1, 3]
    assert found[1].text == "`a` writes Half channels last, in 8s; `b` reads Half linear"
    assert [side.layer for side in (*found[1].sources, *found[1].targets)] == [0, 2]
    assert found[3].changes == ("copy",)
    assert found[3].text == (
        "a copy of `b` for the engine's output `z`: type and format stay (origin: CONCAT)"
    )


def test_formats_that_nothing_tells_are_not_called_equal() -> None:
    engine = engine_of(
        text(
            "[V] Engine Layer Information:",
            "Layer(Conv): a, Tactic: 1, x[Float(1,8)] -> t[Float(1,8)]",
            "Layer(Reformat): r, Tactic: 0, t[Float(1,8)] -> u[Float(1,8)]",
            "Layer(Conv): b, Tactic: 1, u[Float(1,8)] -> y[Float(1,8)]",
            "Layer(Conv): c, Tactic: 1, u[Float(1,8)] -> z[Float(1,8)]",
        )
    )
    reason = reasons(engine)[1]
    assert reason.changes == ("untold",)
    assert reason.text == "from `a` for `b`, `c`: the type stays, the formats are unknown"


def test_many_readers_are_counted() -> None:
    readers = [f"Layer(Conv): c{n}, Tactic: 1, u[Half(8)] -> y{n}[Half(8)]" for n in range(9)]
    engine = engine_of(
        text(
            "[V] Engine Layer Information:",
            "Layer(Reformat): r, Tactic: 0, t[Float(8)] -> u[Half(8)]",
            *readers,
        )
    )
    assert reasons(engine)[0].text.endswith("`c2` reads Half and 6 more")


FRAME = "Location: Device, Dimensions: [1,8,4,4], Format/Datatype: "


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("Row major Int8 format", "Int8 linear"),
        ("Row major linear FP16 format", "Half linear"),
        ("Two wide channel vectorized row major FP16 format", "Half channels in 2s"),
        ("Half, Accumulation: Float", "Half"),
        ("Int8", "Int8"),
    ],
)
def test_a_format_never_says_its_type_twice(printed: str, words: str) -> None:
    wide = "Channel major FP16 format where channel % 8 == 0"
    engine = engine_of(
        text(
            "[V] [TRT] Layers:",
            f"Name: r, LayerType: Reformat, Inputs: [ {{ Name: x, {FRAME}{printed} }}],"
            f" Outputs: [ {{ Name: t, {FRAME}{wide} }}], Origin: REFORMAT, TacticValue: 0x0",
            f"Name: a, LayerType: Conv, Inputs: [ {{ Name: t, {FRAME}{wide} }}],"
            f" Outputs: [ {{ Name: y, {FRAME}{wide} }}], TacticName: k, TacticValue: 0x1",
        )
    )
    assert reasons(engine)[0].before == words


def test_a_neighbour_that_prints_less_of_a_tensor_does_not_contradict() -> None:
    """A listing of the old kind says how many channels stand together, not that they are last."""
    engine = engine_of(
        text(
            "[V] Adding reformat layer: Reformatted Input Tensor 0 to conv (x)"
            " from Float(150528,50176,224,1) to Half(50176,1:8,224,1)",
            "[V] Engine Layer Information:",
            "Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv, Tactic: 1002,"
            " x[Float(1,3,224,224)] -> Reformatted Input Tensor 0 to conv[Half(1,3:8,224,224)]",
            "Layer(CaskConvolution): conv, Tactic: 5,"
            " Reformatted Input Tensor 0 to conv[Half(1,3:8,224,224)] -> y[Half(1,8:8,224,224)]",
        )
    )
    reason = reasons(engine)[0]
    assert reason.targets[0].wants == reason.after == "Half channels last, in 8s"


def test_names_stand_apart_from_the_words() -> None:
    engine = engine_of(
        text(
            "[V] Engine Layer Information:",
            "Layer(Conv): a` writes Half; `b, Tactic: 1, x[Float(8)] -> t[Float(8)]",
            "Layer(Reformat): r, Tactic: 0, t[Float(8)] -> u[Half(8)]",
            "Layer(Conv): c, Tactic: 1, u[Half(8)] -> y[Half(8)]",
        )
    )
    words = reasons(engine)[1].words
    assert [part.text for part in parts(words) if isinstance(part, Name)] == [
        "a` writes Half; `b",
        "c",
    ]
    assert plain(words) == reasons(engine)[1].text


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("Reformatting CopyNode for Input Tensor 0 to Slice_3", "builder"),
        ("conv1 input reformatter 0", "builder"),
        ("QuantizeLinear_3_clone_0", "quantiser"),
        ("(Unnamed Layer* 4) [Dequantize]", "quantiser"),
        ("/head/Cast", "cast"),
        (
            "Cast ITensor a from DataType.HALF to DataType.FLOAT - [aten_ops.add.Tensor]-[add]",
            "cast",
        ),
        ("Concat_0_camera copy", "concat"),
        ("(Unnamed Layer* 0) [Identity]", "network"),
        ("/head/Slice_1", "network"),
        ("r", "unknown"),
    ],
)
def test_what_a_reformat_came_from(name: str, cause: str) -> None:
    head = "[V] Engine Layer Information:"
    engine = engine_of(
        text(head, f"Layer(Reformat): {name}, Tactic: 0, x[Half(1,8)] -> y[Float(1,8)]")
    )
    assert reasons(engine)[0].cause == cause


def test_a_layer_of_the_network_is_no_change_between_unknown_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "b.log"
    log.write_text(
        "[V] Engine Layer Information:\n"
        "Layer(Reformat): (Unnamed Layer* 0) [Identity], Tactic: 0, x[Half(1,8)] -> y[Half(1,8)]\n"
    )
    assert main(["summary", str(log), "--width", "200"]) == 0
    assert "output `y`: a layer of the network, which keeps the type" in capsys.readouterr().out


def test_the_record_s_own_word_says_what_a_reformat_came_from() -> None:
    frame = "[ {{ Name: {}, Dimensions: [1,8], Format/Datatype: Half }}]"
    both = f"Inputs: {frame.format('x')}, Outputs: {frame.format('y')}"
    for word, cause in ("REFORMAT", "builder"), ("QDQ", "quantiser"), ("SLICE", "network"):
        record = f"Name: a copy, LayerType: Reformat, {both}, Origin: {word}, TacticValue: 0x0"
        assert reasons(engine_of(text("[V] [TRT] Layers:", record)))[0].cause == cause


def test_what_others_write_too_is_written_in_part() -> None:
    engine = engine_of(
        text(
            "[V] Engine Layer Information:",
            "Layer(Conv): a, Tactic: 1, x[Half(1,8)] -> all[Half(1,8)]",
            "Layer(Reformat): r1, Tactic: 0, x[Half(1,8)] -> all[Half(1,8:8)]",
            "Layer(Reformat): r2, Tactic: 0, all[Half(1,16)] -> t[Float(1,16)]",
            "Layer(Reformat): r3, Tactic: 0, x[Half(1,8)] -> u[Float(1,8)]",
            "Layer(Conv): b, Tactic: 1, t[Float(1,16)], u[Float(1,16)] -> y[Half(1,8)]",
        )
    )
    found = reasons(engine)
    assert [found[index].in_part for index in (1, 2, 3)] == [True, False, True]


def test_the_end_of_a_part_of_a_listing_is_not_the_engines() -> None:
    """Records without a header: what nothing writes here is written above them."""
    record = "Layer(Reformat): r, Tactic: 0x0, x (Half[1,8]) -> y (Int8[1,8])"
    (reason,) = reasons(engine_of(text(record))).values()
    assert (reason.sources, reason.targets) == ((), ())
    (reason,) = reasons(engine_of(text("[V] Engine Layer Information:", record, "[V] ok"))).values()
    assert [side.tensor for side in reason.sources] == ["x"]
