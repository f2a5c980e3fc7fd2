"""Defines the extents of what a layer multiplies, which the parts of `work` exchange."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine_layer_visualize.analysis.work.records import Ints
from engine_layer_visualize.core.model import Tensor
from engine_layer_visualize.trt.data_types import holds_data

Sizes = tuple["int | None", ...]


ON_DLA: Final = "the DLA runs it as one piece"


class Convolution(NamedTuple):
    """N `batch`, C `channels`, K `filters`; `before`, `after`: its spatial extents, of any rank.

    `after` is what the convolution gives, before a pooling that is fused with it. A classic
    listing has neither `kernel` nor `groups` nor `stride`. `transposed`: a deconvolution. `input`:
    the number of the input that is convolved.
    """

    batch: int | None
    channels: int | None
    filters: int | None
    groups: int | None
    before: Sizes
    after: Sizes
    kernel: Ints | None = None
    stride: Ints | None = None
    padding: tuple[Ints, Ints] | None = None  # before and after each axis
    dilation: Ints | None = None
    transposed: bool = False
    input: int = 0

    @property
    def depthwise(self) -> bool:
        """Whether each channel is convolved alone."""
        return self.groups is not None and 1 < self.groups == self.channels


class Product(NamedTuple):
    """M×K times K×N, `batch` times. `inputs`: the numbers of those inputs that are multiplied."""

    batch: int | None
    m: int | None
    n: int | None
    k: int | None
    inputs: Ints = (0,)


class Unknown(NamedTuple):
    """A convolution or a product of which the record does not give the extents, and `why`."""

    why: str


class Several(NamedTuple):
    """Convolutions that are fused side by side."""

    parts: tuple[Convolution, ...]


Extents = Convolution | Product | Several | Unknown


def is_data(tensor: Tensor) -> bool:
    """Whether it may hold data: the type is that of data, or not told."""
    return holds_data(tensor.dtype) is not False


def sizes(shape: Ints) -> Sizes:
    """The extents of a shape; a negative one is unknown."""
    return shape if not shape or min(shape) >= 0 else tuple(map(size, shape))


def size(extent: int) -> int | None:
    """An extent; None where it is negative."""
    return extent if extent >= 0 else None
