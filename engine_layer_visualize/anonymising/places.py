"""Finds what tells of a machine or of its user in a sentence: paths, files, hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

# The number of a device.
UUID: Final = re.compile(
    rb"(?<![0-9A-Za-z])(?:(?:MIG-)?(?:GPU|MIG)-[0-9a-fA-F]{4,}(?:-[0-9a-fA-F]+)*"
    rb"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?![0-9A-Za-z])"
)
# The address of a device or of a network card.
NUMBERS: Final = re.compile(
    rb"(?<![\w:.])(?:(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]"
    rb"|[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}"
    rb"|(?=[0-9a-fA-F:]*::|(?:[0-9a-fA-F]+:){7})[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}"
    rb")(?![\w:])"
)
_DAY: Final = rb"(?:\d{4}([-/.])\d\d\%d\d\d|\d\d([-/.])\d\d\%d\d{4})"
DATE: Final = re.compile(rb"(?<![\w:./-])" + _DAY % (1, 2) + rb"(?!\w|[:/]\w)")
# Whatever a logger's stamp looks like: 14:45:25.665, 2024-03-28T14:45:25Z, V0328 14:45:25.665123
_CLOCK: Final = re.compile(
    rb"(?<![\w:./-])(?:" + _DAY % (1, 2) + rb"[T _-]{1,3}|[A-Z]?\d{4}[ T]|\d{1,2} )?"
    rb"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?!\w|:\w)"
)
_NO_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
SERIAL: Final = re.compile(rb"(?i)(?<=serial)((?:[ _-]?(?:number|num|no|nr))?[.:=# ]{1,4})\w*\d\S*")

# Names that TensorRT quotes, a text in quotes, or all between two blanks.
_PIECE: Final = re.compile(
    rb"(?P<node>\{ForeignNode\[[^\]\n]{0,4200}\])|\"(?P<quoted>[^\"\n/\\]*[/\\][^\"\n]*)\""
    rb"|(?P<token>[^\s\"'`<>|,;()\[\]{}]+)"
)
_KEY: Final = re.compile(rb"(?:[^=/\\]*=)+")
_LETTER: Final = re.compile(rb"[A-Za-z\x80-\xff]")
_FILE: Final = re.compile(rb"[\w\x80-\xff~@%+.-]*[\w\x80-\xff]\.[A-Za-z]\w*")
_NEW: Final = re.compile(rb"p[A-Z]{1,3}(?:\.[a-z]+)?")  # a place under its new name
# They look like paths or files: words and units, and the sources that errors of TensorRT name.
_FIXED: Final = re.compile(
    rb"I/O|[Aa]nd/or|N/A|[CG]PU/[CG]PU|Q/DQ|Quantize/Dequantize|cuBLAS/cuBLASLt|[KMGT]i?B/s"
    rb"|i\.e|e\.g|TensorRT\.trtexec"
)
_SOURCE: Final = re.compile(rb"\w+\.(?:cpp|h|cu)(?::[\w:]*)?")


class Kind(Enum):
    """What a piece of a sentence is."""

    WORDS = 0
    PLACE = 1
    FIXED = 2  # words that look like a place


def pieces(text: bytes) -> Iterator[tuple[bytes, Kind]]:
    """Cuts a text into pieces: a path, a file, a host, a mail address; or other words."""
    done = 0
    for match in _PIECE.finditer(text):
        kind = match.lastgroup
        if kind is None or kind == "node":
            continue
        start, end = match.span(kind)
        if kind == "token":
            start, end = _bare(text, start, end)
        piece = Kind.PLACE if kind == "quoted" else _kind(text[start:end])
        if piece is not Kind.WORDS:
            yield text[done:start], Kind.WORDS
            yield text[start:end], piece
            done = end
    yield text[done:], Kind.WORDS


def without_clock(text: bytes) -> bytes:
    """Writes zeros for times of day, and for the dates before them."""
    return _CLOCK.sub(zeros, text) if text.count(b":") > 1 else text


def zeros(match: re.Match[bytes]) -> bytes:
    """Returns the matched text with zeros for its digits."""
    return match[0].translate(_NO_DIGITS)


def _bare(text: bytes, start: int, end: int) -> tuple[int, int]:
    """Finds where a token begins and ends without `KEY=` and the punctuation of its sentence."""
    token = text[start:end].rstrip(b".:!?=*")
    key = _KEY.match(token)
    return start + (key.end() if key else 0), start + len(token)


def _kind(token: bytes) -> Kind:
    if _FIXED.fullmatch(token):
        return Kind.FIXED
    if not _LETTER.search(token) or _SOURCE.fullmatch(token):
        return Kind.WORDS
    if b"/" in token or b"\\" in token or b"@" in token.strip(b"@") or token.startswith(b"~"):
        return Kind.PLACE
    is_file = _FILE.fullmatch(token.partition(b":")[0]) or _NEW.fullmatch(token)
    return Kind.PLACE if is_file else Kind.WORDS
