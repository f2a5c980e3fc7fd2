"""Knows TensorRT's data types and memory formats: their spellings, and short words."""

import re
from functools import lru_cache
from typing import Final

# ---- data types: how logs, inspectors and ONNX spell them, and their widths ---------------------

# `Half`, `float16` and `Channel major FP16 format where channel % 8 == 0` are all `Half`, the name
# that listings print.

# The name in listings; the bits of an element (None: not known); patterns of its other spellings;
# its letters in kernel names.
_TYPES: Final = (
    ("Float", 32, r"float32|fp32|tf32", ("tf32", "f32")),
    ("Half", 16, r"float16|fp16", ("f16",)),
    ("BFloat16", 16, r"bf16", ("bf16",)),
    ("Double", 64, r"float64|fp64", ()),
    ("FP8", 8, r"fp8\w*|float8\w*", ("e4m3", "e5m2")),
    ("FP4", 4, r"fp4\w*|float4\w*", ()),
    ("E8M0", None, r"e8m0", ()),
    ("Int8", 8, r"int8", ("i8",)),
    ("Int32", 32, r"int32", ("i32",)),
    ("Int64", 64, r"int64", ()),
    ("UInt8", 8, r"uint8", ("u8",)),
    ("UInt32", 32, r"uint32", ()),
    ("UInt64", 64, r"uint64", ()),
    ("Int4", 4, r"int4", ()),
    ("Bool", 8, r"boolean", ()),
)
# All spellings of a type, as a pattern in any case.
SPELLINGS: Final = {name: f"{name}|{words}" for name, _, words, _ in _TYPES}
_WORD: Final = re.compile(
    r"\b(?:" + "|".join(rf"(?P<{name}>{words})" for name, words in SPELLINGS.items()) + r")\b",
    re.IGNORECASE | re.ASCII,  # the page's scripts read the spellings, too
)
_WIDTHS: Final = {name: bits for name, bits, *_ in _TYPES}
IN_KERNELS: Final = {letters: name for name, *_, spellings in _TYPES for letters in spellings}

_OF_INPUTS: Final = {
    **{"Float": "fp32", "Half": "fp16", "BFloat16": "bf16", "FP8": "fp8", "Bool": "bool"},
    **{name: name.lower() for name in ("Int8", "Int32", "Int64", "UInt8")},
}

# Types of indices, shapes, masks and raw pictures: they tell no precision of a layer.
NO_PRECISION: Final = frozenset(("Int32", "UInt32", "Int64", "UInt64", "UInt8", "Bool"))


@lru_cache(maxsize=1 << 12)
def dtype(words: str) -> str | None:
    """The first data type in `words` (`Half, Accumulation: Float` is Half)."""
    match = _WORD.search(words)
    return match.lastgroup if match else None


@lru_cache(maxsize=1 << 12)
def canonical(name: str | None) -> str | None:
    """The name that listings use, for any spelling: `fp16` is Half."""
    match = _WORD.fullmatch(name or "")
    return match.lastgroup if match else None


def types_of_inputs(name: str | None) -> str | None:
    """The word for it in trtexec's `--inputIOFormats`, such as `fp16`; None where it has none."""
    return _OF_INPUTS.get(canonical(name) or "")


def width(name: str | None) -> int | None:
    """Bits of an element; None of an unknown type."""
    return _WIDTHS.get(canonical(name) or "")


@lru_cache(maxsize=1 << 12)
def holds_data(name: str | None) -> bool | None:
    """Whether a tensor of this type holds data, and no indices, shape or mask; None: no name."""
    return None if name is None else canonical(name) not in NO_PRECISION


def bits(name: str | None) -> int | None:
    """Width of a floating or quantised type; None for others (Int32, Bool) and unknown ones."""
    return None if canonical(name) in NO_PRECISION else width(name)


# ---- memory formats in short words, and as trtexec names those of inputs and outputs ------------

# `Channel major FP16 format where channel % 8 == 0` and `Half(1036800,1:8,5760,32)` are `HWC8`, as
# in TensorRT's API. Of dims `64:8` it is `C:8`: 8 channels side by side, of either order.

_CHANNEL_MAJOR: Final = re.compile(r"^Channel major .{0,80}channel % (\d+) == 0")

