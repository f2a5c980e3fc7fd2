"""Describes what a picture is made of: shapes and texts with their final positions.

`drawing` makes them from a view; `svg` writes them as XML. Lengths are in pixels, y
grows downwards, colors are `#rrggbb`. These are named tuples, because a picture has
thousands of them and a frozen dataclass takes three times as long to make.
"""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.drawing.text_width import width
from engine_layer_visualize.drawing.theme import Dash

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
# A command of SVG's paths and its numbers: M, L, Q and Z, V (to a y) and h (by a width).
Step = tuple[str, tuple[float, ...]]

DASHES: Final[dict[Dash, str]] = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5"}  # on, off
HALO: Final = 4.5  # width of the line under an edge


class Text(NamedTuple):
    """Words on one line."""

    x: float  # where they start, end, or have their middle
    y: float  # of the baseline
    words: str
    size: float
    color: str
    bold: bool = False
    anchor: Anchor = "start"
    upward: bool = False  # turned to the left

    @property
    def wide(self) -> float:
        """The width in pixels."""
        return width(self.words, self.size, self.bold)

    def moved(self, x: float, y: float) -> "Text":
        """Returns the text moved by (x, y)."""
        left, base = self.x + x, self.y + y
        return Text(left, base, self.words, self.size, self.color, self.bold, self.anchor)


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


class Circle(NamedTuple):
    """A circle."""

    x: float  # of its centre
    y: float  # of its centre
    radius: float
    fill: str
    stroke: str
    stroke_width: float


class Path(NamedTuple):
    """A line or an area."""

    steps: tuple[Step, ...]
    fill: str = "none"
    stroke: str = ""
    stroke_width: float = 1.0
    dash: Dash = "solid"
    halo: str = ""  # the colour of a line of width `HALO` under it; empty where there is none
    round_ends: bool = False


Shape = Text | Rect | Circle | Path


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
