"""What a network was made from: by its build's log, else by the names of its layers."""

from __future__ import annotations

import pytest
from factories import engine_of
from logtext import HEADER, TV, classic, text

from engine_layer_visualize.analysis import labels, origin
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.drawing import tooltips

CLAMP = "[ELEMENTWISE]-[aten_ops.clamp.default]-[/0/clamp]"
CONV = "[CONVOLUTION]-[aten_ops.convolution.default]-[/0/conv]"
FUSED = f"{CONV} + PWN({CLAMP}, PWN({CLAMP}, {CLAMP}))"
UNNAMED = "(Unnamed Layer* 0) [Convolution] + (Unnamed Layer* 1) [Activation]"
RECORD = (
    "Name: a_myl0_1, LayerType: kgen, "
    "Inputs: [ { Name: x, Dimensions: [1,8], Format/Datatype: Half }], "
    "Outputs: [ { Name: y, Dimensions: [1,8], Format/Datatype: Half }], "
    "TacticName: k, StreamId: 0, Metadata: "
)


def engine(*lines: str, name: str = "a") -> Engine:
    return engine_of(text(*lines) + HEADER + text(classic(name, "x", "y")), facts=True)


def model(format: str) -> tuple[str, ...]:
    head = "&&&& RUNNING TensorRT.trtexec [TensorRT v8205] # trtexec --verbose"
    return head, "[I] === Model Options ===", f"[I] Format: {format}", "[I] Model: m"


@pytest.mark.parametrize(
    ("lines", "name", "source"),
    [
        (model("ONNX"), "a", "onnx"),
        (model("UFF"), "a", "uff"),
        (model("Caffe"), "a", "caffe"),
        (model("*"), "a", "unknown"),
        ([f"{TV}Adding network input: x with dtype: float32, dimensions: (1, 8)"], UNNAMED, "onnx"),
        (["[W] [TRT] onnx2trt_utils.cpp:391: One or more weights were clamped"], "a", "onnx"),
        ([], f"{UNNAMED} + relu", "unknown"),
        ([], "/features/Conv", "unknown"),
        ([], "/features/Conv + /features/act/HardSwish_1", "onnx"),
        ([], "elm.weight + QuantizeLinear_7_quantize_scale_node + Conv_9", "onnx"),
        ([], "Conv_1 + Relu_1", "unknown"),  # of each kind the first
        ([], FUSED, "torch"),
        ([], "[CONVOLUTION]-[acc_ops.conv2d]-[conv2d_1]", "torch"),
        ([], "[RELU #1] torch.nn.ReLU.forward(ReLU(inplace=True))", "torch"),
        ([], "[aten_ops]", "unknown"),
    ],
)
def test_what_a_network_was_made_from(lines: list[str], name: str, source: str) -> None:
    assert origin.frontend_of(Costs(engine(*lines, name=name))).source == source


@pytest.mark.parametrize(
    ("tensors", "source"),
    [
        (["(Unnamed Layer* 0) [Activation]_output", "(Unnamed Layer* 1) [Pooling]_output"], "api"),
        (["(Unnamed Layer* 0) [Activation]_output", "b"], "unknown"),
        (["(Unnamed Layer* 0) [Fully Connected]_output"], "unknown"),
    ],
)
def test_parsers_name_the_tensors_of_nodes(tensors: list[str], source: str) -> None:
    ends = ["x", *tensors, "y"]
    records = (
        classic(f"{name} + relu", read, written)
        for name, read, written in zip("abc", ends, ends[1:])
    )
    found = engine_of(HEADER + text(*records), facts=True)
    assert origin.frontend_of(Costs(found)).source == source


def test_a_record_s_metadata_names_nodes_of_onnx() -> None:
    layers = "[V] [TRT] Layers:"
    found = [
        origin.frontend_of(Costs(engine_of(text(layers, RECORD + metadata)))).source
        for metadata in ("[ONNX Layer: /a/Add]", "", CLAMP)
    ]
    assert found == ["onnx", "unknown", "torch"]


def test_several_layers_of_one_operation_of_pytorch_are_one() -> None:
    own = engine(name=FUSED)
    (layer,) = own.layers
    assert origin.onnx_nodes_of(layer).all == (CONV, CLAMP)
    assert labels.counted(labels.node_operators(layer)) == (("convolution", 1), ("clamp", 1))
    assert headline(layer) == "convolution + clamp"
    (told,) = [one for one in tooltips.of_layer(layer, Costs(own)) if "operations: " in one]
    assert told.startswith("PyTorch operations: [CONVOLUTION]")