# A dtype stands before the words of a format already.
_DTYPE: Final = re.compile(
    r"format|(?:U?Int|FP|BF|Float|BFloat|TF)[0-9]{1,2}|Float|Half|Bool", re.IGNORECASE
)

_TENSOR: Final = re.compile(r"(\w+)\((.*)\)", re.DOTALL)


def short_format(words: str) -> str:
    """Shortens the words of a format, such as `Two wide channel vectorized row major format`."""
    if vector := _CHANNEL_MAJOR.search(words):
        return f"HWC{vector[1]}"
    if words.startswith("(") and ")" in words:  # `(NHWC) …`
        return words[1 : words.index(")")]
    low = words.casefold()
    for mark, short in _FORMATS:
        if low.startswith(mark):
            return short
    return " ".join(word for word in words.split(" ") if not _DTYPE.fullmatch(word))


_FORMATS: Final = (
    ("row major", "linear"),
    ("channel major", "HWC"),
    ("two wide channel vectorized", "CHW2"),
    ("four wide channel vectorized", "CHW4"),
    ("sixteen wide channel vectorized", "CHW16"),
    ("thirty-two wide channel vectorized", "CHW32"),
    ("n/a", ""),
    ("half, accumulation", ""),
)


_VECTOR: Final = re.compile(r"(?:HWC|CHW|C:)(\d+)\Z")


def as_listed(words: str) -> str:
    """The words for what a listing's dims tell of such a format: `C:8` for `HWC8`."""
    return _VECTOR.sub(r"C:\1", words)


def of_dims(dtype: str | None, vector: str) -> str:
    """The format of dims such as `64:8`; Int8 has but two, which keep whole planes."""
    return f"CHW{vector}" if dtype == "Int8" and vector in ("4", "32") else f"C:{vector}"


@lru_cache(maxsize=1 << 10)
def vector_width(words: str) -> int:
    """How many channels a format keeps side by side, so that their number is a multiple; 1: any."""
    match = _VECTOR.search(short_format(words))
    return int(match[1]) if match else 1


# What trtexec takes for inputs and outputs, each with its short words, as dims and as formats tell
# it. An engine has more formats inside.
WORDS_OF_INPUTS: Final = {
    "chw": ["linear"],
    **{f"chw{number}": [f"C:{number}", f"CHW{number}"] for number in (2, 4, 16, 32)},
    "hwc": ["HWC"],
    "hwc8": ["HWC8"],
}
# trtexec's word for a format in short words.
FORMATS_OF_INPUTS: Final = {word: name for name, each in WORDS_OF_INPUTS.items() for word in each}


def layout(strides: str) -> str:
    """Says strides such as `Half(1036800,1:8,5760,32)` in words; their order is N, C, H, W.

    `1:8`: channels lie side by side, in groups of 8; `32400:32`: planes of 32 channels each. Up to
    TensorRT 7 the batch, whose stride is the longest, comes last.
    """
    tensor = dtype_and_strides(strides)
    if tensor is None:
        return ""
    parts = tensor[1]
    ends = [part for part in (*parts[:1], *parts[-1:]) if part.isdecimal() and len(part) < 20]
    if len(ends) == 2 and int(ends[0]) < int(ends[1]):
        parts.reverse()
    for part in parts:
        stride, colon, vector = part.partition(":")
        if colon:
            return f"{'HWC' if stride == '1' else 'CHW'}{vector}"
    if len(parts) > 2 and parts[1] == "1" and parts[-1] != "1":
        return "HWC"
    return "linear"


def of_combination(combination: str) -> tuple[tuple[str, ...], ...]:
    """The type and format of each tensor that a format combination reads and writes.

    Each such as `Half linear`.
    """
    return tuple(
        tuple(
            f"{tensor[0]} {layout(text.strip())}"
            for text in split(side)
            if (tensor := dtype_and_strides(text.strip())) is not None
        )
        for side in combination.split("->")
    )


def dtype_and_strides(words: str) -> tuple[str, list[str]] | None:
    """The type and the strides, as printed, of `Half(64,1:8,8,1)`; None of other words."""
    match = _TENSOR.fullmatch(words)
    return (match[1], split(match[2])) if match else None


def split(text: str) -> list[str]:
    """At the commas outside of all brackets; strides may be `(* 3 E0)`."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    last = text[start:]
    return [*parts, last] if parts or last.strip() else []
