"""Colours can be read and told apart; words are short and never wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine_layer_visualize.analysis.labels import headline, under_head, under_heads
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import milliseconds, percent, shorten, wrap
from engine_layer_visualize.drawing import theme
from engine_layer_visualize.drawing.coloring import tint, type_fills
from engine_layer_visualize.trt.names import split_profile
from engine_layer_visualize.trt.operators import operators


def layer(name: str, type: str = "CaskConvolution") -> Layer:
    return Layer(0, Place("b.log", 1), type, name, "0x1", (), ())


def test_text_can_be_read_on_every_mark() -> None:
    for mark in theme.LIGHT.marks.values():
        assert theme.contrast(theme.ink(mark.fill), mark.fill) >= 4.5
        assert theme.contrast(theme.LIGHT.muted, mark.fill) >= 4.5
    for each in (theme.LIGHT, theme.DARK):
        for ground in (each.paper, each.group):
            assert theme.contrast(each.muted, ground) >= 4.5
            assert theme.contrast(each.ink, ground) >= 4.5


def test_heat_darkens_all_the_way_and_text_can_be_read_on_it() -> None:
    heats = [theme.heat(step / 1000) for step in range(1001)]
    against_paper = [theme.contrast("#ffffff", fill) for fill in heats]
    assert against_paper == sorted(against_paper)
    assert heats[0] != heats[10] != heats[20]
    for fill in heats:
        assert theme.contrast(theme.ink(fill), fill) >= 4.5, fill
    assert all(len(theme.heat(share)) == 7 for share in (-1.0, 2.0, float("inf"), float("nan")))


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK])
def test_text_can_be_read_on_every_type_and_precision(look: theme.Theme) -> None:
    for fill in (*type_fills(look), *(tint(entry.color, look) for entry in look.entries)):
        assert theme.contrast(theme.ink(fill, look), fill) >= 4.5, fill


@pytest.mark.parametrize(
    ("label", "dtypes"),
    [
        ("Float", ["Float", "FP32"]),
        ("Half", ["Half", "FP16"]),
        ("BFloat16", ["BFloat16"]),
        ("Int8", ["Int8"]),
        ("FP8", ["FP8", "FP8E4M3"]),
        ("FP4, Int4", ["FP4", "Int4"]),
        ("Int32, Int64", ["Int32", "Int64"]),
        ("Bool, UInt8", ["Bool", "UInt8"]),
        ("another type", ["Complex64", ""]),
        ("unknown", [None]),
    ],
)
def test_a_data_types_precision_has_a_label(label: str, dtypes: list[str | None]) -> None:
    assert {theme.precision(dtype).label for dtype in dtypes} == {label}
    entries = theme.LIGHT.entries
    assert len({entry.color for entry in entries}) == len(entries)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 µs"),
        (0.0000004, "0.40 ns"),
        (0.0005, "500 ns"),
        (0.0213, "21.3 µs"),
        (0.397, "397 µs"),
        (0.9996, "1.00 ms"),
        (2.596, "2.60 ms"),
        (9.999, "10.0 ms"),
        (99.96, "100 ms"),
        (1234, "1.23 s"),
        (1e9, "1000000 s"),
    ],
)
def test_milliseconds_have_a_unit_that_fits(ms: float, text: str) -> None:
    assert milliseconds(ms) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0001, "<0.1 %"), (0.0128, "1.3 %"), (0.153, "15.3 %"), (1, "100.0 %")],
)
def test_percent_is_never_zero_of_something(share: float, text: str) -> None:
    assert percent(share) == text


@given(st.text(), st.integers(0, 60))
@example("backbone.body.layer3.4.conv2.weight", 20)
@example("a" * 9 + "……" + "b" * 9, 19)
def test_a_shortened_name_fits_and_keeps_its_end(name: str, width: int) -> None:
    short = shorten(name, width)
    assert len(short) <= width or short == name
    if short != name and width > 1:
        head, _, tail = short.rpartition("…")
        assert name.startswith(head)
        assert name.endswith(tail)


@given(st.text(), st.integers(4, 60), st.integers(1, 4))
def test_wrapped_names_fit(name: str, width: int, lines: int) -> None:
    wrapped = wrap(name, width, lines)
    assert len(wrapped) <= lines
    assert all(len(line) <= width for line in wrapped)
    if "…" not in "".join(wrapped):
        assert "".join("".join(wrapped).split()) == "".join(name.split())


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "conv1.weight + QuantizeLinear_7_quantize_scale_node + Conv_9 + Relu_11",
            ("Conv", "Relu"),
        ),
        (
            "features.1.conv.0.0.weight + QuantizeLinear_21 + Conv_23 + PWN(Clip_27)",
            ("Conv", "Clip"),
        ),
        ("QuantizeLinear_2_quantize_scale_node", ("QuantizeLinear",)),
        ("/layer1/conv1/Conv + /layer1/Add + /layer1/relu_1/Relu", ("Conv", "Add", "Relu")),
        ("Conv_3 + Relu_4 [profile 1]", ("Conv", "Relu")),
        ("Conv_1 || Conv_2 || Conv_3", ("3 × Conv",)),
        ("Conv_1 + Relu_2 || Conv_3 + Relu_4", ("2 × (Conv + Relu)",)),
        (
            "(Unnamed Layer* 7) [Fully Connected] + (Unnamed Layer* 8) [Activation]",
            ("Fully Connected", "Activation"),
        ),
        ("PWN(PWN(Sigmoid_3), Mul_4)", ("Sigmoid", "Mul")),
        (
            "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]"
            " + [RELU]-[aten_ops.relu.default]-[/features/1/relu]",
            ("convolution", "relu"),
        ),
    ],
)
def test_operators_are_read_from_a_name(name: str, wanted: tuple[str, ...]) -> None:
    assert operators(name) == wanted


@pytest.mark.parametrize(
    "name",
    [
        "",
        "conv1.weight",
        "Reformatting CopyNode for Input Tensor 0 to Conv_3",
        "Reformatting CopyNode for Output Tensor 0 to /conv1/Conv + /relu/Relu",
        "/Flatten + reshape_before_/classifier/classifier.0/Gemm",
        "reshape_after_(Unnamed Layer* 13) [Matrix Multiply]",
        "copied_squeeze_after_Add_3",
        "onnx::Concat_647 copy",
        "Conv_1 || Relu_2",
        "Conv_1 + my_block_2",
        "{ForeignNode[Conv_1...Relu_9]}",
        "PWN(node_linear_1 + node_relu_2)",
        "/classifier/classifier_1/Gemm_myl9_2",
        "(Unnamed Layer* 0) [PluginV3_V3ONE]",
        "Mean + y",
    ],
)
def test_an_unclear_name_falls_back_to_the_type(name: str) -> None:
    assert operators(name) == ()
    assert headline(layer(name, "Myelin")) == "Myelin"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Reformatting CopyNode for Input Tensor 0 to Conv_3 + Relu_4", "to Conv_3 + Relu_4"),
        ("Reformatting CopyNode for Output Tensor 1 to pool", "of pool"),
        ("(Unnamed Layer* 0) [PluginV3_V3ONE]", "unnamed layer 0"),
    ],
)
def test_a_line_tells_what_other_names_do_not_say(name: str, line: str) -> None:
    assert under_head(layer(name)) == line


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("a [profile 12]", ("a", "12")),
        ("a", ("a", None)),
        ("a[profile 1]", ("a[profile 1]", None)),
        ("a [profile x]", ("a [profile x]", None)),
        ("a [profile ]", ("a [profile ]", None)),
        ("a [profile 1] [profile 2]", ("a [profile 1]", "2")),
    ],
)
def test_a_name_is_split_from_its_optimisation_profile(
    name: str, split: tuple[str, str | None]
) -> None:
    assert split_profile(name) == split


def test_known_nodes_say_what_a_kernel_does_even_where_one_of_them_does_not() -> None:
    nodes = "\x1e".join(f"[ONNX Layer: {name}]" for name in ("/a/Mul", "/a/made_up", "/a/Add_1"))
    fused = replace(layer("__myl_0", "kgen"), attributes=(("Metadata", nodes),))
    assert headline(fused) == "Mul + Add"
    aten = "[CONVOLUTION]-[aten_ops._native_batch_norm_legit_no_training.default]-[/bn]"
    assert headline(layer(aten)) == "BatchNorm"


def test_nodes_that_other_lines_of_the_log_tell_are_a_headline_too() -> None:
    """`conv1 + relu1` names no operators; the lines about the parsed model do."""
    told = LayerFacts(
        onnx_nodes=("first", "second"), onnx_nodes_from="name", onnx_operators=("MatMul", "Relu")
    )
    known = replace(layer("first + second"), facts=told)
    assert headline(known) == "MatMul + Relu"
    assert headline(known, told=False) == "CaskConvolution"
    assert headline(replace(known, facts=replace(told, onnx_operators=("MatMul", "")))) == (
        "CaskConvolution"
    )
    assert headline(replace(known, type="PointWiseV2")) == "PointWiseV2"  # it adds and clamps
    foreign = replace(known, name="{ForeignNode[first...second]}", type="Myelin")
    assert headline(foreign) == "Myelin"


def test_what_all_places_begin_with_is_left_out() -> None:
    names = ["/model/net/a/Conv", "/model/net/b/Conv", "/model/net/b/c/Conv", "Reformatting x"]
    assert under_heads([layer(name) for name in names]) == ["a", "b", "b/c", "Reformatting x"]
    assert under_heads([layer(name) for name in names[:2]]) == ["model/net/a", "model/net/b"]
    assert under_heads([layer("/x/Conv"), layer("/y/z/Conv"), layer("/y/Conv")])[1] == "y/z"
