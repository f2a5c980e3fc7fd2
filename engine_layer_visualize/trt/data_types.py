"""Knows TensorRT's data types: how logs, inspectors and ONNX spell them, and their width.

`Half`, `float16` and `Channel major FP16 format where channel % 8 == 0` are all `Half`, the name
that listings print.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

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


def of_inputs(name: str | None) -> str | None:
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
