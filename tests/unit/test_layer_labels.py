"""What boxes of drawings say of layers whose names say little, or too much."""

from __future__ import annotations

import pytest
from factories import layer

from engine_layer_visualize.analysis.labels import box_head, under_head
from engine_layer_visualize.trt.operators import named_after


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Convolution1 + Activation1", ("Convolution", "Activation")),
        ("conv1 + relu1", ("conv", "relu")),
        ("node_max_pool2d_1", ("max_pool2d",)),
        ("node_conv2d + node_relu", ("conv2d", "relu")),
        ("net/conv1/Conv2D + net/relu1/Relu6", ("Conv2D", "Relu")),
        ("reshape_before_net/fc/Gemm", ()),  # TensorRT's own
        ("/net/fc/Linear", ()),
        ("conv1 + my_part", ()),
        ("PWN(node_linear_1 + node_relu_2)", ()),  # a product's bias, not the product
        ("{ForeignNode[conv1...relu9]}", ()),  # and what is between
        ("", ()),
    ],
)
def test_words_of_names_that_users_gave(name: str, words: tuple[str, ...]) -> None:
    assert named_after(name) == words
    head = box_head(layer(0, name, ["a"], ["b"]))
    assert (head == " + ".join(words)) == bool(words)


@pytest.mark.parametrize(
    ("name", "under"),
    [
        ("{ForeignNode[/a/b/Shuffle + /a/Cast.../head/TopK]}", "Shuffle … TopK"),
        (
            "(Unnamed Layer* 0) [Convolution] + (Unnamed Layer* 1) [Activation]",
            "unnamed layers 0, 1",
        ),
        ("(Unnamed Layer* 5) [Shuffle]", "unnamed layer 5"),
        (
            "MatMul + (Unnamed Layer* 2) [Shuffle] + unsqueeze_node_after_b + add_2",
            "MatMul + add_2",
        ),
        ("(Unnamed Layer* 8) [Scale] + Relu_2", "(Unnamed Layer* 8) [Scale] + Relu_2"),
        ("PWN(PWN(HardSigmoid_1), Mul_2)", "HardSigmoid_1 + Mul_2"),
        (
            "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]"
            " + [RELU]-[aten_ops.relu.default]-[/features/1/relu]",
            "/features/0/convolution + /features/1/relu",
        ),
        ("conv1.weight + Conv_1", "conv1"),
    ],
)
def test_the_second_line_says_what_tells_the_place(name: str, under: str) -> None:
    assert under_head(layer(0, name, ["a"], ["b"])) == under
