"""Describes what a picture is made of, shapes with their final positions, and measures texts.

`picture` makes them from a view; `svg` writes them as XML. Lengths are in pixels, y grows
downwards, colors are `#rrggbb`. These are named tuples, because a picture has thousands of them and
a frozen dataclass takes three times as long to make.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.core.text import ELLIPSIS, shorten
from engine_layer_visualize.drawing.theme import Dash, font_widths

Point = tuple[float, float]
# A command of SVG's paths and its numbers: M, L, Q and Z, V (to a y) and h (by a width).
Step = tuple[str, tuple[float, ...]]

DASHES: Final[dict[Dash, str]] = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5"}  # on, off
HALO: Final = 4.5  # width of the line under an edge

# The sizes of all texts of a picture of an engine, in pixels.
TITLE: Final = 22.0
TEXT: Final = 12.0
SMALL: Final = 9.5

_JOINT: Final = re.compile(r" [+·] |[,:] ")  # between those of a list, or of a sentence
_LAST_WORD: Final = re.compile(r"(?<= )[^ ]*$")
_FIRST_PART: Final = re.compile(r"^…[^/. ]*(?:[. …]+|(?=/))")
_NOTED: Final = re.compile(r"((?:\d+ · )?\w+) \(.*\)")  # a word, and a note in brackets
_WIDEST: Final = 1050  # of a character that only a reader's font has; in thousandths of the size
_MOST_CHARACTERS: Final = 4096  # of a text, that are looked at
_MOST_PIECES: Final = 6  # lines of one part that is too wide for one
# What stays on the line of the number before it.
_UNIT: Final = re.compile(r"(?:%|[nmµ]?s|[KMG]iB|B)(?![^ .,;:)])")
_NUMBER: Final = re.compile(rf"(?:≈ |<)?\d[\d.,]{{0,24}}(?: {_UNIT.pattern})?")


class Text(NamedTuple):
    """Words on one line."""

    x: float  # where they start, end, or have their middle
    y: float  # of the baseline
    words: str
    size: float
    color: str
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"
    upward: bool = False  # turned to the left

    @property
    def wide(self) -> float:
        """The width in pixels."""
        return width(self.words, self.size, self.bold)


class Rect(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0  # of its corners
    stroke: str = ""  # the colour of its outline; empty where it has none
    stroke_width: float = 1.0
    dash: Dash = "solid"
    css: str = ""


class Path(NamedTuple):
    """A line or an area."""

    steps: tuple[Step, ...]
    fill: str = "none"
    stroke: str = ""
    stroke_width: float = 1.0
    dash: Dash = "solid"
    halo: str = ""  # the colour of a line of width `HALO` under it; empty where there is none
    round_ends: bool = False


Shape = Text | Rect | Path


def moved(shape: Shape, x: float, y: float) -> Shape:
    """Returns the shape moved by (x, y)."""
    if isinstance(shape, Path):  # only its first step is not relative
        (command, (left, top)), *others = shape.steps
        return shape._replace(steps=((command, (left + x, top + y)), *others))
    return shape._replace(x=shape.x + x, y=shape.y + y)


class ShapeGroup(NamedTuple):
    """Shapes with one tooltip."""

    items: tuple[Shape, ...]
    tooltip: str
    css: str
    id: str = ""
    link: str = ""  # the id of the group that a click goes to


class Frame(NamedTuple):
    """Shapes whose origin is at (`x`, `y`) of the picture and whose unit is `scale` pixels."""

    x: float
    y: float
    scale: float
    shapes: Iterator[Shape | ShapeGroup]


def width(text: str, size: float, bold: bool = False) -> float:
    """Returns the width of a text in the unit of `size`."""
    known = font_widths(bold)
    total = 0
    for character in text:
        total += known.get(character, _WIDEST)
    return total * size / 1000


def fit(text: str, size: float, room: float, bold: bool = False) -> str:
    """Returns `text` no wider than `room`: of a list the end goes, of one name the beginning."""
    is_list = bool(_JOINT.search(text))
    text = text[:_MOST_CHARACTERS] if is_list else text[-_MOST_CHARACTERS:]
    if width(text, size, bold) <= room:
        return text

    def kept(number: int) -> str:
        if is_list:
            return text[:number].rstrip(" +·,(.…") + ELLIPSIS
        return ELLIPSIS + text[len(text) - number :].lstrip(" .…")

    fits = bisect_left(range(len(text)), True, key=lambda n: width(kept(n), size, bold) > room) - 1
    if fits < 1:
        return ELLIPSIS
    left = kept(fits)
    tidy = (_LAST_WORD if is_list else _FIRST_PART).sub(ELLIPSIS, left)
    return tidy if len(tidy) > 2 and len(tidy) * 2 >= len(left) else left


def shortened(text: str, size: float, room: float, bold: bool = False) -> str:
    """Returns a text without the parts of a path or of a list that do not fit."""
    text = text[:_MOST_CHARACTERS]
    if width(text, size, bold) <= room:
        return text
    head, times, path = text.rpartition(" × ")
    before = head + times
    mark = "/" if "/" in path else "."  # between the parts of a path
    inner = [path[at + 1 :] for at, sign in enumerate(path) if sign == mark]
    place = bisect_left(inner, True, key=lambda rest: width(before + rest, size, bold) <= room)
    if place < len(inner) and any(map(str.isalpha, inner[place])):
        return before + inner[place]
    for joint in (", ", " + "):
        pieces = text.split(joint)
        kept = [joint.join(pieces[:number]) for number in range(1, len(pieces))]
        # What is left of `4 × (Conv + Relu)` has no bracket.
        kept = [k.replace("(", "") if k.count("(") > k.count(")") else k for k in kept]
        short = [f"{each}{joint.rstrip()} …" for each in kept]
        number = bisect_left(short, True, key=lambda each: width(each, size, bold) > room)
        if number:
            return short[number - 1]
    noted = _NOTED.fullmatch(text)
    return fit(noted[1] if noted else text, size, room, bold)


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
    """Returns at most `most` lines of width `room`; the last one may be cut."""
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


def _inside(text: str, place: int) -> bool:
    """Returns whether a character stands inside a number, or between a number and its unit."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if text[place] == " ":
        return before in ("≈", "<") or (before.isdigit() and bool(_UNIT.match(text, place + 1)))
    return text[place] in ".," and before.isdigit() and after.isdigit()
