"""Finds the operators that a layer computes by its name, and the nodes that its name means."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.names import branches, is_foreign, parts, without_profile

# Operator names as ONNX and TensorRT write them: `Conv_1 + Relu_2` computes `Conv` and `Relu`. Only
# these count as operators in a layer name; where a part is neither one of these nor plainly a
# weight, the name has no operators.
OPERATORS: Final = frozenset(
    """
    Abs Acos Add And ArgMax ArgMin Asin Atan Attention AveragePool BatchNormalization Cast Ceil Celu
    Clip Concat ConstantOfShape Conv ConvTranspose Cos CumSum DeformConv DepthToSpace
    DequantizeLinear DistCollective Div Dropout DynamicQuantize DynamicQuantizeLinear Einsum Elu
    Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm
    GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HardSigmoid
    HardSwish Identity If InstanceNormalization IsInf IsNaN KVCacheUpdate LRN LSTM
    LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax Loop LpNormalization LpPool MatMul
    Max MaxPool Mean MeanVarianceNormalization Min Mish MoE Mod Mul Neg NonMaxSuppression NonZero
    Not OneHot Or PRelu Pad Pow QuantizeLinear RMSNormalization RNN RandomNormal RandomUniform Range
    ReLU Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin
    ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign
    RotaryEmbedding Round Scan ScatterElements ScatterND Selu Shape Sigmoid Sign Sin Size Slice
    Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tan Tanh TensorScatter
    ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor
    """.split()  # noqa: SIM905 - a list of 150 quoted words reads worse
)

# The operators that are one convolution or one matrix product.
PRODUCTS: Final = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})

# Types of layers that run no kernel: the builder times none for them.
WITHOUT_KERNEL: Final = frozenset({"NoOp", "Constant"})

_OPERATOR: Final = re.compile(r"([A-Z][A-Za-z0-9]*?)(?:(?:__|[_-])[0-9]+)?")

_UNNAMED: Final = r"\(Unnamed Layer\* [0-9]+\) \[([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*)\]"

_ATEN: Final = r"\[[A-Z_]+\]-\[aten_ops\.([a-z0-9_]+)\.[a-z_A-Z]+\]-\[[^\[\]]*\]"

# The path of a node of TensorFlow; `reshape_before_/fc/Gemm` is TensorRT's own.
_TENSORFLOW: Final = r"\A(?!\w*(?:before|after)_)[^/ ]+/(?:[^/ ]+/)*(?=[^/ ]+\Z)"

# Shapes of constants, and constants themselves, that are parts of a fused layer's name.
FILLING: Final = re.compile(
    r"\(Unnamed Layer\* \d{1,9}\) \[(?:Shuffle|Constant)\]|unsqueeze_node_after_|onnx::"
)

_NUMBERED: Final = re.compile(r"(?<![0-9_])_{0,2}[0-9]{1,9}$")

# Operators in lower case, and what else users call them.
_LOOSE: Final = frozenset(map(str.casefold, OPERATORS)) | {
    *("activation", "avgpool", "biasadd", "convolution", "depthwiseconv2dnative", "elementwise"),
    *("fullyconnected", "fusedbatchnormv3", "linear", "matrixmultiplication", "matrixmultiply"),
    *("pooling", "relu6", "shuffle"),
}

WEIGHTS: Final = (".weight", ".weights", ".bias")

QUANTISERS: Final = ("QuantizeLinear", "DequantizeLinear")

SCALE_NODE: Final = "_quantize_scale_node"


@lru_cache(maxsize=1 << 10)
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
        each = map(names.one_each, each)
    chains = list(map(_chain, map(_nodes, each)))
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
    own = [part for part in parts(name) if not (FILLING.match(part) or is_weight(part))]
    last = (re.sub(_TENSORFLOW, "", part).removeprefix("node_") for part in own)
    words = [_NUMBERED.sub("", part) for part in last]
    plain = [word.replace("_", "").casefold().removesuffix("2d") for word in words]
    return tuple(words) if _LOOSE.issuperset(plain) else ()


def _nodes(parts: Iterable[str]) -> Sequence[str]:
    """Without what is added for the nodes beside it: reshapes, and the sum that adds a bias."""
    every = tuple(parts)
    named = [part for part in every if not (is_unnamed(part) or serves(part))]
    if not any(map(_single, named)):
        return every
    return [part for part in every if part in named or is_unnamed_node(part)]


def _chain(parts: Iterable[str]) -> tuple[str, ...]:
    """The operators of one branch; empty if any part is unclear."""
    operators: list[str] = []
    after_weight = False
    for part in parts:
        if unnumbered(part).endswith(WEIGHTS) and " " not in part:
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
    if match := re.fullmatch(_UNNAMED, part) if part[:1] == "(" else None:
        return match[1]
    if match := re.fullmatch(_ATEN, part) if part[:1] == "[" else None:
        return "Linear" if match[1] == "addmm" else match[1]
    # Only a path that starts with "/" is a node of ONNX: `reshape_before_/fc/Gemm` is no Gemm.
    if " " in part or ("/" in part and not part.startswith("/")):
        return None
    match = _OPERATOR.fullmatch(part.rpartition("/")[2])
    return match[1] if match and match[1] in OPERATORS else None


# ---- the node that a part of a name means -------------------------------------------------------

_BEFORE: Final = re.compile(
    r"(?:(?:copied_)?(?:un)?squeeze_(?:node_|tensor_)?after_|shuffle_between_"
    r"|(?:reshape|shuffle|transpose)_(?:before|after)_)+"
)
_MOVES: Final = "(?:un)?squeeze|reshape|shuffle|transpose"
_AFTER: Final = re.compile(rf"(?:{SCALE_NODE}|_clone_\d+|_myl\d+_\d+)+\Z")
# Names that the builder makes up, or that its parser gives to layers of its own.
_OWN: Final = ("__my", "dummy_shape_call__", "Forced Cast ITensor", "ONNXTRT_")
# What Myelin makes of a loop or a branch: `adv_off^hvar^323i64`, `cbr___mye98`, and of what is
# inside of it: `$$myelin$$(Unnamed Loop* 0)^ElementWise 2_to_add`.
_MYELINS: Final = r"\^|__mye\d|\$\$myelin\$\$"
_UNNAMED_LAYER: Final = "(Unnamed Layer*"
_SHUFFLE: Final = "[Shuffle]"  # in the name of a reshape that has none of its own
# Parsers add reshapes, constants and sums of their own; up to TensorRT 7 nodes had no names, too.
_NO_HELP: Final = tuple(
    f"[{kind}]"
    for kind in ("Activation", "Convolution", "Deconvolution", "Fully Connected", "LRN", "Pooling")
)
_BROADCAST: Final = "ONNXTRT_Broadcast"  # the same since TensorRT 10
# Layers that do the same with each element: what is reshaped in one is a constant.
_ELEMENTWISE: Final = frozenset({"Scale", "PointWise", "PointWiseV2"})
_TENSOR: Final = re.compile(r":\d+\Z")
_PLAIN: Final = re.compile(r"\W")


def node_name(part: str) -> str:
    """The node's own name; empty where the builder made it up."""
    if _UNNAMED_LAYER in part or part.startswith(_OWN):
        return ""
    if match := _BEFORE.match(part):
        part = part[match.end() :]
    part = unnumbered(part)
    return "" if part.startswith(_OWN) else part


