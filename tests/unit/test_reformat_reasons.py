"""Why a reformat is there: told by its neighbours' own prints."""

from collections.abc import Mapping

import pytest
from factories import engine_of
from logtext import detailed, text

from engine_layer_visualize.analysis import costs, reformat_reasons
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.words import Name, parts

HEAD = "[V] Engine Layer Information:"


def reasons(engine: Engine) -> Mapping[int, Reason]:
    return reformat_reasons.of(costs.Costs(engine))


def conv(name: str, read: str, written: str) -> str:
    return f"Layer(Conv): {name}, Tactic: 1, {read} -> {written}"


def reformat(read: str, written: str, name: str = "r") -> str:
    return f"Layer(Reformat): {name}, Tactic: 0, {read} -> {written}"


@pytest.mark.parametrize(
    ("records", "changes", "words"),
    [
        # formats that nothing tells are not called equal
        ([conv("a", "x[Float(1,8)]", "t[Float(1,8)]"), reformat("t[Float(1,8)]", "u[Float(1,8)]"),
          conv("b", "u[Float(1,8)]", "y[Float(1,8)]"), conv("c", "u[Float(1,8)]", "z[Float(1,8)]")],
         ("untold",), "from `a` for `b`, `c`: the type stays, the formats are unknown"),
        ([reformat("x[Half(1,8)]", "y[Half(1,8)]", "(Unnamed Layer* 0) [Identity]")],
         ("untold",), "output `y`: a layer of the network, which keeps the type"),
        # a branch of TensorRT 7 is copied beside what another layer wrote
        ([conv("a", "x[Float(8,4,4)]", "t[Float(4,4,4)]"),
          reformat("s[Float(2,4,4)]", "t[Float(2,4,4)]", "380 copy"),
          conv("b", "t[Float(6,4,4)]", "y[Float(8,4,4)]")],
         ("untold",), "the formats are unknown (a copy into a Concat's output)"),
        # many readers are counted
        ([reformat("t[Float(8)]", "u[Half(8)]"),
          *(conv(f"c{n}", "u[Half(8)]", f"y{n}[Half(8)]") for n in range(9))],
         ("type",), "`c2` reads Half and 6 more"),
    ],
)  # fmt: skip
def test_reasons_of_old_listings(records: list[str], changes: tuple[str, ...], words: str) -> None:
    (reason,) = reasons(engine_of(text(HEAD, *records))).values()
    assert reason.changes == changes
    assert reason.text.endswith(words)


@pytest.mark.parametrize("dims", ["1,3,224,224", "1,3:8,224,224"])
def test_a_format_that_the_next_layer_wants(dims: str) -> None:
    """The record itself may say how many channels stand together, not that they are last."""
    tensor = "Reformatted Input Tensor 0 to conv"
    engine = engine_of(
        text(
            f"[V] Adding reformat layer: {tensor} (x)"
            " from Float(150528,50176,224,1) to Half(50176,1:8,224,1)",
            HEAD,
            reformat("x[Float(1,3,224,224)]", f"{tensor}[Half({dims})]",
                     "Reformatting CopyNode for Input Tensor 0 to conv"),
            conv("conv", f"{tensor}[Half({dims})]", "y[Half(1,8,224,224)]"),
        )
    )  # fmt: skip
    reason = reasons(engine)[0]
    assert reason.changes == ("type", "format")
    assert (reason.before, reason.after) == ("Float linear", "Half HWC8")
    assert reason.text == ("the engine's input `x` is Float linear; `conv` reads Half HWC8")


WIDE = "Channel major FP16 format where channel % 8 == 0"
PLAIN = "Row major linear FP16 format"
KEYS = ", TacticName: k, TacticValue: 1"
COPIES = ", Origin: {}, TacticValue: 1"


def test_both_neighbours_are_named_with_what_they_print() -> None:
    engine = engine_of(
        text(
            "[V] [TRT] Layers:",
            detailed("a", "x", "t", "Conv", KEYS, PLAIN, gives=WIDE),
            detailed("r", "t", "u", "Reformat", COPIES.format("REFORMAT"), WIDE, gives=PLAIN),
            detailed("b` reads; `", "u", "y", "Conv", KEYS, PLAIN, gives=WIDE),
            detailed("c", "y", "z", "Reformat", COPIES.format("CONCAT"), WIDE),
        )
    )
    found = reasons(engine)
    assert sorted(found) == [1, 3]
    assert found[1].text == "`a` writes Half HWC8; `b` reads; `` reads Half linear"
    names = [part.text for part in parts(found[1].words) if isinstance(part, Name)]
    assert names == ["a", "b` reads; `"]
    assert [side.layer for side in (*found[1].sources, *found[1].targets)] == [0, 2]
    assert found[3].changes == ("copy",)
    assert found[3].text == (
        "a copy of `b` reads; `` for the engine's output `z`: type and format stay (origin: CONCAT)"
    )


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("Reformatting CopyNode for Input Tensor 0 to Slice_3", "builder"),
        ("QuantizeLinear_3_clone_0", "quantiser"),
        ("/head/Cast", "cast"),
        ("Cast ITensor a from DataType.HALF to DataType.INT8 - [aten_ops.add.Tensor]-[a]", "cast"),
        ("Concat_0_camera copy", "concat"),
        ("(Unnamed Layer* 0) [Identity]", "network"),
        ("r", "unknown"),
    ],
)
def test_what_a_reformat_came_from(name: str, cause: str) -> None:
    engine = engine_of(text(HEAD, reformat("x[Half(1,8)]", "y[Float(1,8)]", name)))
    assert reasons(engine)[0].cause == cause


def test_what_others_write_too_is_written_in_part() -> None:
    records = (
        conv("a", "x[Half(1,8)]", "all[Half(1,8)]"),
        reformat("x[Half(1,8)]", "all[Half(1,8:8)]"),
        reformat("all[Half(1,16)]", "t[Float(1,16)]"),
        reformat("x[Half(1,8)]", "u[Float(1,8)]"),
        conv("b", "t[Float(1,16)], u[Float(1,16)]", "y[Half(1,8)]"),
    )
    found = reasons(engine_of(text(HEAD, *records)))
    assert [found[index].in_part for index in (1, 2, 3)] == [True, False, True]


def test_the_end_of_a_part_of_a_listing_is_not_the_engines() -> None:
    """Records without a header: what nothing writes here is written above them."""
    record = reformat("x (Half[1,8])", "y (Int8[1,8])")
    (reason,) = reasons(engine_of(text(record))).values()
    assert (reason.sources, reason.targets) == ((), ())
    (reason,) = reasons(engine_of(text(HEAD, record, "[V] ok"))).values()
    assert [side.tensor for side in reason.sources] == ["x"]


def test_behind_a_no_op_stands_the_engine_s_output() -> None:
    records = (
        conv("a", "x[Half(1,8)]", "t[Half(1,8)]"),
        reformat("t[Half(1,8)]", "u[Float(1,8)]"),
        "Layer(NoOp): n, Tactic: 0, u[Float(1,8)] -> y[Float(8,1)]",
    )
    (reason,) = reasons(engine_of(text(HEAD, *records))).values()
    assert [(side.layer, side.name) for side in reason.targets] == [(None, "output y")]
