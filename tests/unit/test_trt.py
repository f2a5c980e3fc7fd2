"""TensorRT's vocabulary: data types, and numbers in layers' names."""

from __future__ import annotations

import pytest

from engine_layer_visualize.trt.names import myelin_index, names_nodes_alone, onnx_nodes, profile_in
from engine_layer_visualize.trt.types import bits, canonical, dtype, holds_data, width


@pytest.mark.parametrize(
    ("spelled", "name", "wide", "computed"),
    [
        ("fp16", "Half", 16, 16),
        ("TF32", "Float", 32, 32),
        ("float8_e4m3fn", "FP8", 8, 8),
        ("fp4e2m1", "FP4", 4, 4),
        ("boolean", "Bool", 8, None),
        ("E8M0", "E8M0", None, None),
        ("Quaternion", None, None, None),
    ],
)
def test_a_type_is_one_however_it_is_spelled(
    spelled: str, name: str | None, wide: int | None, computed: int | None
) -> None:
    found = canonical(spelled), width(spelled), bits(spelled), dtype(f"Row major {spelled} format")
    assert found == (name, wide, computed, name)


@pytest.mark.parametrize(
    ("name", "index"),
    [
        *(("gemm_myl7_12", 7), ("__myl_Add_myl123456789_1", 123456789), ("a_myl7_", None)),
        *(("a_myl1234567890_1", None), ("a_myl7_12 [profile 1]", None), ("a_myl7_1\n", None)),
    ],
)
def test_the_index_of_a_myelin_layer(name: str, index: int | None) -> None:
    assert myelin_index(name) == index


@pytest.mark.parametrize(
    ("name", "profile"),
    [("y [profile 3]", 3), ("y [profile 1].1_4_myl15", 1), ("y [profile 1] z", 0), ("y", 0)],
)
def test_the_optimisation_profile_in_a_name(name: str, profile: int) -> None:
    assert profile_in(name) == profile


@pytest.mark.parametrize(
    ("metadata", "nodes", "alone"),
    [
        ("[ONNX Layer: a]", ("a",), True),
        ("[ONNX Layer: a]\x1e[ONNX Layer: b]", ("a", "b"), True),
        ("[ONNX Layer: a][ONNX Layer: b]", ("a", "b"), True),
        ("[ONNX Layer: a | then (If)]", ("a",), False),
        ("[ONNX Layer: a]\x1eby hand", ("a", "by hand"), False),
        ("", (), False),
    ],
)
def test_metadata_may_say_more_than_the_names_of_nodes(
    metadata: str, nodes: tuple[str, ...], alone: bool
) -> None:
    assert (onnx_nodes(metadata), names_nodes_alone(metadata)) == (nodes, alone)


@pytest.mark.parametrize(
    ("dtype", "holds"),
    [("Half", True), ("int8", True), ("Int64", False), ("bool", False), ("?", True), (None, None)],
)
def test_indices_and_masks_hold_no_data(dtype: str | None, holds: bool | None) -> None:
    assert holds_data(dtype) is holds
