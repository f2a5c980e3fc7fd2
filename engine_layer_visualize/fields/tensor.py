"""`TENSOR`: what is known of a tensor that a layer reads or writes, as its record prints it."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.analysis.work import traffic
from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.core.text import dims
from engine_layer_visualize.fields.field import DATA, INTEGERS, PANEL, TABLE, Field

TENSOR: Final[tuple[Field[Tensor], ...]] = (
    Field("name", "", "name", "", "of the tensor", lambda _, x: x.name, always=True),
    Field(
        *("dtype", "", "data type", ""),
        "the short name, such as `Half`, of a detailed record from the words of `format`; null "
        "where these do not tell",
        lambda _, x: x.dtype,
    ),
    Field(
        *("dims", "", "dims", ""),
        "as printed between the brackets, without blanks",
        *(lambda _, x: x.dims, dims),
        always=True,
    ),
    Field(
        *("shape", "", "shape", ""),
        "extents without the vector part of `64:8`, which is 64 channels stored 8 to a vector; "
        "negative: symbolic (TensorRT 8.0 to 8.4) or unknown (-1)",
        lambda _, x: x.shape,
        kind=INTEGERS,
        places=DATA,
        always=True,
    ),
    Field("format", "", "format", "", "memory format, as printed", lambda _, x: x.format),
    Field(
        *("strides", "", "strides", ""),
        "as printed, with commas; TensorRT-RTX alone prints them",
        lambda _, x: x.strides,
    ),
    Field(
        *("bytes", "", "size", "bytes", "as it lies in memory", lambda _, x: traffic.size(x)),
        places=TABLE | PANEL,
    ),
)
