"""Colours can be read and told apart; words are short and never wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine_layer_visualize.analysis.labels import headline, under_head
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.trt.operators import operators


def layer(name: str, type: str = "CaskConvolution") -> Layer:
    return Layer(0, Place("b.log", 1), type, name, "0x1", (), ())


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


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "features.1.conv.0.0.weight + QuantizeLinear_21 + Conv_23 + PWN(Clip_27)",
            ("Conv", "Clip"),
        ),
        ("QuantizeLinear_2_quantize_scale_node", ("QuantizeLinear",)),
        ("Conv_3 + Relu_4 [profile 1]", ("Conv", "Relu")),
        ("Conv_1 || Conv_2 || Conv_3", ("3 × Conv",)),
        ("Conv_1 + Relu_2 || Conv_3 + Relu_4", ("2 × (Conv + Relu)",)),
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
        "reshape_after_(Unnamed Layer* 13) [Matrix Multiply]",
        "onnx::Concat_647 copy",
        "Conv_1 || Relu_2",
        "Conv_1 + my_block_2",
        "{ForeignNode[Conv_1...Relu_9]}",
        "/classifier/classifier_1/Gemm_myl9_2",
        "(Unnamed Layer* 0) [PluginV3_V3ONE]",
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
