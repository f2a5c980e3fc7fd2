"""Lists what is known of a tensor (`TENSOR`) that a layer reads or writes."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis.work import traffic
from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.core.text import dims
from engine_layer_visualize.fields.field import (
    DATA,
    INTEGERS,
    PANEL,
    TABLE,
    Field,
    field,
)

TENSOR: Final[tuple[Field[Tensor], ...]] = (
    field("name", "name", "of the tensor", always=True),
    field(
        *("dtype", "data type"),
        "the short name, such as `Half`, of a detailed record from the words of `format`; null "
        "where these do not tell",
    ),
    field(
        *("dims", "dims", "as printed between the brackets, without blanks"),
        text=dims,
        always=True,
    ),
    field(
        *("shape", "shape"),
        "extents without the vector part of `64:8`, which is 64 channels stored 8 to a vector; "
        "negative: symbolic (TensorRT 8.0 to 8.4) or unknown (-1)",
        *(DATA, INTEGERS),
        always=True,
    ),
    field("format", "format", "memory format, as printed"),
    field("strides", "strides", "as printed, with commas; TensorRT-RTX alone prints them"),
    field(
        "bytes", "size", "as it lies in memory", TABLE | PANEL, value=lambda _, x: traffic.size(x)
    ),
)
