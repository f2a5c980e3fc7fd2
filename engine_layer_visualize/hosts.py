"""What a host writes before a message, which tells a message from words in one.

takes: the bytes that stand before some words on their line
gives: their shape: what is the same before every message, whatever the time
never: knows a host by name
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

LONGEST: Final = 1 << 9  # of what a host writes; more are words of a message
COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_ZEROS: Final = re.compile(rb"0+")


def before(data: bytes, at: int) -> bytes | None:
    """The shape of what stands before `at` on its line; None where that is no host's."""
    start = max(0, at - LONGEST)
    line = data.rfind(b"\n", start, at) + 1
    return None if start and not line else shape(data[line:at])


def shape(words: bytes) -> bytes:
    """`[11/21/2026-02:40:00] [TRT] [V] ` -> `[0/0/0-0:0:0] [TRT] [V] `."""
    return _shape(words[-LONGEST:].translate(_DIGITS))


@lru_cache(maxsize=1 << 10)
def _shape(words: bytes) -> bytes:
    return _ZEROS.sub(b"0", COLOUR.sub(b"", words))


def is_inside(shape: bytes | None, host: bytes) -> bool:
    """Whether words stand inside of a message: after the host's own words and others."""
    return shape is None or (shape != host and shape.startswith(host))


def is_own(shape: bytes | None, host: bytes) -> bool:
    """Whether words begin a message. A stream that two threads share may tear what is before."""
    return shape is not None and shape.endswith(host) and not is_inside(shape, host)