def is_unnamed(part: str) -> bool:
    """Whether TensorRT numbered a layer because it had no name: `(Unnamed Layer* 3) [Pooling]`."""
    return part.startswith(_UNNAMED_LAYER)


def is_unnamed_node(part: str) -> bool:
    """Whether it is an unnamed layer that is a node of the network, and no help of a parser's."""
    return is_unnamed(part) and part.endswith(_NO_HELP)


def is_myelins(part: str) -> bool:
    """Whether Myelin made up the name of a record inside of it, which may hold a node's name."""
    return re.search(_MYELINS, part) is not None


def serves(part: str) -> bool:
    """Whether it is a reshape or a shuffle for the node whose name it bears, or between two."""
    return _BEFORE.match(part) is not None


def nodes_of_record(name: str, metadata: str) -> tuple[str, ...]:
    """The nodes that a record's `Metadata` names.

    Those that helpers beside others name are left out: `Reshape + reshape_before_/fc/Gemm` is no
    Gemm.
    """
    nodes = names.onnx_nodes(metadata)
    if "_before_" not in name and "_after_" not in name:
        return nodes
    each = parts(name)
    own = {node_name(part) for part in each if not serves(part)}
    served = {node_name(part) for part in each if serves(part)} - own
    return tuple(node for node in nodes if not own or node not in served)


@lru_cache(maxsize=1 << 10)
def added(name: str) -> str:
    """What a layer that TensorRT added around others does, such as `Reshape`; empty of others."""
    each = parts(name)
    own = re.search(_MOVES, name) if each and all(map(serves, each)) else None
    return own[0].capitalize() if own else ""


def is_weight(part: str) -> bool:
    """Whether it names weights, and no node."""
    if part.endswith(WEIGHTS) or part.startswith("onnx::"):
        return True
    return part[-1:].isdigit() and _TENSOR.search(part) is not None


def operands(name: str, type: str) -> frozenset[str]:
    """The constants that a fused layer of this type reads, such as `bias`, by its name.

    A constant is fused with the reshape that broadcasts it, then both with their reader:
    `Gemm_1 + bias + (Unnamed Layer* 4) [Shuffle] + unsqueeze_node_after_bias + … + Add_2`.
    """
    if _SHUFFLE not in name and _BROADCAST not in name:
        return frozenset()
    return frozenset(part for branch in branches(name) for part in _operands(branch, type))


def _operands(branch: Sequence[str], type: str) -> Iterator[str]:
    for place in range(1, len(branch)):
        if branch[place].startswith("unsqueeze_node_after_"):
            before = place - 1
            while before > 0 and _broadcasts(branch[before]):
                before -= 1
            if before > 0 and any(_SHUFFLE not in part for part in branch[place + 1 :]):
                yield branch[before]
        elif type in _ELEMENTWISE and _broadcasts(branch[place]) and place + 1 < len(branch):
            yield branch[place - 1]


def _broadcasts(part: str) -> bool:
    return part.startswith(_BROADCAST) or (is_unnamed(part) and part.endswith(_SHUFFLE))


def unnumbered(name: str) -> str:
    """A layer's name without the numbers that change with every build."""
    name = without_profile(name)
    # Few names end so, and a search for an end takes long.
    return _AFTER.sub("", name) if name[-1:].isdigit() or name.endswith(SCALE_NODE) else name


def folded(key: str) -> str:
    """The name as Myelin writes it: `a.b/c` is `a_b_c`."""
    return _PLAIN.sub("_", key)
