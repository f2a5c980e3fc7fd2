"""Layers that TensorRT adds around those of the network, and nodes that a record names twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from factories import layer
from logtext import HEADER, classic, file_of, text
from paths import FIXTURES
from summarised import said_of

import engine_layer_visualize as elv
from engine_layer_visualize.analysis import labels, origin
from engine_layer_visualize.trt.names import parts, type_in_name


@pytest.mark.parametrize(
    ("name", "type", "head"),
    [
        ("shuffle_between_/a/Relu_output_0_and_/x/Conv", "", "Shuffle"),
        ("shuffle_between_/a/Relu_output_0_and_/x/Conv", "NoOp", "NoOp"),
        ("copied_squeeze_after_(Unnamed Layer* 4) [ElementWise]", "", "Squeeze"),
        ("reshape_after_/fc/Gemm", "", "Reshape"),
        ("/head_linear/MatMul_myl37_5", "", "MatMul"),
    ],
)
def test_a_layer_has_its_own_operator_and_not_its_neighbour_s(
    name: str, type: str, head: str
) -> None:
    assert labels.headline(layer(0, name, [], [], type=type)) == head


def test_the_record_of_an_added_layer_may_name_its_neighbour() -> None:
    record = (("Metadata", "[ONNX Layer: /x/Gemm]"),)
    one = layer(0, "reshape_after_/x/Gemm", [], [], type="Shuffle", attributes=record)
    assert one.onnx_nodes == ("/x/Gemm",)
    assert (labels.headline(one), origin.onnx_operators(one)) == ("Shuffle", ())


def test_a_node_that_metadata_names_twice_is_one_node() -> None:
    (one,) = elv.read(FIXTURES / "facts" / "8.6-node-named-twice.layers.json").engines
    assert labels.headline(one.layers[0]) == "Gemm + Relu"
    assert one.layers[0].onnx_nodes == ("/mast/Gemm", "/mast/Relu")
    assert "1 Gemm, 1 Relu" in said_of(one)


def test_a_plugin_alone_needs_no_autotuning(tmp_path: Path) -> None:
    log = file_of(tmp_path, text(HEADER + classic("quay", "x", "y", "PluginV2")))
    (one,) = elv.read(log).engines
    said = said_of(one, 200)
    assert "Autotuning" not in said


@pytest.mark.parametrize("way", ["input", "output"])
def test_a_reformat_of_tensorrt_7_is_made_of_no_node(way: str) -> None:
    name = f"Conv_0 + Relu_1 {way} reformatter 0"
    assert (parts(name), type_in_name(name, on_dla=False)) == ((), "Reformat")
    one = layer(0, name, ["x"], ["y"], type="Reformat")
    assert (labels.headline(one), origin.onnx_operators(one)) == ("Reformat", ())
