"""Finds the operators that a fused layer computes, by its name.

`Conv_1 + Relu_2` computes `Conv` and `Relu`. They are names of ONNX, TensorRT and ATen operators.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.trt import torch_names
from engine_layer_visualize.trt.layer_names import branches, is_foreign, parts, without_profile

# Operator names as ONNX and TensorRT write them. Only these count as operators in a layer name;
# where a part is neither one of these nor plainly a weight, the name has no operators.
OPERATORS: Final = frozenset(
    """
    Abs Acos Add And ArgMax ArgMin Asin Atan Attention AveragePool BatchNormalization Cast
    Ceil Celu Clip Concat ConstantOfShape Conv ConvTranspose Cos CumSum DeformConv
    DepthToSpace DequantizeLinear DistCollective Div Dropout DynamicQuantize
    DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather
    GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual
    GridSample GroupNormalization HardSigmoid HardSwish Identity If InstanceNormalization
    IsInf IsNaN KVCacheUpdate LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual Log
    LogSoftmax Loop LpNormalization LpPool MatMul Max MaxPool Mean MeanVarianceNormalization
    Min Mish MoE Mod Mul Neg NonMaxSuppression NonZero Not OneHot Or PRelu Pad Pow
    QuantizeLinear RMSNormalization RNN RandomNormal RandomUniform Range ReLU Reciprocal
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
    ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding
    Round Scan ScatterElements ScatterND Selu Shape Sigmoid Sign Sin Size Slice Softmax
    Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tan Tanh TensorScatter
    ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor
    """.split()  # noqa: SIM905 - a list of 150 quoted words reads worse
)

# The operators that are one convolution or one matrix product.
PRODUCTS: Final = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})

# Types of layers that run no kernel: the builder times none for them.
WITHOUT_KERNEL: Final = frozenset({"NoOp", "Constant"})

_OPERATOR: Final = re.compile(r"([A-Z][A-Za-z0-9]*?)(?:(?:__|[_-])[0-9]+)?")

_UNNAMED: Final = re.compile(r"\(Unnamed Layer\* [0-9]+\) \[([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*)\]")

_ATEN: Final = re.compile(r"\[[A-Z_]+\]-\[aten_ops\.([a-z0-9_]+)\.[a-z_A-Z]+\]-\[[^\[\]]*\]")

# The path of a node of TensorFlow; `reshape_before_/fc/Gemm` is TensorRT's own.
_TENSORFLOW: Final = re.compile(r"\A(?!\w*(?:before|after)_)[^/ ]+/(?:[^/ ]+/)*(?=[^/ ]+\Z)")

_NUMBERED: Final = re.compile(r"(?<![0-9_])_{0,2}[0-9]{1,9}$")

# Operators in lower case, and what else users call them.
_LOOSE: Final = frozenset(map(str.casefold, OPERATORS)) | {
    *("activation", "avgpool", "biasadd", "convolution", "depthwiseconv2dnative", "elementwise"),
    *("fullyconnected", "fusedbatchnormv3", "linear", "matrixmultiplication", "matrixmultiply"),
    *("pooling", "relu6", "shuffle"),
}

# What ATen calls otherwise than all others do.
_NAMES: Final = {
    "_native_batch_norm_legit_no_training": "BatchNorm",
    "_native_batch_norm_legit": "BatchNorm",
    "native_layer_norm": "LayerNorm",
    "native_group_norm": "GroupNorm",
    "addmm": "Linear",
}

WEIGHTS: Final = (".weight", ".weights", ".bias")

QUANTISERS: Final = ("QuantizeLinear", "DequantizeLinear")

SCALE_NODE: Final = "_quantize_scale_node"


def operators(name: str) -> tuple[str, ...]:
    """The operators that a fused layer's name names, in order; empty if any part is unclear.

    Weights, and the quantisation of a weight, are no operators of the running layer. Branches
    fused side by side (`A || B`) count only if all do the same: then `("2 × Conv",)`.
    """
    # A fused layer inside of a pointwise one: `PWN(a + b, c)` is unclear.
    if "(" in name or ")" in name:
        halves = name.replace(" || ", " + ").split(" + ")
        if any(half.count("(") != half.count(")") for half in halves):
            return ()
    if is_foreign(name):
        return ()
    each: Iterable[Iterable[str]] = branches(without_profile(name))
    if "_ops." in name:
        each = map(torch_names.one_each, each)
    chains = list(map(_chain, each))
    first = chains[0]
    if not first or any(chain != first for chain in chains):
        return ()
    if len(chains) == 1:
        return first
    inner = first[0] if len(first) == 1 else f"({' + '.join(first)})"
    return (f"{len(chains)} × {inner}",)


def named_after(name: str) -> tuple[str, ...]:
    """The words of a name that is nothing but operators with numbers; else empty.

    Users and exporters write operators as they like: `conv1 + relu1`, `node_max_pool2d_1`,
    TensorFlow's `net/conv2_block1_1_conv/Conv2D`. A ForeignNode holds more than its name tells, and
    `PWN(linear)` may be the sum after a product.
    """
    if is_foreign(name) or name.startswith("PWN(") or " || " in name:
        return ()
    last = (_TENSORFLOW.sub("", part).removeprefix("node_") for part in parts(name))
    words = [_NUMBERED.sub("", part) for part in last]
    return tuple(words) if words and all(map(_is_operator, words)) else ()


def _is_operator(word: str) -> bool:
    return word.replace("_", "").casefold().removesuffix("2d") in _LOOSE


def _chain(parts: Iterable[str]) -> tuple[str, ...]:
    """The operators of one branch; empty if any part is unclear."""
    operators: list[str] = []
    after_weight = False
    for part in parts:
        if part.endswith(WEIGHTS) and " " not in part:
            after_weight = True
            continue
        operator = _single(part.removesuffix(SCALE_NODE))
        if after_weight and operator in QUANTISERS:
            continue
        after_weight = False
        if operator is None:
            return ()
        operators.append(operator)
    return tuple(operators)


def _single(part: str) -> str | None:
    """The operator of a part that names one node; None where it names none that is known."""
    if match := _UNNAMED.fullmatch(part) if part[:1] == "(" else None:
        return match[1]
    if match := _ATEN.fullmatch(part) if part[:1] == "[" else None:
        return _NAMES.get(match[1], match[1])
    # Only a path that starts with "/" is a node of ONNX: `reshape_before_/fc/Gemm` is no Gemm.
    if " " in part or ("/" in part and not part.startswith("/")):
        return None
    match = _OPERATOR.fullmatch(part.rpartition("/")[2])
    return match[1] if match and match[1] in OPERATORS else None
