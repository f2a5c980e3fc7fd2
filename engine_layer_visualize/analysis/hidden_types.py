"""Checks the words that say which layers to hide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

# Words for --hide besides the types -> the kind of layer that each means.
KINDS: Final = {"opaque": "opaque", "unlisted": "hidden"}
# Types that TensorRT 5 to 10 print; the set is open, and an engine need not have them all.
_TYPES: Final = """
    CaskConvolution CaskDeconvolution CaskFlattenConvolution CaskGemmConvolution CaskPooling
    CaskSoftMaxV2 Cast Concat Concatenation Constant ConvActPool CublasConvolution
    CudaDepthwiseConvolution CudaPooling CudaSoftMax CudnnConvolution CudnnDeconvolution
    CudnnPooling DeviceToShapeHost ElementWise FullyConnected FusedConvActConvolution
    FusedConvActDirect Gather gemm GemmDeconvolution Identity kgen LogSoftmaxTopK MatrixMultiply
    Myelin MyelinReformat NMS NoOp Normalization PluginV2 PluginV3 PointWise PointWiseV2
    PoolingTiled Quantize Reduce Reformat Resize Scale Scatter Shape ShapeHostToDevice Shuffle
    Slice SoftMax TiledPooling TopK TrainStation
""".split()  # noqa: SIM905 - a list of quoted words reads worse
_TYPES_IN_MESSAGE: Final = 8  # types in a message


def unknown_types(hide: Iterable[str], types: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Words that are neither known nor among the engines' `types`.

    Each with what to say of it: the type that is spelled like it, or, where there is none, `types`.
    """
    there = list(dict.fromkeys(type for type in types if type))
    known = {word.casefold(): word for word in (*_TYPES, *KINDS, *there)}
    for word in dict.fromkeys(hide):
        if word.casefold() not in known:
            from difflib import get_close_matches

            near = get_close_matches(word.casefold()[:200], known, 1)
            yield word, _instead([known[name] for name in near] or there)


def _instead(types: list[str]) -> str:
    message = "hides nothing: no layer is of such a type"
    if len(types) == 1:
        return f"{message}; did you mean `{types[0]:.60}`?"
    if not types:
        return message
    shown = ", ".join(f"`{name:.60}`" for name in types[:_TYPES_IN_MESSAGE])
    return f"{message}; there are {shown}" + (
        " and others" if len(types) > _TYPES_IN_MESSAGE else ""
    )
