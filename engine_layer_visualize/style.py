"""What a drawing looks like, and the words in it.

takes: shares, precisions, names, layers
gives: a `Theme` (colours and marks), the heat scale, and short texts for times, names and operators
never: knows of an output format, of positions or of files
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final, Literal

from engine_layer_visualize.model import Layer
from engine_layer_visualize.precisions import UNKNOWN

Dash = Literal["solid", "dashed", "dotted"]
Kind = Literal[
    "layer", "reformat", "constant", "opaque", "hidden", "port", "unresolved", "unused", "stub"
]


@dataclass(frozen=True, slots=True)
class Precision:
    """One legend entry: dtypes (lower case) that share a colour. `prefixes`: families of names."""

    label: str
    color: str
    dtypes: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """How one kind of node is told apart. `words`: its legend entry; `fill` before any heat."""

    words: str
    line: str
    fill: str
    dash: Dash = "solid"
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Theme:
    """Everything a writer may colour. `families` is a CSS list: the first font found is used."""

    families: str
    paper: str
    ink: str
    muted: str
    inks: tuple[str, str, str]  # dark, white, and the darkest for the few fills between them
    heat: tuple[str, ...]  # stops of one hue, from nothing to the most
    precisions: tuple[Precision, ...]
    other: Precision
    untold: Precision
    marks: dict[Kind, Mark]
    group: str  # behind the layers of one optimisation profile
    kinds: tuple[str, ...] = ()  # of layer types, the commonest first


# Okabe-Ito without its yellow (too pale for a line) and vermillion (too near to the heat).
_PRECISIONS: Final = (
    Precision("Float", "#5a5f66", frozenset({"float", "fp32", "float32", "tf32"})),
    Precision("Half", "#0072b2", frozenset({"half", "fp16", "float16"})),
    Precision("BFloat16", "#56b4e9", frozenset({"bfloat16", "bf16"})),
    Precision("Int8", "#009e73", frozenset({"int8"})),
    Precision("FP8", "#e69f00", prefixes=("fp8", "float8")),
    Precision("FP4, Int4", "#cc79a7", frozenset({"int4"}), prefixes=("fp4", "float4")),
    Precision("Int32, Int64", "#8c6d31", frozenset({"int32", "int64"})),
    Precision("Bool, UInt8", "#b39ddb", frozenset({"bool", "uint8"})),
)

# Of layer types: Okabe-Ito, mixed with the paper.
_KINDS: Final = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b3a000", "#7a7f87",
)  # fmt: skip

LIGHT: Final = Theme(
    families="IBM Plex Sans,Helvetica,Arial,sans-serif",
    paper="#ffffff",
    ink="#1b2027",
    muted="#555d68",
    inks=("#1b2027", "#ffffff", "#000000"),
    heat=("#fdf9f4", "#f9d3bf", "#ee9173", "#d6452f", "#8f0f16"),
    precisions=_PRECISIONS,
    other=Precision("another type", "#a3a8ae"),
    untold=Precision("unknown", "#c9ccd1"),
    marks={
        "layer": Mark("layer", "#8b9099", "#ffffff"),
        "reformat": Mark("reformat or no-op", "#b4b9c0", "#ffffff", "dashed"),
        "constant": Mark("constant", "#e3e5e8", "#f4f5f6"),
        "opaque": Mark("record that could not be read", "#c77700", "#fff3d1", width=2.0),
        "hidden": Mark("reformat not listed", "#7b828c", "#ffffff", "dotted", 1.3),
        "port": Mark("engine input or output", "#1b2027", "#ffffff", width=1.3),
        "unresolved": Mark("read, but written by nothing", "#c77700", "#fff3d1", "dashed"),
        "unused": Mark("written, but read by nothing", "#b4b9c0", "#ffffff", "dotted"),
        "stub": Mark("goes on outside this picture", "#8b9099", "#ffffff", "dotted"),
    },
    group="#f3f5f8",
    kinds=_KINDS,
)

DARK: Final = Theme(
    families=LIGHT.families,
    paper="#14181e",
    ink="#e9ecf1",
    muted="#a3acb8",
    inks=("#ffffff", "#0b0e12", "#000000"),
    heat=("#20262e", "#4b2a26", "#86382b", "#d4553a", "#ffb199"),
    precisions=(
        Precision("Float", "#aab0b9", frozenset({"float", "fp32", "float32", "tf32"})),
        Precision("Half", "#4aa3e0", frozenset({"half", "fp16", "float16"})),
        Precision("BFloat16", "#8fd0f5", frozenset({"bfloat16", "bf16"})),
        Precision("Int8", "#1fc797", frozenset({"int8"})),
        *_PRECISIONS[4:],
    ),
    other=Precision("another type", "#6f7782"),
    untold=Precision("unknown", "#565d67"),
    marks={
        "layer": Mark("layer", "#6b7480", "#1b2027"),
        "reformat": Mark("reformat or no-op", "#5a626d", "#181d23", "dashed"),
        "constant": Mark("constant", "#343b45", "#1d2229"),
        "opaque": Mark("record that could not be read", "#e69f00", "#3a2c0c", width=2.0),
        "hidden": Mark("reformat not listed", "#7b828c", "#181d23", "dotted", 1.3),
        "port": Mark("engine input or output", "#e9ecf1", "#14181e", width=1.3),
        "unresolved": Mark("read, but written by nothing", "#e69f00", "#3a2c0c", "dashed"),
        "unused": Mark("written, but read by nothing", "#5a626d", "#181d23", "dotted"),
        "stub": Mark("goes on outside this picture", "#8b95a1", "#181d23", "dotted"),
    },
    group="#1b2129",
    kinds=_KINDS,
)


_REFORMATS: Final = frozenset({"Reformat", "MyelinReformat", "NoOp"})


def kind(layer: Layer) -> Kind:
    """Which mark a layer bears."""
    if layer.raw is not None:
        return "opaque"
    if not layer.listed:
        return "hidden"
    if layer.type in _REFORMATS:
        return "reformat"
    return "constant" if layer.type == "Constant" else "layer"


def precision(dtype: str | None, theme: Theme = LIGHT) -> Precision:
    """The legend entry of a dtype; the set of dtypes is open."""
    if dtype is None or dtype == UNKNOWN:
        return theme.untold
    low = dtype.casefold()
    for entry in theme.precisions:
        if low in entry.dtypes or low.startswith(entry.prefixes):
            return entry
    return theme.other


# ---------------------------------------------------------------- heat


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """WCAG contrast of two `#rrggbb` colours, 1 to 21."""
    dark, light = sorted((_luminance(a), _luminance(b)))
    return (light + 0.05) / (dark + 0.05)


# Steps of two from the top are told apart, and 1 % still differs from nothing.
_POWER: Final = 0.8


def heat(part: float, theme: Theme = LIGHT) -> str:
    """The fill for a part, from 0 to 1, of what bears the hottest colour."""
    at = min(1.0, max(0.0, part)) ** _POWER if part == part else 0.0
    step = at * (len(theme.heat) - 1)
    low = min(int(step), len(theme.heat) - 2)
    return mix(theme.heat[low], theme.heat[low + 1], step - low)


def ticks(most: float, steps: int = 5) -> tuple[float, ...]:
    """Where the legend of the heat scale has its ticks, from 0 to `most`: even steps of colour."""
    return (*(most * (step / steps) ** (1 / _POWER) for step in range(steps)), most)


def mix(a: str, b: str, part: float) -> str:
    """Colour `a` with `part` (0 to 1) of `b`."""
    mixed = (round(x + (y - x) * part) for x, y in zip(_channels(a), _channels(b)))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink(fill: str, theme: Theme = LIGHT) -> str:
    """The text colour that can be read on `fill` (at least 4.5 : 1)."""
    for color in theme.inks:
        if contrast(color, fill) >= 4.5:
            return color
    return max(theme.inks, key=lambda color: contrast(color, fill))


# ---------------------------------------------------------------- numbers


def milliseconds(ms: float) -> str:
    """A time in the unit that a person would say, with three significant digits."""
    if not math.isfinite(ms):
        return f"{ms} ms"
    if ms == 0:
        return "0 µs"
    units = ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms"), (1e3, "s"))
    for scale, unit in units:
        text = _three(ms / scale)
        if abs(float(text)) < 1000 or unit == "s":
            return f"{text} {unit}"
    raise AssertionError  # the last unit always answers


def _three(value: float) -> str:
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{digits}f}"


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage with one decimal; never 0.0 for what is not nothing."""
    if not math.isfinite(share):
        return "? %"
    if share == 0:
        return "0 %"
    return "<0.1 %" if 0 < share < 0.0005 else f"{share * 100:.1f} %"


