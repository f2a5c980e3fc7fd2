"""What a host writes before a message, which tells a message from words in one.

takes: the bytes that stand before some words on their line
gives: their shape: what is the same before every message, whatever the time; what loggers write
never: reads a message
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

LONGEST: Final = 1 << 9  # of what a host writes; more are words of a message
COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
# What a logger writes of its own before a message, piece by piece.
OWN_WORDS: Final = (
    rb"\[(?:\d\d/\d\d/\d{4}-)?\d\d:\d\d:\d\d\] ?|\[[VIWEF]\] ?|\[TRT\](?: |: )?|\[TensorRT\] ?"
    rb"|\b(?:VERBOSE|DEBUG|INFO|WARNING|ERROR): ?|\bSeverity\.[A-Z_]{1,20} ?|&&&& "
    rb"|\[Torch-TensorRT[^\]\n]{0,100}\](?: - )?|\[[VIWEF]:onnxruntime:[^\]\n]{0,200}\] ?"
    rb"|\b[IWEF] tensorflow/[^\]\n]{1,200}\] ?"
)
# The same, and how lines begin that bear no logger's words: another host's may stand before them.
OWN: Final = re.compile(
    OWN_WORDS + rb"|Engine Layer Information:|Layers:|Layer\(\w{1,80}\): |Name: |=== "
)
# Loggers that write other words than `[V] [TRT] `: a mark of each, and its words, whose group is
# the severity. They are told in the usual words to whatever reads messages.
_LEVEL: Final = rb"(VERBOSE|DEBUG|INFO|WARNING|ERROR|INTERNAL_ERROR)"
_TIME: Final = rb"(?:\d[-:. \d]{8,40} )?"
OTHERS: Final = (
    (b"[TensorRT] ", rb"\[TensorRT\] " + _LEVEL + rb": "),
    (b"[Torch-TensorRT ", _LEVEL + rb": \[Torch-TensorRT [^\]\n]{1,100}\] - "),
    (b"[TensorRT Conv", _LEVEL + rb":torch_tensorrt \[TensorRT Conv[^\]\n]{1,100}\]: ?"),
    (b": [TRT]: ", _LEVEL + rb": \[TRT\]: "),
    (
        b"] DefaultLogger ",
        _TIME + rb"([IWEF]) tensorflow/[^\]\n]{1,200}\] DefaultLogger ",
    ),
    (
        b" TF-TRT ",
        _TIME + rb"([IWEF]) tensorflow/[^\]\n]{1,200}\] TF-TRT \w{1,20}: DefaultLogger ",
    ),
    (
        b":onnxruntime:",
        _TIME + rb"\[[VIWEF]:onnxruntime:[^\]\n]{1,200}\] \[[-:\d ]{8,40}" + _LEVEL + rb"\] ",
    ),
    # Whatever a program calls its logger, but no part of a message, which bears brackets before.
    (b"Severity.", rb"(?!Name: )[^][()<\n]{0,100}?\bSeverity\." + _LEVEL + rb":? "),
    (b"[TRT]   ", rb"\[TRT\] {3,4}"),
)
# The words of a message's severity: its letter, and both ways in which it is written. Before them a
# harmless one's words tell that they stand in a message.
SEVERE: Final[tuple[tuple[bytes, bytes, bytes, Literal["warning", "error"]], ...]] = (
    (b"W", b"[W] ", b"WARNING: ", "warning"),
    (b"E", b"[E] ", b"ERROR: ", "error"),
)
HARMLESS: Final = (b"[V]", b"[I]", b"VERBOSE:", b"INFO:")
ERROR: Final = rb"|".join(
    rb"(?<!\w)" + re.escape(mark) for _, *marks, what in SEVERE if what == "error" for mark in marks
)
LETTERS: Final = {b"VERBOSE": b"V", b"DEBUG": b"V", b"INTERNAL_ERROR": b"E"}
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
