"""Measures texts, and cuts or breaks them to a width; no font is needed.

A width is right for IBM Plex Sans and Arial; another font may be some 10 % wider.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine_layer_visualize.core.text import shorten

# Of each character from the blank to `~` in hundredths of the size: the wider of the two fonts'.
_REGULAR: Final = bytes.fromhex(
    "1c1c2a473c5d451822222d3c1c281c263c3c3c3c3c3c3c3c3c3c1d1d3c3c3c386643434848433d4e"
    "482833433853484e434e48433d48435e43433d2026203c383c383a323a382038391919351b573938"
    "3a3a25322339324d333232221f223c"
)
_BOLD: Final = bytes.fromhex(
    "1c21313f3c61481b22223c3c1f281f2e3c3c3c3c3c3c3c3c3c3c21213c3c3c3d6248484848433d4e"
    "482b38483d53484e434e48433d48436143433d212e213c383c393d383d38243d3d1d1d3a1e593d3d"
    "3d3d2838263d38543838342728273c"
)
_MOST_CHARACTERS: Final = 4096  # of a text, that are looked at
_MOST_PIECES: Final = 6  # lines of one part that is too wide for one


def width(text: str, size: float, bold: bool = False) -> float:
    """Returns the width of a text in the unit of `size`."""
    table = _BOLD if bold else _REGULAR
    total = 0
    for character in text:
        code = ord(character)
        total += table[code - 32] if 32 <= code < 127 else _other(character)
    return total * size / 100


@lru_cache(maxsize=4096)
def _other(character: str) -> int:
    """Returns the most that a character takes in either font, in hundredths of the size."""
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 105
    return 72 if ord(character) < 0x250 else 102


def fit(text: str, size: float, room: float, bold: bool = False) -> str:
    """Returns `text` with its middle cut out until it is no wider than `room`."""
    text = text if len(text) <= _MOST_CHARACTERS else shorten(text, _MOST_CHARACTERS)
    if width(text, size, bold) <= room:
        return text
    low, high = 0, len(text)  # `low` characters fit
    while low + 1 < high:
        middle = (low + high) // 2
        if width(shorten(text, middle), size, bold) <= room:
            low = middle
        else:
            high = middle
    return shorten(text, low)


def rows(parts: Iterable[str], size: float, room: float, bold: bool = False) -> tuple[str, ...]:
    """Returns lines of `parts` with ` · ` between them.

    Only a part that is wider than `room` is broken.
    """
    out: list[str] = []
    for part in parts:
        longer = f"{out[-1]} · {part}" if out else part
        if out and width(longer, size, bold) <= room:
            out[-1] = longer
        else:
            out += lines(part, size, room, _MOST_PIECES, bold)
    return tuple(out)


def lines(text: str, size: float, room: float, most: int, bold: bool = False) -> tuple[str, ...]:
    """Returns at most `most` lines of width `room`; of the last one the middle may be cut out."""
    text = text if len(text) <= _MOST_CHARACTERS else shorten(text, _MOST_CHARACTERS)
    out: list[str] = []
    while text and len(out) < most - 1 and width(text, size, bold) > room:
        end = _break(text, size, room, bold)
        out.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return (*out, fit(text, size, room, bold)) if text else tuple(out)


def _break(text: str, size: float, room: float, bold: bool) -> int:
    """Returns where a line of width `room` ends.

    That is after a blank, `/`, `_` or stop if it can, and never inside a number that could stand on
    the next line.
    """
    used, end, good = 0.0, 0, 0
    for end, character in enumerate(text):
        used += width(character, size, bold)
        if used > room:
            break
        if character in " /_.," and not _inside(text, end):
            good = end + 1
    number = _NUMBER.match(text, good)
    if good > end // 2 or (good and number is not None and number.end() > end):
        return good
    return max(1, end)


# What stays on the line of the number before it.
_UNIT: Final = re.compile(r"(?:%|[nmµ]?s|[KMG]iB|B)(?![^ .,;:)])")
_NUMBER: Final = re.compile(rf"(?:≈ |<)?\d[\d.,]{{0,24}}(?: {_UNIT.pattern})?")


def _inside(text: str, place: int) -> bool:
    """Returns whether a character stands inside a number, or between a number and its unit."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if text[place] == " ":
        return before in ("≈", "<") or (before.isdigit() and bool(_UNIT.match(text, place + 1)))
    return text[place] in ".," and before.isdigit() and after.isdigit()
