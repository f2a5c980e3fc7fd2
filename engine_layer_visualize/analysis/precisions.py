"""Finds the precision that a layer computes in, and where that is known from.

The dtype of an index is not a precision, nor are the dtypes at the ends of a ForeignNode.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.data_types import IN_KERNELS, NO_PRECISION, holds_data

PrecisionFrom = Literal["kernel", "record"]
UNKNOWN: Final = "unknown"
TF32: Final = "TF32"

# `sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_…`: it reads f32, multiplies tf32, adds f32, writes f32.
_TYPE: Final = rf"(?:{'|'.join(IN_KERNELS)})"
_MULTIPLIED: Final = {word: name for word, name in IN_KERNELS.items() if name not in NO_PRECISION}
_KERNEL: Final = re.compile(rf"_{_TYPE}{_TYPE}_({'|'.join(_MULTIPLIED)}){_TYPE}_{_TYPE}(?:_|\Z)")
_TF32: Final = re.compile(r"(?<![a-z])tf32")
# `trt_maxwell_scudnn_128x64_relu_…`, `turing_h1688cudnn_…`, `…_icudnn_…`; the types in the template
# of `void cuSoftMaxLayer<float, …>(…)`, where it has one alone.
_CUDNN: Final = re.compile(r"(?<![a-z])([shi])\d{0,5}cudnn(?:_|\Z)")
_OF_CUDNN: Final = {"s": "Float", "h": "Half", "i": "Int8"}
_IN_TEMPLATE: Final = re.compile(r"\b(?:float|__half2?|half2?|signed char|int8_t)\b")
_OF_TEMPLATE: Final = {"float": "Float", "signed char": "Int8", "int8_t": "Int8"}
_MOST: Final = 0.5  # of a ForeignNode's own time
_NAME_LENGTH: Final = 4_096  # characters of a kernel's name


class LayerPrecision(NamedTuple):
    """The precision that a layer computes in."""

    dtype: str | None = None  # as listings print it; None: unknown
    source: PrecisionFrom | None = None  # where that is known from
    tf32: bool = False  # its kernel takes Float and multiplies in TF32, which keeps 10 of 23 bits

    def __str__(self) -> str:
        """`Float (TF32 kernel)`."""
        return (self.dtype or UNKNOWN) + " (TF32 kernel)" * self.tf32


_OF_TF32: Final = LayerPrecision("Float", "kernel", True)


def of(layer: Layer) -> LayerPrecision:
    """A layer's precision: by its kernel's name, else by the tensors of its record.

    For a reformat, the tensor that it reads counts. A ForeignNode's tensors are the ends of many
    operators and do not count: what the builder timed inside of it does.
    """
    told, tf32 = (None, False) if layer.kernel is None else _of_kernel(layer.kernel)
    if told is not None:
        return told
    if is_myelin(layer) and not tf32:
        return _of_inside(layer.facts) if layer.facts is not None else _of_record(None)
    dtype = None if is_myelin(layer) else _recorded(layer)
    if layer.kernel is not None and not (tf32 or layer.inputs or layer.outputs):
        worded = _worded(layer.kernel)  # a trace has no records
        return LayerPrecision(worded, "kernel" if worded else None)
    return _OF_TF32 if tf32 and dtype in ("Float", None) else _of_record(dtype)


def of_kernel(name: str) -> LayerPrecision:
    """What a kernel's name alone tells."""
    told, tf32 = _of_kernel(name)
    return told or (_OF_TF32 if tf32 else _of_record(None))


def _of_inside(facts: LayerFacts) -> LayerPrecision:
    """That of all operations that were timed inside, if it is one, and they are most of the layer.

    What was not timed there may compute in another precision.
    """
    timed = [one for one in facts.inside if one.tactics]
    found = {of_kernel(one.kernel or "") for one in timed}
    dtypes = {one.dtype for one in found}
    if len(dtypes) != 1 or sum(one.ms or 0 for one in timed) <= _MOST * (
        facts.build_ms or math.inf
    ):
        return _of_record(None)
    return found.pop() if len(found) == 1 else LayerPrecision(dtypes.pop(), "kernel")


@lru_cache(maxsize=1 << 12)
def _of_kernel(name: str) -> tuple[LayerPrecision | None, bool]:
    """What a kernel's name says, and whether it multiplies in TF32."""
    kernel = name[:_NAME_LENGTH].casefold()
    tf32 = "tf32" in kernel and _TF32.search(kernel) is not None
    match = _KERNEL.search(kernel) if "xmma" in kernel else None
    return LayerPrecision(_MULTIPLIED[match[1]], "kernel", tf32) if match else None, tf32


def _worded(name: str) -> str | None:
    """The type by the words of a kernel's name; None where it has none, or several."""
    kernel = name[:_NAME_LENGTH].casefold()
    if match := _CUDNN.search(kernel):
        return _OF_CUDNN[match[1]]
    types = {_OF_TEMPLATE.get(word, "Half") for word in _IN_TEMPLATE.findall(kernel)}
    return types.pop() if "<" in kernel and len(types) == 1 else None


@lru_cache(maxsize=1 << 8)
def _of_record(dtype: str | None) -> LayerPrecision:
    return LayerPrecision(dtype, "record" if dtype else None)


def _recorded(layer: Layer) -> str | None:
    """The first input's, unless that is an index or a mask and another tensor is neither."""
    for tensor in chain(layer.inputs, layer.outputs):
        if holds_data(tensor.dtype):
            return tensor.dtype
    tensors = (*layer.inputs, *layer.outputs)
    untold = any(tensor.dtype is None for tensor in tensors)
    return tensors[0].dtype if tensors and not untold else None
