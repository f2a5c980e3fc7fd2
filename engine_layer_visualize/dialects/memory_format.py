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