# ---------------------------------------------------------------- names

ELLIPSIS: Final = "…"


def shorten(name: str, width: int) -> str:
    """At most `width` characters: the middle goes, the end stays, and only one … marks the cut."""
    if len(name) <= width:
        return name
    if width <= 1:
        return ELLIPSIS[:width]
    tail = max(1, (width - 1) * 3 // 5)
    head = name[: width - 1 - tail].rstrip(" .…")
    return head + ELLIPSIS + name[len(name) - tail :].lstrip(" .…")


def wrap(name: str, width: int, lines: int) -> tuple[str, ...]:
    """`name` over at most `lines` lines, shortened only if it must be."""
    budget = width * lines
    while True:
        rest = shorten(name, budget)
        out: list[str] = []
        while len(rest) > width and len(out) < lines - 1:
            at = _break(rest, width, width * (lines - 1 - len(out)))
            out.append(rest[:at].rstrip())
            rest = rest[at:].lstrip()
        if len(rest) <= width:
            return (*out, rest)
        budget -= len(rest) - width


def _break(text: str, width: int, room: int) -> int:
    """Where to break: at a blank if what follows then still fits, else where a word ends."""
    blank = text.rfind(" ", 0, width + 1)
    if blank >= width // 3 and len(text) - blank - 1 <= room:
        return blank
    word = max(blank, text.rfind("/", 0, width), *(text.rfind(c, 0, width) + 1 for c in "_.,"))
    return word if word >= width // 2 else width


def profile_of(name: str) -> tuple[str, str | None]:
    """`name` without its ` [profile k]`, and k as printed (None: no such suffix)."""
    if not name.endswith("]"):
        return name, None
    head, found, k = name[:-1].rpartition(" [profile ")
    return (head, k) if found and k.isascii() and k.isdigit() else (name, None)


# Operator names as ONNX and TensorRT write them. Only these count as operators in a layer name;
# a part that is neither one of these nor plainly a weight makes the whole name untold.
_OPERATORS: Final = frozenset(
    """
    Abs Acos Add And ArgMax ArgMin Asin Atan AveragePool BatchNormalization Cast Ceil Celu
    Clip Concat ConstantOfShape Conv ConvTranspose Cos CumSum DeformConv DepthToSpace
    DequantizeLinear Div Dropout DynamicQuantize DynamicQuantizeLinear Einsum Elu Equal Erf
    Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm
    GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization
    HardSigmoid HardSwish Identity If InstanceNormalization IsInf IsNaN LRN LSTM
    LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax Loop LpNormalization LpPool
    MatMul Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul Neg NonMaxSuppression
    NonZero Not OneHot Or PRelu Pad Pow QuantizeLinear RNN RandomNormal RandomUniform Range
    ReLU Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean
    ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence
    RoiAlign Round Scan ScatterElements ScatterND Selu Shape Sigmoid Sign Sin Size Slice
    Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tan Tanh
    ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor
    """.split()  # noqa: SIM905 - a list of 150 quoted words reads worse
)
_OPERATOR: Final = re.compile(r"([A-Z][A-Za-z0-9]*?)(?:(?:__|[_-])[0-9]+)?")
_UNNAMED: Final = re.compile(r"\(Unnamed Layer\* [0-9]+\) \[([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*)\]")
_ATEN: Final = re.compile(r"\[[A-Z_]+\]-\[aten_ops\.([a-z0-9_]+)\.[a-z_A-Z]+\]-\[[^\[\]]*\]")
_WEIGHTS: Final = (".weight", ".weights", ".bias")
_QUANTISERS: Final = ("QuantizeLinear", "DequantizeLinear")
_SCALE_NODE: Final = "_quantize_scale_node"


def operators(name: str) -> tuple[str, ...]:
    """The operators that a fused layer's name tells of, in order; empty if any part is unclear.

    Weights, and the quantisation of a weight, are no operators of the running layer. Branches
    fused side by side (`A || B`) count only if all do the same: then `("2 × Conv",)`.
    """
    branches = [_chain(branch) for branch in profile_of(name)[0].split(" || ")]
    first = branches[0]
    if not first or any(branch != first for branch in branches):
        return ()
    if len(branches) == 1:
        return first
    inner = first[0] if len(first) == 1 else f"({' + '.join(first)})"
    return (f"{len(branches)} × {inner}",)


def _chain(name: str) -> tuple[str, ...]:
    found: list[str] = []
    after_weight = False
    for part in name.split(" + "):
        if part.endswith(_WEIGHTS) and " " not in part:
            after_weight = True
            continue
        if after_weight and _single(part.removesuffix(_SCALE_NODE)) in _QUANTISERS:
            continue
        after_weight = False
        pointwise = part.startswith("PWN(") and part.endswith(")")
        leaves = part.replace("PWN(", "").rstrip(")").split(", ") if pointwise else [part]
        for leaf in leaves:
            operator = _single(leaf.rstrip(")").removesuffix(_SCALE_NODE) if pointwise else leaf)
            operator = operator or _single(leaf.removesuffix(_SCALE_NODE))
            if operator is None:
                return ()
            found.append(operator)
    return tuple(found)


def _single(part: str) -> str | None:
    if found := _UNNAMED.fullmatch(part) if part[:1] == "(" else None:
        return found[1]
    if found := _ATEN.fullmatch(part) if part[:1] == "[" else None:
        return found[1]
    # Only a path that starts with "/" is a node of ONNX: `reshape_before_/fc/Gemm` is no Gemm.
    if " " in part or ("/" in part and not part.startswith("/")):
        return None
    match = _OPERATOR.fullmatch(part.rpartition("/")[2])
    return match[1] if match and match[1] in _OPERATORS else None


def headline(layer: Layer) -> str:
    """What a layer does: its operators if a name tells, else its type."""
    found = operators(layer.name) or operators(" + ".join(layer.onnx_nodes))
    return " + ".join(found) or layer.type or "layer"


def part(layer: Layer) -> str:
    """Which part of the network it is: its weight's name, or its node's path, else its name."""
    name = profile_of(subtitle(layer))[0]
    for piece in name.split(" + "):
        if piece.endswith(".weight") and " " not in piece:
            return piece.removesuffix(".weight")
    first = name.partition(" + ")[0]
    if first.startswith("/") and " " not in first:
        path = first.split("/")[1:-1]
        # `layer1/layer1.0` says `layer1` twice.
        kept = [a for a, b in zip(path, [*path[1:], ""]) if not b.startswith(f"{a}.")]
        return "/".join(kept) or first
    return name


def subtitle(layer: Layer) -> str:
    """What it is made of: its name, or the ONNX nodes where Myelin made the name up."""
    if layer.onnx_nodes and "_myl" in layer.name:
        return " + ".join(layer.onnx_nodes)
    return layer.name or "(no name)"
