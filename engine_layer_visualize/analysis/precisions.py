"""Finds the precision that a layer computes in, its bytes, and why it is not a lower one."""

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.core.layer_facts import Candidates, LayerFacts
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.trt import types
from engine_layer_visualize.trt.types import IN_KERNELS, NO_PRECISION

UNKNOWN: Final = "unknown"
TF32: Final = "TF32"

# `sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_…`: it reads f32, multiplies tf32, adds f32, writes f32.
_TYPE: Final = rf"(?:{'|'.join(IN_KERNELS)})"
_MULTIPLIED: Final = {word: name for word, name in IN_KERNELS.items() if name not in NO_PRECISION}
_KERNEL: Final = lazy(rf"_{_TYPE}{_TYPE}_({'|'.join(_MULTIPLIED)}){_TYPE}_{_TYPE}(?:_|\Z)")
# `sm50_xmma_cublas_gemvx_f32f32_f32_f32_tn_…`: all in one type.
_ALL_IN_ONE: Final = lazy(rf"_({'|'.join(_MULTIPLIED)})\1_\1_\1(?:_|\Z)")
_TF32: Final = re.compile(r"(?<![a-z])tf32")
# `trt_maxwell_scudnn_128x64_relu_…`, `turing_h1688cudnn_…`, `…_icudnn_…`; the types in the template
# of `void cuSoftMaxLayer<float, …>(…)`, where it has one alone.
_CUDNN: Final = lazy(r"(?<![a-z])([shi])\d{0,5}cudnn(?:_|\Z)")
_OF_CUDNN: Final = {"s": "Float", "h": "Half", "i": "Int8"}
_IN_TEMPLATE: Final = lazy(r"\b(?:float|__half2?|half2?|signed char|int8_t)\b")
_OF_TEMPLATE: Final = {"float": "Float", "signed char": "Int8", "int8_t": "Int8"}
# What of a layer's memory is on the device, beside tensors.
HELD: Final = ("scratch", "device_persistent", "weights")
_NAME_LENGTH: Final = 4_096  # characters of a kernel's name


class LayerPrecision(NamedTuple):
    """The precision that a layer computes in."""

    dtype: str | None = None  # as listings print it; None: unknown
    source: Literal["kernel", "record"] | None = None  # where that is known from
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
    told, tf32 = _of_kernel(layer.kernel or "")
    if told is not None:
        return told
    if is_myelin(layer) and not tf32:
        return _of_inside(layer.known)
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
    if len(dtypes) != 1 or sum(one.ms or 0 for one in timed) <= (facts.build_ms or math.inf) / 2:
        return _of_record(None)
    return found.pop() if len(found) == 1 else LayerPrecision(dtypes.pop(), "kernel")


@lru_cache(maxsize=1 << 12)
def _of_kernel(name: str) -> tuple[LayerPrecision | None, bool]:
    """What a kernel's name says, and whether it multiplies in TF32."""
    kernel = name[:_NAME_LENGTH].casefold()
    tf32 = "tf32" in kernel and _TF32.search(kernel) is not None
    match = "xmma" in kernel and (_KERNEL.search(kernel) or _ALL_IN_ONE.search(kernel))
    return LayerPrecision(_MULTIPLIED[match[1]], "kernel", tf32) if match else None, tf32


def _worded(name: str) -> str | None:
    """The type by the words of a kernel's name; None where it has none, or several."""
    kernel = name[:_NAME_LENGTH].casefold()
    if match := _CUDNN.search(kernel):
        return _OF_CUDNN[match[1]]
    named = {_OF_TEMPLATE.get(word, "Half") for word in _IN_TEMPLATE.findall(kernel)}
    return named.pop() if "<" in kernel and len(named) == 1 else None


@lru_cache(maxsize=1 << 8)
def _of_record(dtype: str | None) -> LayerPrecision:
    return LayerPrecision(dtype, "record" if dtype else None)


def _recorded(layer: Layer) -> str | None:
    """The first input's, unless that is an index or a mask and another tensor is neither."""
    dtypes = [tensor.dtype for tensor in (*layer.inputs, *layer.outputs)]
    held = next(filter(types.holds_data, dtypes), None)
    return held or (dtypes[0] if dtypes and None not in dtypes else None)


