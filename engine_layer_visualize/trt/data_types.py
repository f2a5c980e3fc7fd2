"""TensorRT's words for data types and memory formats, as detailed listings and inspectors use them.

takes: `Half`, `Channel major FP16 format where channel % 8 == 0`, `Row major linear BOOL format`
gives: the short name of the data type (`Half`), or None where the words do not tell
never: guesses
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(
    r"\b(?:(?P<Float>FP32|Float|Float32)|(?P<Half>FP16|Half|Float16)|(?P<BFloat16>BF16|BFloat16)"
    r"|(?P<FP8>FP8|Float8)|(?P<FP4>FP4|Float4)|(?P<E8M0>E8M0)|(?P<Int8>Int8)|(?P<Int4>Int4)"
    r"|(?P<Int32>Int32)|(?P<Int64>Int64)|(?P<UInt8>UInt8)|(?P<Bool>Bool|Boolean))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 12)
def dtype(words: str) -> str | None:
    """The first data type in `words` (`Half, Accumulation: Float` is Half)."""
    match = _WORD.search(words)
    return match.lastgroup if match else None


# Bits of an element.
_BITS: Final = {
    **dict.fromkeys(("float", "fp32", "float32", "tf32", "int32", "uint32"), 32),
    **dict.fromkeys(("half", "fp16", "float16", "bfloat16", "bf16"), 16),
    **dict.fromkeys(("int8", "uint8", "bool", "fp8"), 8),
    **dict.fromkeys(("int64", "uint64", "double", "float64"), 64),
    **dict.fromkeys(("int4", "fp4"), 4),
}

_NO_PRECISION: Final = ("int32", "uint32", "int64", "uint64", "uint8", "bool")


def bits(dtype: str | None) -> int | None:
    """Width of a floating or quantised type; None for others (Int32, Bool) and unknown ones."""
    low = (dtype or "").casefold()
    return None if low in _NO_PRECISION else _BITS.get(low)