def precision_of(layer: Layer) -> str:
    """The dtype that a layer computes with, or `unknown`."""
    return of(layer).dtype or UNKNOWN


def told_of(layer: Layer) -> str:
    """What a layer computes in, or `unknown`: TF32, though a listing tells Float of it."""
    known = of(layer)
    return TF32 if known.tf32 else types.canonical(known.dtype) or known.dtype or UNKNOWN


def computed_in(layers: Iterable[Layer]) -> str:
    """What layers compute in: `Half`, `Float and TF32`."""
    return " and ".join(sorted({*map(told_of, layers)}))


def moved(layer: Layer) -> int | None:
    """Bytes that a layer reads and writes; None where its tensors or their sizes are unknown."""
    whole = 0
    tensors = (*layer.inputs, *layer.outputs)
    for tensor in tensors:
        elements, wide = tensor.elements, types.width(tensor.dtype)
        if elements is None or wide is None:
            return None
        whole += (elements * wide + 7) // 8
    return whole if tensors else None


def held(layer: Layer) -> int | None:
    """The bytes of device memory that a layer holds by the log; None where it has none.

    They are persistent memory, scratch and weights.
    """
    known = held_parts(layer)
    return sum(known.values()) if known else None


def held_parts(layer: Layer) -> dict[str, int]:
    """The bytes of device memory that a layer holds, by their part, of HELD."""
    sizes = ((part, getattr(layer.known.memory, part, None)) for part in HELD)
    return {part: size for part, size in sizes if size is not None}


def format_words(tensor: Tensor) -> str:
    """A tensor's memory format in words; empty where it is unknown."""
    short = types.short_format(tensor.format) if tensor.format else ""
    if short and tensor.format != tensor.dtype:
        return short
    vector = tensor.dims.partition(":")[2].partition(",")[0]
    return types.of_dims(tensor.dtype, vector) if vector else ""


def dims(tensors: Iterable[Tensor]) -> str:
    """The dims of tensors as printed, such as `[1,64,56,56] [1,64]`."""
    return " ".join(f"[{tensor.dims}]" for tensor in tensors)


# ---- why a layer computes in a higher precision than the lowest one that the build allowed -------

# A layer that only moves, shapes or holds data has no precision of its own. Why others compute in
# more bits is decided by the log's own words, else by what the autotuner timed.


_PASSIVE: Final = frozenset(
    """
    Constant NoOp Reformat MyelinReformat Shuffle Slice Gather Concat Concatenation Resize
    ShapeHostToDevice DeviceToShapeHost TrainStation Identity Shape copy signal wait
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


def computes(layer: Layer) -> bool:
    """Whether a layer has a precision of its own to compute in."""
    return layer.type not in _PASSIVE


# It is the `fastest`; a lower precision was `faster`; none was timed; `unknown`.
Reason = Literal["fastest", "faster", "never", "unknown"]


def why_higher(layer: Layer, tuned: Candidates) -> Reason:
    """Why a layer computes in more bits than the build allowed.

    By the autotuner's times alone; `tuned` is what it tried for the layer, or for the equal one
    whose time that has.
    """
    facts, precision = layer.known, precision_of(layer)
    chosen, most = facts.build_ms, types.bits(precision)
    # What a tactic reads tells its precision only where that is so of the one that runs, too.
    told = tuned.combinations and _read_in(facts.formats) == types.dtype(precision)
    if not told or chosen is None or most is None:
        return "unknown"
    every = ((one, types.bits(_read_in(one.formats))) for one in tuned.combinations)
    lower = next((one for one, wide in every if wide is not None and wide < most), None)
    if lower is None:
        return "never"
    # Times that differ by less than 1 % are the timer's noise.
    return "faster" if lower.ms < 0.99 * chosen else "fastest"


def _read_in(formats: str | None) -> str | None:
    """The type of the first input of `Half(8,1) -> Half(8,1)`, the formats of a tactic."""
    return types.dtype((formats or "").partition("(")[0])
